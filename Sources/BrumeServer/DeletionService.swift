// The service looks, again and again, for deletions that are older than the server remembers them, and for rows of deleted
// zones. What goes is decided by BrumeCore's `DeletionMemory` and `ZoneEmptying`.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import Logging

struct DeletionService: Sendable {
  let memory: DeletionMemory
  let zones: ZoneEmptying
  /// Of several processes with one store, whoever has the first bucket does it.
  let leases: any Leases
  let clock: PushClock
  /// Between two passes.
  let interval: Milliseconds
  /// Ours: until the service looks whether requests gave up, and whose the lease is: at a start nobody has one yet.
  private static let pause: Milliseconds = 5_000
  let metrics: ServerMetrics
  let logger: Logger

  func run() async throws {
    var due = clock.now()
    while true {
      try await attempt(Self.emptying) { try await zones.finishUnfinished() }
      let now = clock.now()
      // Further away than it is ever put: the clock was set back.
      if now >= due || due > now + interval, leases.owns(.only) {
        due = now + interval
        try await attempt(Self.emptying, empty)
        try await attempt(Self.forgetting, forget)
      }
      try await clock.sleep(clock.now() + min(interval, Self.pause))
    }
  }

  private static let emptying: Logger.Message = "rows of deleted zones could not be removed"
  private static let forgetting: Logger.Message = "old deletions could not be forgotten"

  private func attempt(
    _ failure: Logger.Message, _ work: () async throws -> Void
  ) async throws {
    do {
      try await work()
    } catch let error as CancellationError {
      throw error
    } catch {
      // The next pass finds the same work again.
      logger.warning(failure, metadata: ["error": "\(error)"])
    }
  }

  private func empty() async throws {
    var count = 0
    // Whatever stays.
    defer {
      if count > 0 {
        logger.info("rows of deleted zones removed", metadata: ["zones": "\(count)"])
      }
    }
    try await zones.sweep(counting: &count)
  }

  private func forget() async throws {
    var report = DeletionReport()
    defer { note(report) }
    try await memory.sweep(into: &report)
  }

  private func note(_ report: DeletionReport) {
    metrics.deletionsForgotten(report.deletions)
    guard report.deletions > 0 else { return }
    logger.info(
      "old deletions forgotten",
      metadata: ["deletions": "\(report.deletions)", "zones": "\(report.zones)"])
  }
}
