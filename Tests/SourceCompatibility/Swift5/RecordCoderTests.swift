import CloudKit
import Foundation
import Testing

@Suite struct RecordCoderTests {
  struct Book: Codable, Equatable {
    var title = "Dune"
    var pages = 412
    var small: Int8 = -3
    var large: UInt32 = 7
    var price = 9.5
    var weight: Float = 0.25
    var isRead = true
    var bought = Date(timeIntervalSince1970: 1_700_000_000)
    var cover = Data([1, 2, 3])
    var tags = ["desert", "spice"]
    var marks = [1, 2, 3]
    var subtitle: String?
    var home = URL(string: "https://example.org/dune")
    var systemFields: Data?
  }
  private enum Key: String { case title, pages, isRead }

  @Test func `any flat model becomes a record and comes back the same`() throws {
    let book = Book()
    let record = try RecordEncoder().encode(book, as: "Book")
    #expect(record["subtitle"] == nil && record["pages"] == 412)
    var back = try RecordDecoder().decode(Book.self, from: record)
    #expect(back.systemFields != nil)
    back.systemFields = nil
    #expect(back == book)
  }

  @Test func `system fields carry the record's identity through a model`() throws {
    let record = try RecordEncoder().encode(Book(), as: "Book")
    let book = try RecordDecoder().decode(Book.self, from: record)
    let again = try RecordEncoder().encode(book, as: "Other")
    #expect(again.recordID == record.recordID && again.recordType == "Book")
  }

  @Test func `what no field can hold is found by a cast`() {
    struct Nested: Codable { var inner = ["a": 1] }
    #expect(throws: RecordCodingError.unsupported(key: "inner")) {
      try RecordEncoder().encode(Nested(), as: "Nested")
    }
  }

  @Test func `key-value coding reads and writes fields`() {
    let record = CKRecord(recordType: "Book")
    record.setValue("Dune", forKey: "title")
    record.setValuesForKeys(["pages": 412, "isRead": true, "gone": NSNull()])
    #expect(record.value(forKey: "title") as? String == "Dune")
    #expect(record[Key.pages] as? Int == 412 && record[Key.isRead] as? Bool == true)
    let all = record.dictionaryWithValues(forKeys: ["title", "gone"])
    #expect(all["title"] as? String == "Dune" && all["gone"] is NSNull)
    record.setValue(["a", "b"], forKeyPath: "tags")
    record["author"] = CKRecord.Reference(recordID: .init(recordName: "frank"), action: .none)
    #expect(record.value(forKeyPath: "title") as? String == "Dune")
    #expect(record.value(forKeyPath: "tags.@count") as? Int == 2)
    #expect(record.value(forKeyPath: "author.recordID.recordName") as? String == "frank")
    #expect(record.value(forKeyPath: "title.recordID") == nil)
    #expect(record.value(forKeyPath: "none.@count") == nil)
    record["author"] = nil
    record["tags"] = nil
    record.setValue(nil, forKey: "title")
    #expect(record.value(forKey: "title") == nil)
    #expect(
      record.changedKeys().sorted() == ["author", "gone", "isRead", "pages", "tags", "title"])
  }

  @Test func `fields compare like objects whatever they were set from`() {
    let (one, other) = (CKRecord(recordType: "Book"), CKRecord(recordType: "Book"))
    one["pages"] = 412
    other["pages"] = NSNumber(value: 412.0)
    #expect(one["pages"]?.isEqual(other["pages"]) == true)
    #expect(one["pages"]?.hash == other["pages"]?.hash)
    #expect(one["pages"]?.isEqual("412") == false && one["pages"]?.isEqual(nil) == false)
    #expect((1 as CKRecordValue).isEqual(NSNumber(value: 1)))
    let title = RecordField<String>("title", in: one)
    title.wrappedValue = "Dune"
    #expect(title.wrappedValue == "Dune")
  }

  @Test func `a number is read as any type that holds it, as Foundation bridges it`() {
    let record = CKRecord(recordType: "Book")
    record["pages"] = 412
    #expect(record["pages"] as? Int64 == 412 && record["pages"] as? Double == 412)
    #expect(record["pages"] as? Int8 == nil && record["pages"] as? Bool == nil)
    #expect((record["pages"] as? NSNumber)?.stringValue == "412")
    record["isRead"] = true
    #expect(record["isRead"] as? Int == 1 && record["isRead"] as? Bool == true)
  }
}
