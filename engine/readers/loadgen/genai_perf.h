/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the reader of GenAI-Perf's and AIPerf's summaries, which are alike: metrics with
 * their statistics, as a JSON object or as tables.
 */
#ifndef WEIR_READERS_GENAI_PERF_H
#define WEIR_READERS_GENAI_PERF_H

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"

/* What the summary said so far; NAN: nothing. */
struct genai_summary {
	struct weir_input *input;
	double requests, failed;
};

struct genai_metric;

/* By its name in JSON ("request_latency") or in a table ("Request Latency"); NULL: a metric that is
 * not wanted. */
const struct genai_metric *weir_genai_metric(struct weir_slice name);
/* Whether it is the name of a statistic: "avg", "p99". */
bool weir_genai_is_statistic(struct weir_slice name);

/* One number of the summary. */
struct genai_value {
	const struct genai_metric *metric;
	struct weir_slice statistic, unit;
	double value; /* NAN adds nothing */
	uint64_t at;  /* byte after decompression */
};

/* Puts it into the run of the input, in our units. What is negative, or in a unit that is none of
 * its metric, is left out and counted; so is what is given twice, after the first. */
void weir_genai_take(struct genai_summary *summary, const struct genai_value *value);

/* Tables of rows with a unit behind the name of their metric; other tables are passed over. */
enum weir_status weir_genai_read_csv(struct genai_summary *summary, struct weir_source *source,
                                     struct weir_error *err);
int weir_genai_sniff_csv(const char *head, size_t len);

#endif
