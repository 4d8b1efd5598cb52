// The port's part for delivery to the outside: which devices have entries to be sent, who signs for Apple,
// webhooks, and the bounded log of what was sent.

package import BrumeModel

package protocol DeliveryReading {
  /// Devices that the server sends to and that have pending entries, in a stable order: those after `cursor`
  /// (nil: from the start), at most `limit`, with the cursor to go on from.
  func devicesWithPendingEntries(
    after cursor: Int64?, limit: Int
  ) throws -> (devices: [Device], next: Int64?)
  /// Devices registered with a push token or endpoint, of any user.
  func devices(address: String) throws -> [Device]
  /// Who signs for Apple in a container, in the order they were added.
  func apnsSenders(of container: ContainerID) throws -> [APNsSender]
  /// All webhooks in ID order.
  func webhooks() throws -> [Webhook]
  func webhook(_ id: String) throws -> Webhook?
  /// The newest `limit` entries after `position` that the filter admits, oldest first.
  func pushLog(
    _ filter: PushLogFilter, after position: Int64, limit: Int
  ) throws -> [PushLogEntry]
}

package protocol DeliveryWriting {
  /// Inserts, or replaces by container and topic, keeping its place in the order.
  func put(_ sender: APNsSender) throws
  /// Answers whether there was one.
  @discardableResult
  func removeAPNsSender(_ topic: String, of container: ContainerID) throws -> Bool
  /// Inserts or replaces by ID.
  func put(_ webhook: Webhook) throws
  @discardableResult
  func removeWebhook(_ id: String) throws -> Bool
  /// Adds entries (their `position`s are ignored), dropping the oldest beyond `limit`.
  func append(_ entries: [PushLogEntry], limit: Int) throws
}

extension DeliveryWriting {
  package func append(_ entry: PushLogEntry, limit: Int) throws {
    try append([entry], limit: limit)
  }
}
