// A record in an archive: system fields alone, for keeping beside one's own data, or all of it.

import Foundation

extension CKRecord {
  /// Takes what an archive holds, ours or one of Apple's.
  func decodeContents(_ coder: NSCoder) {
    guard !coder.hasAppleRecord else { return decodeApples(coder) }
    decodeSystemFields(coder)
    decodeFields(coder)
  }

  private func decodeSystemFields(_ coder: NSCoder) {
    recordChangeTag = coder.text("recordChangeTag")
    creationDate = coder.date("creationDate")
    modificationDate = coder.date("modificationDate")
    creatorUserRecordID = coder.object(CKRecord.ID.self, "creatorUserRecordID")
    lastModifiedUserRecordID = coder.object(CKRecord.ID.self, "lastModifiedUserRecordID")
    let me = coder.text("me")
    change { $0.me = me }
    share = coder.object(CKRecord.Reference.self, "share")
    parentReference = Self.parent(coder, "parent")
  }

  /// A parent from an archive. ``parent`` takes none that has an action, so that one read with it could not be given to
  /// another record.
  static func parent(_ coder: NSCoder, _ key: String) -> Reference? {
    coder.object(Reference.self, key).map {
      Reference(recordID: $0.recordID, action: ReferenceAction.none)
    }
  }

  func encodeFields(_ coder: NSCoder) {
    let contents = contents
    for (values, key) in [(contents.fields, "fields"), (contents.originals, "originals")] {
      let kept = values.mapValues { ArchivedText.kept($0) }
      coder.encode(NSDictionary(dictionary: kept), forKey: key)
    }
    coder.encode(NSArray(array: encryptedKeys.sorted()), forKey: "encryptedKeys")
    coder.encode(NSArray(array: changes.sorted()), forKey: "changedKeys")
    coder.encode(parentChanged, forKey: "parentChanged")
    if let original = contents.originalParent { coder.encode(original, forKey: "originalParent") }
  }

  private func decodeFields(_ coder: NSCoder) {
    guard coder.containsValue(forKey: "fields") else { return }
    fields = Self.values(coder, "fields")
    let originals = Self.values(coder, "originals")
    change { $0.originals = originals }
    encryptedKeys = Set(coder.texts("encryptedKeys"))
    changes = Set(coder.texts("changedKeys"))
    parentChanged = coder.decodeBool(forKey: "parentChanged")
    let originalParent = Self.parent(coder, "originalParent")
    change { $0.originalParent = originalParent }
  }

  /// Fields from an archive. What is no value of a field, such as the null of a field that was not there,
  /// is left out. So is a list in a list: Foundation on Linux takes minutes to archive a deep one again.
  static func values(
    _ coder: NSCoder, _ key: String
  ) -> [FieldKey: any __CKRecordObjCValue] {
    guard coder.containsValue(forKey: key) else { return [:] }
    let classes: [AnyClass] = [
      NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
      NSNull.self, CKRecord.Reference.self, CKRecord.ID.self, CKRecordZone.ID.self,
      CLLocation.self, CKAsset.self, ArchivedText.self,
    ]
    let values = coder.decodeObject(of: classes, forKey: key) as? [String: Any] ?? [:]
    return values.compactMapValues { value in
      let hasLists = (value as? NSArray)?.contains { $0 is NSArray } ?? false
      return hasLists ? nil : fieldObject(ArchivedText.restored(value))
    }
  }
}
