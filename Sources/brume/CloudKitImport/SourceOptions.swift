// Which server an import reads, as whom. Secrets come from files or variables, never from the command line, where
// every process of the machine can read them.

import ArgumentParser
import BrumeClient
import BrumeModel
import Foundation

struct SourceOptions: ParsableArguments {
  static let apple = "https://api.apple-cloudkit.com"

  @Option(name: .customLong("from"), help: "The source: scheme, host and port.")
  var url = Self.apple
  @Option(help: "The container there. (default: --container)") var fromContainer: String?
  @Option(help: "development or production, there. (default: --environment, or development)")
  var fromEnvironment: String?
  @Option(help: "public or private. (default: public with a key, private with a web auth token)")
  var database: String?
  @Option(help: "The ID of a server-to-server key. [BRUME_FROM_KEY_ID]") var keyID: String?
  @Option(help: "The file of its private half, in PEM. [BRUME_FROM_KEY_FILE]")
  var keyFile: String?
  @Option(help: "An API token of the container. [BRUME_FROM_API_TOKEN]") var apiToken: String?
  @Option(
    help: """
      A file with the user's web auth token, which is replaced by the newest as they are given. \
      [BRUME_FROM_WEB_AUTH_TOKEN has the token itself]
      """)
  var webAuthTokenFile: String?

  private var namesKey: Bool { keyID != nil || keyFile != nil }
  private var namesTokens: Bool { apiToken != nil || webAuthTokenFile != nil }

  // Who says as whom on the command line means that, whatever variables say.
  private var key: String? {
    keyID ?? (namesTokens ? nil : ServerOptions.variable("BRUME_FROM_KEY_ID"))
  }
  private var api: String? {
    apiToken ?? (namesKey ? nil : ServerOptions.variable("BRUME_FROM_API_TOKEN"))
  }
  private var userToken: String? {
    namesKey ? nil : ServerOptions.variable("BRUME_FROM_WEB_AUTH_TOKEN")
  }
  private var hasUser: Bool { webAuthTokenFile != nil || userToken != nil }

  /// The database that is read.
  func scope() throws -> DatabaseScope {
    let scope = database ?? (key != nil || !hasUser ? "public" : "private")
    switch scope {
    case "public": return .public
    case "private":
      guard key == nil else {
        throw ValidationError(
          "a server-to-server key reads the public database only; a private one is read with "
            + "--api-token and --web-auth-token-file")
      }
      guard hasUser else {
        throw ValidationError(
          "a private database needs its user's web auth token: --web-auth-token-file")
      }
      return .private
    default: throw ValidationError("--database is '\(scope)'; it may be public or private")
    }
  }

  func place(_ target: ServerOptions) throws -> SourcePlace {
    var address = url
    while address.last == "/" { address.removeLast() }
    guard let parts = URL(string: address), ["http", "https"].contains(parts.scheme ?? ""),
      parts.host != nil, parts.path.isEmpty
    else { throw ValidationError("--from is '\(url)'; it must look like \(Self.apple)") }
    let container = target.container ?? ServerOptions.variable("BRUME_CONTAINER") ?? ""
    let name =
      fromEnvironment ?? target.environment ?? ServerOptions.variable("BRUME_ENVIRONMENT")
      ?? Environment.development.rawValue
    guard let environment = Environment(rawValue: name) else {
      throw ValidationError(
        "the source's environment is '\(name)'; it may be development or production")
    }
    return SourcePlace(
      url: address, container: fromContainer ?? container, environment: environment,
      scope: try scope())
  }

  func credentials() throws -> SourceCredentials {
    if let key { return .key(try signer(key)) }
    guard let api else {
      throw ValidationError(
        "nothing says as whom the source is asked: --key-id and --key-file, or --api-token")
    }
    guard let path = webAuthTokenFile else {
      return .tokens(api: api, user: userToken, file: nil)
    }
    // An import that ended while it put a shorter token there left the rest of the one before behind it.
    let lines = try Self.text(path).split(whereSeparator: \.isNewline)
    let token = (lines.first ?? "").trimmingCharacters(in: .whitespaces)
    return .tokens(api: api, user: token, file: path)
  }

  private func signer(_ id: String) throws -> RequestSigner {
    guard let path = keyFile ?? ServerOptions.variable("BRUME_FROM_KEY_FILE") else {
      throw ValidationError("--key-id needs the file of its private half: --key-file")
    }
    do {
      return try RequestSigner(.init(id: id, privateKeyPEM: try Self.text(path)))
    } catch is CallFailure {
      throw StatusFailure(.data, "'\(path)' holds no P-256 private key in PEM form")
    }
  }

  private static func text(_ path: String) throws -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw StatusFailure(.noInput, "'\(path)' cannot be read; check its path")
    }
    return text
  }
}
