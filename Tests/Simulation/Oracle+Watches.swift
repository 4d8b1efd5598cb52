// Query subscriptions that alice's app makes by hand: which changes must notify, by what she asked for, and that each of
// them does so once on each device that did not make it.

import BrumeModel
import BrumeNotifier
import BrumeStorage
import Foundation

/// What an app asked for.
struct Watch {
  /// Such as "create".
  let events: Set<String>
  let isOnce: Bool
  /// Only records whose field "even" says so.
  let isEven: Bool
  /// Nil: any zone.
  let zone: String?
  /// Where in the log of alice's bucket it was saved.
  var start: Int64 = 0

  /// - Parameter subscription: as the request has it.
  init?(_ subscription: [String: Any]) {
    guard subscription["subscriptionType"] as? String == "query",
      let query = subscription["query"] as? [String: Any]
    else { return nil }
    events = Set(subscription["firesOn"] as? [String] ?? [])
    isOnce = subscription["firesOnce"] as? Bool ?? false
    isEven = (query["filterBy"] as? [Any])?.isEmpty == false
    zone = (subscription["zoneID"] as? [String: Any])?["zoneName"] as? String
  }

  /// It goes on then where it was, however often it fires from now on.
  func isSame(as other: Watch) -> Bool {
    events == other.events && isEven == other.isEven && zone == other.zone
  }
}

struct Watches {
  static let ids = ["q0", "q1"]
  /// A change of a note that no notifier has passed.
  struct Change {
    let zone: ZoneName
    let name: String
    /// Such as "create".
    let event: String
    let isEven: Bool
    let origin: Origin
  }
  var all: [String: Watch] = [:]
  var waiting: [Int64: Change] = [:]
  /// By device, subscription, zone, record and what happened to it.
  var expected: [String: Int] = [:]
  /// Those that need not come: their zone is gone, or the device was asked to fetch everything.
  var excused: [String: Int] = [:]
  /// The positions of those that came.
  var received: [String: Set<Int64>] = [:]

  func fire(for change: Change, at position: Int64) -> [String] {
    Self.ids.filter { id in
      guard let watch = all[id], watch.start < position else { return false }
      return watch.events.contains(change.event) && (change.isEven || !watch.isEven)
        && (watch.zone == nil || watch.zone == change.zone.name)
    }
  }

  mutating func excuse(where isMeant: (String) -> Bool) {
    for (key, count) in expected where isMeant(key) {
      excused[key] = count - (received[key]?.count ?? 0)
    }
  }

  /// What has not come, though it should have.
  var missing: [String] {
    expected.filter { $1 > (received[$0]?.count ?? 0) + excused[$0, default: 0] }.map {
      "\($0) was to be notified \($1) times, and was \(received[$0]?.count ?? 0) times"
    }.sorted()
  }
}

extension Oracle {
  /// A subscription was saved or removed.
  func watch(_ id: String, at position: Int64, by exchange: Exchange?) {
    // With its zone; the model follows after the log.
    if exchange?.zoneOperations.contains(where: { $0.zone.name == watches.all[id]?.zone }) == true {
      return watches.all[id] = nil
    }
    if let name = exchange?.id, model.repeatableSubscriptions.contains(name) {
      world.fail("the subscription \(id) was changed by a repeated request")
    }
    let operations = exchange?.body["operations"] as? [[String: Any]] ?? []
    let asked = operations.first {
      ($0["subscription"] as? [String: Any])?["subscriptionID"] as? String == id
    }
    guard let asked, let subscription = asked["subscription"] as? [String: Any] else {
      return world.fail("the subscription \(id) changed, and nobody asked for it")
    }
    if asked["operationType"] as? String == "delete" { return watches.all[id] = nil }
    guard var new = Watch(subscription) else { return }
    let old = watches.all[id]
    new.start = old.map { $0.isSame(as: new) ? $0.start : position } ?? position
    watches.all[id] = new
    world.note("\(id) watches from \(new.start) on: \(new)")
  }

  /// A record of alice's has changed. The model is as it was before.
  func watched(_ change: RecordChange, _ entry: LogEntry, _ transaction: any WriteTransaction)
    throws
  {
    let zone = ZoneName(owner: entry.database.owner?.name ?? "", name: change.record.zone.name)
    guard change.recordType == "Note", zone.owner == world.users["alice"]?.name else { return }
    let before = model.zones[zone]?.records[change.record.name]
    let after = try transaction.records.find(change.record).map {
      Model.Record(try records.record($0, in: change.record.zone))
    }
    let event = after == nil ? "delete" : before == nil ? "create" : "update"
    watches.waiting[entry.position] = Watches.Change(
      zone: zone, name: change.record.name, event: event,
      isEven: (after ?? before)?.fields["even"] != nil, origin: entry.origin)
  }

  /// The notifier of alice's bucket is done with all up to a position.
  func notifyWatchers(to position: Int64, _ devices: [DeviceID], of alice: UserID) {
    for place in watches.waiting.keys.sorted() where place <= position {
      guard let change = watches.waiting.removeValue(forKey: place) else { continue }
      let others = devices.filter { change.origin.user != alice || change.origin.device != $0 }
      if others.isEmpty { continue }
      for id in watches.fire(for: change, at: place) {
        for device in others {
          let key = Self.key(device.name, id, change.zone, change.name, change.event)
          watches.expected[key, default: 0] += 1
        }
        if watches.all[id]?.isOnce == true { watches.all[id] = nil }
      }
    }
  }

  private static func key(
    _ device: String, _ id: String, _ zone: ZoneName, _ record: String, _ event: String
  ) -> String { "\(device) \(id) \(zone)/\(record) \(event)" }

  /// A push of such a subscription has come.
  func receivedWatch(
    _ subject: [String: Any], _ id: String, _ zone: ZoneName?, at position: Int64, _ device: String
  ) {
    guard Watches.ids.contains(id) else { return }
    guard let zone, let record = subject["rid"] as? String, let reason = subject["fo"] as? Int,
      (1...3).contains(reason)
    else { return world.fail("\(device) got a push of \(id) that does not say of what it is") }
    let key = Self.key(device, id, zone, record, ["create", "update", "delete"][reason - 1])
    watches.received[key, default: []].insert(position)
    let (count, most) = (watches.received[key]?.count ?? 0, watches.expected[key, default: 0])
    if count > most { world.fail("\(key): \(count) pushes after \(most) such changes") }
  }
}
