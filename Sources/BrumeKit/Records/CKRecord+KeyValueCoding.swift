// Foundation on Linux has no key-value coding, which old CloudKit code uses to read and write fields:
// `record.setValue(name, forKey: "name")`. Here it is for records, on which it means the fields.

import Foundation

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

    /// The value at a path: a field, `@count` of a field that holds a list, or what a field that
    /// holds a reference leads to by `recordID` and `recordID.recordName`. Nil for other paths,
    /// where Apple's systems raise an exception.
    public func value(forKeyPath keyPath: String) -> Any? {
      let parts = keyPath.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let field = object(forKey: String(parts[0])), parts.count == 2 else {
        return parts.count == 1 ? value(forKey: keyPath) : nil
      }
      let reference = field as? CKRecord.Reference
      switch parts[1] {
      case "@count": return (field as? [Any])?.count ?? (field as? NSArray)?.count
      case "recordID": return reference?.recordID
      case "recordID.recordName": return reference?.recordID.recordName
      default: return nil
      }
    }

    /// Sets a field: the same as ``setValue(_:forKey:)``.
    ///
    /// - Precondition: the path is one key. What fields hold cannot be changed in place.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
      precondition(!keyPath.contains("."), "'\(keyPath)' leads into a field; set the whole field")
      setValue(value, forKey: keyPath)
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
  extension CKRecordValue {
    /// Whether a field would hold the same value.
    public func isEqual(_ object: Any?) -> Bool {
      guard let object, let other = fieldObject(object) as? NSObject else { return false }
      return (fieldObject(self) as? NSObject)?.isEqual(other) ?? false
    }

    /// A hash that agrees with ``isEqual(_:)``.
    // Foundation's strings have one of their own, which is meant by `"text".hash`.
    @_disfavoredOverload public var hash: Int { (fieldObject(self) as? NSObject)?.hash ?? 0 }
  }
#endif
