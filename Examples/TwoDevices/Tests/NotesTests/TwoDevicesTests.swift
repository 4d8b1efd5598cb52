// Run with `brume exec --users alice,bob -- swift test`.

import CloudKit
import Foundation
import Notes
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct TwoDevicesTests {
  @Test func `a note saved on the laptop reaches the phone by a push`() async throws {
    let phone = try await Device(of: "alice", "phone")
    let laptop = try await Device(of: "alice", "laptop")
    let onPhone = NoteStore(container: phone.container)
    let onLaptop = NoteStore(container: laptop.container)
    try await onPhone.launch()
    try await onLaptop.launch()

    let text = "Milk \(UUID().uuidString)"
    try await onLaptop.add(text)
    try await onPhone.received(phone.nextPush())

    #expect(await onPhone.texts.contains(text))
  }

  @Test func `the device that saved is notified of the other's note, and never of its own`()
    async throws
  {
    let phone = try await Device(of: "alice", "phone")
    let laptop = try await Device(of: "alice", "laptop")
    let onPhone = NoteStore(container: phone.container)
    let onLaptop = NoteStore(container: laptop.container)
    try await onPhone.launch()
    try await onLaptop.launch()

    try await onLaptop.add("Bread \(UUID().uuidString)")
    let first = try await phone.nextPush()
    try await onPhone.received(first)
    try await onPhone.add("Butter \(UUID().uuidString)")
    let second = try await laptop.nextPush()

    #expect(first.notificationID != nil && first.notificationID != second.notificationID)
  }

  @Test func `two devices that rename the same note converge`() async throws {
    let phone = try await Device(of: "alice", "phone")
    let laptop = try await Device(of: "alice", "laptop")
    let onPhone = NoteStore(container: phone.container)
    let onLaptop = NoteStore(container: laptop.container)
    let name = UUID().uuidString
    try await onPhone.launch()
    try await onPhone.add("draft \(name)")
    try await onLaptop.launch()

    try await onLaptop.rename("draft \(name)", to: "laptop \(name)")
    try await onPhone.rename("draft \(name)", to: "phone \(name)")
    try await onLaptop.launch()

    #expect(await onLaptop.texts.contains("phone \(name)"))
    #expect(await onPhone.texts.contains("phone \(name)"))
  }

  @Test func `bob's alert comes when alice publishes, and not when he does`() async throws {
    let alice = try await Device(of: "alice", "phone")
    let bob = try await Device(of: "bob", "phone")
    let genre = "Jazz-\(UUID().uuidString)"
    let seed = CKRecord(recordType: "Whistle")
    seed["genre"] = "seed"
    try await alice.container.publicCloudDatabase.save(seed)

    let subscription = CKQuerySubscription(
      recordType: "Whistle", predicate: NSPredicate(format: "genre = %@", genre),
      options: .firesOnRecordCreation)
    let info = CKSubscription.NotificationInfo()
    info.alertBody = "A new whistle"
    subscription.notificationInfo = info
    try await bob.container.publicCloudDatabase.save(subscription)

    for (device, title) in [(bob, "mine"), (alice, "hers")] {
      let whistle = CKRecord(recordType: "Whistle")
      whistle["genre"] = genre
      whistle["title"] = title
      try await device.container.publicCloudDatabase.save(whistle)
    }

    let push = try await bob.nextPush()
    let recordID = try #require((push as? CKQueryNotification)?.recordID)
    let whistle = try await bob.container.publicCloudDatabase.record(for: recordID)
    #expect(whistle["title"] as? String == "hers")
  }
}
