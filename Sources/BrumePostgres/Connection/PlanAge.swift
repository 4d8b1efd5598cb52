// When a connection's plans are too old. PostgreSQL makes the plan of a statement once; one that was made when a
// table was empty looks into whichever index, and does so when the table is large, until somebody analyses
// it. So plans are made anew after twice as many exchanges each time: between two times this process makes no
// table more than twice as large.

struct PlanAge {
  /// Exchanges of all the process's connections at which plans are to be made anew.
  private var limit: Int

  /// - Parameter exchanges: of all connections until now.
  init(after exchanges: Int) { limit = Self.limit(after: exchanges) }

  /// Whether plans are to be made anew now. Asked at the beginning of a transaction.
  mutating func isOver(after exchanges: Int) -> Bool {
    guard exchanges >= limit else { return false }
    limit = Self.limit(after: exchanges)
    return true
  }

  private static func limit(after exchanges: Int) -> Int { max(16, 2 * exchanges) }
}
