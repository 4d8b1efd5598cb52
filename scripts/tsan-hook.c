// Informs the Thread Sanitizer of orders that it cannot see, because the language's libraries are not built
// for it. `scripts/tsan` links this into the tests that it builds; nothing else does.
//
// - Jobs: the runtime announces by itself that who hands a job to an executor comes before the job, once it
//   is informed that there is a sanitizer. On Linux nobody informs it: the sanitizer is linked statically, and its
//   call finds its own empty function instead of the runtime's.
// - A Mutex: that who held it comes before who had to wait for it.
// - A continuation: that who resumes it comes before what the resumed task does, also if that is earlier
//   than the task waits. This is for the tests' own code, in which unsafe continuations are inlined; a
//   checked one that is resumed before its task waits is out of reach, inside the runtime.
//
// For the last two it stands before the runtime's own functions, calls them, and announces.
//
// That the orders are real and only unseen was shown by programs of a few lines (a counter in a Mutex under
// eight tasks; a variable that a queue's block sets before it resumes, read after the await): reported
// without this file, not with it, in ten runs of ten; while a program with a true race next to a Mutex is
// reported with it (Swift 6.3.1, x86-64).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SWIFT_ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address);
void __tsan_release(void *address);
SWIFT void *swift_task_getCurrent(void);

extern bool _swift_tsan_enabled;
extern void (*_swift_tsan_acquire)(void *);
extern void (*_swift_tsan_release)(void *);

__attribute__((constructor)) static void tell_the_runtime(void) {
  _swift_tsan_acquire = __tsan_acquire;
  _swift_tsan_release = __tsan_release;
  _swift_tsan_enabled = true;
}

static void *runtime(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

// A Mutex: the ways that are not inlined, for who has to wait and for who wakes somebody.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void hook_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void hook_lock(uint32_t thread, SELF void *mutex) {
  static SWIFT void (*original)(uint32_t, SELF void *);
  if (!original) original = runtime(LOCK);
  original(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void hook_unlock(SELF void *mutex) __asm__(UNLOCK);
SWIFT void hook_unlock(SELF void *mutex) {
  static SWIFT void (*original)(SELF void *);
  if (!original) original = runtime(UNLOCK);
  __tsan_release(mutex);
  original(mutex);
}

// A continuation is resumed: by its task's address.

SWIFT void swift_continuation_resume(void *task) {
  static SWIFT void (*original)(void *);
  if (!original) original = runtime("swift_continuation_resume");
  __tsan_release(task);
  original(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
  static SWIFT void (*original)(void *);
  if (!original) original = runtime("swift_continuation_throwingResume");
  __tsan_release(task);
  original(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
  static SWIFT void (*original)(void *, void *);
  if (!original) original = runtime("swift_continuation_throwingResumeWithError");
  __tsan_release(task);
  original(task, error);
}

// The task goes on: wherever that is, `resumed` stands before it. The lock here must not be one that the
// sanitizer sees, or it would order everything that awaits.

typedef SWIFT_ASYNC void (*Resume)(__attribute__((swift_async_context)) void *);
struct Context {
  void *parent;
  Resume resume;
};
#define PLACES 65536
#define USED_BEFORE ((void *)1)
static struct {
  void *context;
  Resume resume;
} waiting[PLACES];
static char taken;

static void enter(void) {
  while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE)) {
  }
}
static void leave(void) { __atomic_clear(&taken, __ATOMIC_RELEASE); }

static unsigned first_place(void *context) {
  return ((unsigned)((uintptr_t)context >> 4) * 2654435761u >> 16) % PLACES;
}

static SWIFT_ASYNC void resumed(__attribute__((swift_async_context)) void *context) {
  enter();
  unsigned place = first_place(context);
  for (unsigned seen = 0; waiting[place].context != context; place = (place + 1) % PLACES)
    if (++seen == PLACES) abort();
  Resume resume = waiting[place].resume;
  waiting[place].context = USED_BEFORE;
  leave();
  __tsan_acquire(swift_task_getCurrent());
  return resume(context);
}

SWIFT_ASYNC void swift_continuation_await(struct Context *context) {
  static SWIFT_ASYNC void (*original)(void *);
  if (!original) original = runtime("swift_continuation_await");
  enter();
  unsigned place = first_place(context);
  for (unsigned seen = 0; waiting[place].context > USED_BEFORE; place = (place + 1) % PLACES)
    if (++seen == PLACES) abort();
  waiting[place].context = context;
  waiting[place].resume = context->resume;
  context->resume = resumed;
  leave();
  return original(context);
}
