// A push of a record zone subscription: one zone.

/// A notification of a ``CKRecordZoneSubscription``: something changed in a zone.
///
/// Source: Apple's `CKRecordZoneNotification` page.
// Sendable because it never changes.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
  private let zoneID: CKRecordZone.ID?

  init(_ content: PushContent, _ zoneID: CKRecordZone.ID?) {
    self.zoneID = zoneID
    super.init(content)
  }

  /// ``CKNotification/NotificationType/recordZone``, or `readNotification` for one marked as read.
  open override var notificationType: NotificationType {
    content.isRead ? .readNotification : .recordZone
  }

  /// The zone in which something changed. An own zone has the owner name
  /// `CKCurrentUserDefaultName`, so that it equals the ID that the app made.
  open var recordZoneID: CKRecordZone.ID? { zoneID }

  /// The database of the zone.
  open var databaseScope: CKDatabase.Scope { content.scope }
}
