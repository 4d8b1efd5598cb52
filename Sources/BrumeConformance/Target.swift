// The server that cases run against, and who may call it. It builds the requests of steps.

package import BrumeClient
package import BrumeModel
import BrumeWire
import FoundationEssentials

/// A server, and the callers that cases have there.
package struct Target: Sendable, InContainerEnvironment {
  /// The server's address.
  package var url: String
  package var containerEnvironment: ContainerEnvironment
  package var apiToken: String
  /// Web auth tokens; cases that need one that is missing are skipped.
  package var firstUser: String?
  package var secondUser: String?
  package var serverKey: Configuration.ServerKey?
  package var operatorToken: String?
  /// Names of settings that the server has, for cases that need them, such as `limits tiny`.
  package var settings: Set<String> = []
  package var transport: any Transport
  /// Seconds since 1970, for signatures.
  package var now: @Sendable () -> Double
  /// Lets seconds pass, where a server asks for that.
  package var wait: @Sendable (Double) async throws -> Void

  package init(
    url: String, in containerEnvironment: ContainerEnvironment,
    apiToken: String, transport: any Transport, now: @escaping @Sendable () -> Double,
    wait: @escaping @Sendable (Double) async throws -> Void
  ) {
    self.url = url
    self.containerEnvironment = containerEnvironment
    self.apiToken = apiToken
    self.transport = transport
    self.now = now
    self.wait = wait
  }

  /// Why a case cannot run here; nil if it can.
  func missing(for test: Case) -> String? {
    for need in test.needs + (firstUser == nil ? ["user"] : []) {
      switch need {
      case "user": return "it needs a user: --user-token"
      case "second user" where secondUser == nil:
        return "it needs a second user: --second-user-token"
      case "key" where serverKey == nil: return "it needs a server key: --key-id and --key-file"
      case "operator" where operatorToken == nil:
        return "it needs the server's operator: --operator-token"
      case "second user", "key", "operator": continue
      case let name where settings.contains(name): continue
      case let name: return "it needs a server with the setting '\(name)': --with '\(name)'"
      }
    }
    return nil
  }

  /// The request of a step whose variables are filled in.
  func request(_ step: Step) throws -> HTTPCall {
    guard let members = step.query.object?.members else {
      throw CaseError("'query' is \(step.query.shown), not an object")
    }
    var query = members.map { ($0.key, $0.value.shown) }
    var headers = [HTTPCall.Header("Content-Type", step.contentType ?? "text/plain")]
    switch step.caller {
    case "operator": headers.append(.init("Authorization", "Bearer \(operatorToken ?? "")"))
    case "key", "nobody": break
    case "anonymous": query.append(("ckAPIToken", apiToken))
    case "first", "second":
      query.append(("ckAPIToken", apiToken))
      query.append(("ckWebAuthToken", (step.caller == "first" ? firstUser : secondUser) ?? ""))
    default: throw CaseError("'as: \(step.caller)' is nobody known")
    }
    let environmentPath = "\(container.name)/\(environment.rawValue)"
    let path =
      step.call.hasPrefix("/")
      ? step.call : "/database/1/\(environmentPath)/\(step.database)/\(step.call)"
    let address = Self.parts(ofAddress: step.call)
    let target = address?.target ?? path + FormText.query(query)
    let body = step.text.map { Array($0.utf8) } ?? step.body?.bytes() ?? []
    if step.caller == "key", let serverKey {
      let date = Date(timeIntervalSince1970: now())
      headers += try RequestSigner(serverKey).headers(path: target, body: body, date: date)
    }
    return HTTPCall(
      method: step.method, base: address?.base ?? url, target: target, headers: headers, body: body,
      timeout: .seconds(30))
  }

  /// An address that the server gave, for which credentials are not wanted; nil for a path.
  private static func parts(ofAddress text: String) -> (base: String, target: String)? {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "http:" || parts[0] == "https:" else { return nil }
    return ("\(parts[0])//\(parts[2])", "/\(parts[3])")
  }
}
