/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gates of which the truth is known: operators with autocorrelated, heavy-tailed, two-moded and
 * quantised durations in microseconds, warm-up, bursts, and effects of the run, half of them common
 * to all operators. The generator of docs/statistics.md, section 6; nothing here differs between
 * baseline and candidate.
 */
#ifndef WEIR_TESTS_SIMULATE_H
#define WEIR_TESTS_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

struct simulation; /* one gate */

/* sigma: standard deviation of the run effects, 0.01 for 1 %. */
struct simulation *simulation_new(uint64_t seed, size_t runs, size_t samples, double sigma);
void simulation_free(struct simulation *simulation);

/* The next operator: out is [run][sample]; returns its timer's step. */
double simulation_next(struct simulation *simulation, double *out);

#endif
