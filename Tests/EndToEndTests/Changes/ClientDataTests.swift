// `clientChangeTokenData`: what a device says with a save comes back with the zone's changes.

import BrumeKit
import Foundation
import Testing

extension Device {
  /// Saves a record with words of the device's own.
  fileprivate func save(_ name: String, saying text: String?) async throws {
    let operation = CKModifyRecordsOperation(recordsToSave: [record(name)])
    operation.savePolicy = .allKeys
    operation.clientChangeTokenData = text.map { Data($0.utf8) }
    var result: Result<Void, any Error>?
    operation.modifyRecordsResultBlock = { result = $0 }
    await run(operation, on: database)
    try #require(result).get()
  }

  /// What the zone's changes give back.
  fileprivate func received() async throws -> String? {
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [.named("Z")])
    var data: Data?
    operation.recordZoneFetchResultBlock = { data = (try? $1.get())?.clientChangeTokenData }
    await run(operation, on: database)
    return data.map { String(decoding: $0, as: UTF8.self) }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct ClientDataTests {
  @Test(arguments: StorageEngine.allCases)
  func `a device gets what it said with its last save in the zone, others do not`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      #expect(try await phone.received() == nil)
      try await phone.save("a", saying: "one")
      #expect(try await phone.received() == "one")
      #expect(try await laptop.received() == nil)
      try await laptop.save("b", saying: "from the laptop")
      try await phone.save("a", saying: "two")
      try await phone.save("a", saying: nil)
      #expect(try await phone.received() == "two")
      #expect(try await laptop.received() == "from the laptop")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a device that says the same with each save loses none of them`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.pair().phone
      for text in ["first", "second", "third"] {
        for name in ["a", "b"] {
          let record = phone.record(name)
          record["title"] = text
          let operation = CKModifyRecordsOperation(recordsToSave: [record])
          operation.savePolicy = .allKeys
          operation.clientChangeTokenData = Data("the phone".utf8)
          await phone.run(operation, on: phone.database)
          #expect(record["title"] == text)
        }
        for name in ["a", "b"] {
          let kept = try await phone.database.record(for: .named(name))
          #expect(kept["title"] == text)
        }
      }
      #expect(try await phone.received() == "the phone")
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a zone made again has no data of the earlier one`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.pair().phone
      try await phone.save("a", saying: "one")
      try await phone.database.deleteRecordZone(withID: .named("Z"))
      try await phone.makeZone("Z")
      #expect(try await phone.received() == nil)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `data beyond a kilobyte is refused`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let phone = try await fixture.pair().phone
      let long = try await failure {
        try await phone.save("a", saying: String(repeating: "x", count: 1025))
      }
      #expect(long.code == .invalidArguments)
    }
  }
}
