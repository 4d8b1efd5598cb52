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
  /// Becomes what the server says. Nothing counts as changed afterwards, but what was set after the save that the
  /// server answers.
  @discardableResult
  func take(
    _ record: Record, from viewpoint: Viewpoint, after sent: SentRecord? = nil
  ) -> CKRecord {
    var answer = Contents(record, of: recordID, from: viewpoint)
    if let sent { answer.keepFiles(sent.files) }
    change { contents in
      let now = contents
      contents = answer
      if let sent { contents.keepChanges(of: now, since: sent.contents) }
    }
    (self as? CKShare)?.takeShare(record, from: viewpoint, after: sent?.share)
    return self
  }

  /// What saving this record asks of the server.
  ///
  /// - Parameter contents: of this record; nil: as they are now.
  func saveOperation(
    _ policy: SavePolicy, of contents: Contents? = nil
  ) throws -> RecordOperation {
    let contents = contents ?? self.contents
    let kind: RecordOperation.Kind =
      switch policy {
      case .ifServerRecordUnchanged: contents.recordChangeTag == nil ? .create : .update
      case .changedKeys, .allKeys: .forceUpdate
      }
    return RecordOperation(kind, try draft(policy, of: contents))
  }

  /// The record as an operation's content: every key, or those that changed.
  func draft(_ policy: SavePolicy, of contents: Contents? = nil) throws -> RecordDraft {
    let contents = contents ?? self.contents
    let zone = ZoneID(recordID.zoneID)
    let isOwn = zone.ownerName == nil
    var draft = RecordDraft(
      name: recordID.recordName, type: recordType, changeTag: contents.recordChangeTag, zone: zone)
    for key in contents.keysToSend(policy) {
      let value = try contents.fields[key].map { try FieldValue($0, key: key) }
      draft.fields[key] = DraftField(
        isOwn ? value : value?.namingOwners, isEncrypted: contents.encryptedKeys.contains(key))
    }
    if contents.parentChanged || policy == .allKeys { draft.parent = contents.parentChange }
    if !isOwn, case .set(let parent) = draft.parent { draft.parent = .set(parent.namingOwner) }
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
}

extension CKRecord.Contents {
  /// What the server says of a record.
  fileprivate init(_ record: Record, of id: CKRecord.ID, from viewpoint: Viewpoint) {
    func user(_ stamp: Stamp?) -> CKRecord.ID? {
      stamp.map { CKRecord.ID(user: $0.user, in: record.zone, from: viewpoint) }
    }
    func sibling(_ name: String?) -> CKRecord.Reference? {
      name.map {
        CKRecord.Reference(
          recordID: CKRecord.ID(recordName: $0, zoneID: id.zoneID), action: .none)
      }
    }
    self.init()
    recordChangeTag = record.changeTag.isEmpty ? nil : record.changeTag
    creationDate = record.created?.time.date
    modificationDate = record.modified?.time.date
    creatorUserRecordID = user(record.created)
    lastModifiedUserRecordID = user(record.modified)
    me = viewpoint.me(in: record.zone)
    share = sibling(record.share)
    parent = sibling(record.parent)
    fields = record.fields.mapValues { $0.object(in: record.zone, from: viewpoint) }
    encryptedKeys = record.encryptedFields
  }

  /// The fields that a save sends. Of those that did not change, assets without a file here are left out: the server may
  /// hold another file by now, or none, and takes nothing else than a file for it.
  func keysToSend(_ policy: SavePolicy) -> Set<CKRecord.FieldKey> {
    guard policy == .allKeys else { return changes }
    let lacking = assetsBySpot.filter { !$0.value.hasFile }.map(\.key.key)
    return Set(fields.keys).subtracting(lacking).union(changes)
  }

  /// What was set since a save was sent stays as it is, and is sent with the next one.
  fileprivate mutating func keepChanges(of now: CKRecord.Contents, since sent: CKRecord.Contents) {
    for key in now.changes where !sent.changes.contains(key) || now.differs(from: sent, in: key) {
      changes.insert(key)
      originals[key] = fields[key]
      fields[key] = now.fields[key]
      encryptedKeys.remove(key)
      if now.encryptedKeys.contains(key) { encryptedKeys.insert(key) }
    }
    guard now.parentChanged, !sent.parentChanged || now.parent != sent.parent else { return }
    originalParent = parent
    parent = now.parent
    parentChanged = true
  }

  /// Whether a field was set to another object.
  private func differs(from other: CKRecord.Contents, in key: CKRecord.FieldKey) -> Bool {
    encryptedKeys.contains(key) != other.encryptedKeys.contains(key)
      || fields[key].map { $0 as AnyObject } !== other.fields[key].map { $0 as AnyObject }
  }

  fileprivate var parentChange: RecordDraft.ParentChange {
    guard let parent else { return parentChanged ? .cleared : .unchanged }
    return .set(
      BrumeModel.Reference(
        recordName: parent.recordID.recordName, zone: ZoneID(parent.recordID.zoneID)))
  }
}

extension FieldValue {
  /// With references that say so where their zone is the current user's: the server takes a zone without an
  /// owner for that of the record (case REF-03).
  fileprivate var namingOwners: FieldValue {
    switch self {
    case .reference(let reference): .reference(reference.namingOwner)
    case .list(let values, of: .reference): .list(values.map(\.namingOwners), of: .reference)
    default: self
    }
  }
}

extension Reference {
  fileprivate var namingOwner: Reference {
    guard let zone, zone.ownerName == nil else { return self }
    var named = self
    named.zone = ZoneID(name: zone.name, ownerName: CKCurrentUserDefaultName)
    return named
  }
}

/// What a save sends of a record, which the app may change meanwhile.
struct SentRecord {
  let contents: CKRecord.Contents
  /// The local files, by their places.
  let files: [AssetSpot: SentFile]
  /// What a share has beside fields.
  let share: CKShare.Details?

  init(
    _ contents: CKRecord.Contents, _ share: CKShare.Details? = nil, as operation: RecordOperation
  ) {
    self.contents = contents
    self.share = share
    files = contents.assetsBySpot.reduce(into: [:]) { files, item in
      guard let file = item.value.fileURL,
        let stored = operation.asset(at: item.key) ?? item.value.stored
      else { return }
      files[item.key] = SentFile(checksum: stored.fileChecksum, url: file)
    }
  }
}

/// A local file, with the checksum that the server has for it after the save.
struct SentFile {
  let checksum: String
  let url: URL
}

extension RecordOperation {
  /// What deleting a record asks of the server: gone is gone, whoever changed it before.
  init(deleting id: CKRecord.ID) {
    self.init(.forceDelete, RecordDraft(name: id.recordName, zone: ZoneID(id.zoneID)))
  }
}
