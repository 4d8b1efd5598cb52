// References and parents through the module: REF-01, REF-03 to REF-05, REF-07, DEL-09, SAV-04,
// SAV-27.

import BrumeKit
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReferenceTests {
  @Test(arguments: StorageEngine.allCases)
  func `REF-01 SAV-27 a child of a missing parent is a violation, what is below it fails inside`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let (child, grandchild) = (phone.record("child"), phone.record("grandchild"))
      child.setParent(CKRecord.ID.named("ghost"))
      grandchild.setParent(child)
      let results = try await phone.database.modifyRecords(
        saving: [grandchild, child, phone.record("other")], deleting: [], atomically: false
      ).saveResults
      #expect(results[child.recordID]?.failure?.code == .referenceViolation)
      #expect(results[grandchild.recordID]?.failure?.code == .internalError)
      #expect(try await laptop.changes().summary == ["+other"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `REF-03 REF-04 neither a reference nor a parent leaves its zone`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.makeZone("Y")
      let target = try await phone.save("target", zone: "Y")
      let (holder, child) = (phone.record("holder"), phone.record("child"))
      holder["to"] = CKRecord.Reference(record: target, action: .none)
      child.setParent(target)
      for record in [holder, child] {
        let error = try await failure { try await phone.database.save(record) }
        #expect(error.code == .invalidArguments)
        #expect(error.localizedDescription.contains("'Y'"))
      }
      #expect(try await laptop.changes().summary.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `REF-05 a field may refer to nothing, with either action`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let actions: [(String, CKRecord.ReferenceAction)] = [("a", .none), ("b", .deleteSelf)]
      for (name, action) in actions {
        let record = phone.record(name)
        record["to"] = CKRecord.Reference(recordID: .named("ghost"), action: action)
        try await phone.database.save(record)
      }
      #expect(try await laptop.changes().summary == ["+a", "+b"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `REF-07 another parent, or none any more, comes as an ordinary change`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let (old, new, child) = (phone.record("old"), phone.record("new"), phone.record("child"))
      child.setParent(old)
      _ = try await phone.database.modifyRecords(saving: [old, new, child], deleting: [])
      var token = try await laptop.changes().token
      let parents: [CKRecord.ID?] = [new.recordID, nil]
      for parent in parents {
        child.setParent(parent)
        try await phone.database.save(child)
        let changes = try await laptop.changes(since: token)
        #expect(changes.summary == ["+child"])
        #expect(changes.changed.first?.parent?.recordID == parent)
        token = changes.token
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `DEL-09 a child cannot move under a parent that another device has deleted`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let child = try await phone.save("child")
      let list = try await phone.save("list")
      try await laptop.database.deleteRecord(withID: list.recordID)
      child.setParent(list)
      let error = try await failure { try await phone.database.save(child) }
      #expect(error.code == .referenceViolation)
      #expect(try await laptop.fetch("child").parent == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-04 REF-07 a conflict shows the parents of before, of the client and of the server`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let lists = ["before", "client", "server"].map { phone.record($0) }
      let mine = phone.record("a")
      mine.setParent(lists[0])
      _ = try await phone.database.modifyRecords(saving: lists + [mine], deleting: [])
      let theirs = try await laptop.fetch("a")
      theirs.setParent(lists[2].recordID)
      try await laptop.database.save(theirs)
      mine.setParent(lists[1])
      let error = try await failure { try await phone.database.save(mine) }
      #expect(error.code == .serverRecordChanged)
      let records = [error.ancestorRecord, error.clientRecord, error.serverRecord]
      let parents = records.compactMap { $0?.parent?.recordID }
      #expect(parents == lists.map(\.recordID))
    }
  }
}
