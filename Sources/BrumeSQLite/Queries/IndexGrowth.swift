// How a field comes into the query index. The first query that could use it asks for it (`IndexWanted`),
// and `Indexer` has the records that are there taken in, some at a time, beside everything else; from
// then on saves keep it. How far it is stands in `wanted_fields`, so an end of the process costs nothing.
// Of many new records at once the rows come later too (`IndexDelay`); that is the other half of this file.

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

  /// Notes fields that a query asked for, and that somebody queries the type.
  func want(_ wanted: IndexWanted) throws {
    for (zone, fields) in wanted.fields {
      let rowKey = RecordTypeRowKey(zone: zone, type: wanted.type)
      let known = try typeKeys(rowKey)
      indexDelay.queried(rowKey)
      for field in fields where known.fields[field] == nil {
        cache.isProvisional = true
        cache.typeKeys[rowKey]?.fields[field] = WantedField(builtTo: "", isStarted: false)
        try connection.run(Self.want) { $0.bind(IndexPart(type: rowKey, field: field)) }
      }
    }
  }

  /// Takes up to `limit` more records into the index of what is not finished: of the type after `last`,
  /// so that no long work keeps a short one waiting. Nil: nothing is left to do.
  /// - Parameter leavesFew: whether records that are behind stay so until they are many.
  func growIndex(
    after last: RecordTypeRowKey?, limit: Int, leavesFew: Bool = false
  ) throws -> IndexStep? {
    let leaves = leavesFew && indexDelay.areFew
    guard
      let rowKey = try unfinishedType(after: last, leaves) ?? unfinishedType(after: nil, leaves),
      let database = try database(ofZone: rowKey.zone)
    else {
      if !leaves { indexDelay.caughtUp() }
      return nil
    }
    let fields = try typeKeys(rowKey).fields
    return if let start = fields.values.compactMap({ $0.builtTo.map(ByteText.init) }).min() {
      try build(rowKey, from: start.text, in: database, limit: limit)
    } else if let start = fields.values.compactMap(\.behind).min() {
      try catchUp(rowKey, from: start, in: database)
    } else {
      nil
    }
  }

  private static let want = SQL("INSERT INTO wanted_fields VALUES (?1, ?2, ?3, '', 0, NULL)")
}

/// The records of a type that a step took into the index, and the fields it was for.
struct IndexStep: Sendable {
  let type: RecordTypeRowKey
  let fields: [String]
  let records: Int
  /// Whether the index of the fields has all records now.
  let isLast: Bool
  /// Whether others waited when it ended.
  let wasAwaited: Bool
  /// How many fields, of whatever type, do not have all records.
  var unfinished = 0
}

/// A field of a record type in a zone.
struct IndexPart: Hashable, Sendable {
  let type: RecordTypeRowKey
  let field: String
}

// MARK: Records that were there before, by name

extension SQLiteTransaction {
  /// Ours: records that are taken in between two looks whether a write waits.
  private static let recordsBetweenLooks = 20

  private func build(
    _ rowKey: RecordTypeRowKey, from start: String, in database: DatabaseKey, limit: Int
  ) throws -> IndexStep {
    let fields = try typeKeys(rowKey).fields.filter {
      $0.value.builtTo.map { ByteText($0) } == ByteText(start)
    }.map(\.key)
    var (end, taken, isLast): (String?, Int, Bool) = (start, 0, false)
    repeat {
      let most = min(Self.recordsBetweenLooks, limit - taken)
      let records = try records(of: rowKey, after: end ?? "", limit: most)
      try takeIn(records, rowKey, fields, in: database)
      isLast = records.count < most
      end = isLast ? nil : records.last?.record.name
      taken += records.count
    } while !isLast && taken < limit && !isAwaited
    for field in fields {
      let part = IndexPart(type: rowKey, field: field)
      try change(part, Self.built, { $0.bind(4, end) }) { $0.builtTo = end }
    }
    return try step(rowKey, fields, taken, isLast)
  }

  private func records(
    of rowKey: RecordTypeRowKey, after name: String, limit: Int
  ) throws -> [FoundRecord] {
    try found(Self.byName, rowKey) {
      $0.bind(3, name)
      $0.bind(4, limit)
    }
  }

  private static let byName = SQL(
    """
    SELECT id, content, sequence FROM records
    WHERE zone = ?1 AND type = ?2 AND name > ?3 ORDER BY name LIMIT ?4
    """)
  private static let built = SQL(
    "UPDATE wanted_fields SET built_to = ?4 WHERE zone = ?1 AND type = ?2 AND field = ?3")
}

// MARK: Records whose rows were left for later, by sequence

extension SQLiteTransaction {
  /// All together and in the order of the index, whoever waits: that is what makes them cheap.
  private func catchUp(
    _ rowKey: RecordTypeRowKey, from start: Int64, in database: DatabaseKey
  ) throws -> IndexStep {
    let fields = try typeKeys(rowKey).fields.filter { $0.value.behind == start }.map(\.key)
    let records = try found(Self.bySequence, rowKey) {
      $0.bind(3, start)
      $0.bind(4, IndexDelay.together)
    }
    try takeIn(records, rowKey, fields, in: database)
    let isLast = records.count < IndexDelay.together
    let end = isLast ? nil : records.last?.sequence
    for field in fields { try setBehind(IndexPart(type: rowKey, field: field), end) }
    indexDelay.caughtUp(records.count)
    return try step(rowKey, fields, records.count, isLast)
  }

  /// Leaves records with a greater sequence for later.
  func setBehind(_ part: IndexPart, _ sequence: Int64?) throws {
    try change(part, Self.setBehind, { $0.bind(4, sequence) }) { $0.behind = sequence }
  }

  private static let bySequence = SQL(
    """
    SELECT id, content, sequence FROM records
    WHERE zone = ?1 AND sequence > ?3 AND type = ?2 ORDER BY sequence LIMIT ?4
    """)
  private static let setBehind = SQL(
    "UPDATE wanted_fields SET behind = ?4 WHERE zone = ?1 AND type = ?2 AND field = ?3")
}

// MARK: Both

private struct FoundRecord {
  let row: Int64
  let record: Record
  let sequence: Int64
}

extension SQLiteTransaction {
  private func found(
    _ sql: SQL, _ rowKey: RecordTypeRowKey, _ bind: (Prepared) -> Void
  ) throws -> [FoundRecord] {
    let bindAll: (Prepared) -> Void = {
      $0.bind(rowKey)
      bind($0)
    }
    return try connection.all(sql, bindAll) {
      FoundRecord(
        row: $0.int(0), record: try coders.record.decode($0.blob(1)), sequence: $0.int(2))
    }
  }

  /// Rows in the order of the index, so that those that share a page are written together.
  private func takeIn(
    _ records: [FoundRecord], _ rowKey: RecordTypeRowKey, _ fields: [String],
    in database: DatabaseKey
  ) throws {
    var rows: [IndexRow] = []
    for name in fields {
      guard let wanted = try typeKeys(rowKey).fields[name] else { continue }
      let field = IndexedField(indexName: name)
      var entry = IndexEntry(name: name, type: rowKey, wanted: wanted, record: "", row: 0)
      for index in records.indices {
        (entry.record, entry.row) = (records[index].record.name, records[index].row)
        let value = records[index].record.indexedValue(of: field, in: database)
        try add(value, &entry) { rows.append($0) }
      }
      try keep(entry)
    }
    for row in rows.sorted() { try insert(row) }
  }

  /// Changes what is stored and known of how far a field is.
  private func change(
    _ part: IndexPart, _ sql: SQL, _ bind: (Prepared) -> Void,
    _ change: (inout WantedField) -> Void
  ) throws {
    try connection.run(sql) {
      $0.bind(part)
      bind($0)
    }
    cache.isProvisional = true
    if cache.typeKeys[part.type]?.fields[part.field] != nil {
      change(&cache.typeKeys[part.type]!.fields[part.field]!)
    }
  }

  private func step(
    _ rowKey: RecordTypeRowKey, _ fields: [String], _ records: Int, _ isLast: Bool
  ) throws -> IndexStep {
    let unfinished = try connection.first(Self.countUnfinished) { Int($0.int(0)) } ?? 0
    return IndexStep(
      type: rowKey, fields: fields, records: records, isLast: isLast, wasAwaited: isAwaited,
      unfinished: unfinished)
  }

  private func unfinishedType(
    after last: RecordTypeRowKey?, _ leavesBehind: Bool
  ) throws -> RecordTypeRowKey? {
    let bind: (Prepared) -> Void = {
      $0.bind(last ?? RecordTypeRowKey(zone: -1, type: ""))
      $0.bind(3, leavesBehind)
    }
    return try connection.first(Self.findUnfinished, bind) {
      RecordTypeRowKey(zone: $0.int(0), type: $0.text(1))
    }
  }

  /// Where what is not finished stands.
  static let unfinished = """
    FROM wanted_fields INDEXED BY wanted_fields_unfinished
    WHERE (built_to IS NOT NULL OR behind IS NOT NULL)
    """
  private static let findUnfinished = SQL(
    """
    SELECT zone, type \(unfinished) AND (zone, type) > (?1, ?2) AND (built_to IS NOT NULL OR NOT ?3)
    ORDER BY zone, type LIMIT 1
    """)
  private static let countUnfinished = SQL("SELECT count(*) \(unfinished)")
}

extension Prepared {
  fileprivate func bind(_ rowKey: RecordTypeRowKey) {
    bind(1, rowKey.zone)
    bind(2, rowKey.type)
  }

  fileprivate func bind(_ part: IndexPart) {
    bind(part.type)
    bind(3, part.field)
  }
}
