/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes pseudo-random pages of a counter profiler: launches of a few kernels in several shapes,
 * with and without identity, with figures that are missing, rounded or on a limit, and with
 * findings.
 */
#ifndef WEIR_TESTS_UNIT_RANDOM_COUNTERS_H
#define WEIR_TESTS_UNIT_RANDOM_COUNTERS_H

#include "engine/model/counters.h"

/* state is the state of next_number() in near.h. */
struct weir_counters *random_counters(uint64_t *state);

#endif
