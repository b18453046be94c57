/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of unchanged runs against each other: how a gate's false-alarm rate is measured on the runs
 * it has. */
#ifndef WEIR_ANALYSIS_TRIAL_H
#define WEIR_ANALYSIS_TRIAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Shuffles 0 .. count-1 into `order` (Fisher and Yates), the same way for the same seed and draw:
 * the first runs of a draw play the baseline, the next the candidate.
 */
void weir_trial_draw(uint64_t seed, uint64_t draw, size_t count, size_t *order);

/* 95 % interval of a rate of `hits` in `trials` (E. B. Wilson, JASA 22, 1927); NAN without trials.
 */
void weir_trial_interval(size_t hits, size_t trials, double *low, double *high);

#endif
