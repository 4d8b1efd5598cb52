// A push of a query subscription: one record.

/// A notification of a ``CKQuerySubscription``: a record was created, changed or deleted.
///
/// Source: Apple's `CKQueryNotification` page.
// Sendable because it never changes, and the values of a property list do not either.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
  /// What happened to the record.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Reason: Int, Sendable {
    /// The record is new.
    case recordCreated = 1
    /// The record was changed.
    case recordUpdated = 2
    /// The record is gone.
    case recordDeleted = 3
  }

  private let query: PushContent.Query

  init(_ content: PushContent, _ query: PushContent.Query) {
    self.query = query
    super.init(content)
  }

  /// ``CKNotification/NotificationType/query``, or `readNotification` for one marked as read.
  open override var notificationType: NotificationType {
    content.isRead ? .readNotification : .query
  }

  /// What happened to the record.
  ///
  /// If the push was cut so short that it does not say, this is
  /// ``Reason/recordUpdated``: fetching the record finds out.
  open var queryNotificationReason: Reason { query.reason }

  /// Values of the fields that the subscription's `desiredKeys` name. Some may be
  /// missing when ``CKNotification/isPruned`` is true.
  open var recordFields: [String: Any]? { query.fields }

  /// The record.
  open var recordID: CKRecord.ID? { query.recordID }

  /// The database in which it happened.
  open var databaseScope: CKDatabase.Scope { content.scope }
}
