// What the list of endpoints says of who may call and of where the work runs. The compiler asks for a sentence for
// each case.

import BrumeServer

extension Access {
  /// One of each kind, for the list of endpoints.
  static let kinds: [Access] = [
    .probe, .open, .bearer, .anyone, .account, .user, .operator(.reads), .operator(.reveals()),
    .operator(.changes()), .operator(.endsSession),
  ]

  /// What the list of endpoints calls it.
  var name: String {
    switch self {
    case .probe: "probe"
    case .open: "open"
    case .bearer: "bearer"
    case .anyone: "anyone"
    case .account: "account"
    case .user: "user"
    case .operator(.reads): "operator, reads"
    case .operator(.reveals): "operator, reveals"
    case .operator(.changes): "operator, changes"
    case .operator(.endsSession): "operator, own session"
    }
  }

  /// One sentence for the list of endpoints.
  var meaning: String {
    switch self {
    case .probe:
      "anybody, and it counts against nobody: it says nothing, and does next to nothing"
    case .open: "anybody, because the path reveals nothing; counts against the caller's address"
    case .bearer:
      "whoever has the address: it carries a secret of its own, which somebody signed in was given"
    case .anyone: "whoever has an API token; the rules decide what callers without a user see"
    case .account: "a signed-in user or a server-to-server key"
    case .user: "a signed-in user; server-to-server keys have no such endpoints"
    case .operator(.reads): "every operator: whoever has an admin token or is signed in"
    case .operator(.reveals): "operators with the role 'full', because the answer has secrets"
    case .operator(.changes):
      "operators with the role 'full'; each call has a line in the audit log"
    case .operator(.endsSession): "every operator, for the session that calls"
    }
  }
}

extension Work {
  /// One sentence for the list of endpoints.
  var meaning: String {
    switch self {
    case .usual:
      "on a worker thread, because it asks the store; in its caller's turn and until the deadline"
    case .brief: "on the connection's event loop, because it answers from memory"
    case .lasting:
      "on a worker thread, without deadline and turn: it waits for a push, lasts as long as a file "
        + "is on its way, deletes whatever there is, or must be answered when nobody else is"
    }
  }
}
