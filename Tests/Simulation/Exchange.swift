// One request on its way through network and server, as the oracle sees it: what the client wrote, and
// what was so while the server worked.

import BrumeClient
import BrumeModel
import Foundation

/// Sendable because a simulation has one thread.
final class Exchange: @unchecked Sendable {
  /// The exchange whose work the running task does; nil for the server's own.
  @TaskLocal static var current: Exchange?

  /// What the oracle noted while the server worked.
  struct Noted {
    /// Its zones at each reading of the store.
    var readings: [Reading] = []
    var versions: [[ZoneName: Int]] = []
    /// The tags that records got, by their places in the request; nil for a deletion.
    var done: [Int: String?] = [:]
    var hasCommitted = false
    /// It was carried out before, and is answered with the records as they are now (`OperationMemory`).
    var isRepeated = false
  }

  let device: Device
  let user: UserID?
  private let signOuts: Int
  /// Such as "private".
  let scope: String
  /// Such as "records/modify".
  let action: String
  let body: [String: Any]
  private(set) var zones: [ZoneName] = []
  private(set) var modification = Modification()
  var seen = Noted()

  init(_ device: Device, _ call: HTTPCall) {
    self.device = device
    user = device.transport.isSignedIn ? device.userID : nil
    signOuts = device.signOuts
    let path = call.target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    action = path.suffix(2).joined(separator: "/")
    scope = path.count >= 3 ? path[path.count - 3] : ""
    body =
      (try? JSONSerialization.jsonObject(with: Data(call.body)) as? [String: Any]) ?? [:]
    if action == "changes/zone" {
      zones = (body["zones"] as? [[String: Any]] ?? []).compactMap { zone($0["zoneID"]) }
    }
    if isModify { modification = Modification(body) { zone($0) } }
  }

  var isModify: Bool { action == "records/modify" }

  /// Whether the device has forgotten what it asked for: its user has signed out since.
  var isForgotten: Bool { signOuts != device.signOuts }

  /// Whether it saves the subscription of Oracle+Badges.swift.
  var countsBadges: Bool {
    (body["operations"] as? [[String: Any]] ?? []).contains { operation in
      (operation["subscription"] as? [String: Any])?["subscriptionID"] as? String
        == Badges.subscription
    }
  }

  /// The zone that an object names, by its owner.
  func zone(_ id: Any?) -> ZoneName? {
    let id = id as? [String: Any]
    guard let user, let name = id?["zoneName"] as? String else { return nil }
    let owner = id?["ownerRecordName"] as? String
    return ZoneName(
      owner: scope == "private" || owner == nil ? user.name : owner ?? "", name: name)
  }
}

/// A zone of the container.
struct ZoneName: Hashable, Comparable, CustomStringConvertible {
  let owner: String
  let name: String
  var description: String { "\(name) of \(owner.prefix(4))" }
  static func < (one: ZoneName, other: ZoneName) -> Bool {
    (one.owner, one.name) < (other.owner, other.name)
  }
}

/// A zone at one moment.
struct Seen {
  let tags: [String: String]?
  let mayRead: Bool
}

/// Zones as they were when the store was read.
typealias Reading = [ZoneName: Seen]

/// A request of `records/modify`.
struct Modification {
  var operations: [Model.Operation] = []
  var isAtomic = false
  var id: String?

  init() {}

  /// - Parameter zone: the zone that an object names.
  init(_ body: [String: Any], _ zone: (Any?) -> ZoneName?) {
    isAtomic = body["atomic"] as? Bool ?? true
    id = (body["brume"] as? [String: Any])?["operationID"] as? String
    operations = (body["operations"] as? [[String: Any]] ?? []).compactMap { operation in
      let record = operation["record"] as? [String: Any] ?? [:]
      guard let zone = zone(record["zoneID"] ?? body["zoneID"]) else { return nil }
      let fields = record["fields"] as? [String: Any] ?? [:]
      let name = record["recordName"] as? String ?? ""
      return Model.Operation(
        kind: operation["operationType"] as? String ?? "", zone: zone, name: name,
        tag: record["recordChangeTag"] as? String,
        text: (fields["text"] as? [String: Any])?["value"] as? String,
        isShare: name == BrumeModel.Record.zoneShareName)
    }
  }
}
