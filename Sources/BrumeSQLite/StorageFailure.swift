// What SQLite's result codes mean for this engine: go on, try again later, or never write again.

import BrumeStorage
import GRDBSQLite

struct StorageFailure: Equatable, Sendable {
  enum Consequence: Equatable, Sendable {
    /// A statement of ours was refused; its transaction is undone and the storage is sound.
    case undo
    /// No room: the group is undone, later writes may succeed.
    case retry
    /// It is unknown what reached the disk: no further write is accepted
    /// (docs/internals/storage.md).
    case stop
  }
  /// SQLite's extended result code.
  let code: Int32

  var consequence: Consequence {
    switch code & 0xff {
    case SQLITE_FULL: .retry
    case SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_READONLY, SQLITE_CANTOPEN,
      SQLITE_PROTOCOL, SQLITE_NOMEM:
      .stop
    default: .undo
    }
  }

  /// SQLite finds that a page is not what it was.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }

  var error: StoreError {
    let text = "SQLite error \(code): \(String(cString: sqlite3_errstr(code)))"
    return switch (consequence, code & 0xff) {
    case (_, SQLITE_CORRUPT), (_, SQLITE_NOTADB): StoreError(.corrupt, text)
    case (.retry, _): StoreError(.noRoom, text)
    case (.stop, _), (.undo, SQLITE_BUSY): StoreError(.unavailable, text)
    case (.undo, _): StoreError(.corrupt, text)
    }
  }
}
