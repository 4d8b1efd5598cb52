// Preloaded into a server by clocks.py: its wall clock shows another time, by as many nanoseconds as stand in a page of
// memory that the test shares. As when the system's clock is set, what only counts time (CLOCK_MONOTONIC) goes on.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static int64_t *offset;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("CLOCK_PAGE");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) offset = page;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  REAL(clock_gettime);
  int answer = real(clock, time);
  if (answer != 0 || !offset || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return answer;
  // The second number counts how often the clock was looked at: the test has to see that it was this one.
  __atomic_add_fetch(&offset[1], 1, __ATOMIC_RELAXED);
  int64_t shown = time->tv_sec * SECOND + time->tv_nsec + __atomic_load_n(&offset[0], __ATOMIC_SEQ_CST);
  time->tv_sec = shown / SECOND;
  time->tv_nsec = shown % SECOND;
  return 0;
}

int timespec_get(struct timespec *time, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

int gettimeofday(struct timeval *restrict shown, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  shown->tv_sec = now.tv_sec;
  shown->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}
