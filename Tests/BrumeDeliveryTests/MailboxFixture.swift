// A mailbox, somebody who reads it, and a clock that stands still.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import BrumeWire

extension StoreCoders {
  static let wireForms = StoreCoders(
    record: .wire, encodeSubscription: { Wire.encode($0) },
    decodeSubscription: { try Wire.subscription($0) })
}

extension SendPermission {
  /// Where rights are not what is tested.
  static let always = SendPermission { _, _, _, _ in .all }
}

struct MailboxFixture {
  static let token = String(repeating: "ab", count: 32)
  let clock = ManualClock()
  var store = MemoryStore(coders: .wireForms)
  let signals = MailboxSignals()
  let phone = DeviceKey(
    in: ContainerEnvironment(ContainerID("iCloud.org.example.trailbook"), .development),
    user: UserID("_alice"), device: DeviceID("phone"))
  let inFlight = InFlightEntries(capacity: 10)
  var limits = Limits()
  /// Spaces behind each payload.
  var padding = 0

  func register() async throws {
    let device = Device(
      key: phone, channel: .courier(token: Self.token), registered: clock.now)
    try await store.write(in: .all) { try $0.devices.put(device) }
  }

  /// Puts entries into the mailbox and signals readers, as the notifier does.
  func put(_ ids: String..., due: Milliseconds = 0, to device: DeviceKey? = nil) async throws {
    let time = clock.now + due
    let phone = device ?? phone
    try await store.write(in: .everything(of: store)) { transaction in
      for id in ids {
        try transaction.mailboxes.enqueue(entry(id, time), to: phone)
      }
    }
    signals.signal(phone)
  }

  private func entry(_ id: String, _ time: Milliseconds) -> MailboxEntry {
    let note = Notification(
      id: id, in: phone.containerEnvironment, scope: .private,
      subscriptionID: "s", user: phone.user, subject: .zone(ZoneID(name: "Notes")))
    return MailboxEntry(
      position: 0, notificationID: id, subscriptionID: "s", collapseID: nil,
      payload: PushPayload.encode(note) + [UInt8](repeating: 32, count: padding), time: time,
      requestID: "r")
  }

  var stream: EventStream {
    EventStream(
      store: store, signals: signals, device: phone, limits: limits, clock: clock.push,
      maySend: .always)
  }
  var courier: Courier {
    Courier(
      store: store, signals: signals, inFlight: inFlight, limits: limits, clock: clock.push,
      maySend: .always)
  }

  func log() async throws -> [PushLogEntry] {
    try await store.read { try $0.pushLog.entries(PushLogFilter(), after: 0, limit: 999) }
  }

  func waiting() async throws -> [String] {
    let phone = phone
    return try await store.read {
      try $0.mailboxes.entries(of: phone, after: 0, limit: 1000).map(\.notificationID)
    }
  }
}

extension [MailboxEntry] {
  var ids: [String] { map(\.notificationID) }
}
