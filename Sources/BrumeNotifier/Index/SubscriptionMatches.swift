// What a search of the index answers.

extension SubscriptionIndex {
  /// A subscription that fires.
  package struct Match: Hashable, Sendable {
    /// Distinguishes a subscription from a later one with the same ID; fan-outs go in this order.
    package let startPosition: Int64
    let row: Int32
  }
  /// What fires for one log entry, unordered: single subscriptions and whole lists of them.
  package struct Found: Sendable {
    var rows: [Int32] = []
    var groups: [[Int32]] = []
    package init() {}
    package var count: Int { groups.reduce(rows.count) { $0 + $1.count } }
    /// Visits every subscription that was found.
    package func forEach(_ body: (Int32) -> Void) {
      for row in rows { body(row) }
      for group in groups { for row in group { body(row) } }
    }
    /// Adds what another search found.
    package mutating func append(_ other: Found) {
      rows += other.rows
      groups += other.groups
    }
  }
}

extension SubscriptionIndex {
  /// The subscription behind a match; nil if it was removed since.
  package func key(of match: Match) -> SubscriptionKey? {
    guard names.isUsed(match.row), rows[match.row].startPosition == match.startPosition else {
      return nil
    }
    return key(at: match.row)
  }

  func key(at row: Int32) -> SubscriptionKey { names.key(at: row) }
}
