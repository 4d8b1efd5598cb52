// How a field comes into the query index: the first query that could use it asks for it, the writer
// goes through the records that are there, some at a time, and from then on every save keeps it. Until
// all records are in, queries judge the records themselves.
//
// Why not every field from the start: each row of the index is a page that a save changes at a random
// place, and most fields are never searched (docs/internals/storage.md, "What a save costs").

import BrumeModel
import BrumePredicate
import BrumeStorage

/// Thrown out of a read that would be faster with an index; the store grows it and reads again.
struct IndexWanted: Error {
  let database: DatabaseKey
  let type: String
  /// Fields by their names in the index, by the zone's number.
  var fields: [Int64: [String]] = [:]
}

extension SQLiteTransaction {
  /// Asks for the index that the query needs, if this read may ask.
  func requireIndex(_ request: EngineQuery, _ zones: [SearchedZone]) throws {
    guard asksForIndex else { return }
    let useful = request.usefulFields.map(\.indexName)
    var wanted = IndexWanted(database: request.database, type: request.query.recordType)
    for zone in zones {
      let keys = try typeKeys(RecordTypeRowKey(zone: zone.number, type: wanted.type))
      let missing = useful.filter { keys.fields[$0]?.isComplete != true }
      if !missing.isEmpty { wanted.fields[zone.number] = missing }
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
    for record in records {
      var entry = IndexEntry(name: field, type: rowKey, wanted: wanted, record: record.name)
      try add(record.indexedValue(of: IndexedField(indexName: field), in: database), &entry)
      wanted = entry.wanted
    }
    wanted.builtTo = records.count < left ? nil : records.last?.name ?? start
    left -= records.count
    try save(field, rowKey, builtTo: wanted.builtTo, Self.built)
    keys.fields[field] = wanted
    cache.typeKeys[rowKey] = keys
    return wanted.isComplete
  }

  private func records(
    of rowKey: RecordTypeRowKey, after name: String, limit: Int
  ) throws -> [Record] {
    let bind: (Prepared) -> Void = {
      $0.bind(1, rowKey.zone)
      $0.bind(2, rowKey.type)
      $0.bind(3, name)
      $0.bind(4, limit)
    }
    return try connection.all(Self.find, bind) { try coders.record.decode($0.blob(0)) }
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
    SELECT content FROM records
    WHERE zone = ?1 AND type = ?2 AND name > ?3 ORDER BY name LIMIT ?4
    """)
}

extension EngineQuery {
  /// Fields whose index would find candidates, or give their order. A query for a whole type is
  /// served from creation times, so that a rare type is found without a search of the zone.
  fileprivate var usefulFields: Set<IndexedField> {
    if query.filters.contains(where: \.namesRecords) { return [] }
    var fields = Set(query.filters.flatMap { IndexCondition.all($0, in: database).map(\.field) })
    if let sort = query.sorts.first, sort.field.isIndexed, !sort.field.hidesOwner(of: database) {
      fields.insert(.value(sort.field))
    }
    return fields.isEmpty ? [.value(.system(.createdTimestamp))] : fields
  }
}
