// How a field comes into the query index. The first query that could use it asks for it (`IndexWanted`),
// and the engine has the records that are there taken in, some at a time, beside everything else; from
// then on saves keep it. How far it is stands in `WantedField`, so an end of the process costs nothing.
// Of many new records at once the rows come later too (`IndexDelay`); that is the other half of this file.

import BrumeModel
import BrumeStorage

/// Builds the index, one step in a transaction.
package struct IndexBuild {
  private let reading: any IndexBuildReading
  let fields: FieldIndexes
  let index: QueryIndex
  let isAwaited: () -> Bool

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
  ///   - words: when the texts of large records are cut.
  ///   - begins: gets the type before anything is done for it.
  /// - Throws: what the engine throws.
  package func advance(
    after last: RecordTypeRowKey?, limit: Int, leavesFew: Bool = false,
    words: WordCutting = .inStep, begins: (RecordTypeRowKey) -> Void = { _ in }
  ) throws -> IndexStep? {
    let leaves = leavesFew && index.delay.areFew
    let unfinished =
      try unfinishedType(of: words.prepared)
      ?? fields.unfinishedType(after: last, leavesBehind: leaves)
    if let unfinished { begins(unfinished) }
    guard let rowKey = unfinished, let database = try reading.database(ofZone: rowKey.zone)
    else {
      if !leaves { index.delay.caughtUp() }
      return nil
    }
    return try advance(rowKey, in: database, limit: limit, words)
  }

  /// The same for what a query asked for alone. Nil: all of that is in the index, or its zones are gone.
  /// - Throws: what the engine throws.
  package func advance(for wanted: IndexWanted, limit: Int) throws -> IndexStep? {
    for (zone, names) in wanted.fields.sorted(by: { $0.key < $1.key }) {
      let rowKey = RecordTypeRowKey(zone: zone, type: wanted.type)
      let known = try fields.keys(of: rowKey).fields
      guard names.contains(where: { known[$0]?.isComplete == false }),
        let database = try reading.database(ofZone: zone),
        let step = try advance(rowKey, in: database, limit: limit, .inStep)
      else { continue }
      return step
    }
    return nil
  }

  /// How many fields, of whatever type, do not have all records.
  /// - Throws: what the engine throws.
  package func countUnfinished() throws -> Int { try fields.countUnfinished() }

  private func advance(
    _ rowKey: RecordTypeRowKey, in database: DatabaseKey, limit: Int, _ words: WordCutting
  ) throws -> IndexStep? {
    if let step = try removeGone(rowKey, in: database, words) { return step }
    let known = try fields.keys(of: rowKey).fields
    return if let start = known.values.compactMap({ $0.builtTo.map(ByteText.init) }).min() {
      try build(rowKey, from: start.text, in: database, limit: limit, words)
    } else if let start = known.values.compactMap(\.behind).min() {
      try catchUp(rowKey, from: start, in: database, words)
    } else {
      nil
    }
  }
}

extension IndexBuild {
  private func unfinishedType(of prepared: PreparedIndex?) throws -> RecordTypeRowKey? {
    guard let type = prepared?.type else { return nil }
    return try fields.keys(of: type).fields.values.contains { !$0.isComplete } ? type : nil
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
  /// What the next step should be given.
  package var homework: IndexHomework?
}

// MARK: Records that were there before, by name

extension IndexBuild {
  private func build(
    _ rowKey: RecordTypeRowKey, from start: String, in database: DatabaseKey, limit: Int,
    _ words: WordCutting
  ) throws -> IndexStep {
    let names = try fields.keys(of: rowKey).fields.filter {
      $0.value.builtTo.map { ByteText($0) } == ByteText(start)
    }.map(\.key)
    if let step = try goOn(rowKey, names, after: .name(ByteText(start))) { return step }
    var (end, taken, isOver): (String?, Int, Bool) = (start, 0, false)
    var homework: IndexHomework?
    var stretch = IndexStretch()
    repeat {
      if stretch.isOver {
        if isAwaited() { break }
        stretch.begin()
      }
      let most = min(stretch.next, limit - taken)
      let records = try reading.records(of: rowKey, afterName: end ?? "", limit: most)
      var intake = try IndexIntake(names, of: rowKey, in: database, fields, index, words)
      let new = try intake.take(records)
      try intake.finish()
      keep(intake.long, of: rowKey, names, after: .name(ByteText(end ?? "")))
      stretch.add(records: new.count, bytes: new.bytes)
      let isLast = records.count < most && new.count == records.count
      end = isLast ? nil : new.last?.record.name ?? end
      taken += new.count
      isOver = isLast || intake.isFull
      homework = intake.homework
    } while !isOver && taken < limit
    for name in names { try fields.setBuilt(IndexPart(type: rowKey, field: name), to: end) }
    return try step(rowKey, names, taken, isLast: end == nil, homework)
  }
}

// MARK: Records whose rows were left for later, by sequence

extension IndexBuild {
  /// Ours: records that are read at once, and bytes after which no more are.
  private static let recordsOfRead = 64
  private static let bytesTogether = 8 << 20
  /// Ours: the same where texts are cut into words, which takes longer than reading them.
  private static let bytesOfWords = 512 << 10

  /// Many together and in the order of the index, whoever waits: that is what makes them cheap. Large ones, and such with
  /// many rows, are fewer.
  private func catchUp(
    _ rowKey: RecordTypeRowKey, from start: Int64, in database: DatabaseKey, _ words: WordCutting
  ) throws -> IndexStep {
    let names = try fields.keys(of: rowKey).fields.filter { $0.value.behind == start }.map(\.key)
    if let step = try goOn(rowKey, names, after: .sequence(start)) { return step }
    let isOfWords = names.contains { IndexedField(indexName: $0).isWords }
    let most = isOfWords ? Self.bytesOfWords : Self.bytesTogether
    var intake = try IndexIntake(names, of: rowKey, in: database, fields, index, words)
    var (end, taken, bytes, isLast, next) = (start, 0, 0, false, IndexStretch.first)
    repeat {
      let records = try reading.records(of: rowKey, afterSequence: end, limit: next)
      let new = try intake.take(records)
      isLast = records.count < next && new.count == records.count
      end = new.last?.sequence ?? end
      (taken, bytes) = (taken + new.count, bytes + new.bytes)
      next =
        new.bytes > IndexStretch.bytes ? IndexStretch.first : min(8 * next, Self.recordsOfRead)
    } while !isLast && taken < IndexDelay.together && bytes < most && !intake.isFull
    try intake.finish()
    keep(intake.long, of: rowKey, names, after: .sequence(end))
    for name in names {
      try fields.setBehind(IndexPart(type: rowKey, field: name), isLast ? nil : end)
    }
    index.delay.caughtUp(taken)
    return try step(rowKey, names, taken, isLast: isLast, intake.homework)
  }
}

// MARK: Both

extension IndexBuild {
  func step(
    _ rowKey: RecordTypeRowKey, _ names: [String], _ records: Int, isLast: Bool,
    _ homework: IndexHomework? = nil
  ) throws -> IndexStep {
    IndexStep(
      type: rowKey, fields: names, records: records, isLast: isLast, wasAwaited: isAwaited(),
      unfinished: try countUnfinished(), homework: homework)
  }
}

extension ArraySlice<FoundRecord> {
  fileprivate var bytes: Int { reduce(0) { $0 + $1.record.byteCount } }
}
