// The service runs the sweeper, again and again. What goes is decided by BrumeCore's Assets.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import Logging

struct AssetSweepService: Sendable {
  let sweeper: AssetSweeper
  /// Of several processes with one store, whoever has the first bucket sweeps.
  let leases: any Leases
  let clock: PushClock
  /// Between two passes.
  let seconds: Int
  let logger: Logger

  func run() async throws {
    while true {
      try await clock.sleep(clock.now() + Milliseconds(seconds) * 1000)
      guard leases.owns(.only) else { continue }
      var report = AssetSweepReport()
      do {
        try await sweeper.sweep(into: &report)
      } catch let error as CancellationError {
        throw error
      } catch {
        // The next pass finds the same work again.
        logger.warning("assets could not be swept", metadata: ["error": "\(error)"])
      }
      log(report)
    }
  }

  /// What went, whatever stays.
  private func log(_ report: AssetSweepReport) {
    guard report != AssetSweepReport() else { return }
    logger.info(
      "assets swept",
      metadata: [
        "assets.uploads": "\(report.uploads)", "assets.files": "\(report.files)",
        "assets.objects": "\(report.objects)",
      ])
  }
}
