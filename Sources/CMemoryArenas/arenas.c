#include "CMemoryArenas.h"

#if defined(__GLIBC__) || defined(__linux__)
#include <features.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

void brume_limit_memory_arenas(int most) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, most);
#else
  (void)most;
#endif
}
