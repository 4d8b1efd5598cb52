// What change feeds promise a client, through the module: CHG-20, CHG-21, FET-11, REF-06, REF-10, SHR-20.

import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct FeedCaseTests {
  private let zone = CKRecordZone.ID(zoneName: "Z")
  private let other = CKRecordZone.ID(zoneName: "Other")

  private func record(_ name: String, in zone: CKRecordZone.ID? = nil) -> CKRecord {
    CKRecord(
      recordType: "Note",
      recordID: CKRecord.ID(recordName: name, zoneID: zone ?? self.zone))
  }

  /// Alice's phone and laptop, and two zones.
  private func devices() async throws -> (
    server: LocalServer, phone: CKDatabase, laptop: CKDatabase
  ) {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice").privateCloudDatabase
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    _ = try await phone.modifyRecordZones(
      saving: [CKRecordZone(zoneID: zone), CKRecordZone(zoneID: other)], deleting: [])
    return (server, phone, laptop)
  }

  /// What a fetch returned: names in their order, records by name, and the token after it.
  // Sendable because it is handed over once.
  private struct Fetched: @unchecked Sendable {
    var order: [String] = []
    var records: [String: CKRecord] = [:]
    var token: CKServerChangeToken?
  }

  private func fetched(
    _ database: CKDatabase, _ zone: CKRecordZone.ID, since token: CKServerChangeToken? = nil
  ) async throws -> Fetched {
    try await withCheckedThrowingContinuation { continuation in
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zone],
        configurationsByRecordZoneID: [zone: .init(previousServerChangeToken: token)])
      var fetched = Fetched()
      operation.recordWasChangedBlock = { id, result in
        fetched.order.append(id.recordName)
        fetched.records[id.recordName] = try? result.get()
      }
      operation.recordZoneFetchResultBlock = { _, result in
        fetched.token = (try? result.get())?.serverChangeToken
        let all = fetched
        continuation.resume(with: result.map { _ in all })
      }
      database.add(operation)
    }
  }

  @Test func `CHG-20 whatever token is used, no fetch brings an older state than one before`()
    async throws
  {
    let (_, phone, laptop) = try await devices()
    let old = try await fetched(laptop, zone).token
    let saved = try await phone.save(record("a"))
    let first = try #require(try await fetched(laptop, zone, since: old).records["a"])
    saved["text"] = "new"
    try await phone.save(saved)
    for token in [old, nil] {
      let again = try #require(try await fetched(laptop, zone, since: token).records["a"])
      #expect(again["text"] == "new" && again.recordChangeTag != first.recordChangeTag)
      #expect(try #require(again.modificationDate) >= #require(first.modificationDate))
    }
  }

  @Test func `CHG-21 a record that comes again unchanged has its old tag and date`() async throws {
    let (_, phone, laptop) = try await devices()
    let saved = try await phone.save(record("a"))
    for _ in 1...2 {
      let fetched = try #require(try await fetched(laptop, zone).records["a"])
      #expect(fetched.recordChangeTag == saved.recordChangeTag)
      #expect(fetched.modificationDate == saved.modificationDate && fetched.changedKeys().isEmpty)
    }
  }

  @Test
  func `REF-06 FET-11 a child comes with its file before its parent if the parent changed later`()
    async throws
  {
    let (_, phone, laptop) = try await devices()
    let (parent, child) = (record("parent"), record("child"))
    child.setParent(parent)
    let file = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
    let content = Data("of \(file.path)".utf8)
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    child["file"] = CKAsset(fileURL: file)
    _ = try await phone.modifyRecords(saving: [child, parent], deleting: [])
    parent["text"] = "later"
    try await phone.save(parent)
    let fetched = try await fetched(laptop, zone)
    #expect(fetched.order == ["child", "parent"])
    #expect(fetched.records["child"]?.parent?.recordID == parent.recordID)
    let copy = try #require((fetched.records["child"]?["file"] as? CKAsset)?.fileURL)
    #expect(try Data(contentsOf: copy) == content)
  }

  @Test(arguments: [true, false])
  func `REF-10 a record that moves is a deletion here and a new record there, in any order`(
    destinationFirst: Bool
  ) async throws {
    let (_, phone, laptop) = try await devices()
    try await phone.save(record("a"))
    let known = try await laptop.recordZoneChanges(inZoneWith: zone, since: nil).changeToken
    let moved = record("a", in: other)
    let results = try await phone.modifyRecords(saving: [moved], deleting: [record("a").recordID])
    for result in results.saveResults.values { _ = try result.get() }
    for result in results.deleteResults.values { try result.get() }

    var seen: Set<CKRecord.ID> = [record("a").recordID]
    for place in destinationFirst ? [other, zone] : [zone, other] {
      let changes = try await laptop.recordZoneChanges(
        inZoneWith: place, since: place == zone ? known : nil)
      for deletion in changes.deletions { seen.remove(deletion.recordID) }
      seen.formUnion(changes.modificationResultsByID.keys)
    }
    #expect(seen == [moved.recordID])
  }

  @Test func `SHR-20 a share comes before its root if the root changed later`() async throws {
    let (server, phone, _) = try await devices()
    let root = record("root")
    let share = CKShare(rootRecord: root)
    share.publicPermission = .readOnly
    for result in try await phone.modifyRecords(saving: [root, share], deleting: []).saveResults
      .values
    { _ = try result.get() }
    let bob = try await server.device("tablet", of: "bob")
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    root["text"] = "later"
    try await phone.save(root)
    let shared = bob.sharedCloudDatabase
    let theirs = try #require(try await shared.allRecordZones().first).zoneID
    let fetched = try await fetched(shared, theirs)
    #expect(fetched.order == [share.recordID.recordName, "root"])
    #expect(fetched.records["root"]?.share?.recordID.recordName == share.recordID.recordName)
    #expect(fetched.records[share.recordID.recordName] is CKShare)
  }
}
