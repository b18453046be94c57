/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Summaries as CSV: a table of statistics, a table of single values, and tables of telemetry, with
 * blank lines between them. Numbers from 1,000 on may have separators of thousands, and quotes for
 * that.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/genai_perf.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"

#define MAX_COLUMNS 64
#define COLUMN_NAME 8
#define MAX_NUMBER  64

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

/* The table at hand; no columns: one that is not wanted, or none yet. */
struct table {
	char statistics[MAX_COLUMNS][COLUMN_NAME]; /* "": not wanted; of the first, the metric's */
	size_t columns;
};

/* Rows between blank lines are a table, and the first of them its header. */
static void read_header(struct table *table, const struct weir_csv_row *row)
{
	struct weir_slice second = weir_csv_cell(row, 1);

	*table = (struct table){0};
	if (row->count > MAX_COLUMNS || !weir_slice_equals(row->cells[0], "Metric") ||
	    (!weir_slice_equals(second, "Value") && !weir_genai_is_statistic(second)))
		return;
	table->columns = row->count;
	for (size_t i = 1; i < row->count; i++) {
		struct weir_slice cell = row->cells[i];

		if (weir_slice_equals(cell, "Value"))
			cell = weir_slice_of("avg");
		if (weir_genai_is_statistic(cell) && cell.length < COLUMN_NAME)
			memcpy(table->statistics[i], cell.data, cell.length);
	}
}

/* "1,234.56"; NAN for what says that there is none. *odd: it is neither. */
static double parse_number(struct weir_slice cell, bool *odd)
{
	static const char *const none[] = {"", "None", "N/A", "n/a", "nan", "NaN", "-", NULL};
	char digits[MAX_NUMBER];
	size_t length = 0;
	double value;

	*odd = false;
	for (size_t i = 0; none[i]; i++)
		if (weir_slice_equals(cell, none[i]))
			return NAN;
	for (size_t i = 0; i < cell.length && length < MAX_NUMBER; i++)
		if (cell.data[i] != ',')
			digits[length++] = cell.data[i];
	if (length < MAX_NUMBER && weir_parse_double(digits, length, &value) && isfinite(value))
		return value;
	*odd = true;
	return NAN;
}

/* "Request Latency (ms)": the name stays, the unit comes back; empty where there is none. */
static struct weir_slice split_unit(struct weir_slice *name)
{
	struct weir_slice unit = {"", 0};
	size_t open = name->length;

	if (!name->length || name->data[name->length - 1] != ')')
		return unit;
	while (open && name->data[open - 1] != '(')
		open--;
	if (!open)
		return unit;
	unit = (struct weir_slice){name->data + open, name->length - open - 1};
	name->length = open - 1;
	while (name->length && name->data[name->length - 1] == ' ')
		name->length--;
	return unit;
}

static void read_row(struct genai_summary *summary, const struct table *table,
                     const struct weir_csv_row *row)
{
	struct weir_slice name = row->cells[0];
	struct genai_value value = {.at = row->at, .unit = split_unit(&name)};

	value.metric = weir_genai_metric(name);
	if (!value.metric)
		return;
	if (row->count < table->columns) {
		weir_input_warn(summary->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return;
	}
	for (size_t i = 1; i < table->columns; i++) {
		bool odd;

		value.value = parse_number(row->cells[i], &odd);
		value.statistic = weir_slice_of(table->statistics[i]);
		if (odd)
			weir_input_warn(summary->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		else
			weir_genai_take(summary, &value);
	}
}

enum weir_status weir_genai_read_csv(struct genai_summary *summary, struct weir_source *source,
                                     struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	const struct weir_csv_row *row;
	struct table table = {0};
	bool between = true;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (row->cut && weir_source_damage(source))
			continue;
		summary->input->events += row->count > 0;
		if (row->count && between)
			read_header(&table, row);
		else if (row->count && table.columns)
			read_row(summary, &table, row);
		between = !row->count;
	}
	if (skipped->count)
		weir_input_warn(summary->input, WEIR_WARN_RAGGED_ROW, skipped->first_at,
		                "too long");
	weir_damage_of_source(summary->input, source);
	weir_csv_free(csv);
	return status;
}

int weir_genai_sniff_csv(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_COLUMNS];
	size_t count = 0, found = 0;
	int bits;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &options, cells, MAX_COLUMNS);
	if (!count || !weir_slice_equals(cells[0], "Metric"))
		return 0;
	bits = 8 * (int)cells[0].length;
	for (size_t i = 1; i < count && weir_genai_is_statistic(cells[i]); i++) {
		bits += 8 * (int)(cells[i].length + 1);
		found++;
	}
	return found >= 3 ? bits : 0;
}
