// A record on the client: fields by key, which of them changed, and what the server says about it.
// Turning it into what the server understands, and back, is `Conversions/RecordConversion.swift`.

public import Foundation
import Synchronization

// Sendable because everything that can change is behind a mutex.
/// A record: named fields of a certain type, kept in a zone.
///
/// A record may go from task to task, as Apple's may since its headers of 2023. Two tasks that
/// change one record at the same time lose nothing, but do not know of each other. What is set while
/// the record is being saved, fields, parent, and who takes part in a share, stays and is sent with
/// the next save.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, CKRecordKeyValueSetting,
  @unchecked Sendable
{
  /// The name of a record type.
  public typealias RecordType = String
  /// The name of a field.
  public typealias FieldKey = String

  /// The kind of the record. Types are created by saving, in development.
  open var recordType: CKRecord.RecordType { type }
  private let type: CKRecord.RecordType
  /// The record's name and zone.
  open var recordID: CKRecord.ID { id }
  private let id: CKRecord.ID
  private let state = Mutex(Contents())

  /// Creates a record, to be saved.
  public init(recordType: CKRecord.RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
    precondition(!recordType.isEmpty, "a record type must not be empty")
    type = recordType
    id = recordID
  }

  /// Creates a record with a new random name, to be saved in a zone.
  @available(*, deprecated, message: "Use init(recordType:recordID:).")
  public convenience init(recordType: CKRecord.RecordType, zoneID: CKRecordZone.ID) {
    self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
  }

  /// Reads a record from an archive: a whole one, or one of system fields only. Archives that Apple's
  /// framework wrote are read too.
  public required init?(coder: NSCoder) {
    let isApples = coder.hasAppleRecord
    guard let type = coder.text(isApples ? AppleKey.recordType : "recordType"), !type.isEmpty,
      let id = coder.object(CKRecord.ID.self, isApples ? AppleKey.recordID : "recordID")
    else { return nil }
    self.type = type
    self.id = id
    super.init()
    decodeContents(coder)
  }

  /// Writes the whole record into an archive.
  open func encode(with coder: NSCoder) {
    encodeSystemFields(with: coder)
    encodeFields(coder)
  }

  /// Writes everything but the fields: ID, type, change tag, dates, users, parent and share.
  ///
  /// A record read back from it has no fields and no changes, and can be saved over the server's.
  open func encodeSystemFields(with coder: NSCoder) {
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

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// A record with the same ID, fields and changes, independent of this one.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKRecord(recordType: recordType, recordID: recordID)
    copy.takeEverything(from: self)
    return copy
  }

  // MARK: What the server says

  /// Changes with each save on the server; nil before the first.
  open internal(set) var recordChangeTag: String? {
    get { contents.recordChangeTag }
    set { change { $0.recordChangeTag = newValue } }
  }
  /// Who saved the record first.
  open internal(set) var creatorUserRecordID: CKRecord.ID? {
    get { contents.creatorUserRecordID }
    set { change { $0.creatorUserRecordID = newValue } }
  }
  /// When the record was saved first.
  open internal(set) var creationDate: Date? {
    get { contents.creationDate }
    set { change { $0.creationDate = newValue } }
  }
  /// Who saved the record last.
  open internal(set) var lastModifiedUserRecordID: CKRecord.ID? {
    get { contents.lastModifiedUserRecordID }
    set { change { $0.lastModifiedUserRecordID = newValue } }
  }
  /// When the record was saved last.
  open internal(set) var modificationDate: Date? {
    get { contents.modificationDate }
    set { change { $0.modificationDate = newValue } }
  }
  /// The share whose root this record is.
  open internal(set) var share: CKRecord.Reference? {
    get { contents.share }
    set { change { $0.share = newValue } }
  }

  // MARK: The hierarchy

  /// The record above this one in a hierarchy that is shared together. Its action must be `.none`.
  open var parent: CKRecord.Reference? {
    get { contents.parent }
    set {
      precondition(
        newValue == nil || newValue?.action == CKRecord.ReferenceAction.none,
        "a parent reference must have the action .none")
      change {
        if !$0.parentChanged { $0.originalParent = $0.parent }
        $0.parent = newValue
        $0.parentChanged = true
      }
    }
  }

  /// Makes another record the parent; nil takes the parent away.
  open func setParent(_ parentRecord: CKRecord?) {
    setParent(parentRecord?.recordID)
  }

  /// Makes the record with an ID the parent; nil takes the parent away.
  open func setParent(_ parentRecordID: CKRecord.ID?) {
    parent = parentRecordID.map { Reference(recordID: $0, action: .none) }
  }

  // MARK: Fields

  /// The value of a field that is not encrypted, or nil.
  @_disfavoredOverload
  open func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    contents.value(key, isEncrypted: false)
  }

  /// Sets a field, or removes it with nil.
  open func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
    set(object, forKey: key, isEncrypted: false)
  }

  // Disfavoured as `object(forKey:)` is: see `CKRecordKeyValueSetting`.
  /// The value of a field that is not encrypted. Setting nil removes it.
  @_disfavoredOverload
  open subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }

  /// The fields that have a value, encrypted ones not included.
  open func allKeys() -> [CKRecord.FieldKey] {
    let contents = contents
    return contents.fields.keys.filter { !contents.encryptedKeys.contains($0) }
  }

  /// The fields that were set since the record was fetched or saved, encrypted ones included.
  open func changedKeys() -> [CKRecord.FieldKey] { Array(changes) }

  /// The words of the record's texts and lists of texts, for a search of one's own. Encrypted fields
  /// have none: nothing searches them.
  open func allTokens() -> [String] {
    let contents = contents
    var words: Set<String> = []
    let texts = contents.fields.filter { !contents.encryptedKeys.contains($0.key) }.values
      .flatMap { value -> [Any] in (value as? NSArray).map { Array($0) } ?? [value] }
      .compactMap { $0 as? NSString ?? ($0 as? String).map { NSString(string: $0) } }
    for text in texts {
      let parts = String(describing: text).lowercased().split { !$0.isLetter && !$0.isNumber }
      words.formUnion(parts.map(String.init))
    }
    return words.sorted()
  }

  /// The fields that the server keeps encrypted. They are none of the record's others: setting nil there
  /// removes nothing here, nor the reverse.
  open var encryptedValues: any CKRecordKeyValueSetting & Sendable { EncryptedValues(of: self) }

  /// A text for logs and debuggers.
  open override var description: String {
    "<CKRecord: recordType=\(recordType), recordID=\(recordID), tag=\(recordChangeTag ?? "none"), "
      + "keys=\(fields.keys.sorted())>"
  }
}

extension CKRecord {
  // Sendable because the objects that are values never change once they are in a field.
  /// What can change in a record.
  struct Contents: @unchecked Sendable {
    var recordChangeTag: String?
    var creatorUserRecordID: CKRecord.ID?
    var creationDate: Date?
    var lastModifiedUserRecordID: CKRecord.ID?
    var modificationDate: Date?
    /// The record name of the user whom the record shows as `CKCurrentUserDefaultName`, if known.
    var me: String?
    var share: CKRecord.Reference?
    var parent: CKRecord.Reference?
    var parentChanged = false
    /// What the parent was when the record was fetched or saved, if it changed since.
    var originalParent: CKRecord.Reference?
    var fields: [FieldKey: any __CKRecordObjCValue] = [:]
    /// The keys of fields that are kept encrypted.
    var encryptedKeys: Set<FieldKey> = []
    var changes: Set<FieldKey> = []
    /// What the changed fields held when the record was fetched or saved: the ancestor of a conflict.
    var originals: [FieldKey: any __CKRecordObjCValue] = [:]

    func value(_ key: FieldKey, isEncrypted: Bool) -> (any __CKRecordObjCValue)? {
      encryptedKeys.contains(key) == isEncrypted ? fields[key] : nil
    }
  }

  /// All of it as it is now.
  var contents: Contents { state.withLock { $0 } }

  /// Changes some of it, with nobody in between.
  func change(_ body: (inout Contents) -> Void) { state.withLock { body(&$0) } }

  /// Sets a field and remembers that it changed. Nil removes nothing that the other view holds or has
  /// removed: neither shows what is in the other.
  func set(_ object: (any __CKRecordObjCValue)?, forKey key: FieldKey, isEncrypted: Bool) {
    let value = object.map { knownFieldObject($0) }
    change { contents in
      let isOthers = contents.encryptedKeys.contains(key) != isEncrypted
      let isKnown = contents.fields[key] != nil || contents.changes.contains(key)
      if value == nil, isOthers, isKnown { return }
      if contents.changes.insert(key).inserted { contents.originals[key] = contents.fields[key] }
      contents.fields[key] = value
      if isEncrypted {
        contents.encryptedKeys.insert(key)
      } else {
        contents.encryptedKeys.remove(key)
      }
    }
  }

  /// Becomes equal to another record of the same type and ID.
  func takeEverything(from other: CKRecord) {
    let theirs = other.contents
    change { $0 = theirs }
  }
}

/// A record's fields that are kept encrypted, by key.
private final class EncryptedValues: CKRecordKeyValueSetting, Sendable {
  private let record: CKRecord
  init(of record: CKRecord) { self.record = record }

  func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    record.contents.value(key, isEncrypted: true)
  }
  func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
    record.set(object, forKey: key, isEncrypted: true)
  }
  subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
    get { object(forKey: key) }
    set { setObject(newValue, forKey: key) }
  }
  func allKeys() -> [CKRecord.FieldKey] {
    let contents = record.contents
    return contents.fields.keys.filter { contents.encryptedKeys.contains($0) }
  }
  func changedKeys() -> [CKRecord.FieldKey] {
    let contents = record.contents
    return contents.changes.filter { contents.encryptedKeys.contains($0) }
  }
}
