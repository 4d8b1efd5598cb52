// Finds libpq and its functions, once.
#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

struct brume_postgres_library brume_postgres_library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;
// The problem with what the system said of it.
static char text[1024];

#ifdef __APPLE__
static const char *const names[] = {
    "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#define INSTALL "brew install libpq"
#else
static const char *const names[] = {"libpq.so.5"};
#define INSTALL                                                                                       \
  "Debian and Ubuntu: sudo apt-get install libpq5, Fedora: sudo dnf install libpq; without the right to, put "  \
  "libpq.so.5 and what it needs into a folder of your own, and name that in LD_LIBRARY_PATH"
#endif

static void load(void) {
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(text, sizeof text,
             "PostgreSQL's client library, libpq, cannot be loaded (%s); install it (" INSTALL ")",
             reason ? reason : "no reason is known");
    problem = text;
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
