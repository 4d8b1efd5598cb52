// The checkup reads all that a store holds, and all files, for `brume doctor --deep`. It changes nothing.

import BrumeCore
import BrumePostgres
import BrumeSQLite
package import BrumeStorage

/// Reads one store and its files.
package struct DeepCheckup {
  private enum Reading {
    case sqlite(SQLiteInspection)
    case postgres(PostgresInspection)
  }
  private let reading: Reading
  private let assets: (any AssetStore)?

  /// - Parameter folder: that of the server.
  /// - Throws: `StoreError`: nothing can be read there.
  package init(_ settings: Settings, folder: String) throws {
    reading =
      switch settings.engine {
      case .sqlite: .sqlite(try Self.database(of: folder))
      case .postgres(let url): .postgres(try PostgresInspection(url: url, coders: .wireForm))
      case .memory: throw StoreError(.unavailable, "a store in memory has nothing that can be read")
      }
    assets = settings.openAssets(reading: folder)
  }

  private static func database(of folder: String) throws -> SQLiteInspection {
    guard DiskFile.exists("\(folder)/brume.sqlite") else {
      throw StoreError(
        .unavailable, "there is no 'brume.sqlite' in '\(folder)'; name the folder with --data")
    }
    return try SQLiteInspection(folder: folder, coders: .wireForm)
  }

  /// The database.
  ///
  /// - Throws: `StoreError` if it cannot be read.
  package func database() throws -> StoreInspection {
    switch reading {
    case .sqlite(let inspection): try inspection.run()
    case .postgres(let inspection): try inspection.run()
    }
  }

  /// What is wrong with files, a sentence each, and how many were read. Nil: they are in a bucket, whose service
  /// looks after them.
  ///
  /// - Throws: `StoreError` if the rows of assets cannot be read; a file that cannot be is a finding.
  package func files() async throws -> (read: Int, findings: [String])? {
    guard let assets else { return nil }
    var (read, findings, last) = (0, [String](), "")
    while true {
      let page = try files(after: last)
      for file in page {
        read += 1
        let before = last
        let finding = try await AssetInspection.finding(in: file, of: assets) { file in
          try files(after: before).first { $0.checksum == file.checksum }
        }
        if let finding { findings.append(finding) }
        last = file.checksum
      }
      if page.isEmpty { return (read, findings) }
    }
  }

  /// Ours: rows that are read at once.
  private static let page = 1000

  private func files(after checksum: String) throws -> [AssetFile] {
    switch reading {
    case .sqlite(let inspection): try inspection.files(after: checksum, limit: Self.page)
    case .postgres(let inspection): try inspection.files(after: checksum, limit: Self.page)
    }
  }
}
