/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and checks of names, units and times, shared by the readers of benchmark programs. */
#ifndef WEIR_READERS_BENCHMARK_BENCHMARK_H
#define WEIR_READERS_BENCHMARK_BENCHMARK_H

#include "engine/base/json.h"
#include "engine/base/slice.h"
#include "engine/model/profile.h"

#define WEIR_BENCHMARK_MAX_NAMES   4096u      /* benchmarks of a run */
#define WEIR_BENCHMARK_MAX_NAME    1024u      /* bytes of a name */
#define WEIR_BENCHMARK_MAX_RUNS    10000u     /* runs of a file */
#define WEIR_BENCHMARK_MAX_LABELS  192u       /* labels of a run, statistics among them */
#define WEIR_BENCHMARK_MAX_SAMPLES (1u << 24) /* samples of a file that is not JSON */

/* Samples of a benchmark that a gate needs for its quantiles (docs/statistics.md, "samples per
 * run"). */
#define WEIR_BENCHMARK_MIN_SAMPLES 10u

/* Returns the nanoseconds of a unit: ns, us, ms or s; 0 if it is another one. */
double weir_benchmark_unit_ns(struct weir_slice unit);

/* Adds an empty series. Fails if the name is empty, too long or already there, or if the table is
 * full. */
enum weir_status weir_benchmark_add(struct weir_series_table *table, const char *name,
                                    struct weir_series **out, struct weir_error *err);

/* Appends a time in nanoseconds. A time that is not finite or not above 0 is left out and counted
 * as a warning. */
void weir_benchmark_push(struct weir_input *input, struct weir_series *series, double ns);
/* Appends each number of a list. Fails if the list holds anything else. */
enum weir_status weir_benchmark_push_list(struct weir_input *input, struct weir_series *series,
                                          const cJSON *list, double unit_ns,
                                          struct weir_error *err);

/* Adds a figure that stands for a benchmark without samples; its unit is ns. Fails as
 * weir_benchmark_add() does, or if the value is not above 0. */
enum weir_status weir_benchmark_figure(struct weir_input *input, const char *name, double ns,
                                       struct weir_error *err);

/* Sets the label "NAME/STATISTIC" to a statistic of a benchmark without samples, such as "mean_ns"
 * or "rounds". A label is not compared by a gate, which judges the median alone. Ignores NAN and
 * values below 0; counts statistics beyond the limit of labels as a warning. */
void weir_benchmark_statistic(struct weir_input *input, const char *name, const char *statistic,
                              double value);

/* Sets a label if the member of the object is a text of a usual length; object may be NULL. */
void weir_benchmark_label(struct weir_run *run, const char *label, const cJSON *object,
                          const char *key);

/* Calls `take` for each element of the list `key`, which must be objects. An error begins with the
 * place: "benchmarks[3]: ...". */
enum weir_status weir_benchmark_each(const cJSON *document, const char *key,
                                     enum weir_status (*take)(struct weir_input *input,
                                                              const cJSON *element,
                                                              struct weir_error *err),
                                     struct weir_input *input, struct weir_error *err);

/* Turns each benchmark of a run with fewer samples than WEIR_BENCHMARK_MIN_SAMPLES into a figure,
 * the median, with its mean, extremes and standard deviation as labels. A metric with few values
 * keeps their median. Warns if the run has figures. */
enum weir_status weir_benchmark_replace_few(struct weir_input *input, struct weir_run *run,
                                            struct weir_error *err);

/* Returns the run at a place of the chain of runs, and makes it if the chain ends there. Its label
 * "run" is the number, so that runs with equal values differ: a store keeps each run once. */
struct weir_run *weir_benchmark_run_at(struct weir_run **at, size_t number);

/* Removes series without values and counts the values of the input. Fails if nothing is left. */
enum weir_status weir_benchmark_finish(struct weir_input *input, struct weir_error *err);

#endif
