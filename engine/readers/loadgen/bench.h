/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of benchmark results: one result object, member by member. */
#ifndef WEIR_READERS_BENCH_H
#define WEIR_READERS_BENCH_H

#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"

#define BENCH_MAX_REQUESTS (1u << 22) /* as many values as the store takes of one series */
#define BENCH_MAX_GAPS     (1u << 25)
/* Gaps between tokens that are kept of a run: a p99 then rests on ten thousand of them. */
#define BENCH_MAX_GAP_SAMPLES (1u << 20)
/* 104 days: exact in a double, and no time of a benchmark. */
#define BENCH_MAX_NS      (INT64_C(1) << 53)
#define BENCH_MAX_SCALARS 128
#define BENCH_MAX_LABELS  64
#define BENCH_LABEL_KEY   64 /* longer keys and texts are no labels */
#define BENCH_LABEL_TEXT  256
#define BENCH_SCALAR_NAME 32

#define BENCH_UNKNOWN (-1)

/* What jobs print around a result in their log. */
#define BENCH_LOG_BEGIN      "<<<RESULT_START>>>"
#define BENCH_LOG_END        "<<<RESULT_END>>>"
#define BENCH_MAX_LOG_RESULT (256u << 20)

/* What is one value a request, in the order of submission, but for the gaps. */
enum bench_list_id {
	BENCH_TTFTS,     /* ns */
	BENCH_OUTPUTS,   /* tokens */
	BENCH_ERRORS,    /* 1: failed */
	BENCH_STARTS,    /* ns on the client's clock */
	BENCH_GAP_ENDS,  /* of a request's gaps, the place behind the last one */
	BENCH_PARALLELS, /* lists up to here are of one length */
	BENCH_GAPS = BENCH_PARALLELS,
	BENCH_LATENCIES, /* ns, one an iteration of `vllm bench latency` */
	BENCH_LISTS
};

/* BENCH_UNKNOWN where the file has no usable value. */
struct bench_list {
	int64_t *value;
	size_t count, capacity;
	bool given;
};

/* A figure over all requests, wanted only where the stage it is about has no samples. */
struct bench_scalar {
	char name[BENCH_SCALAR_NAME];
	const char *stage, *unit; /* static */
	double value;
};

struct bench_reader {
	struct weir_input *input;
	struct weir_run *run; /* of the input */
	struct bench_list lists[BENCH_LISTS];
	struct bench_scalar scalars[BENCH_MAX_SCALARS];
	size_t scalar_count;
	/* As the result says; NAN: it does not. */
	double completed, failed, output_tokens, duration_s, requested_per_s;
	/* What checks found: answers that came whole, chunks of several tokens. */
	bool whole, chunked;
};

/* A member of the result object: its label, figure or list. Unknown ones are passed over. */
enum weir_status weir_bench_member(struct bench_reader *reader,
                                   const struct weir_jsonscan_item *item, struct weir_error *err);
/* The gaps of one request. */
enum weir_status weir_bench_gaps(struct bench_reader *reader, const struct weir_jsonscan_item *item,
                                 struct weir_error *err);
/* A whole list of one value a request or iteration. */
enum weir_status weir_bench_list(struct bench_reader *reader, enum bench_list_id id,
                                 const struct weir_jsonscan_item *item, struct weir_error *err);
/* Fills the stages of the run from the lists, which are used up. */
enum weir_status weir_bench_stages(struct bench_reader *reader, struct weir_error *err);

/* Whether a request of a result with lists failed; the time from its first token to its last,
 * BENCH_UNKNOWN where it is not known. For lists of one length only. */
bool weir_bench_has_failed(const struct bench_reader *reader, size_t request);
int64_t weir_bench_decode_time(const struct bench_reader *reader, size_t request);

/*
 * What the lists and figures of a result say against each other: figures that are contradicted are
 * computed again or left out, and counted. The first before the stages are filled, the second
 * behind it.
 */
void weir_bench_check_lists(struct bench_reader *reader, size_t requests);
void weir_bench_check_figures(struct bench_reader *reader);

/* Whether a result is in this text behind a marker, and that result alone: fails where there is
 * none, no end of it, or another one. */
bool weir_bench_is_log(const char *head, size_t len);
enum weir_status weir_bench_extract(struct weir_source *source, struct weir_text *result,
                                    struct weir_error *err);

/* One value that is no number where one belongs. */
void weir_bench_odd(struct bench_reader *reader, uint64_t at);

#endif
