/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of a report as data: header, alignment and content of each column. Text, Markdown and
 * HTML share them; each column says in which of them it appears.
 */
#ifndef WEIR_REPORT_TABLES_TABLES_H
#define WEIR_REPORT_TABLES_TABLES_H

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

#define WEIR_CELL_NAME       1u /* a name from a profile: takes the remaining width, and is cut to it */
#define WEIR_CELL_SPARE      2u  /* left out if the names would be uncomfortably narrow */
#define WEIR_CELL_SPARE_LAST 4u  /* left out if the names would not fit */
#define WEIR_CELL_BOUND      8u  /* a bound, which may be coloured */
#define WEIR_CELL_SKETCH     16u /* a small histogram, which HTML draws */
#define WEIR_CELL_BELOW      32u /* HTML: a second line in the cell of the name, without a column */
#define WEIR_CELL_IF_ANY     64u /* left out if all rows are empty */

/* A column has a print function, a number and its unit, or the offset of a number. */
struct weir_column {
	const char *id; /* "p95"; class of its cells in HTML */
	const char *header;
	void (*head)(const struct weir_report *report,
	             struct weir_text *out); /* replaces `header`; NULL: it does not */
	const char *meaning;                 /* one line; NULL: the header is sufficient */
	enum weir_align align;
	unsigned in;    /* WEIR_IN_... */
	unsigned flags; /* WEIR_CELL_... */
	enum weir_unit unit;
	size_t offset; /* of the number in the struct of a row, if there is no function */
	double (*number)(const struct weir_report *report, size_t row); /* NAN prints as "-" */
	void (*print)(const struct weir_report *report, size_t row, struct weir_text *out);
};

#define WEIR_MAX_COLUMNS 20

struct weir_table {
	const char *id, *title;
	void (*heading)(const struct weir_report *report,
	                struct weir_text *out); /* replaces `title`; NULL: it does not */
	bool limited;                           /* shows only `top` rows */
	/* The rows that a limited table shows are those with the largest weights, in their order;
	 * NULL: the first ones. */
	double (*weight)(const struct weir_report *report, size_t row);
	unsigned left_out; /* WEIR_IN_...: formats without this table */
	size_t (*rows)(const struct weir_report *report);
	const void *(*row)(const struct weir_report *report, size_t row); /* the struct of a row */
	bool (*holds)(const struct weir_report *report, size_t row);      /* NULL: every row */
	struct weir_column
		columns[WEIR_MAX_COLUMNS]; /* ends with a NULL id; the first one holds the names */
};

extern const struct weir_table weir_table_map, weir_table_counted, weir_table_stages,
	weir_table_operators, weir_table_graphs, weir_table_positions, weir_table_worst,
	weir_table_ranks, weir_table_engines, weir_table_phases;

extern const struct weir_table *const weir_tables[]; /* in output order; ends with NULL */

/* The rows that a table shows, as numbers for the functions of its columns. */
struct weir_rows {
	size_t *at, count;
};

/* Chooses at most `limit` rows of a limited table. Returns how many there are in all. Free with
 * weir_rows_release().
 */
size_t weir_rows_choose(const struct weir_table *table, const struct weir_report *report,
                        size_t limit, struct weir_rows *out);
void weir_rows_release(struct weir_rows *rows);

void weir_table_heading(const struct weir_table *table, const struct weir_report *report,
                        struct weir_text *out);
void weir_column_heading(const struct weir_column *column, const struct weir_report *report,
                         struct weir_text *out);
/* Returns false for a column that is left out if it is empty, and is empty. */
bool weir_column_has_content(const struct weir_table *table, const struct weir_column *column,
                             const struct weir_report *report, const struct weir_rows *rows);
/* Returns the figure of a cell; NAN if it is not known or the column has none. */
double weir_column_figure(const struct weir_table *table, const struct weir_column *column,
                          const struct weir_report *report, size_t row);
/* Appends one cell as a plain text, safe on a terminal; names are not cut. */
void weir_column_print(const struct weir_table *table, const struct weir_column *column,
                       const struct weir_report *report, size_t row, struct weir_text *out);

#define WEIR_SKETCH_BINS 12

/*
 * Makes a histogram of a stage's samples from the smallest to p99, with levels from 0 (empty) to 8
 * (the fullest bin). Returns false if there are too few samples, or if all are equal.
 */
bool weir_sketch(const struct weir_stage_row *stage, unsigned level[WEIR_SKETCH_BINS]);

#endif
