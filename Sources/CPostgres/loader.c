// Finds libpq and its functions, once.
#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

struct brume_postgres_library brume_postgres_library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

#ifdef __APPLE__
static const char *const names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const names[] = {"libpq.so.5"};
#endif

static void load(void) {
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = "PostgreSQL's client library, libpq, is not on this machine; install it (Debian and Ubuntu: "
              "apt-get install libpq5, Homebrew: brew install libpq)";
    return;
  }
#define FIND(RESULT, NAME, PARAMETERS, ARGUMENTS)                                                     \
  *(void **)&brume_postgres_library.NAME = dlsym(library, #NAME);                                     \
  if (!brume_postgres_library.NAME)                                                                   \
    problem = "this machine's libpq is older than PostgreSQL 14 and has no " #NAME "; install a newer one";
  BRUME_POSTGRES_CALLS(FIND)
}

const char *brume_postgres_problem(void) {
  pthread_once(&once, load);
  return problem;
}
