/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a load generator says of one run under one load, as means and percentiles: the common shape
 * of the summaries of serving benchmarks. Readers fill it from tables of where their report says
 * what; names, units and directions of the figures, and the checks that every summary of a client
 * needs, are here. Unknown is NAN. Owns nothing.
 */
#ifndef WEIR_READERS_CLIENT_SUMMARY_H
#define WEIR_READERS_CLIENT_SUMMARY_H

#include "engine/model/profile.h"
#include "engine/readers/parts/jsonleaves.h"

/* Milliseconds. */
struct weir_client_times {
	double mean, median, p90, p95, p99;
};

struct weir_client_summary {
	struct weir_client_times e2e, ttft;
	struct weir_client_times tpot;  /* (end to end - first token) / (output tokens - 1) */
	struct weir_client_times itl;   /* gaps between outputs */
	struct weir_client_times ntpot; /* end to end / output tokens, first token included */
	struct weir_client_times queue; /* from when a request was due to when it was sent */

	double sent, completed, failed;
	double output_tokens;                   /* mean of a request */
	double requested_per_s, achieved_per_s; /* of the load, not of the answers */

	double request_throughput, request_goodput;                   /* 1/s */
	double input_throughput, output_throughput, total_throughput; /* tokens/s */
	double output_throughput_per_user, output_throughput_per_gpu; /* tokens/s */
};

/* One place of a report: the path of a number, or of an object of statistics. */
struct weir_client_row {
	const char *path;
	size_t slot;  /* offsetof() in the summary: of a double, or of a struct weir_client_times */
	double scale; /* what makes the report's unit ours */
	bool times;
};

#define WEIR_CLIENT_TIMES(field, path, scale)                                                      \
	{                                                                                          \
		path, offsetof(struct weir_client_summary, field), scale, true                     \
	}
#define WEIR_CLIENT_NUMBER(field, path)                                                            \
	{                                                                                          \
		path, offsetof(struct weir_client_summary, field), 1, false                        \
	}

/* Where a report says what the run was under. */
struct weir_client_label {
	const char *path, *key;
};

void weir_client_summary_init(struct weir_client_summary *summary);

/* Takes a leaf that a row (ended by a NULL path) names; the first of several values counts. Names
 * of statistics: mean (average, avg), median (p50), p90, p95, p99. *odd is set where it is no
 * number. */
void weir_client_summary_take(struct weir_client_summary *summary,
                              const struct weir_client_row *rows, const struct weir_jsonleaf *leaf,
                              bool *odd);
void weir_client_summary_label(struct weir_run *run, const struct weir_client_label *labels,
                               const struct weir_jsonleaf *leaf);

/*
 * The checks: a time an output token that contradicts end to end time, first token and length is
 * computed again; gaps between chunks that hold several tokens, and a "first token" that is the
 * whole answer, are left out; less load than asked for and failed requests are said. Each is a
 * warning. Refuses a run in which nothing completed.
 */
enum weir_status weir_client_summary_check(struct weir_client_summary *summary,
                                           struct weir_input *input, struct weir_error *err);

/* The end of reading a summary that is all of a run: checks it and puts its figures into the
 * input's run, with a warning that they are no samples. WEIR_E_EMPTY where none of them is a time
 * or a rate; `expected` says where they are. */
enum weir_status weir_client_summary_conclude(struct weir_client_summary *summary,
                                              struct weir_input *input, const char *expected,
                                              struct weir_error *err);

/* The figures of the run; prefix ("constant@2/", "") goes before each name. */
void weir_client_summary_add(const struct weir_client_summary *summary, const char *prefix,
                             struct weir_run *run);

/* Counts `count` warnings at once; none where it is below 1 or unknown. */
void weir_client_summary_warn(struct weir_input *input, enum weir_warning_code code, double count);

/* ---- the rules by themselves, for readers that have samples ---- */

/* Mean time an output token by the means of the rest; NAN where one is unknown or the answer is one
 * token. */
double weir_client_tpot(double e2e, double ttft, double output_tokens);
/* Whether two of one thing differ by more than 10 % of the second. */
bool weir_client_differs(double stated, double computed);
/* Whether less than 95 % of a load was reached. */
bool weir_client_missed_load(double requested_per_s, double achieved_per_s);
/* Whether gaps are those between chunks: most are next to nothing, and few hold the time. */
bool weir_client_coalesced(double median_gap, double mean_gap);
/* Whether what is called first token is the whole answer, as of an endpoint that does not stream.
 */
bool weir_client_is_whole(double ttft, double e2e, double output_tokens);

#endif
