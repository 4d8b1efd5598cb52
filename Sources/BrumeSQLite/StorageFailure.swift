// What SQLite's result codes mean for this engine: go on, try again later, or never write again.

import BrumeStorage
import GRDBSQLite

struct StorageFailure: Equatable, Sendable {
  enum Consequence: Equatable, Sendable {
    /// A statement of ours was refused; its transaction is undone and the storage is sound.
    case undo
    /// No room: the group is undone, later writes may succeed.
    case retry
    /// A page is damaged: the body that met it is refused, and those in its group run again without it. Anywhere else than
    /// in a body it is the end, as `stop`.
    case refuseBody
    /// It is unknown what reached the disk: no further write is accepted
    /// (docs/internals/storage.md).
    case stop
  }
  /// SQLite's extended result code.
  let code: Int32
  /// The system's number of the error below, such as that of a file system that can only be read; 0: unknown.
  var system: Int32 = 0

  var consequence: Consequence {
    switch code & 0xff {
    case SQLITE_FULL: .retry
    case SQLITE_CORRUPT: .refuseBody
    case SQLITE_IOERR, SQLITE_NOTADB, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PROTOCOL,
      SQLITE_NOMEM:
      .stop
    default: .undo
    }
  }

  /// Outside of a body: whether no further write is accepted.
  var isEnd: Bool { [.stop, .refuseBody].contains(consequence) }

  /// SQLite finds that a page is not what it was.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }

  var error: StoreError {
    let reason = system == 0 ? "" : " (\(SystemError.reason(system)))"
    let text = "SQLite error \(code): \(String(cString: sqlite3_errstr(code)))" + reason
    if isDamage { return StoreError(.corrupt, text) }
    return switch consequence {
    case .retry: StoreError(.noRoom, text)
    case .stop: StoreError(.unavailable, text)
    case .undo where code & 0xff == SQLITE_BUSY:
      StoreError(.unreachable, "another program holds the database (\(text)); end it")
    case .undo, .refuseBody: StoreError(.corrupt, text)
    }
  }
}

extension StorageFailure {
  /// A failure of the statement that has just ended on this thread.
  init(ofLast code: Int32) {
    let isOfFile = [SQLITE_FULL, SQLITE_IOERR].contains(code & 0xff)
    self.init(code: code, system: isOfFile ? LogPieces.takeReason() : 0)
  }
}

/// What became of copying the write-ahead log into the database.
enum LogCopy: Equatable, Sendable {
  /// Perhaps a part only, as somebody reads or copies beside. The rest comes later.
  case done
  /// The disk has no room for it: it is tried again, and the log has everything meanwhile.
  case noRoom
  /// It is unknown which of the copied pages the disk has. The system may say so once and take the next
  /// sync for a good one, so nothing may be copied again and the log may not begin anew before the next start.
  case failed(StorageFailure)

  /// - Parameter code: SQLite's, of a copy or of a sync of the database.
  init(code: Int32) {
    switch code & 0xff {
    case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: self = .done
    case SQLITE_FULL: self = .noRoom
    default: self = .failed(StorageFailure(code: code))
    }
  }
}
