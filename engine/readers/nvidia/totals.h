/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums by name that profilers print as tables: kernels, copies, calls. They become figures of a
 * run: the total of each group, and the total and mean of each of its largest names.
 *
 *	totals = weir_totals_new();
 *	... weir_totals_add(&totals, &total);             for every row
 *	weir_totals_write(&totals, run);
 *	weir_totals_release(&totals);
 */
#ifndef WEIR_READERS_NVIDIA_TOTALS_H
#define WEIR_READERS_NVIDIA_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"
#include "engine/base/rowmap.h"
#include "engine/base/slice.h"
#include "engine/model/run.h"

struct weir_total_entry;

/* A row of a table. */
struct weir_total {
	unsigned order;         /* of the table: of tables with one group, the first is kept */
	const char *group;      /* "kernels"; static */
	bool bytes;             /* the sum is a size, else ns */
	bool apart;             /* other rows with this name are something else: it is shortened */
	bool nested;            /* rows hold the time of others: the group has no sum */
	bool missing;           /* time of rows that the file lacks; it counts in the total alone */
	struct weir_slice name; /* ends at its first zero byte */
	double sum, count;
};

struct weir_totals {
	struct weir_names *names;
	struct weir_total_entry *entries;
	size_t count, capacity;
	struct weir_rowmap by_name;
};

struct weir_totals weir_totals_new(void);
void weir_totals_release(struct weir_totals *totals);

/* True if a name at the end of a file seems complete: its brackets are closed, and a template has
 * its parameters behind it. */
bool weir_total_name_is_whole(struct weir_slice name);

/* Adds a row to the others of its table and name. False: there are too many names. */
bool weir_totals_add(struct weir_totals *totals, const struct weir_total *total);
/* Adds the figures to the run. Names that are equal after shortening get numbers: "NAME (2)". */
void weir_totals_write(struct weir_totals *totals, struct weir_run *run);

#endif
