// What a commit writes to SQLite's write-ahead log, handed to the kernel in one piece. SQLite hands over each page with
// two calls, fourteen for the save of one record. This is a layer over SQLite's own access to files; all else
// passes through it. Why, and why nothing is lost: docs/decisions/0047-the-log-is-written-in-one-piece.md. A quota that is
// used up, and a limit for sizes of files, become what SQLite says of a full disk.

#pragma once

#include <sqlite3.h>

/// Puts the layer under all connections that are opened from now on. Once for a process; later calls do nothing.
///
/// Answers a result code of SQLite's.
int brume_log_pieces_install(void);

/// Whether a connection keeps what it writes to the log until it waits for the disk. Only for one whose commits do
/// (`synchronous=FULL`), and outside of a transaction.
///
/// Answers a result code of SQLite's: `SQLITE_NOTFOUND` if the connection was opened without the layer.
int brume_log_pieces_gather(sqlite3 *connection, int gathers);

/// Has a connection leave the log as it is when it is closed. SQLite takes this setting by a call that Swift cannot make.
///
/// Answers a result code of SQLite's.
int brume_log_pieces_keep(sqlite3 *connection);

/// The system's number of the error for which the last write or sync of this thread failed, and forgets it; 0: none failed since.
int brume_log_pieces_take_reason(void);
