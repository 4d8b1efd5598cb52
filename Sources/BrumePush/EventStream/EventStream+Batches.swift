// The event stream as a sequence, for whoever writes it to a connection.

package import BrumeModel
package import BrumeStorage

extension EventStream {
  /// Batches of entries after a position. An empty batch means that nothing came for `heartbeat`:
  /// time to show that the connection lives. Ends when the client has to come back to acknowledge.
  package func batches(after position: Int64, heartbeat: Duration) -> Batches {
    Batches(stream: self, start: position, heartbeat: heartbeat)
  }

  package struct Batches: AsyncSequence, Sendable {
    package typealias Element = [MailboxEntry]
    let stream: EventStream
    let start: Int64
    let heartbeat: Duration

    package struct AsyncIterator: AsyncIteratorProtocol {
      let stream: EventStream
      let heartbeat: Duration
      var position: Int64
      /// Sent since it was last looked how much is unacknowledged.
      var sent = 0

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
