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
    /// The zones that its user might read at one of them.
    var readable: Set<ZoneName> = []
    /// Those, and the zones that he is invited to.
    var known: Set<ZoneName> = []
    /// The tags that records got, by their places in the request; nil for a deletion.
    var done: [Int: String?] = [:]
    /// What must come of its operations, as they stood when it was committed.
    var verdicts: [Model.Verdict] = []
    /// The same for zones: those to be deleted that were not there.
    var missingZones: Set<Int> = []
    /// The zones that it made: each may be gone, or another one, by the time of the answer.
    var made: [ZoneName: Int64] = [:]
    var hasCommitted = false
    /// Zones that no device deleted, and that were not made again, at each reading of the store, or when it was committed.
    var losses: [[ZoneName: Model.Loss]] = []
    /// The disk had no room for it, or could not be reached.
    var diskFailed = false
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
  let target: String
  let body: [String: Any]
  private(set) var zones: [ZoneName] = []
  private(set) var modification = Modification()
  /// Its own name, by which a server knows a repetition.
  private(set) var id: String?
  /// What it does to zones.
  private(set) var zoneOperations: [(isDeletion: Bool, zone: ZoneName)] = []
  /// The records that it asks for by name.
  private(set) var lookups: [(zone: ZoneName, name: String)] = []
  /// What a user does in the settings.
  let loss: Model.Loss?
  var seen = Noted()

  init(_ device: Device, _ call: HTTPCall) {
    self.device = device
    user = device.transport.isSignedIn ? device.userID : nil
    signOuts = device.signOuts
    (target, loss) = (call.target, nil)
    let path = call.target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    action = path.suffix(2).joined(separator: "/")
    scope = path.count >= 3 ? path[path.count - 3] : ""
    body =
      (try? JSONSerialization.jsonObject(with: Data(call.body)) as? [String: Any]) ?? [:]
    id = (body["brume"] as? [String: Any])?["operationID"] as? String
    if action == "changes/zone" {
      zones = (body["zones"] as? [[String: Any]] ?? []).compactMap { zone($0["zoneID"]) }
    }
    if isModify { modification = Modification(body) { zone($0) } }
    if action == "records/lookup", let user {
      let standard = ZoneName(owner: user.name, name: BrumeModel.ZoneID.defaultName)
      lookups = (body["records"] as? [[String: Any]] ?? []).map { record in
        (
          zone(record["zoneID"] ?? body["zoneID"]) ?? standard,
          record["recordName"] as? String ?? ""
        )
      }
      zones = Set(lookups.map(\.zone)).sorted()
    }
    if action == "zones/modify" {
      zoneOperations = (body["operations"] as? [[String: Any]] ?? []).compactMap { operation in
        zone((operation["zone"] as? [String: Any])?["zoneID"]).map {
          (operation["operationType"] as? String == "delete", $0)
        }
      }
    }
  }

  /// What a user does in the settings, who removes the app's data or resets what is encrypted: zones go, and no device has
  /// asked for it.
  init(_ loss: Model.Loss, of device: Device) {
    (self.device, user, self.loss) = (device, device.userID, loss)
    signOuts = device.signOuts
    (target, scope, action, body) = ("", "private", loss.rawValue, [:])
  }

  /// Which zones go.
  func loses(_ zones: some Sequence<ZoneName>) { zoneOperations = zones.map { (true, $0) } }

  /// The device that changes something; none for what a user does in the settings.
  var writer: String { loss == nil ? device.name : "" }

  var isModify: Bool { action == "records/modify" }
  var isAcceptance: Bool { action == "records/accept" }

  /// Whether the device has forgotten what it asked for: its user has signed out since.
  var isForgotten: Bool { signOuts != device.signOuts }

  /// Whether it is about a subscription that an app makes itself (Oracle+Badges.swift, Oracle+Watches.swift).
  var isSubscribedByHand: Bool {
    (body["operations"] as? [[String: Any]] ?? []).contains { operation in
      let id = (operation["subscription"] as? [String: Any])?["subscriptionID"] as? String
      return id.map { $0 == Badges.subscription || Watches.ids.contains($0) } ?? false
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
  /// Long enough that no two users of a run look the same: contents and counts are kept by it.
  var description: String { "\(name) of \(owner.prefix(12))" }
  static func < (one: ZoneName, other: ZoneName) -> Bool {
    (one.owner, one.name) < (other.owner, other.name)
  }
}

/// A zone at one moment.
struct Seen {
  let tags: [String: String]?
  let mayRead: Bool
  /// Why it is gone, if no device deleted it, and its owner asks.
  let loss: Model.Loss?
  let incarnation: Int64?
  let version: Int
  /// How often its user had joined it.
  let joinings: Int
}

/// Zones as they were when the store was read.
typealias Reading = [ZoneName: Seen]

/// A request of `records/modify`.
struct Modification {
  var operations: [Model.Operation] = []
  var isAtomic = false

  init() {}

  /// - Parameter zone: the zone that an object names.
  init(_ body: [String: Any], _ zone: (Any?) -> ZoneName?) {
    isAtomic = body["atomic"] as? Bool ?? false
    operations = (body["operations"] as? [[String: Any]] ?? []).compactMap { operation in
      let record = operation["record"] as? [String: Any] ?? [:]
      guard let zone = zone(record["zoneID"] ?? body["zoneID"]) else { return nil }
      let name = record["recordName"] as? String ?? ""
      return Model.Operation(
        kind: operation["operationType"] as? String ?? "", zone: zone, name: name,
        tag: record["recordChangeTag"] as? String,
        fields: Self.fields(record["fields"]), people: Self.people(record["participants"]),
        isShare: name == BrumeModel.Record.zoneShareName)
    }
  }

  /// Values as texts; nil for one that is taken away.
  static func fields(_ object: Any?) -> [String: String?] {
    (object as? [String: Any] ?? [:]).mapValues { ($0 as? [String: Any])?["value"] as? String }
  }

  private static func people(_ object: Any?) -> [String: Model.Right]? {
    guard let people = object as? [[String: Any]] else { return nil }
    var rights: [String: Model.Right] = [:]
    for person in people where person["type"] as? String != "OWNER" {
      guard let identity = person["userIdentity"] as? [String: Any],
        let user = identity["userRecordName"] as? String
      else { continue }
      rights[user] = person["permission"] as? String == "READ_WRITE" ? .write : .read
    }
    return rights
  }
}
