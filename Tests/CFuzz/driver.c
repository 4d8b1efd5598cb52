// The one place where libFuzzer is named. The reference is weak, so that the program is also built without it.

#include "fuzz.h"

extern int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*one)(const uint8_t *, size_t))
  __attribute__((weak));

int fuzz_run(int count, char **arguments, int (*one)(const uint8_t *, size_t)) {
  if (!LLVMFuzzerRunDriver) return -1;
  return LLVMFuzzerRunDriver(&count, &arguments, one);
}
