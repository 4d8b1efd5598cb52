// What changed on the server that pages of the console show: hints, so that a page asks again when there is something to
// see, and not every few seconds. Nothing of the change itself is in a hint; who may see it is decided when the page asks.

import BrumeModel
import BrumeStorage
import Synchronization

/// Kinds of what pages show.
enum ConsoleEvent: String, CaseIterable {
  /// Records, zones, shares, subscriptions.
  case data
  /// What waits for devices, was sent to them, and answered.
  case pushes
  /// What operators change: accounts, keys, schemas, faults.
  case server
  /// Requests of apps.
  case requests
}

/// Who listens to the changes of a server. One for each server.
final class ConsoleEvents: Sendable {
  /// What came since a listener last looked: never a queue.
  private final class Pending: Sendable {
    private let events = Mutex<Set<ConsoleEvent>>([])

    func add(_ event: ConsoleEvent) { events.withLock { _ = $0.insert(event) } }

    func take() -> Set<ConsoleEvent> {
      events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }
  /// What is kept of a listener. Not its stream: when nobody holds that any more, the listener is gone.
  private struct Kept: Sendable {
    let pending: Pending
    let signal: AsyncStream<Void>.Continuation
  }
  /// One open stream.
  struct Listener: Sendable {
    fileprivate let end: @Sendable () -> Void
    fileprivate let take: @Sendable () -> Set<ConsoleEvent>
    fileprivate let signals: AsyncStream<Void>

    /// Asks its stream to end.
    func finish() { end() }

    /// Calls `body` with what came whenever something did, and now and then with nothing, until it answers false, the
    /// stream is asked to end, or the task is cancelled.
    func follow(_ body: (Set<ConsoleEvent>) async throws -> Bool) async throws {
      for await _ in signals {
        guard try await body(take()) else { return }
      }
    }
  }

  private struct State: Sendable {
    var listeners: [Int: Kept] = [:]
    var nextID = 0
  }
  private let state = Mutex(State())
  /// Nobody listens at most times, and then a hint costs a look at this.
  private let count = Atomic(0)
  private let most: Int

  /// - Parameter most: open streams of all operators.
  init(most: Int = Limits.apple.consoleStreams) { self.most = most }

  /// Hints from now on, for as long as the listener is held.
  ///
  /// - Throws: `throttled` if as many listen as may.
  func listen() throws(BrumeError) -> Listener {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let pending = Pending()
    let id = state.withLock { state -> Int? in
      guard state.listeners.count < most else { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = Kept(pending: pending, signal: signal)
      count.store(state.listeners.count, ordering: .relaxed)
      return state.nextID
    }
    guard let id else {
      throw BrumeError(
        .throttled,
        "\(most) pages of the console follow this server already; close some, or ask again later",
        retryAfter: 30)
    }
    signal.onTermination = { [weak self] _ in self?.leave(id) }
    return Listener(end: { signal.finish() }, take: { pending.take() }, signals: signals)
  }

  private func leave(_ id: Int) {
    state.withLock { state in
      state.listeners[id] = nil
      count.store(state.listeners.count, ordering: .relaxed)
    }
  }

  var listenerCount: Int { count.load(ordering: .relaxed) }

  func note(_ event: ConsoleEvent) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    for listener in state.withLock({ Array($0.listeners.values) }) {
      listener.pending.add(event)
      listener.signal.yield()
    }
  }

  /// What an answered call has changed. Calls of operators that only read change nothing, so that a page that asks
  /// is not asked to read again.
  func note(_ endpoint: Endpoint) {
    switch endpoint.access {
    case .operator(let effect): if effect.changesSomething { note(.server) }
    case .probe, .open: break
    case .bearer, .anyone, .account, .user:
      note(.requests)
      if !endpoint.isRead, endpoint.work != .brief { note(.data) }
    }
  }

  /// Sends what other servers on the database save, and has every stream show that it lives, until cancelled.
  ///
  /// - Parameter beat: seconds between two signs of life.
  func run(following store: any Store, beat: Int) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask(operation: { for await _ in store.commits() { self.note(.data) } })
      group.addTask(operation: {
        while (try? await Task.sleep(for: .seconds(beat))) != nil { self.wake() }
      })
    }
  }

  private func wake() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.signal.yield() }
  }
}
