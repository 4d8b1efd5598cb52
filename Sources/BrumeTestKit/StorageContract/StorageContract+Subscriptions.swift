// Subscriptions.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let subscriptions: [Case] = [
    Case("a subscription comes back as saved, and saving again overwrites") { store in
      let scope = SubscriptionSamples.scope(.private)
      for kind in SubscriptionSamples.kinds {
        let stored = StoredSubscription(
          scope: scope, subscription: SubscriptionSamples.subscription("one", kind),
          starts: LogPositions(7, in: store.sampleBucket))
        try await store.write(in: .everything(of: store)) { try $0.subscriptions.put(stored) }
        let found = try await store.read { try $0.subscriptions.find("one", in: scope) }
        try expectEqual(found, stored, "subscription")
        try expectEqual(try await store.read { try $0.subscriptions.all(in: scope).count }, 1)
      }
      let elsewhere = try await store.read {
        try $0.subscriptions.find("one", in: SubscriptionSamples.scope(.public))
      }
      try expectEqual(elsewhere, nil, "a subscription of another database")
    },
    Case("subscriptions are distinguished by bytes, listed in byte order, removed one by one") {
      store in
      let scope = SubscriptionSamples.scope(.private)
      let ids = ["b", "caf\u{e9}", "cafe\u{301}", "A", "ä"]
      try await store.write(in: .everything(of: store)) { transaction in
        for id in ids {
          try transaction.subscriptions.put(SubscriptionSamples.stored(id, scope))
        }
      }
      let listed = try await store.read {
        try $0.subscriptions.all(in: scope).map { Array($0.subscription.id.utf8) }
      }
      let expected = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
      try expectEqual(listed, expected, "IDs")
      let removed = try await store.write(in: .everything(of: store)) { transaction in
        [
          try transaction.subscriptions.remove("caf\u{e9}", in: scope),
          try transaction.subscriptions.remove("caf\u{e9}", in: scope),
          try transaction.subscriptions.remove("b", in: SubscriptionSamples.scope(.public)),
        ]
      }
      try expectEqual(removed, [true, false, false], "answers of removing")
      try expectEqual(try await store.read { try $0.subscriptions.all(in: scope).count }, 4)
    },
    Case("pages of all subscriptions miss none and repeat none") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for number in 0..<25 {
          let scope = SubscriptionSamples.scope(.private, user: "_u\(number % 4)")
          try transaction.subscriptions.put(SubscriptionSamples.stored("s\(number)", scope))
        }
        try transaction.subscriptions.put(
          SubscriptionSamples.stored("s3", SubscriptionSamples.scope(.private, user: "_u3")))
      }
      var seen: [String] = []
      for bucket in (0..<store.bucketCount).map({ Bucket($0) }) {
        var cursor: Int64?
        repeat {
          let page = try await store.read { [cursor] in
            try $0.subscriptions.page(
              watching: bucket, withShared: false, after: cursor, limit: 4)
          }
          seen += page.subscriptions.map(\.subscription.id)
          cursor = page.next
        } while cursor != nil && seen.count < 100
      }
      try expectEqual(seen.sorted(), (0..<25).map { "s\($0)" }.sorted(), "all subscriptions")
    },
    Case("subscriptions of several users come together; pages may leave out shared databases") {
      store in
      let scopes = ["_a1", "_b2", "_c3"].map { SubscriptionSamples.scope(.shared, user: $0) }
      try await store.write(in: .everything(of: store)) { transaction in
        for scope in [scopes[0], scopes[2], SubscriptionSamples.scope(.private)] {
          for id in ["b", "a"] {
            try transaction.subscriptions.put(SubscriptionSamples.stored(id, scope))
          }
        }
      }
      let found = try await store.read {
        try $0.subscriptions.all(in: scopes).map { "\($0.scope.user.name) \($0.subscription.id)" }
      }
      try expectEqual(found, ["_a1 a", "_a1 b", "_c3 a", "_c3 b"], "of three users")
      for bucket in (0..<store.bucketCount).map({ Bucket($0) }) {
        for (withShared, expected) in [(false, 0), (true, 4)] {
          let page = try await store.read {
            try $0.subscriptions.page(
              watching: bucket, withShared: withShared, after: nil, limit: 10)
          }
          let shared = page.subscriptions.count { $0.scope.scope == .shared }
          try expectEqual(shared, expected, "subscriptions to shared databases")
        }
      }
    },
    Case("query subscriptions are known by type and database") { store in
      let query = Subscription.Kind.query(
        Query(recordType: "Trail"), zone: nil, firesOn: [.create], firesOnce: false)
      func watched(_ type: String, _ owner: String?) async throws -> [Bool] {
        // Asked in a write, where an engine may remember the answer, and in a read.
        try await [
          store.write(in: .everything(of: store)) {
            try $0.subscriptions.hasQueries(on: type, in: .sample(owner: owner))
          },
          store.read { try $0.subscriptions.hasQueries(on: type, in: .sample(owner: owner)) },
        ]
      }
      try expectEqual(try await watched("Trail", "_a1"), [false, false], "before")
      for (scope, watchedDatabase, otherDatabase) in [
        (DatabaseScope.private, "_a1" as String?, "_b2" as String?), (.public, nil, "_a1"),
      ] {
        let stored = SubscriptionSamples.stored("q", query, scope, in: store)
        try await store.write(in: .everything(of: store)) { try $0.subscriptions.put(stored) }
        try expectEqual(try await watched("Trail", watchedDatabase), [true, true], "\(scope)")
        try expectEqual(
          try await watched("Hut", watchedDatabase), [false, false], "\(scope), other type")
        try expectEqual(
          try await watched("Trail", otherDatabase), [false, false], "\(scope), elsewhere")
        try await store.write(in: .everything(of: store)) {
          _ = try $0.subscriptions.remove("q", in: stored.scope)
        }
        try expectEqual(
          try await watched("Trail", watchedDatabase), [false, false], "\(scope), removed")
      }
      let zone = SubscriptionSamples.stored("z", SubscriptionSamples.scope(.private))
      try await store.write(in: .everything(of: store)) { try $0.subscriptions.put(zone) }
      try expectEqual(try await watched("Trail", "_a1"), [false, false], "a zone subscription")
    },
    Case("a query subscription to a shared database is known of the zones of others with shares") {
      store in
      let zone = Zone(
        key: .sample(owner: "_b2"), incarnation: 1, lastSequence: 1, hasShares: true)
      let query = Subscription.Kind.query(
        Query(recordType: "Trail"), zone: nil, firesOn: [.create], firesOnce: false)
      let stored = SubscriptionSamples.stored("q", query, .shared, in: store)
      try await store.write(in: .everything(of: store)) {
        try $0.zones.put(zone)
        try $0.subscriptions.put(stored)
      }
      let isKnown = try await store.write(in: .everything(of: store)) {
        _ = try $0.zones.find(zone.key)
        return try $0.subscriptions.hasQueries(on: "Trail", in: zone.key.database)
      }
      try expect(isKnown, "a subscription of the sharing user's guest")
    },
  ]
}

enum SubscriptionSamples {
  static func scope(_ scope: DatabaseScope, user: String = "_a1") -> SubscriptionScope {
    SubscriptionScope(in: .sample, scope: scope, user: UserID(user))
  }

  static func subscription(_ id: String, _ kind: Subscription.Kind) -> Subscription {
    var info = NotificationInfo()
    info.alert.literal = "Neu: 🥾"
    info.shouldBadge = true
    return Subscription(id: id, kind: kind, info: info)
  }

  static func stored(_ id: String, _ scope: SubscriptionScope) -> StoredSubscription {
    StoredSubscription(
      scope: scope,
      subscription: subscription(
        id, .zone(ZoneID(name: "Trails", ownerName: "_a1"), recordType: nil)),
      starts: LogPositions(3, in: .only))
  }

  static func stored(
    _ id: String, _ kind: Subscription.Kind, _ scope: DatabaseScope, in store: any Store
  ) -> StoredSubscription {
    StoredSubscription(
      scope: self.scope(scope), subscription: subscription(id, kind),
      starts: LogPositions(0, in: store.sampleBucket))
  }

  static let kinds: [Subscription.Kind] = [
    .query(
      Query(
        recordType: "Trail",
        filters: [Filter(.equals, .field("title"), .string("café"))]),
      zone: nil, firesOn: [.create, .delete], firesOnce: true),
    .zone(ZoneID(name: "Trails", ownerName: "_a1"), recordType: nil),
    .database(recordType: nil),
  ]
}
