// Reading and writing fields by key: the three subscripts of Apple's framework.

/// A thing whose values are read and written by key: a record, or its encrypted values.
public protocol CKRecordKeyValueSetting: AnyObject {
  /// The value of a field, or nil.
  func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)?
  /// Sets a field, or removes it with nil.
  func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey)
  /// The value of a field. Setting nil removes it.
  subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? { get set }
  /// The fields that have a value.
  func allKeys() -> [CKRecord.FieldKey]
  /// The fields that changed since the record was fetched or saved.
  func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
  /// The value of a field as a certain type; nil if there is none, or if it is of another type.
  public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
    get { object(forKey: key).flatMap { $0 as? T } }
    set { setObject(newValue.map { knownFieldObject($0) }, forKey: key) }
  }

  /// The value of a field. Setting nil removes it.
  public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
    get { object(forKey: key).flatMap { $0 as? any CKRecordValueProtocol } }
    set { setObject(newValue.map { knownFieldObject($0) }, forKey: key) }
  }
}
