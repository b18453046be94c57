/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of a report as data: what each column is called, how it is aligned and what it prints.
 * Text, Markdown and HTML walk the same tables; a column says in which of them it appears.
 */
#ifndef WEIR_REPORT_TABLES_H
#define WEIR_REPORT_TABLES_H

#include "engine/base/text.h"
#include "engine/model/report.h"

enum weir_align {
	WEIR_ALIGN_LEFT,
	WEIR_ALIGN_RIGHT,
};

#define WEIR_IN_TEXT     1u
#define WEIR_IN_MARKDOWN 2u
#define WEIR_IN_HTML     4u
#define WEIR_IN_ALL      (WEIR_IN_TEXT | WEIR_IN_MARKDOWN | WEIR_IN_HTML)

#define WEIR_CELL_NAME                                                                             \
	1u /* from a profile: takes the width that is left, is cut where that is too little */
#define WEIR_CELL_SPARE      2u  /* left out where the names would get uncomfortably narrow */
#define WEIR_CELL_SPARE_LAST 4u  /* left out where the names would not fit at all */
#define WEIR_CELL_BOUND      8u  /* holds a bound: may be coloured */
#define WEIR_CELL_SKETCH     16u /* holds a small distribution: HTML draws it */
#define WEIR_CELL_BELOW                                                                            \
	32u                  /* HTML: a second line in the cell of the names, no column of its own \
	                      */
#define WEIR_CELL_IF_ANY 64u /* left out where no row has anything to say */

/* A column has either a number and its unit, or a printer of its own. */
struct weir_column {
	const char *id; /* "p95"; class of its cells in HTML */
	const char *header;
	void (*head)(const struct weir_report *report,
	             struct weir_text *out); /* in place of `header`; NULL: that */
	const char *meaning;                 /* one line; NULL: the header says it all */
	enum weir_align align;
	unsigned in;    /* WEIR_IN_... */
	unsigned flags; /* WEIR_CELL_... */
	enum weir_unit unit;
	double (*number)(const struct weir_report *report, size_t row); /* NAN prints "-" */
	void (*print)(const struct weir_report *report, size_t row, struct weir_text *out);
};

#define WEIR_MAX_COLUMNS 20

struct weir_table {
	const char *id, *title;
	void (*heading)(const struct weir_report *report,
	                struct weir_text *out); /* in place of `title`; NULL: that */
	bool limited;                           /* shows the first `top` rows */
	unsigned left_out;                      /* WEIR_IN_...: has no such table */
	size_t (*rows)(const struct weir_report *report);
	bool (*holds)(const struct weir_report *report, size_t row); /* NULL: every row */
	struct weir_column
		columns[WEIR_MAX_COLUMNS]; /* ends with a NULL id; the first holds the names */
};

extern const struct weir_table weir_table_map, weir_table_counted, weir_table_stages,
	weir_table_operators, weir_table_graphs, weir_table_positions, weir_table_ranks;

extern const struct weir_table *const weir_tables[]; /* in their order; ends with NULL */

/* The rows that a table shows, as the functions of its columns count them. */
struct weir_rows {
	size_t *at, count;
};

/* The first `limit` of them; returns how many there are. Free with weir_rows_release(). */
size_t weir_rows_choose(const struct weir_table *table, const struct weir_report *report,
                        size_t limit, struct weir_rows *out);
void weir_rows_release(struct weir_rows *rows);

void weir_table_heading(const struct weir_table *table, const struct weir_report *report,
                        struct weir_text *out);
void weir_column_heading(const struct weir_column *column, const struct weir_report *report,
                         struct weir_text *out);
/* False for a column that is to be left out where it would be empty, and would be. */
bool weir_column_has_content(const struct weir_column *column, const struct weir_report *report,
                             const struct weir_rows *rows);
/* One cell as a plain text, safe on a terminal; names are not cut. */
void weir_column_print(const struct weir_column *column, const struct weir_report *report,
                       size_t row, struct weir_text *out);

#define WEIR_SKETCH_BINS 12

/*
 * How the samples of a stage spread between the smallest and p99: levels 0 (none) to 8 (the fullest
 * bin). False where there are too few samples to draw, or all are equal.
 */
bool weir_sketch(const struct weir_stage_row *stage, unsigned level[WEIR_SKETCH_BINS]);

#endif
