// What the module says of queries that find nothing, and of those that cannot run:
// QRY-01 to QRY-06.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct QueryTests {
  private static func query(_ type: String = "Note", _ format: String? = nil) -> CKQuery {
    CKQuery(
      recordType: type,
      predicate: format.map { NSPredicate(format: $0) } ?? NSPredicate(value: true))
  }

  /// The error of a query, which both of the operation's last blocks get as it is.
  private static func refusal(
    of query: CKQuery, zone: String = "Z", on device: Device
  ) async throws -> CKError {
    let operation = CKQueryOperation(query: query)
    operation.zoneID = CKRecordZone.ID.named(zone)
    var (result, old) = (nil as CKError?, nil as CKError?)
    operation.queryResultBlock = { result = $0.failure }
    operation.queryCompletionBlock = { old = $1 as? CKError }
    await device.run(operation)
    let error = try #require(result)
    #expect(old?.code == error.code && error.partialErrorsByItemID == nil)
    return error
  }

  @Test(arguments: StorageEngine.allCases)
  func `QRY-01 a query that finds nothing is empty, without a cursor and without an error`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", ["n": 1])
      let page = try await laptop.database.records(
        matching: Self.query("Note", "n == 2"), inZoneWith: CKRecordZone.ID.named("Z"),
        desiredKeys: nil)
      #expect(page.matchResults.isEmpty && page.queryCursor == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `QRY-02 QRY-03 an unknown type is unknownItem, a missing zone zoneNotFound`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a")
      let unknown = try await Self.refusal(of: Self.query("Hikee"), on: phone)
      #expect(unknown.code == .unknownItem)
      #expect(unknown.localizedDescription.hasPrefix("Did not find record type: Hikee"))
      let zone = try await Self.refusal(of: Self.query(), zone: "Nowhere", on: phone)
      #expect(zone.code == .zoneNotFound && zone.localizedDescription.contains("Nowhere"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `QRY-04 QRY-05 QRY-06 a missing index is invalidArguments, and the text names it`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", ["n": 1])
      try await fixture.sortable("n", of: "Note", false)
      let sorted = Self.query()
      sorted.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
      let sort = try await Self.refusal(of: sorted, on: phone)
      #expect(sort.code == .invalidArguments)
      #expect(sort.localizedDescription.hasPrefix("Field 'n' is not marked sortable"))

      try await fixture.queryable("n", of: "Note", false)
      let condition = try await Self.refusal(of: Self.query("Note", "n == 1"), on: phone)
      #expect(condition.code == .invalidArguments)
      #expect(condition.localizedDescription.hasPrefix("Field 'n' is not marked queryable"))

      try await fixture.queryable("___recordID", of: "Note", false)
      let all = try await Self.refusal(of: Self.query(), on: phone)
      #expect(all.code == .invalidArguments)
      #expect(all.localizedDescription.hasPrefix("Field 'recordName' is not marked queryable"))
    }
  }
}
