// Marking kept notifications as read.

import BrumeClient
import BrumeModel

/// An operation that marks notifications as read, for all of the user's devices.
///
/// Apple deprecated it in favour of change tokens; it works here, for programs that still use it.
/// Source: Apple's `CKMarkNotificationsReadOperation` header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
  /// The notifications.
  open var notificationIDs: [CKNotification.ID]?
  /// Called once, last, with those that were marked.
  open var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

  private var marked: [CKNotification.ID] = []

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
    self.init()
    self.notificationIDs = notificationIDs
  }

  override func perform() async throws {
    let ids = notificationIDs ?? []
    guard !ids.isEmpty else { return }
    let session = effectiveContainer.session
    let answer = try await request(from: Viewpoint(scope: .private)) {
      try await session.markNotificationsRead(ids.map(\.model))
    }
    let known = Set(answer)
    marked = ids.filter { known.contains($0.model) }
  }

  override func complete(_ failure: CKError?) {
    markNotificationsReadCompletionBlock?(failure == nil ? marked : nil, failure)
  }
}

extension CKNotification.ID {
  /// The identifier in the model's words.
  fileprivate var model: KeptNotificationID {
    KeptNotificationID(notification, subscriptionID: subscription)
  }
}
