// Deleting: DEL-01 to DEL-06, DEL-08.

import BrumeKit
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DeleteTests {
  @Test(arguments: StorageEngine.allCases)
  func `DEL-01 a deletion reaches the other device with the record's type`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", type: "Song")
      let token = try await laptop.changes().token
      #expect(try await phone.database.deleteRecord(withID: .named("a")) == .named("a"))
      let changes = try await laptop.changes(since: token)
      #expect(changes.summary == ["-a"])
      #expect(changes.deleted.first?.recordType == "Song")
      #expect(changes.deleted.first?.recordID == .named("a"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `DEL-02 deleting what is not there succeeds, DEL-03 in a missing zone it does not`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let ids: [CKRecord.ID] = [.named("a"), .named("a", zone: "Nowhere")]
      let results = try await phone.database.modifyRecords(saving: [], deleting: ids)
        .deleteResults
      #expect(results.count == 2 && results[ids[0]]?.failure == nil)
      #expect(results[ids[1]]?.failure?.code == .zoneNotFound)
      let error = try await failure { try await phone.database.deleteRecord(withID: ids[1]) }
      #expect(error.code == .zoneNotFound)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `DEL-04 a parent cannot go while a child remains`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let (parent, child) = (phone.record("parent"), phone.record("child"))
      child.setParent(parent)
      _ = try await phone.database.modifyRecords(saving: [parent, child], deleting: [])
      let error = try await failure {
        try await phone.database.deleteRecord(withID: parent.recordID)
      }
      #expect(error.code == .referenceViolation)
      try await phone.database.deleteRecord(withID: child.recordID)
      try await phone.database.deleteRecord(withID: parent.recordID)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `DEL-05 records that depend on a deleted one go too, and theirs`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let names = ["a", "b", "c", "bystander"]
      let records = names.map { phone.record($0) }
      records[1]["owner"] = CKRecord.Reference(record: records[0], action: .deleteSelf)
      records[2]["owner"] = CKRecord.Reference(record: records[1], action: .deleteSelf)
      _ = try await phone.database.modifyRecords(saving: records, deleting: [])
      let token = try await laptop.changes().token
      let results = try await phone.database.modifyRecords(saving: [], deleting: [.named("a")])
      #expect(Array(results.deleteResults.keys) == [.named("a")])
      #expect(try await laptop.changes(since: token).summary == ["-a", "-b", "-c"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `DEL-06 in the default zone they go at once too`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let (target, holder) = (phone.record("target", zone: nil), phone.record("holder", zone: nil))
      holder["owner"] = CKRecord.Reference(record: target, action: .deleteSelf)
      _ = try await phone.database.modifyRecords(saving: [target, holder], deleting: [])
      try await phone.database.deleteRecord(withID: target.recordID)
      let gone = try await failure { try await phone.fetch("holder", zone: nil) }
      #expect(gone.code == .unknownItem)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `DEL-08 a reference without an action dangles`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let (target, holder) = (phone.record("target"), phone.record("holder"))
      holder["to"] = CKRecord.Reference(record: target, action: .none)
      _ = try await phone.database.modifyRecords(saving: [target, holder], deleting: [])
      try await phone.database.deleteRecord(withID: target.recordID)
      let reference = try await laptop.fetch("holder")["to"] as? CKRecord.Reference
      #expect(
        reference?.recordID == target.recordID && reference?.action == CKRecord.ReferenceAction.none
      )
    }
  }
}
