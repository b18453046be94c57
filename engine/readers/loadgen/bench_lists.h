/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lists in a result of a serving benchmark, with one value per request or per iteration: times
 * to first token, gaps between tokens, output lengths, errors. They become samples of stages.
 */
#ifndef WEIR_READERS_LOADGEN_BENCH_LISTS_H
#define WEIR_READERS_LOADGEN_BENCH_LISTS_H

#include "engine/base/jsonscan.h"
#include "engine/readers/loadgen/client_summary.h"

#define WEIR_BENCH_UNKNOWN (-1)
#define WEIR_BENCH_LISTS   7
#define WEIR_BENCH_GAPS                                                                            \
	"itls" /* key of the list of lists, whose lists are elements of the scan                   \
	        */

struct weir_bench_list {
	int64_t *value; /* WEIR_BENCH_UNKNOWN: the file has no usable one */
	size_t count, capacity;
	bool given;
};

/* Starts as zeros with an input; weir_bench_lists_release() frees the values. */
struct weir_bench_lists {
	struct weir_input *input; /* for warnings */
	struct weir_bench_list list[WEIR_BENCH_LISTS];
	size_t requests; /* values of each list of requests */
	bool whole;      /* each answer came in one piece */
	bool chunked;    /* gaps are those between chunks of several tokens */
	bool completed;  /* the result states that every request completed */
};

/* Takes a member of the result if it is one of the lists, and sets *status. Returns false if it is
 * another member. */
bool weir_bench_lists_take(struct weir_bench_lists *lists, const struct weir_jsonscan_item *item,
                           enum weir_status *status, struct weir_error *err);
/* Takes the gaps of one request: an element of WEIR_BENCH_GAPS. */
enum weir_status weir_bench_lists_take_gaps(struct weir_bench_lists *lists,
                                            const struct weir_jsonscan_item *item,
                                            struct weir_error *err);
/* Counts the requests and removes the figures that the lists contradict. Sets the rate at which
 * requests were sent and the number of failed ones. duration_s: of the benchmark; NAN: unknown.
 * Fails if the lists differ in length. */
enum weir_status weir_bench_lists_check(struct weir_bench_lists *lists, double duration_s,
                                        struct weir_client_summary *summary,
                                        struct weir_error *err);
/* Adds samples of the stages ttft, tpot, itl, e2e and latency. */
void weir_bench_lists_add(struct weir_bench_lists *lists, struct weir_run *run);
void weir_bench_lists_release(struct weir_bench_lists *lists);

#endif
