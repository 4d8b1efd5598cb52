// What metrics show of the notifier.

package import BrumeModel
import BrumeStorage

/// Where the notifier is, and what it has made since the server began.
package struct NotifierStatus: Equatable, Sendable {
  /// Log entries that are done.
  package var position: Int64 = 0
  /// The newest log entry when the notifier last looked.
  package var newest: Int64 = 0
  /// When the oldest change was made that is not done; nil if all are.
  package var waitingSince: Milliseconds?
  /// Of the change that is being served: subscriptions that have not been.
  package var unserved = 0
  /// Subscriptions in the index.
  package var subscriptions = 0
  /// Notifications that were made.
  package var notifications = 0
  /// Entries that were put into mailboxes, replaced ones included.
  package var mailboxEntries = 0
  /// Mailboxes whose entries gave way to "fetch everything".
  package var overflows = 0
  package init() {}

  /// Of the notifiers of several buckets: what they have made together, and the longest wait.
  package init(sumOf statuses: some Sequence<NotifierStatus>) {
    for status in statuses {
      position += status.position
      newest += status.newest
      waitingSince = [waitingSince, status.waitingSince].compactMap { $0 }.min()
      unserved += status.unserved
      subscriptions += status.subscriptions
      notifications += status.notifications
      mailboxEntries += status.mailboxEntries
      overflows += status.overflows
    }
  }

  /// Entries behind the log.
  package var lag: Int64 { newest - position }

  /// Entries that somebody waits for, of a log that ends at a position. A notifier that has nothing
  /// to do gets no signal for each entry that no subscription follows.
  package func lag(behind end: Int64) -> Int64 {
    let behind = max(0, end - position)
    return waitingSince == nil && behind <= CommitSignals.unwatchedEntries ? 0 : behind
  }

  /// Answers whether the log has grown since the notifier last looked.
  mutating func looked(at batch: LogBatch) -> Bool {
    defer { newest = max(newest, batch.newest) }
    waitingSince = batch.entries.first?.origin.time
    return batch.newest > newest
  }

  mutating func served(_ outcome: FanOut.Outcome, subscriptions: Int) {
    position = outcome.cursor.position
    if position >= newest { waitingSince = nil }
    unserved = outcome.unserved
    self.subscriptions = subscriptions
    notifications += outcome.notifications
    mailboxEntries += outcome.mailboxEntries
    overflows += outcome.overflows
  }
}
