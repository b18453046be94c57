/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conjectures that silences of a host thread are waits for Python's interpreter lock, which leave
 * no event in a profile.
 *
 * CPython: a thread that wants the lock waits for 5 ms (sys.setswitchinterval), then asks the
 * holder to drop it at its next bytecode; if a third thread takes it meanwhile, it waits for 5 ms
 * more. Operators and driver calls of PyTorch give the lock up, so that a thread that computes in
 * Python delays the one that launches at many places, by a little more than a multiple of 5 ms
 * each time: 5.1 to 5.3 ms, 10.2 to 10.4 ms and so on in a measured program, with 95 % of its
 * silent time in such waits at 30 places.
 *
 * A program that sleeps, polls or reads a device for 5 ms does so at one place, and other silences
 * have any length: a fifth of them meet a multiple by chance.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_LOCK_WAITS_H
#define WEIR_ANALYSIS_TIMELINE_LOCK_WAITS_H

#include <stdint.h>

#include "engine/analysis/timeline/pauses.h"

/* Fewer waits are no pattern. */
#define WEIR_LOCK_WAITS_FEWEST 10
/* Longer waits are not told from other silences: the lock changes hands sooner. */
#define WEIR_LOCK_WAIT_END_NS (INT64_C(8) * WEIR_PAUSE_SWITCH_NS)

/* Sets waits[i] to 1 for every leaf that is likely a wait for the lock, if such waits hold at
 * least half of the silent time of the thread, in silences of WEIR_PAUSE_LEAST_NS or more, and no
 * place holds more than half of them. Other entries stay. thread->silent marks the leaves in which
 * the thread may wait; only those of thread->lasting are read. */
void weir_lock_waits_find(const struct weir_pause_thread *thread, uint8_t *waits);

#endif
