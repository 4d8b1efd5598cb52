// Preloaded into a server by powerloss.py: writes down, in the order in which they took effect, all calls that change files
// below one folder, with their bytes, and which of them the disk confirmed. The test appends to the same file what was
// answered, so the record says what had been promised at each moment.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { CREATED = 1, WROTE, CUT, SYNC_BEGAN, SYNC_ENDED, RENAMED, UNLINKED, MADE_FOLDER, UNSEEN };

// One line of the record; `length` bytes follow it.
struct line {
  uint64_t length, kind, file;
  int64_t place;
};

static int record = -1;
static char folder[4096], death[4200];
static size_t folder_length;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static __thread int is_inside;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORD_FILE"), *root = getenv("RECORD_FOLDER");
  if (!path || !root || strlen(root) >= sizeof folder) return;
  strcpy(folder, root);
  folder_length = strlen(root);
  snprintf(death, sizeof death, "%s.death", path);
  int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  record = real(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

static int is_below(const char *path) {
  return record >= 0 && path && strncmp(path, folder, folder_length) == 0
         && (path[folder_length] == '/' || path[folder_length] == 0);
}

// The path of an open file below the folder, and which file it is.
static int is_watched(int file, uint64_t *inode, char *path) {
  if (record < 0 || is_inside) return 0;
  char link[64];
  struct stat about;
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, 4095);
  int known = count > 0 && fstat(file, &about) == 0;
  errno = saved;
  if (!known) return 0;
  path[count] = 0;
  *inode = about.st_ino;
  return is_below(path);
}

static void note(enum kind kind, uint64_t file, int64_t place, const void *bytes, size_t length) {
  REAL(writev);
  struct line line = {length, kind, file, place};
  struct iovec parts[2] = {{&line, sizeof line}, {(void *)bytes, length}};
  int saved = errno;
  if (real(record, parts, 2) != (ssize_t)(sizeof line + length)) abort();
  errno = saved;
}

static void note_text(enum kind kind, uint64_t file, const char *text) { note(kind, file, 0, text, strlen(text)); }

static int64_t syncs;

// Between two calls is also where the test has the process die, so that none is done and not recorded.
static void lock(void) {
  pthread_mutex_lock(&order);
  is_inside = 1;
  int saved = errno;
  if (access(death, F_OK) == 0) kill(getpid(), SIGKILL);
  errno = saved;
}
static void unlock(void) { is_inside = 0; pthread_mutex_unlock(&order); }

// MARK: Bytes

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
  REAL(pwrite);
  uint64_t inode;
  char path[4096];
  if (!is_watched(file, &inode, path)) return real(file, bytes, count, place);
  lock();
  ssize_t done = real(file, bytes, count, place);
  if (done > 0) note(WROTE, inode, place, bytes, (size_t)done);
  unlock();
  return done;
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) { return pwrite(file, bytes, count, place); }

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(writev);
  uint64_t inode;
  char path[4096];
  if (!is_watched(file, &inode, path)) return real(file, parts, count);
  lock();
  off_t place = fcntl(file, F_GETFL) & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
  ssize_t done = real(file, parts, count), left = done;
  for (int part = 0; part < count && left > 0; part++) {
    size_t length = parts[part].iov_len < (size_t)left ? parts[part].iov_len : (size_t)left;
    note(WROTE, inode, place, parts[part].iov_base, length);
    place += (off_t)length;
    left -= (ssize_t)length;
  }
  unlock();
  return done;
}

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(write);
  uint64_t inode;
  char path[4096];
  if (!is_watched(file, &inode, path)) return real(file, bytes, count);
  lock();
  off_t place = fcntl(file, F_GETFL) & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
  ssize_t done = real(file, bytes, count);
  if (done > 0) note(WROTE, inode, place, bytes, (size_t)done);
  unlock();
  return done;
}

int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  uint64_t inode;
  char path[4096];
  if (!is_watched(file, &inode, path)) return real(file, size);
  lock();
  int answer = real(file, size);
  if (answer == 0) note(CUT, inode, size, NULL, 0);
  unlock();
  return answer;
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

// MARK: What the disk confirms: what had been done when the call began

#define SYNC(name) \
  int name(int file) { \
    REAL(name); \
    uint64_t inode; \
    char path[4096]; \
    if (!is_watched(file, &inode, path)) return real(file); \
    lock(); \
    int64_t number = ++syncs; \
    note(SYNC_BEGAN, inode, number, path, strlen(path)); \
    unlock(); \
    int answer = real(file); \
    lock(); \
    if (answer == 0) note(SYNC_ENDED, inode, number, path, strlen(path)); \
    unlock(); \
    return answer; \
  }
SYNC(fsync)
SYNC(fdatasync)

// MARK: Names

int rename(const char *from, const char *to) {
  REAL(rename);
  if (!is_below(from) || !is_below(to) || is_inside) return real(from, to);
  char both[8192];
  lock();
  int answer = real(from, to);
  if (answer == 0) note(RENAMED, 0, 0, both, (size_t)snprintf(both, sizeof both, "%s\n%s", from, to));
  unlock();
  return answer;
}

#define UNNAME(name) \
  int name(const char *path) { \
    REAL(name); \
    if (!is_below(path) || is_inside) return real(path); \
    lock(); \
    int answer = real(path); \
    if (answer == 0) note_text(UNLINKED, 0, path); \
    unlock(); \
    return answer; \
  }
UNNAME(unlink)
UNNAME(rmdir)

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  if (!is_below(path) || is_inside) return real(path, mode);
  lock();
  int answer = real(path, mode);
  struct stat about;
  if (answer == 0 && stat(path, &about) == 0) note_text(MADE_FOLDER, about.st_ino, path);
  unlock();
  return answer;
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  if (!is_below(path) || is_inside || !(flags & (O_CREAT | O_TRUNC))) return real(path, flags, mode);
  lock();
  struct stat about;
  int was_there = stat(path, &about) == 0, file = real(path, flags, mode);
  if (file >= 0 && fstat(file, &about) == 0) {
    if (!was_there) note_text(CREATED, about.st_ino, path);
    else if (flags & O_TRUNC) note(CUT, about.st_ino, 0, NULL, 0);
  }
  unlock();
  return file;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    return opened((int (*)(const char *, int, ...))real, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

// MARK: What would be missed: the test fails when there is some

static void unseen(const char *call, const char *path) {
  char text[4200];
  lock();
  snprintf(text, sizeof text, "%s %s", call, path);
  note_text(UNSEEN, 0, text);
  unlock();
}

void *mmap(void *address, size_t length, int rights, int flags, int file, off_t place) {
  REAL(mmap);
  uint64_t inode;
  char path[4096];
  void *answer = real(address, length, rights, flags, file, place);
  if (file >= 0 && (rights & PROT_WRITE) && (flags & MAP_SHARED) && is_watched(file, &inode, path)) unseen("mmap", path);
  return answer;
}
void *mmap64(void *address, size_t length, int rights, int flags, int file, off64_t place) {
  return mmap(address, length, rights, flags, file, place);
}
int openat(int place, const char *path, int flags, ...) {
  REAL(openat);
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (is_below(path) && (flags & (O_CREAT | O_TRUNC)) && !is_inside) unseen("openat", path);
  return real(place, path, flags, mode);
}
int link(const char *from, const char *to) {
  REAL(link);
  if (is_below(to)) unseen("link", to);
  return real(from, to);
}
int truncate(const char *path, off_t size) {
  REAL(truncate);
  if (is_below(path)) unseen("truncate", path);
  return real(path, size);
}
