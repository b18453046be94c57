/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads delimited tables (CSV, TSV, columns separated by blanks) row by row. Memory is bounded by
 * the longest row, and cells are not allocated. The caller decides which rows are headers; a file
 * may hold several tables.
 *
 *	csv = weir_csv_new(source, &(struct weir_csv_options){.separator = ',', .quotes = true});
 *	while (!(status = weir_csv_next(csv, &row, err)) && row)
 *		...
 *	weir_csv_free(csv);
 *
 * Lines end with LF or CRLF. Quotes follow RFC 4180: a cell that begins with a quote extends to the
 * next quote that is not doubled, separators and line breaks included. A quote that is not closed
 * within WEIR_CSV_MAX_LINE is an ordinary character, so that damage costs one row and not the file.
 * The source removes byte order marks (engine/base/source.h). The caller must report a compressed
 * stream that ends early (weir_source_damage()).
 */
#ifndef WEIR_READERS_PARTS_CSV_H
#define WEIR_READERS_PARTS_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"

#define WEIR_CSV_MAX_LINE  (1u << 20) /* bytes of a row, line breaks in quotes included */
#define WEIR_CSV_MAX_CELLS 4096u      /* further cells of a row are left out */
#define WEIR_CSV_NO_COLUMN SIZE_MAX

struct weir_csv_options {
	char separator; /* ' ': runs of blanks and tabs; those at the ends of a line are ignored */
	bool quotes;    /* RFC 4180; else a quote is an ordinary character */
	bool trim;      /* remove blanks and tabs around a cell, but not within its quotes */
};

/* Borrowed until the next call. */
struct weir_csv_row {
	const struct weir_slice *cells; /* quotes resolved */
	size_t count;                   /* 0: a blank line */
	struct weir_slice line;         /* the row as written, without its line break */
	uint64_t number;                /* of its (first) line, from 1 */
	uint64_t at;                    /* its byte after decompression */
	bool cut;    /* the file ends in the row without a line break: the last cell may be cut */
	bool odd;    /* has quotes that are not closed or that text follows; they are kept */
	bool excess; /* had more than WEIR_CSV_MAX_CELLS cells */
};

/* Rows longer than WEIR_CSV_MAX_LINE, which are left out. */
struct weir_csv_skipped {
	uint64_t count;
	uint64_t first_at; /* byte after decompression; valid where count > 0 */
};

struct weir_csv;

/* Borrows the source until weir_csv_free(); the options are copied. */
struct weir_csv *weir_csv_new(struct weir_source *source, const struct weir_csv_options *options);
void weir_csv_free(struct weir_csv *csv);

/* Gives the next row; NULL at the end. Fails if the source fails. */
enum weir_status weir_csv_next(struct weir_csv *csv, const struct weir_csv_row **out,
                               struct weir_error *err);

const struct weir_csv_skipped *weir_csv_skipped(const struct weir_csv *csv);

/* Returns the first column with exactly this text; WEIR_CSV_NO_COLUMN if there is no such column.
 */
size_t weir_csv_find(const struct weir_csv_row *row, const char *name);

/* Returns a cell; empty if the row lacks the column, WEIR_CSV_NO_COLUMN included. */
static inline struct weir_slice weir_csv_cell(const struct weir_csv_row *row, size_t column)
{
	return column < row->count ? row->cells[column] : (struct weir_slice){"", 0};
}

/* Both functions serve the recognition of formats. The first takes the first line, without its line
 * break, off *rest; it returns false if *rest is empty. */
bool weir_csv_take_line(struct weir_slice *rest, struct weir_slice *line);
/* Gives the first `max` cells of a line, with doubled quotes unresolved. Returns their number. */
size_t weir_csv_split(struct weir_slice line, const struct weir_csv_options *options,
                      struct weir_slice *cells, size_t max);

#endif
