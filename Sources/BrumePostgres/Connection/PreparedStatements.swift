// What a connection has prepared at its server. A statement of the program stays; those that are put together for
// queries are many, as are those that each shard of Citus has of its own, and the server keeps a plan of each until
// somebody frees it.

/// The statements that a connection has prepared, by their names.
struct PreparedStatements {
  /// Ours: statements of queries that stay prepared.
  static let mostOfQueries = 200
  /// Ours: statements that stay prepared on a connection that asks shards: some twenty of each of fifty, and 20 KB for each.
  static let mostOfShards = 1000

  private var names: Set<String> = []
  /// Of statements of queries and of shards, when each was used last.
  private var lastUses: [String: Int] = [:]
  private var uses = 0

  /// A statement is about to be used. Answers its name, whether it must be prepared, and the name of one to free first.
  mutating func use(
    _ sql: SQL, in shard: Shard? = nil
  ) -> (name: String, isNew: Bool, freed: String?) {
    let name = shard.map { "\(sql.name)_\($0.number)" } ?? sql.name
    let isNew = names.insert(name).inserted
    guard sql.isOfQuery || shard != nil else { return (name, isNew, nil) }
    uses += 1
    lastUses[name] = uses
    guard lastUses.count > (shard == nil ? Self.mostOfQueries : Self.mostOfShards),
      let oldest = lastUses.min(by: { $0.value < $1.value })?.key
    else { return (name, isNew, nil) }
    remove(oldest)
    return (name, isNew, oldest)
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
