// Identities of providers, members of roles, used signatures.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let signIn: [Case] = [
    Case("a provider's identity names the account it was linked to") { store in
      let identity = ProviderIdentity(issuer: "https://id.example", subject: "s1")
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.users.link(identity, to: UserID("_1"))
        try transaction.users.link(
          ProviderIdentity(issuer: "https://other.example", subject: "s1"), to: UserID("_2"))
      }
      try await store.read { transaction in
        try expectEqual(try transaction.users.linked(to: identity), UserID("_1"), "linked account")
        let other = ProviderIdentity(issuer: "https://id.example", subject: "S1")
        try expectEqual(try transaction.users.linked(to: other), nil, "another subject")
      }
      try await store.write(in: .everything(of: store)) {
        try $0.users.link(identity, to: UserID("_3"))
      }
      let now = try await store.read { try $0.users.linked(to: identity) }
      try expectEqual(now, UserID("_3"), "linked anew")
    },
    Case("roles are kept by container, environment and user") { store in
      @Sendable func member(
        _ role: String, _ user: String, _ environment: Environment = .development
      ) -> RoleMember {
        RoleMember(in: ContainerEnvironment(.sample, environment), role: role, user: UserID(user))
      }
      let all = [
        member("editor", "_1"), member("editor", "_2"), member("moderator", "_1"),
      ]
      try await store.write(in: .everything(of: store)) { transaction in
        for member in all.reversed() + [all[0], member("editor", "_1", .production)] {
          try transaction.roles.put(member)
        }
      }
      func members() async throws -> [RoleMember] {
        try await store.read {
          try $0.roles.members(in: .sample)
        }
      }
      try expectEqual(try await members(), all, "members")
      let own = try await store.read {
        try $0.roles.names(of: UserID("_1"), in: .sample)
      }
      try expectEqual(own, ["editor", "moderator"], "roles of a user")
      try await store.write(in: .everything(of: store)) { try $0.roles.remove(all[0]) }
      try expectEqual(try await members(), Array(all.dropFirst()), "after one was taken away")
      let elsewhere = try await store.read {
        try $0.roles.names(of: UserID("_1"), in: .sampleProduction)
      }
      try expectEqual(elsewhere, ["editor"], "the other environment")
    },
    Case("a signature is used once until its time is over") { store in
      func use(_ signature: String, at time: Milliseconds, limit: Int = 10) async throws
        -> SignatureUse
      {
        try await store.write(in: .everything(of: store)) {
          try $0.credentials.use(signature: signature, at: time, after: time - 100, limit: limit)
        }
      }
      try expectEqual(try await use("a", at: 1000), .first, "first use")
      try expectEqual(try await use("a", at: 1100), .repeated, "within its time")
      try expectEqual(try await use("A", at: 1100), .first, "another signature")
      try expectEqual(try await use("a", at: 1101), .first, "after its time")
    },
    Case("no more signatures are remembered than may be") { store in
      func use(_ signature: String, at time: Milliseconds) async throws -> SignatureUse {
        try await store.write(in: .everything(of: store)) {
          try $0.credentials.use(signature: signature, at: time, after: time - 100, limit: 2)
        }
      }
      try expectEqual(try await use("a", at: 1000), .first)
      try expectEqual(try await use("b", at: 1050), .first)
      try expectEqual(try await use("c", at: 1050), .full, "no room")
      try expectEqual(try await use("a", at: 1050), .repeated, "while full")
      try expectEqual(try await use("c", at: 1101), .first, "room again")
      try expectEqual(try await use("b", at: 1101), .repeated, "still remembered")
    },
    Case("a failed body forgets the signature it used") { store in
      struct Undone: Error {}
      do {
        try await store.write(in: .everything(of: store)) { transaction in
          _ = try transaction.credentials.use(signature: "a", at: 1000, after: 0, limit: 1)
          throw Undone()
        }
      } catch is Undone {}
      let again = try await store.write(in: .everything(of: store)) {
        try $0.credentials.use(signature: "a", at: 1000, after: 0, limit: 1)
      }
      try expectEqual(again, .first, "after the failure")
    },
  ]
}
