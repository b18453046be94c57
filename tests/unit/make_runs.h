/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as programs of a test want them: lognormal samples around a level, with an effect of the run
 * that all of its series share. The same seed gives the same runs. */
#ifndef WEIR_TESTS_MAKE_RUNS_H
#define WEIR_TESTS_MAKE_RUNS_H

#include <stdint.h>

#include "engine/analysis/compare/compare.h"

/* Fewer than 3 + 3 runs of each side are never needed; more than these never come. */
#define MOST_RUNS 16

struct runs {
	struct weir_run *base[MOST_RUNS], *head[MOST_RUNS];
	size_t base_count, head_count;
	uint64_t seed;
};

void runs_init(struct runs *runs, size_t base, size_t head, uint64_t seed);
void runs_release(struct runs *runs);

/* What a series is like. 0 leaves a field at its usual value. */
struct shape {
	double level;  /* ns of the median; 1e6 */
	double factor; /* of the candidate over the baseline; 1 */
	double within; /* standard deviation of the log within a run; 0.02 */
	double spread; /* the same between runs; 0.004 */
	size_t count;  /* iterations; 60 */
};

/* One value like the median of such a series: for series that are made by hand. */
double make_value(struct runs *runs, const struct shape *shape);
/* `count` values to a series of one run. */
void fill_series(struct runs *runs, struct weir_series *series, const struct shape *shape);

/* The series "NAME" of a table in every run of both sides. */
void add_stage(struct runs *runs, const char *name, struct shape shape);
void add_device(struct runs *runs, const char *name, struct shape shape);
void add_operator(struct runs *runs, const char *name, struct shape shape);
/* "STAGE/op00" and so on, with levels from 10 us on. */
void add_operators(struct runs *runs, const char *stage, size_t count, struct shape shape);
/* One number a run. */
void add_metric(struct runs *runs, const char *name, bool higher_is_better, struct shape shape);
/* Of one side only. */
void add_operator_to(struct runs *runs, bool head, const char *name, struct shape shape);

/* The configuration's part: the margins of the defaults, everything judged, no warm-up. */
extern const struct weir_compare_policy plain_policy;

/* weir_compare() with plain_policy; the result must be freed. */
struct weir_gate_result *compare_runs(const struct runs *runs);
struct weir_gate_result *compare_with(const struct weir_compare_input *input);
struct weir_compare_input input_of_runs(const struct runs *runs);

/* The row, which must be there. */
const struct weir_row *row_of(const struct weir_gate_result *result, const char *scope,
                              enum weir_metric metric);
/* NULL: there is none. */
const struct weir_row *find_row(const struct weir_gate_result *result, const char *scope,
                                enum weir_metric metric);
size_t count_outcomes(const struct weir_gate_result *result, enum weir_outcome outcome);

#endif
