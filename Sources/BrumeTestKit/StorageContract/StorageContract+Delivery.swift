// Delivery to the outside: devices with pending entries, senders, webhooks, the push log.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let delivery: [Case] = [
    Case("devices that the server sends to come back with all they need") { store in
      let channels: [Device.Channel] = [
        .apns(token: "ab", environment: .development, topic: "org.example.app"),
        .apns(token: "cd", environment: .production, topic: nil),
        .webPush(
          WebPushTarget(endpoint: "https://push.example/é", key: [4, 0, 255], secret: [1, 2])),
      ]
      let devices = channels.enumerated().map { index, channel in
        Device(key: DeviceKey.sample("d\(index)"), channel: channel, registered: Int64(index))
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for device in devices { try transaction.devices.put(device) }
        try transaction.devices.put(
          Device(key: .sample("d9", user: "_b2"), channel: channels[0], registered: 7))
        try transaction.devices.put(
          Device(key: .sample("d8"), channel: .courier(token: "ab"), registered: 7))
      }
      try await store.read { transaction in
        for device in devices {
          try expectEqual(try transaction.devices.find(device.key), device, "device")
        }
        let shared = try transaction.devices.all(address: "ab")
        try expectEqual(
          shared.map(\.key), [.sample("d0"), .sample("d9", user: "_b2")], "devices at an address")
        try expectEqual(
          try transaction.devices.all(address: "https://push.example/é"), [devices[2]], "endpoint")
        try expectEqual(try transaction.devices.all(address: "none"), [], "unknown address")
      }
    },
    Case("devices with mail are found page by page, and only those that are sent to") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for number in 1...5 {
          let key = DeviceKey.sample("d\(number)")
          try transaction.devices.put(
            Device(
              key: key, channel: .apns(token: "t\(number)", environment: .production, topic: nil),
              registered: 0))
          if number != 3 { try transaction.mailboxes.enqueue(.sample("n"), to: key) }
        }
        // Before, between and behind those that are sent to.
        for name in ["a", "d2a", "s"] {
          try transaction.devices.put(Device(key: .sample(name), channel: .stream, registered: 0))
          try transaction.mailboxes.enqueue(.sample("n"), to: .sample(name))
        }
        try transaction.mailboxes.enqueue(.sample("n"), to: .sample("unregistered"))
      }
      var found: [String] = []
      var next: PendingCursor?
      repeat {
        let cursor = next
        let page = try await store.read {
          try $0.devices.withPendingEntries(after: cursor, limit: 2)
        }
        try expect(page.devices.count <= 2, "a page is too long")
        found += page.devices.map(\.key.device.name)
        next = page.next
      } while next != nil
      try expectEqual(found.sorted(), ["d1", "d2", "d4", "d5"], "devices with mail")
    },
    Case("a device that lost its mail between two pages hides none behind it") { store in
      let keys = (1...5).map { DeviceKey.sample("d\($0)") }
      try await store.write(in: .everything(of: store)) { transaction in
        for key in keys {
          try transaction.devices.put(
            Device(
              key: key,
              channel: .apns(token: key.device.name, environment: .production, topic: nil),
              registered: 0))
          try transaction.mailboxes.enqueue(.sample("n"), to: key)
        }
      }
      var found: [String] = []
      var next: PendingCursor?
      repeat {
        let cursor = next
        let page = try await store.read {
          try $0.devices.withPendingEntries(after: cursor, limit: 2)
        }
        let served = page.devices.map(\.key)
        try await store.write(in: .everything(of: store)) { transaction in
          for key in served { try transaction.mailboxes.acknowledge(through: .max, by: key) }
        }
        found += served.map(\.device.name)
        next = page.next
      } while next != nil
      try expectEqual(found.sorted(), keys.map(\.device.name), "devices with mail")
    },
    Case("senders for Apple keep their order, by container") { store in
      let senders = ["b", "a"].map { topic in
        APNsSender(
          container: .sample, topic: topic, team: "TEAM", keyID: "KEY", privateKey: "pem \(topic)")
      }
      let renewed = APNsSender(
        container: .sample, topic: "b", team: "OTHER", keyID: "KEY2", privateKey: "pem 2")
      try await store.write(in: .everything(of: store)) { transaction in
        for sender in senders { try transaction.apnsSenders.put(sender) }
        try transaction.apnsSenders.put(renewed)
      }
      let found = try await store.read { try $0.apnsSenders.all(of: .sample) }
      try expectEqual(found, [renewed, senders[1]], "senders")
      let other = try await store.read { try $0.apnsSenders.all(of: ContainerID("iCloud.other")) }
      try expectEqual(other, [], "another container's")
      let removed = try await store.write(in: .everything(of: store)) { transaction in
        [
          try transaction.apnsSenders.remove("b", of: .sample),
          try transaction.apnsSenders.remove("b", of: .sample),
        ]
      }
      try expectEqual(removed, [true, false], "removed")
      let left = try await store.read { try $0.apnsSenders.all(of: .sample) }
      try expectEqual(left, [senders[1]], "senders left")
    },
    Case("webhooks come back as they were put") { store in
      var first = Webhook(
        id: "w1", in: .sampleProduction, url: "https://a.example/hook",
        secret: [0, 255], created: 5, cursor: LogPositions(9, in: store.sampleBucket))
      let second = Webhook(
        id: "w2", in: .sample, url: "https://b.example/",
        secret: [1], created: 6, cursor: LogPositions())
      let before = first
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.webhooks.put(second)
        try transaction.webhooks.put(before)
      }
      first.cursor = LogPositions(20, in: store.sampleBucket)
      first.batchEnd = .init(bucket: store.sampleBucket, position: 30)
      first.failures = 4
      first.disabledBecause = "answered 410"
      first.missed = true
      let after = first
      try await store.write(in: .everything(of: store)) { try $0.webhooks.put(after) }
      try await store.read { transaction in
        try expectEqual(try transaction.webhooks.all(), [after, second], "webhooks")
        try expectEqual(try transaction.webhooks.find("w1"), after, "webhook")
        try expectEqual(try transaction.webhooks.find("w3"), nil, "unknown webhook")
      }
      let removed = try await store.write(in: .everything(of: store)) { transaction in
        [try transaction.webhooks.remove("w1"), try transaction.webhooks.remove("w1")]
      }
      try expectEqual(removed, [true, false], "removed")
    },
    Case("the push log keeps the newest entries and finds them") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for number in 1...6 {
          try transaction.pushLog.append(.sample(number), limit: 4)
        }
      }
      try await store.read { transaction in
        let all = try transaction.pushLog.entries(PushLogFilter(), after: 0, limit: 99)
        try expectEqual(all.map(\.attempt), [3, 4, 5, 6], "attempts")
        var same = PushLogEntry.sample(5)
        same.position = all[2].position
        try expectEqual(all[2], same, "an entry")
        let newest = try transaction.pushLog.entries(PushLogFilter(), after: 0, limit: 2)
        try expectEqual(newest.map(\.attempt), [5, 6], "the newest two")
        let later = try transaction.pushLog.entries(
          PushLogFilter(), after: all[2].position, limit: 9)
        try expectEqual(later.map(\.attempt), [6], "after a position")
        var older = PushLogFilter()
        older.before = all[2].position
        let earlier = try transaction.pushLog.entries(older, after: 0, limit: 1)
        try expectEqual(earlier.map(\.attempt), [4], "before a position")
        var filter = PushLogFilter()
        filter.container = .sample
        filter.environment = .development
        filter.user = UserID("_a1")
        filter.device = "d"
        filter.requestID = "R4"
        filter.notificationID = "N4"
        let one = try transaction.pushLog.entries(filter, after: 0, limit: 9)
        try expectEqual(one.map(\.attempt), [4], "filtered")
        filter.user = UserID("_other")
        try expectEqual(
          try transaction.pushLog.entries(filter, after: 0, limit: 9), [], "another user's")
      }
    },
  ]
}

extension PushLogEntry {
  fileprivate static func sample(_ number: Int) -> PushLogEntry {
    PushLogEntry(
      time: Int64(number), in: .sample,
      user: number == 6 ? nil : UserID("_a1"), device: "d", channel: "apns",
      notificationID: "N\(number)", subscriptionID: "s", requestID: "R\(number)",
      subject: "zone Trails", verdict: number == 5 ? .retry : .sent,
      status: number == 5 ? nil : 200, reason: "", attempt: number)
  }
}
