// Reading and writing fields by key: the three subscripts of Apple's framework.

/// A thing whose values are read and written by key: a record, or its encrypted values.
public protocol CKRecordKeyValueSetting: AnyObject {
  /// The value of a field, or nil.
  @_disfavoredOverload
  func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)?
  /// Sets a field, or removes it with nil.
  func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey)
  /// The value of a field. Setting nil removes it.
  @_disfavoredOverload
  subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? { get set }
  /// The fields that have a value.
  func allKeys() -> [CKRecord.FieldKey]
  /// The fields that changed since the record was fetched or saved.
  func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
  // Preferred to the form above, so that `as? String` looks at Swift's values: the compiler would warn
  // that no object of Foundation is a String, though at run time it is bridged.
  /// The value of a field, or nil.
  public func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)? {
    let object: (any __CKRecordObjCValue)? = object(forKey: key)
    return object
  }

  /// Sets a field, or removes it with nil.
  public func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey) {
    let known: (any __CKRecordObjCValue)? = object.map { knownFieldObject($0) }
    setObject(known, forKey: key)
  }

  /// The value of a field as a certain type; nil if there is none, or if it is of another type.
  public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
    get { object(forKey: key).flatMap { $0 as? T } }
    set { setObject(newValue.map { knownFieldObject($0) }, forKey: key) }
  }

  // What a field is read as where nothing asks for a type, so that it can be handed on as a CKRecordValue.
  /// The value of a field. Setting nil removes it.
  public subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? {
    get { object(forKey: key) }
    set { setObject(newValue.map { knownFieldObject($0) }, forKey: key) }
  }

  /// The value of a field. Setting nil removes it.
  @_disfavoredOverload
  public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
    get { object(forKey: key) }
    set { setObject(newValue.map { knownFieldObject($0) }, forKey: key) }
  }
}
