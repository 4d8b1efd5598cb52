// What the files that embed a page's files have in common.
#include "BrumeConsole.h"
// #embed is C23, which the compiler has and SwiftPM cannot ask for.
#pragma clang diagnostic ignored "-Wc23-extensions"

// The function that answers the bytes of an array with its name.
#define ANSWER(file) \
  const unsigned char *brume_##file(size_t *length) { \
    *length = sizeof(file); \
    return file; \
  }
