// Pushes that get lost, come twice or come late, as faults ask for. Decided when a push leaves for
// the stream of its device.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeWire

extension Composition {
  /// The entries that really leave.
  func faultless(_ entries: [MailboxEntry], to device: DeviceKey) async throws -> [MailboxEntry] {
    guard let injector = faults, !injector.isIdle else { return entries }
    var leaving: [MailboxEntry] = []
    for entry in entries {
      let call = FaultPlan.Call(
        user: device.user, device: device.device, items: [.init(.push, zone: entry.zoneName)])
      switch injector.decide(call).fault?.effect {
      case .dropPush: try await forget(entry, of: device)
      case .holdPush:
        try await forget(entry, of: device)
        injector.hold(.init(entry: entry, device: device), limit: settings.limits.mailboxRows)
      case .duplicatePush: leaving += [entry, entry.renamed("\(entry.notificationID)-again")]
      case nil, .error, .loseAnswer, .conflict, .expireToken, .pretend, .removeZone,
        .changeAccount:
        leaving.append(entry)
      }
    }
    return leaving
  }

  /// Delivers what was held back.
  @discardableResult
  package func releasePushes() async throws -> Int {
    let pushes = faults?.takeHeld() ?? []
    for push in pushes {
      _ = try await store.write(in: .account(push.device)) {
        try $0.enqueue(push.entry, to: push.device)
      }
      signals.signal(push.device)
      streams.look(at: push.device)
    }
    return pushes.count
  }

  private func forget(_ entry: MailboxEntry, of device: DeviceKey) async throws {
    try await store.write(in: .account(device)) {
      try $0.removeMailboxEntry(at: entry.position, of: device)
    }
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
