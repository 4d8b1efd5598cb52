// The operator's `logs`: requests that a server has answered.

package import BrumeModel

extension Wire {
  /// - Parameters:
  ///   - next: the `before` of the next page; nil: this is the last.
  ///   - since: when the oldest line came that the server still has; nil: it has none.
  ///   - names: sign-in names.
  package static func requestLines(
    _ lines: [RequestLine], next: Int64?, since: Milliseconds?, names: [UserID: String]
  ) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("log", lines) { $0.requestLine($1, names) }
      writer.member("next", next)
      writer.member("since", since)
      writer.endObject()
    }
  }
}

extension JSONWriter {
  fileprivate mutating func requestLine(_ line: RequestLine, _ names: [UserID: String]) {
    beginObject()
    member("position", line.position)
    member("time", line.time)
    member("request", line.requestID)
    member("method", line.method)
    member("route", line.route)
    if let containerEnvironment = line.containerEnvironment {
      self.containerEnvironment(containerEnvironment)
    }
    caller(line.caller, names)
    member("status", Int64(line.status))
    member("code", line.errorCode)
    member("microseconds", line.microseconds)
    endObject()
  }

  private mutating func caller(_ caller: RequestLine.Caller, _ names: [UserID: String]) {
    switch caller {
    case .nobody: break
    case .user(let user): member("user", names[user] ?? user.name)
    case .serverKey(let user): member("serverKey", names[user] ?? user.name)
    case .operator(let name): member("operator", name)
    }
  }
}
