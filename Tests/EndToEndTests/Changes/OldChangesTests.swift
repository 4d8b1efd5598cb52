// Calls from before Swift had results, which old apps still make: CKFetchRecordChangesOperation, and
// queries that answer their first page.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OldChangesTests {
  private struct Page {
    var changed: [CKRecord] = []
    var deleted: [String] = []
    var token: CKServerChangeToken?
    var moreComing = false
    var names: [String] { changed.map(\.recordID.recordName) }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  private static func page(
    _ device: Device, since token: CKServerChangeToken? = nil,
    zone: CKRecordZone.ID = .named("Z"),
    _ set: (CKFetchRecordChangesOperation) -> Void = { _ in }
  ) async throws -> Page {
    try await waited { done in
      let operation = CKFetchRecordChangesOperation(
        recordZoneID: zone, previousServerChangeToken: token)
      set(operation)
      var page = Page()
      operation.recordChangedBlock = { page.changed.append($0) }
      operation.recordWithIDWasDeletedBlock = { page.deleted.append($0.recordName) }
      operation.fetchRecordChangesCompletionBlock = { [unowned operation] token, _, error in
        (page.token, page.moreComing) = (token, operation.moreComing)
        done(error.map { .failure($0) } ?? .success(page))
      }
      device.database.add(operation)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `the older fetch of changes returns pages, deletions and fields as asked`()
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      for name in ["a", "b", "c"] { try await phone.save(name, ["n": 1, "m": 2]) }
      let first = try await Self.page(laptop) {
        $0.resultsLimit = 2
        $0.desiredKeys = ["n"]
      }
      #expect(first.names == ["a", "b"] && first.moreComing)
      #expect(first.changed.allSatisfy { $0.allKeys() == ["n"] })
      let second = try await Self.page(laptop, since: first.token)
      #expect(second.names == ["c"] && !second.moreComing)
      try await phone.database.deleteRecord(withID: .named("a"))
      let third = try await Self.page(laptop, since: second.token)
      #expect(third.names.isEmpty && third.deleted == ["a"])
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `the older fetch of changes brings the files of assets`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data("a picture".utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      try await phone.save("a", ["picture": CKAsset(fileURL: file)])
      let page = try await Self.page(laptop)
      let asset = try #require(page.changed.first?["picture"] as? CKAsset)
      #expect(try Data(contentsOf: try #require(asset.fileURL)) == Data("a picture".utf8))
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `the older fetch of a missing zone is zoneNotFound, without a token`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.pair().phone
      let error = try await failure { _ = try await Self.page(phone, zone: .named("Nowhere")) }
      #expect(error.code == .zoneNotFound)
      let operation = CKFetchRecordChangesOperation()
      let none: CKError = try await waited { done in
        operation.fetchRecordChangesCompletionBlock = { token, _, error in
          done(either(token == nil ? error as? CKError : nil, nil))
        }
        phone.database.add(operation)
      }
      #expect(none.code == .invalidArguments && none.localizedDescription.contains("recordZoneID"))
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test(arguments: [APIStyle.handlers, .async])
  func `the older queries answer records, in order`(_ style: APIStyle) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.pair().phone
      for (number, name) in ["a", "b", "c"].enumerated() {
        try await phone.save(name, ["n": number])
      }
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n > 0"))
      query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: false)]
      func find(_ zone: CKRecordZone.ID) async throws -> [CKRecord] {
        if style == .async { return try await phone.database.perform(query, inZoneWith: zone) }
        return try await waited { done in
          phone.database.perform(query, inZoneWith: zone) { done(either($0, $1)) }
        }
      }
      #expect(try await find(.named("Z")).map(\.recordID.recordName) == ["c", "b"])
      let missing = try await failure { _ = try await find(.named("Nowhere")) }
      #expect(missing.code == .zoneNotFound)
    }
  }
}
