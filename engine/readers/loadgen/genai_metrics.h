/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of metrics in summaries of GenAI-Perf and AIPerf, their statistics and units, and
 * numbers as tables write them. The JSON, the CSV and the printed table share them.
 */
#ifndef WEIR_READERS_LOADGEN_GENAI_METRICS_H
#define WEIR_READERS_LOADGEN_GENAI_METRICS_H

#include "engine/readers/loadgen/client_summary.h"

#define WEIR_GENAI_COLUMNS     64
#define WEIR_GENAI_COLUMN_NAME 8
#define WEIR_GENAI_ROUNDING    0.005 /* tables have two decimals */

enum weir_genai_kind {
	WEIR_GENAI_TIMES,   /* all statistics, in ms */
	WEIR_GENAI_SECONDS, /* the mean, in s */
	WEIR_GENAI_RATE,    /* the mean, per second */
	WEIR_GENAI_COUNT,   /* the mean */
	WEIR_GENAI_SIGNED,  /* the mean, which may be below 0 */
};

struct weir_genai_metric {
	const char *name;
	enum weir_genai_kind kind;
	size_t slot; /* in the summary */
};

/* One number of the summary. */
struct weir_genai_statistic {
	const struct weir_genai_metric *metric;
	struct weir_slice name, unit; /* "p99", "ms" */
	double value;                 /* NAN: unknown */
	uint64_t at;                  /* byte after decompression */
};

struct weir_genai_reading {
	struct weir_input *input;
	struct weir_client_summary summary;
};

/* A table of statistics. No columns: no table yet, or one that is not wanted. */
struct weir_genai_table {
	/* "": not wanted, and the metric's column */
	char statistics[WEIR_GENAI_COLUMNS][WEIR_GENAI_COLUMN_NAME];
	size_t columns;
};

/* Finds a metric by its name in JSON ("request_latency") or in a table ("Request Latency"). NULL:
 * it is not one that is read. */
const struct weir_genai_metric *weir_genai_metric_find(struct weir_slice name);
/* True for the name of a statistic, also of those that are not read: low percentiles do not tell
 * about waiting, and a spread is neither better nor worse. */
bool weir_genai_is_statistic(struct weir_slice name);
/* Takes a number into the summary; warns if it is below 0, repeated, or in an unknown unit. */
void weir_genai_take_statistic(struct weir_genai_reading *reading,
                               const struct weir_genai_statistic *statistic);
/* Parses "1,234.56". NAN if the cell says that there is no value; *odd: it is malformed. */
double weir_genai_parse_number(struct weir_slice cell, bool *odd);
/* Removes and returns the unit of "Request Latency (ms)"; empty: no unit. */
struct weir_slice weir_genai_split_unit(struct weir_slice *name);
/* Finds the load in the options of a command, "--concurrency 8" or "--request-rate=2.5": its label
 * and its value. Returns false without one, and for a range of several loads, "1:8". */
bool weir_genai_find_load(struct weir_slice command, const char **label, struct weir_slice *value);

#endif
