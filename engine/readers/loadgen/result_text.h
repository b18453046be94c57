/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads texts in which a benchmark prints its results, one after the other and among other lines:
 * logs, pages in Markdown. A reader takes the lines: it begins a result, sets members of the
 * summary, labels and further figures of the run. The results of a text are joined (load_join.h),
 * and headings of the text distinguish them.
 */
#ifndef WEIR_READERS_LOADGEN_RESULT_TEXT_H
#define WEIR_READERS_LOADGEN_RESULT_TEXT_H

#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/heading.h"

struct weir_result_text {
	struct weir_input *input;
	const struct weir_csv_row *row;     /* the line that is being read */
	struct weir_run *run;               /* of the result that is being read; owned */
	struct weir_client_summary summary; /* of that result */
	struct weir_load_join join;
	struct weir_heading heading, of_result; /* of the line, and of that result */
	bool begun;                             /* a result is being read */
};

/* The functions of a reader of such texts, and its words. `state` is its own. */
struct weir_result_form {
	/* Takes a line without blanks around it. */
	enum weir_status (*take)(struct weir_result_text *text, void *state, struct weir_slice line,
	                         struct weir_error *err);
	/* Ends the last result; NULL: weir_result_text_end() does. */
	enum weir_status (*end)(struct weir_result_text *text, void *state, struct weir_error *err);
	const char *tool;     /* in the error that finds no result */
	const char *expected; /* lines of a result, for that error */
};

/* Reads a text into the input's run. */
enum weir_status weir_result_text_read(const struct weir_result_form *form, void *state,
                                       struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err);

/* Begins a result below the heading in force. There must be none that is being read. */
void weir_result_text_begin(struct weir_result_text *text);
/* Checks the result that is being read and joins it, if it has a figure. */
enum weir_status weir_result_text_end(struct weir_result_text *text, struct weir_error *err);

/* Takes a number off the start of `rest`, a part of the line. Returns false for another text, and,
 * with a warning, for a number that the end of the file may cut. */
bool weir_result_text_number(struct weir_result_text *text, struct weir_slice *rest, double *value);
/* Sets a statistic of the times at a slot: "mean", "p99", "p66", "min", "max". A time of 0 or a
 * name that is too long is passed over. */
void weir_result_text_time(struct weir_result_text *text, size_t slot, struct weir_slice statistic,
                           double ms);

#endif
