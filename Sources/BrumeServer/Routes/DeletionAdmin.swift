// Forgetting old deletions when an operator asks for it.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct DeletionAdmin: Sendable {
  let memory: DeletionMemory
  let metrics: ServerMetrics

  /// `{"olderThanDays": 90, "dryRun": true}`, in all databases of the container environment. Without an age the
  /// server's own counts.
  func forget(_ call: Call) async throws -> Reply {
    let json = try call.object()
    var age: Milliseconds?
    if let days = json["olderThanDays"] {
      guard let days = days.int, (0...36_500).contains(days) else {
        throw BrumeError(.badRequest, "'olderThanDays' must be a number from 0 to 36500")
      }
      age = days * 86_400_000
    }
    let isDryRun = try json.bool("dryRun") ?? false
    var report = DeletionReport()
    defer { if !isDryRun { metrics.deletionsForgotten(report.deletions) } }
    do {
      try await memory.forget(
        in: call.containerEnvironment, olderThan: age, isDryRun: isDryRun, into: &report)
    } catch let error where error.saysDamage {
      throw Self.stayed(error, after: report, isDryRun)
    }
    return .json(Wire.deletions(report))
  }

  /// What is damaged keeps its own deletions: those of others went, and are counted in the error.
  static func stayed(
    _ damage: any Error, after report: DeletionReport, _ isDryRun: Bool
  ) -> BrumeError {
    let reason = (damage as? BrumeError)?.reason ?? "\(damage)"
    return BrumeError(
      .internalError,
      "\(report.deletions) deletions of \(report.zones) zones \(isDryRun ? "would be" : "are") "
        + "forgotten; some stay, as what is stored of their zone is damaged (\(reason)): 'brume doctor --deep' "
        + "finds what to do")
  }
}
