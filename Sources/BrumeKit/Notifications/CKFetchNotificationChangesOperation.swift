// The notifications that the server kept for the user.

import BrumeClient
import BrumeModel
import Foundation

/// An operation that fetches notifications that were sent since a token.
///
/// Apple deprecated it in favour of change tokens; it works here, for programs that still use it.
/// Those marked as read come back with the type `readNotification`. Source: Apple's
/// `CKFetchNotificationChangesOperation` header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
  /// Where to start; nil: at the beginning.
  open var previousServerChangeToken: CKServerChangeToken?
  /// How many notifications one request answers at most; 0 leaves it to the server.
  open var resultsLimit = 0
  /// Whether there are more. Set before the completion block is called.
  open private(set) var moreComing = false
  /// Called for each notification.
  open var notificationChangedBlock: ((CKNotification) -> Void)?
  /// Called once, last, with the token to keep.
  open var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

  private var token: CKServerChangeToken?

  /// Creates an operation that starts at the beginning.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform() async throws {
    let session = effectiveContainer.session
    let (before, limit) = (previousServerChangeToken?.text, resultsLimit > 0 ? resultsLimit : nil)
    let page = try await request(from: Viewpoint(scope: .private)) {
      try await session.keptNotifications(token: before, limit: limit)
    }
    try await report(each: page.items) { item in
      if let notification = CKNotification.make(item) {
        self.notificationChangedBlock?(notification)
      }
    }
    await report {
      self.moreComing = page.moreComing
      self.token = CKServerChangeToken(text: page.token)
    }
  }

  override func complete(_ failure: CKError?) {
    fetchNotificationChangesCompletionBlock?(token, failure)
  }
}

extension CKNotification {
  /// A notification that the server kept. Nil if its payload is not CloudKit's.
  static func make(_ kept: KeptNotification) -> CKNotification? {
    guard
      let object = try? JSONSerialization.jsonObject(with: Data(kept.payload)),
      let push = object as? [AnyHashable: Any],
      var content = PushContent(PushDictionary(push))
    else { return nil }
    content.isRead = kept.isRead
    // CloudKit: always true of fetched ones (Apple's page `CKNotification.isPruned`), so that apps fetch the record.
    content.isPruned = true
    return make(content)
  }
}
