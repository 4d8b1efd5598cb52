// Which store the last server of a data folder had: after a move to PostgreSQL the database of before is still in the
// folder, and looks like any other.

import FoundationEssentials

/// What the files of a data folder say of its last server.
package enum LastStore {
  /// Whether it had its records in PostgreSQL. It notes how far that came for as long as it runs, and one with SQLite leaves
  /// a mark at each start.
  package static func isPostgres(in folder: String) -> Bool {
    guard let noted = changed(DataFolder.databaseMark, in: folder) else { return false }
    return ["brume.sqlite", "brume.mark"].allSatisfy { name in
      changed(name, in: folder).map { $0 < noted } ?? true
    }
  }

  /// Nil: there is no such file.
  private static func changed(_ name: String, in folder: String) -> Date? {
    let found = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
    return found?[.modificationDate] as? Date
  }
}
