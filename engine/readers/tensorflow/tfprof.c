/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the operation view that TensorFlow's tfprof prints: a header with its columns, then a row
 * for each type of operation.
 *
 *	node name | requested bytes | total execution time | accelerator execution time | ...
 *	MatMul  20.00MB (100.00%, 80.00%),  8.00ms (100.00%, 80.00%),  6.00ms (100.00%, 90.00%), ...
 *
 * The first percentage of a cell counts the row and all rows below it, the second one the row
 *alone. Rows are sorted, and the list is often cut: the time of all rows follows from the second
 *ones. Prefixes of sizes are powers of 1000. The total execution time adds up accelerator and host,
 *which may overlap.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/shares.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 16
#define MAX_VALUE   1e18
#define NODE        "node name | "

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{NODE, "total execution time", "%, ", "requested bytes",
                    "accelerator execution time", "cpu execution time"},
                   .all = 3}},
	{0},
};

/* The columns that are read, and their groups of figures. */
enum column { COLUMN_BYTES, COLUMN_TOTAL, COLUMN_ACCELERATOR, COLUMN_CPU, COLUMNS };

static const struct {
	const char *title, *group, *all; /* all: figure of all rows; NULL: none */
} columns[COLUMNS] = {
	[COLUMN_BYTES] = {"requested bytes", "requested", NULL},
	[COLUMN_TOTAL] = {"total execution time", "operators", "operators/total_ns"},
	[COLUMN_ACCELERATOR] = {"accelerator execution time", "accelerator",
                                "accelerator_total_ms"},
	[COLUMN_CPU] = {"cpu execution time", "cpu", "cpu_total_ms"},
};

struct view {
	struct weir_input *input;
	size_t place[COLUMNS]; /* index of the cell; MAX_COLUMNS: missing */
	size_t width;          /* cells of a row; 0: no header yet */
	size_t others;         /* further views */
	uint64_t next_at;
	struct weir_shares shares[COLUMNS];
};

/* ---- cells ---- */

struct unit {
	const char *name;
	double scale;
};

static const struct unit sizes[] = {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {NULL, 0}};
static const struct unit times[] = {{"us", 1e3},   {"ms", 1e6},    {"sec", 1e9},
                                    {"min", 6e10}, {"hr", 3.6e12}, {NULL, 0}};

/* Parses a number with one of the units; NAN: the text is something else. */
static double value_of(struct weir_slice text, const struct unit *unit)
{
	double value;

	while (unit->name && !weir_slice_ends(text, unit->name))
		unit++;
	if (!unit->name)
		return NAN;
	text.length -= strlen(unit->name);
	if (!text.length || !weir_parse_double(text.data, text.length, &value) || value < 0)
		return NAN;
	return value * unit->scale <= MAX_VALUE ? value * unit->scale : NAN;
}

/* Splits "8.00ms (100.00%, 80.00%)" into its value and its own share. */
static struct weir_slice split_cell(struct weir_slice cell, struct weir_slice *share)
{
	const char *open = cell.length ? memchr(cell.data, '(', cell.length) : NULL;
	const char *comma;

	*share = (struct weir_slice){"", 0};
	if (!open || cell.data[cell.length - 1] != ')')
		return cell;
	comma = memchr(open, ',', (size_t)(cell.data + cell.length - open));
	if (comma)
		*share = weir_slice_trim((struct weir_slice){
			comma + 1, (size_t)(cell.data + cell.length - 1 - comma - 1)});
	return weir_slice_trim((struct weir_slice){cell.data, (size_t)(open - cell.data)});
}

/* Splits a row behind its name at the commas outside brackets. Returns the number of cells. */
static size_t split_cells(struct weir_slice rest, struct weir_slice *cells)
{
	size_t count = 0, start = 0, depth = 0;

	for (size_t i = 0; i < rest.length && count < MAX_COLUMNS; i++) {
		depth += rest.data[i] == '(';
		depth -= rest.data[i] == ')' && depth;
		if (rest.data[i] != ',' || depth)
			continue;
		cells[count++] = weir_slice_trim((struct weir_slice){rest.data + start, i - start});
		start = i + 1;
	}
	rest = weir_slice_trim((struct weir_slice){rest.data + start, rest.length - start});
	if (rest.length && count < MAX_COLUMNS)
		cells[count++] = rest;
	return count;
}

/* ---- rows ---- */

/* Takes a title off a header, up to a bar outside brackets: "op occurrence (run|defined)". */
static struct weir_slice take_title(struct weir_slice *rest)
{
	size_t length = 0, depth = 0;
	struct weir_slice title = *rest;

	for (; length < rest->length && (depth || rest->data[length] != '|'); length++) {
		depth += rest->data[length] == '(';
		depth -= rest->data[length] == ')' && depth;
	}
	title.length = length;
	length += length < rest->length;
	*rest = (struct weir_slice){rest->data + length, rest->length - length};
	return weir_slice_trim(title);
}

/* Takes the titles of a header. Returns false for other lines. */
static bool take_header(struct view *view, const struct weir_csv_row *row)
{
	struct weir_slice rest = weir_slice_trim(row->line);

	if (!weir_slice_take(&rest, NODE))
		return false;
	if (view->width) {
		if (!view->others++)
			view->next_at = row->at;
		return true;
	}
	for (size_t i = 0; i < COLUMNS; i++)
		view->place[i] = MAX_COLUMNS;
	while (rest.length && view->width < MAX_COLUMNS) {
		struct weir_slice title = take_title(&rest);

		for (size_t i = 0; i < COLUMNS; i++)
			if (weir_slice_equals(title, columns[i].title))
				view->place[i] = view->width;
		view->width++;
	}
	return true;
}

/* Adds the value of a row to the figures, and its share to those of its column. */
static bool add_value(struct view *view, struct weir_slice name, enum column column,
                      struct weir_slice cell)
{
	struct weir_run *run = view->input->run;
	struct weir_text figure = {0};
	struct weir_slice share, text = split_cell(cell, &share);
	double value = value_of(text, column == COLUMN_BYTES ? sizes : times);

	if (isnan(value) || !weir_slice_ends(share, "%"))
		return false;
	weir_shares_add(&view->shares[column], share, value);
	if (column == COLUMN_TOTAL)
		weir_text_add(&figure, name.data, name.length);
	else
		weir_text_printf(&figure, "%s/%.*s/%s", columns[column].group, (int)name.length,
		                 name.data, column == COLUMN_BYTES ? "total_bytes" : "total_ns");
	if (column == COLUMN_TOTAL && run->operators.count < WEIR_FIGURE_MAX)
		weir_series_push(weir_series_get(&run->operators, figure.data), value);
	else if (column != COLUMN_TOTAL)
		weir_figure_add(run, figure.data, weir_figure_unit(figure.data), false, value);
	weir_text_release(&figure);
	return true;
}

/* Takes a row; a line without a percentage is a message of the program. */
static void take_row(struct view *view, const struct weir_csv_row *row)
{
	struct weir_slice line = weir_slice_trim(row->line), name = {line.data, 0};
	struct weir_slice cells[MAX_COLUMNS];
	bool good = true;

	if (!view->width || view->others || !weir_slice_holds(line, "%"))
		return;
	while (name.length < line.length && !strchr(" \t", line.data[name.length]))
		name.length++;
	if (!name.length || memchr(name.data, '\0', name.length))
		return;
	line = (struct weir_slice){line.data + name.length, line.length - name.length};
	if (row->cut && !weir_slice_ends(line, ")") && !weir_slice_ends(line, ",")) {
		weir_input_warn(view->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return;
	}
	if (split_cells(line, cells) != view->width) {
		weir_input_warn(view->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return;
	}
	for (size_t i = 0; i < COLUMNS; i++)
		if (view->place[i] < view->width)
			good &= add_value(view, name, (enum column)i, cells[view->place[i]]);
	if (!good)
		weir_input_warn(view->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
	view->input->events++;
}

/* Adds the time of all rows of each column, those that the list lacks included. */
static void add_totals(struct view *view)
{
	struct weir_input others = {0};

	for (size_t i = 0; i < COLUMNS; i++) {
		double sum = view->shares[i].sum;
		const char *all = columns[i].all;
		struct weir_input *told = i == COLUMN_TOTAL ? view->input : &others;

		sum += weir_shares_end(&view->shares[i], told, columns[i].title);
		if (all && sum > 0)
			weir_figure_add(view->input->run, all, weir_figure_unit(all), false,
			                i == COLUMN_TOTAL ? sum : sum / 1e6);
	}
}

static enum weir_status read_view(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\0'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct view view = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		if (!take_header(&view, row))
			take_row(&view, row);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (status)
		return status;
	if (!input->run->operators.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no row of tfprof with a total execution time: expected \"MatMul "
		                 "8.00ms (100.00%%, 80.00%%), ...\" below the header; pass the "
		                 "operation view (op) with -select micros,bytes");
	add_totals(&view);
	if (view.others) {
		weir_input_warn(input, WEIR_WARN_OTHER_TABLE, view.next_at, "the first was read");
		input->warnings[WEIR_WARN_OTHER_TABLE].count = view.others;
	}
	return WEIR_OK;
}

const struct weir_reader weir_reader_tfprof = {
	.name = "tfprof",
	.title = "operation views of TensorFlow's profiler (tfprof), as text",
	.gives = "native run",
	.marks = marks,
	.read = read_view,
};
