// What a store says of its contents, as a set of sentences that are true or not: a damaged store may say less than
// a whole one, and nothing else.

import BrumeModel
import BrumeStorage
import BrumeTestKit

struct Claims {
  private(set) var sentences: Set<String> = []
  /// Questions that were answered with an error.
  private(set) var refusals = 0

  /// Asks a store that `DamageFixture` has filled.
  init(of store: any Store) async {
    for owner in [nil, "_a1"] as [String?] {
      for zone in ["Trails", "Z"].map({ ZoneKey.sample($0, owner: owner) }) {
        await ask(store) { try Self.records(in: zone, $0) }
        await ask(store) { try Self.changes(in: zone, $0) }
        await ask(store) {
          try ["zone \(zone.name) of \(owner ?? "-"): \($0.zones.find(zone).shown)"]
        }
      }
    }
    await ask(store) { try $0.zones.all(in: .sample()).map { "zone there: \($0)" } }
    await ask(store) { transaction in
      try transaction.log.entries(in: .only, after: 0, limit: 1000).map { try $0.shown }
    }
    await ask(store) { try ["last position \($0.log.lastPosition(in: .only))"] }
    for key in [SettingKey.secret, .schema(.sample)] {
      await ask(store) { try ["setting \(key.text): \($0.settings.value(key).shown)"] }
    }
    for scope in [DatabaseScope.private, .public, .shared] {
      let place = SubscriptionScope(in: .sample, scope: scope, user: UserID("_a1"))
      await ask(store) { try $0.subscriptions.all(in: place).map { "subscription \($0.shown)" } }
      await ask(store) {
        try ["s0 in \(scope): \($0.subscriptions.find("s0", in: place)?.shown ?? "none")"]
      }
    }
    await ask(store) { try Self.mail($0) }
  }

  private mutating func ask(
    _ store: any Store,
    _ question: @escaping @Sendable (any ReadTransaction) throws -> [String]
  ) async {
    do {
      sentences.formUnion(try await store.read { try question($0) })
    } catch {
      refusals += 1
    }
  }

  private static func records(
    in zone: ZoneKey, _ transaction: any ReadTransaction
  ) throws -> [String] {
    let place = "\(zone.name) of \(zone.database.owner?.name ?? "-")"
    return ["a", "b", "n1", "gone"].flatMap { name -> [String] in
      let key = RecordKey(zone: zone, name: name)
      var sentences: [String] = []
      do {
        let found = try transaction.records.find(key)
        if let found, found.isUnreadable { return [] }
        sentences.append("record \(name) in \(place): \(try found?.shown ?? "none")")
        let deleted = try transaction.records.deleted(key)
        sentences.append("deleted \(name) in \(place): \(deleted.shown)")
      } catch {}
      return sentences
    }
  }

  private static func changes(
    in zone: ZoneKey, _ transaction: any ReadTransaction
  ) throws -> [String] {
    let page = try transaction.changes.page(in: zone, after: 0, through: .max, limit: 100)
    return try page.compactMap { change in
      switch change {
      case .changed(let stored): stored.isUnreadable ? nil : "change \(try stored.shown)"
      case .deleted(let gone): "change \(gone)"
      }
    }
  }

  /// What has no payload says nothing.
  private static func mail(_ transaction: any ReadTransaction) throws -> [String] {
    let waiting = try (0..<2).flatMap { number in
      try transaction.mailboxes.entries(
        of: DeviceKey(in: .sample, user: UserID("_a1"), device: DeviceID("d\(number)")), after: 0,
        limit: 10
      ).filter { !$0.payload.isEmpty }.map { "mail for d\(number): \($0)" }
    }
    let kept = try ["_a1", "_b2"].flatMap { user in
      try transaction.notifications.kept(for: UserID(user), in: .sample, after: 0, limit: 10)
        .filter { !$0.payload.isEmpty }.map { "kept for \(user): \($0)" }
    }
    return waiting + kept
  }
}

extension StoredSubscription {
  fileprivate var shown: String {
    let bytes = StoreCoders.wireForm.encodeSubscription(subscription)
    return "\(scope) from \(starts[.only]): \(String(decoding: bytes, as: UTF8.self))"
  }
}

extension Optional {
  fileprivate var shown: String { map { "\($0)" } ?? "none" }
}

extension StoredRecord {
  /// Fields in an order.
  fileprivate var shown: String {
    get throws {
      let record = try record()
      let fields = record.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      return
        "\(name) \(type) \(sequence) \(record.name) \(record.type) \(record.changeTag) \(fields)"
        + " \(record.parent ?? "-") \(String(describing: record.modified))"
    }
  }
}

extension LogEntry {
  /// Without an image that nobody can read.
  fileprivate var shown: String {
    get throws {
      guard case .record(let change) = event else { return "entry \(self)" }
      let image =
        try change.image.map { $0.isUnreadable ? "unreadable" : try $0.shown } ?? "none"
      return "entry \(position) \(database) \(origin) \(change.record) \(change.recordType) "
        + "\(change.kind) \(change.coveringShares) \(image)"
    }
  }
}
