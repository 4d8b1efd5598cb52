// What can go wrong in an engine, apart from the rules' own errors.

package import BrumeModel

/// What an engine throws. Clients are answered its `answer`; `brume` ends with an exit code.
package struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What may be done about it.
  package enum Code: Equatable, Sendable {
    /// The disk or database failed: it is unknown whether the last write happened. The engine
    /// refuses everything from then on.
    case unavailable
    /// There is no room for a write, on the disk or in the line: nothing of it happened, and later
    /// ones may succeed.
    case noRoom
    /// A statement took longer than the database lets it: nothing of it happened, and the same again takes as long
    /// unless the load was the reason.
    case tooSlow
    /// The database server does not answer, or refuses, or another program holds the database: nothing of a write
    /// happened, and later ones may succeed.
    case unreachable
    /// Another process notifies for the bucket now.
    case notOwned
    /// Another process holds the data folder.
    case inUse
    /// The files were written by a newer version.
    case tooNew
    /// A durability setting could not be proven at start.
    case notDurable
    /// The store was closed.
    case closed
    /// Stored bytes do not make sense.
    case corrupt
  }
  package let code: Code
  /// A sentence for the operator, without record contents.
  package let description: String
  /// - Parameter description: a sentence for the operator, without record contents.
  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension StoreError {
  /// What a store answers after `close`.
  package static let closed = StoreError(.closed, "the store was closed")

  /// What a caller is answered. The description is for the operator.
  package var answer: BrumeError {
    if code == .corrupt { return .damaged("what this request needs") }
    return BrumeError(.tryAgainLater, reason, retryAfter: 5)
  }

  private var reason: String {
    switch code {
    case .noRoom: "the server's storage has no room for this; try again later"
    case .tooSlow:
      "the request looks at too much for the server's storage; narrow a query (add a condition that few "
        + "records meet, or drop the sort), or try again later"
    default: "the server's storage is not available; try again later"
    }
  }
}

extension Error {
  /// Whether a row or a page of the store was found to be damaged.
  package var saysDamage: Bool {
    (self as? StoreError)?.code == .corrupt || (self as? BrumeError)?.code == .internalError
  }
}
