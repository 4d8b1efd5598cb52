// Forgetting old deletions when an operator asks for it.

import BrumeCore
import BrumeModel
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
    let report = try await memory.forget(
      in: call.containerEnvironment, olderThan: age, isDryRun: isDryRun)
    if !isDryRun { metrics.deletionsForgotten(report.deletions) }
    return .json(Wire.deletions(report))
  }
}
