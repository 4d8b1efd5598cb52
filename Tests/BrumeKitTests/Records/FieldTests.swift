import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct FieldTests {
  private let record = CKRecord(recordType: "Note")

  @Test func `SAV-13 texts and data that can change are copied into the record`() {
    let record = CKRecord(recordType: "Note")
    let (text, data) = (NSMutableString(string: "a"), NSMutableData(data: Data([1])))
    record.setObject(text, forKey: "text")
    record.setObject(NSArray(array: [text]), forKey: "list")
    record.setObject(data, forKey: "data")
    text.append("b")
    data.append(Data([2]))
    #expect(record["text"] as? String == "a")
    #expect(record["list"] as? [String] == ["a"])
    #expect(record["data"] as? Data == Data([1]))
  }

  @Test func `a new record has a random name in the default zone and no tag`() {
    #expect(record.recordID.zoneID == .default)
    #expect(UUID(uuidString: record.recordID.recordName) != nil)
    #expect(record.recordChangeTag == nil)
    #expect(record.changedKeys().isEmpty)
  }

  @Test func `a record is a sequence of its fields, without encrypted ones`() {
    record["a"] = 1
    record["b"] = "two"
    record.encryptedValues["secret"] = "x"
    var iterator: CKRecordKeyValueIterator = record.makeIterator()
    var seen: [String: String] = [:]
    while let (key, value) = iterator.next() { seen[key] = "\(value)" }
    #expect(seen == ["a": "1", "b": "two"])
    #expect(record.map(\.0).sorted() == ["a", "b"])
    var none = CKRecord(recordType: "Empty").makeIterator()
    #expect(none.next() == nil)
  }

  @Test func `typed reading gives back what was set`() {
    record["text"] = "Ada"
    record["int"] = 7
    record["big"] = Int64.max
    record["double"] = 1.5
    record["float"] = Float(1.1)
    record["truth"] = true
    record["date"] = Date(timeIntervalSince1970: 1000)
    record["data"] = Data([1, 2])
    record["list"] = ["a", "b"]
    record["numbers"] = [1, 2, 3]
    #expect(record["text"] == "Ada")
    #expect(record["int"] == 7)
    #expect(record["big"] == Int64.max)
    #expect(record["double"] == 1.5)
    #expect(record["float"] == Float(1.1))
    #expect(record["truth"] == true)
    #expect(record["date"] == Date(timeIntervalSince1970: 1000))
    #expect(record["data"] == Data([1, 2]))
    #expect(record["list"] == ["a", "b"])
    #expect(record["numbers"] == [1, 2, 3])
  }

  @Test func `casting reads as on Apple's systems`() {
    record["text"] = "Ada" as any CKRecordValue
    record["count"] = NSNumber(value: 3)
    record["truth"] = true as any CKRecordValue
    record["list"] = ["a"] as any CKRecordValue
    #expect(record["text"] as? String == "Ada")
    #expect(record["text"] as? NSString == "Ada")
    #expect(record["count"] as? Int == 3)
    #expect(record["count"] as? Int64 == 3)
    #expect(record["count"] as? Double == 3)
    #expect(record["truth"] as? Bool == true)
    #expect(record["list"] as? [String] == ["a"])
    #expect(record["text"] as? Int == nil)
    #expect(record.object(forKey: "text") as? String == "Ada")
    #expect(record.value(of: "text") == "Ada")
  }

  @Test func `a value of another type reads as nil`() {
    record["text"] = "Ada"
    let number: Int? = record["text"]
    #expect(number == nil)
  }

  @Test func `nil removes a field, and the removal is a change`() {
    record["text"] = "Ada"
    record["text"] = nil
    #expect(record.allKeys().isEmpty)
    #expect(record.changedKeys() == ["text"])
    let none: String? = nil
    record["other"] = none
    #expect(record.allKeys().isEmpty)
  }

  @Test func `encrypted values are apart from the others`() {
    record["plain"] = "a"
    record.encryptedValues["secret"] = "b"
    #expect(record.allKeys() == ["plain"])
    #expect(record.encryptedValues.allKeys() == ["secret"])
    #expect(record["secret"] as? String == nil)
    let secret: String? = record.encryptedValues["secret"]
    #expect(secret == "b")
    #expect(Set(record.changedKeys()) == ["plain", "secret"])
    #expect(record.encryptedValues.changedKeys() == ["secret"])
  }

  @Test func `nil through one view leaves alone what the other holds`() {
    record["plain"] = "a"
    record.encryptedValues["secret"] = "b"
    record["secret"] = nil
    record.encryptedValues["plain"] = nil
    #expect(record["plain"] == "a")
    #expect(record.encryptedValues["secret"] == "b")
    #expect(record.encryptedValues.changedKeys() == ["secret"])
    record.encryptedValues["secret"] = nil
    #expect(record.encryptedValues.allKeys().isEmpty)
    #expect(record.encryptedValues.changedKeys() == ["secret"])
  }

  @Test func `a field that one view removed stays that view's, whatever the other says`() throws {
    record["plain"] = "a"
    record.encryptedValues["secret"] = "b"
    record.encryptedValues["secret"] = nil
    record["secret"] = nil
    record["plain"] = nil
    record.encryptedValues["plain"] = nil
    #expect(record.encryptedValues.changedKeys() == ["secret"])
    #expect(record.changedKeys().sorted() == ["plain", "secret"])
    let sent = try record.draft(.changedKeys).fields
    #expect(sent["secret"]?.isEncrypted == true && sent["plain"]?.isEncrypted == false)
    record["secret"] = "c"
    #expect(record["secret"] == "c" && record.encryptedValues.changedKeys().isEmpty)
  }

  @Test func `a record is a sequence of its fields`() {
    record["a"] = 1
    record["b"] = "x"
    var seen: [String] = []
    for (key, value) in record { seen.append("\(key)=\(value)") }
    #expect(seen == ["a=1", "b=x"])
  }

  @Test func `tokens are the words of all texts`() {
    record["a"] = "Milk, and bread"
    record["b"] = "More milk"
    record["c"] = 5
    record["d"] = ["Two eggs", "milk"]
    record.encryptedValues["e"] = "secret"
    #expect(record.allTokens() == ["and", "bread", "eggs", "milk", "more", "two"])
  }

  @Test func `a copy is independent`() throws {
    record["a"] = 1
    let copy = try #require(record.copy() as? CKRecord)
    copy["a"] = 2
    copy["b"] = 3
    #expect(record["a"] == 1)
    #expect(record.allKeys() == ["a"])
    #expect(copy.recordID == record.recordID)
  }

  @Test func `a parent is set by record or by ID, and taken away by nil`() {
    let parent = CKRecord(recordType: "List")
    record.setParent(parent)
    #expect(record.parent?.recordID == parent.recordID)
    #expect(record.parent?.action == CKRecord.ReferenceAction.none)
    record.setParent(nil as CKRecord.ID?)
    #expect(record.parent == nil)
  }

  @Test func `a parent that would delete its child stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let child = CKRecord(recordType: "Note")
      child.parent = CKRecord.Reference(recordID: CKRecord.ID(), action: .deleteSelf)
    }
  }
}

extension CKRecord {
  /// Generic code over values.
  fileprivate func value<T: CKRecordValueProtocol>(of key: String) -> T? { self[key] }
}
