// The Swift text of docs/languages/swift.md, in functions that tests run.

import BrumeTesting
import CloudKit
import Foundation
import Testing

extension SnippetRuns {
  @Test func `Swift: the first program saves a hike and finds it`() async throws {
    let server = try await LocalServer()
    let CKContainer = DefaultContainer(container: try await server.device("phone", of: "alice"))
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    // Text docs/languages/swift.md 2
    let database = CKContainer.default().privateCloudDatabase
    let trails = CKRecordZone(zoneName: "Coast")
    try await database.save(trails)

    let lake = CKRecord(
      recordType: "Hike", recordID: CKRecord.ID(recordName: "H-1", zoneID: trails.zoneID))
    lake["title"] = "Lake path"
    lake["km"] = 12.5
    try await database.save(lake)

    let long = CKQuery(recordType: "Hike", predicate: NSPredicate(format: "km > %d", 10))
    let (found, _) = try await database.records(matching: long, inZoneWith: trails.zoneID)
    print(found.count, "hike is longer than 10 km")
    // End
    #expect(printed == ["1 hike is longer than 10 km"])
  }

  @Test func `Swift: a program says where its server is`() throws {
    let server = URL(filePath: "/")
    let (apiToken, stateDirectory) = ("api", NSTemporaryDirectory())
    // Text docs/languages/swift.md 3
    let container = Brume.container(
      Brume.Configuration(
        url: server, container: "iCloud.org.example.trails", environment: .production,
        apiToken: apiToken, stateDirectory: stateDirectory))
    // End
    #expect(container.containerIdentifier == "iCloud.org.example.trails")
  }

  @Test func `Swift: a second device of the environment's user`() throws {
    typealias Brume = BrumeOfEnvironment
    // Text docs/languages/swift.md 4
    let laptop = Brume.container(
      try Brume.Configuration(environmentOf: "alice", deviceID: "laptop"))
    // End
    #expect(laptop.containerIdentifier == "iCloud.test")
  }

  @Test func `Swift: a user signs in`() async throws {
    let server = try await LocalServer()
    let container = try await server.device("phone", of: "alice")
    let token = "account"
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    // Text docs/languages/swift.md 5
    Brume.signIn(userToken: token, to: container)
    if try await container.accountStatus() == .available {
      print("signed in as", try await container.userRecordID().recordName)
    }
    // End
    #expect(printed.first?.hasPrefix("signed in as _") == true)
  }

  @Test func `Swift: an app notices that its user has signed out`() async throws {
    let server = try await LocalServer()
    let container = try await server.device("phone", of: "alice")
    let signOut = Task {
      while !Task.isCancelled {
        Brume.signOut(of: container)
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    // Text docs/languages/swift.md 6
    let changes = NotificationCenter.default.notifications(
      named: .CKAccountChanged, object: container)
    for await _ in changes {
      if try await container.accountStatus() == .noAccount { break }
    }
    // End
    signOut.cancel()
    #expect(try await container.accountStatus() == .noAccount)
  }

  @Test func `Swift: a device is notified`() async throws {
    let server = try await LocalServer()
    let container = try await server.device("phone", of: "alice")
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(CKRecordZone(zoneName: "Trails"))
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    func fetchChanges() async { try? server.signOut("phone") }
    let saving = Task {
      // Whenever the device is there, it is notified.
      for number in 0..<1000 where !Task.isCancelled {
        let zone = CKRecordZone.ID(zoneName: "Trails")
        try await laptop.save(
          CKRecord(
            recordType: "Hike", recordID: CKRecord.ID(recordName: "\(number)", zoneID: zone)))
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    // Text docs/languages/swift.md 7
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    let subscription = CKDatabaseSubscription(subscriptionID: "all")
    subscription.notificationInfo = info
    try await container.privateCloudDatabase.save(subscription)

    try await Brume.registerForRemoteNotifications(for: container)
    for await userInfo in Brume.remoteNotifications(for: container) {
      let push = CKNotification(fromRemoteNotificationDictionary: userInfo)
      print("fetch, because of", push?.subscriptionID ?? "many changes")
      await fetchChanges()
    }
    // End
    saving.cancel()
    #expect(printed == ["fetch, because of all"])
  }

  @Test func `Swift: a share is accepted by its address`() async throws {
    let server = try await LocalServer()
    let alice = try await server.device("phone", of: "alice")
    let container = try await server.device("tablet", of: "bob")
    let zone = CKRecordZone(zoneName: "Trails")
    try await alice.privateCloudDatabase.save(zone)
    let share = CKShare(recordZoneID: zone.zoneID)
    share.publicPermission = .readOnly
    let saved = try await alice.privateCloudDatabase.save(share) as? CKShare
    let url = try #require(saved?.url)
    var printed: [String] = []
    func print(_ values: Any...) { printed.append(values.map { "\($0)" }.joined(separator: " ")) }
    // Text docs/languages/swift.md 8
    let metadata = try await container.shareMetadata(for: url)
    try await container.accept(metadata)
    let zones = try await container.sharedCloudDatabase.allRecordZones()
    print(zones.count, "zones are shared with this user")
    // End
    #expect(printed == ["1 zones are shared with this user"])
  }
}

// Text docs/languages/swift.md 9
@Test(.brume(users: "alice", "bob")) func `bob gets what alice shares`() async throws {
  let server = try LocalServer.current
  let zone = CKRecordZone.ID(zoneName: "Trails")
  let hike = CKRecord(
    recordType: "Hike", recordID: CKRecord.ID(recordName: "H-1", zoneID: zone))
  let share = try await server.share(hike, from: "alice", with: "bob", permission: .readOnly)
  #expect(share.url != nil)
  let zones = try await server["bob"].sharedCloudDatabase.allRecordZones()
  #expect(zones.map(\.zoneID.zoneName) == ["Trails"])
}
// End
