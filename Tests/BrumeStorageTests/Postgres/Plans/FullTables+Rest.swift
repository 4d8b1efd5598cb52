// What requests ask less often: a zone that comes and goes, searches of every kind, and what others than devices need.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit

@testable import BrumePostgres

extension FullTables {
  private var new: ZoneID { ZoneID(name: "New") }
  private var newKey: ZoneKey { ZoneKey(database: key.database, name: new.name) }

  func askTheRest() async throws {
    try await search()
    try await makeZone()
    try await useZone()
    _ = try await server.engine.zones.modify([.init(.delete, new)], in: .private, as: phone)
    try await readTheRest()
    try await writeTheRest()
    try await changeAccounts()
  }

  /// Of two fields: each record of the one with fewer is looked up in the other.
  static let twoEqualities = Query(
    recordType: "Trail",
    filters: [
      Filter(.equals, .field("title"), .string("title r7")),
      Filter(.equals, .field("other"), .reference(Reference(recordName: "r7"))),
    ])

  /// Few of many records.
  private func search() async throws {
    let titles = FieldValue.list(["r7", "r8"].map { .string("title \($0)") }, of: .string)
    for query in [
      Self.twoEqualities,
      Query(recordType: "Trail", filters: [Filter(.in, .field("title"), titles)]),
      Query(recordType: "Trail", sorts: [Sort(.field("title"), ascending: false)]),
    ] { try await ask(query, in: key.name) }
    let named = Filter(
      .equals, .system(.recordName), .reference(Reference(recordName: "r7")))
    try await ask(Query(recordType: "Trail", filters: [named]), in: nil)
  }

  func ask(_ query: Query, in zone: String?) async throws {
    try await server.store.read { [key] transaction in
      _ = try transaction.queries.matching(
        EngineQuery(
          database: key.database, zone: zone, query: query, after: nil, limit: 50,
          candidateLimit: 1000))
    }
  }

  /// With an index that grows, first from the records that are there, then from many new ones.
  private func makeZone() async throws {
    _ = try await server.engine.zones.modify([.init(.create, new)], in: .private, as: phone)
    let sorted = Query(recordType: "Trail", sorts: [Sort(.field("title"))])
    try await save(["r0", "r1"], in: new)
    try await ask(sorted, in: new.name)
    try await save((0..<60).map { "new\($0)" }, in: new)
    try await ask(sorted, in: new.name)
    // A title that the index has cut, a content that no page brings at once, and no title at all.
    let long = RecordDraft(
      name: "long", type: "Trail",
      fields: [
        "title": DraftField(.string(String(repeating: "t", count: 200))),
        "note": DraftField(.string(String(repeating: "n", count: 9000))),
      ])
    let bare = RecordDraft(name: "bare", type: "Trail", fields: ["note": DraftField(.string("n"))])
    try await modify([.init(.forceUpdate, long), .init(.forceUpdate, bare)], in: new)
    try await ask(sorted, in: new.name)
  }

  private func useZone() async throws {
    try await delete(["new1", "new2"], in: new)
    try await server.store.read { [newKey] transaction in
      _ = try transaction.changes.page(
        in: newKey, after: 0, through: .max, limit: 50, newestFirst: true)
    }
    try await server.store.write(in: .database(key.database)) { [newKey] transaction in
      _ = try transaction.records.forgetDeletions(
        of: ["new1", "new2"], in: newKey, through: .max)
      let photo = FieldValue.asset(Asset(fileChecksum: "f8", size: 1))
      try transaction.putNext("photo", in: newKey, fields: ["photo": photo])
      try transaction.putNext("photo", in: newKey)
    }
    try await takeOver(["new3", "new4"])
  }

  private func takeOver(_ names: [String]) async throws {
    try await server.store.write(in: .database(newKey.database)) { [newKey] transaction in
      let found = try names.compactMap {
        try transaction.records.find(RecordKey(zone: newKey, name: $0))
      }
      _ = try transaction.records.takeOver(found, in: newKey)
    }
  }

  private func readTheRest() async throws {
    try await server.store.read { [key] transaction in
      _ = try transaction.zones.count(in: key.database, limit: 100)
      _ = try transaction.records.referrers(
        to: RecordKey(zone: key, name: "r1"), by: .none, limit: 100)
      _ = try transaction.log.lastPosition(in: transaction.log.bucket(of: key.database))
      _ = try transaction.mailboxes.lastPosition(in: transaction.log.bucket(of: key.database))
      for database in [key.database, DatabaseKey(in: containerEnvironment, owner: nil)] {
        _ = try transaction.subscriptions.hasQueries(on: "Trail", in: database)
      }
      _ = try transaction.apnsSenders.all(of: containerEnvironment.container)
      _ = try transaction.assets.files(after: "f7", limit: 100)
      _ = try transaction.users.page(after: "m7", limit: 100)
    }
  }

  private func writeTheRest() async throws {
    let everybody = DatabaseKey(in: containerEnvironment, owner: nil)
    let plan = ReadPlan { [.lastSequence(everybody)] }
    try await server.store.write(in: .database(everybody), reading: plan) { transaction in
      try transaction.putNext(
        "notice", in: ZoneKey(database: everybody, name: ZoneID.defaultName))
    }
    try await server.store.write(in: .database(key.database)) { [phone] transaction in
      guard let user = phone.user else { return }
      let outcome = SettingKey.operation(user: user, id: "asked")
      _ = try transaction.settings.value(outcome)
      for value in [[1], [2], nil] as [[UInt8]?] {
        try transaction.settings.set(outcome, to: value)
      }
    }
    // Of two buckets, whose locks are taken together.
    let both = WriteScope.database(key.database).and(.server)
    try await server.store.write(in: both) { transaction in
      _ = try transaction.assets.idleFiles(since: 1, limit: 100)
      try transaction.assets.discardObject("gone")
      _ = try transaction.assets.discardedObjects(after: "o", limit: 100)
      try transaction.assets.forgetObject("gone")
    }
  }

  private func changeAccounts() async throws {
    try await server.store.write(in: .everything(of: server.store)) { [key] transaction in
      let user = UserID("_fresh")
      let database = DatabaseKey(in: containerEnvironment, owner: user)
      try transaction.zones.put(
        Zone(key: ZoneKey(database: database, name: "Z"), incarnation: 1, lastSequence: 1))
      try transaction.users.link(ProviderIdentity(issuer: "https://id", subject: "s"), to: user)
      let share = RecordKey(zone: key, name: "share")
      try transaction.shares.put(Membership(user: user, share: share))
      try transaction.shares.remove(Membership(user: user, share: share))
      try transaction.shares.setShortGUID("fresh", record: share)
      let reader = UserID("_u20")
      try transaction.devices.put(Device(key: device(70), channel: .stream, registered: 0))
      let scope = SubscriptionScope(in: containerEnvironment, scope: .private, user: reader)
      if let known = try transaction.subscriptions.find("s1", in: scope) {
        try transaction.subscriptions.put(known)
      }
      _ = try transaction.notifications.markRead(
        [KeptNotificationID("n1"), KeptNotificationID("n2", subscriptionID: "s1")], of: reader,
        in: containerEnvironment)
      try transaction.notifications.removeAll(of: user, in: containerEnvironment)
    }
    try await store.change([AttemptKey(digest: [2])], limit: 0) { failures, now in
      failures[AttemptKey(digest: [2])] = FailedAttempts(count: 1, last: now)
    }
  }
}
