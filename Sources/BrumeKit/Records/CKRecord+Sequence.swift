// `for (key, value) in record`.

extension CKRecord: Sequence {
  /// A field's key and its value.
  public typealias Element = (CKRecord.FieldKey, any CKRecordValueProtocol)
  /// What walks over the fields.
  public typealias Iterator = CKRecordKeyValueIterator

  /// Walks over the fields that are not encrypted, in no certain order.
  public func makeIterator() -> CKRecordKeyValueIterator {
    CKRecordKeyValueIterator(record: self)
  }
}

/// Walks over the fields of a record.
public struct CKRecordKeyValueIterator: IteratorProtocol {
  /// A field's key and its value.
  public typealias Element = (CKRecord.FieldKey, any CKRecordValueProtocol)
  private var keys: [CKRecord.FieldKey]
  private let record: CKRecord

  init(record: CKRecord) {
    self.record = record
    keys = record.allKeys().sorted().reversed()
  }

  /// The next field, or nil after the last.
  public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
    while let key = keys.popLast() {
      if let value = record.object(forKey: key) { return (key, value) }
    }
    return nil
  }
}
