// What happened, who should have been notified, and what every device received: the comparison.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeStorage

struct PushOracle {
  static let devices: [DeviceKey] = ["_u1", "_u2", "_u3"].flatMap { user in
    ["phone", "tablet"].map { name in
      DeviceKey(in: PushSimulator.containerEnvironment, user: UserID(user), device: DeviceID(name))
    }
  }
  private struct Change {
    let position: Int64
    let step: Int
    let zone: ZoneKey
    let origin: DeviceKey?
    /// Subscriptions that the change fires.
    let fires: [StoredSubscription]
  }
  private struct Delivery {
    let nid: String
    let sid: String
    let scope: DatabaseScope
    let step: Int
  }
  private var changes: [String: Change] = [:]
  private var deliveries: [DeviceKey: [Delivery]] = [:]
  /// The state of subscriptions at the end.
  private var subscriptions: [SubscriptionKey: StoredSubscription] = [:]
  private var wrong: [String] = []

  mutating func happened(
    _ entry: LogEntry, by device: DeviceKey?, _ subscriptions: [StoredSubscription],
    generation: Int64, step: Int
  ) throws {
    self.subscriptions = Dictionary(
      subscriptions.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    guard case .record(let change) = entry.event else { return }
    let image = try change.image?.record()
    changes[NotificationID.text(generation: generation, entry: entry)] = Change(
      position: entry.position, step: step, zone: change.record.zone, origin: device,
      fires: subscriptions.filter {
        FireRules.fires($0, on: entry, image: image) { _ in false }
      })
  }

  mutating func delivered(
    _ notification: Notification, _ entry: MailboxEntry, to device: DeviceKey, step: Int
  ) {
    if let user = notification.user, user != device.user {
      wrong.append("\(device.user) got a push of \(user)")
    }
    deliveries[device, default: []].append(
      Delivery(
        nid: entry.notificationID, sid: entry.subscriptionID, scope: notification.scope,
        step: step))
  }

  /// Everything that is not as it should be.
  func failures() -> [String] {
    var failures = wrong
    for device in Self.devices {
      let received = deliveries[device] ?? []
      failures +=
        unexpected(received, device) + missing(received, device) + disorder(received, device)
    }
    return failures + firedTwice()
  }

  /// N2, N3, N11: no push of nothing, to the wrong user, or to the device that made the change.
  private func unexpected(_ received: [Delivery], _ device: DeviceKey) -> [String] {
    received.compactMap { push in
      guard let change = changes[push.nid] else { return "\(push.nid) stands for no change" }
      if change.origin == device { return "\(device) received its own change \(change.step)" }
      if push.sid.isEmpty { return nil }
      let isWanted = change.fires.contains {
        $0.subscription.id == push.sid && $0.scope.user == device.user
          && $0.scope.scope == push.scope
      }
      return isWanted ? nil : "\(device) received \(change.step) by '\(push.sid)' for nothing"
    }
  }

  /// N1: whoever is subscribed to the end has received each change, or a later one that stands for
  /// it, or to fetch everything.
  private func missing(_ received: [Delivery], _ device: DeviceKey) -> [String] {
    changes.flatMap { nid, change -> [String] in
      guard change.origin != device else { return [] }
      return change.fires.compactMap { stored in
        guard stored.scope.user == device.user,
          subscriptions[stored.key]?.starts == stored.starts, !isOnce(stored)
        else { return nil }
        let isDelivered = received.contains { push in
          if push.sid.isEmpty { return push.step >= change.step }
          guard push.sid == stored.subscription.id, push.scope == stored.scope.scope else {
            return false
          }
          let position = changes[push.nid]?.position ?? 0
          return isQuery(stored) ? push.nid == nid : position >= change.position
        }
        return isDelivered ? nil : "\(device) missed \(change.step) by '\(stored.subscription.id)'"
      }
    }
  }

  /// N4: of each subscription, changes of a zone are received in their order (repeats apart).
  private func disorder(_ received: [Delivery], _ device: DeviceKey) -> [String] {
    var last: [String: Int64] = [:]
    var seen: Set<String> = []
    return received.compactMap { push in
      guard let change = changes[push.nid], !push.sid.isEmpty,
        seen.insert("\(push.nid) \(push.sid) \(push.scope)").inserted
      else { return nil }
      let key = "\(push.sid) \(push.scope) \(change.zone)"
      defer { last[key] = change.position }
      return (last[key] ?? 0) < change.position ? nil : "\(device) received \(change.step) too late"
    }
  }

  /// SUB-20: `firesOnce` fires for one change, on whatever device.
  private func firedTwice() -> [String] {
    var fired: [String: Set<String>] = [:]
    for (device, received) in deliveries {
      for push in received {
        let stored = changes[push.nid]?.fires.first {
          $0.subscription.id == push.sid && $0.scope.user == device.user
            && $0.scope.scope == push.scope
        }
        if let stored, isOnce(stored) {
          fired["\(stored.key) \(stored.starts[.only])", default: []].insert(push.nid)
        }
      }
    }
    return fired.filter { $0.value.count > 1 }.map { "\($0.key) fired \($0.value.count) times" }
  }

  private func isQuery(_ stored: StoredSubscription) -> Bool {
    if case .query = stored.subscription.kind { true } else { false }
  }
  private func isOnce(_ stored: StoredSubscription) -> Bool {
    if case .query(_, _, _, firesOnce: true) = stored.subscription.kind { true } else { false }
  }
}
