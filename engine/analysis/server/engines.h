/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of each engine of a server in order of time, from logs and from metrics pages. Logs and
 * pages are kept apart, because both describe the same requests. Everything lives in an arena.
 */
#ifndef WEIR_ANALYSIS_SERVER_ENGINES_H
#define WEIR_ANALYSIS_SERVER_ENGINES_H

#include "engine/base/arena.h"
#include "engine/model/profile.h"
#include "engine/model/server_figures.h"

#define WEIR_MAX_ENGINES 1024 /* further engines are left out */

/* Rows further apart than this describe different situations. */
#define WEIR_FAR_APART_NS (INT64_C(3600) * 1000000000)
/* A gap of more than this many median intervals is a hole in the record. */
#define WEIR_GAP_INTERVALS 20

/* Sums over the time of an engine's rows; of pages, over all segments between restarts. NAN:
 * unknown. */
enum weir_engine_total {
	WEIR_TOTAL_REQUESTS,
	WEIR_TOTAL_PROMPT,
	WEIR_TOTAL_OUTPUT,
	WEIR_TOTAL_PREEMPTED,
	WEIR_TOTAL_QUERIES, /* tokens looked up in the prefix cache */
	WEIR_TOTAL_HITS,
	WEIR_TOTAL_DRAFTS,
	WEIR_TOTAL_DRAFTED,
	WEIR_TOTAL_ACCEPTED,
	WEIR_TOTAL_QUEUE_NS,   /* time of requests in the queue */
	WEIR_TOTAL_LATENCY_NS, /* whole time of requests */
	WEIR_TOTAL_LATENCIES,
	WEIR_TOTAL_FIRST_NS, /* time of requests up to their first token */
	WEIR_TOTAL_FIRSTS,
	WEIR_TOTAL_TRANSFER_NS,
	WEIR_TOTAL_TRANSFERS,
	WEIR_TOTAL_TRANSFER_BYTES,
	WEIR_TOTAL_TRANSFERS_FAILED,
	WEIR_TOTAL_TRANSFERS_EXPIRED,
	WEIR_TOTAL_EXTERNAL_QUERIES, /* tokens looked up in caches of other engines */
	WEIR_TOTAL_EXTERNAL_HITS,
	WEIR_TOTAL_MEDIA_QUERIES, /* inputs looked up in the cache of images and the like */
	WEIR_TOTAL_MEDIA_HITS,
	WEIR_TOTAL_COUNT
};

struct weir_server_engine {
	const char *name;
	const char *product; /* static */
	bool sglang;         /* a row of prompts does not count them as running */
	bool pages;
	bool timed; /* every row has a time */
	enum weir_server_clock clock;
	struct weir_server_settings settings;
	const struct weir_server_row **rows; /* in order of time */
	/* Time that a row stands for; without times 1. An interval among steps reaches back to the
	 * interval before it: both then cover the same time. */
	double *seconds;
	double idle_s; /* time between steps */
	double span_s; /* time that the totals cover; NAN: unknown */
	size_t count;
	double total[WEIR_TOTAL_COUNT];
	double position[WEIR_MAX_DRAFT_POSITIONS]; /* accepted tokens */
	size_t positions;
	struct weir_wait_reason reasons[WEIR_MAX_WAIT_REASONS]; /* sums over the pages */
	size_t reason_count;
	double transfer_waiting; /* mean over the pages; NAN */
	double accept_length;    /* mean over the pages; NAN */
	/* LoRA adapters at the last page; NAN: not stated. */
	double adapters_running, adapters_waiting, adapters_max;
	uint64_t restarts, gaps;
	bool far_apart;
	int64_t longest_gap_ns;
};

struct weir_engines {
	struct weir_arena *arena;
	struct weir_server_engine *items; /* sorted by name and first time */
	size_t count, capacity;
	/* Items behind the engines: totals that a server states for several of them together. Their
	 * rows state rates only. */
	size_t shared_count;
	uint64_t left_out;
};

/* Collects the engines of all logs, or of all pages. Release them. */
void weir_engines_of_logs(struct weir_engines *engines, const struct weir_profile *profile,
                          struct weir_arena *arena);
void weir_engines_of_pages(struct weir_engines *engines, const struct weir_profile *profile,
                           struct weir_arena *arena);
void weir_engines_release(struct weir_engines *engines);

/* Appends an engine in which everything is unknown; NULL: there are too many. */
struct weir_server_engine *weir_engines_add(struct weir_engines *engines);
/* Sets the time that each row stands for, and counts gaps. The rows must be sorted. */
void weir_engine_weigh(struct weir_server_engine *engine, struct weir_arena *arena);
/* Returns the time that the decode rate of a row covers: since the last row with one, *last, which
 * it sets (SIZE_MAX: none yet). NAN: the row states no rate. */
double weir_engine_rate_seconds(const struct weir_server_engine *engine, size_t row, size_t *last);
/* Sorts the engines, so that the order of the inputs does not matter. */
void weir_engines_sort(struct weir_engines *engines);

/* Returns a number of a row; NAN: it is -1, not stated. */
double weir_known_count(int64_t value);
/* Adds a value to a sum that may be unknown; an unknown value adds nothing. */
void weir_add_known(double *sum, double value);

#endif
