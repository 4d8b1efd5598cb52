// Kept notifications and badges.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let notifications: [Case] = [
    Case("notifications are kept in order, once, and the oldest are dropped") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for id in ["a", "b", "a", "c", "d"] {
          try transaction.notifications.keepSample(id, limit: 3)
        }
        try transaction.notifications.keepSample("a", user: "_b2", limit: 3)
      }
      let kept = try await store.read { try $0.notifications.keptSample() }
      try expectEqual(kept.map(\.id), ["b", "c", "d"], "kept")
      try expectEqual(kept.map(\.isRead), [false, false, false], "read")
      try expectEqual(kept[0].payload, Array("b".utf8), "payload")
      let later = try await store.read {
        try $0.notifications.keptSample(after: kept[0].position, limit: 1)
      }
      try expectEqual(later, [kept[1]], "one after the first")
      try expectEqual(
        try await store.read { try $0.notifications.keptSample(user: "_b2").count }, 1, "other user"
      )
    },
    Case("the bound of kept notifications holds whatever failed, was marked or came twice") {
      store in
      struct Change: Error {}
      try await store.write(in: .everything(of: store)) { transaction in
        for id in ["a", "b"] { try transaction.notifications.keepSample(id, limit: 3) }
      }
      do {
        try await store.write(in: .everything(of: store)) { transaction in
          for id in ["x", "y", "z"] { try transaction.notifications.keepSample(id, limit: 3) }
          throw Change()
        }
      } catch is Change {}
      try await store.write(in: .everything(of: store)) { transaction in
        for id in ["b", "c", "c"] { try transaction.notifications.keepSample(id, limit: 3) }
      }
      try expectEqual(
        try await store.read { try $0.notifications.keptSample().map(\.id) }, ["a", "b", "c"])
      try await store.write(in: .everything(of: store)) { transaction in
        _ = try transaction.notifications.markSample([KeptNotificationID("a")])
        for id in ["d", "e"] { try transaction.notifications.keepSample(id, limit: 3) }
      }
      try expectEqual(
        try await store.read { try $0.notifications.keptSample().map(\.id) }, ["a", "d", "e"])
      // A bound that is lowered takes effect with the next.
      try await store.write(in: .everything(of: store)) {
        try $0.notifications.keepSample("f", limit: 1)
      }
      try expectEqual(try await store.read { try $0.notifications.keptSample().map(\.id) }, ["f"])
    },
    Case("marking as read moves to the end and answers what was found") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for id in ["a", "b", "c"] { try transaction.notifications.keepSample(id, limit: 9) }
      }
      let before = try await store.read { try $0.notifications.keptSample() }
      let found = try await store.write(in: .everything(of: store)) {
        try $0.notifications.markSample(["b", "unknown", "b"].map { KeptNotificationID($0) })
      }
      try expectEqual(found, [KeptNotificationID("b")], "answer")
      let after = try await store.read { try $0.notifications.keptSample() }
      try expectEqual(after.map(\.id), ["a", "c", "b"], "order")
      try expectEqual(after.map(\.isRead), [false, false, true], "read")
      try expect(
        (after.last?.position ?? 0) > (before.last?.position ?? 0), "the position did not rise")
    },
    Case("one subscription's notification of a change is read without the others'") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for (id, subscriptionID) in [("a", "s"), ("a", "t"), ("b", "s"), ("a", "u"), ("b", "t")] {
          try transaction.notifications.keepSample(id, subscriptionID, limit: 9)
        }
      }
      func mark(_ ids: [KeptNotificationID]) async throws -> [KeptNotificationID] {
        try await store.write(in: .everything(of: store)) {
          try $0.notifications.markSample(ids)
        }
      }
      func read() async throws -> [String] {
        try await store.read { try $0.notifications.keptSample() }.filter(\.isRead)
          .map { "\($0.id) \($0.subscriptionID)" }
      }
      let one = KeptNotificationID("a", subscriptionID: "t")
      let unknown = KeptNotificationID("b", subscriptionID: "u")
      try expectEqual(try await mark([one, unknown, one]), [one], "answer")
      try expectEqual(try await read(), ["a t"], "one of three")
      let all = KeptNotificationID("b")
      let other = KeptNotificationID("b", subscriptionID: "s")
      try expectEqual(try await mark([other, all]), [other, all], "both answers")
      try expectEqual(try await read(), ["a t", "b s", "b t"], "those of all, each once")
      try expectEqual(try await store.read { try $0.notifications.keptSample().count }, 5, "all")
    },
    Case("what is kept for a user goes with the badge, and the count begins anew") { store in
      let user = UserID("_a1")
      try await store.write(in: .everything(of: store)) { transaction in
        for id in ["a", "b"] { try transaction.notifications.keepSample(id, limit: 2) }
        try transaction.notifications.keepSample("a", user: "_b2", limit: 2)
        try transaction.notifications.setBadge(5, of: user, in: .sample)
      }
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.notifications.removeAll(of: user, in: .sample)
        try transaction.notifications.removeAll(of: UserID("_x9"), in: .sample)
      }
      try await store.read { transaction in
        try expectEqual(try transaction.notifications.keptSample(), [], "kept")
        try expectEqual(try transaction.notifications.badge(of: user, in: .sample), 0, "badge")
        try expectEqual(
          try transaction.notifications.keptSample(user: "_b2").count, 1, "another user's")
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for id in ["c", "d", "e"] { try transaction.notifications.keepSample(id, limit: 2) }
      }
      try expectEqual(
        try await store.read { try $0.notifications.keptSample().map(\.id) }, ["d", "e"])
    },
    Case("badges are per user, container and environment") { store in
      let user = UserID("_a1")
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.notifications.setBadge(5, of: user, in: .sample)
        try transaction.notifications.setBadge(7, of: user, in: .sample)
      }
      try await store.read { transaction in
        try expectEqual(try transaction.notifications.badge(of: user, in: .sample), 7)
        try expectEqual(try transaction.notifications.badge(of: user, in: .sampleProduction), 0)
        try expectEqual(try transaction.notifications.badge(of: UserID("_b2"), in: .sample), 0)
      }
    },
  ]
}

extension NotificationWriting {
  func keepSample(
    _ id: String, _ subscriptionID: String = "s", user: String = "_a1", limit: Int
  ) throws {
    try keep(
      KeptNotification(
        position: 0, id: id, subscriptionID: subscriptionID, payload: Array(id.utf8),
        isRead: false),
      for: UserID(user), in: .sample, limit: limit)
  }

  fileprivate func markSample(_ ids: [KeptNotificationID]) throws -> [KeptNotificationID] {
    try markRead(ids, of: UserID("_a1"), in: .sample)
  }
}

extension NotificationReading {
  fileprivate func keptSample(
    user: String = "_a1", after position: Int64 = 0, limit: Int = 99
  ) throws -> [KeptNotification] {
    try kept(for: UserID(user), in: .sample, after: position, limit: limit)
  }
}
