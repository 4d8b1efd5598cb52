// Badges: alice is subscribed to the zone that she shares, and each change there that another device is notified of counts
// one, whichever server notifies and however often notifiers take over from each other.

import BrumeKit
import BrumeModel
import BrumeNotifier
import BrumeStorage

/// What alice's badge has to be, counted from the log as it grew.
struct Badges {
  static let subscription = "badges"
  /// How far the log was read here.
  var seen: Int64 = 0
  /// How far notifiers have come.
  var cursor: Int64 = 0
  /// Where in the log the subscription was saved.
  var begin: Int64?
  /// Changes of the zone that no notifier has passed, and who made them.
  var waiting: [Int64: Origin] = [:]
  var expected = 0
}

extension Oracle {
  /// After each write, in its transaction.
  func followLog(_ transaction: any WriteTransaction, _ scope: WriteScope) throws {
    for entry in try transaction.log.entries(in: .only, after: badges.seen, limit: .max) {
      badges.seen = entry.position
      switch entry.event {
      case .subscription(_, id: Badges.subscription): badges.begin = badges.begin ?? entry.position
      case .record(let change) where change.record.zone.name == Sharing.zone.zoneName:
        if let begin = badges.begin, entry.position > begin {
          badges.waiting[entry.position] = entry.origin
        }
      default: break
      }
    }
    if scope.leaseEpoch != nil { try followNotifiers(transaction) }
  }

  /// Whoever notifies goes on where the one before has ended, and counts each change once.
  private func followNotifiers(_ transaction: any WriteTransaction) throws {
    guard let bytes = try transaction.settings.value(.notifierCursor(.only)),
      let found = NotifierCursor(bytes)?.position, let alice = world.users["alice"]
    else { return }
    if found < badges.cursor {
      world.fail(
        "a notifier went back from \(badges.cursor) to \(found): it wrote what another had passed")
    }
    badges.cursor = max(badges.cursor, found)
    let devices = try transaction.devices.all(of: alice, in: world.containerEnvironment).map(
      \.key.device)
    for (position, origin) in badges.waiting where position <= found {
      let isNotified = devices.contains { origin.user != alice || origin.device != $0 }
      if isNotified { badges.expected += 1 }
      badges.waiting[position] = nil
    }
    let badge = try transaction.notifications.badge(of: alice, in: world.containerEnvironment)
    if badge != badges.expected {
      world.fail(
        "alice's badge is \(badge), after \(badges.expected) changes that she was notified of")
      badges.expected = badge
    }
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
