// The stream of pushes that all sync engines of a container share. What a device acknowledges the server does not send
// again: with a stream for each, one engine would acknowledge what another, connected to another server, has not had.
//
// It acknowledges nothing while the app has loops of its own, which do so when they have handled a push; what those
// receive, engines are notified of as well.

import BrumeClient
import Synchronization

final class EnginePushes: Sendable {
  /// What an engine does about the stream. Called one at a time, and to return at once.
  struct Taker: Sendable {
    /// The stream stands: for the first time, again, or since before the engine listened. Others may have acknowledged
    /// what was pushed before.
    let connected: @Sendable () -> Void
    /// A push to a subscription; nil: to any.
    let pushed: @Sendable (_ subscription: String?) -> Void
    /// Nothing comes any more, until somebody listens again.
    let ended: @Sendable () -> Void
  }
  private struct State {
    var takers: [Int: Taker] = [:]
    var lastTaker = 0
    /// Loops of the app.
    var loops = 0
    var stream: Stream?
    var lastStream = 0
    /// How far streams of an account have come. The next one goes on there, also where nothing is kept on a disk: else
    /// the server would send all again, and a stream that breaks after half a mailbox would never get past it.
    var position: (account: Int, cursor: String)?

    /// Where the stream goes on.
    var cursor: String? { stream?.account == position?.account ? position?.cursor : nil }

    mutating func moved(_ number: Int, to cursor: String) {
      guard let stream, stream.number == number else { return }
      position = (stream.account, cursor)
    }

    mutating func endStream() {
      stream?.task.cancel()
      stream = nil
    }
  }
  private struct Stream {
    let number: Int
    let account: Int
    let task: Task<Void, Never>
    var hasStood = false
    /// It pauses before the next attempt, for no other reason than that the last one failed.
    var isWaiting = false
  }
  private let state = Mutex(State())

  /// An engine begins. It is notified from now on, whoever has opened the stream.
  ///
  /// - Returns: what `listen` and `remove` take.
  func add(_ taker: Taker) -> Int {
    state.withLock { state in
      state.lastTaker += 1
      state.takers[state.lastTaker] = taker
      return state.lastTaker
    }
  }

  /// An engine ends; the last one ends the stream.
  func remove(_ taker: Int) {
    state.withLock { state in
      state.takers[taker] = nil
      if state.takers.isEmpty { state.endStream() }
    }
  }

  /// An engine can have pushes: opens the stream, unless it is open as this account.
  func listen(_ taker: Int, _ session: Session, account: Int) {
    reached(taker, session, account: account)
    let standing = state.withLock { $0.stream?.hasStood == true ? $0.takers[taker] : nil }
    standing?.connected()
  }

  /// An engine that listens has reached the server: a stream that waits to try again need not.
  func reached(_ taker: Int, _ session: Session, account: Int) {
    state.withLock { state in
      // It may have ended while its last job ran.
      if state.takers[taker] == nil { return }
      if let stream = state.stream, stream.account == account, !stream.isWaiting { return }
      state.endStream()
      state.lastStream += 1
      let number = state.lastStream
      state.stream = Stream(
        number: number, account: account, task: Task { await self.receive(session, number) })
    }
  }

  /// The account has changed: the pushes of one user are not another's.
  func accountChanged(to account: Int) {
    state.withLock { if $0.stream?.account != account { $0.endStream() } }
  }

  /// A loop of the app begins or ends.
  func loops(_ change: Int) { state.withLock { $0.loops += change } }

  /// A push came, to this stream or to a loop of the app.
  func received(_ push: CKNotification?) {
    for taker in takers { taker.pushed(push?.subscriptionID) }
  }

  /// A stream stands, or is tried.
  var isListening: Bool { state.withLock { $0.stream != nil } }

  private var takers: [Taker] {
    state.withLock { $0.takers.sorted { $0.key < $1.key }.map(\.value) }
  }

  private func receive(_ session: Session, _ number: Int) async {
    do {
      let cursor = state.withLock { $0.cursor }
      try await PushReceiver(session).run(
        after: cursor, moved: { cursor in self.state.withLock { $0.moved(number, to: cursor) } }
      ) {
        self.noteConnected(number)
      } waits: { isWaiting in
        self.state.withLock { if $0.stream?.number == number { $0.stream?.isWaiting = isWaiting } }
      } mayAcknowledge: {
        self.state.withLock { $0.loops == 0 }
      } deliver: { push in
        self.received(RemoteNotifications.notification(push))
        return true
      }
    } catch is CancellationError {
      return
    } catch {
      RemoteNotifications.logRefusal(error)
    }
    let left = state.withLock { state -> [Int: Taker] in
      guard state.stream?.number == number else { return [:] }
      state.endStream()
      return state.takers
    }
    for taker in left.values { taker.ended() }
  }

  private func noteConnected(_ number: Int) {
    state.withLock { if $0.stream?.number == number { $0.stream?.hasStood = true } }
    for taker in takers { taker.connected() }
  }
}
