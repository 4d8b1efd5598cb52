#include "CLogPieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Ours: bytes that are kept at most; fifteen pages. What comes then is written in pieces of this size.
#define MOST_BYTES (64 * 1024)
/// Ours: the operation by which a connection says that it gathers. SQLite leaves numbers above 100 to others.
#define GATHER_OPERATION 0x6272756d

/// A database file or its log. Behind it, in the same memory, is SQLite's own file.
typedef struct File {
  sqlite3_file base;
  /// SQLite's own, with ours in place of some.
  sqlite3_io_methods methods;
  /// Of a database file: whether its connection gathers.
  int gathers;
  /// Of a log: the database file of the same connection.
  struct File *database;
  /// Of a log: what is kept, and where it belongs. No byte in front of it in the file is missing.
  unsigned char *bytes;
  sqlite3_int64 start;
  int count;
} File;

static sqlite3_vfs layer;
static sqlite3_vfs *below;

static sqlite3_file *own(File *file) { return (sqlite3_file *)(file + 1); }
static const sqlite3_io_methods *methods(File *file) { return own(file)->pMethods; }

/// What the system said of the last call of this thread that failed. SQLite forgets it when a commit fails.
static _Thread_local int reason;

/// Keeps the system's reason for a failure. Answers the result code.
static int noted(File *file, int code) {
  if (code == SQLITE_OK) return code;
  if (code == SQLITE_FULL) reason = ENOSPC;
  else methods(file)->xFileControl(own(file), SQLITE_FCNTL_LAST_ERRNO, &reason);
  return code;
}

/// SQLite takes only ENOSPC for a full disk. A quota and a limit for sizes of files are met in the same way: nothing that was
/// written is uncertain, and what was not is written again later.
static int writeBelow(File *file, const void *bytes, int count, sqlite3_int64 place) {
  int code = noted(file, methods(file)->xWrite(own(file), bytes, count, place));
  int isLimit = code == SQLITE_IOERR_WRITE && (reason == EDQUOT || reason == EFBIG);
  return isLimit ? SQLITE_FULL : code;
}

/// Writes what is kept. After a failure nothing is: SQLite undoes the transaction that it belonged to.
static int writeKept(File *file) {
  if (file->count == 0) return SQLITE_OK;
  int count = file->count;
  file->count = 0;
  return writeBelow(file, file->bytes, count, file->start);
}

static int isKeeping(File *file) { return file->database != NULL && file->database->gathers; }

static int write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 place) {
  File *file = (File *)base;
  int follows = place == file->start + file->count;
  int fits = count <= MOST_BYTES - file->count;
  if (!follows || !fits || !isKeeping(file)) {
    int code = writeKept(file);
    if (code != SQLITE_OK) return code;
  }
  if (!isKeeping(file) || count > MOST_BYTES) {
    return writeBelow(file, bytes, count, place);
  }
  if (file->bytes == NULL) file->bytes = sqlite3_malloc(MOST_BYTES);
  if (file->bytes == NULL) return SQLITE_IOERR_NOMEM;
  if (file->count == 0) file->start = place;
  memcpy(file->bytes + file->count, bytes, (size_t)count);
  file->count += count;
  return SQLITE_OK;
}

static int sync(sqlite3_file *base, int flags) {
  File *file = (File *)base;
  int code = writeKept(file);
  return code != SQLITE_OK ? code : noted(file, methods(file)->xSync(own(file), flags));
}

static int read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 place) {
  File *file = (File *)base;
  int code = writeKept(file);
  return code != SQLITE_OK ? code : methods(file)->xRead(own(file), bytes, count, place);
}

static int truncate(sqlite3_file *base, sqlite3_int64 size) {
  File *file = (File *)base;
  int code = writeKept(file);
  return code != SQLITE_OK ? code : methods(file)->xTruncate(own(file), size);
}

static int fileSize(sqlite3_file *base, sqlite3_int64 *size) {
  File *file = (File *)base;
  int code = writeKept(file);
  return code != SQLITE_OK ? code : methods(file)->xFileSize(own(file), size);
}

/// What is kept is of no commit: those waited for the disk.
static int closeFile(sqlite3_file *base) {
  File *file = (File *)base;
  sqlite3_free(file->bytes);
  file->bytes = NULL;
  file->count = 0;
  return methods(file)->xClose(own(file));
}

static int control(sqlite3_file *base, int operation, void *argument) {
  File *file = (File *)base;
  if (operation == GATHER_OPERATION) {
    file->gathers = *(int *)argument;
    return SQLITE_OK;
  }
  return methods(file)->xFileControl(own(file), operation, argument);
}

// The rest passes through.

static int lock(sqlite3_file *base, int level) {
  return methods((File *)base)->xLock(own((File *)base), level);
}
static int unlock(sqlite3_file *base, int level) {
  return methods((File *)base)->xUnlock(own((File *)base), level);
}
static int checkReservedLock(sqlite3_file *base, int *answer) {
  return methods((File *)base)->xCheckReservedLock(own((File *)base), answer);
}
static int sectorSize(sqlite3_file *base) {
  return methods((File *)base)->xSectorSize(own((File *)base));
}
static int deviceCharacteristics(sqlite3_file *base) {
  return methods((File *)base)->xDeviceCharacteristics(own((File *)base));
}
static int shmMap(sqlite3_file *base, int page, int size, int extends, void volatile **memory) {
  return methods((File *)base)->xShmMap(own((File *)base), page, size, extends, memory);
}
static int shmLock(sqlite3_file *base, int place, int count, int flags) {
  return methods((File *)base)->xShmLock(own((File *)base), place, count, flags);
}
static void shmBarrier(sqlite3_file *base) {
  methods((File *)base)->xShmBarrier(own((File *)base));
}
static int shmUnmap(sqlite3_file *base, int deletes) {
  return methods((File *)base)->xShmUnmap(own((File *)base), deletes);
}
static int fetch(sqlite3_file *base, sqlite3_int64 place, int count, void **memory) {
  return methods((File *)base)->xFetch(own((File *)base), place, count, memory);
}
static int unfetch(sqlite3_file *base, sqlite3_int64 place, void *memory) {
  return methods((File *)base)->xUnfetch(own((File *)base), place, memory);
}

/// As able as SQLite's own file is: its version says which of the methods are there.
static sqlite3_io_methods methodsLike(const sqlite3_io_methods *own) {
  sqlite3_io_methods result = {
      .iVersion = own->iVersion < 3 ? own->iVersion : 3,
      .xClose = closeFile,
      .xRead = read,
      .xWrite = write,
      .xTruncate = truncate,
      .xSync = sync,
      .xFileSize = fileSize,
      .xLock = lock,
      .xUnlock = unlock,
      .xCheckReservedLock = checkReservedLock,
      .xFileControl = control,
      .xSectorSize = sectorSize,
      .xDeviceCharacteristics = deviceCharacteristics,
  };
  if (own->iVersion >= 2 && own->xShmMap != NULL) {
    result.xShmMap = shmMap;
    result.xShmLock = shmLock;
    result.xShmBarrier = shmBarrier;
    result.xShmUnmap = shmUnmap;
  }
  if (own->iVersion >= 3) {
    result.xFetch = fetch;
    result.xUnfetch = unfetch;
  }
  return result;
}

/// The database file whose log has this name, if it is one of ours.
static File *databaseOf(const char *log) {
  sqlite3_file *base = sqlite3_database_file_object(log);
  int isOurs = base != NULL && base->pMethods != NULL && base->pMethods->xClose == closeFile;
  return isOurs ? (File *)base : NULL;
}

static int openFile(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *opened) {
  (void)vfs;
  if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) {
    return below->xOpen(below, name, base, flags, opened);
  }
  File *file = (File *)base;
  memset(file, 0, sizeof(*file) + (size_t)below->szOsFile);
  int code = below->xOpen(below, name, own(file), flags, opened);
  if (methods(file) == NULL) return code;
  file->methods = methodsLike(methods(file));
  file->base.pMethods = &file->methods;
  if (code == SQLITE_OK && (flags & SQLITE_OPEN_WAL) != 0) file->database = databaseOf(name);
  return code;
}

int brume_log_pieces_install(void) {
  if (below != NULL) return SQLITE_OK;
  // Counting all memory takes a lock for each piece of it. Refused if SQLite runs already: then it counts.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_vfs *found = sqlite3_vfs_find(NULL);
  if (found == NULL) return SQLITE_ERROR;
  layer = *found;
  layer.zName = "brume";
  layer.szOsFile = (int)sizeof(File) + found->szOsFile;
  layer.xOpen = openFile;
  layer.pNext = NULL;
  below = found;
  return sqlite3_vfs_register(&layer, 1);
}

int brume_log_pieces_gather(sqlite3 *connection, int gathers) {
  return sqlite3_file_control(connection, "main", GATHER_OPERATION, &gathers);
}

int brume_log_pieces_take_reason(void) {
  int taken = reason;
  reason = 0;
  return taken;
}

int brume_log_pieces_keep(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}
