// What works without being asked, while the disk is full, the database server is away or set so that it
// may lose what it confirms, or a page of the database is damaged.
//
// A request is answered with an error and may come back. Notifier and delivery have no caller: they wait and
// begin anew from what the store says, and reads go on meanwhile.

import BrumeStorage
import Logging
import Synchronization

/// Waiting for one store: the log says once for all that wait.
final class StoreRetry: Sendable {
  /// Ours: between two tries.
  private static let pause = Duration.seconds(2)
  /// Ours: milliseconds without a failure after which the next one is news. A store may take a minute to fail.
  private static let calm: Int64 = 180_000

  private static let passing: [StoreError.Code] = [
    .noRoom, .notDurable, .tooSlow, .unreachable, .corrupt,
  ]

  private struct State {
    var code: StoreError.Code?
    var last = Int64.min
    var lines = RareLine()
  }
  private let state = Mutex(State())
  private let logger: Logger
  private let milliseconds: @Sendable () -> Int64
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - milliseconds: a clock that never goes back.
  ///   - sleep: waits.
  init(
    _ logger: Logger,
    milliseconds: @escaping @Sendable () -> Int64 = {
      SteadyClock.nanoseconds() / 1_000_000
    },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.logger = logger
    self.milliseconds = milliseconds
    self.sleep = sleep
  }

  /// Does the work, and again when the store had no room for it, would not keep it, was too slow, could not be reached or is
  /// damaged where the work reads: what concerns pushes does not end a server for everybody. Every other failure of the store is passed on.
  func run(_ work: () async throws -> Void) async throws {
    while true {
      do {
        return try await work()
      } catch let error as StoreError where Self.passing.contains(error.code) {
        report(error)
        try await sleep(Self.pause)
      }
    }
  }

  private func report(_ error: StoreError) {
    let now = milliseconds()
    let isDue = state.withLock { state in
      let isNews = error.code != state.code || now - Self.calm > state.last
      if isNews { state.lines = RareLine() }
      (state.code, state.last) = (error.code, now)
      return state.lines.isDue(at: now)
    }
    guard isDue else { return }
    let line: Logger.Message =
      switch error.code {
      case .noRoom: "pushes wait until there is room in the store"
      case .notDurable: "pushes wait until the database keeps what it confirms"
      case .tooSlow: "pushes wait until the database is fast enough"
      case .corrupt: "pushes wait until what is stored is mended; run 'brume doctor --deep'"
      default: "pushes wait until the database can be reached"
      }
    logger.error(line, metadata: ["error": "\(error)"])
  }
}
