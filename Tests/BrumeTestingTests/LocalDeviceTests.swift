// Devices of a server, and the processes on them.

import BrumeKit
import BrumeTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct LocalDeviceTests {
  private let zone = CKRecordZone.ID(zoneName: "Z")

  private func record(_ name: String) -> CKRecord {
    CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone))
  }

  /// A server with alice's phone, which asks for pushes of all that changes in her database, and her zone.
  private func phone() async throws -> (LocalServer, CKContainer, CKDatabase) {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice")
    let database = phone.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zone))
    let subscription = CKDatabaseSubscription(subscriptionID: "all")
    subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "News")
    try await database.save(subscription)
    return (server, phone, database)
  }

  @Test func `a device is one user's, whoever asks for it`() async throws {
    let (server, phone, _) = try await phone()
    #expect(try await server.device("phone", of: "alice") === phone)
    let error = await #expect(throws: OtherUsersDevice.self) {
      try await server.device("phone", of: "bob")
    }
    #expect(error?.description.contains("the device 'phone' has the account of 'alice'") == true)
    try server.signOut("phone")
    await #expect(throws: OtherUsersDevice.self) { try await server.device("phone", of: "alice") }
    try await server.signIn("phone", as: "bob")
    #expect(try await server.device("phone", of: "bob") === phone)
  }

  @Test func `devices can be made at the same time`() async throws {
    let server = try await LocalServer()
    async let phone = server.device("phone", of: "alice")
    async let again = server.device("phone", of: "alice")
    async let laptop = server.device("laptop", of: "alice")
    let (first, second) = try await (phone, again)
    #expect(first === second)
    let alice = try await first.userRecordID()
    #expect(try await laptop.userRecordID() == alice)
  }

  @Test func `PSH-08 a push waits for its device, however late that listens`() async throws {
    let (server, phone, _) = try await phone()
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(record("a"))
    try await server.settle()
    server.clock.advance(by: .seconds(3600))
    var pushes = Brume.remoteNotifications(for: phone).makeAsyncIterator()
    let push = await pushes.next(isolation: #isolation)
    #expect(push != nil)
  }

  @Test func `a device that starts again leaves nothing of the process before`() async throws {
    let (server, phone, database) = try await phone()
    var old = Brume.remoteNotifications(for: phone).makeAsyncIterator()
    let later = try server.restartedDevice("phone")
    let error = await #expect(throws: CKError.self) { try await database.save(record("a")) }
    #expect(error?.code == .operationCancelled)
    #expect(error?.localizedDescription.contains("restartedDevice") == true)
    let laptop = try await server.device("laptop", of: "alice").privateCloudDatabase
    try await laptop.save(record("b"))
    let end = await old.next(isolation: #isolation)
    #expect(end == nil)
    var new = Brume.remoteNotifications(for: later).makeAsyncIterator()
    let push = await new.next(isolation: #isolation)
    #expect(push != nil)
    let lost = await #expect(throws: CKError.self) {
      try await later.privateCloudDatabase.record(for: record("a").recordID)
    }
    #expect(lost?.code == .unknownItem, "it was not sent")
  }

  @Test func `pushes come as long as somebody has a device, though nobody has the server`()
    async throws
  {
    func devices() async throws -> (phone: CKContainer, laptop: CKDatabase) {
      let (server, phone, _) = try await self.phone()
      let laptop = try await server.device("laptop", of: "alice")
      return (phone, laptop.privateCloudDatabase)
    }
    let (phone, laptop) = try await devices()
    var pushes = Brume.remoteNotifications(for: phone).makeAsyncIterator()
    try await laptop.save(record("a"))
    let push = await pushes.next(isolation: #isolation)
    #expect(push != nil)
  }
}
