// What makes one process like another.

#define _GNU_SOURCE
#include "simulation.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

void simulation_make_repeatable(char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  // A thread of Dispatch that starts a program leaves all signals blocked in it, and a run that hangs is ended by one.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // A marker of its own: who runs it may have set the other one for himself.
  if (getenv("BRUME_SIMULATE")) {
    if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE))
      fputs("brume-simulate: addresses differ from run to run here (the system refuses to fix them): "
            "a seed may not repeat\n", stderr);
    return;
  }
  setenv("BRUME_SIMULATE", "1", 1);
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
  // Freed memory of any size is given again at once: a run is short, and allocates without an end.
  setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_max=65536:glibc.malloc.tcache_count=4000", 1);
  personality(ADDR_NO_RANDOMIZE);
  execv("/proc/self/exe", arguments);
  abort();
}

int simulation_fork(void) {
  fflush(stdout);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0) return child;
  // Who has stopped waiting for a run wants nothing of it any more, and one that hangs would go on for minutes.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  return 0;
}
