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
	32u /* HTML: a second line in the cell of the names, no column of its own                  \
	     */

/* A column has either a number and its unit, or a printer of its own. */
struct weir_column {
	const char *id; /* "p95"; class of its cells in HTML */
	const char *header;
	const char *meaning; /* one line; NULL: the header says it all */
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
	bool limited; /* shows the first `top` rows */
	size_t (*rows)(const struct weir_report *report);
	struct weir_column
		columns[WEIR_MAX_COLUMNS]; /* ends with a NULL id; the first holds the names */
};

extern const struct weir_table weir_tables[]; /* stages, operators, ranks; ends with a NULL id */

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
