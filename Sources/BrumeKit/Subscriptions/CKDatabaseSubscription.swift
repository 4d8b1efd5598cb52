// A subscription to everything that happens in a whole database.

public import Foundation
import Synchronization

/// A subscription that notifies of any change in the custom zones of a database.
///
/// Works in the private and the shared database; in the shared one it is the only kind. The
/// default zone takes no part. Source: Apple's `CKDatabaseSubscription` page.
// Sendable because the superclass keeps what can change behind a mutex.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
  override init(id: CKSubscription.ID, state: State = State()) {
    super.init(id: id, state: state)
  }

  /// Creates a subscription with an identifier of its own.
  @available(
    *, deprecated, message: "Name the subscription: one with a new name is one more on the server."
  )
  public convenience init() {
    self.init(id: UUID().uuidString)
  }

  /// Creates a subscription. The identifier must not be empty.
  public convenience init(subscriptionID: CKSubscription.ID) {
    self.init(id: Self.checked(subscriptionID))
  }

  /// Always ``CKSubscription/SubscriptionType/database``.
  open override var subscriptionType: SubscriptionType { .database }

  /// If set, only changes of records of this type match.
  open var recordType: CKRecord.RecordType? {
    get { state.withLock { $0.recordType } }
    set { state.withLock { $0.recordType = newValue } }
  }

  /// Restores a subscription from an archive. An archive of something else gives a new
  /// one.
  public required init(coder: NSCoder) {
    let (id, state) = Self.archived(coder)
    super.init(id: id, state: state)
  }

  /// Makes an independent copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    CKDatabaseSubscription(id: subscriptionID, state: copiedState)
  }
}
