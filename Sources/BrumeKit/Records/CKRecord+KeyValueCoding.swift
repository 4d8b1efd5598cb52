// Foundation on Linux has no key-value coding, which old CloudKit code uses to read and write fields:
// `record.setValue(name, forKey: "name")`. Here it is for records, on which it means the fields.

public import Foundation

#if !canImport(ObjectiveC)
  extension CKRecord {
    /// The value of a field that is not encrypted, or nil. The same as ``object(forKey:)``.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Sets a field, or removes it with nil.
    ///
    /// - Precondition: the value is one that fields can hold; see ``CKRecordValueProtocol``.
    public func setValue(_ value: Any?, forKey key: String) {
      setObject(value.map { knownFieldObject($0) }, forKey: key)
    }

    /// Sets several fields; `NSNull` removes one.
    ///
    /// - Precondition: the values are ones that fields can hold; see ``CKRecordValueProtocol``.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
      for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// The values of several fields by key; `NSNull` for those without one.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
      Dictionary(
        keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// What objects of Foundation have, for values whose type is only known to be a field's.
  extension __CKRecordObjCValue {
    /// Whether a field would hold the same value.
    public func isEqual(_ object: Any?) -> Bool {
      guard let object, let other = fieldObject(object) as? NSObject else { return false }
      return (fieldObject(self) as? NSObject)?.isEqual(other) ?? false
    }

    /// A hash that agrees with ``isEqual(_:)``.
    public var hash: Int { (fieldObject(self) as? NSObject)?.hash ?? 0 }
  }
#endif
