// The rows of a backup, written by who makes it: for a server whose disk has no room for a snapshot of its own. The read
// transaction lasts as long as the disk of the backup takes, and no network.

import BrumeCore
import BrumeSQLite

/// Reads the database of a server on this machine beside it.
package enum FolderSnapshot {
  /// Writes what the snapshot of the server would have held.
  ///
  /// - Parameters:
  ///   - id: that of the server's snapshot.
  ///   - write: appends to the file.
  /// - Throws: `StoreError`: the database cannot be read, or a row is damaged; or what `write` threw.
  package static func write(
    of folder: String, id: String, _ write: @escaping ([UInt8]) throws -> Void
  ) throws {
    try SQLiteSnapshot.run(of: folder) { source in
      _ = try BackupWriter(of: source, write: write).run(id: id, made: Host.real.now())
    }
  }
}
