// The rows of a text or a list may be as many as it has words or elements. Of records that are changed or removed such rows
// go later, when they are many: the record is noted as it was, the fields are `behind`, so that no query uses them, and the
// steps that take in what is behind take these rows away first. Rows that the record has now as well are taken in
// again then, because its sequence is beyond the mark.

package import BrumeModel

/// A record as it was when its rows came into the index.
package struct GoneRecord: Sendable {
  /// The engine's number of this note.
  package let id: Int64
  package let record: Record
  /// The engine's number of the record.
  package let row: Int64
  /// The same record as it is now, if it is there.
  package let now: Record?

  package init(id: Int64, record: Record, row: Int64, now: Record?) {
    self.id = id
    self.record = record
    self.row = row
    self.now = now
  }
}

/// Stores records whose rows go later.
///
/// Every call throws what the engine throws: `StoreError`, `CancellationError`.
package protocol GoneRecordStoring {
  /// Notes a record as it was.
  func add(_ record: Record, row: Int64, of type: RecordTypeRowKey) throws
  /// The first of a type that was noted.
  func first(of type: RecordTypeRowKey) throws -> GoneRecord?
  /// Forgets a note: the rows are gone.
  func remove(_ id: Int64) throws
  /// Forgets the notes of a zone that has no rows.
  func removeAll(ofZone zone: Int64) throws
}

extension IndexedField {
  /// Whether a change is one of rows of which there may be many. That nothing changes is seen without cutting texts.
  func changesMany(from old: Record?, to new: Record?) -> Bool {
    switch self {
    case .value(.system): return false
    case .value(.field(let name)):
      let (before, after) = (old?.fields[name], new?.fields[name])
      return (before?.isList == true || after?.isList == true) && before != after
    case .words(let name?):
      return old?.fields[name] != new?.fields[name]
        || old?.encryptedFields.contains(name) != new?.encryptedFields.contains(name)
    case .words(nil):
      return old?.fields != new?.fields || old?.encryptedFields != new?.encryptedFields
    }
  }
}

extension FieldValue {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }
}
