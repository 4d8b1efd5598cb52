// The rows of the records that a step takes in. A record may have one or thousands, so a step is as long as its rows.

import BrumeModel

struct IndexIntake {
  /// Ours: rows beyond which no further record is taken in.
  static let most = 20_000

  private let database: DatabaseKey
  private let fields: FieldIndexes
  private let index: QueryIndex
  private let type: RecordTypeRowKey
  private let words: WordCutting
  private var entries: [IndexEntry]
  private var rows: [IndexRow] = []
  private var hasTaken = false
  private var meetsLong = false
  /// The first record, if it has more rows than a step writes: it was not taken.
  private(set) var long: (found: FoundRecord, rows: [IndexRow])?
  /// What is to be known of the next record before it is taken.
  private(set) var homework: IndexHomework?

  /// - Parameter names: of the fields that take records in.
  init(
    _ names: [String], of type: RecordTypeRowKey, in database: DatabaseKey,
    _ fields: FieldIndexes, _ index: QueryIndex, _ words: WordCutting
  ) throws {
    self.words = words
    (self.type, self.database, self.fields, self.index) = (type, database, fields, index)
    let known = try fields.keys(of: type).fields
    entries = names.compactMap { name in
      known[name].map {
        IndexEntry(part: IndexPart(type: type, field: name), wanted: $0, record: "", row: 0)
      }
    }
  }

  var isFull: Bool { rows.count >= Self.most || meetsLong }

  /// Answers which of the records were taken: those behind that found it full were not.
  mutating func take(_ records: [FoundRecord]) throws -> ArraySlice<FoundRecord> {
    for (place, found) in records.enumerated() {
      if isFull { return records[..<place] }
      let subject = IndexHomework.Subject.record(row: found.row, sequence: found.sequence)
      let prepared = words.prepared(of: subject, type, names)
      if prepared == nil, words.endsStep(before: names, bytes: found.record.byteCount) {
        meetsLong = true
        homework = IndexHomework(
          type: type, subject: subject, database: database, fields: names, old: nil,
          new: found.record)
        return records[..<place]
      }
      let new = try entries.indices.flatMap { try rows(of: found, $0, prepared) }
      if new.count > Self.most, index.mayLeave(type) {
        meetsLong = true
        if !hasTaken { long = (found, new) }
        return records[..<place]
      }
      rows += new
      hasTaken = true
    }
    return records[...]
  }

  private var names: [String] { entries.map(\.part.field) }

  private mutating func rows(
    of found: FoundRecord, _ place: Int, _ prepared: PreparedIndex?
  ) throws -> [IndexRow] {
    var (entry, new): (IndexEntry, [IndexRow]) = (entries[place], [])
    (entry.record, entry.row) = (found.record.name, found.row)
    let field = IndexedField(indexName: entry.part.field)
    let value =
      if let prepared { prepared.changes[entry.part.field]?.come } else {
        found.record.indexedValue(of: field, in: database)
      }
    try index.add(value, &entry) { new.append($0) }
    entries[place] = entry
    return new
  }

  /// Writes the rows in the order of the index, so that those that share a page are written together.
  func finish() throws {
    for entry in entries { fields.keep(entry) }
    try index.insert(rows.sorted())
  }
}
