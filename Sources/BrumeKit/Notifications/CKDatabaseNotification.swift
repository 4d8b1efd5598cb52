// A push of a database subscription.

/// A notification of a ``CKDatabaseSubscription``: something changed somewhere in a database.
///
/// Fetch the database changes to learn in which zones. Source: Apple's `CKDatabaseNotification`
/// page.
// Sendable because it never changes.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
  /// ``CKNotification/NotificationType/database``, or `readNotification` for one marked as read.
  open override var notificationType: NotificationType {
    content.isRead ? .readNotification : .database
  }

  /// The database.
  open var databaseScope: CKDatabase.Scope { content.scope }
}
