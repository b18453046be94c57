/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated gates with a known truth: operators with autocorrelated, heavy-tailed, bimodal and
 * quantised durations in microseconds, warm-up, bursts, and effects of the run, half of them common
 * to all operators. This is the generator of docs/statistics.md, section 6; baseline and candidate
 * do not differ.
 */
#ifndef WEIR_TESTS_BENCH_SIMULATE_H
#define WEIR_TESTS_BENCH_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

struct simulation; /* one gate */

/* sigma: standard deviation of the run effects, 0.01 for 1 %. */
struct simulation *simulation_new(uint64_t seed, size_t runs, size_t samples, double sigma);
void simulation_free(struct simulation *simulation);

/* Draws the next operator. out is [run][sample]; returns the step of its timer in us. */
double simulation_next(struct simulation *simulation, double *out);

#endif
