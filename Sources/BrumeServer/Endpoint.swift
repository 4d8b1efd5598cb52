// One line of the table of endpoints, and what it says: who may call, what an operator's call does, where it runs.

package import HTTPTypes

/// Who may call an endpoint, before the rules look at the request itself. `docs/reference/routes.md` says who that is.
package enum Access: Hashable, Sendable {
  // Whoever supervises the server must not take a flood of requests from its own address for a server that is down.
  case probe
  case open, bearer, anyone, account, user
  case `operator`(Effect)

  /// Operators only.
  package var isOperators: Bool { if case .operator = self { true } else { false } }

  /// Nobody has to show who they are; a body is small then.
  var isOpen: Bool { self == .probe || self == .open || self == .bearer }
}

/// What an operator's endpoint does. Each line of the table has to say it: read-only operators may call what
/// reads, and the rest is written into the audit log.
package enum Effect: Hashable, Sendable {
  case reads
  /// Reads what has secrets of the store in it: not for read-only operators. `of`: the parameter that names whose
  /// they are, for the line in the audit log; nil: the call that it belongs to has the line.
  case reveals(of: String? = nil)
  /// `of`: the key of the body that names whom or what it changes; nil: nothing has a name there, or a
  /// secret stands in its place. `and`: the key of what it changes of theirs.
  case changes(of: String? = nil, and: String? = nil)
  /// Ends the caller's own session, and changes nothing else.
  case endsSession

  /// A page of a browser must have meant it.
  package var changesSomething: Bool {
    switch self {
    case .changes, .endsSession: true
    case .reads, .reveals: false
    }
  }

  /// It has a line in the audit log.
  var isAudited: Bool {
    if case .reveals(of: .some) = self { true } else { changesSomething }
  }

  /// Whether an operator who may only read is refused.
  package var needsFullRole: Bool {
    switch self {
    case .reveals, .changes: true
    case .reads, .endsSession: false
    }
  }
}

/// How an endpoint is worked on: where, how long, and whether it takes its turn. One table decides, so that
/// no handler has to.
package enum Work: String, CaseIterable, Sendable {
  // Event loops are shared by many connections.
  case usual
  case brief
  // Polls end by themselves, files must flow, and connections are counted.
  case lasting
}

/// One line of the table: which requests lead to a handler, and under which rules.
package struct Endpoint: Sendable {
  /// Answers a call. A `BrumeError` becomes an answer; every other error an internal one.
  package typealias Handler = @Sendable (Call) async throws -> Reply
  package let methods: [HTTPRequest.Method]
  package let path: String
  package let access: Access
  package let handler: Handler
  /// A signed request to it may be sent twice: it changes nothing. All others act once.
  package var isRead = false
  package var work = Work.usual
  /// It gives a device records, or what changed: what a push asks for.
  package var isFetch = false
  /// The body is the handler's to read, piece by piece, instead of being collected before.
  package var streams = false
  /// Nobody's use of the server: whoever watches over it asks by the clock, or a page loads a file of ours before it
  /// asks anything.
  var isSupervision = false
  /// An open console asks it by itself: no use of an operator's session.
  package var isWatch = false
  /// HEAD is answered as GET is, without the body, unless a GET waits for something or does something.
  private var takesHead = true

  /// Whether it takes pushes that come while it is open.
  var waitsForPushes: Bool { path == "/_brume/courier" || path == StreamRoute.path }

  /// All methods that the endpoint answers.
  package var answered: [HTTPRequest.Method] {
    takesHead && methods.contains(.get) && !methods.contains(.head) ? methods + [.head] : methods
  }

  init(
    _ methods: [HTTPRequest.Method], _ path: String, _ access: Access, _ handler: @escaping Handler
  ) {
    self.methods = methods
    self.path = path
    self.access = access
    self.handler = handler
  }

  private func with<Value>(_ part: WritableKeyPath<Endpoint, Value>, _ value: Value) -> Endpoint {
    var endpoint = self
    endpoint[keyPath: part] = value
    return endpoint
  }

  var reading: Endpoint { with(\.isRead, true) }
  var fetching: Endpoint { reading.with(\.isFetch, true) }
  func working(_ work: Work) -> Endpoint { with(\.work, work) }
  /// For a GET that does more than to read.
  var withoutHead: Endpoint { with(\.takesHead, false) }
  var supervising: Endpoint { with(\.isSupervision, true) }
  var watching: Endpoint { with(\.isWatch, true) }
  var streaming: Endpoint { with(\.streams, true) }
}
