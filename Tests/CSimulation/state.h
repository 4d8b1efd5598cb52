// What scheduler.c and chance.c share.
#pragma once
#include <stdint.h>

/// What the steady clock shows at the beginning, in nanoseconds: no clock begins at zero.
#define STEADY_START 1000000000000LL

void simulation_take_over(void);
void simulation_set_chance(uint64_t seed);
void simulation_set(int64_t nanoseconds);
uint64_t simulation_mixed(uint64_t *state);
