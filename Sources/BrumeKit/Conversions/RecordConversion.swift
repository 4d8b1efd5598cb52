// `CKRecord` ↔ the model's `Record` and `RecordDraft`. The only place where a record changes form.

import BrumeModel
import Foundation

/// What a save sends and how it compares change tags (cases SAV-03 to SAV-11).
enum SavePolicy: Sendable {
  case ifServerRecordUnchanged, changedKeys, allKeys
}

/// The record as CloudKit's class for it: a share for shares, a plain record otherwise.
func makeRecord(_ record: Record, from viewpoint: Viewpoint) -> CKRecord {
  let id = CKRecord.ID(RecordID(name: record.name, zone: record.zone), from: viewpoint)
  let made = record.isShare ? CKShare(shareID: id) : CKRecord(recordType: record.type, recordID: id)
  made.take(record, from: viewpoint)
  return made
}

extension CKRecord {
  /// Becomes what the server says. Nothing counts as changed afterwards.
  @discardableResult
  func take(_ record: Record, from viewpoint: Viewpoint) -> CKRecord {
    fields = record.fields.mapValues { $0.object(in: record.zone, from: viewpoint) }
    encryptedKeys = record.encryptedFields
    takeSystemFields(record, from: viewpoint)
    (self as? CKShare)?.takeShare(record, from: viewpoint)
    return self
  }

  private func takeSystemFields(_ record: Record, from viewpoint: Viewpoint) {
    func user(_ stamp: Stamp?) -> CKRecord.ID? {
      stamp.map { CKRecord.ID(user: $0.user, in: record.zone, from: viewpoint) }
    }
    func sibling(_ name: String?) -> Reference? {
      name.map {
        Reference(
          recordID: CKRecord.ID(recordName: $0, zoneID: recordID.zoneID),
          action: ReferenceAction.none)
      }
    }
    recordChangeTag = record.changeTag.isEmpty ? nil : record.changeTag
    creationDate = record.created?.time.date
    modificationDate = record.modified?.time.date
    creatorUserRecordID = user(record.created)
    lastModifiedUserRecordID = user(record.modified)
    let me = viewpoint.me(in: record.zone)
    share = sibling(record.share)
    parentReference = sibling(record.parent)
    parentChanged = false
    change { contents in
      contents.me = me
      contents.changes = []
      contents.originals = [:]
    }
  }

  /// What saving this record asks of the server.
  func saveOperation(_ policy: SavePolicy) throws -> RecordOperation {
    let kind: RecordOperation.Kind =
      switch policy {
      case .ifServerRecordUnchanged: recordChangeTag == nil ? .create : .update
      case .changedKeys, .allKeys: .forceUpdate
      }
    return RecordOperation(kind, try draft(policy))
  }

  /// The record as an operation's content: every key, or those that changed.
  func draft(_ policy: SavePolicy) throws -> RecordDraft {
    var draft = RecordDraft(
      name: recordID.recordName, type: recordType, changeTag: recordChangeTag,
      zone: ZoneID(recordID.zoneID))
    let keys = policy == .allKeys ? Set(fields.keys).union(changes) : changes
    for key in keys {
      let value = try fields[key].map { try FieldValue($0, key: key) }
      draft.fields[key] = DraftField(value, isEncrypted: encryptedKeys.contains(key))
    }
    if parentChanged || policy == .allKeys { draft.parent = parentChange }
    (self as? CKShare)?.complete(&draft)
    return draft
  }

  /// The record as a value, for evaluating predicates here.
  func model() throws -> Record {
    let me = contents.me
    func stamp(_ date: Date?, _ user: CKRecord.ID?) -> Stamp? {
      date.map {
        let shown = user?.recordName ?? ""
        let name = UserID.aliases.contains(shown) ? me ?? CKCurrentUserDefaultName : shown
        return Stamp(time: Milliseconds($0), user: UserID(name), device: "")
      }
    }
    return Record(
      name: recordID.recordName, zone: ZoneID(recordID.zoneID), type: recordType,
      changeTag: recordChangeTag ?? "",
      fields: try Dictionary(
        uniqueKeysWithValues: fields.map { ($0, try FieldValue($1, key: $0)) }),
      encryptedFields: encryptedKeys, created: stamp(creationDate, creatorUserRecordID),
      modified: stamp(modificationDate, lastModifiedUserRecordID),
      parent: parentReference?.recordID.recordName, share: share?.recordID.recordName)
  }

  private var parentChange: RecordDraft.ParentChange {
    guard let parentReference else { return parentChanged ? .cleared : .unchanged }
    return .set(
      BrumeModel.Reference(
        recordName: parentReference.recordID.recordName,
        zone: ZoneID(parentReference.recordID.zoneID), action: .validate))
  }
}

extension RecordOperation {
  /// What deleting a record asks of the server: gone is gone, whoever changed it before.
  init(deleting id: CKRecord.ID) {
    self.init(.forceDelete, RecordDraft(name: id.recordName, zone: ZoneID(id.zoneID)))
  }
}
