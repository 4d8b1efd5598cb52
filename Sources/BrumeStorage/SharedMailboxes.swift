// Mailboxes that several processes write to. A device is connected to one process and its entries are made by
// another: each process reads what came, whoever made it.

package import BrumeModel

/// What all processes with the same store put into mailboxes. Calls throw `StoreError` if the engine does not
/// answer.
package protocol SharedMailboxes: Sendable {
  /// A hint for each bucket in which entries came, at once or a moment later.
  func mailboxHints() -> CommitHints
  /// The last position given in each bucket; buckets that never had an entry are left out.
  func lastMailboxPositions() async throws -> [Bucket: Int64]
  /// Entries of all mailboxes in a bucket after `position`, oldest first, at most `limit`. Positions rise in
  /// commit order in a bucket: whoever has seen one has seen all below.
  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry]
}

/// An entry, whose device it is for, and how that is reached; nil if it is not registered any more.
package struct NewMailboxEntry: Sendable {
  package let device: DeviceKey
  package let channel: Device.Channel.Kind?
  package let entry: MailboxEntry

  package init(device: DeviceKey, channel: Device.Channel.Kind?, entry: MailboxEntry) {
    self.device = device
    self.channel = channel
    self.entry = entry
  }
}
