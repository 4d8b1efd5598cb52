// The check compares the database's asset rows with the asset store: after a restore of one without the other, files may have
// lost their bytes, and objects may be there that no book knows (docs/assets.md).

import BrumeModel
import BrumeStorage

/// What does not match.
package struct AssetCheckReport: Equatable, Sendable {
  /// Files that records may hold and whose bytes are missing or cut short.
  package var missing: [String] = []
  /// Objects in the asset store that no asset row names.
  package var unknown: [String] = []
  /// Files that were looked at.
  package var files = 0
  /// Objects that were looked at.
  package var objects = 0
  package init() {}
}

/// Compares the database's asset rows with the asset store.
package struct AssetCheck: Sendable {
  private let store: any Store
  private let assets: any AssetStore
  private let limits: Limits

  init(_ parts: EngineParts) {
    store = parts.store
    assets = parts.assets
    limits = parts.limits
  }

  /// Looks at every file and object. It changes nothing.
  ///
  /// - Parameter limit: how many names of each kind to report.
  /// - Throws: `AssetFailure` if the asset store fails.
  package func run(limit: Int) async throws -> AssetCheckReport {
    var report = AssetCheckReport()
    let rows = limits.assetSweepRows
    var known: Set<String> = []
    var last = ""
    while true {
      let after = last
      let files = try await store.read { try $0.assets.files(after: after, limit: rows) }
      for file in files {
        known.insert(file.object)
        report.files += 1
        if try await assets.size(of: file.object) != file.size, report.missing.count < limit {
          report.missing.append(file.checksum)
        }
      }
      guard let end = files.last, files.count == rows else { break }
      last = end.checksum
    }
    try await findUnknown(&report, known, limit: limit)
    return report
  }

  private func findUnknown(
    _ report: inout AssetCheckReport, _ known: Set<String>, limit: Int
  ) async throws {
    let others = try await store.read { transaction in
      Set(try transaction.assets.discardedObjects(limit: .max))
        .union(try transaction.assets.uploads(begunBy: .max, limit: .max).map(\.id))
    }
    var last = ""
    while true {
      let names = try await assets.names(after: last, limit: limits.assetSweepRows)
      guard let end = names.last else { return }
      report.objects += names.count
      for name in names where !known.contains(name) && !others.contains(name) {
        if report.unknown.count < limit { report.unknown.append(name) }
      }
      last = end
    }
  }
}
