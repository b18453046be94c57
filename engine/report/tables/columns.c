/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/report/plain/items.h"
#include "engine/report/tables/tables.h"

/* Returns the figure of a column without a print function. */
static double figure_of(const struct weir_table *table, const struct weir_column *column,
                        const struct weir_report *report, size_t row)
{
	const char *at;
	uint64_t count;
	double value;

	if (column->number)
		return column->number(report, row);
	at = (const char *)table->row(report, row) + column->offset;
	if (column->unit != WEIR_UNIT_COUNT) {
		memcpy(&value, at, sizeof value);
		return value;
	}
	memcpy(&count, at, sizeof count);
	return (double)count;
}

void weir_column_print(const struct weir_table *table, const struct weir_column *column,
                       const struct weir_report *report, size_t row, struct weir_text *out)
{
	double value;

	if (column->print) {
		column->print(report, row, out);
		return;
	}
	value = figure_of(table, column, report, row);
	if (!isfinite(value)) {
		weir_text_puts(out, "-");
		return;
	}
	switch (column->unit) {
	case WEIR_UNIT_SHARE:
		weir_text_share(out, weir_as_stored_share(value));
		return;
	case WEIR_UNIT_NS:
		weir_text_duration(out, weir_as_stored_ns(value));
		return;
	case WEIR_UNIT_COUNT:
		weir_text_count(out, (uint64_t)fmax(0, round(value)));
		return;
	case WEIR_UNIT_BYTES:
		weir_text_bytes(out, value);
		return;
	case WEIR_UNIT_RATIO:
	case WEIR_UNIT_FLOPS:
	case WEIR_UNIT_FLAG:
		break;
	}
	weir_text_printf(out, "%.*f", fabs(value) < 10 ? 2 : fabs(value) < 100 ? 1 : 0, value);
}

size_t weir_rows_choose(const struct weir_table *table, const struct weir_report *report,
                        size_t limit, struct weir_rows *out)
{
	size_t rows = table->rows(report), held = 0;

	*out = (struct weir_rows){weir_alloc((rows + 1) * sizeof *out->at), 0};
	for (size_t row = 0; row < rows; row++) {
		if (table->holds && !table->holds(report, row))
			continue;
		if (!table->limited || held < limit)
			out->at[out->count++] = row;
		held++;
	}
	return held;
}

void weir_rows_release(struct weir_rows *rows)
{
	free(rows->at);
	*rows = (struct weir_rows){NULL, 0};
}

void weir_table_heading(const struct weir_table *table, const struct weir_report *report,
                        struct weir_text *out)
{
	if (table->heading)
		table->heading(report, out);
	else
		weir_text_puts(out, table->title);
}

void weir_column_heading(const struct weir_column *column, const struct weir_report *report,
                         struct weir_text *out)
{
	if (column->head)
		column->head(report, out);
	else
		weir_text_puts(out, column->header);
}

bool weir_column_has_content(const struct weir_table *table, const struct weir_column *column,
                             const struct weir_report *report, const struct weir_rows *rows)
{
	struct weir_text cell = {0};
	bool any = !(column->flags & WEIR_CELL_IF_ANY);

	for (size_t i = 0; i < rows->count && !any; i++) {
		weir_text_clear(&cell);
		weir_column_print(table, column, report, rows->at[i], &cell);
		any = cell.length && strcmp(cell.data, "-") != 0;
	}
	weir_text_release(&cell);
	return any;
}
