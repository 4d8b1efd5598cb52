// The record of a change as subscriptions are judged on it: the image that the log kept, else the record as it is
// now, which is said.

import BrumeCore
import BrumeModel
import BrumeStorage

struct TracedRecord {
  let image: Record?
  /// Whether it is the state of the change, not today's.
  let isRecorded: Bool
  /// Which fields `self CONTAINS` looks at.
  let searchable: Set<String>

  init(
    of entry: LogEntry, _ schemas: SchemaCache, _ transaction: any ReadTransaction
  ) throws {
    guard case .record(let change) = entry.event else {
      (image, isRecorded, searchable) = (nil, true, [])
      return
    }
    let recorded = change.image.flatMap { $0.isUnreadable ? nil : $0 }
    isRecorded = recorded != nil
    let known = try recorded ?? transaction.records.find(change.record)
    image = try known.flatMap { $0.isUnreadable ? nil : try $0.record() }
    var fields = SearchableFields()
    try fields.learn(change.recordType, entry.database, schemas, transaction)
    searchable = fields.names(change.recordType, entry.database)
  }
}

extension Audience {
  /// The users whose shared database shows a change, by who takes part now.
  static func readers(
    of entry: LogEntry, in transaction: any ReadTransaction
  ) throws -> Set<UserID> {
    switch entry.event {
    case .record(let change):
      readers(of: entry, among: try transaction.shares.memberships(in: change.record.zone))
    case .zoneDeleted(let zone):
      readers(of: entry, among: try transaction.shares.memberships(in: zone))
    case .membership, .zoneCreated, .subscription: readers(of: entry, among: [])
    }
  }
}
