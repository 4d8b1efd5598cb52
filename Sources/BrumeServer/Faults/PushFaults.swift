// Pushes that get lost, come twice or come late, as faults ask for. Decided when a push leaves for
// the stream of its device. Only a server in development mode has them.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeWire

struct PushFaults: Sendable {
  let injector: FaultInjector
  private let store: any Store
  private let delivery: ServerDelivery
  /// Rows of the push log.
  private let rows: Int
  private let now: @Sendable () -> Milliseconds

  init(
    store: any Store, delivery: ServerDelivery, limits: Limits,
    now: @escaping @Sendable () -> Milliseconds
  ) {
    rows = limits.pushLogRows
    self.now = now
    injector = FaultInjector(limits: limits)
    self.store = store
    self.delivery = delivery
  }

  /// The entries that really leave.
  func leaving(_ entries: [MailboxEntry], to device: DeviceKey) async throws -> [MailboxEntry] {
    if injector.leavesPushes { return entries }
    var leaving: [MailboxEntry] = []
    for entry in entries {
      let call = FaultPlan.Call(
        user: device.user, device: device.device, items: [.init(.push, zone: entry.zoneName)])
      let place = FaultInjector.PushPlace(device: device, position: entry.position)
      guard let decision = injector.decide(on: place, call) else { continue }
      switch decision.fault?.effect {
      case .dropPush: try await forget(entry, of: device, "dropped")
      case .holdPush:
        try await forget(entry, of: device, "held back until faults are released")
        injector.hold(.init(entry: entry, device: device))
      case .duplicatePush: leaving += [entry, entry.renamed("\(entry.notificationID)-again")]
      case nil, .error, .loseAnswer, .conflict, .expireToken, .pretend, .removeZone,
        .changeAccount:
        leaving.append(entry)
      }
    }
    return leaving
  }

  /// Delivers what was held back; answers how many pushes those are.
  func release() async throws -> Int {
    let pushes = injector.takeHeld()
    for push in pushes {
      _ = try await store.write(in: .account(push.device)) {
        try $0.mailboxes.enqueue(push.entry, to: push.device)
      }
      delivery.signals.signal(push.device)
      delivery.streams.look(at: push.device)
    }
    return pushes.count
  }

  /// New entries are read from the mailbox, where they meet their faults.
  func look(at device: DeviceKey) { delivery.streams.look(at: device) }

  private func forget(
    _ entry: MailboxEntry, of device: DeviceKey, _ reason: String
  ) async throws {
    let line = PushLogEntry(
      entry, of: device, by: .stream, .stopped,
      subject: entry.zoneName.map { "zone \($0)" } ?? "", now: now(), reason: reason)
    try await store.write(in: .account(device)) { [rows] in
      try $0.mailboxes.remove(at: entry.position, of: device)
      try $0.pushLog.append(line, limit: rows)
    }
  }
}

/// What streams read, past the faults.
struct FaultyStreamSource: StreamSource {
  let source: any StreamSource
  let faults: PushFaults

  func entries(after position: Int64, of device: DeviceKey) async throws -> StreamReading {
    var found = try await source.entries(after: position, of: device)
    found.entries = try await leaving(found.entries, to: device)
    return found
  }

  func leaving(_ entries: [MailboxEntry], to device: DeviceKey) async throws -> [MailboxEntry] {
    try await faults.leaving(source.leaving(entries, to: device), to: device)
  }

  func isRegistered(_ device: DeviceKey) async throws -> Bool {
    try await source.isRegistered(device)
  }
}

/// New entries on their way to devices, past the faults.
struct FaultyDelivery: EntryDelivery {
  let delivery: any EntryDelivery
  let faults: PushFaults

  func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] {
    delivery.connectedDevices(of: users)
  }

  func deliver(_ new: NewEntries) {
    if faults.injector.leavesPushes { return delivery.deliver(new) }
    // What has to meet a fault, or has met one already, is read from the mailbox.
    for device in Set(new.entries.map(\.device)) { faults.look(at: device) }
    var rest = new
    rest.entries = []
    delivery.deliver(rest)
  }
}

extension MailboxEntry {
  /// The zone that the push is about, if it says one.
  fileprivate var zoneName: String? {
    let ck = (try? JSON(parsing: payload))?["ck"]
    return ["qry", "fet", "met"].lazy.compactMap { ck?[$0]?["zid"]?.string }.first
  }

  /// The same push under another ID, so that a device does not take it for a repetition.
  fileprivate func renamed(_ id: String) -> MailboxEntry {
    var bytes = payload
    if case .object(var push)? = try? JSON(parsing: payload), case .object(var ck)? = push["ck"] {
      ck["nid"] = .string(id)
      push["ck"] = .object(ck)
      bytes = JSON.object(push).bytes()
    }
    return MailboxEntry(
      position: position, notificationID: id, subscriptionID: subscriptionID,
      collapseID: collapseID, payload: bytes, time: time, requestID: requestID)
  }
}
