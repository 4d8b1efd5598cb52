// Archives that Apple's framework wrote: system fields that an app kept, or whole records. They are read,
// not written. The names of classes and keys are those that archives in public show
// (`docs/differences.md`); a reference was in none of them. `AppleShareArchive.swift` has shares.

import BrumeModel
package import Foundation

/// The keys of Apple's archives, as far as they are read.
enum AppleKey {
  static let recordType = "RecordType"
  static let recordID = "RecordID"
  static let recordName = "RecordName"
  static let zoneID = "ZoneID"
  static let zoneName = "ZoneName"
  static let referenceAction = "ReferenceAction"
  static let assetFile = "AssetFileURL"
  static let shareReference = "ShareReference"
  static let participantID = "ParticipantID"
}

/// What a record of Apple's keeps its fields in: the values, what they were, and which of them changed.
package final class AppleRecordValues: NSObject, NSSecureCoding {
  /// Always true.
  package static var supportsSecureCoding: Bool { true }
  let values: [CKRecord.FieldKey: any __CKRecordObjCValue]
  let originals: [CKRecord.FieldKey: any __CKRecordObjCValue]
  let changes: Set<CKRecord.FieldKey>

  /// Reads the values from an archive; what is missing is empty.
  package required init?(coder: NSCoder) {
    values = CKRecord.values(coder, "RecordValues")
    originals = CKRecord.values(coder, "OriginalValues")
    let key = "ChangedKeys"
    let changed =
      coder.containsValue(forKey: key)
      ? coder.decodeObject(of: [NSSet.self, NSString.self], forKey: key) as? NSSet : nil
    changes = Set((changed?.allObjects ?? []).map { String(describing: $0) })
  }

  /// Writes nothing: Apple's form is only read.
  package func encode(with coder: NSCoder) {}
}

/// The classes behind the names in Apple's archives.
var appleNames: [(String, AnyClass)] {
  [
    ("CKRecord", CKRecord.self), ("CKRecordID", CKRecord.ID.self),
    ("CKRecordZoneID", CKRecordZone.ID.self), ("CKReference", CKRecord.Reference.self),
    ("CKAsset", CKAsset.self), ("CKRecordValueStore", AppleRecordValues.self),
    ("CKEncryptedRecordValueStore", AppleRecordValues.self), ("CLLocation", CLLocation.self),
    ("CKRecordZone", CKRecordZone.self), ("CKServerChangeToken", CKServerChangeToken.self),
    ("CKQueryCursor", CKQueryOperation.Cursor.self), ("CKShare", CKShare.self),
    ("CKShareParticipant", CKShare.Participant.self), ("CKShareMetadata", CKShare.Metadata.self),
    ("CKUserIdentity", CKUserIdentity.self), ("CKContainerID", AppleContainerID.self),
    ("CKUserIdentityLookupInfo", CKUserIdentity.LookupInfo.self),
  ]
}

extension CKRecord {
  /// Takes what an archive of Apple's holds, system fields and, if they are there, fields.
  func decodeApples(_ coder: NSCoder) {
    recordChangeTag = coder.text("ETag")
    creationDate = coder.object(NSDate.self, "RecordCtime").flatMap { Date($0) }
    modificationDate = coder.object(NSDate.self, "RecordMtime").flatMap { Date($0) }
    creatorUserRecordID = coder.object(CKRecord.ID.self, "CreatorUserRecordID")
    lastModifiedUserRecordID = coder.object(CKRecord.ID.self, "LastModifiedUserRecordID")
    share = coder.object(CKRecord.Reference.self, AppleKey.shareReference)
    parentReference = Self.parent(coder, "ParentReference")
    parentChanged = coder.decodeBool(forKey: "HasUpdatedParentReference")
    take(coder.object(AppleRecordValues.self, "ValueStore"), isEncrypted: false)
    take(coder.object(AppleRecordValues.self, "EncryptedValueStore"), isEncrypted: true)
  }

  private func take(_ archived: AppleRecordValues?, isEncrypted: Bool) {
    guard let archived else { return }
    change { contents in
      contents.fields.merge(archived.values) { $1 }
      contents.originals.merge(archived.originals) { $1 }
      contents.changes.formUnion(archived.changes)
      guard isEncrypted else { return }
      contents.encryptedKeys.formUnion(archived.values.keys)
      contents.encryptedKeys.formUnion(archived.changes)
    }
  }
}

extension Date {
  /// Nil for what is no date.
  fileprivate init?(_ date: NSDate) {
    self.init(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    if Milliseconds(within: self) == nil { return nil }
  }
}

extension NSCoder {
  /// The file that an asset of Apple's names.
  var appleFile: URL? {
    object(NSURL.self, AppleKey.assetFile)?.path.map { URL(fileURLWithPath: $0) }
  }
}
