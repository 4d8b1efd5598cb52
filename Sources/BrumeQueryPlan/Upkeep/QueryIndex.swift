// This keeps the query index in step with records: for each wanted field of a record one row, or one for
// each element of a list. Only fields that changed are touched (`IndexChange`). Which fields are wanted,
// and how their rows come to be for records that were there before: `IndexBuild.swift`. What was new in
// bulk is behind, and its rows are not there: they are removed all the same, which does no harm.

package import BrumeModel

/// The upkeep of an engine's index, in the transaction that changes the records.
package final class QueryIndex {
  private let rows: any IndexRowStoring
  private let fields: FieldIndexes
  /// Which new records come into the index later.
  package var delay: IndexDelay
  /// Records whose rows go later; nil: the engine has no place for them, and all go at once.
  let gone: (any GoneRecordStoring)?
  /// What is left of records with more rows than a step writes.
  var remainders: [RecordTypeRowKey: IndexRemainder] = [:] {
    didSet { haveRemaindersChanged = true }
  }
  /// Whether a transaction that is not committed has changed them.
  var haveRemaindersChanged = false

  package init(
    _ rows: any IndexRowStoring, _ fields: FieldIndexes, gone: (any GoneRecordStoring)? = nil,
    delay: IndexDelay = IndexDelay()
  ) {
    self.rows = rows
    self.fields = fields
    self.gone = gone
    self.delay = delay
  }

  /// A record is saved or removed: nil is a record that is not there.
  /// - Parameters:
  ///   - row: the engine's number of the record.
  ///   - sequence: the number of this change.
  /// - Throws: what the engine throws.
  package func update(
    _ name: String, row: Int64, sequence: Int64, inZone zone: Int64, of database: DatabaseKey,
    from old: Record?, to new: Record?
  ) throws {
    if let old, let new, old.type != new.type {
      try update(
        name, row: row, sequence: sequence, inZone: zone, of: database, from: old, to: nil)
      return try update(
        name, row: row, sequence: sequence, inZone: zone, of: database, from: nil, to: new)
    }
    guard let type = (new ?? old)?.type else { return }
    let rowKey = RecordTypeRowKey(zone: zone, type: type)
    forgetRemainder(of: row, rowKey)
    let isLate = old == nil && delay.isLate(newOf: rowKey) || delay.isFull
    let wantedFields = try fields.keys(of: rowKey).fields
    let large = largeChange(of: Array(wantedFields.keys), from: old, to: new)
    var isLeft = false
    for (field, wanted) in wantedFields {
      var entry = IndexEntry(
        part: IndexPart(type: rowKey, field: field), wanted: wanted, record: name, row: row)
      let goes = old != nil && !large.goesLate(field)
      if old != nil, !goes { try leave(&entry, sequence) }
      let comes = try new != nil && !leaves(&entry, sequence, isLate || large.comesLate(field))
      isLeft = isLeft || new != nil && !comes
      // Of a record that is left for later nothing needs to be known now.
      if goes || comes { try update(&entry, goes, comes, in: database, from: old, to: new) }
      if entry.wanted != wanted { fields.keep(entry) }
    }
    if isLeft { delay.leftForLater() }
    guard large.goesLate, let old else { return }
    try gone?.add(old, row: row, of: rowKey)
    delay.leftForLater(gone: old.byteCount)
  }

  /// What of a change has many rows, and when they go and come.
  private struct LargeChange {
    let fields: Set<String>
    let goesLate: Bool
    let comesLate: Bool

    func goesLate(_ field: String) -> Bool { goesLate && fields.contains(field) }
    func comesLate(_ field: String) -> Bool { comesLate && fields.contains(field) }
  }

  private func largeChange(
    of names: [String], from old: Record?, to new: Record?
  ) -> LargeChange {
    let many = names.filter {
      delay.leaves && IndexedField(indexName: $0).changesMany(from: old, to: new)
    }
    if many.isEmpty { return LargeChange(fields: [], goesLate: false, comesLate: false) }
    let goesLate = old.map { gone != nil && delay.isLate(gone: $0.byteCount) } ?? false
    let comesLate = new.map { delay.isLate(come: $0.byteCount) } ?? false
    return LargeChange(fields: Set(many), goesLate: goesLate, comesLate: comesLate)
  }

  private func update(
    _ entry: inout IndexEntry, _ goes: Bool, _ comes: Bool, in database: DatabaseKey,
    from old: Record?, to new: Record?
  ) throws {
    let field = IndexedField(indexName: entry.part.field)
    guard let change = IndexChange(of: field, from: old, to: new, in: database) else { return }
    if goes, let gone = change.gone { try remove(gone, &entry) }
    if comes, change.isThere { try add(change.come, &entry) { try insert($0) } }
  }

  private func insert(_ row: IndexRow) throws {
    try rows.insert(row)
    delay.wroteRow()
  }

  /// Whether the rows of a record come later, with those of others.
  private func leaves(_ entry: inout IndexEntry, _ sequence: Int64, _ isLate: Bool) throws -> Bool {
    if let behind = entry.wanted.behind { return behind < sequence && delay.mayWait }
    guard isLate else { return false }
    try leave(&entry, sequence)
    return true
  }

  /// The field's rows may be wrong from this change on.
  private func leave(_ entry: inout IndexEntry, _ sequence: Int64) throws {
    guard entry.wanted.behind == nil else { return }
    try fields.setBehind(entry.part, sequence - 1)
    entry.wanted.behind = sequence - 1
  }

  /// Puts a record under its keys; nil is a record without the field.
  func add(
    _ value: FieldValue?, _ entry: inout IndexEntry, _ put: (IndexRow) throws -> Void
  ) throws {
    var own: IndexKey?
    try value?.eachIndexRow { kind, value in
      let key = try fields.key(kind, &entry)
      if kind.isSingle { own = key }
      try put(IndexRow(key: key.id, value: value, name: entry.record, row: entry.row))
      if value.isCut, !key.isCut { try fields.markCut(key, &entry) }
    }
    if value != nil, own == nil { _ = try fields.key(.unindexed, &entry) }
    try fields.markSparse(except: own, &entry)
    try fields.start(&entry)
  }

  /// Adds rows of many records, together.
  func insert(_ new: [IndexRow]) throws { try rows.insert(new) }

  /// Removes rows of a record that is gone.
  func remove(_ old: ArraySlice<IndexRow>) throws { for row in old { try rows.remove(row) } }

  private func remove(_ value: FieldValue, _ entry: inout IndexEntry) throws {
    try value.eachIndexRow { kind, value in
      let key = try fields.key(kind, &entry)
      try rows.remove(IndexRow(key: key.id, value: value, name: entry.record, row: entry.row))
    }
  }

  /// A zone goes with all that it has.
  ///
  /// - Throws: what the engine throws.
  package func removeContents(ofZone zone: Int64) throws {
    try rows.removeRows(ofZone: zone)
    try gone?.removeAll(ofZone: zone)
    try fields.removeContents(ofZone: zone)
    remainders = remainders.filter { $0.key.zone != zone }
  }

  /// A zone that is deleted is searched by nobody, and its rows go some at a time, under the keys that stay for it.
  ///
  /// - Throws: what the engine throws.
  package func endFields(ofZone zone: Int64) throws {
    try gone?.removeAll(ofZone: zone)
    try fields.endFields(ofZone: zone)
    remainders = remainders.filter { $0.key.zone != zone }
  }

  /// A body is about to run.
  package func bodyBegins() { delay.bodyBegins() }
}
