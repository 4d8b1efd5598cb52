#define _GNU_SOURCE
#include "CFileBirth.h"

#include <fcntl.h>
#include <sys/stat.h>

int64_t brume_file_birth(const char *path) {
#if defined(__APPLE__)
  struct stat found;
  if (stat(path, &found) != 0) return 0;
  return found.st_birthtimespec.tv_sec * INT64_C(1000000000) + found.st_birthtimespec.tv_nsec;
#elif defined(STATX_BTIME)
  struct statx found;
  if (statx(AT_FDCWD, path, 0, STATX_BTIME, &found) != 0) return 0;
  if (!(found.stx_mask & STATX_BTIME)) return 0;
  return found.stx_btime.tv_sec * INT64_C(1000000000) + found.stx_btime.tv_nsec;
#else
  return 0;
#endif
}
