// The check compares the database's asset rows with the asset store: after a restore of one without the other, files may have
// lost their bytes, and objects may be there that no row names (docs/assets.md).

import BrumeModel
import BrumeStorage

/// What does not match.
package struct AssetCheckReport: Equatable, Sendable {
  /// Files that records may hold and whose bytes are missing or cut short.
  package var missing: [String] = []
  /// Objects in the asset store that no asset row names.
  package var unknown: [String] = []
  /// Whether rows were met that do not fit their checksum: they were left out, and `unknown` is empty.
  package var hasMetDamage = false
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
    let damagedReads = store.damagedRows?.reads ?? 0
    let rows = limits.assetSweepRows
    var known: Set<String> = []
    var last = ""
    while true {
      let after = last
      let files = try await store.read { try $0.assets.files(after: after, limit: rows) }
      for file in files {
        known.insert(file.object)
        report.files += 1
        guard report.missing.count < limit, try await isMissing(file) else { continue }
        report.missing.append(file.checksum)
      }
      guard let end = files.last, files.count == rows else { break }
      last = end.checksum
    }
    try await findUnknown(&report, known, limit: limit)
    try await dropKnown(&report)
    // The object of a row that cannot be read belongs to a file all the same, and nobody can say which it is.
    report.hasMetDamage = (store.damagedRows?.reads ?? 0) > damagedReads
    if report.hasMetDamage { report.unknown = [] }
    return report
  }

  /// A file that arrives again meanwhile has another object then, and one that goes has no row.
  private func isMissing(_ file: AssetFile) async throws -> Bool {
    var file = file
    while try await assets.size(of: file.object) != file.size {
      guard let now = try await store.read({ [file] in try $0.assets.file(file.checksum) }) else {
        return false
      }
      if now.object == file.object { return true }
      file = now
    }
    return false
  }

  /// What was uploaded while all were looked at has its row by now.
  private func dropKnown(_ report: inout AssetCheckReport) async throws {
    let rows = limits.assetSweepRows
    var last = ""
    while !report.unknown.isEmpty {
      let after = last
      let files = try await store.read { try $0.assets.files(after: after, limit: rows) }
      let objects = Set(files.map(\.object))
      report.unknown.removeAll { objects.contains($0) }
      guard let end = files.last, files.count == rows else { return }
      last = end.checksum
    }
  }

  private func findUnknown(
    _ report: inout AssetCheckReport, _ known: Set<String>, limit: Int
  ) async throws {
    let others = try await store.read { transaction in
      Set(try transaction.assets.discardedObjects(after: "", limit: .max))
        .union(try transaction.assets.uploads(begunBy: .max, limit: .max).map(\.id))
    }
    var last = ""
    while true {
      let names = try await assets.names(after: last, limit: limits.assetSweepRows)
      // A bucket may have keys of others, too: what is no name after the last one would be answered again and again.
      guard let end = names.last, ByteText(end) > ByteText(last) else { return }
      report.objects += names.count
      for name in names where !known.contains(name) && !others.contains(name) {
        if report.unknown.count < limit { report.unknown.append(name) }
      }
      last = end
    }
  }
}
