// The settings that make an acknowledged write survive a power cut, and the proof that they hold.
//
// GRDB sets `synchronous=NORMAL` while it opens a pool, after every hook it offers; NORMAL loses
// acknowledged commits. So FULL is set on the opened writer and read back
// (docs/internals/storage.md).

import BrumeStorage
import GRDB

/// What SQLite answers when asked for its settings.
package struct Durability: Equatable, Sendable {
  package let journalMode: String
  /// SQLite's number: 2 is FULL.
  package let synchronous: Int

  /// What an acknowledged write needs.
  package static let required = Durability(journalMode: "wal", synchronous: 2)

  /// The writer's page cache. It holds the pages that one group of large batches changes; a smaller
  /// one would write pages twice.
  static let cacheKilobytes = 32 << 10

  static func establish(on writer: Database) throws {
    try writer.execute(sql: "PRAGMA synchronous = FULL")
    #if canImport(Darwin)
      try writer.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
    #endif
    try writer.execute(sql: "PRAGMA cache_size = -\(cacheKilobytes)")
    // Checkpoints are `Checkpointer`'s business.
    _ = try Int.fetchOne(writer, sql: "PRAGMA wal_autocheckpoint = 0")
    _ = try Int.fetchOne(writer, sql: "PRAGMA journal_size_limit = \(64 << 20)")
  }

  static func read(from writer: Database) throws -> Durability {
    Durability(
      journalMode: try String.fetchOne(writer, sql: "PRAGMA journal_mode") ?? "",
      synchronous: try Int.fetchOne(writer, sql: "PRAGMA synchronous") ?? -1)
  }

  func prove() throws(StoreError) {
    guard self == .required else {
      throw StoreError(
        .notDurable,
        """
        SQLite runs with journal_mode=\(journalMode) and synchronous=\(synchronous); saves are only \
        safe with journal_mode=wal and synchronous=2. Put the data folder on a local file system
        """)
    }
  }
}
