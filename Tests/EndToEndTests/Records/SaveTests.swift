// Saving through the module: SAV-01 to SAV-15, SAV-22, SAV-36.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SaveTests {
  @Test(arguments: StorageEngine.allCases)
  func `SAV-01 a new record takes on tag, dates, creator and modifier`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let record = phone.record("a", ["title": "x"])
      let saved = try await phone.database.save(record)
      #expect(saved.recordChangeTag != nil && saved["title"] == "x")
      #expect(saved.creationDate != nil && saved.creationDate == saved.modificationDate)
      #expect(saved.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
      #expect(saved.lastModifiedUserRecordID == saved.creatorUserRecordID)
      #expect(record.recordChangeTag == saved.recordChangeTag)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-02 saving into a missing zone says that the zone is missing`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let error = try await failure { try await phone.save("a", zone: "Nowhere") }
      #expect(error.code == .zoneNotFound)
      #expect(error.localizedDescription.contains("Nowhere"))
      let results = try await phone.database.modifyRecords(
        saving: [phone.record("a", zone: "Nowhere"), phone.record("b", zone: "Nowhere")],
        deleting: []
      ).saveResults
      #expect(results.count == 2 && results.values.allSatisfy { $0.failure?.code == .zoneNotFound })
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-03 a saved record can be changed and saved again, and its tag moves`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let record = try await phone.save("a", ["n": 1])
      let first = record.recordChangeTag
      record["n"] = 2
      let again = try await phone.database.save(record)
      #expect(again.recordChangeTag != first)
      #expect(try await phone.fetch("a")["n"] == 2)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-04 a stale tag is a conflict that carries all three records`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let mine = try await phone.save("a", ["title": "old"])
      let theirs = try await laptop.fetch("a")
      theirs["title"] = "theirs"
      try await laptop.database.save(theirs)
      mine["title"] = "mine"
      let error = try await failure { try await phone.database.save(mine) }
      #expect(error.code == .serverRecordChanged)
      #expect(error.serverRecord?["title"] == "theirs")
      #expect(error.serverRecord?.recordChangeTag == theirs.recordChangeTag)
      #expect(error.clientRecord?["title"] == "mine")
      #expect(error.ancestorRecord?.recordChangeTag == mine.recordChangeTag)
      #expect(error.ancestorRecord?["title"] == "old")
      #expect(error.localizedDescription.contains("oplock"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-05 a new record under a name that is taken is a conflict`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", ["title": "first"])
      let error = try await failure { try await laptop.save("a", ["title": "second"]) }
      #expect(error.code == .serverRecordChanged)
      #expect(error.serverRecord?["title"] == "first")
      #expect(error.clientRecord?["title"] == "second")
      #expect(error.localizedDescription.contains("record to insert already exists"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-06 SAV-07 a record deleted elsewhere is unknown; without its tag it begins anew`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let record = try await phone.save("a", ["title": "x"])
      try await laptop.database.deleteRecord(withID: record.recordID)
      record["title"] = "y"
      let error = try await failure { try await phone.database.save(record) }
      #expect(error.code == .unknownItem)
      let old = try #require(record.creationDate)
      let fresh = try await phone.save("a", ["title": "y"])
      #expect(try #require(fresh.creationDate) >= old)
      #expect(try await laptop.fetch("a")["title"] == "y")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-08 whoever saves second merges, and both devices converge`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", ["title": "t", "note": "n"])
      for (first, second) in [(phone, laptop), (laptop, phone)] {
        let (one, other) = (try await first.fetch("a"), try await second.fetch("a"))
        one["title"] = "by the first"
        other["note"] = "by the second"
        try await first.database.save(one)
        let error = try await failure { try await second.database.save(other) }
        let merged = try #require(error.serverRecord)
        merged["note"] = other["note"] as String?
        try await second.database.save(merged)
        for device in [phone, laptop] {
          let now = try await device.fetch("a")
          #expect(now["title"] == "by the first" && now["note"] == "by the second")
          now["title"] = "t"
        }
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-09 SAV-10 changed keys are saved whatever the tag, and other fields stay`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let mine = try await phone.save("a", ["one": 1, "two": 1])
      let theirs = try await laptop.fetch("a")
      theirs["two"] = 2
      try await laptop.database.save(theirs)
      mine["one"] = 2
      let results = try await phone.database.modifyRecords(
        saving: [mine], deleting: [], savePolicy: .changedKeys)
      let saved = try #require(try results.saveResults[mine.recordID]?.get())
      #expect(saved["one"] == 2)
      let now = try await laptop.fetch("a")
      #expect(now["one"] == 2 && now["two"] == 2)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-10 SAV-11 all keys overwrite what the client knows and leave what it does not`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let mine = try await phone.save("a", ["one": 1])
      let theirs = try await laptop.fetch("a")
      theirs["one"] = 7
      theirs["extra"] = "kept"
      try await laptop.database.save(theirs)
      let results = try await phone.database.modifyRecords(
        saving: [mine], deleting: [], savePolicy: .allKeys)
      #expect(results.saveResults[mine.recordID]?.failure == nil)
      let now = try await laptop.fetch("a")
      #expect(now["one"] == 1 && now["extra"] == "kept")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-12 an older app keeps the fields that it does not know`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (new, old) = try await fixture.pair()
      try await new.save("a", ["title": "x", "colour": "red", "tags": ["a", "b"]])
      let record = try await old.fetch("a")
      record["title"] = "y"
      try await old.database.save(record)
      let now = try await new.fetch("a")
      #expect(now["title"] == "y" && now["colour"] == "red")
      #expect(now["tags"] as? [String] == ["a", "b"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-13 changing a record object does not touch the server`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let saved = try await phone.save("a", ["title": "x"])
      saved["title"] = "changed after saving"
      let fetched = try await phone.fetch("a")
      #expect(fetched["title"] == "x")
      fetched["title"] = "changed after fetching"
      #expect(try await phone.fetch("a")["title"] == "x")
      let changes = try await phone.changes()
      changes.changed.first?["title"] = "changed after a change fetch"
      #expect(try await phone.changes().changed.first?["title"] == "x")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-14 SAV-15 one record twice in an operation is refused, and nothing is saved`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      let operations = [
        CKModifyRecordsOperation(
          recordsToSave: [phone.record("a", ["n": 1]), phone.record("a", ["n": 2])]),
        CKModifyRecordsOperation(
          recordsToSave: [phone.record("a")], recordIDsToDelete: [.named("a")]),
      ]
      for operation in operations {
        var overall: CKError?
        operation.modifyRecordsCompletionBlock = { overall = $2 as? CKError }
        await phone.run(operation)
        #expect(overall?.code == .invalidArguments)
        #expect(overall?.localizedDescription.contains("'a'") == true)
      }
      #expect(try await phone.changes().changed.isEmpty)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-22 single failures are in the results by record, the call as a whole works`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.save("taken")
      let results = try await phone.database.modifyRecords(
        saving: [phone.record("taken"), phone.record("new")], deleting: [], atomically: false)
      #expect(results.saveResults[.named("taken")]?.failure?.code == .serverRecordChanged)
      #expect(try results.saveResults[.named("new")]?.get().recordChangeTag != nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-36 save, delete and save again under one name reaches others as a change`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", ["n": 1])
      let token = try await laptop.changes().token
      try await phone.database.deleteRecord(withID: .named("a"))
      try await phone.save("a", ["n": 2])
      let changes = try await laptop.changes(since: token)
      #expect(changes.summary == ["+a"] && changes.changed.first?["n"] == 2)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-41 all keys of a partly fetched record are those that were fetched`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a", ["one": 1, "two": 1])
      let results = try await laptop.database.records(for: [.named("a")], desiredKeys: ["one"])
      let part = try #require(try results[.named("a")]?.get())
      part["one"] = 2
      part["three"] = 3
      _ = try await laptop.database.modifyRecords(
        saving: [part], deleting: [], savePolicy: .allKeys)
      let now = try await phone.fetch("a")
      #expect(now["one"] == 2 && now["two"] == 1 && now["three"] == 3)
    }
  }
}
