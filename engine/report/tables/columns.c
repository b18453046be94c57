/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/report/plain/items.h"
#include "engine/report/tables/tables.h"

double weir_column_figure(const struct weir_table *table, const struct weir_column *column,
                          const struct weir_report *report, size_t row)
{
	const char *at;
	uint64_t count;
	double value;

	if (column->print)
		return NAN;
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
	value = weir_column_figure(table, column, report, row);
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

struct weighed {
	size_t row;
	double weight;
};

static int by_weight(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int by_row(const void *left, const void *right)
{
	const size_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Keeps the `limit` rows with the largest weights, in their order. */
static void keep_heaviest(const struct weir_table *table, const struct weir_report *report,
                          size_t limit, struct weir_rows *rows)
{
	struct weighed *weighed = weir_alloc((rows->count + 1) * sizeof *weighed);

	for (size_t i = 0; i < rows->count; i++) {
		double weight = table->weight(report, rows->at[i]);

		weighed[i] = (struct weighed){rows->at[i], isnan(weight) ? -1 : weight};
	}
	qsort(weighed, rows->count, sizeof *weighed, by_weight);
	rows->count = limit;
	for (size_t i = 0; i < limit; i++)
		rows->at[i] = weighed[i].row;
	qsort(rows->at, limit, sizeof *rows->at, by_row);
	free(weighed);
}

size_t weir_rows_choose(const struct weir_table *table, const struct weir_report *report,
                        size_t limit, struct weir_rows *out)
{
	size_t rows = table->rows(report), held;

	*out = (struct weir_rows){weir_alloc((rows + 1) * sizeof *out->at), 0};
	for (size_t row = 0; row < rows; row++)
		if (!table->holds || table->holds(report, row))
			out->at[out->count++] = row;
	held = out->count;
	if (table->limited && held > limit && table->weight)
		keep_heaviest(table, report, limit, out);
	else if (table->limited && held > limit)
		out->count = limit;
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
