// The clock and the chance of a simulation. These functions of the C library stand before the library's
// own in this program, so that whoever asks for the time or for random bytes, in our code, Foundation or
// Swift's runtime, gets what the seed says. Before `simulation_begin` they do what they always do.

#define _GNU_SOURCE
#include "simulation.h"
#include "state.h"

#include <fcntl.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/// 2026-11-20 12:00 UTC, in seconds.
#define WALL_START 1795176000LL

// Only the thread of the simulation: Dispatch has one of its own, which would spin on a clock that stands.
static _Thread_local bool is_simulated;
static int64_t now;
static uint64_t chance;

void simulation_take_over(void) {
  is_simulated = true;
  now = 0;
}

void simulation_set_chance(uint64_t seed) { chance = seed ^ 0xa0761d6478bd642f; }

void simulation_set(int64_t nanoseconds) { now = nanoseconds; }
int64_t simulation_now(void) { return now; }

static void fill(void *buffer, size_t count) {
  unsigned char *bytes = buffer;
  for (size_t index = 0; index < count; index++) bytes[index] = simulation_mixed(&chance) & 0xff;
}

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  result = x0;
#endif
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

/// Swift's runtime asks for random bytes by number.
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (is_simulated && number == SYS_getrandom) {
    fill((void *)a, (size_t)b);
    return b;
  }
  return system_call(number, a, b, c, d, e, f);
}

ssize_t getrandom(void *buffer, size_t count, unsigned flags) {
  return syscall(SYS_getrandom, (long)buffer, (long)count, (long)flags, 0L, 0L, 0L);
}

// Foundation makes a UUID from a device file that it opens, reads and closes each time. To it, the file has a number
// that the system never gives.
#define CHANCE_FILE (1 << 29)
static unsigned char chance_bytes[64];

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = va_arg(list, int);
  va_end(list);
  if (is_simulated && strcmp(path, "/dev/urandom") == 0) {
    fill(chance_bytes, sizeof chance_bytes);
    return CHANCE_FILE;
  }
  return (int)system_call(SYS_openat, AT_FDCWD, (long)path, flags, mode, 0, 0);
}

ssize_t read(int file, void *buffer, size_t count) {
  if (file != CHANCE_FILE) return system_call(SYS_read, file, (long)buffer, (long)count, 0, 0, 0);
  // Whoever asks for more than a UUID takes has to open it again.
  if (count > sizeof chance_bytes) count = sizeof chance_bytes;
  memcpy(buffer, chance_bytes, count);
  return (ssize_t)count;
}

int close(int file) {
  if (file == CHANCE_FILE) return 0;
  return (int)system_call(SYS_close, file, 0, 0, 0, 0, 0);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!is_simulated) return (int)system_call(SYS_clock_gettime, clock, (long)time, 0, 0, 0, 0);
  int64_t shown = now + (clock == CLOCK_REALTIME ? WALL_START * 1000000000LL : STEADY_START);
  time->tv_sec = shown / 1000000000LL;
  time->tv_nsec = shown % 1000000000LL;
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec shown;
  int result = clock_gettime(CLOCK_REALTIME, &shown);
  time->tv_sec = shown.tv_sec;
  time->tv_usec = shown.tv_nsec / 1000;
  return result;
}
