// Operations that succeed or fail as one: ATM-01 to ATM-05, ATM-09, ATM-10.

import BrumeKit
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AtomicTests {
  /// What the old and the new blocks of one operation were given.
  private struct Reported {
    var saves: [CKRecord.ID: CKError] = [:]
    var deletes: [CKRecord.ID: CKError] = [:]
    var result: Result<Void, any Error>?
    var saved: [CKRecord]?
    var deleted: [CKRecord.ID]?
    var overall: CKError?
  }

  private static func run(_ operation: CKModifyRecordsOperation, on device: Device) async
    -> Reported
  {
    var reported = Reported()
    operation.perRecordSaveBlock = { reported.saves[$0] = $1.failure }
    operation.perRecordDeleteBlock = { reported.deletes[$0] = $1.failure }
    operation.modifyRecordsResultBlock = { reported.result = $0 }
    operation.modifyRecordsCompletionBlock = { saved, deleted, error in
      reported.saved = saved
      reported.deleted = deleted
      reported.overall = error as? CKError
    }
    await device.run(operation)
    return reported
  }

  @Test(arguments: StorageEngine.allCases)
  func `ATM-01 the culprit keeps its error, the rest fails because of it, nothing is stored`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await laptop.save("taken", ["n": 1])
      let reported = await Self.run(
        CKModifyRecordsOperation(
          recordsToSave: [phone.record("new"), phone.record("taken", ["n": 2])]), on: phone)
      #expect(reported.saves[.named("taken")]?.code == .serverRecordChanged)
      #expect(reported.saves[.named("new")]?.code == .batchRequestFailed)
      #expect(reported.result?.failure == nil)
      #expect(reported.overall?.code == .partialFailure)
      let items = try #require(
        reported.overall?.userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error])
      #expect(items.count == 2)
      #expect((items[CKRecord.ID.named("taken")] as? CKError)?.serverRecord?["n"] == 1)
      #expect(reported.saved?.isEmpty == true)
      #expect(try await laptop.changes().summary == ["+taken"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ATM-02 a delete beside a conflict is undone`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await laptop.save("taken")
      try await laptop.save("doomed")
      let reported = await Self.run(
        CKModifyRecordsOperation(
          recordsToSave: [phone.record("taken")], recordIDsToDelete: [.named("doomed")]), on: phone)
      #expect(reported.saves[.named("taken")]?.code == .serverRecordChanged)
      #expect(reported.deletes[.named("doomed")]?.code == .batchRequestFailed)
      #expect(reported.deleted?.isEmpty == true)
      #expect(try await laptop.changes().summary == ["+doomed", "+taken"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ATM-03 only the failing zone rolls back`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.makeZone("Y")
      try await laptop.save("taken")
      let reported = await Self.run(
        CKModifyRecordsOperation(
          recordsToSave: [
            phone.record("new"), phone.record("taken"), phone.record("other", zone: "Y"),
          ]), on: phone)
      #expect(reported.saved?.map(\.recordID) == [.named("other", zone: "Y")])
      #expect(
        reported.saves.mapValues(\.code) == [
          .named("taken"): .serverRecordChanged, .named("new"): .batchRequestFailed,
        ])
      #expect(reported.overall?.partialErrorsByItemID?.count == 2)
      #expect(try await laptop.changes().summary == ["+taken"])
      #expect(try await laptop.changes(in: .named("Y")).summary == ["+other"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ATM-04 SAV-21 without atomicity the others are saved`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await laptop.save("r3")
      let operation = CKModifyRecordsOperation(
        recordsToSave: (0..<10).map { phone.record("r\($0)") })
      operation.isAtomic = false
      let reported = await Self.run(operation, on: phone)
      #expect(reported.saved?.count == 9)
      #expect(reported.overall?.code == .partialFailure)
      #expect(reported.overall?.partialErrorsByItemID?.count == 1)
      #expect(reported.saves.keys.map(\.recordName) == ["r3"])
      #expect(try await laptop.changes().changed.count == 10)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ATM-05 the flag has no effect in the default zone`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      try await phone.save("taken", zone: nil)
      let reported = await Self.run(
        CKModifyRecordsOperation(
          recordsToSave: [phone.record("taken", zone: nil), phone.record("new", zone: nil)]),
        on: phone)
      #expect(reported.saved?.map(\.recordID.recordName) == ["new"])
      #expect(
        reported.saves.mapValues(\.code) == [.named("taken", zone: nil): .serverRecordChanged])
      #expect(reported.overall?.code == .partialFailure && reported.result?.failure == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ATM-09 a child may stand before its parent`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let (child, parent) = (phone.record("child"), phone.record("parent"))
      child.setParent(parent)
      child["list"] = CKRecord.Reference(record: parent, action: .none)
      let reported = await Self.run(
        CKModifyRecordsOperation(recordsToSave: [child, parent]), on: phone)
      #expect(reported.overall == nil && reported.saved?.count == 2)
      #expect(try await laptop.fetch("child").parent?.recordID == .named("parent"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ATM-10 parent and child are deleted together in any order`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      for names in [["parent", "child"], ["child", "parent"]] {
        let (child, parent) = (phone.record("child"), phone.record("parent"))
        child.setParent(parent)
        _ = try await phone.database.modifyRecords(saving: [parent, child], deleting: [])
        let reported = await Self.run(
          CKModifyRecordsOperation(recordIDsToDelete: names.map { .named($0) }), on: phone)
        #expect(reported.overall == nil && reported.deleted?.count == 2)
        #expect(try await laptop.changes().changed.isEmpty)
      }
    }
  }
}
