// One thread, one clock, one source of chance for a whole process: see scheduler.c and chance.c.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Takes over Swift's executors, the clock and chance. Everything that follows is decided by the seed.
void simulation_begin(uint64_t seed);

/// From now on the choices, and the chance that the process is given, are those of another seed.
void simulation_draw(uint64_t seed);

/// Runs one job that is ready, whichever the seed picks; when none is, lets time pass until the next
/// sleep ends. False: there is neither a job nor a sleep.
bool simulation_step(void);

/// Nanoseconds since `simulation_begin`.
int64_t simulation_now(void);

/// How many jobs have run.
uint64_t simulation_steps(void);

/// A digest of every choice so far, and of what was noted.
uint64_t simulation_trace(void);

/// Makes bytes a part of the digest.
void simulation_note(const void *bytes, size_t count);

/// `fork`, which Swift does not offer: the process has one thread. The new process ends with this one.
int simulation_fork(void);

/// Starts the program once more with the same order of dictionaries and the same addresses in each
/// process, unless it was: nothing of a run may depend on either.
void simulation_make_repeatable(char **arguments);
