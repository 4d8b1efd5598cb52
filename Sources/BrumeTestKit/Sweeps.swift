// What the server does again and again, once, for tests in which nothing stays.

package import BrumeCore
package import BrumeModel

extension AssetSweeper {
  /// One pass.
  ///
  /// - Throws: as `sweep(into:)`.
  package func sweep() async throws -> AssetSweepReport {
    var report = AssetSweepReport()
    try await sweep(into: &report)
    return report
  }
}

extension DeletionMemory {
  /// One pass.
  ///
  /// - Throws: as `sweep(into:)`.
  package func sweep() async throws -> DeletionReport {
    var report = DeletionReport()
    try await sweep(into: &report)
    return report
  }

  /// What an operator asks for.
  ///
  /// - Throws: as `forget(in:olderThan:isDryRun:into:)`.
  package func forget(
    in containerEnvironment: ContainerEnvironment, olderThan age: Milliseconds?, isDryRun: Bool
  ) async throws -> DeletionReport {
    var report = DeletionReport()
    try await forget(
      in: containerEnvironment, olderThan: age, isDryRun: isDryRun, into: &report)
    return report
  }
}

extension ZoneEmptying {
  /// One look. Answers how many zones are empty now.
  ///
  /// - Throws: as `sweep(counting:)`.
  package func sweep() async throws -> Int {
    var count = 0
    try await sweep(counting: &count)
    return count
  }
}
