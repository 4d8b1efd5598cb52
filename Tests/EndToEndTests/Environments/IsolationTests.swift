// Containers and environments share nothing, and each has its own users' databases.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct IsolationTests {
  @Test(arguments: StorageEngine.allCases)
  func `containers and environments do not see each other's records, zones or subscriptions`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let here = try await fixture.device("alice", "phone")
      try await here.makeZone("Z")
      try await here.save("a")
      try await here.everybodys.save(here.record("a", zone: nil))
      try await here.database.save(CKDatabaseSubscription(subscriptionID: "all").silent())
      let token = try await here.changes().token
      let elsewhere = [
        try await fixture.device("alice", "phone", container: "iCloud.org.example.other"),
        try await fixture.device("alice", "phone", environment: .production),
      ]
      for other in elsewhere {
        #expect(try await other.database.allRecordZones().map(\.zoneID) == [.default])
        #expect(try await other.database.allSubscriptions().isEmpty)
        let missing = try await failure {
          try await other.everybodys.record(for: .named("a", zone: nil))
        }
        #expect(missing.code == .unknownItem)
        try await other.makeZone("Z")
        let expired = try await failure { _ = try await other.changes(since: token) }
        #expect(expired.code == .changeTokenExpired)
        #expect(try await other.changes().summary.isEmpty)
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `pushes stay in their container and environment`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let one = try await fixture.device("alice", "phone")
      let other = try await fixture.device("alice", "phone", container: "iCloud.org.example.other")
      let writers = [
        try await fixture.device("alice", "laptop"),
        try await fixture.device("alice", "laptop", container: "iCloud.org.example.other"),
      ]
      let inboxes = [try await Inbox(one), try await Inbox(other)]
      for (device, zone) in [(one, "One"), (other, "Other")] {
        try await device.makeZone(zone)
        try await device.database.save(CKDatabaseSubscription(subscriptionID: "all").silent())
      }
      for (writer, zone) in zip(writers, ["One", "Other"]) {
        try await writer.save("a", zone: zone)
      }
      for (inbox, zone) in zip(inboxes, ["One", "Other"]) {
        let userInfo = try await inbox.userInfo()
        #expect(Push(userInfo).about?["zid"] as? String == zone)
      }
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-31 SAV-32 production takes what was deployed and nothing new`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let development = try await fixture.device("alice", "phone")
      let production = try await fixture.device("alice", "phone", environment: .production)
      for device in [development, production] { try await device.makeZone("Z") }
      try await development.save("a", ["title": "x"])
      let early = try await failure { try await production.save("a", ["title": "x"]) }
      #expect(early.code == .invalidArguments)
      #expect(early.localizedDescription.contains("'Note'"))
      try await fixture.deploySchema()
      try await production.save("a", ["title": "x"])
      let unknown = try await failure { try await production.save("b", ["colour": "red"]) }
      #expect(unknown.code == .invalidArguments)
      #expect(unknown.localizedDescription.contains("colour"))
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a private database is its user's alone`(_ engine: StorageEngine) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let alice = try await fixture.device("alice", "phone")
      let bob = try await fixture.device("bob", "phone")
      try await alice.makeZone("Z")
      try await alice.save("a")
      let strange = try await failure { try await bob.fetch("a") }
      #expect(strange.code == .zoneNotFound)
      let user = try await alice.container.userRecordID()
      let zone = CKRecordZone.ID(zoneName: "Z", ownerName: user.recordName)
      let results = try await bob.shared.records(
        for: [CKRecord.ID(recordName: "a", zoneID: zone)])
      let error = try #require(results.values.first?.failure)
      #expect(error.code == .zoneNotFound)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `SAV-23 SAV-24 FET-12 everybody reads the public database, its creator writes a record`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let alice = try await fixture.device("alice", "phone")
      let bob = try await fixture.device("bob", "phone")
      let nobody = try await fixture.device(nil, "kiosk")
      try await alice.everybodys.save(alice.record("a", zone: nil, ["title": "x"]))
      let refusals: [(Device, CKError.Code)] = [
        (bob, .permissionFailure), (nobody, .notAuthenticated),
      ]
      for (reader, refusal) in refusals {
        let record = try await reader.everybodys.record(for: .named("a", zone: nil))
        #expect(record["title"] == "x")
        record["title"] = "y"
        let error = try await failure { try await reader.everybodys.save(record) }
        #expect(error.code == refusal)
      }
      #expect(try await nobody.container.accountStatus() == .noAccount)
      #expect(try await bob.container.accountStatus() == .available)
      let error = try await failure { try await nobody.fetch("a", zone: nil) }
      #expect(error.code == .notAuthenticated)
    }
  }
}
