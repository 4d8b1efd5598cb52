// A push that a subscription caused, as an object. PushContent reads the dictionary; this class
// and its subclasses give Apple's names to what was read.

public import Foundation

/// A push notification that a subscription caused.
///
/// Make one from the dictionary of the push, look at ``notificationType``, and cast to the class
/// it names. A push only says that something changed: pushes may be merged, cut or lost, so fetch
/// the changes. Source: Apple's `CKNotification` page and header.
// Sendable because it never changes, and the values of a property list do not either.
open class CKNotification: NSObject, _RemoteNotification, @unchecked Sendable {
  /// The kinds of notifications.
  ///
  /// A push that was cut down to its identity has none of them; its raw value is 0, as on Apple's
  /// systems, and a `switch` meets it in `@unknown default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum NotificationType: Int, Sendable {
    /// A ``CKQueryNotification``.
    case query = 1
    /// A ``CKRecordZoneNotification``.
    case recordZone = 2
    /// One that was marked as read; it has no content.
    case readNotification = 3
    /// A ``CKDatabaseNotification``.
    case database = 4
    /// Has no name in Apple's API.
    @available(*, unavailable, message: "Use @unknown default.")
    case other = 0

    /// The value without a name: the fifth of five cases without payload, so 4 in memory.
    static let unnamed = unsafeBitCast(UInt8(4), to: NotificationType.self)
  }

  let content: PushContent

  init(_ content: PushContent) {
    self.content = content
  }

  /// Notifications come from pushes.
  @available(*, unavailable, message: "Use init(fromRemoteNotificationDictionary:).")
  public override init() {
    preconditionFailure("Use init(fromRemoteNotificationDictionary:).")
  }

  static func make(_ content: PushContent) -> CKNotification {
    switch content.kind {
    case .query(let query): CKQueryNotification(content, query)
    case .recordZone(let zoneID): CKRecordZoneNotification(content, zoneID)
    case .database: CKDatabaseNotification(content)
    case .unknown: CKNotification(content)
    }
  }

  /// The kind of notification, which says to which subclass to cast.
  open var notificationType: NotificationType {
    content.isRead ? .readNotification : .unnamed
  }

  /// Identifies the notification; a push that is delivered twice has the same one.
  open var notificationID: ID? {
    content.id.map { ID(notification: $0, subscription: content.subscriptionID) }
  }

  /// The subscription that caused it.
  open var subscriptionID: CKSubscription.ID? { content.subscriptionID }

  /// The container in which something changed.
  open var containerIdentifier: String? { content.container }

  /// The user record of the subscription's owner. On devices of several users: ignore the push if
  /// this is not the current user.
  open var subscriptionOwnerUserRecordID: CKRecord.ID? {
    content.owner.map { CKRecord.ID(recordName: $0) }
  }

  /// Whether something was left out of the push because it would have been too large. Always true of
  /// notifications that were fetched.
  open var isPruned: Bool { content.isPruned }

  // MARK: What the system shows

  /// The text of the alert.
  open var alertBody: String? { content.alert.literal }
  /// The key of the localised alert text.
  open var alertLocalizationKey: String? { content.alert.key }
  /// The values that fill the localised alert text.
  open var alertLocalizationArgs: [String]? { content.alert.args }
  /// The title of the alert.
  open var title: String? { content.title.literal }
  /// The key of the localised title.
  open var titleLocalizationKey: String? { content.title.key }
  /// The values that fill the localised title.
  open var titleLocalizationArgs: [String]? { content.title.args }
  /// The subtitle of the alert.
  open var subtitle: String? { content.subtitle.literal }
  /// The key of the localised subtitle.
  open var subtitleLocalizationKey: String? { content.subtitle.key }
  /// The values that fill the localised subtitle.
  open var subtitleLocalizationArgs: [String]? { content.subtitle.args }
  /// The key of the localised title of the action button.
  open var alertActionLocalizationKey: String? { content.actionKey }
  /// The launch image that the app shows when the alert opens it.
  open var alertLaunchImage: String? { content.launchImage }
  /// The number on the app's icon.
  open var badge: NSNumber? { content.badge }
  /// The sound to play.
  open var soundName: String? { content.sound }
  /// The notification category.
  open var category: String? { content.category }

  /// A text for logs and debuggers.
  open override var description: String {
    "<\(type(of: self)): subscriptionID=\(subscriptionID ?? "none")>"
  }
}

/// Not for use: how ``CKNotification`` makes an object of the class that a push calls for.
///
/// A Swift class cannot answer an initialiser with an object of a subclass; an initialiser of a
/// protocol extension can, and callers see no difference.
public protocol _RemoteNotification {}

extension _RemoteNotification {
  /// Reads a push, and makes an object of the class that fits it.
  ///
  /// Nil if the push is not CloudKit's, or is of another kind than the class that was asked.
  public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
    guard
      let content = PushContent(PushDictionary(notificationDictionary)),
      let notification = CKNotification.make(content) as? Self
    else { return nil }
    self = notification
  }
}
