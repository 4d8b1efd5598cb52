// The port's part for webhooks.

package import BrumeModel

package protocol WebhookReading: AnyObject {
  /// All webhooks in ID order.
  func all() throws -> [Webhook]
  func find(_ id: String) throws -> Webhook?
}

package protocol WebhookWriting: WebhookReading {
  /// Inserts or replaces by ID.
  func put(_ webhook: Webhook) throws
  /// Answers whether there was one.
  @discardableResult
  func remove(_ id: String) throws -> Bool
}
