/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Joins the results of several benchmarks in one file into one run. The figures and samples of each
 * result get a prefix that names its load: "request_rate@4/mean_ttft_ms". They are never pooled,
 * because requests under different loads are not one population. The first labels that differ
 * distinguish results of the same load ("request_rate@4/framework@sgl/"), else a number ("#2").
 * Counts and durations of each result are labels under its name ("request_rate@4/failed").
 * With `all_labels`, each label that differs is in the names of all results. Headings of the text
 * distinguish results that no label of all results does ("request_rate@4/heading@main/").
 * If each load was measured equally often, more than once, each time is also a run.
 */
#ifndef WEIR_READERS_LOADGEN_LOAD_JOIN_H
#define WEIR_READERS_LOADGEN_LOAD_JOIN_H

#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/heading.h"

#define WEIR_LOAD_JOIN_MAX 256 /* results in one file */

/* Labels of a result that do not distinguish it from a repeat. */
#define WEIR_LOAD_COMPLETED  "completed"  /* requests */
#define WEIR_LOAD_FAILED     "failed"     /* requests */
#define WEIR_LOAD_GOOD       "good"       /* requests that met their targets */
#define WEIR_LOAD_DURATION   "duration_s" /* of the load */
#define WEIR_LOAD_ITERATIONS "iterations" /* inferences */
#define WEIR_LOAD_COMPILE    "compile_ms" /* time to compile the model before */

/* The program that measured a result, where one reader reads results of several. The second one
 * times a batch in the engine, without a server. */
#define WEIR_LOAD_BENCHMARK    "benchmark"
#define WEIR_LOAD_VLLM_LATENCY "vllm bench latency"

/* Starts as zeros. Owns the runs. */
struct weir_load_join {
	struct weir_run **runs;
	struct weir_heading *headings; /* of the runs, in the same order */
	size_t count, capacity, heading_capacity;
	size_t empty;    /* results without a completed request */
	double failed;   /* requests of those */
	bool unlike;     /* results of one name may be of several loads, and are no repeats */
	bool all_labels; /* name every label that differs between any two results */
};

/* Adds the run of a result, in the order of the file. Owns it afterwards, also if it fails:
 * WEIR_E_LIMIT if there are too many. */
enum weir_status weir_load_join_add(struct weir_load_join *join, struct weir_run *run,
                                    struct weir_error *err);
/* Ends a result that has a summary: its run takes the figures and joins the others, unless no
 * request completed in it. Owns the run afterwards, also if it fails. */
enum weir_status weir_load_join_end(struct weir_load_join *join,
                                    struct weir_client_summary *summary, struct weir_run *run,
                                    struct weir_input *input, struct weir_error *err);
/* Notes the heading of the text above the result that was added last. */
void weir_load_join_head(struct weir_load_join *join, const struct weir_heading *heading);
/* Counts a result without a completed request, which has no figures. */
void weir_load_join_skip(struct weir_load_join *join, const struct weir_client_summary *summary);
/* Gives the input the joined run: the only run as it is, or all under their names with the labels
 * that they share; and the repeats. There must have been a result. Fails if no request completed in
 * any of them, or with WEIR_E_LIMIT if there are too many figures. */
enum weir_status weir_load_join_finish(struct weir_load_join *join, struct weir_input *input,
                                       struct weir_error *err);
/* Labels the results of a log with their numbers ("result"), if there are several: nothing else may
 * tell them apart. */
void weir_load_join_number(struct weir_load_join *join);
/* Finishes results that have figures alone, with a warning that they are no samples. */
enum weir_status weir_load_join_finish_figures(struct weir_load_join *join,
                                               struct weir_input *input, struct weir_error *err);
void weir_load_join_release(struct weir_load_join *join);

#endif
