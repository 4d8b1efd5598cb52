// The executor of a simulation. Swift's runtime hands every job that is ready, and every sleep, to the
// hooks below instead of to threads of its own. Which of the jobs that are ready runs next is drawn from
// the seed: that is how steps of different tasks overtake each other.

#define _GNU_SOURCE
#include "simulation.h"
#include "state.h"

#include <dlfcn.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))

typedef struct Job Job;
typedef SWIFT void (*Enqueue)(Job *);
typedef SWIFT void (*EnqueueLater)(unsigned long long, Job *);
typedef SWIFT void (*EnqueueAt)(long long, long long, long long, long long, int, Job *);

extern SWIFT void (*swift_task_enqueueGlobal_hook)(Job *, Enqueue);
extern SWIFT void (*swift_task_enqueueMainExecutor_hook)(Job *, Enqueue);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long, Job *, EnqueueLater);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(
  long long, long long, long long, long long, int, Job *, EnqueueAt);
extern SWIFT void swift_job_run(Job *, void *, void *);

typedef void (*Function)(void *);

typedef struct {
  Function function;
  void *context;
} Work;

typedef struct {
  int64_t time;
  Work work;
} Sleep;

static Work *ready;
static size_t ready_count, ready_room;
static Sleep *sleeps;
static size_t sleep_count, sleep_room;
static uint64_t steps, trace, picks;
static bool is_simulated;

static void *grown(void *list, size_t count, size_t *room, size_t size) {
  if (count < *room) return list;
  *room = *room ? *room * 2 : 64;
  list = realloc(list, *room * size);
  if (!list) abort();
  return list;
}

static void add(Work work) {
  ready = grown(ready, ready_count, &ready_room, sizeof *ready);
  ready[ready_count++] = work;
}

// The last of the list is the first to wake; of two at one time the one that came first.
static void add_sleep(int64_t time, Work work) {
  sleeps = grown(sleeps, sleep_count, &sleep_room, sizeof *sleeps);
  size_t place = sleep_count++;
  while (place > 0 && sleeps[place - 1].time <= time) {
    sleeps[place] = sleeps[place - 1];
    place--;
  }
  sleeps[place] = (Sleep){time, work};
}

static void run(void *job) { swift_job_run(job, NULL, NULL); }

static SWIFT void enqueue(Job *job, Enqueue original) { add((Work){run, job}); }

static SWIFT void enqueue_later(unsigned long long nanoseconds, Job *job, EnqueueLater original) {
  add_sleep(simulation_now() + (int64_t)nanoseconds, (Work){run, job});
}

static SWIFT void enqueue_at(
  long long seconds, long long nanoseconds, long long tolerance, long long rest, int clock, Job *job,
  EnqueueAt original
) {
  add_sleep(seconds * 1000000000LL + nanoseconds - STEADY_START, (Work){run, job});
}

// The runtime's executors for who asks them by name, as `Task.yield` does: they hand jobs to Dispatch,
// with these functions.

static Function original(const char *name) {
  Function function = (Function)dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

void dispatch_async_f(void *queue, void *context, Function function) {
  if (is_simulated) return add((Work){function, context});
  ((void (*)(void *, void *, Function))original("dispatch_async_f"))(queue, context, function);
}

void dispatch_after_f(uint64_t when, void *queue, void *context, Function function) {
  // The two highest bits say which clock it is; all but the wall clock show the same here.
  if (is_simulated && when >> 62 == 3) abort();
  if (is_simulated) return add_sleep((int64_t)(when & ~(3ULL << 62)) - STEADY_START, (Work){function, context});
  ((void (*)(uint64_t, void *, void *, Function))original("dispatch_after_f"))(
    when, queue, context, function);
}

static uint64_t mixed(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t simulation_mixed(uint64_t *state) { return mixed(state); }

static void digest(uint64_t word) { trace = (trace ^ word) * 0x100000001b3 ^ (trace >> 29); }

void simulation_note(const void *bytes, size_t count) {
  const unsigned char *each = bytes;
  for (size_t index = 0; index < count; index++) digest(each[index]);
}

void simulation_begin(uint64_t seed) {
  swift_task_enqueueGlobal_hook = enqueue;
  swift_task_enqueueMainExecutor_hook = enqueue;
  swift_task_enqueueGlobalWithDelay_hook = enqueue_later;
  swift_task_enqueueGlobalWithDeadline_hook = enqueue_at;
  // What an earlier run of the same process has left is never run.
  ready_count = sleep_count = 0;
  steps = 0;
  is_simulated = true;
  trace = 0xcbf29ce484222325;
  simulation_take_over();
  simulation_draw(seed);
}

void simulation_draw(uint64_t seed) {
  picks = seed ^ 0x5bf0363546294ce7;
  simulation_set_chance(seed);
}

bool simulation_step(void) {
  if (ready_count == 0) {
    if (sleep_count == 0) return false;
    Sleep next = sleeps[--sleep_count];
    if (next.time > simulation_now()) simulation_set(next.time);
    add(next.work);
    return true;
  }
  size_t index = ready_count == 1 ? 0 : mixed(&picks) % ready_count;
  digest(ready_count << 20 | index);
  Work work = ready[index];
  ready[index] = ready[--ready_count];
  steps++;
  work.function(work.context);
  return true;
}

uint64_t simulation_steps(void) { return steps; }
uint64_t simulation_trace(void) { return trace; }
