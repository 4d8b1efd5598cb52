// A record in an archive: system fields alone, for keeping beside one's own data, or all of it.

public import Foundation

extension CKRecord {
  /// Writes everything but the fields: ID, type, change tag, dates, users, parent and share.
  ///
  /// A record read back from it has no fields and no changes, and can be saved over the server's.
  public func encodeSystemFields(with coder: NSCoder) {
    coder.encodeText(recordType, "recordType")
    coder.encode(recordID, forKey: "recordID")
    coder.encodeText(recordChangeTag, "recordChangeTag")
    coder.encodeDate(creationDate, "creationDate")
    coder.encodeDate(modificationDate, "modificationDate")
    if let user = creatorUserRecordID { coder.encode(user, forKey: "creatorUserRecordID") }
    if let user = lastModifiedUserRecordID {
      coder.encode(user, forKey: "lastModifiedUserRecordID")
    }
    coder.encodeText(contents.me, "me")
    if let share { coder.encode(share, forKey: "share") }
    if let parentReference { coder.encode(parentReference, forKey: "parent") }
  }

  func decodeSystemFields(_ coder: NSCoder) {
    recordChangeTag = coder.text("recordChangeTag")
    creationDate = coder.date("creationDate")
    modificationDate = coder.date("modificationDate")
    creatorUserRecordID = coder.object(CKRecord.ID.self, "creatorUserRecordID")
    lastModifiedUserRecordID = coder.object(CKRecord.ID.self, "lastModifiedUserRecordID")
    let me = coder.text("me")
    change { $0.me = me }
    share = coder.object(CKRecord.Reference.self, "share")
    parentReference = coder.object(CKRecord.Reference.self, "parent")
  }

  func encodeFields(_ coder: NSCoder) {
    let contents = contents
    for (values, key) in [(contents.fields, "fields"), (contents.originals, "originals")] {
      let storable = values.filter { !Self.holdsAsset($0.value) }
      coder.encode(NSDictionary(dictionary: storable), forKey: key)
    }
    coder.encode(NSArray(array: encryptedKeys.sorted()), forKey: "encryptedKeys")
    coder.encode(NSArray(array: changes.sorted()), forKey: "changedKeys")
    coder.encode(parentChanged, forKey: "parentChanged")
  }

  /// Whether a field would be left out of an archive: files are no part of it.
  static func holdsAsset(_ value: Any) -> Bool {
    value is CKAsset || (value as? NSArray)?.contains { $0 is CKAsset } ?? false
  }

  func decodeFields(_ coder: NSCoder) {
    guard coder.containsValue(forKey: "fields") else { return }
    fields = Self.values(coder, "fields")
    let originals = Self.values(coder, "originals")
    change { $0.originals = originals }
    encryptedKeys = Set(coder.texts("encryptedKeys"))
    changes = Set(coder.texts("changedKeys"))
    parentChanged = coder.decodeBool(forKey: "parentChanged")
  }

  private static func values(
    _ coder: NSCoder, _ key: String
  ) -> [FieldKey: any __CKRecordObjCValue] {
    guard coder.containsValue(forKey: key) else { return [:] }
    let classes: [AnyClass] = [
      NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
      CKRecord.Reference.self, CKRecord.ID.self, CKRecordZone.ID.self, CLLocation.self,
    ]
    let values = coder.decodeObject(of: classes, forKey: key) as? [String: Any] ?? [:]
    return values.compactMapValues(fieldObject)
  }
}
