// Many records, and operations that end early: SAV-16, SAV-18, SAV-34, SAV-35, SAV-39.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LargeSaveTests {
  private static func records(_ count: Int, of device: Device, zone: String = "Z") -> [CKRecord] {
    (0..<count).map { device.record("r\($0)", zone: zone, ["n": $0]) }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-16 SAV-18 401 items are too many; the two halves are not`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let records = Self.records(401, of: phone)
      let error = try await failure {
        _ = try await phone.database.modifyRecords(saving: records, deleting: [])
      }
      #expect(error.code == .limitExceeded)
      #expect(error.localizedDescription.contains("401"))
      #expect(error.localizedDescription.contains("400"))
      #expect(try await laptop.changes().changed.isEmpty)
      for half in [records[..<200], records[200...]] {
        let results = try await phone.database.modifyRecords(saving: Array(half), deleting: [])
        #expect(results.saveResults.values.allSatisfy { $0.failure == nil })
      }
      #expect(try await laptop.changes().changed.count == 401)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-34 444 records in batches arrive on the second device`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let records = Self.records(444, of: phone)
      for batch in [records[..<400], records[400...]] {
        let operation = CKModifyRecordsOperation(recordsToSave: Array(batch))
        var (saved, overall) = (0, nil as Result<Void, any Error>?)
        operation.perRecordSaveBlock = { if $1.failure == nil { saved += 1 } }
        operation.modifyRecordsResultBlock = { overall = $0 }
        await phone.run(operation)
        #expect(saved == batch.count && overall?.failure == nil && overall != nil)
      }
      let arrived = try await laptop.changes().changed
      #expect(arrived.count == 444)
      #expect(Set(arrived.compactMap { $0["n"] as? Int }) == Set(0..<444))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-35 250 records go up in batches of 100, 100 and 50`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      var pending = Self.records(250, of: phone)
      var (sizes, token) = ([Int](), nil as CKServerChangeToken?)
      while !pending.isEmpty {
        let batch = Array(pending.prefix(100))
        _ = try await phone.database.modifyRecords(saving: batch, deleting: [])
        pending.removeFirst(batch.count)
        let changes = try await laptop.changes(since: token)
        sizes.append(changes.changed.count)
        token = changes.token
      }
      #expect(sizes == [100, 100, 50])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a large atomic batch over two zones is kept or dropped zone by zone`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair(zone: "Bad")
      try await phone.makeZone("Good")
      try await phone.save("r180", zone: "Bad")
      // More than one request holds; zones alternate.
      let pairs = zip(
        Self.records(190, of: phone, zone: "Bad"), Self.records(190, of: phone, zone: "Good"))
      let records = pairs.flatMap { [$0, $1] }
      let results = try await phone.database.modifyRecords(saving: records, deleting: [])
        .saveResults
      #expect(results.count == 380)
      #expect(
        results[.named("r180", zone: "Bad")]?.failure?.code == .serverRecordChanged)
      #expect(results[.named("r0", zone: "Bad")]?.failure?.code == .batchRequestFailed)
      #expect(results.count { $0.value.failure == nil } == 190)
      #expect(try await laptop.changes(in: .named("Good")).changed.count == 190)
      #expect(try await laptop.changes(in: .named("Bad")).summary == ["+r180"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-39 a cancelled operation ends with operationCancelled and saves nothing`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let operation = CKModifyRecordsOperation(recordsToSave: [phone.record("a")])
      var (calls, overall) = (0, nil as Result<Void, any Error>?)
      operation.perRecordSaveBlock = { _, _ in calls += 1 }
      operation.modifyRecordsResultBlock = {
        calls += 1
        overall = $0
      }
      operation.cancel()
      await phone.run(operation)
      #expect(overall?.failure?.code == .operationCancelled && calls == 1)
      #expect(try await laptop.changes().changed.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-39 cancelling from a block stops a fetch of many pages`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      _ = try await phone.database.modifyRecords(
        saving: Self.records(300, of: phone), deleting: [])
      let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
      configuration.resultsLimit = 10
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [.named("Z")], configurationsByRecordZoneID: [.named("Z"): configuration])
      var (changed, overall) = (0, nil as Result<Void, any Error>?)
      operation.recordWasChangedBlock = { [unowned operation] _, _ in
        changed += 1
        operation.cancel()
      }
      operation.fetchRecordZoneChangesResultBlock = { overall = $0 }
      await laptop.run(operation)
      #expect(overall?.failure?.code == .operationCancelled)
      #expect(changed == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-39 cancelling the task cancels the call`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      await withTaskGroup { group in
        group.addTask {
          withUnsafeCurrentTask { $0?.cancel() }
          let error = try? await failure { try await phone.save("a") }
          #expect(error?.code == .operationCancelled)
        }
      }
    }
  }
}
