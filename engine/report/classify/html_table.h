/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a report as HTML. */
#ifndef WEIR_REPORT_CLASSIFY_HTML_TABLE_H
#define WEIR_REPORT_CLASSIFY_HTML_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/report/tables/tables.h"

/* A table and the columns that a page shows of it. */
struct weir_html_columns {
	const struct weir_table *table;
	const struct weir_report *report;
	/* Returns true if the row unfolds to a further one; then its name is a switch, and cells
	 * carry the values that they are sorted by. NULL: the table has no such rows. */
	bool (*folds)(const struct weir_report *report, size_t row);
	const struct weir_column *columns[WEIR_MAX_COLUMNS];
	size_t count;
};

void weir_html_columns_choose(struct weir_html_columns *page, const struct weir_rows *rows);
void weir_html_headers(const struct weir_html_columns *page, struct weir_text *out);
void weir_html_row(const struct weir_html_columns *page, size_t row, struct weir_text *out);
/* Opens the card of a table and writes its heading. */
void weir_html_title(const struct weir_table *table, const struct weir_report *report,
                     struct weir_text *out);

/* Writes the content of a card above its table. */
typedef void weir_html_above(const struct weir_report *report, struct weir_text *out);

/* Writes a table in its card; nothing if it has no rows. above: NULL: nothing. */
void weir_html_table(const struct weir_table *table, const struct weir_report *report, size_t top,
                     weir_html_above *above, struct weir_text *out);

/* Writes the operators in their card, each with its kernels, shapes and call sites in a row that
 * unfolds. */
void weir_html_operators(const struct weir_report *report, size_t top, struct weir_text *out);

#endif
