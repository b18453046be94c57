/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delimited tables (CSV, TSV, columns set apart by blanks) row by row, through a window on the
 * source: memory is bounded by the longest row, nothing is allocated per cell. Which row is a
 * header is the caller's business; tables may follow one another in one file.
 *
 *	csv = weir_csv_new(source, &(struct weir_csv_options){.separator = ',', .quotes = true});
 *	while (!(status = weir_csv_next(csv, &row, err)) && row)
 *		...
 *	weir_csv_free(csv);
 *
 * Lines end with LF or CRLF. Quotes are those of RFC 4180: a cell that begins with one goes to the
 * next that is not doubled, separators and line breaks included. Damage never swallows the file: a
 * quote that nothing closes within WEIR_CSV_MAX_LINE is a character like any other. A byte order
 * mark is gone already (engine/base/source.h), and a compressed stream that stops short is the
 * caller's to report (weir_source_damage()).
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
#define WEIR_CSV_MAX_CELLS 4096u      /* more cells of a row are left out */
#define WEIR_CSV_NO_COLUMN SIZE_MAX

struct weir_csv_options {
	char separator; /* ' ': runs of blanks and tabs, those at the ends of a line do not count */
	bool quotes;    /* RFC 4180; else a quote is a character like any other */
	bool trim;      /* blanks and tabs around a cell are not part of it; in quotes they are */
};

/* Borrowed until the next call. */
struct weir_csv_row {
	const struct weir_slice *cells; /* quotes resolved */
	size_t count;                   /* 0: a blank line */
	struct weir_slice line;         /* the row as it stands, without its line break */
	uint64_t number;                /* of its (first) line, from 1 */
	uint64_t at;                    /* its byte after decompression */
	bool cut;    /* the file ends in it without a line break: the last cell may be half */
	bool odd;    /* quotes that are never closed, or that text follows; kept as they stand */
	bool excess; /* more than WEIR_CSV_MAX_CELLS cells */
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

/* The next row; NULL at the end. Fails where the source fails. */
enum weir_status weir_csv_next(struct weir_csv *csv, const struct weir_csv_row **out,
                               struct weir_error *err);

const struct weir_csv_skipped *weir_csv_skipped(const struct weir_csv *csv);

/* The first column with exactly this text; WEIR_CSV_NO_COLUMN where there is none. */
size_t weir_csv_find(const struct weir_csv_row *row, const char *name);

/* Empty for a column that the row does not have, WEIR_CSV_NO_COLUMN included. */
static inline struct weir_slice weir_csv_cell(const struct weir_csv_row *row, size_t column)
{
	return column < row->count ? row->cells[column] : (struct weir_slice){"", 0};
}

/*
 * For sniffers. The first line of *rest, without its line break, is taken off it; false where
 * nothing is left.
 */
bool weir_csv_take_line(struct weir_slice *rest, struct weir_slice *line);
/* The first `max` cells of one line; doubled quotes as they stand. Returns how many there are, not
 * more than max. */
size_t weir_csv_split(struct weir_slice line, const struct weir_csv_options *options,
                      struct weir_slice *cells, size_t max);

#endif
