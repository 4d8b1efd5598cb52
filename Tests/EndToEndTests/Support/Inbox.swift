// The pushes of one device, one after the other. Waiting for one has no time-out of its own: the
// test's time limit is it.

import BrumeKit
import Foundation
import Testing

final class Inbox {
  private var pushes: AsyncStream<[AnyHashable: Any]>.Iterator

  /// From here on nothing is missed, whether or not the device listens yet.
  init(_ device: Device) async throws {
    try await Brume.registerForRemoteNotifications(for: device.container)
    pushes = Brume.remoteNotifications(for: device.container).makeAsyncIterator()
  }

  /// The next push as it came.
  func userInfo() async throws -> [AnyHashable: Any] {
    let push = await pushes.next(isolation: #isolation)
    return try #require(push, "the stream of pushes ended")
  }

  /// The next push as a notification.
  func next() async throws -> CKNotification {
    try #require(CKNotification(fromRemoteNotificationDictionary: try await userInfo()))
  }

  func nextQuery() async throws -> CKQueryNotification {
    try #require(try await next() as? CKQueryNotification)
  }

  func nextZone() async throws -> CKRecordZoneNotification {
    try #require(try await next() as? CKRecordZoneNotification)
  }
}

extension CKSubscription {
  /// With a silent push.
  func silent() -> Self {
    notificationInfo = .silent
    return self
  }

  /// With an alert, and values of fields.
  func alerting(_ text: String, keys: [String] = []) -> Self {
    let info = CKSubscription.NotificationInfo()
    info.alertBody = text
    info.desiredKeys = keys.isEmpty ? nil : keys
    notificationInfo = info
    return self
  }
}

extension CKSubscription.NotificationInfo {
  static var silent: CKSubscription.NotificationInfo {
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    return info
  }
}

extension CKQuerySubscription {
  /// A subscription to a type's records, all of them or those that a condition picks.
  static func of(
    _ type: String, where format: String? = nil, id: String,
    _ options: CKQuerySubscription.Options = [.firesOnRecordCreation]
  ) -> CKQuerySubscription {
    CKQuerySubscription(
      recordType: type,
      predicate: format.map { NSPredicate(format: $0) } ?? NSPredicate(value: true),
      subscriptionID: id, options: options)
  }
}

/// The parts of a push's dictionary.
struct Push {
  let aps: [String: Any]?
  let ck: [String: Any]?
  /// What changed: a query, zone or database part.
  var about: [String: Any]? {
    for name in ["qry", "fet", "met"] {
      if let part = ck?[name] as? [String: Any] { return part }
    }
    return nil
  }

  init(_ userInfo: [AnyHashable: Any]) {
    aps = userInfo["aps"] as? [String: Any]
    ck = userInfo["ck"] as? [String: Any]
  }
}
