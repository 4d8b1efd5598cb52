// Fetching by ID: FET-01 to FET-07.

import BrumeKit
import BrumeModel
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FetchTests {
  @Test(arguments: StorageEngine.allCases)
  func `FET-01 a fetched record has the values that were saved`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let date = Date(timeIntervalSince1970: 1_700_000_000.5)
      let record = phone.record("a")
      record["text"] = "Grüße\n\u{1F600}"
      record["whole"] = Int64.max
      record["broken"] = 0.1
      record["flag"] = true
      record["date"] = date
      record["data"] = Data([0, 255])
      record["place"] = CLLocation(latitude: 52.5, longitude: 13.4)
      record["texts"] = ["a", "b"]
      record["numbers"] = [1, 2, 3]
      record["to"] = CKRecord.Reference(recordID: .named("b"), action: .deleteSelf)
      record.encryptedValues["secret"] = "s"
      try await phone.database.save(record)
      let fetched = try await laptop.fetch("a")
      #expect(fetched["text"] == "Grüße\n\u{1F600}")
      #expect(fetched["whole"] == Int64.max && fetched["broken"] == 0.1 && fetched["flag"] == true)
      #expect(fetched["date"] == date && fetched["data"] == Data([0, 255]))
      #expect((fetched["place"] as? CLLocation)?.coordinate.latitude == 52.5)
      #expect(fetched["texts"] as? [String] == ["a", "b"])
      #expect(fetched["numbers"] as? [Int] == [1, 2, 3])
      #expect((fetched["to"] as? CKRecord.Reference)?.action == .deleteSelf)
      #expect(fetched.encryptedValues["secret"] == "s")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `FET-02 FET-03 one unknown record is unknown, in a missing zone the zone is`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let unknown = try await failure { try await phone.fetch("a") }
      #expect(unknown.code == .unknownItem)
      let error = try await failure { try await phone.fetch("a", zone: "Nowhere") }
      #expect(error.code == .zoneNotFound)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `FET-04 in a batch the found one comes, the missing one fails alone`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a")
      let results = try await phone.database.records(for: [.named("a"), .named("b")])
      #expect(try results[.named("a")]?.get().recordID == .named("a"))
      #expect(results[.named("b")]?.failure?.code == .unknownItem)
      let operation = CKFetchRecordsOperation(recordIDs: [.named("a"), .named("b")])
      var (found, overall) = ([CKRecord.ID: CKRecord](), nil as CKError?)
      var result: Result<Void, any Error>?
      operation.fetchRecordsResultBlock = { result = $0 }
      operation.fetchRecordsCompletionBlock = {
        found = $0 ?? [:]
        overall = $1 as? CKError
      }
      await phone.run(operation)
      #expect(Array(found.keys) == [.named("a")])
      #expect(overall?.code == .partialFailure)
      let items = overall?.userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
      #expect((items?[CKRecord.ID.named("b")] as? CKError)?.code == .unknownItem)
      #expect(result != nil && result?.failure == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `FET-05 more records than the limit fail as a whole, 400 do not`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let ids = (0..<401).map { CKRecord.ID.named("r\($0)") }
      let error = try await failure { _ = try await phone.database.records(for: ids) }
      #expect(error.code == .limitExceeded)
      let results = try await phone.database.records(for: Array(ids.prefix(400)))
      #expect(results.count == 400)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `FET-05 records that do not fit into one answer come in several`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine, limits: { $0.answerBytes = 10_000 }) { fixture in
      let (phone, _) = try await fixture.pair()
      let names = (0..<8).map { "r\($0)" }
      for name in names {
        try await phone.save(name, ["text": String(repeating: "x", count: 4000)])
      }
      let ids = names.map { CKRecord.ID.named($0) }
      let results = try await phone.database.records(for: ids + [.named("missing")])
      for id in ids { #expect(try results[id]?.get().recordID == id) }
      #expect(results[.named("missing")]?.failure?.code == .unknownItem)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `FET-06 desired keys pick fields: nil all, an empty list none`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("a", ["one": 1, "two": 2])
      let cases: [([String]?, [String])] = [
        (nil, ["one", "two"]), ([], []), (["two", "other"], ["two"]),
      ]
      for (desired, expected) in cases {
        let results = try await phone.database.records(for: [.named("a")], desiredKeys: desired)
        let record = try #require(try results[.named("a")]?.get())
        #expect(record.allKeys().sorted() == expected)
        #expect(record.recordChangeTag != nil && record.modificationDate != nil)
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `FET-07 the current user's record can be fetched and not queried`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let id = try await phone.container.userRecordID()
      #expect(try await phone.everybodys.record(for: id).recordType == "Users")
      let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
      var found: [CKRecord.ID: CKRecord] = [:]
      operation.fetchRecordsCompletionBlock = { records, _ in found = records ?? [:] }
      await phone.run(operation)
      #expect(found.values.map(\.recordType) == [CKRecord.SystemType.userRecord])
      let error = try await failure {
        _ = try await phone.everybodys.records(
          matching: CKQuery(recordType: "Users", predicate: NSPredicate(value: true)))
      }
      #expect(error.code == .invalidArguments)
    }
  }
}
