// Badges: alice is subscribed to the zone that she shares, and each change there that another device is notified of counts
// one, whichever server notifies and however often notifiers take over from each other.

import BrumeKit
import BrumeModel
import BrumeNotifier
import BrumeStorage

/// What alice's badge has to be, counted from the log as it grew.
struct Badges {
  static let subscription = "badges"
  /// How far the logs were read here.
  var seen = LogPositions()
  /// How far notifiers have come.
  var cursors = LogPositions()
  /// Where in the log of alice's bucket the subscription was saved.
  var begin: Int64?
  /// Changes of the zone that no notifier has passed, by their positions there, and who made them.
  var waiting: [Int64: Origin] = [:]
  var expected = 0

  /// The subscription went with its zone, and what was not notified by then is not any more.
  mutating func end() {
    begin = .max
    waiting = [:]
  }
}

extension Oracle {
  /// After each write, in its transaction.
  func followLog(
    _ transaction: any WriteTransaction, _ scope: WriteScope, _ exchange: Exchange?
  ) throws {
    let last = try transaction.log.lastPositions()
    for bucket in last.buckets where last[bucket] > badges.seen[bucket] {
      for entry in try transaction.log.entries(
        in: bucket, after: badges.seen[bucket], limit: .max)
      {
        counts.log(entry)
        follow(entry)
        switch entry.event {
        case .subscription(_, let id) where Watches.ids.contains(id):
          watch(id, at: entry.position, by: exchange)
        case .record(let change): try watched(change, entry, transaction)
        default: break
        }
      }
      badges.seen[bucket] = last[bucket]
    }
    if let bucket = scope.notified?.bucket { try followNotifiers(transaction, of: bucket) }
  }

  private func follow(_ entry: LogEntry) {
    switch entry.event {
    case .subscription(_, id: Badges.subscription): badges.begin = badges.begin ?? entry.position
    case .record(let change) where change.record.zone.name == Sharing.zone.zoneName:
      if let begin = badges.begin, entry.position > begin {
        badges.waiting[entry.position] = entry.origin
      }
    default: break
    }
  }

  /// Whoever notifies goes on where the one before has ended, and counts each change once.
  private func followNotifiers(_ transaction: any WriteTransaction, of bucket: Bucket) throws {
    guard let bytes = try transaction.settings.value(.notifierCursor(bucket)),
      let found = NotifierCursor(bytes)?.position, let alice = world.users["alice"]
    else { return }
    let before = badges.cursors[bucket]
    if found < before {
      world.fail(
        "the notifier of \(bucket) went back from \(before) to \(found): it wrote what another had passed"
      )
    }
    badges.cursors[bucket] = max(before, found)
    let account = DatabaseKey(in: world.containerEnvironment, owner: alice)
    if bucket == transaction.log.bucket(of: account) { try count(transaction, alice, to: found) }
    let badge = try transaction.notifications.badge(of: alice, in: world.containerEnvironment)
    if badge != badges.expected {
      world.fail(
        "alice's badge is \(badge), after \(badges.expected) changes that she was notified of")
      badges.expected = badge
    }
  }

  private func count(
    _ transaction: any WriteTransaction, _ alice: UserID, to position: Int64
  ) throws {
    let devices = try transaction.devices.all(of: alice, in: world.containerEnvironment).map(
      \.key.device)
    for (place, origin) in badges.waiting where place <= position {
      let isNotified = devices.contains { origin.user != alice || origin.device != $0 }
      if isNotified { badges.expected += 1 }
      badges.waiting[place] = nil
    }
    notifyWatchers(to: position, devices, of: alice)
  }
}

extension Sharing {
  /// Alice asks for notifications with a number.
  func countBadges(of device: Device) async throws {
    let subscription = CKRecordZoneSubscription(
      zoneID: Self.zone, subscriptionID: Badges.subscription)
    let info = CKSubscription.NotificationInfo()
    info.shouldBadge = true
    subscription.notificationInfo = info
    _ = try await device.container.privateCloudDatabase.save(subscription)
  }
}
