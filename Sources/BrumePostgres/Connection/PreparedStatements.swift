// What a connection has prepared at its server. A statement of the program stays; those that are put together for
// queries are many, and the server keeps a plan of each until somebody frees it.

/// The statements that a connection has prepared, by their names.
struct PreparedStatements {
  /// Ours: statements of queries that stay prepared.
  static let mostOfQueries = 200

  private var names: Set<String> = []
  /// Of statements of queries, when each was used last.
  private var lastUses: [String: Int] = [:]
  private var uses = 0

  /// A statement is about to be used. Answers whether it must be prepared, and the name of one to free first.
  mutating func use(_ sql: SQL) -> (isNew: Bool, freed: String?) {
    let isNew = names.insert(sql.name).inserted
    guard sql.isOfQuery else { return (isNew, nil) }
    uses += 1
    lastUses[sql.name] = uses
    guard lastUses.count > Self.mostOfQueries,
      let oldest = lastUses.min(by: { $0.value < $1.value })?.key
    else { return (isNew, nil) }
    remove(oldest)
    return (isNew, oldest)
  }

  /// It was not prepared.
  mutating func remove(_ name: String) {
    names.remove(name)
    lastUses[name] = nil
  }

  /// It was not freed.
  mutating func keep(_ name: String) {
    names.insert(name)
    lastUses[name] = 0
  }
}
