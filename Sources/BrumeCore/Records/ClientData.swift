// What a device said of its last save in a zone (`clientChangeTokenData`), given back with the zone's
// changes, so that the device sees whether that save is among them
// (Apple: CKModifyRecordsOperation.clientChangeTokenData).
//
// One small value for each user and zone, with a bounded number of devices in it. It belongs to one
// incarnation of the zone, and goes with the zone, or when the user takes no part in it any more.

import BrumeModel
import BrumeStorage

enum ClientData {
  static func check(_ data: [UInt8]?, _ limits: Limits) throws(BrumeError) {
    guard let data, data.count > limits.clientDataBytes else { return }
    throw BrumeError(
      .badRequest,
      "the client's data has \(data.count) bytes; the maximum is \(limits.clientDataBytes); keep "
        + "it in a field of the record")
  }

  /// Notes the data in every zone in which something was saved or deleted. Requests without data
  /// change nothing.
  static func keep(
    _ data: [UInt8]?, of part: ModifyPlan.Part, _ answers: [Int: RecordResult],
    _ context: ModifyContext, in transaction: any WriteTransaction
  ) throws {
    guard let data, let device = context.caller.device?.name else { return }
    for (key, items) in part.zones {
      let outcomes = items.compactMap { try? answers[$0.index]?.get() }
      guard !outcomes.isEmpty, let zone = try transaction.zones.find(key),
        try !hasLeft(key, context.user, by: outcomes, transaction)
      else { continue }
      let setting = SettingKey.clientData(key, user: context.user)
      var entries = Entries(
        try transaction.settings.value(setting) ?? [], ofIncarnation: zone.incarnation)
      entries.set(device, to: data, limit: context.limits.clientDataDevices)
      try transaction.settings.set(setting, to: entries.bytes)
    }
  }

  /// Whether the user took part in somebody else's zone until now.
  private static func hasLeft(
    _ zone: ZoneKey, _ user: UserID, by outcomes: [RecordOutcome],
    _ transaction: any WriteTransaction
  ) throws -> Bool {
    let deletes = outcomes.contains { if case .deleted = $0 { true } else { false } }
    guard deletes, let owner = zone.database.owner, owner != user else { return false }
    var joined = JoinedShares()
    return try joined.memberships(of: user, in: zone, from: transaction).isEmpty
  }

  /// Forgets what devices of users said who take no part in the zone any more.
  static func forget(
    _ users: Set<UserID>, in zone: ZoneKey, _ transaction: any WriteTransaction
  ) throws {
    for user in users.sorted(by: { $0.name < $1.name }) {
      try transaction.settings.set(.clientData(zone, user: user), to: nil)
    }
  }

  static func recall(
    in zone: Zone, as caller: Caller, _ transaction: any ReadTransaction
  ) throws -> [UInt8]? {
    guard let user = caller.user, let device = caller.device?.name,
      let bytes = try transaction.settings.value(.clientData(zone.key, user: user))
    else { return nil }
    return Entries(bytes, ofIncarnation: zone.incarnation).list.first { $0.device == device }?.data
  }

  /// The devices and their data, the longest unused first.
  struct Entries {
    let incarnation: Int64
    var list: [(device: String, data: [UInt8])] = []

    /// What another incarnation of the zone left behind reads as nothing.
    init(_ bytes: [UInt8], ofIncarnation incarnation: Int64) {
      self.incarnation = incarnation
      var unpacker = Unpacker(bytes)
      guard unpacker.number() == incarnation else { return }
      while let device = unpacker.text(), let text = unpacker.text(),
        let data = Base64.bytes(text)
      {
        list.append((device, data))
      }
    }

    mutating func set(_ device: String, to data: [UInt8], limit: Int) {
      list.removeAll { $0.device == device }
      list.append((device, data))
      list.removeFirst(max(0, list.count - limit))
    }

    var bytes: [UInt8] {
      var packer = Packer()
      packer.add(incarnation)
      for (device, data) in list {
        packer.add(device)
        packer.add(Base64.text(data))
      }
      return packer.bytes
    }
  }
}
