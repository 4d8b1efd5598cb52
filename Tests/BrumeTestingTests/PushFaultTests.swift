import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct PushFaultTests {
  /// Alice's phone listens to what her laptop saves.
  private final class Listening {
    let server: LocalServer
    private let laptop: CKDatabase
    private var pushes: AsyncStream<[AnyHashable: Any]>.Iterator
    private let zone = CKRecordZone.ID(zoneName: "Z")

    init() async throws {
      server = try await LocalServer()
      let phone = try await server.device("phone", of: "alice")
      laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
      let subscription = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "z")
      let info = CKSubscription.NotificationInfo()
      info.alertBody = "Something changed"
      subscription.notificationInfo = info
      try await laptop.save(CKRecordZone(zoneID: zone))
      try await phone.privateCloudDatabase.save(subscription)
      pushes = Brume.remoteNotifications(for: phone).makeAsyncIterator()
    }

    func save(_ name: String) async throws {
      try await laptop.save(
        CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone)))
    }

    func next() async throws -> String {
      let push = try #require(await pushes.next(isolation: #isolation))
      let note = try #require(CKNotification(fromRemoteNotificationDictionary: push))
      let ck = push["ck"] as? [String: Any]
      return try #require(ck?["nid"] as? String) + (note.alertBody ?? "")
    }
  }

  @Test func `a push arrives without a socket`() async throws {
    let world = try await Listening()
    try await world.save("a")
    #expect(try await world.next().hasSuffix("Something changed"))
  }

  @Test func `a dropped push never comes, and the next one does`() async throws {
    let world = try await Listening()
    world.server.faults.add(.droppedPush)
    try await world.save("a")
    try await world.server.pushFaultIsMet()
    try await world.save("b")
    _ = try await world.next()
    #expect(world.server.faults.waiting == 0)
  }

  @Test func `a duplicated push comes twice, under two names`() async throws {
    let world = try await Listening()
    world.server.faults.add(.duplicatedPush)
    try await world.save("a")
    let (first, second) = (try await world.next(), try await world.next())
    #expect(first != second)
  }

  @Test func `a held push comes when it is released, after later ones`() async throws {
    let world = try await Listening()
    world.server.faults.add(.heldPush)
    try await world.save("a")
    try await world.server.pushFaultIsMet()
    try await world.save("b")
    let first = try await world.next()
    #expect(try await world.server.releasePushes() == 1)
    #expect(try await world.next() != first)
  }
}

extension LocalServer {
  /// Waits until the stream of the device has met its fault.
  func pushFaultIsMet() async throws {
    try await settle()
    while faults.waiting > 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
