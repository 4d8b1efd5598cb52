// A request's line in the server's log: the same facts as in the ring that operators search, and the path. No query:
// tokens travel there.

import BrumeModel
import Logging

extension RequestLine {
  /// The line's parts. Users are named by their IDs, and operators by their names.
  func metadata(path: String) -> Logger.Metadata {
    var parts: Logger.Metadata = [
      "request.id": "\(requestID)", "request.method": "\(method)",
      "request.path": "\(Self.shown(path))",
      "request.route": "\(route)", "request.microseconds": "\(microseconds)",
      "response.status": "\(status)",
    ]
    if let errorCode { parts["error.code"] = "\(errorCode)" }
    switch caller {
    case .nobody: break
    case .user(let user): parts["user.id"] = "\(user.name)"
    case .serverKey(let user):
      parts["user.id"] = "\(user.name)"
      parts["user.kind"] = "server key"
    case .operator(let name): parts["operator.name"] = "\(name)"
    }
    return parts
  }

  /// Where shares' URLs lead. Who has the rest of one may take part, so it is in no log.
  private static let ofShares = "share/"

  /// As a URL has it: over HTTP/2 any bytes may come, and in a terminal some of them are orders.
  private static func shown(_ path: String) -> String {
    if path.drop(while: { $0 == "/" }).hasPrefix(ofShares) { return "/\(ofShares){name}" }
    if path.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) { return path }
    return path.utf8.map { byte in
      (0x21...0x7e).contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}
