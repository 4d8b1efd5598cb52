// Accounts, credentials, memberships, settings.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let accounts: [Case] = [
    Case("users come back by ID, name and address, in name order") { store in
      let users = [
        User(
          id: UserID("_2"), name: "alice", passwordHash: "h", emailAddress: "a@example.org",
          phoneNumber: "1", givenName: "Al", familyName: "Ice", tokenEpoch: 4),
        User(id: UserID("_1"), name: "bob", isDiscoverable: false),
        User(id: UserID("_3"), name: "zo\u{eb}"),
      ]
      try await store.write(in: .everything(of: store)) { transaction in
        try expectEqual(try transaction.users.count(), 0, "nobody yet")
        for user in users.reversed() { try transaction.users.put(user) }
        try transaction.users.put(users[0])
        try expectEqual(try transaction.users.count(), 3, "as many as were put, each once")
      }
      try await store.read { transaction in
        try expectEqual(try transaction.users.page(after: nil, limit: 9), users, "users")
        let first = try transaction.users.page(after: nil, limit: 2)
        try expectEqual(first, Array(users.prefix(2)), "a page")
        try expectEqual(try transaction.users.page(after: "bob", limit: 2), [users[2]], "the next")
        try expectEqual(try transaction.users.find(UserID("_2")), users[0], "by ID")
        try expectEqual(try transaction.users.find(named: "bob"), users[1], "by name")
        try expectEqual(try transaction.users.find(named: "zoe\u{308}"), nil, "by another spelling")
        try expectEqual(
          try transaction.users.find(emailAddress: "a@example.org"), users[0], "by address")
        try expectEqual(try transaction.users.find(emailAddress: "none"), nil, "by unknown address")
        try expectEqual(try transaction.users.find(phoneNumber: "1"), users[0], "by number")
        try expectEqual(try transaction.users.find(phoneNumber: "2"), nil, "by unknown number")
      }
    },
    Case("an address is found in any case of its ASCII letters, its own spelling first") { store in
      let users = [
        User(id: UserID("_1"), name: "ann", emailAddress: "Bo@Example.org"),
        User(id: UserID("_2"), name: "bob", emailAddress: "BO@example.org"),
        User(id: UserID("_3"), name: "zoe", emailAddress: "zo\u{eb}[@example.org"),
      ]
      try await store.write(in: .everything(of: store)) { transaction in
        for user in users { try transaction.users.put(user) }
      }
      try await store.read { transaction in
        func found(_ address: String) throws -> User? {
          try transaction.users.find(emailAddress: address)
        }
        try expectEqual(try found("bo@example.ORG"), users[0], "the first in name order")
        try expectEqual(try found("BO@example.org"), users[1], "the same spelling")
        try expectEqual(try found("ZO\u{eb}[@EXAMPLE.org"), users[2], "other letters as they are")
        try expectEqual(try found("zo\u{cb}[@example.org"), nil, "another letter")
        try expectEqual(try found("zo\u{eb}{@example.org"), nil, "what is no letter")
      }
    },
    Case("a removed account is found by nothing, and others stay") { store in
      let identity = ProviderIdentity(issuer: "https://i.example", subject: "s")
      let users = [
        User(id: UserID("_1"), name: "ann", emailAddress: "a@example.org", phoneNumber: "1"),
        User(id: UserID("_2"), name: "bob"),
      ]
      try await store.write(in: .everything(of: store)) { transaction in
        for user in users { try transaction.users.put(user) }
        try transaction.users.link(identity, to: users[0].id)
        try transaction.users.remove(users[0].id)
        try expectEqual(try transaction.users.find(users[0].id), nil, "in the same transaction")
        try transaction.users.remove(UserID("_9"))
      }
      try await store.read { transaction in
        try expectEqual(try transaction.users.page(after: nil, limit: 9), [users[1]], "users")
        try expectEqual(try transaction.users.count(), 1, "how many")
        try expectEqual(try transaction.users.find(named: "ann"), nil, "by name")
        try expectEqual(
          try transaction.users.find(emailAddress: "a@example.org"), nil, "by address")
        try expectEqual(try transaction.users.linked(to: identity), nil, "by identity")
      }
    },
    Case("credentials come back until they are removed") { store in
      let tokens = [nil, [], ["https://a.example", ""]].enumerated().map { index, origins in
        APIToken(
          token: "t\(index)", name: "T", in: .sampleProduction,
          allowedOrigins: origins, callback: index == 1 ? "https://a.example/back" : nil)
      }
      let key = ServerKey(id: "k", name: "K", in: .sample, publicKey: "PEM\n", user: UserID("_1"))
      try await store.write(in: .everything(of: store)) { transaction in
        for token in tokens { try transaction.credentials.put(token) }
        try transaction.credentials.put(key)
      }
      try await store.read { transaction in
        try expectEqual(try transaction.credentials.apiTokens(), tokens, "API tokens")
        try expectEqual(try transaction.credentials.apiToken("t2"), tokens[2], "API token")
        try expectEqual(try transaction.credentials.serverKeys(), [key], "server keys")
        try expectEqual(try transaction.credentials.serverKey("k"), key, "server key")
      }
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.credentials.removeAPIToken("t0")
        try transaction.credentials.removeServerKey("k")
      }
      try await store.read { transaction in
        try expectEqual(try transaction.credentials.apiToken("t0"), nil, "a removed token")
        try expectEqual(try transaction.credentials.serverKey("k"), nil, "a removed key")
      }
    },
    Case("memberships are found by user and by zone") { store in
      func membership(_ user: String, _ zone: ZoneKey, _ share: String) -> Membership {
        Membership(user: UserID(user), share: RecordKey(zone: zone, name: share))
      }
      let all = [
        membership("_b2", .sample("A", owner: "_a1"), "s1"),
        membership("_b2", .sample("A", owner: "_c3"), "s1"),
        membership("_b2", .sample("B", owner: "_a1"), "s0"),
        membership("_b2", .sample("B", owner: "_a1"), "s1"),
      ]
      let other = membership("_d4", .sample("B", owner: "_a1"), "s1")
      try await store.write(in: .everything(of: store)) { transaction in
        for membership in all.reversed() + [other, all[0]] {
          try transaction.shares.put(membership)
        }
      }
      func own() async throws -> [Membership] {
        try await store.read {
          try $0.shares.memberships(of: UserID("_b2"), in: .sample)
        }
      }
      try expectEqual(try await own(), all, "of a user")
      let inZone = try await store.read {
        try $0.shares.memberships(in: .sample("B", owner: "_a1"))
      }
      try expectEqual(inZone, [all[2], all[3], other], "in a zone")
      try await store.write(in: .everything(of: store)) { try $0.shares.remove(all[2]) }
      try expectEqual(try await own(), [all[0], all[1], all[3]], "after leaving")
    },
    Case("short GUIDs and settings come back") { store in
      let key = RecordKey(zone: .sample(), name: "root")
      let schema = SettingKey.schema(.sample)
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.shares.setShortGUID("0abc", record: key)
        try transaction.settings.set(schema, to: Array("DEFINE".utf8))
        try transaction.settings.set(.operation(user: UserID("_1"), id: "x/é"), to: [])
        try transaction.settings.set(.notifierCursor(store.sampleBucket), to: [1])
        try transaction.settings.set(.notifierCursor(store.sampleBucket), to: nil)
      }
      try await store.read { transaction in
        try expectEqual(try transaction.shares.record(shortGUID: "0abc"), key, "short GUID")
        try expectEqual(try transaction.shares.record(shortGUID: "0ABC"), nil, "another GUID")
        try expectEqual(try transaction.settings.value(schema), Array("DEFINE".utf8), "schema")
        try expectEqual(
          try transaction.settings.value(.operation(user: UserID("_1"), id: "x/é")), [],
          "empty value")
        try expectEqual(
          try transaction.settings.value(.notifierCursor(store.sampleBucket)), nil,
          "a removed setting")
        try expectEqual(
          try transaction.settings.value(.schema(.sampleProduction)), nil, "other environment")
      }
    },
  ]
}
