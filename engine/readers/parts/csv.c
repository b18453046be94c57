/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/window.h"
#include "engine/readers/parts/csv.h"

struct weir_csv {
	struct weir_csv_options options;
	struct weir_window window;
	size_t used;    /* bytes of the last row that was returned, line break included */
	uint64_t lines; /* before the window */
	struct weir_csv_row row;
	struct weir_slice *cells;
	size_t capacity;
	char *resolved; /* cells of the row that had doubled quotes, now single */
	size_t resolved_length, resolved_capacity;
	struct weir_csv_skipped skipped;
};

/* State of the scan for the end of a row. */
enum scan_state {
	SCAN_BLANK, /* before the first byte of a cell */
	SCAN_PLAIN,
	SCAN_QUOTED,
	SCAN_CLOSED, /* after a quote within quotes: it ends the cell or is the first of two */
};

struct extent {
	size_t length; /* line break included */
	size_t lines;
	bool ended;   /* a line break ends the row */
	bool literal; /* a quote is not closed: the row is one line, and quotes are ordinary */
};

struct weir_csv *weir_csv_new(struct weir_source *source, const struct weir_csv_options *options)
{
	struct weir_csv *csv = weir_alloc(sizeof(*csv));

	weir_window_init(&csv->window, source);
	csv->options = *options;
	return csv;
}

void weir_csv_free(struct weir_csv *csv)
{
	if (!csv)
		return;
	weir_window_release(&csv->window);
	free(csv->cells);
	free(csv->resolved);
	free(csv);
}

const struct weir_csv_skipped *weir_csv_skipped(const struct weir_csv *csv)
{
	return &csv->skipped;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct weir_slice trimmed(struct weir_slice text)
{
	while (text.length && is_blank(text.data[text.length - 1]))
		text.length--;
	while (text.length && is_blank(*text.data)) {
		text.data++;
		text.length--;
	}
	return text;
}

static struct weir_slice without_break(const char *data, size_t length)
{
	length -= length && data[length - 1] == '\n';
	length -= length && data[length - 1] == '\r';
	return (struct weir_slice){data, length};
}

bool weir_csv_take_line(struct weir_slice *rest, struct weir_slice *line)
{
	const char *feed;
	size_t length;

	if (!rest->length)
		return false;
	feed = memchr(rest->data, '\n', rest->length);
	length = feed ? (size_t)(feed + 1 - rest->data) : rest->length;
	*line = without_break(rest->data, length);
	rest->data += length;
	rest->length -= length;
	return true;
}

static enum scan_state step(const struct weir_csv_options *options, enum scan_state state, char c)
{
	switch (state) {
	case SCAN_QUOTED:
		return c == '"' ? SCAN_CLOSED : SCAN_QUOTED;
	case SCAN_CLOSED:
		if (c == '"')
			return SCAN_QUOTED;
		break;
	case SCAN_BLANK:
		if (c == '"')
			return SCAN_QUOTED;
		if (options->trim && is_blank(c) && c != options->separator)
			return SCAN_BLANK;
		break;
	case SCAN_PLAIN:
		break;
	}
	return c == options->separator ? SCAN_BLANK : SCAN_PLAIN;
}

/* Reads more of the source for a row that did not end within `seen` bytes. Returns false if there
 * is no more, or the row is too long. */
static bool look_further(struct weir_csv *csv, size_t seen)
{
	return seen < WEIR_CSV_MAX_LINE && weir_window_more(&csv->window);
}

static size_t visible(const struct weir_csv *csv)
{
	size_t length = (size_t)(csv->window.stop - csv->window.at);

	return length < WEIR_CSV_MAX_LINE ? length : WEIR_CSV_MAX_LINE;
}

/* Measures a row up to the first line break or the longest that a row may be. */
static struct extent measure_line(struct weir_csv *csv)
{
	size_t seen = 0;

	do {
		const char *at = csv->window.at + seen;
		const char *feed = memchr(at, '\n', visible(csv) - seen);

		if (feed)
			return (struct extent){
				.length = (size_t)(feed + 1 - csv->window.at),
				.lines = 1,
				.ended = true,
			};
		seen = visible(csv);
	} while (look_further(csv, seen));
	return (struct extent){.length = seen, .lines = seen > 0};
}

/* Measures a row up to the first line break outside quotes. */
static struct extent measure_quoted(struct weir_csv *csv)
{
	struct extent extent = {0};
	enum scan_state state = SCAN_BLANK;

	do {
		const char *data = csv->window.at;
		size_t stop = visible(csv);

		while (extent.length < stop) {
			char c = data[extent.length++];

			extent.lines += c == '\n';
			extent.ended = c == '\n' && state != SCAN_QUOTED;
			if (extent.ended)
				return extent;
			state = step(&csv->options, state, c);
		}
	} while (look_further(csv, extent.length));
	if (state == SCAN_QUOTED) {
		extent = measure_line(csv);
		extent.literal = true;
	}
	return extent;
}

static struct extent measure(struct weir_csv *csv)
{
	struct extent extent = csv->options.quotes ? measure_quoted(csv) : measure_line(csv);

	if (!extent.ended && extent.length)
		extent.lines += !extent.lines;
	return extent;
}

/* Moves the window forward by `length` bytes. */
static void pass(struct weir_csv *csv, size_t length)
{
	csv->window.at += length;
	weir_window_settle(&csv->window);
}

/* Skips a line that is too long. */
static void leave_out(struct weir_csv *csv)
{
	const char *feed;

	if (!csv->skipped.count++)
		csv->skipped.first_at = weir_window_position(&csv->window);
	do {
		size_t length = (size_t)(csv->window.stop - csv->window.at);

		feed = memchr(csv->window.at, '\n', length);
		pass(csv, feed ? (size_t)(feed + 1 - csv->window.at) : length);
	} while (!feed && (csv->window.at < csv->window.stop || weir_window_more(&csv->window)));
	csv->lines++;
}

static bool is_too_long(const struct weir_csv *csv, const struct extent *extent)
{
	return !extent->ended && extent->length == WEIR_CSV_MAX_LINE && !csv->window.status;
}

/* Splits a line at runs of blanks. */
static size_t split_blanks(struct weir_slice line, struct weir_slice *cells, size_t max)
{
	const char *at = line.data, *end = line.data + line.length;
	size_t count = 0;

	for (; count < max; count++) {
		while (at < end && is_blank(*at))
			at++;
		if (at == end)
			break;
		cells[count].data = at;
		while (at < end && !is_blank(*at))
			at++;
		cells[count].length = (size_t)(at - cells[count].data);
	}
	return count;
}

/* Returns the place after the quote that closes the cell; NULL if it is not closed. */
static const char *find_close(const char *at, const char *end)
{
	for (; at < end && (at = memchr(at, '"', (size_t)(end - at))) != NULL; at += 2)
		if (at + 1 == end || at[1] != '"')
			return at + 1;
	return NULL;
}

/* Returns the cell at *at, which moves to the separator after it or to the end. Sets *odd if a
 * quote is not closed, or if text follows it: then quotes are part of the cell. */
static struct weir_slice take_cell(const char **at, const char *end,
                                   const struct weir_csv_options *options, bool *odd)
{
	const char *start = *at, *quote = start, *close = NULL, *stop;
	struct weir_slice cell;

	while (options->trim && quote < end && is_blank(*quote) && *quote != options->separator)
		quote++;
	if (options->quotes && quote < end && *quote == '"') {
		close = find_close(quote + 1, end);
		*odd |= !close;
	}
	stop = memchr(close ? close : start, options->separator,
	              (size_t)(end - (close ? close : start)));
	*at = stop ? stop : end;
	cell = (struct weir_slice){start, (size_t)(*at - start)};
	if (options->trim)
		cell = trimmed(cell);
	if (!close)
		return cell;
	if (close == cell.data + cell.length)
		return (struct weir_slice){quote + 1, (size_t)(close - quote) - 2};
	*odd = true;
	return cell;
}

static size_t split_cells(struct weir_slice line, const struct weir_csv_options *options,
                          struct weir_slice *cells, size_t max, bool *odd)
{
	const char *at = line.data, *end = line.data + line.length;
	size_t count = 0;

	if (options->separator == ' ')
		return split_blanks(line, cells, max);
	if (!trimmed(line).length && !memchr(line.data, options->separator, line.length))
		return 0;
	while (count < max) {
		cells[count++] = take_cell(&at, end, options, odd);
		if (at == end)
			break;
		at++;
	}
	return count;
}

size_t weir_csv_split(struct weir_slice line, const struct weir_csv_options *options,
                      struct weir_slice *cells, size_t max)
{
	bool odd = false;

	return split_cells(line, options, cells, max, &odd);
}

/* Returns the content of a quoted cell with doubled quotes made single. */
static struct weir_slice resolve(struct weir_csv *csv, struct weir_slice cell)
{
	char *to = csv->resolved + csv->resolved_length;
	size_t length = 0;

	for (size_t i = 0; i < cell.length; i++) {
		to[length++] = cell.data[i];
		i += cell.data[i] == '"';
	}
	csv->resolved_length += length;
	return (struct weir_slice){to, length};
}

static void resolve_quotes(struct weir_csv *csv)
{
	struct weir_csv_row *row = &csv->row;

	csv->resolved_length = 0;
	if (csv->resolved_capacity < row->line.length)
		csv->resolved = weir_grow(csv->resolved, &csv->resolved_capacity, row->line.length,
		                          sizeof(*csv->resolved));
	for (size_t i = 0; i < row->count; i++) {
		struct weir_slice *cell = &csv->cells[i];

		/* Only quoted cells have a quote before them. */
		if (cell->length && cell->data > row->line.data && cell->data[-1] == '"' &&
		    memchr(cell->data, '"', cell->length))
			*cell = resolve(csv, *cell);
	}
}

/* Splits the row into cells, and makes room for more of them if needed. */
static void split_row(struct weir_csv *csv, bool literal)
{
	struct weir_csv_options options = csv->options;
	struct weir_csv_row *row = &csv->row;
	size_t max = csv->capacity ? csv->capacity : 64;

	options.quotes &= !literal;
	row->odd = literal;
	for (;; max *= 2) {
		csv->cells = weir_grow(csv->cells, &csv->capacity, max, sizeof(*csv->cells));
		row->count = split_cells(row->line, &options, csv->cells, csv->capacity, &row->odd);
		if (row->count < csv->capacity || csv->capacity > WEIR_CSV_MAX_CELLS)
			break;
	}
	row->excess = row->count > WEIR_CSV_MAX_CELLS;
	row->count = row->excess ? WEIR_CSV_MAX_CELLS : row->count;
	if (options.quotes && memchr(row->line.data, '"', row->line.length))
		resolve_quotes(csv);
	row->cells = csv->cells;
}

enum weir_status weir_csv_next(struct weir_csv *csv, const struct weir_csv_row **out,
                               struct weir_error *err)
{
	struct extent extent;

	*out = NULL;
	csv->window.err = err;
	pass(csv, csv->used);
	csv->used = 0;
	while (extent = measure(csv), is_too_long(csv, &extent))
		leave_out(csv);
	if (csv->window.status || !extent.length)
		return csv->window.status;
	csv->used = extent.length;
	csv->row.line = without_break(csv->window.at, extent.length);
	csv->row.number = csv->lines + 1;
	csv->row.at = weir_window_position(&csv->window);
	csv->row.cut = !extent.ended;
	csv->lines += extent.lines;
	split_row(csv, extent.literal);
	*out = &csv->row;
	return WEIR_OK;
}

size_t weir_csv_find(const struct weir_csv_row *row, const char *name)
{
	for (size_t i = 0; i < row->count; i++)
		if (weir_slice_equals(row->cells[i], name))
			return i;
	return WEIR_CSV_NO_COLUMN;
}
