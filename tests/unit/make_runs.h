/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs for tests: lognormal samples around a level, with an effect of the run that all of its
 * series share. The same seed gives the same runs. */
#ifndef WEIR_TESTS_UNIT_MAKE_RUNS_H
#define WEIR_TESTS_UNIT_MAKE_RUNS_H

#include <stdint.h>

#include "engine/analysis/compare/compare.h"

/* Runs per side at most. */
#define MOST_RUNS 16

struct runs {
	struct weir_run *base[MOST_RUNS], *head[MOST_RUNS];
	size_t base_count, head_count;
	uint64_t seed;
};

void runs_init(struct runs *runs, size_t base, size_t head, uint64_t seed);
void runs_release(struct runs *runs);

/* The distribution of a series. 0 selects the default of a field. */
struct shape {
	double level;  /* median in ns; 1e6 */
	double factor; /* candidate over baseline; 1 */
	double within; /* standard deviation of the log within a run; 0.02 */
	double spread; /* standard deviation of the log between runs; 0.004 */
	size_t count;  /* iterations; 60 */
};

/* Returns one value with the distribution of the medians. */
double make_value(struct runs *runs, const struct shape *shape);
/* Adds shape->count values to a series of one run. */
void fill_series(struct runs *runs, struct weir_series *series, const struct shape *shape);

/* Add a series to every run of both sides. */
void add_stage(struct runs *runs, const char *name, struct shape shape);
void add_device(struct runs *runs, const char *name, struct shape shape);
void add_operator(struct runs *runs, const char *name, struct shape shape);
/* Adds "STAGE/op00" and so on, with levels from 10 us upwards. */
void add_operators(struct runs *runs, const char *stage, size_t count, struct shape shape);
/* Adds one number per run. */
void add_metric(struct runs *runs, const char *name, bool higher_is_better, struct shape shape);
/* Adds an operator to one side only. */
void add_operator_to(struct runs *runs, bool head, const char *name, struct shape shape);

/* A configuration with default margins, which judges everything and has no warm-up. */
extern const struct weir_compare_policy plain_policy;

/* weir_compare() with plain_policy; free the result. */
struct weir_gate_result *compare_runs(const struct runs *runs);
struct weir_gate_result *compare_with(const struct weir_compare_input *input);
struct weir_compare_input input_of_runs(const struct runs *runs);

/* Returns the row; fails the test if there is no such row. */
const struct weir_row *row_of(const struct weir_gate_result *result, const char *scope,
                              enum weir_metric metric);
/* Returns the row; NULL: no such row. */
const struct weir_row *find_row(const struct weir_gate_result *result, const char *scope,
                                enum weir_metric metric);
size_t count_outcomes(const struct weir_gate_result *result, enum weir_outcome outcome);

#endif
