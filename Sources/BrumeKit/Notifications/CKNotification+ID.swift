// What identifies a notification. One change has one identifier for all subscriptions; together
// with the subscription it names one notification (docs/internals/notifications.md). A push that was cut
// keeps both, so that apps find what they fetch by its identifier (case PSH-04).

public import Foundation

extension CKNotification {
  /// Identifies a notification. Two notifications with equal identifiers are the same, also where one
  /// is a push that was cut and the other was fetched.
  ///
  /// A cut push of an older server, or of a way that takes not even the IDs, does not name its subscription:
  /// its identifier equals that of no fetched notification.
  ///
  /// Source: Apple's `CKNotification.ID` page.
  // Sendable because it never changes.
  open class ID: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The identifier of the change, `nid` in the push.
    package let notification: String
    /// The subscription; nil when the push does not name it.
    package let subscription: String?

    init(notification: String, subscription: String?) {
      self.notification = notification
      self.subscription = subscription
    }

    /// Identifiers come from notifications.
    @available(*, unavailable, message: "Identifiers come from notifications.")
    public override convenience init() {
      self.init(notification: "", subscription: nil)
    }

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      open override var classForCoder: AnyClass { ArchivedNotificationID.self }
    #endif

    /// Restores an identifier from an archive.
    public required init?(coder: NSCoder) {
      guard let notification = coder.text("notification") else { return nil }
      self.notification = notification
      self.subscription = coder.text("subscription")
    }

    /// Archives the identifier.
    open func encode(with coder: NSCoder) {
      coder.encodeText(notification, "notification")
      coder.encodeText(subscription, "subscription")
    }

    /// Returns the identifier itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether two identifiers name the same notification.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CKNotification.ID else { return false }
      return other.notification == notification && other.subscription == subscription
    }

    /// A hash that agrees with ``isEqual(_:)``.
    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(notification)
      hasher.combine(subscription)
      return hasher.finalize()
    }
  }
}
