// Setting the badge that pushes raise.

import BrumeClient
import BrumeModel

/// An operation that sets the badge number that the server raises with `shouldBadge`.
///
/// Apple deprecated it without a replacement; it works here. Source: Apple's
/// `CKModifyBadgeOperation` header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
  /// The number.
  open var badgeValue = 0
  /// Called once, last.
  open var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation that sets the badge to zero.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(badgeValue: Int) {
    self.init()
    self.badgeValue = badgeValue
  }

  override func perform() async throws {
    let session = effectiveContainer.session
    let value = badgeValue
    try await request(from: Viewpoint(scope: .private)) { try await session.setBadge(value) }
  }

  override func complete(_ failure: CKError?) {
    modifyBadgeCompletionBlock?(failure)
  }
}
