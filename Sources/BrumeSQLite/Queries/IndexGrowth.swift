// How a field comes into the query index: the first query that could use it asks for it (`IndexWanted`),
// the writer goes through the records that are there, some at a time, and from then on every save
// keeps it.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

extension SQLiteTransaction {
  /// Asks for the index that the query needs, if this read may ask.
  func requireIndex(_ request: EngineQuery, _ zones: [SearchedZone]) throws {
    guard asksForIndex else { return }
    var wanted = IndexWanted(for: request)
    for zone in zones {
      let keys = try typeKeys(RecordTypeRowKey(zone: zone.number, type: wanted.type))
      wanted.look(at: keys, inZone: zone.number)
    }
    if !wanted.fields.isEmpty { throw wanted }
  }

  /// Takes up to `limit` more records into the index. Answers whether it covers all records now.
  func grow(_ wanted: IndexWanted, limit: Int) throws -> Bool {
    var left = limit
    for (zone, fields) in wanted.fields.sorted(by: { $0.key < $1.key }) {
      let rowKey = RecordTypeRowKey(zone: zone, type: wanted.type)
      for field in fields where try !grow(field, rowKey, in: wanted.database, &left) {
        return false
      }
    }
    return true
  }

  private func grow(
    _ field: String, _ rowKey: RecordTypeRowKey, in database: DatabaseKey, _ left: inout Int
  ) throws -> Bool {
    var keys = try typeKeys(rowKey)
    cache.isProvisional = true
    if keys.fields[field] == nil {
      keys.fields[field] = WantedField(builtTo: "", isStarted: false)
      try save(field, rowKey, builtTo: "", Self.want)
    }
    guard var wanted = keys.fields[field], let start = wanted.builtTo else { return true }
    let records = try records(of: rowKey, after: start, limit: left)
    for (row, record) in records {
      var entry = IndexEntry(
        name: field, type: rowKey, wanted: wanted, record: record.name, row: row)
      try add(record.indexedValue(of: IndexedField(indexName: field), in: database), &entry)
      wanted = entry.wanted
    }
    wanted.builtTo = records.count < left ? nil : records.last?.record.name ?? start
    left -= records.count
    try save(field, rowKey, builtTo: wanted.builtTo, Self.built)
    keys.fields[field] = wanted
    cache.typeKeys[rowKey] = keys
    return wanted.isComplete
  }

  private func records(
    of rowKey: RecordTypeRowKey, after name: String, limit: Int
  ) throws -> [(row: Int64, record: Record)] {
    let bind: (Prepared) -> Void = {
      $0.bind(1, rowKey.zone)
      $0.bind(2, rowKey.type)
      $0.bind(3, name)
      $0.bind(4, limit)
    }
    return try connection.all(Self.find, bind) {
      ($0.int(0), try coders.record.decode($0.blob(1)))
    }
  }

  private func save(_ field: String, _ rowKey: RecordTypeRowKey, builtTo: String?, _ sql: SQL)
    throws
  {
    try connection.run(sql) {
      $0.bind(1, rowKey.zone)
      $0.bind(2, rowKey.type)
      $0.bind(3, field)
      $0.bind(4, builtTo)
    }
  }

  private static let want = SQL("INSERT INTO wanted_fields VALUES (?1, ?2, ?3, ?4, 0)")
  private static let built = SQL(
    "UPDATE wanted_fields SET built_to = ?4 WHERE zone = ?1 AND type = ?2 AND field = ?3")
  private static let find = SQL(
    """
    SELECT id, content FROM records
    WHERE zone = ?1 AND type = ?2 AND name > ?3 ORDER BY name LIMIT ?4
    """)
}
