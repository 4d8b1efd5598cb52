// Each app's model against a server in the process: devices by name, faults, no sleep.

import BrumeTesting
import Charts
import CloudKit
import Contacts
import Foundation
import SyncedNotes
import Testing
import Whistles

@Suite(.timeLimit(.minutes(1))) struct AppsTests {
  @Test func `a contact added on the laptop comes to the phone with a push`() async throws {
    let server = try await LocalServer()
    let device = try await server.device("phone", of: "alice")
    let phone = ContactStore(container: device)
    let laptop = ContactStore(container: try await server.device("laptop", of: "alice"))
    try await phone.launch()
    try await laptop.launch()
    try await laptop.add("Ada")
    for await push in Brume.remoteNotifications(for: device) {
      if try await phone.received(push) { break }
    }
    #expect(await phone.contacts.map(\.name) == ["Ada"])
  }

  @Test func `contacts survive a purged zone and an expired token`() async throws {
    let server = try await LocalServer()
    let store = ContactStore(container: try await server.device("phone", of: "alice"))
    try await store.launch()
    try await store.add("Ada")
    server.faults.add(.expiredToken)
    try await store.fetchChanges()
    try await store.fetchChanges()
    #expect(await store.contacts.map(\.name) == ["Ada"])
    try await server.purgeZone("Contacts", of: "alice")
    try await store.fetchChanges()
    #expect(await store.contacts.isEmpty)
    try await store.launch()
    try await store.add("Grace")
    #expect(await store.contacts.map(\.name) == ["Grace"])
  }

  @Test func `bob is notified of whistles in his genre`() async throws {
    let server = try await LocalServer()
    let alice = WhistleStore(container: try await server.device("phone", of: "alice"))
    let bobsPhone = try await server.device("tablet", of: "bob")
    let bob = WhistleStore(container: bobsPhone)
    _ = try await alice.publish(genre: "Unknown", comments: "the first")
    try await bob.follow(["Jazz"])
    _ = try await alice.publish(genre: "Metal", comments: "loud")
    let whistle = try await alice.publish(genre: "Jazz", comments: "smooth")
    for await push in Brume.remoteNotifications(for: bobsPhone) {
      let alert = try #require(try await bob.alert(push))
      #expect(alert.text == "There's a new whistle in the Jazz genre.")
      #expect(alert.whistle == whistle)
      break
    }
    #expect(try await bob.newest().count == 3)
  }

  @Test func `notes of two devices meet, also when both changed the same one`() async throws {
    let server = try await LocalServer()
    let phone = SyncedNotes(
      container: try await server.device("phone", of: "alice"), automaticallySync: false)
    let laptop = SyncedNotes(
      container: try await server.device("laptop", of: "alice"), automaticallySync: false)
    try await phone.engine.fetchChanges()
    await phone.write("Milk", to: "shopping")
    try await phone.engine.sendChanges()
    try await laptop.engine.fetchChanges()
    await laptop.write("Oat milk", to: "shopping")
    await phone.write("Soy milk", to: "shopping")
    for notes in [laptop, phone, phone, laptop] {
      // A conflict is reported to the engine's delegate, which merges; the next send brings it.
      do { try await notes.engine.sendChanges() } catch CKError.partialFailure {}
      try await notes.engine.fetchChanges()
    }
    #expect(await phone.texts == ["Soy milk"])
    #expect(await laptop.texts == ["Soy milk"])
  }

  @Test func `the job counts whistles with a server key, and everybody can read the chart`()
    async throws
  {
    let server = try await LocalServer()
    let phone = try await server.device("phone", of: "alice")
    let alice = WhistleStore(container: phone)
    for genre in ["Jazz", "Metal", "Jazz"] {
      _ = try await alice.publish(genre: genre, comments: "")
    }
    let job = Charts(container: try await server.program())
    #expect(try await job.publish() == ["Jazz", "Metal"])
    #expect(try await job.publish() == ["Jazz", "Metal"])
    let chart = try await phone.publicCloudDatabase.record(for: Charts.recordID)
    #expect(chart["counts"] as? [Int64] == [2, 1])
  }
}
