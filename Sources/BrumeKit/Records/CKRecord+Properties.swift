// A record's properties. All are kept in its `Contents`, behind one lock.

public import Foundation

extension CKRecord {
  /// Changes with each save on the server; nil before the first.
  public internal(set) var recordChangeTag: String? {
    get { contents.recordChangeTag }
    set { change { $0.recordChangeTag = newValue } }
  }
  /// Who saved the record first.
  public internal(set) var creatorUserRecordID: CKRecord.ID? {
    get { contents.creatorUserRecordID }
    set { change { $0.creatorUserRecordID = newValue } }
  }
  /// When the record was saved first.
  public internal(set) var creationDate: Date? {
    get { contents.creationDate }
    set { change { $0.creationDate = newValue } }
  }
  /// Who saved the record last.
  public internal(set) var lastModifiedUserRecordID: CKRecord.ID? {
    get { contents.lastModifiedUserRecordID }
    set { change { $0.lastModifiedUserRecordID = newValue } }
  }
  /// When the record was saved last.
  public internal(set) var modificationDate: Date? {
    get { contents.modificationDate }
    set { change { $0.modificationDate = newValue } }
  }
  /// The share whose root this record is.
  public internal(set) var share: CKRecord.Reference? {
    get { contents.share }
    set { change { $0.share = newValue } }
  }

  var parentReference: CKRecord.Reference? {
    get { contents.parent }
    set { change { $0.parent = newValue } }
  }
  var parentChanged: Bool {
    get { contents.parentChanged }
    set { change { $0.parentChanged = newValue } }
  }
  var fields: [FieldKey: any __CKRecordObjCValue] {
    get { contents.fields }
    set { change { $0.fields = newValue } }
  }
  /// The keys of fields that are kept encrypted.
  var encryptedKeys: Set<FieldKey> {
    get { contents.encryptedKeys }
    set { change { $0.encryptedKeys = newValue } }
  }
  var changes: Set<FieldKey> {
    get { contents.changes }
    set { change { $0.changes = newValue } }
  }
}
