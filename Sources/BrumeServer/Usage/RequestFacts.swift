// What is learnt of a request while it is worked on, for its line in the log and for the counts: the middleware
// that writes them stands outside of all others.

import BrumeCore
import BrumeModel
import Synchronization

final class RequestFacts: Sendable {
  struct Known: Sendable {
    /// Nil: no endpoint of the table was asked.
    var access: Access?
    var isSupervision = false
    var work = Work.usual
    var containerEnvironment: ContainerEnvironment?
    var caller = RequestLine.Caller.nobody
    var errorCode: BrumeError.Code?
  }
  private let facts = Mutex(Known())

  /// The request is for this endpoint.
  func note(_ endpoint: Endpoint, _ containerEnvironment: ContainerEnvironment?) {
    facts.withLock {
      $0.access = endpoint.access
      $0.isSupervision = endpoint.isSupervision
      $0.work = endpoint.work
      $0.containerEnvironment = containerEnvironment
    }
  }

  /// The caller has shown who they are.
  func note(_ caller: Caller) { facts.withLock { $0.caller = .init(caller) } }

  /// The answer is an error.
  func note(_ code: BrumeError.Code) { facts.withLock { $0.errorCode = code } }

  var known: Known { facts.withLock { $0 } }
}

extension RequestFacts.Known {
  /// Supervisors, scrapers and the console's files: nobody's work.
  var isProbe: Bool { access == .probe || isSupervision }
  var isOperators: Bool { access?.isOperators ?? false }
  /// How long it took says something about the server; polls, streams and files take as long as they do.
  var isTimed: Bool { access != nil && work != .lasting }
}

extension RequestLine.Caller {
  fileprivate init(_ caller: Caller) {
    self =
      switch (caller.kind, caller.user) {
      case (.user, let user?): .user(user)
      case (.serverKey, let user?): .serverKey(user)
      case (.operator, _): .operator(caller.access?.name ?? "")
      default: .nobody
      }
  }
}
