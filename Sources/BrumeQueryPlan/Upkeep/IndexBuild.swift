// How a field comes into the query index. The first query that could use it asks for it (`IndexWanted`),
// and the engine has the records that are there taken in, some at a time, beside everything else; from
// then on saves keep it. How far it is stands in `WantedField`, so an end of the process costs nothing.
// Of many new records at once the rows come later too (`IndexDelay`); that is the other half of this file.

import BrumeModel
import BrumeStorage

/// Builds the index, one step in a transaction.
package struct IndexBuild {
  private let reading: any IndexBuildReading
  private let fields: FieldIndexes
  private let index: QueryIndex
  private let isAwaited: () -> Bool

  /// - Parameter isAwaited: whether others wait for the running step to end.
  package init(
    _ reading: any IndexBuildReading, _ fields: FieldIndexes, _ index: QueryIndex,
    isAwaited: @escaping () -> Bool
  ) {
    self.reading = reading
    self.fields = fields
    self.index = index
    self.isAwaited = isAwaited
  }

  /// Notes fields that a query asked for, and that somebody queries the type.
  ///
  /// - Throws: what the engine throws.
  package func want(_ wanted: IndexWanted) throws {
    for (zone, names) in wanted.fields {
      let rowKey = RecordTypeRowKey(zone: zone, type: wanted.type)
      let known = try fields.keys(of: rowKey)
      index.delay.queried(rowKey)
      for name in names where known.fields[name] == nil {
        try fields.want(IndexPart(type: rowKey, field: name))
      }
    }
  }

  /// Takes up to `limit` more records into the index of what is not finished: of the type after `last`,
  /// so that no long work keeps a short one waiting. Nil: nothing is left to do.
  /// - Parameters:
  ///   - leavesFew: whether records that are behind stay so until they are many.
  ///   - begins: gets the type before anything is done for it.
  /// - Throws: what the engine throws.
  package func advance(
    after last: RecordTypeRowKey?, limit: Int, leavesFew: Bool = false,
    begins: (RecordTypeRowKey) -> Void = { _ in }
  ) throws -> IndexStep? {
    let leaves = leavesFew && index.delay.areFew
    let unfinished = try fields.unfinishedType(after: last, leavesBehind: leaves)
    if let unfinished { begins(unfinished) }
    guard let rowKey = unfinished, let database = try reading.database(ofZone: rowKey.zone)
    else {
      if !leaves { index.delay.caughtUp() }
      return nil
    }
    let known = try fields.keys(of: rowKey).fields
    return if let start = known.values.compactMap({ $0.builtTo.map(ByteText.init) }).min() {
      try build(rowKey, from: start.text, in: database, limit: limit)
    } else if let start = known.values.compactMap(\.behind).min() {
      try catchUp(rowKey, from: start, in: database)
    } else {
      nil
    }
  }
}

/// The records of a type that a step took into the index, and the fields it was for.
package struct IndexStep: Sendable {
  package let type: RecordTypeRowKey
  package let fields: [String]
  /// How many records were read.
  package let records: Int
  /// Whether the index of the fields has all records now.
  package let isLast: Bool
  /// Whether others waited when it ended.
  package let wasAwaited: Bool
  /// How many fields, of whatever type, do not have all records.
  package let unfinished: Int
}

// MARK: Records that were there before, by name

extension IndexBuild {
  private func build(
    _ rowKey: RecordTypeRowKey, from start: String, in database: DatabaseKey, limit: Int
  ) throws -> IndexStep {
    let names = try fields.keys(of: rowKey).fields.filter {
      $0.value.builtTo.map { ByteText($0) } == ByteText(start)
    }.map(\.key)
    var (end, taken, isLast): (String?, Int, Bool) = (start, 0, false)
    var stretch = IndexStretch()
    repeat {
      if stretch.isOver {
        if isAwaited() { break }
        stretch.begin()
      }
      let most = min(stretch.next, limit - taken)
      let records = try reading.records(of: rowKey, afterName: end ?? "", limit: most)
      try takeIn(records, rowKey, names, in: database)
      stretch.add(records: records.count, bytes: records.bytes)
      isLast = records.count < most
      end = isLast ? nil : records.last?.record.name
      taken += records.count
    } while !isLast && taken < limit
    for name in names { try fields.setBuilt(IndexPart(type: rowKey, field: name), to: end) }
    return try step(rowKey, names, taken, isLast)
  }
}

// MARK: Records whose rows were left for later, by sequence

extension IndexBuild {
  /// Ours: records that are read at once, and bytes after which no more are.
  private static let recordsOfRead = 100
  private static let bytesTogether = 8 << 20

  /// All together and in the order of the index, whoever waits: that is what makes them cheap. Large ones are fewer.
  private func catchUp(
    _ rowKey: RecordTypeRowKey, from start: Int64, in database: DatabaseKey
  ) throws -> IndexStep {
    let names = try fields.keys(of: rowKey).fields.filter { $0.value.behind == start }.map(\.key)
    var (records, bytes, isLast): ([FoundRecord], Int, Bool) = ([], 0, false)
    repeat {
      let more = try reading.records(
        of: rowKey, afterSequence: records.last?.sequence ?? start, limit: Self.recordsOfRead)
      isLast = more.count < Self.recordsOfRead
      records += more
      bytes += more.bytes
    } while !isLast && records.count < IndexDelay.together && bytes < Self.bytesTogether
    try takeIn(records, rowKey, names, in: database)
    let end = isLast ? nil : records.last?.sequence
    for name in names { try fields.setBehind(IndexPart(type: rowKey, field: name), end) }
    index.delay.caughtUp(records.count)
    return try step(rowKey, names, records.count, isLast)
  }
}

// MARK: Both

extension IndexBuild {
  /// Rows in the order of the index, so that those that share a page are written together.
  private func takeIn(
    _ records: [FoundRecord], _ rowKey: RecordTypeRowKey, _ names: [String],
    in database: DatabaseKey
  ) throws {
    var rows: [IndexRow] = []
    for name in names {
      guard let wanted = try fields.keys(of: rowKey).fields[name] else { continue }
      let field = IndexedField(indexName: name)
      var entry = IndexEntry(
        part: IndexPart(type: rowKey, field: name), wanted: wanted, record: "", row: 0)
      for found in records {
        (entry.record, entry.row) = (found.record.name, found.row)
        let value = found.record.indexedValue(of: field, in: database)
        try index.add(value, &entry) { rows.append($0) }
      }
      fields.keep(entry)
    }
    try index.insert(rows.sorted())
  }

  private func step(
    _ rowKey: RecordTypeRowKey, _ names: [String], _ records: Int, _ isLast: Bool
  ) throws -> IndexStep {
    IndexStep(
      type: rowKey, fields: names, records: records, isLast: isLast, wasAwaited: isAwaited(),
      unfinished: try fields.countUnfinished())
  }
}

extension [FoundRecord] {
  fileprivate var bytes: Int { reduce(0) { $0 + $1.record.byteCount } }
}
