// What changed in a zone, as two devices and one operation see it: CHG-01 to CHG-03, CHG-06 to
// CHG-10, CHG-16 to CHG-19, CHG-22, CHG-26, CHG-27.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ZoneChangeTests {
  @Test(arguments: StorageEngine.allCases)
  func `CHG-01 CHG-02 a first fetch brings everything, the next one nothing`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", ["n": 1])
      try await phone.save("b")
      let first = try await laptop.changes()
      #expect(first.summary == ["+a", "+b"])
      #expect(first.changed.first { $0.recordID.recordName == "a" }?["n"] == 1)
      let second = try await laptop.changes(since: first.token)
      #expect(second.summary.isEmpty && second.token != nil)
      #expect(try await laptop.changes(since: second.token).summary.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-03 CHG-26 one save and one delete, and asking again gives the same`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a")
      let token = try await laptop.changes().token
      try await phone.save("b")
      try await phone.database.deleteRecord(withID: .named("a"))
      for _ in 1...3 {
        #expect(try await laptop.changes(since: token).summary == ["+b", "-a"])
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-07 a fetch from the beginning reports no deletion of before`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      for name in ["kept", "gone"] { try await phone.save(name) }
      try await phone.database.deleteRecord(withID: .named("gone"))
      let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [.named("Z")])
      var (changed, deleted) = ([String](), [String]())
      operation.recordWasChangedBlock = { id, _ in changed.append(id.recordName) }
      operation.recordWithIDWasDeletedBlock = { id, _ in deleted.append(id.recordName) }
      await laptop.run(operation)
      #expect(changed == ["kept"] && deleted.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-08 CHG-09 CHG-10 pages follow each other, also over a restart of the app`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let names = (0..<25).map { "r\($0)" }
      _ = try await phone.database.modifyRecords(
        saving: names.map { phone.record($0) }, deleting: [])
      var (stored, seen, pages) = (nil as Data?, [String](), 0)
      var isMoreComing = true
      while isMoreComing {
        // A process that begins with nothing but what it archived.
        let restarted = try await fixture.device("alice", "laptop")
        let token = try stored.map { try Archive.token($0) }
        let page = try await restarted.database.recordZoneChanges(
          inZoneWith: .named("Z"), since: token, resultsLimit: 10)
        seen += page.modificationResultsByID.keys.map(\.recordName)
        stored = try Archive.data(page.changeToken)
        isMoreComing = page.moreComing
        pages += 1
      }
      #expect(seen.sorted() == names.sorted() && pages == 3)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-16 what changes during a fetch of pages comes with the next fetch`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      _ = try await phone.database.modifyRecords(
        saving: (0..<4).map { phone.record("r\($0)", ["n": 0]) }, deleting: [])
      let first = try await laptop.database.recordZoneChanges(
        inZoneWith: .named("Z"), since: nil, resultsLimit: 2)
      #expect(first.moreComing)
      let seen = try #require(first.modificationResultsByID.keys.first)
      let record = try await phone.database.record(for: seen)
      record["n"] = 1
      try await phone.database.save(record)
      let rest = try await laptop.changes(since: first.changeToken)
      let later = try await laptop.changes(since: rest.token)
      #expect(rest.changed.count == 2 && !rest.changed.contains { $0.recordID == seen })
      #expect(later.changed.map(\.recordID) == [seen] && later.changed.first?["n"] == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-17 CHG-18 CHG-19 between two fetches only the end counts`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("reborn", ["n": 0])
      let token = try await laptop.changes().token
      let busy = try await phone.save("busy", ["n": 0])
      for number in 1...5 {
        busy["n"] = number
        try await phone.database.save(busy)
      }
      try await phone.save("shortlived")
      try await phone.database.deleteRecord(withID: .named("shortlived"))
      try await phone.database.deleteRecord(withID: .named("reborn"))
      try await phone.save("reborn", ["n": 1])
      let changes = try await laptop.changes(since: token)
      #expect(changes.summary.filter { $0 != "-shortlived" } == ["+busy", "+reborn"])
      let values = changes.changed.map { [$0.recordID.recordName: $0["n"] as Int?] }
      #expect(Set(values) == [["busy": 5], ["reborn": 1]])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-06 CHG-22 of several zones the bad ones fail and the others deliver`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      for name in ["Fresh", "Stale"] { try await phone.makeZone(name) }
      try await phone.save("a", zone: "Fresh")
      let stale = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
      stale.previousServerChangeToken = try await laptop.changes().token
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [.named("Stale"), .named("Missing"), .named("Fresh")],
        configurationsByRecordZoneID: [.named("Stale"): stale])
      var (changed, codes) = ([String](), [String: CKError.Code]())
      var (overall, result) = (nil as CKError?, nil as Result<Void, any Error>?)
      operation.recordWasChangedBlock = { id, _ in changed.append(id.recordName) }
      operation.recordZoneFetchResultBlock = { codes[$0.zoneName] = $1.failure?.code }
      operation.fetchRecordZoneChangesCompletionBlock = { overall = $0 as? CKError }
      operation.fetchRecordZoneChangesResultBlock = { result = $0 }
      await laptop.run(operation)
      #expect(changed == ["a"])
      #expect(codes == ["Stale": .changeTokenExpired, "Missing": .zoneNotFound])
      #expect(overall?.code == .partialFailure && result?.failure == nil)
      let item = overall?.partialErrorsByItemID?[CKRecordZone.ID.named("Stale")] as? CKError
      let missing = overall?.partialErrorsByItemID?[CKRecordZone.ID.named("Missing")] as? CKError
      #expect(item?.code == .changeTokenExpired && missing?.code == .zoneNotFound)
      #expect(overall?.partialErrorsByItemID?.count == 2)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-27 an operation fetches all pages, with tokens between them, and desired keys`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      _ = try await phone.database.modifyRecords(
        saving: (0..<25).map { phone.record("r\($0)", ["one": 1, "two": 2]) }, deleting: [])
      let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
      configuration.resultsLimit = 10
      configuration.desiredKeys = ["two"]
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [.named("Z")], configurationsByRecordZoneID: [.named("Z"): configuration])
      var (keys, tokens) = ([[String]](), [CKServerChangeToken]())
      var last: CKServerChangeToken?
      operation.recordWasChangedBlock = { keys.append((try? $1.get().allKeys()) ?? []) }
      operation.recordZoneChangeTokensUpdatedBlock = { _, token, _ in
        if let token { tokens.append(token) }
      }
      operation.recordZoneFetchResultBlock = { last = try? $1.get().serverChangeToken }
      await laptop.run(operation)
      #expect(keys == Array(repeating: ["two"], count: 25))
      #expect(tokens.count == 2)
      #expect(try await laptop.changes(since: last).summary.isEmpty)
      #expect(try await laptop.changes(since: tokens.last).changed.count == 5)
    }
  }
}
