import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct ChangesTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")
  private static let zone = ZoneID(name: "Notes", ownerName: "_me")

  private static func page(
    _ names: [String], deleted: [String] = [], token: String, more: Bool = false
  ) -> ZoneChangesResult {
    .success(
      ZoneChangesPage(
        zone: zone,
        changes: names.map { .changed(stored($0)) }
          + deleted.map { .deleted(name: $0, type: "Note", sequence: 2) },
        token: token, moreComing: more))
  }

  private func observed(
    _ operation: CKFetchRecordZoneChangesOperation, _ journal: Journal
  ) -> CKFetchRecordZoneChangesOperation {
    operation.recordWasChangedBlock = { journal.note("changed \($0.recordName) \(outcome($1))") }
    operation.recordChangedBlock = { _ in journal.note("never") }
    operation.recordWithIDWasDeletedBlock = { journal.note("deleted \($0.recordName) \($1)") }
    operation.recordZoneChangeTokensUpdatedBlock = {
      journal.note("token \($1?.text ?? "-") \($2 == nil)")
    }
    operation.recordZoneFetchResultBlock = { zone, result in
      switch result {
      case .success(let end):
        journal.note("\(zone.zoneName) \(end.serverChangeToken.text) \(end.moreComing)")
      case .failure(let error): journal.note("\(zone.zoneName) \(code(error))")
      }
    }
    operation.fetchRecordZoneChangesResultBlock = { journal.note("end \(outcome($0))") }
    operation.fetchRecordZoneChangesCompletionBlock = { journal.note("old end \(code($0))") }
    return operation
  }

  @Test func `CHG-08 all changes are fetched page by page, with a token after each but the last`()
    async throws
  {
    let server = ScriptedServer { _, number in
      Wire.zoneChanges(
        [
          number == 0
            ? Self.page(["a"], token: "1", more: true)
            : Self.page(["b"], deleted: ["c"], token: "2")
        ], RecordOptions())
    }
    let journal = Journal()
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
    configuration.previousServerChangeToken = CKServerChangeToken(text: "0")
    configuration.desiredKeys = []
    let operation = observed(
      CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneID], configurationsByRecordZoneID: [zoneID: configuration]), journal)
    operation.database = server.container.privateCloudDatabase
    await finish(operation)
    #expect(
      journal.all == [
        "changed a ok", "token 1 true", "changed b ok", "deleted c Note", "Notes 2 false",
        "end ok", "old end nil",
      ])
    let questions = try server.requests.flatMap {
      try Wire.zoneChangesRequests(try #require($0.body))
    }
    #expect(questions.map(\.token) == ["0", "1"])
    #expect(questions.map(\.desiredKeys) == [[], []])
  }

  @Test func `CHG-27 without fetchAllChanges one request is made and says that there is more`()
    async
  {
    let server = ScriptedServer { _, _ in
      Wire.zoneChanges([Self.page(["a"], token: "1", more: true)], RecordOptions())
    }
    let journal = Journal()
    let operation = observed(CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneID]), journal)
    operation.fetchAllChanges = false
    operation.database = server.container.privateCloudDatabase
    await finish(operation)
    #expect(journal.all == ["changed a ok", "Notes 1 true", "end ok", "old end nil"])
  }

  @Test func `CHG-22 an expired token fails its zone only`() async {
    let server = ScriptedServer { _, number in
      Wire.zoneChanges(
        [
          number == 0
            ? .failure(ItemFailure(ZoneID(name: "Old"), BrumeError(.changeTokenExpired, "old")))
            : Self.page(["a"], token: "1")
        ], RecordOptions())
    }
    let journal = Journal()
    let operation = observed(
      CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [CKRecordZone.ID(zoneName: "Old"), zoneID]), journal)
    operation.database = server.container.privateCloudDatabase
    await finish(operation)
    #expect(
      journal.all == [
        "Old changeTokenExpired", "changed a ok", "Notes 1 false", "end ok",
        "old end partialFailure",
      ])
  }

  @Test func `CHG-28 a server that stands still is not asked for ever`() async {
    let server = ScriptedServer { _, _ in
      Wire.zoneChanges([Self.page([], token: "1", more: true)], RecordOptions())
    }
    let journal = Journal()
    let operation = observed(CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneID]), journal)
    operation.database = server.container.privateCloudDatabase
    await finish(operation)
    #expect(server.requests.count == 2)
    #expect(journal.all.contains("Notes internalError"))
  }

  @Test func `CHG-25 zones that are gone come with their reason`() async {
    let server = ScriptedServer { _, number in
      let zones: [ZoneState] = [
        ZoneState(zone: Self.zone, isAtomic: true),
        ZoneState(zone: ZoneID(name: "D"), isAtomic: true, deletion: .deleted),
        ZoneState(zone: ZoneID(name: "P"), isAtomic: true, deletion: .purged),
        ZoneState(zone: ZoneID(name: "R"), isAtomic: true, deletion: .encryptedDataReset),
      ]
      return Wire.databaseChanges(
        DatabaseChangesPage(
          zones: number == 0 ? zones : [], token: "\(number)", moreComing: number == 0))
    }
    let journal = Journal()
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
    operation.database = server.container.privateCloudDatabase
    operation.recordZoneWithIDChangedBlock = { journal.note("changed \($0.zoneName)") }
    operation.recordZoneWithIDWasDeletedBlock = { journal.note("deleted \($0.zoneName)") }
    operation.recordZoneWithIDWasPurgedBlock = { journal.note("purged \($0.zoneName)") }
    operation.changeTokenUpdatedBlock = { journal.note("token \($0.text)") }
    operation.fetchDatabaseChangesResultBlock = { result in
      if case .success((let token, let more)) = result { journal.note("\(token.text) \(more)") }
    }
    operation.fetchDatabaseChangesCompletionBlock = {
      journal.note("old \($0?.text ?? "-") \($1) \(code($2))")
    }
    await finish(operation)
    #expect(
      journal.all == [
        "changed Notes", "deleted D", "purged P", "deleted R", "token 0", "token 1", "1 false",
        "old 1 false nil",
      ])
  }

  @Test func `SAV-39 a cancelled page of zones gives no token, which would skip the rest`() async {
    let server = ScriptedServer { _, _ in
      Wire.databaseChanges(
        DatabaseChangesPage(
          zones: ["A", "B"].map { ZoneState(zone: ZoneID(name: $0), isAtomic: true) }, token: "1",
          moreComing: false))
    }
    let journal = Journal()
    let operation = CKFetchDatabaseChangesOperation()
    operation.database = server.container.privateCloudDatabase
    operation.recordZoneWithIDChangedBlock = {
      journal.note($0.zoneName)
      operation.cancel()
    }
    operation.changeTokenUpdatedBlock = { journal.note("token \($0.text)") }
    operation.fetchDatabaseChangesCompletionBlock = {
      journal.note("\($0?.text ?? "-") \(code($2))")
    }
    await finish(operation)
    #expect(journal.all == ["A", "- operationCancelled"])
  }

  @Test func `a failure of database changes is a failure of the operation`() async {
    let server = ScriptedServer { _, _ in throw BrumeError(.changeTokenExpired, "old") }
    let journal = Journal()
    let operation = CKFetchDatabaseChangesOperation()
    operation.database = server.container.privateCloudDatabase
    operation.fetchDatabaseChangesResultBlock = { result in
      if case .failure(let error) = result { journal.note(code(error)) }
    }
    operation.fetchDatabaseChangesCompletionBlock = {
      journal.note("\($0 == nil) \($1) \(code($2))")
    }
    await finish(operation)
    #expect(journal.all == ["changeTokenExpired", "true false changeTokenExpired"])
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `the older options of zones say what to fetch, live, and can be stored`() async throws
  {
    let server = ScriptedServer { _, _ in
      Wire.zoneChanges([Self.page(["a"], token: "1")], RecordOptions())
    }
    let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
    options.resultsLimit = 5
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zoneID], optionsByRecordZoneID: [zoneID: options])
    // Both forms are the same options.
    options.previousServerChangeToken = CKServerChangeToken(text: "0")
    operation.configurationsByRecordZoneID?[zoneID]?.desiredKeys = ["title"]
    #expect(operation.optionsByRecordZoneID?[zoneID]?.desiredKeys == ["title"])
    operation.database = server.container.privateCloudDatabase
    await finish(operation)
    let zone = try #require(server.requests.first?.body?["zones"]?.array?.first)
    #expect(zone["syncToken"] == "0" && zone["resultsLimit"] == 5)
    #expect(zone["desiredKeys"] == ["title"])

    let copy = try #require(options.copy() as? CKFetchRecordZoneChangesOperation.ZoneOptions)
    copy.desiredKeys = []
    #expect(options.desiredKeys == ["title"])
    let data = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
    let back = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKFetchRecordZoneChangesOperation.ZoneOptions.self, from: data))
    #expect(back.previousServerChangeToken?.text == "0" && back.desiredKeys == [])
  }

  @Test func `tokens and configurations can be stored`() throws {
    let token = CKServerChangeToken(text: "opaque")
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    let restored = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data))
    #expect(restored == token && restored !== token)
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
      previousServerChangeToken: token, resultsLimit: 5, desiredKeys: [])
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: configuration, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKFetchRecordZoneChangesOperation.ZoneConfiguration.self, from: archive))
    #expect(copy.previousServerChangeToken == token)
    #expect(copy.resultsLimit == 5 && copy.desiredKeys == [])
    copy.desiredKeys = nil
    #expect(configuration.desiredKeys == [])
  }
}
