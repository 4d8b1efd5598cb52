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

  package init(
    _ rows: any IndexRowStoring, _ fields: FieldIndexes, delay: IndexDelay = IndexDelay()
  ) {
    self.rows = rows
    self.fields = fields
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
    let isLate = old == nil && delay.isLate(newOf: rowKey) || delay.isFull
    var isLeft = false
    for (field, wanted) in try fields.keys(of: rowKey).fields {
      var entry = IndexEntry(
        part: IndexPart(type: rowKey, field: field), wanted: wanted, record: name, row: row)
      let leaves = try new != nil && leaves(&entry, sequence, isLate)
      isLeft = isLeft || leaves
      // Of a new record that is left for later nothing needs to be known now.
      if !leaves || old != nil {
        try update(&entry, leaves: leaves, in: database, from: old, to: new)
      }
      if entry.wanted != wanted { fields.keep(entry) }
    }
    if isLeft { delay.leftForLater() }
  }

  private func update(
    _ entry: inout IndexEntry, leaves: Bool, in database: DatabaseKey, from old: Record?,
    to new: Record?
  ) throws {
    let field = IndexedField(indexName: entry.part.field)
    guard let change = IndexChange(of: field, from: old, to: new, in: database) else { return }
    if let gone = change.gone { try remove(gone, &entry) }
    if change.isThere, !leaves { try add(change.come, &entry) { try insert($0) } }
  }

  private func insert(_ row: IndexRow) throws {
    try rows.insert(row)
    delay.wroteRow()
  }

  /// Whether the rows of a record come later, with those of others.
  private func leaves(_ entry: inout IndexEntry, _ sequence: Int64, _ isLate: Bool) throws -> Bool {
    if let behind = entry.wanted.behind { return behind < sequence && delay.mayWait }
    guard isLate else { return false }
    try fields.setBehind(entry.part, sequence - 1)
    entry.wanted.behind = sequence - 1
    return true
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
    try fields.removeContents(ofZone: zone)
  }

  /// A body is about to run.
  package func bodyBegins() { delay.bodyBegins() }
}
