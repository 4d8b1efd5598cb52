import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct PredicateTests {
  private func refusal(_ predicate: NSPredicate) -> CKError? {
    do {
      _ = try predicate.filters()
      return nil
    } catch { return error as? CKError }
  }

  @Test func `a format becomes filters`() throws {
    let predicate = NSPredicate(
      format: "priority == %@ AND isComplete == %@", "high", NSNumber(value: false))
    #expect(
      try predicate.filters() == [
        Filter(.equals, .field("priority"), .string("high")),
        Filter(.equals, .field("isComplete"), .int64(0)),
      ])
  }

  @Test func `arguments may be written as those of C`() throws {
    let date = Date(timeIntervalSince1970: 1)
    let owner = CKRecord.Reference(recordID: CKRecord.ID(recordName: "o"), action: .none)
    let format = "a > %@ AND b IN %@ AND c == %@ AND distanceToLocation:fromLocation:(d, %@) < %f"
    let place = CLLocation(latitude: 1, longitude: 2)
    let written = NSPredicate(
      format: format, date as any CVarArg, [owner] as any CVarArg,
      NSNumber(value: 7) as any CVarArg,
      place as any CVarArg, 500.0 as any CVarArg)
    let plain = NSPredicate(format: format, date, [owner], NSNumber(value: 7), place, 500.0)
    #expect(try written.filters() == plain.filters())
    #expect(try written.filters().count == 4)
  }

  @Test func `a set may be written as an argument of C`() throws {
    let names: Set<String> = ["jazz"]
    for set in [names as any CVarArg, NSSet(array: ["jazz"]) as any CVarArg] {
      #expect(
        try NSPredicate(format: "genre IN %@", set).filters()
          == [Filter(.in, .field("genre"), .list([.string("jazz")], of: .string))])
    }
  }

  @Test func `membership of a list is understood`() throws {
    #expect(
      try NSPredicate(format: "tags CONTAINS 'Swift'").filters()
        == [Filter(.listContains, .field("tags"), .string("Swift"))])
  }

  @Test func `every kind of argument is understood`() throws {
    let date = Date(timeIntervalSince1970: 1)
    let id = CKRecord.ID(recordName: "r", zoneID: CKRecordZone.ID(zoneName: "Z"))
    let cases: [(Any, FieldValue)] = [
      ("a", .string("a")), (NSString(string: "a"), .string("a")), (5, .int64(5)),
      (Int64(5), .int64(5)), (5.5, .double(5.5)), (Float(2), .double(2)), (true, .int64(1)),
      (CGFloat(2.5), .double(2.5)),
      (NSNumber(value: 5), .int64(5)), (date, .timestamp(1000)), (date as NSDate, .timestamp(1000)),
      (Optional("a") as Any, .string("a")),
      (
        CKRecord.Reference(recordID: id, action: .none),
        .reference(Reference(recordName: "r", zone: ZoneID(name: "Z")))
      ),
      (id, .reference(Reference(recordName: "r", zone: ZoneID(name: "Z")))),
      (
        CKRecord(recordType: "T", recordID: id),
        .reference(Reference(recordName: "r", zone: ZoneID(name: "Z")))
      ),
    ]
    for (argument, value) in cases {
      #expect(
        try NSPredicate(format: "a == %@", argument).filters()
          == [Filter(.equals, .field("a"), value)], "\(argument)")
    }
  }

  @Test func `lists and key names are arguments too`() throws {
    let filters = try NSPredicate(format: "%K IN %@", "genre", ["jazz", "blues"]).filters()
    #expect(
      filters == [
        Filter(.in, .field("genre"), .list([.string("jazz"), .string("blues")], of: .string))
      ])
    let array = try NSPredicate(format: "%K == %d", argumentArray: ["a", 3]).filters()
    #expect(array == [Filter(.equals, .field("a"), .int64(3))])
  }

  @Test func `a place and a radius are understood`() throws {
    let here = CLLocation(latitude: 1, longitude: 2)
    let filters = try NSPredicate(
      format: "distanceToLocation:fromLocation:(place, %@) < %f", here, 1000.0
    ).filters()
    #expect(filters.first?.comparator == .near)
    #expect(filters.first?.distance == 1000)
  }

  @Test func `Foundation's own predicates are recovered`() throws {
    #expect(try NSPredicate(value: true).filters().isEmpty)
    #expect(try !NSPredicate(value: false).filters().isEmpty)
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"),
    ])
    #expect(try both.filters().count == 2)
    let not = NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "a == 1"))
    #expect(try not.filters() == [Filter(.notEquals, .field("a"), .int64(1))])
  }

  @Test func `what CloudKit does not support is refused with its error`() {
    for predicate in [
      NSPredicate(format: "a == 1 OR b == 2"), NSPredicate(format: "a ENDSWITH 'x'"),
      NSPredicate(format: "a.b == 1"), NSPredicate { _, _ in true },
      NSCompoundPredicate(orPredicateWithSubpredicates: [
        NSPredicate(format: "a == 1"), NSPredicate(format: "b == 1"),
      ]),
    ] {
      #expect(refusal(predicate)?.code == .invalidArguments)
    }
  }

  @Test func `an app's own block gets a record, as it expects, and is refused`() {
    let predicate = NSPredicate { object, _ in (object as! CKRecord)["genre"] == "jazz" }
    #expect(refusal(predicate)?.code == .invalidArguments)
  }

  @Test func `a text that makes no sense is refused when it is used`() {
    let predicate = NSPredicate(format: "a === )")
    #expect(refusal(predicate)?.code == .invalidArguments)
    #expect(refusal(NSPredicate(format: "a == %@"))?.code == .invalidArguments)
  }

  @Test func `an argument that no field can hold is refused with its type`() {
    let error = refusal(NSPredicate(format: "a == %@", Opaque()))
    #expect(error?.localizedDescription.contains("Opaque") == true)
    let uuid = refusal(NSPredicate(format: "a == %@", UUID() as any CVarArg))
    #expect(uuid?.localizedDescription.contains("UUID") == true)
  }

  @Test func `a list of anything is one argument, however many it holds`() throws {
    let ids = [CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "b")]
    for count in 1...2 {
      let typed = try NSPredicate(format: "recordID IN %@", Array(ids.prefix(count))).filters()
      let list: [Any] = ids.prefix(count).map { $0 as Any }
      #expect(try NSPredicate(format: "recordID IN %@", list).filters() == typed)
      #expect(
        try NSPredicate(format: "recordID IN %@", argumentArray: [list]).filters() == typed)
    }
    let two = NSPredicate(format: "a IN %@ AND b == %@", [1, 2] as [Any], "x")
    #expect(try two.filters().count == 2)
  }

  @Test func `filters of the server make a predicate again`() throws {
    let filters = [Filter(.equals, .field("a"), .int64(1))]
    #expect(try NSPredicate(filters: filters).filters() == filters)
  }

  @Test func `a predicate can be evaluated on records of the client`() {
    let record = CKRecord(recordType: "Note")
    record["genre"] = "jazz"
    #expect(NSPredicate(format: "genre == %@", "jazz").evaluate(with: record))
    #expect(!NSPredicate(format: "genre == %@", "blues").evaluate(with: record))
  }

  @Test func `sort descriptors keep their key and direction`() throws {
    let sort = try NSSortDescriptor(key: "title", ascending: false).model()
    #expect(sort == Sort(.field("title"), ascending: false))
    let system = try NSSortDescriptor(key: "creationDate", ascending: true).model()
    #expect(system == Sort(.system(.createdTimestamp)))
  }

  @Test func `a sort descriptor can name a record's property by its key path`() throws {
    let made = try NSSortDescriptor(keyPath: \CKRecord.creationDate, ascending: false).model()
    #expect(made == Sort(.system(.createdTimestamp), ascending: false))
    let changed = try NSSortDescriptor(keyPath: \CKRecord.modificationDate, ascending: true).model()
    #expect(changed == Sort(.system(.modifiedTimestamp)))
    let id = try NSSortDescriptor(keyPath: \CKRecord.recordID, ascending: true).model()
    #expect(id == Sort(.system(.recordName)))
    let maker = try NSSortDescriptor(
      keyPath: \CKRecord.creatorUserRecordID, ascending: true
    ).model()
    #expect(maker == Sort(.system(.createdUserRecordName)))
    #expect(throws: CKError.self) {
      try NSSortDescriptor(keyPath: \CKRecord.recordType, ascending: true).model()
    }
  }

  @Test func `a sort descriptor without a key is refused`() {
    #expect(throws: CKError.self) { try NSSortDescriptor(key: nil, ascending: true).model() }
    #expect(throws: CKError.self) {
      try NSSortDescriptor(keyPath: \String.count, ascending: true).model()
    }
  }

  @Test func `sorting by distance keeps the place`() throws {
    let descriptor = CKLocationSortDescriptor(
      key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2))
    let sort = try descriptor.model()
    #expect(sort.field == .field("place"))
    #expect(sort.relativeLocation?.latitude == 1)
    #expect(sort.ascending)
  }
}

/// Something that no record can hold.
private struct Opaque {}
