#include "CMemoryArenas.h"

#if defined(__GLIBC__) || defined(__linux__)
#include <features.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Pieces from so many bytes on go back to the system as soon as they are freed: a record of its largest size, an
// answer of many megabytes. Left to itself, the library raises its bound to the largest piece that was ever
// freed; from then on large pieces lie among small ones, which keep the space around them.
enum { LARGE_BYTES = 512 << 10, KEPT_BYTES = 4 << 20 };

void brume_limit_memory_arenas(int most) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, most);
  mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#else
  (void)most;
#endif
}
