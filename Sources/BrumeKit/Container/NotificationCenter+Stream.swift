// `NotificationCenter.notifications(named:)`, which Foundation on Linux does not have: how apps wait for
// `CKAccountChanged` in a task. Disfavoured, so that a Foundation which has it wins.

public import Foundation

#if !canImport(Darwin)
  extension NotificationCenter {
    /// The notifications of a name, for `for await`.
    ///
    /// Each loop gets what is posted after it began, until its task is cancelled.
    ///
    /// - Parameter object: only notifications of this object; nil is all of them.
    @_disfavoredOverload
    public func notifications(
      named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// The notifications of a name, one after the other.
    public struct Notifications: AsyncSequence, Sendable {
      let center: NotificationCenter
      let name: Notification.Name
      let object: (any AnyObject & Sendable)?

      /// What a loop holds.
      public struct AsyncIterator: AsyncIteratorProtocol {
        var received: AsyncStream<SendableNotification>.Iterator

        /// The next notification; nil once the task is cancelled.
        public mutating func next() async -> Notification? { await received.next()?.notification }

        /// The next notification, on the caller's actor.
        public mutating func next(
          isolation actor: isolated (any Actor)?
        ) async -> Notification? {
          await received.next(isolation: actor)?.notification
        }
      }

      // Sendable because a notification is a value, and its posting hands it over.
      struct SendableNotification: @unchecked Sendable { let notification: Notification }

      // Sendable because it is only handed back to the center that made it.
      private struct Observer: @unchecked Sendable { let token: any NSObjectProtocol }

      /// Who does not come back for them misses the oldest.
      private static let kept = 64

      /// Begins to listen.
      public func makeAsyncIterator() -> AsyncIterator {
        let (stream, listener) = AsyncStream.makeStream(
          of: SendableNotification.self, bufferingPolicy: .bufferingNewest(Self.kept))
        let observer = Observer(
          token: center.addObserver(forName: name, object: object, queue: nil) {
            listener.yield(SendableNotification(notification: $0))
          })
        listener.onTermination = { [center] _ in center.removeObserver(observer.token) }
        return AsyncIterator(received: stream.makeAsyncIterator())
      }
    }
  }
#endif
