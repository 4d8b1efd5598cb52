// What a store says of what `EveryTable` has put into it, beside what `Claims` asks: sentences that are true or not.

import BrumeModel
import BrumeStorage
import BrumeTestKit

struct EveryTableClaims {
  private(set) var sentences: Set<String>
  /// Questions that were answered with an error.
  private(set) var refusals: Int

  init(of store: any Store) async {
    let claims = await Claims(of: store)
    (sentences, refusals) = (claims.sentences, claims.refusals)
    await askForAccounts(store)
    await askForRights(store)
    await askForDevices(store)
    await askForDelivery(store)
    await askForFiles(store)
    await askForPlaces(store)
    await askForOperators(store)
  }

  /// A sentence for each value of an answer. What is not there says nothing.
  private mutating func ask<Value>(
    _ store: any Store, _ what: String,
    _ question: @escaping @Sendable (any ReadTransaction) throws -> [Value]
  ) async {
    do {
      let found = try await store.read { transaction in
        try question(transaction).map { "\(what): \($0)" }
      }
      sentences.formUnion(found)
    } catch {
      refusals += 1
    }
  }

  // MARK: Accounts

  private static let users = ["_a1", "_b2", "_c3", "_e5"].map { UserID($0) }

  private mutating func askForAccounts(_ store: any Store) async {
    await ask(store, "account") { try $0.users.page(after: nil, limit: 10) }
    for user in Self.users {
      await ask(store, "account \(user.name)") { try [$0.users.find(user)].compactMap { $0 } }
      await ask(store, "named as \(user.name)") {
        try [$0.users.find(named: "zo\u{eb} \(user.name)")].compactMap { $0 }
      }
      await ask(store, "reached as \(user.name)") {
        try [$0.users.find(emailAddress: "\(user.name)@example.org")].compactMap { $0 }
      }
      await ask(store, "provider's \(user.name)") {
        let identity = ProviderIdentity(issuer: "https://id.example", subject: user.name)
        return try [$0.users.linked(to: identity)].compactMap { $0 }
      }
    }
  }

  private mutating func askForRights(_ store: any Store) async {
    await ask(store, "token") { try $0.credentials.apiTokens() }
    await ask(store, "key") { try $0.credentials.serverKeys() }
    await ask(store, "key k") { try [$0.credentials.serverKey("k")].compactMap { $0 } }
    await ask(store, "member of a role") { try $0.roles.members(in: .sample) }
    for number in 0..<3 {
      await ask(store, "token t\(number)") {
        try [$0.credentials.apiToken("t\(number)")].compactMap { $0 }
      }
    }
    for user in Self.users {
      await ask(store, "role of \(user.name)") { try $0.roles.names(of: user, in: .sample) }
      await ask(store, "share of \(user.name)") { try $0.shares.memberships(of: user, in: .sample) }
    }
    for owner in ["_a1", "_c3"] {
      await ask(store, "in the zone of \(owner)") {
        try $0.shares.memberships(in: .sample(owner: owner))
      }
      await ask(store, "0abc\(owner)") {
        try [$0.shares.record(shortGUID: "0abc\(owner)")].compactMap { $0 }
      }
    }
  }

  // MARK: Devices

  private mutating func askForDevices(_ store: any Store) async {
    for user in Self.users {
      await ask(store, "device of \(user.name)") { try $0.devices.all(of: user, in: .sample) }
      await ask(store, "device of \(user.name)") { try $0.devices.all(of: user) }
      await ask(store, "badge of \(user.name)") {
        try [$0.notifications.badge(of: user, in: .sample)].filter { $0 != 0 }
      }
      for number in 0..<5 {
        let key = DeviceKey(in: .sample, user: user, device: DeviceID("d\(number)"))
        await ask(store, "\(user.name)'s d\(number)") {
          try [$0.devices.find(key)].compactMap { $0 }
        }
        await ask(store, "for \(user.name)'s d\(number)") {
          try $0.mailboxes.entries(of: key, after: 0, limit: 10).filter { !$0.payload.isEmpty }
        }
      }
    }
    await ask(store, "with mail") {
      try $0.devices.withPendingEntries(after: nil, limit: 20).devices
    }
    await ask(store, "by the courier ab") { try $0.devices.all(courierToken: "ab") }
    for address in ["cd", "ef", "https://push.example/é"] {
      await ask(store, "at \(address)") { try $0.devices.all(address: address) }
    }
  }

  // MARK: Delivery

  private mutating func askForDelivery(_ store: any Store) async {
    await ask(store, "sender") { try $0.apnsSenders.all(of: .sample) }
    await ask(store, "webhook") { try $0.webhooks.all() }
    for id in ["w1", "w2"] {
      await ask(store, "webhook \(id)") { try [$0.webhooks.find(id)].compactMap { $0 } }
    }
    await ask(store, "sent") { try $0.pushLog.entries(PushLogFilter(), after: 0, limit: 10) }
    await ask(store, "served") { try $0.history.served(after: 0, in: .only, limit: 10) }
    await ask(store, "served at 4") { try $0.history.served(at: 4, in: .only) }
  }

  private mutating func askForFiles(_ store: any Store) async {
    await ask(store, "file") { try $0.assets.files(after: "", limit: 10) }
    await ask(store, "idle file") { try $0.assets.idleFiles(since: 10, limit: 10) }
    await ask(store, "upload") { try $0.assets.uploads(begunBy: .max, limit: 10) }
    await ask(store, "discarded") { try $0.assets.discardedObjects(after: "", limit: 10) }
    for number in 0..<3 {
      await ask(store, "file f\(number)") { try [$0.assets.file("f\(number)")].compactMap { $0 } }
      await ask(store, "upload u\(number)") {
        try [$0.assets.upload("u\(number)")].compactMap { $0 }
      }
    }
  }

  // MARK: Places

  private mutating func askForPlaces(_ store: any Store) async {
    await ask(store, "databases") { try $0.zones.databaseCounts().map { "\($0.key)" } }
    await ask(store, "database") { try $0.zones.databases(in: .sample) }
    for owner in FilledStore.owners {
      let database = DatabaseKey.sample(owner: owner)
      let name = owner ?? "all"
      await ask(store, "zone of \(name)") { try $0.zones.all(in: database) }
      await ask(store, "last of \(name)") {
        try [$0.sequences.last(in: database)].filter { $0 != 0 }
      }
      let settings: [SettingKey] = [
        .sharingEpoch(.sample(owner: owner)),
        .clientData(.sample(owner: owner), user: UserID("_b2")),
        .storedBytes(.sample(owner: owner)), .storedBytesOfDatabase(database),
        .pendingUploads(UserID(name)), .operation(user: UserID(name), id: "7"),
      ]
      for key in settings {
        await ask(store, key.text) { try [$0.settings.value(key)].compactMap { $0 } }
      }
    }
    let settings: [SettingKey] = [
      .vapidKey, .generation, .subscriptionTypes(.sampleProduction), .notifierCursor(.only),
    ]
    for key in settings {
      await ask(store, key.text) { try [$0.settings.value(key)].compactMap { $0 } }
    }
    await ask(store, "with a small number") { transaction in
      try transaction.queries.matching(EveryTable.query).records.filter { !$0.isUnreadable }.map {
        "\($0.name) \(try $0.record().fields)"
      }
    }
  }

  // MARK: Operators

  private mutating func askForOperators(_ store: any Store) async {
    await ask(store, "operator") { try $0.operators.all() }
    await ask(store, "operator o1") { try [$0.operators.find("o1")].compactMap { $0 } }
    await ask(store, "operator ada") { try [$0.operators.find(named: "ada")].compactMap { $0 } }
    await ask(store, "secret") { try $0.operators.credentials() }
    for id in ["d1", "d2"] {
      await ask(store, "secret \(id)") { try [$0.operators.credential(id)].compactMap { $0 } }
    }
    await ask(store, "act") { try $0.audit.entries(AuditFilter(), before: .max, limit: 10) }
  }
}
