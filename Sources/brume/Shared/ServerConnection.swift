// How commands reach the running server: through `server.json` of the data folder. As its operator
// for what is under `/_brume/admin`, or as one of its users for what Apple's protocol can do.

import ArgumentParser
import BrumeClient
import BrumeModel
import BrumeServer
import BrumeWire
import FoundationEssentials

/// Options of every command that talks to a server.
struct ServerOptions: ParsableArguments {
  @Option(help: "The data folder of the running server. (default: ./brume-data) [BRUME_DATA]")
  var data: String?

  @Option(help: "The container. (default: that of development mode) [BRUME_CONTAINER]")
  var container: String?

  @Option(help: "development or production.")
  var environment: String?

  static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  var folder: String { data ?? Self.variable("BRUME_DATA") ?? Setting.data.fallback ?? "." }

  func connect() throws -> ServerConnection {
    var query: [(String, String)] = []
    if let container = container ?? Self.variable("BRUME_CONTAINER") {
      query.append(("container", container))
    }
    if let environment = environment ?? Self.variable("BRUME_ENVIRONMENT") {
      query.append(("environment", environment))
    }
    return ServerConnection(file: try ServerFile(folder: folder), folder: folder, place: query)
  }
}

struct ServerConnection: Sendable {
  let file: ServerFile
  let folder: String
  let place: [(String, String)]
  private let transport = HTTPTransport()

  init(file: ServerFile, folder: String, place: [(String, String)]) {
    self.file = file
    self.folder = folder
    self.place = place
  }

  static let notReady = CommandFailure(
    "the server is not ready: its storage does not answer; its log says why")

  /// To the server that runs on the folder now.
  func anew() throws -> ServerConnection {
    ServerConnection(file: try ServerFile(folder: folder), folder: folder, place: place)
  }

  /// An admin call.
  func get(_ path: String, _ query: [(String, String)] = []) async throws -> JSON {
    try await call("GET", "/_brume/admin/\(path)", place + query, [], isOperator: true)
  }

  func post(_ path: String, _ body: JSON) async throws -> JSON {
    try await call("POST", "/_brume/admin/\(path)", place, body.bytes(), isOperator: true)
  }

  /// Whether the server's storage answers.
  ///
  /// - Throws: `CommandFailure` if no server answers.
  func isReady() async throws -> Bool {
    try await exchange("GET", "/_brume/health/ready", [], [], isOperator: false).status == 200
  }

  /// The variables that a client of this server needs.
  func variables() async throws -> [JSONObject.Member] {
    try await get("status")["environment"]?.object?.members ?? []
  }

  /// The settings of a client that is one of the users.
  func configuration(user: String, device: String? = nil) async throws -> Configuration {
    let variables = Dictionary(
      try await variables().map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 })
    guard let url = variables["BRUME_URL"], let container = variables["BRUME_CONTAINER"],
      let api = variables["BRUME_API_TOKEN"]
    else {
      throw CommandFailure(
        "this container has no API token yet; make one with 'brume token create NAME --container "
          + "iCloud.…'")
    }
    let environment = Environment(rawValue: variables["BRUME_ENVIRONMENT"] ?? "") ?? .development
    let connection = ServerConnection(
      file: file, folder: folder,
      place: [("container", container), ("environment", environment.rawValue)])
    let answer = try await connection.post("users/token", ["user": .string(user)])
    return Configuration(
      url: url, in: ContainerEnvironment(ContainerID(container), environment), apiToken: api,
      userToken: answer["token"]?.string, deviceID: device.map { DeviceID($0) })
  }

  /// Apple's protocol as one of the users.
  func database(
    _ path: String, _ body: JSON, scope: String, user: String
  ) async throws -> JSON {
    let settings = try await configuration(user: user)
    let target =
      "/database/1/\(settings.container.name)/\(settings.environment.rawValue)/\(scope)/\(path)"
    let credentials = [
      ("ckAPIToken", settings.apiToken ?? ""), ("ckWebAuthToken", settings.userToken ?? ""),
    ]
    return try await call("POST", target, credentials, body.bytes(), isOperator: false)
  }

  private func call(
    _ method: String, _ path: String, _ query: [(String, String)], _ body: [UInt8],
    isOperator: Bool
  ) async throws -> JSON {
    let answer = try await exchange(method, path, query, body, isOperator: isOperator)
    let json = try JSON(parsing: answer.body)
    guard (200..<300).contains(answer.status) else {
      throw CommandFailure(Wire.error(json).reason)
    }
    return json
  }

  private func exchange(
    _ method: String, _ path: String, _ query: [(String, String)], _ body: [UInt8],
    isOperator: Bool
  ) async throws -> HTTPAnswer {
    var request = HTTPCall(
      method: method, base: file.url, target: path + Self.text(query), body: body,
      timeout: .seconds(60))
    if isOperator { request.headers.append(.init("Authorization", "Bearer \(file.adminToken)")) }
    do {
      return try await transport.send(request)
    } catch is CallFailure {
      throw CommandFailure(
        "no server answers at \(file.url), which the data folder '\(folder)' names; start it with "
          + "'brume serve --data \(folder)'")
    }
  }

  private static func text(_ query: [(String, String)]) -> String {
    guard !query.isEmpty else { return "" }
    return "?" + query.map { "\($0.0)=\(escaped($0.1))" }.joined(separator: "&")
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte -> String in
      let scalar = Character(UnicodeScalar(byte))
      let isPlain =
        scalar.isASCII && (scalar.isLetter || scalar.isNumber || "-._~".contains(scalar))
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(scalar) : "%" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }
}
