// One request in the server's log of requests, as operators search it. It has no body, no parameter and no
// secret: the path is that of the list of endpoints.

/// One request that was answered.
package struct RequestLine: Equatable, Sendable {
  /// Who called, as far as the server knew.
  package enum Caller: Equatable, Sendable {
    case nobody
    case user(UserID)
    /// By the user that the key acts as.
    case serverKey(UserID)
    /// By name, or 'token NAME'.
    case `operator`(String)
  }

  /// Rises by one with each line; 0 before it stands in a log.
  package var position: Int64 = 0
  /// When the request came.
  package var time: Milliseconds
  package var requestID: String
  package var method: String
  /// As the list of endpoints has it; 'none' if there is no such endpoint.
  package var route: String
  /// Nil: the request named none.
  package var containerEnvironment: ContainerEnvironment?
  package var caller: Caller
  package var status: Int
  /// The code of the error dictionary; nil: none was answered.
  package var errorCode: String?
  package var microseconds: Int64

  package init(
    time: Milliseconds, requestID: String, method: String, route: String,
    containerEnvironment: ContainerEnvironment? = nil, caller: Caller = .nobody, status: Int,
    errorCode: String? = nil, microseconds: Int64
  ) {
    self.time = time
    self.requestID = requestID
    self.method = method
    self.route = route
    self.containerEnvironment = containerEnvironment
    self.caller = caller
    self.status = status
    self.errorCode = errorCode
    self.microseconds = microseconds
  }

  /// The status of a request whose client went before its answer, as nginx has it. It is never sent, and no failure.
  package static let clientGone = 499
}

/// Which requests are wanted; nil stands for all.
package struct RequestLineFilter: Equatable, Sendable {
  /// Upper or lower case.
  package var requestID: String?
  package var user: UserID?
  /// Only those whose status is 400 or more, without those whose client went.
  package var isFailed = false
  /// Only paths that begin so, such as `/database/1`.
  package var route: String?
  package init() {}

  /// Whether a line is wanted.
  package func takes(_ line: RequestLine) -> Bool {
    if let requestID, line.requestID != requestID, line.requestID != requestID.uppercased() {
      return false
    }
    if isFailed, line.status < 400 || line.status == RequestLine.clientGone { return false }
    if let route, !line.route.hasPrefix(route) { return false }
    guard let user else { return true }
    return line.caller == .user(user) || line.caller == .serverKey(user)
  }
}
