// A subscription to everything that happens in one record zone.

public import Foundation
import Synchronization

/// A subscription that notifies of any change in one record zone.
///
/// Works with custom zones of the private database. Source: Apple's `CKRecordZoneSubscription`
/// page and the table of kinds and databases in its `CKSubscription` page.
// Sendable because the superclass keeps what can change behind a mutex.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
  private let watched: CKRecordZone.ID

  init(zoneID: CKRecordZone.ID, id: CKSubscription.ID, state: State) {
    self.watched = zoneID
    super.init(id: id, state: state)
  }

  /// Creates a subscription with an identifier of its own.
  @available(
    *, deprecated, message: "Name the subscription: one with a new name is one more on the server."
  )
  public convenience init(zoneID: CKRecordZone.ID) {
    self.init(zoneID: zoneID, subscriptionID: UUID().uuidString)
  }

  /// Creates a subscription. The identifier must not be empty.
  public convenience init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
    self.init(zoneID: zoneID, id: Self.checked(subscriptionID), state: State())
  }

  /// Always ``CKSubscription/SubscriptionType/recordZone``.
  open override var subscriptionType: SubscriptionType { .recordZone }

  /// The zone that is watched.
  open var zoneID: CKRecordZone.ID { watched }

  /// If set, only changes of records of this type match.
  open var recordType: CKRecord.RecordType? {
    get { state.withLock { $0.recordType } }
    set { state.withLock { $0.recordType = newValue } }
  }

  /// Restores a subscription from an archive. An archive of something else gives a new
  /// one to the default zone.
  public required init(coder: NSCoder) {
    let zoneID = coder.object(CKRecordZone.ID.self, "watchedZoneID")
    if zoneID == nil { coder.refuse("the zone of a subscription") }
    let (id, state) = Self.archived(coder)
    self.watched = zoneID ?? .default
    super.init(id: id, state: state)
  }

  /// Archives the subscription.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(watched, forKey: "watchedZoneID")
  }

  /// Makes an independent copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    CKRecordZoneSubscription(zoneID: watched, id: subscriptionID, state: copiedState)
  }
}
