// The Swift text of the documents, as it stands there, in functions that tests run. A text begins after a
// line `// Text PAGE NUMBER` and ends at `// End`; SnippetTests compares it with the page.

import BrumeTesting
import CloudKit
import Foundation
import Testing

/// What stands for `CKContainer` in texts that use the default container: a container of the test.
struct DefaultContainer: Sendable {
  let container: CKContainer
  func `default`() -> CKContainer { container }
}

/// What stands for `Brume` in texts that take what the environment says: a fixed environment.
enum BrumeOfEnvironment {
  static func container(_ settings: CloudKit.Brume.Configuration) -> CKContainer {
    CloudKit.Brume.container(settings)
  }
  static func Configuration(
    environmentOf user: String, deviceID: String
  ) throws -> CloudKit.Brume.Configuration {
    try CloudKit.Brume.Configuration(
      environmentOf: user, deviceID: deviceID,
      variables: [
        "BRUME_URL": "http://127.0.0.1:1", "BRUME_CONTAINER": "iCloud.test",
        "BRUME_API_TOKEN": "api", "BRUME_USER_TOKEN_ALICE": "alice",
      ])
  }
}

@Suite(.timeLimit(.minutes(10))) struct SnippetRuns {
  private func container(of user: String = "alice") async throws -> (LocalServer, DefaultContainer)
  {
    let server = try await LocalServer()
    return (server, DefaultContainer(container: try await server.device("phone", of: user)))
  }

  @Test func `README: the first program saves a contact and fetches it`() async throws {
    let (_, CKContainer) = try await container()
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    // Text README.md 1
    let database = CKContainer.default().privateCloudDatabase
    let zone = CKRecordZone(zoneName: "Contacts")
    try await database.save(zone)

    let subscription = CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "contacts")
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    try await database.save(subscription)

    let id = CKRecord.ID(recordName: "ada", zoneID: zone.zoneID)
    let contact = CKRecord(recordType: "Contact", recordID: id)
    contact["name"] = "Ada Lovelace"
    try await database.save(contact)

    let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    print(changes.modificationResultsByID.count, "contact")
    // End
    #expect(printed == ["1 contact"])
  }

  @Test func `the console's first program saves a note and finds it`() async throws {
    let (_, CKContainer) = try await container()
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    // Text Sources/BrumeConsole/web/pages/start-programs.js 1
    let database = CKContainer.default().publicCloudDatabase
    let note = CKRecord(recordType: "Note")
    note["title"] = "hello"
    try await database.save(note)

    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let (found, _) = try await database.records(matching: query)
    print(found.count, "notes")
    // End
    #expect(printed == ["1 notes"])
  }

  /// Alice's phone is notified of a change in the zone `Contacts`, or of a database, once it is made.
  private func listening(
    to subscription: CKSubscription
  ) async throws -> (LocalServer, DefaultContainer, change: @Sendable () async throws -> Void) {
    let (server, phone) = try await container()
    let zoneID = CKRecordZone.ID(zoneName: "Contacts")
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneID: zoneID))
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    try await phone.container.privateCloudDatabase.save(subscription)
    try await Brume.registerForRemoteNotifications(for: phone.container)
    return (
      server, phone,
      {
        try await laptop.save(
          CKRecord(recordType: "Contact", recordID: CKRecord.ID(zoneID: zoneID)))
      }
    )
  }

  @Test func `README: another device is notified of the change`() async throws {
    let zone = CKRecordZone.ID(zoneName: "Contacts")
    let (server, CKContainer, change) = try await listening(
      to: CKRecordZoneSubscription(zoneID: zone, subscriptionID: "contacts"))
    try await change()
    var printed: [String] = []
    // The loop ends when the account goes.
    func print(_ values: Any...) {
      printed.append(values.map { "\($0)" }.joined(separator: " "))
      try? server.signOut("phone")
    }
    // Text README.md 2
    for await userInfo in Brume.remoteNotifications(for: CKContainer.default()) {
      guard let push = CKNotification(fromRemoteNotificationDictionary: userInfo) else { continue }
      print(push.subscriptionID ?? "-", "says: something changed, fetch")
    }
    // End
    #expect(printed == ["contacts says: something changed, fetch"])
  }

  @Test func `docs/assets.md: a file goes and comes back`() async throws {
    let (_, CKContainer) = try await container()
    let database = CKContainer.default().privateCloudDatabase
    let photo = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)")
    try Data("photo".utf8).write(to: photo)
    defer { try? FileManager.default.removeItem(at: photo) }
    // Text docs/assets.md 1
    let record = CKRecord(recordType: "Hike")
    record["photo"] = CKAsset(fileURL: photo)
    try await database.save(record)  // sends the file, then the record
    let fetched = try await database.record(for: record.recordID)
    let file = (fetched["photo"] as? CKAsset)?.fileURL  // fetched with the record
    // End
    #expect(try Data(contentsOf: try #require(file)) == Data("photo".utf8))
  }

  @Test func `BrumeKit: a note is saved`() async throws {
    let (_, CKContainer) = try await container()
    // Text Sources/BrumeKit/BrumeKit.docc/BrumeKit.md 1
    let database = CKContainer.default().privateCloudDatabase
    let note = CKRecord(recordType: "Note")
    note["title"] = "Milk"
    try await database.save(note)
    // End
    #expect(try await database.record(for: note.recordID)["title"] == "Milk")
  }

  @Test func `From Apple's CloudKit to Brume: two devices of the environment's user`() throws {
    typealias Brume = BrumeOfEnvironment
    // Text Sources/BrumeKit/BrumeKit.docc/FromCloudKitToBrume.md 2
    let phone = Brume.container(
      try Brume.Configuration(environmentOf: "alice", deviceID: "phone"))
    let laptop = Brume.container(
      try Brume.Configuration(environmentOf: "alice", deviceID: "laptop"))
    // End
    #expect(phone !== laptop && phone.containerIdentifier == "iCloud.test")
  }

  @Test func `Notifications on Linux: a database push says that something changed`() async throws {
    let (server, CKContainer, change) = try await listening(
      to: CKDatabaseSubscription(subscriptionID: "all"))
    try await change()
    var fetches = 0
    func fetchChanges() async {
      fetches += 1
      try? server.signOut("phone")
    }
    // Text Sources/BrumeKit/BrumeKit.docc/NotificationsOnLinux.md 1
    // Text Sources/BrumeKit/Brume/Brume.swift 1
    for await userInfo in Brume.remoteNotifications(for: CKContainer.default()) {
      let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
      if notification?.notificationType == .database { await fetchChanges() }
    }
    // End
    #expect(fetches == 1)
  }
}

extension SnippetRuns {
  @Test func `A first hour: a Swift program changes what curl has saved`() async throws {
    let (server, CKContainer) = try await container()
    let curl = try await server.device("shell", of: "alice").privateCloudDatabase
    try await curl.save(CKRecordZone(zoneName: "Trails"))
    let saved = CKRecord(
      recordType: "Hike",
      recordID: CKRecord.ID(recordName: "H-1", zoneID: CKRecordZone.ID(zoneName: "Trails")))
    saved["title"] = "Lake path"
    saved["km"] = 13.0
    try await curl.save(saved)
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    // Text docs/first-hour.md 2
    let database = CKContainer.default().privateCloudDatabase
    let trails = CKRecordZone.ID(zoneName: "Trails")

    let lake = try await database.record(for: CKRecord.ID(recordName: "H-1", zoneID: trails))
    print("saved by curl:", lake["title"] as? String ?? "nothing")

    lake["km"] = 13.5
    try await database.save(lake)

    let long = CKQuery(recordType: "Hike", predicate: NSPredicate(format: "km > 13"))
    let (found, _) = try await database.records(matching: long, inZoneWith: trails)
    print(found.count, "hike is longer than 13 km")
    // End
    #expect(printed == ["saved by curl: Lake path", "1 hike is longer than 13 km"])
  }
}

extension SnippetRuns {
  @Test func `Apple's platforms: an app says where its server is`() throws {
    let (server, apiToken, userToken) = (URL(filePath: "/"), "api", "user")
    let (deviceID, stateDirectory) = ("phone", NSTemporaryDirectory())
    // Text docs/apple-platforms.md 4
    let container = Brume.container(
      Brume.Configuration(
        url: server, container: "iCloud.org.example.trails", environment: .production,
        apiToken: apiToken, userToken: userToken, deviceID: deviceID,
        stateDirectory: stateDirectory))
    // End
    #expect(container.containerIdentifier == "iCloud.org.example.trails")
  }

  @Test func `LocalServer: two devices of a user, and what will go wrong`() async throws {
    // Text Sources/BrumeTesting/LocalServer.swift 1
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice")
    let laptop = try await server.device("laptop", of: "alice")
    server.faults.add(.conflict.skipping(1), .error(.networkFailure), .expiredToken)
    // End
    #expect(phone !== laptop && server.faults.waiting == 3)
  }

  @Test func `CKSyncEngine: an engine with a change that waits`() async throws {
    let (_, CKContainer) = try await container()
    let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes"))
    let engine = InTheComment().start(CKContainer.default(), nil, id)
    #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(id)])
    await engine.cancelOperations()
  }
}

/// The delegate of a comment, which has nothing to send.
final class InTheComment: CKSyncEngineDelegate {
  func start(
    _ container: CKContainer, _ kept: CKSyncEngine.State.Serialization?, _ id: CKRecord.ID
  ) -> CKSyncEngine {
    // Text Sources/BrumeKit/SyncEngine/CKSyncEngine.swift 1
    let engine = CKSyncEngine(
      CKSyncEngine.Configuration(
        database: container.privateCloudDatabase, stateSerialization: kept, delegate: self))
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    // End
    return engine
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}

/// The class of the article, apart from the one of the example.
enum InTheArticle {
  // Text Sources/BrumeKit/BrumeKit.docc/TestingYourSyncCode.md 2
  actor NoteStore {
    private let database: CKDatabase
    init(container: CKContainer) { database = container.privateCloudDatabase }
  }
  // End
}
