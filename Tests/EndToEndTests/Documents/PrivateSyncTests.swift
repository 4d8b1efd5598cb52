// Document 001, the "Example Flow": two devices of one user and a zone "Contacts".

import BrumeKit
import Foundation
import Testing

/// The sample's app on one device. What it stores, it stores as data, as the sample does.
private final class ContactsApp {
  let device: Device
  let zoneID = CKRecordZone.ID(zoneName: "Contacts")
  private(set) var contacts: [CKRecord.ID: String] = [:]
  private(set) var lastFetched: [String] = []
  private(set) var storedToken: Data?

  init(_ device: Device) { self.device = device }

  /// First launch: the zone, the subscription, the latest changes.
  func launch() async throws {
    try await device.database.save(CKRecordZone(zoneID: zoneID))
    try await device.database.save(
      CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "changes-subscription-id").silent())
    try await fetchLatestChanges()
  }

  func add(_ name: String) async throws {
    let record = CKRecord(
      recordType: "SavedContact",
      recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: zoneID))
    record["name"] = name
    contacts[try await device.database.save(record).recordID] = name
  }

  func delete(_ name: String) async throws {
    guard let id = contacts.first(where: { $0.value == name })?.key else { return }
    try await device.database.deleteRecord(withID: id)
    contacts[id] = nil
  }

  func received(_ userInfo: [AnyHashable: Any]) async throws {
    let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
    #expect(notification?.subscriptionID == "changes-subscription-id")
    #expect((notification as? CKRecordZoneNotification)?.recordZoneID == zoneID)
    try await fetchLatestChanges()
  }

  func fetchLatestChanges() async throws {
    lastFetched = []
    var awaitingChanges = true
    while awaitingChanges {
      let changes = try await device.database.recordZoneChanges(
        inZoneWith: zoneID, since: try storedToken.map { try Archive.token($0) })
      for result in changes.modificationResultsByID.values {
        let record = try result.get().record
        contacts[record.recordID] = record["name"]
        lastFetched.append(record["name"] ?? "")
      }
      for deletion in changes.deletions { contacts[deletion.recordID] = nil }
      storedToken = try Archive.data(changes.changeToken)
      awaitingChanges = changes.moreComing
    }
  }

  var names: [String] { contacts.values.sorted() }
}

@Suite(.timeLimit(.minutes(10)))
struct PrivateSyncTests {
  @Test(arguments: StorageEngine.allCases)
  func `001 a contact that one device adds shows on the other, and only what is new is fetched`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let apps = (
        device: ContactsApp(try await fixture.device("alice", "device")),
        simulator: ContactsApp(try await fixture.device("alice", "simulator"))
      )
      let inbox = try await Inbox(apps.device.device)
      let back = try await Inbox(apps.simulator.device)
      // 1. Latest changes are fetched and a change token is stored.
      try await apps.device.launch()
      #expect(apps.device.storedToken != nil && apps.device.names.isEmpty)
      // 2. The same on a simulator, and a new contact.
      try await apps.simulator.launch()
      try await apps.simulator.add("Ada")
      // 3. and 4. A background push, and the device fetches only the new contact.
      try await apps.device.received(try await inbox.userInfo())
      #expect(apps.device.lastFetched == ["Ada"])
      try await apps.simulator.add("Grace")
      try await apps.device.received(try await inbox.userInfo())
      #expect(apps.device.lastFetched == ["Grace"] && apps.device.names == ["Ada", "Grace"])
      // The other way round: the first push of the simulator is about the device's change.
      try await apps.device.delete("Ada")
      try await apps.simulator.received(try await back.userInfo())
      #expect(apps.simulator.names == ["Grace"] && apps.device.names == ["Grace"])
    }
  }
}
