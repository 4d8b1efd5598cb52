// The event stream as a sequence, for whoever writes it to a connection.

import BrumeModel
package import BrumeStorage

extension EventStream {
  /// Batches of entries after a position. An empty batch means that nothing came for `heartbeat`:
  /// time to show that the connection is alive. It ends when the client has to come back to acknowledge.
  package func batches(after position: Int64, heartbeat: Duration) -> Batches {
    Batches(stream: self, start: position, heartbeat: heartbeat)
  }

  /// Reads the mailbox as it is iterated. It throws what the store throws, or cancellation.
  package struct Batches: AsyncSequence, Sendable {
    /// Entries in the order of their positions.
    package typealias Element = [MailboxEntry]
    let stream: EventStream
    let start: Int64
    let heartbeat: Duration

    /// One walk through the mailbox.
    package struct AsyncIterator: AsyncIteratorProtocol {
      let stream: EventStream
      let heartbeat: Duration
      var position: Int64
      /// Sent since it was last looked how much is unacknowledged.
      var sent = 0

      /// The next batch; nil when the client has to come back to acknowledge.
      ///
      /// - Throws: what the store throws, `CancellationError`.
      package mutating func next() async throws -> [MailboxEntry]? {
        if sent >= stream.reader.limits.mailboxRows / 2 {
          if try await stream.mustAcknowledge(sentThrough: position) { return nil }
          sent = 0
        }
        let entries = try await stream.entries(after: position, waiting: heartbeat)
        position = entries.last?.position ?? position
        sent += entries.count
        return entries
      }
    }

    package func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(stream: stream, heartbeat: heartbeat, position: start)
    }
  }
}

// MARK: One reading

extension EventStream {
  /// Entries after a position, oldest first, bounded. It waits for the first of them; empty when the
  /// time has passed. Acknowledges nothing.
  ///
  /// - Throws: what the store throws, `CancellationError`.
  package func entries(
    after position: Int64, waiting: Duration
  ) async throws -> [MailboxEntry] {
    let found = try await reader.poll([device], waiting: waiting) {
      let front = try await reader.front(
        of: device, after: position, limit: reader.limits.streamEntries, by: .stream)
      return (front.entries.isEmpty ? nil : front.entries, front.nextDue)
    }
    return found ?? []
  }

  /// Whether so much is sent and unacknowledged that the client has to come back.
  ///
  /// - Throws: what the store throws.
  fileprivate func mustAcknowledge(sentThrough position: Int64) async throws -> Bool {
    let device = device
    let (all, unsent) = try await reader.store.read { [limits = reader.limits] transaction in
      let unsent = try transaction.mailboxes.entries(
        of: device, after: position, limit: limits.mailboxRows)
      return (try transaction.mailboxes.count(of: device), unsent.count)
    }
    return all - unsent >= max(1, reader.limits.mailboxRows / 2)
  }
}
