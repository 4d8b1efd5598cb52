// The port's part for webhooks.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol WebhookReading: AnyObject {
  /// All webhooks in ID order.
  func all() throws -> [Webhook]
  /// The webhook with an ID; nil if there is none.
  func find(_ id: String) throws -> Webhook?
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server` or the notifier of a
/// bucket.
package protocol WebhookWriting: WebhookReading {
  /// Inserts or replaces by ID.
  func put(_ webhook: Webhook) throws
  /// Answers whether there was one.
  @discardableResult
  func remove(_ id: String) throws -> Bool
}
