// Preloaded into a server by syscalls.py: counts the calls that change files below one folder, and makes the Nth of
// them fail, once or from then on. The test and the library share a page of memory, so faults can be armed
// while the server runs, and the count survives its death.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct plan {
  int64_t calls;   // seen since the plan was made
  int64_t at;      // which of them fails, from 1; 0: none
  int64_t error;   // errno of the failure; 0: the call says that it did what it did not do
  int64_t forever; // 1: all later ones too
  int64_t failed;  // how many did
};

static struct plan *plan;
static char folder[4096];
static size_t length;
static const char *name; // only files of this name, and no opening of them; NULL: all
static int only_syncs;   // only calls that wait for the disk
static int only_writes;  // only calls that write into files, as where a quota is used up

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULT_PLAN"), *root = getenv("FAULT_FOLDER");
  if (!path || !root || strlen(root) >= sizeof folder) return;
  int file = open(path, O_RDWR);
  if (file < 0) return;
  void *page = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page == MAP_FAILED) return;
  name = getenv("FAULT_NAME");
  only_syncs = getenv("FAULT_SYNCS") != NULL;
  only_writes = getenv("FAULT_WRITES") != NULL;
  strcpy(folder, root);
  length = strlen(root);
  plan = page;
}

static int is_below(const char *path) {
  if (!path || strncmp(path, folder, length) != 0 || (path[length] != '/' && path[length] != 0)) return 0;
  const char *last = strrchr(path, '/');
  return !name || (last && strcmp(last + 1, name) == 0);
}

static int fails(void) {
  int64_t call = __atomic_add_fetch(&plan->calls, 1, __ATOMIC_SEQ_CST);
  int64_t at = plan->at;
  if (at == 0 || call < at || (call > at && !plan->forever)) return 0;
  __atomic_add_fetch(&plan->failed, 1, __ATOMIC_SEQ_CST);
  errno = (int)plan->error;
  return 1;
}

static int path_fails(const char *path) { return plan && !name && !only_writes && is_below(path) && fails(); }

static int descriptor_fails(int file) {
  if (!plan) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  int saved = errno;
  ssize_t count = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (count <= 0) return 0;
  path[count] = 0;
  return is_below(path) && fails();
}

static int sync_fails(int file) { return !only_writes && descriptor_fails(file); }
static int write_fails(int file) { return !only_syncs && descriptor_fails(file); }
static int length_fails(int file) { return !only_writes && write_fails(file); }

// What a call that fails answers.
#define ANSWER(well) (plan->error ? -1 : (well))

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(write);
  return write_fails(file) ? ANSWER((ssize_t)count) : real(file, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
  REAL(pwrite);
  return write_fails(file) ? ANSWER((ssize_t)count) : real(file, bytes, count, place);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
  REAL(pwrite64);
  return write_fails(file) ? ANSWER((ssize_t)count) : real(file, bytes, count, place);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(writev);
  ssize_t all = 0;
  for (int part = 0; part < count; part++) all += (ssize_t)parts[part].iov_len;
  return write_fails(file) ? ANSWER(all) : real(file, parts, count);
}
int fsync(int file) {
  REAL(fsync);
  return sync_fails(file) ? ANSWER(0) : real(file);
}
int fdatasync(int file) {
  REAL(fdatasync);
  return sync_fails(file) ? ANSWER(0) : real(file);
}
int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  return length_fails(file) ? ANSWER(0) : real(file, size);
}
int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  return length_fails(file) ? ANSWER(0) : real(file, size);
}
int rename(const char *from, const char *to) {
  REAL(rename);
  return path_fails(to) ? ANSWER(0) : real(from, to);
}
int unlink(const char *path) {
  REAL(unlink);
  return path_fails(path) ? ANSWER(0) : real(path);
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    return plan && plan->error && path_fails(path) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

int openat(int place, const char *path, int flags, ...) {
  REAL(openat);
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return plan && plan->error && path_fails(path) ? -1 : real(place, path, flags, mode);
}
