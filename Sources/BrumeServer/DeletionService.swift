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
  let metrics: ServerMetrics
  let logger: Logger

  func run() async throws {
    while true {
      if leases.owns(.only) { try await pass() }
      try await clock.sleep(clock.now() + interval)
    }
  }

  private func pass() async throws {
    do {
      let count = try await zones.sweep()
      if count > 0 {
        logger.info("rows of deleted zones removed", metadata: ["zones": "\(count)"])
      }
      let report = try await memory.sweep()
      metrics.deletionsForgotten(report.deletions)
      guard report.deletions > 0 else { return }
      logger.info(
        "old deletions forgotten",
        metadata: ["deletions": "\(report.deletions)", "zones": "\(report.zones)"])
    } catch let error as CancellationError {
      throw error
    } catch {
      // The next pass finds the same work again.
      logger.warning("old deletions could not be forgotten", metadata: ["error": "\(error)"])
    }
  }
}
