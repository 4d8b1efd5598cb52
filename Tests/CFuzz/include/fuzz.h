// libFuzzer, where it was linked: see driver.c.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Hands the process over to libFuzzer with the arguments that it understands. It returns its status, or -1 where
/// it is not linked: ordinary builds have no fuzzer, `scripts/fuzz` links it.
int fuzz_run(int count, char **arguments, int (*one)(const uint8_t *, size_t));
