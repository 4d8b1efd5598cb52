// Pushes: each device that is subscribed gets one after the last change that another made, and nobody
// gets one of what he may not read.

import BrumeModel
import Foundation

/// When who was subscribed, what changed, and who was notified.
struct Pushes {
  /// By user and scope.
  private var subscriptions: [String: Milliseconds] = [:]
  /// The last change by each device that a user may know of, by user, scope and zone.
  private var changes: [Audience: [String: Milliseconds]] = [:]
  /// The devices that ever made one, by zone. Whoever joins a share may still get pushes of what was changed before, and of
  /// the time before he left it.
  private var changers: [ZoneName: Set<String>] = [:]
  /// When a device's first stream began.
  var listening: [String: Milliseconds] = [:]
  /// The last push, by device and scope.
  var received: [String: Milliseconds] = [:]

  struct Audience: Hashable {
    let user: String
    let scope: String
    let zone: ZoneName
  }

  mutating func subscribed(_ exchange: Exchange, at time: Milliseconds) {
    guard let user = exchange.user?.name, !exchange.isSubscribedByHand else { return }
    let key = "\(user) \(exchange.scope)"
    subscriptions[key] = subscriptions[key] ?? time
  }

  mutating func changed(
    _ zone: ZoneName, by device: String, at time: Milliseconds, readers: some Sequence<String>
  ) {
    changers[zone, default: []].insert(device)
    let own = Audience(user: zone.owner, scope: "private", zone: zone)
    for audience in readers.map({ Audience(user: $0, scope: "shared", zone: zone) }) + [own] {
      changes[audience, default: [:]][device] = time
    }
  }

  /// Whether another device has ever changed a zone.
  func othersChanged(_ zone: ZoneName, for device: Device) -> Bool {
    changers[zone]?.contains { $0 != device.name } ?? false
  }

  mutating func left(_ member: String, _ zone: ZoneName) {
    changes[Audience(user: member, scope: "shared", zone: zone)] = nil
  }

  /// The last change that a device has to be notified of.
  func lastChange(for device: Device, _ scope: String) -> Milliseconds? {
    let user = device.userID.name
    guard let begin = subscriptions["\(user) \(scope)"], let listens = listening[device.name] else {
      return nil
    }
    let all = changes.filter { $0.key.user == user && $0.key.scope == scope }.values
    let times = all.flatMap { $0 }.filter { $0.key != device.name }.map(\.value)
    return times.max().flatMap { $0 > max(begin, listens) ? $0 : nil }
  }
}

extension Oracle {
  func pushed(_ ck: [String: Any], _ device: Device) {
    let subject = ["qry", "fet", "met"].lazy.compactMap { ck[$0] as? [String: Any] }.first
    world.note("\(device.name) push \(subject.map { Self.text($0) } ?? "everything")")
    guard let subject else {
      watches.excuse { $0.hasPrefix("\(device.name) ") }
      for scope in ["private", "shared"] { pushes.received["\(device.name) \(scope)"] = world.now }
      return
    }
    // It is of one zone, and stands for nothing else.
    let id = subject["sid"] as? String ?? ""
    let isByHand = id == Badges.subscription || Watches.ids.contains(id)
    let scope = subject["dbs"] as? Int == 3 ? "shared" : "private"
    if !isByHand { pushes.received["\(device.name) \(scope)"] = world.now }
    guard let name = subject["zid"] as? String, let owner = subject["zoid"] as? String else {
      return
    }
    let zone = ZoneName(owner: owner, name: name)
    let user = device.userID.name
    if model.right(of: user, in: zone) != nil {
      // Of a zone that went and came again, what was before counts too; of a right, as long as it may be on its way.
      if !pushes.othersChanged(zone, for: device), lost["\(user) \(zone)"] == nil,
        world.now >= late["\(user) \(zone)", default: 0]
      {
        world.fail("\(device.name) got a push of \(zone), which nobody else has changed")
      }
      return
    }
    // What was on its way when the right was lost may still come.
    if let lost = lost["\(user) \(zone)"], world.now - lost < Self.pushTime { return }
    if owner == user { return }
    world.fail("\(device.name) got a push of \(zone), which \(device.user) may not read")
  }

  private static func text(_ subject: [String: Any]) -> String {
    subject.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// Devices that have no push of the last change.
  func missingPushes() -> [String] {
    world.devices.flatMap { device -> [String] in
      ["private", "shared"].compactMap { scope in
        guard let last = pushes.lastChange(for: device, scope) else { return nil }
        let latest = pushes.received["\(device.name) \(scope)"] ?? -1
        return latest >= last
          ? nil : "\(device.name) was not pushed the change of \(last) ms in \(scope)"
      }
    }
  }
}
