// Devices and mailboxes.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let devices: [Case] = [
    Case("devices come back by key, by user and by courier token") { store in
      let channels: [Device.Channel] = [
        .stream, .courier(token: "c0"), .apns(token: "c0", environment: .production, topic: nil),
      ]
      let devices = channels.enumerated().map { index, channel in
        Device(key: DeviceKey.sample("d\(index)"), channel: channel, registered: Int64(index))
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for device in devices.reversed() { try transaction.devices.put(device) }
        try transaction.devices.put(
          Device(key: .sample("d0", user: "_b2"), channel: .courier(token: "c1"), registered: 1))
      }
      try await store.read { transaction in
        for device in devices {
          try expectEqual(try transaction.devices.find(device.key), device, "device")
        }
        let own = try transaction.devices.all(of: UserID("_a1"), in: .sample)
        try expectEqual(own, devices, "devices of a user")
        let other = try transaction.devices.all(of: UserID("_a1"), in: .sampleProduction)
        try expectEqual(other, [], "devices in the other environment")
        try expectEqual(
          try transaction.devices.all(courierToken: "c0"), [devices[1]], "all of a token")
        try expectEqual(try transaction.devices.all(courierToken: "none"), [], "by unknown token")
        try expectEqual(try transaction.devices.find(.sample("D0")), nil, "unknown device")
      }
    },
    Case("a user's devices of all containers and environments come together") { store in
      let other = DeviceKey(
        in: ContainerEnvironment(ContainerID("iCloud.org.example.other"), .production),
        user: UserID("_a1"), device: DeviceID("d"))
      let own = [DeviceKey.sample("d"), other].map {
        Device(key: $0, channel: .courier(token: "c"), registered: 1)
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for device in own { try transaction.devices.put(device) }
        try transaction.devices.put(
          Device(key: .sample("d", user: "_a"), channel: .stream, registered: 1))
        // A mailbox without a device is not one.
        try transaction.mailboxes.enqueue(.sample("n"), to: .sample("e"))
      }
      try await store.read { transaction in
        let found = try transaction.devices.all(of: UserID("_a1"))
        try expectEqual(found.count, 2, "devices")
        try expect(own.allSatisfy { found.contains($0) }, "a container's device is missing")
        try expectEqual(try transaction.devices.all(of: UserID("_c")), [], "of somebody else")
      }
    },
    Case("mail waits in order until it is acknowledged") { store in
      let key = DeviceKey.sample("d")
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.devices.put(Device(key: key, channel: .stream, registered: 0))
        for number in 1...5 { try transaction.mailboxes.enqueue(.sample("n\(number)"), to: key) }
        try transaction.mailboxes.enqueue(.sample("other"), to: .sample("e"))
      }
      let all = try await store.read { try $0.mailboxes.entries(of: key, after: 0, limit: 99) }
      try expectEqual(all.map(\.notificationID), ["n1", "n2", "n3", "n4", "n5"], "mail")
      try expect(zip(all, all.dropFirst()).allSatisfy { $0.position < $1.position }, "positions")
      try expectEqual(all[0].payload, Array("n1".utf8), "payload")
      try expectEqual(all[0].collapseID, "c", "collapse ID")
      let some = try await store.read {
        try $0.mailboxes.entries(of: key, after: all[1].position, limit: 2)
      }
      try expectEqual(some, Array(all[2...3]), "two after the second")
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.mailboxes.acknowledge(through: all[1].position, by: key)
        try transaction.mailboxes.remove(at: all[3].position, of: key)
        try transaction.mailboxes.remove(at: all[4].position, of: .sample("e"))
      }
      try await store.read { transaction in
        let left = try transaction.mailboxes.entries(of: key, after: 0, limit: 9)
        try expectEqual(left, [all[2], all[4]], "mail left")
        try expectEqual(try transaction.mailboxes.count(of: key), 2, "count")
        try expectEqual(try transaction.mailboxes.count(of: .sample("e")), 1, "the other's count")
      }
    },
    Case("whoever writes knows how much waits, whatever was done since it was last counted") {
      store in
      let key = DeviceKey.sample("d")
      struct Undone: Error {}
      func count(
        _ change: @escaping @Sendable (any WriteTransaction) throws -> Void
      ) async throws -> [Int] {
        try await store.write(in: .everything(of: store)) { transaction in
          let before = try transaction.mailboxes.count(of: key)
          try change(transaction)
          return [before, try transaction.mailboxes.count(of: key)]
        }
      }
      let put = try await count { transaction in
        try transaction.devices.put(Device(key: key, channel: .stream, registered: 0))
        for id in ["1", "2", "2", "3", "4"] {
          try transaction.mailboxes.enqueue(.sample(id), to: key)
        }
      }
      try expectEqual(put, [0, 4], "put")
      let all = try await store.read { try $0.mailboxes.entries(of: key, after: 0, limit: 9) }
      let acknowledged = try await count {
        try $0.mailboxes.acknowledge(through: all[1].position, by: key)
      }
      try expectEqual(acknowledged, [4, 2], "acknowledged")
      let removed = try await count { transaction in
        try transaction.mailboxes.remove(at: all[2].position, of: key)
        try transaction.mailboxes.remove(at: all[2].position, of: key)
      }
      try expectEqual(removed, [2, 1], "removed")
      let undone = try? await count { transaction in
        try transaction.mailboxes.acknowledge(through: .max, by: key)
        throw Undone()
      }
      try expectEqual(undone, nil, "undone")
      let anew = try await count { transaction in
        try transaction.devices.remove(key)
        try transaction.devices.put(Device(key: key, channel: .stream, registered: 1))
      }
      try expectEqual(anew, [1, 0], "registered anew")
    },
    Case("the same notification waits once, and positions are never used again") { store in
      let key = DeviceKey.sample("d")
      let positions = try await store.write(in: .everything(of: store)) { transaction in
        let first = try transaction.mailboxes.enqueue(.sample("n"), to: key)
        let again = try transaction.mailboxes.enqueue(.sample("n"), to: key)
        let second = try transaction.mailboxes.enqueue(.sample("n", subscription: "s2"), to: key)
        return [first, again, second]
      }
      try expectEqual(positions[0], positions[1], "a repeated notification")
      try expect(positions[2] > positions[1], "another subscription's notification was dropped")
      let next = try await store.write(in: .everything(of: store)) { transaction in
        try transaction.mailboxes.acknowledge(through: positions[2], by: key)
        return try transaction.mailboxes.enqueue(.sample("n"), to: key)
      }
      try expect(next > positions[2], "a position was used again")
      let last = try await store.read {
        try $0.mailboxes.lastPosition(in: $0.log.bucket(of: key.database))
      }
      try expectEqual(last, next, "the last position, though its entry is the only one")
      try await store.write(in: .everything(of: store)) {
        try $0.mailboxes.acknowledge(through: next, by: key)
      }
      let lastOfEmpty = try await store.read {
        try $0.mailboxes.lastPosition(in: $0.log.bucket(of: key.database))
      }
      try expectEqual(lastOfEmpty, next, "the last position once all is acknowledged")
    },
    Case("devices whose IDs look alike and have other bytes are two") { store in
      // A letter with its accent in two spellings, and a letter beside a sign that is the same character.
      let keys = ["caf\u{e9}", "cafe\u{301}", "K", "\u{212a}"].map { DeviceKey.sample($0) }
      try await store.write(in: .everything(of: store)) { transaction in
        for (index, key) in keys.enumerated() {
          try transaction.devices.put(
            Device(key: key, channel: .courier(token: "c\(index)"), registered: 0))
          for number in 0...index {
            try transaction.mailboxes.enqueue(.sample("n\(number)"), to: key)
          }
        }
        try expectEqual(
          try keys.map { try transaction.mailboxes.count(of: $0) }, [1, 2, 3, 4], "mail")
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for key in [keys[1], keys[3]] { try transaction.devices.remove(key) }
      }
      try await store.read { transaction in
        try expectEqual(
          try keys.map { try transaction.mailboxes.count(of: $0) }, [1, 0, 3, 0], "mail left")
        try expectEqual(
          try keys.map { try transaction.devices.find($0) != nil }, [true, false, true, false],
          "devices left")
      }
    },
    Case("a replaced device keeps its mail, a removed one loses it") { store in
      let key = DeviceKey.sample("d")
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.devices.put(Device(key: key, channel: .stream, registered: 0))
        try transaction.mailboxes.enqueue(.sample("n"), to: key)
        try transaction.devices.put(Device(key: key, channel: .courier(token: "t"), registered: 1))
      }
      try expectEqual(
        try await store.read { try $0.mailboxes.count(of: key) }, 1, "after replacing")
      try await store.write(in: .everything(of: store)) { try $0.devices.remove(key) }
      try await store.write(in: .everything(of: store)) {
        try $0.devices.put(Device(key: key, channel: .stream, registered: 2))
      }
      try expectEqual(try await store.read { try $0.mailboxes.count(of: key) }, 0, "after removing")
    },
  ]
}

extension DeviceKey {
  static func sample(_ device: String, user: String = "_a1") -> DeviceKey {
    DeviceKey(in: .sample, user: UserID(user), device: DeviceID(device))
  }
}

extension MailboxEntry {
  static func sample(_ id: String, subscription: String = "s") -> MailboxEntry {
    MailboxEntry(
      position: 0, notificationID: id, subscriptionID: subscription, collapseID: "c",
      payload: Array(id.utf8), time: 9, requestID: "R")
  }
}
