import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct PushFaultTests {
  /// Alice's phone listens to what her laptop saves.
  private final class ListeningFixture {
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
    let fixture = try await ListeningFixture()
    try await fixture.save("a")
    #expect(try await fixture.next().hasSuffix("Something changed"))
  }

  @Test func `a dropped push never comes, and the next one does`() async throws {
    let fixture = try await ListeningFixture()
    fixture.server.faults.add(.droppedPush)
    try await fixture.save("a")
    try await fixture.server.pushFaultWasApplied()
    try await fixture.save("b")
    _ = try await fixture.next()
    #expect(fixture.server.faults.waiting == 0)
  }

  @Test func `a duplicated push comes twice, under two names`() async throws {
    let fixture = try await ListeningFixture()
    fixture.server.faults.add(.duplicatedPush)
    try await fixture.save("a")
    let (first, second) = (try await fixture.next(), try await fixture.next())
    #expect(first != second)
  }

  @Test func `a held push comes when it is released, after later ones`() async throws {
    let fixture = try await ListeningFixture()
    fixture.server.faults.add(.heldPush)
    try await fixture.save("a")
    try await fixture.server.pushFaultWasApplied()
    try await fixture.save("b")
    let first = try await fixture.next()
    #expect(try await fixture.server.releasePushes() == 1)
    #expect(try await fixture.next() != first)
  }
}

extension LocalServer {
  /// Waits until the stream of the device has met its fault.
  func pushFaultWasApplied() async throws {
    try await settle()
    while faults.waiting > 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}
