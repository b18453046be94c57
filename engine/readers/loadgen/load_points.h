/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of load generators with a row a load point: under so many requests at once (or a second,
 * or with this configuration) the means and percentiles were these. All rows together are one run,
 * for they are compared as one: each figure becomes a metric that carries its load point in its
 * name, "concurrency@4/p95_latency_ms". A table of one row says its load point in labels instead.
 */
#ifndef WEIR_READERS_LOAD_POINTS_H
#define WEIR_READERS_LOAD_POINTS_H

#include "engine/base/slice.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"

enum weir_load_cells {
	WEIR_LOAD_NUMBER,
	WEIR_LOAD_MAX_OF_DEVICES, /* "id:value;id:value;" */
};

/* A column of figures. */
struct weir_load_column {
	const char *header; /* in any case of letters */
	const char *metric, *unit;
	double divisor; /* what makes the table's unit ours */
	bool higher_is_better;
	enum weir_load_cells cells;
};

/* A column that says under what the row was measured. */
struct weir_load_key {
	const char *header;
	const char *name; /* "concurrency" for "concurrency@4/"; NULL: the text stands for itself */
	const char *label; /* where there is one row; NULL: none */
	bool ordinal;      /* texts by the order in which they appear: ids of hosts are private */
};

/* Tables end with a NULL header. */
struct weir_load_table {
	const struct weir_load_key *keys;
	const struct weir_load_column *columns;
	const char *percentile;    /* what follows "p99" in headers: " latency" */
	double percentile_divisor; /* to milliseconds */
	const char *throughput;    /* header of the column that is 0 where nothing completed */
	const char *expected;      /* for the error that finds no figure */
};

/* Gives the input a run. What is no row of the table is left out and counted. */
enum weir_status weir_load_points_read(const struct weir_load_table *table,
                                       struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err);

/* For sniffers: the cells of the first line that is not blank, at most `max`; 0 where the head has
 * no whole line. */
size_t weir_load_points_header(const char *head, size_t len, struct weir_slice *cells, size_t max);

#endif
