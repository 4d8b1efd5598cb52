// Written for this suite, in the shape of the coders that people share: any Codable becomes a record
// and a record any Codable, by Swift's own keyed containers. They lean on casts between a field's
// value and a type that is only known to be Codable.

import CloudKit
import Foundation

/// The key under which a model keeps a record's system fields.
let systemFieldsKey = "systemFields"

enum RecordCodingError: Error, Equatable {
  case unsupported(key: String)
  case nested
}

struct RecordEncoder {
  var zoneID = CKRecordZone.default().zoneID

  func encode(_ value: some Encodable, as type: CKRecord.RecordType) throws -> CKRecord {
    let target = RecordTarget(CKRecord(recordType: type, recordID: CKRecord.ID(zoneID: zoneID)))
    try value.encode(to: FieldEncoder(target: target))
    return target.record
  }
}

struct RecordDecoder {
  func decode<Model: Decodable>(_ type: Model.Type, from record: CKRecord) throws -> Model {
    try Model(from: FieldDecoder(record: record))
  }
}

/// What is written to: system fields replace the record.
private final class RecordTarget {
  var record: CKRecord
  init(_ record: CKRecord) { self.record = record }
}

private struct FieldEncoder: Encoder {
  let target: RecordTarget
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> where Key: CodingKey {
    KeyedEncodingContainer(Fields(target: target))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("keys only") }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    preconditionFailure("keys only")
  }

  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: RecordTarget
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws { target.record[key.stringValue] = nil }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      if key.stringValue == systemFieldsKey, let data = value as? Data {
        let coder = try NSKeyedUnarchiver(forReadingFrom: data)
        coder.requiresSecureCoding = true
        if let record = CKRecord(coder: coder) { target.record = record }
        coder.finishDecoding()
      } else if let url = value as? URL {
        let field: any CKRecordValueProtocol =
          url.isFileURL ? CKAsset(fileURL: url) : url.absoluteString
        target.record[key.stringValue] = field
      } else if let field = value as? CKRecordValue {
        target.record[key.stringValue] = field
      } else {
        throw RecordCodingError.unsupported(key: key.stringValue)
      }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { preconditionFailure("records are flat") }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      preconditionFailure("records are flat")
    }
    mutating func superEncoder() -> any Encoder { FieldEncoder(target: target) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { FieldEncoder(target: target) }
  }
}

private struct FieldDecoder: Decoder {
  let record: CKRecord
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> where Key: CodingKey {
    KeyedDecodingContainer(Fields(record: record))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw RecordCodingError.nested }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw RecordCodingError.nested
  }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let record: CKRecord
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { record.allKeys().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool {
      key.stringValue == systemFieldsKey || record[key.stringValue] != nil
    }
    func decodeNil(forKey key: Key) throws -> Bool {
      key.stringValue != systemFieldsKey && record[key.stringValue] == nil
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      if key.stringValue == systemFieldsKey, let data = systemFields as? Value { return data }
      if type == URL.self {
        let asset = record[key.stringValue] as? CKAsset
        let url = asset?.fileURL ?? (record[key.stringValue] as? String).flatMap { URL(string: $0) }
        if let url = url as? Value { return url }
      }
      guard let value = record[key.stringValue] as? Value else {
        throw RecordCodingError.unsupported(key: key.stringValue)
      }
      return value
    }
    private var systemFields: Data {
      let coder = NSKeyedArchiver(requiringSecureCoding: true)
      record.encodeSystemFields(with: coder)
      coder.finishEncoding()
      return coder.encodedData
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw RecordCodingError.nested }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw RecordCodingError.nested
    }
    func superDecoder() throws -> any Decoder { FieldDecoder(record: record) }
    func superDecoder(forKey key: Key) throws -> any Decoder { FieldDecoder(record: record) }
  }
}

// MARK: Fields by the cases of an enum

extension CKRecord {
  subscript<Key: RawRepresentable>(key: Key) -> CKRecordValue? where Key.RawValue == String {
    get { self[key.rawValue] as? CKRecordValue }
    set { self[key.rawValue] = newValue }
  }
}

@propertyWrapper struct RecordField<Value: CKRecordValueProtocol> {
  let key: CKRecord.FieldKey
  let record: CKRecord
  init(_ key: CKRecord.FieldKey, in record: CKRecord) {
    (self.key, self.record) = (key, record)
  }
  var wrappedValue: Value? {
    get { record[key] }
    nonmutating set { record[key] = newValue }
  }
}
