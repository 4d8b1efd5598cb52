// The log, subscriptions, devices, mailboxes and what is sent to the outside, as rows.

import BrumeModel

extension MemoryExport {
  var subscriptions: [[MovedValue]] {
    state.subscriptions.map { kept in
      let (scope, subscription) = (kept.value.scope, kept.value.subscription)
      return [.integer(kept.serial)] + scope.containerEnvironment.moved + [
        .text(scope.scope.rawValue), .text(scope.user.name), .text(subscription.id),
        .text(kept.value.starts.text), .text(subscription.watchedType),
        .bytes(coders.encodeSubscription(subscription)),
      ]
    }
  }

  var mailboxes: [[MovedValue]] {
    state.mailboxes.flatMap { device, entries in
      entries.enumerated().map { index, entry in
        Self.parts(device) + [
          .integer(Int64(index + 1)), .text(entry.notificationID), .text(entry.subscriptionID),
          .text(entry.collapseID), .bytes(entry.payload), .integer(entry.time),
          .text(entry.requestID),
        ]
      }
    }
  }

  var keptNotifications: [[MovedValue]] {
    state.kept.flatMap { account, kept in
      kept.enumerated().map { index, notification in
        Self.parts(account) + [
          .integer(Int64(index + 1)), .text(notification.id), .text(notification.subscriptionID),
          .bytes(notification.payload), .integer(notification.isRead ? 1 : 0),
        ]
      }
    }
  }

  var badges: [[MovedValue]] {
    state.badges.filter { $1 != 0 }.map { Self.parts($0) + [.integer(Int64($1))] }
  }

  var apnsSenders: [[MovedValue]] {
    state.apnsSenders.enumerated().map { index, sender in
      [
        .integer(Int64(index + 1)), .text(sender.container.name), .text(sender.topic),
        .text(sender.team), .text(sender.keyID), .text(sender.privateKey),
      ]
    }
  }

  var log: [[MovedValue]] {
    var ordinals: [DatabaseKey: Int64] = [:]
    return state.buckets.enumerated().flatMap { number, bucket in
      bucket.log.map { entry in
        ordinals[entry.database, default: 0] += 1
        let origin = entry.origin
        return entry.database.moved
          + [
            .integer(ordinals[entry.database, default: 0]), .text("\(number):\(entry.position)"),
          ] + values(of: entry.event) + [
            .text(origin.user?.name), .text(origin.device?.name), .text(origin.requestID),
            .integer(origin.time),
          ]
      }
    }
  }

  /// A key that was made of several texts.
  private static func parts(_ key: ByteText) -> [MovedValue] {
    key.text.utf8.split(separator: 0, omittingEmptySubsequences: false).map {
      .text(String(decoding: $0, as: UTF8.self))
    }
  }

  // MARK: Events

  /// Kind, zone, name, type, subject, sequence, image, shares, and where a subscription is.
  private func values(of event: LogEntry.Event) -> [MovedValue] {
    switch event {
    case .record(let change):
      [.kind(.record)] + change.record.zone.moved + values(of: change) + [.null, .null]
    case .zoneCreated(let zone): [.kind(.zoneCreated)] + zone.moved + Self.nothing(8)
    case .zoneDeleted(let zone): [.kind(.zoneDeleted)] + zone.moved + Self.nothing(8)
    case .membership(let user, let zone):
      [.kind(.membership)] + zone.moved + [.text(user.name)] + Self.nothing(7)
    case .subscription(let scope, let id):
      [.kind(.subscription)] + Self.nothing(4) + [
        .text(id), .text(scope.scope.rawValue), .text(scope.user.name), .null, .null, .null,
      ] + scope.containerEnvironment.moved
    }
  }

  private func values(of change: RecordChange) -> [MovedValue] {
    let image: [UInt8]? = change.image.map { image in
      switch image.content {
      case .value(let record): coders.record.encode(record)
      case .encoded(let bytes, _): bytes
      // Only what was read from a disk can be.
      case .unreadable: []
      }
    }
    return [
      .text(change.record.name), .text(change.recordType), .text(String(change.kind.rawValue)),
      change.image.map { .integer($0.sequence) } ?? .null, .bytes(image),
      .text(Lines.column(change.coveringShares)),
    ]
  }

  private static func nothing(_ count: Int) -> [MovedValue] {
    Array(repeating: .null, count: count)
  }
}

extension MovedValue {
  fileprivate static func kind(_ kind: LogEventKind) -> MovedValue { .integer(kind.rawValue) }
}

extension Device {
  var moved: [MovedValue] {
    key.containerEnvironment.moved
      + [.text(key.user.name), .text(key.device.name), .text(channel.kind.rawValue)]
      + channel.moved + [.integer(registered)]
  }
}

extension Device.Channel {
  /// Token, its environment, topic, push key and secret.
  fileprivate var moved: [MovedValue] {
    switch self {
    case .stream: [.null, .null, .null, .null, .null]
    case .courier(let token): [.text(token), .null, .null, .null, .null]
    case .apns(let token, let environment, let topic):
      [.text(token), .text(environment.rawValue), .text(topic), .null, .null]
    case .webPush(let target):
      [.text(target.endpoint), .null, .null, .bytes(target.key), .bytes(target.secret)]
    }
  }
}

extension Webhook {
  var moved: [MovedValue] {
    [.text(id)] + containerEnvironment.moved + [
      .text(url), .bytes(secret), .integer(created), .text(cursor.text),
      .integer(Int64(failures)), .text(disabledBecause), .integer(missed ? 1 : 0),
    ]
  }
}

extension PushLogEntry {
  var moved: [MovedValue] {
    [.integer(position), .integer(time)] + containerEnvironment.moved + [.text(user?.name)]
      + [device, channel, notificationID, subscriptionID, requestID, subject, verdict.rawValue]
      .map { .text($0) }
      + [status.map { .integer(Int64($0)) } ?? .null, .text(reason), .integer(Int64(attempt))]
  }
}
