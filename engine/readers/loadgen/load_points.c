/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/load_points.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"

#define MAX_KEYS     8
#define MAX_ORDINALS 64  /* texts of one key column that are told apart */
#define KEY_TEXT     128 /* more of a key's text is cut off */
#define PERCENTILE   8   /* "p99.9" */

static const struct weir_csv_options csv_options = {.separator = ',', .quotes = true, .trim = true};

/* What a column of the file at hand holds; neither: nothing that is wanted. */
struct column {
	const struct weir_load_column *figure;
	char percentile[PERCENTILE]; /* "p99" */
};

struct reader {
	const struct weir_load_table *table;
	struct weir_input *input;
	struct column *columns;
	size_t column_count;
	size_t key_columns[MAX_KEYS];
	size_t throughput;
	char *ordinals[MAX_ORDINALS];
	size_t ordinal_count;
	struct weir_text prefix, name;
	struct weir_text keys[MAX_KEYS]; /* texts of the last row that was kept */
	size_t prefix_length;            /* of the same */
	size_t rows, idle;               /* kept; without an answer */
};

static bool is_text(struct weir_slice cell, const char *text)
{
	return cell.length == strlen(text) && !strncasecmp(cell.data, text, cell.length);
}

static size_t find_column(const struct weir_csv_row *header, const char *text)
{
	for (size_t i = 0; i < header->count; i++)
		if (is_text(header->cells[i], text))
			return i;
	return WEIR_CSV_NO_COLUMN;
}

/* "p99 latency" */
static void match_percentile(const struct weir_load_table *table, struct weir_slice cell,
                             struct column *column)
{
	size_t tail = strlen(table->percentile), length = cell.length - tail;
	double value;

	if (cell.length <= tail + 1 || length >= PERCENTILE || *cell.data != 'p' ||
	    strncasecmp(cell.data + length, table->percentile, tail) != 0 ||
	    !weir_parse_double(cell.data + 1, length - 1, &value) || !(value > 0 && value < 100))
		return;
	memcpy(column->percentile, cell.data, length);
}

static void read_header(struct reader *reader, const struct weir_csv_row *header)
{
	const struct weir_load_table *table = reader->table;

	reader->column_count = header->count;
	reader->columns = weir_alloc(header->count * sizeof *reader->columns);
	for (size_t i = 0; i < header->count; i++) {
		const struct weir_load_column *figure = table->columns;

		while (figure->header && !is_text(header->cells[i], figure->header))
			figure++;
		if (figure->header)
			reader->columns[i].figure = figure;
		else
			match_percentile(table, header->cells[i], &reader->columns[i]);
	}
	for (size_t i = 0; table->keys[i].header; i++)
		reader->key_columns[i] = find_column(header, table->keys[i].header);
	reader->throughput = find_column(header, table->throughput);
}

/* Where a text stands among those of its kind; MAX_ORDINALS for all beyond the limit. */
static size_t ordinal_of(struct reader *reader, struct weir_slice text)
{
	char *copy;

	for (size_t i = 0; i < reader->ordinal_count; i++)
		if (weir_slice_equals(text, reader->ordinals[i]))
			return i;
	if (reader->ordinal_count == MAX_ORDINALS)
		return MAX_ORDINALS;
	copy = weir_alloc(text.length + 1);
	memcpy(copy, text.data, text.length);
	reader->ordinals[reader->ordinal_count] = copy;
	return reader->ordinal_count++;
}

static void add_key(struct reader *reader, const struct weir_load_key *key, struct weir_slice text)
{
	if (key->name)
		weir_text_printf(&reader->prefix, "%s@", key->name);
	if (key->ordinal)
		weir_text_printf(&reader->prefix, "%zu", ordinal_of(reader, text));
	for (size_t i = 0; i < text.length && i < KEY_TEXT && !key->ordinal; i++)
		weir_text_add(&reader->prefix,
		              (unsigned char)text.data[i] < ' ' ? "?" : &text.data[i], 1);
	weir_text_puts(&reader->prefix, "/");
}

/* The load point of the row. */
static void read_keys(struct reader *reader, const struct weir_csv_row *row)
{
	const struct weir_load_key *key = reader->table->keys;

	weir_text_clear(&reader->prefix);
	weir_text_puts(&reader->prefix, "");
	for (size_t i = 0; key->header; i++, key++) {
		struct weir_slice text = weir_csv_cell(row, reader->key_columns[i]);

		if (text.length)
			add_key(reader, key, text);
	}
}

static void keep_keys(struct reader *reader, const struct weir_csv_row *row)
{
	for (size_t i = 0; reader->table->keys[i].header; i++) {
		struct weir_slice text = weir_csv_cell(row, reader->key_columns[i]);

		weir_text_clear(&reader->keys[i]);
		weir_text_add(&reader->keys[i], text.data, text.length);
	}
	reader->prefix_length = reader->prefix.length;
}

/* Tables that were joined by cat. */
static bool is_header_again(const struct reader *reader, const struct weir_csv_row *row)
{
	return is_text(weir_csv_cell(row, reader->throughput), reader->table->throughput);
}

/* "GPU-1:57.7;GPU-2:43.7;": the largest. */
static bool parse_devices(struct weir_slice cell, double *out)
{
	double value;

	*out = -INFINITY;
	while (cell.length) {
		const char *end = memchr(cell.data, ';', cell.length);
		size_t length = end ? (size_t)(end - cell.data) : cell.length, colon = length;

		while (colon && cell.data[colon - 1] != ':')
			colon--;
		if (!colon || !weir_parse_double(cell.data + colon, length - colon, &value))
			return false;
		*out = fmax(*out, value);
		cell.data += length + (end != NULL);
		cell.length -= length + (end != NULL);
	}
	return true;
}

/* NAN where it is empty, and where it is no number, which is counted. */
static double read_cell(struct reader *reader, const struct column *column, struct weir_slice cell,
                        const struct weir_csv_row *row)
{
	enum weir_load_cells cells = column->figure ? column->figure->cells : WEIR_LOAD_NUMBER;
	double value;
	bool good;

	if (!cell.length)
		return NAN;
	good = cells == WEIR_LOAD_NUMBER ? weir_parse_double(cell.data, cell.length, &value)
	                                 : parse_devices(cell, &value);
	if (good && value >= 0)
		return value;
	weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, row->at,
	                column->figure ? column->figure->header : column->percentile);
	return NAN;
}

/* A time of 0 is one below the microsecond that the table counts in, or below its noise: it stays,
 * for a figure that comes and goes could not be compared. */
static void add_figures(struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_run *run = reader->input->run;

	for (size_t i = 0; i < reader->column_count; i++) {
		const struct column *column = &reader->columns[i];
		const struct weir_load_column *figure = column->figure;
		double value;

		if (!figure && !column->percentile[0])
			continue;
		value = read_cell(reader, column, row->cells[i], row);
		weir_text_clear(&reader->name);
		if (figure)
			weir_text_printf(&reader->name, "%s%s", reader->prefix.data,
			                 figure->metric);
		else
			weir_text_printf(&reader->name, "%s%s_latency_ms", reader->prefix.data,
			                 column->percentile);
		weir_figure_add(
			run, reader->name.data, figure ? figure->unit : "ms",
			figure && figure->higher_is_better,
			value / (figure ? figure->divisor : reader->table->percentile_divisor));
	}
}

/* Whether the run has figures of this load point. */
static bool is_repeated(const struct reader *reader)
{
	const struct weir_series_table *metrics = &reader->input->run->metrics;

	for (size_t i = 0; i < metrics->count; i++) {
		const char *name = metrics->items[i].name;

		if (!strncmp(name, reader->prefix.data, reader->prefix.length) &&
		    !strchr(name + reader->prefix.length, '/'))
			return true;
	}
	return false;
}

/* An empty cell behind the last is one comma too many; else rows are as long as their header. */
static bool is_ragged(const struct reader *reader, const struct weir_csv_row *row)
{
	if (row->count < reader->column_count || row->excess)
		return true;
	for (size_t i = reader->column_count; i < row->count; i++)
		if (row->cells[i].length)
			return true;
	return false;
}

static bool is_idle(const struct reader *reader, const struct weir_csv_row *row)
{
	struct weir_slice cell = weir_csv_cell(row, reader->throughput);
	double value;

	return cell.length && weir_parse_double(cell.data, cell.length, &value) && !(value > 0);
}

static enum weir_status read_row(struct reader *reader, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	if (is_ragged(reader, row)) {
		weir_input_warn(reader->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return WEIR_OK;
	}
	if (is_idle(reader, row)) {
		reader->idle++;
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, row->at,
		                "a load under which nothing completed");
		return WEIR_OK;
	}
	if (reader->input->run->metrics.count + reader->column_count > WEIR_FIGURE_MAX)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "line %llu: more than %d figures: split the table, one run is not "
		                 "more",
		                 (unsigned long long)row->number, WEIR_FIGURE_MAX);
	read_keys(reader, row);
	if (is_repeated(reader)) {
		weir_input_warn(reader->input, WEIR_WARN_DUPLICATE, row->at, reader->prefix.data);
		return WEIR_OK;
	}
	add_figures(reader, row);
	keep_keys(reader, row);
	reader->rows++;
	return WEIR_OK;
}

static enum weir_status read_rows(struct reader *reader, struct weir_csv *csv,
                                  struct weir_source *source, struct weir_error *err)
{
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (!row->count || (row->cut && weir_source_damage(source)))
			continue;
		reader->input->events++;
		if (!reader->columns)
			read_header(reader, row);
		else if (!is_header_again(reader, row))
			status = read_row(reader, row, err);
		if (status)
			break;
	}
	return status;
}

/* One load point: its labels say which, so names need not. */
static void name_by_labels(struct reader *reader)
{
	const struct weir_load_key *key = reader->table->keys;
	struct weir_series_table *metrics = &reader->input->run->metrics;

	for (size_t i = 0; key->header; i++, key++)
		if (key->label)
			weir_figure_label(
				reader->input->run, key->label,
				(struct weir_slice){reader->keys[i].data, reader->keys[i].length});
	for (size_t i = 0; i < metrics->count; i++) {
		char *name = metrics->items[i].name;

		memmove(name, name + reader->prefix_length,
		        strlen(name + reader->prefix_length) + 1);
	}
}

static enum weir_status conclude(struct reader *reader, struct weir_error *err)
{
	struct weir_run *run = reader->input->run;

	if (!run->metrics.count && reader->idle)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "nothing completed under any load, so its figures are of nothing: "
		                 "see what the server said, then measure again");
	if (!run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY, "no figure in this table: expected %s",
		                 reader->table->expected);
	if (reader->rows == 1)
		name_by_labels(reader);
	weir_input_warn(reader->input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

enum weir_status weir_load_points_read(const struct weir_load_table *table,
                                       struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	struct reader reader = {.table = table, .input = input};
	struct weir_csv *csv = weir_csv_new(source, &csv_options);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	enum weir_status status;

	input->run = weir_run_new();
	status = read_rows(&reader, csv, source, err);
	if (skipped->count) {
		weir_input_warn(input, WEIR_WARN_RAGGED_ROW, skipped->first_at, "too long");
		input->warnings[WEIR_WARN_RAGGED_ROW].count += skipped->count - 1;
	}
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&reader, err);
	weir_csv_free(csv);
	free(reader.columns);
	for (size_t i = 0; i < reader.ordinal_count; i++)
		free(reader.ordinals[i]);
	for (size_t i = 0; i < MAX_KEYS; i++)
		weir_text_release(&reader.keys[i]);
	weir_text_release(&reader.prefix);
	weir_text_release(&reader.name);
	return status;
}

size_t weir_load_points_header(const char *head, size_t len, struct weir_slice *cells, size_t max)
{
	struct weir_slice rest = {head, len}, line;

	while (weir_csv_take_line(&rest, &line)) {
		size_t count = weir_csv_split(line, &csv_options, cells, max);

		if (count && (count > 1 || cells[0].length))
			return count;
	}
	return 0;
}
