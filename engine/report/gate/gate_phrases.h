/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sentences that the gate's writers share. They are plain texts, safe on a terminal; unknown parts
 * are left out. Rows are in the order of the result, worst first.
 */
#ifndef WEIR_REPORT_GATE_GATE_PHRASES_H
#define WEIR_REPORT_GATE_GATE_PHRASES_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"
#include "engine/report/plain/items.h"

/* Returns the first row with an outcome, or NULL. */
const struct weir_row *weir_gate_first(const struct weir_gate_result *result,
                                       enum weir_outcome outcome);
/* Returns true if rows were judged. */
bool weir_gate_compared(const struct weir_gate_result *result);

/* Returns true if the gate passes while more rows are open than proven unchanged or waived. */
bool weir_gate_is_undecided(const struct weir_gate_result *result);
/* Returns the first word of the answer: the verdict, or "undecided". */
const char *weir_gate_answer(const struct weir_gate_result *result);
/* Appends the headline, which is never empty: "decode got 4.7 % slower at p50 (572 -> 599 us, 90 %
 * interval +4.2 to +5.2 %)". */
void weir_gate_phrase_headline(const struct weir_gate_result *result, struct weir_text *out);
/* Adds "8 baseline runs, 3 candidate runs of 300 samples", the device, the baseline and the
 * environment. */
void weir_gate_items_context(const struct weir_gate_result *result, struct weir_items *items);
/* Adds "bound of decode: memory, now runtime" and "found by p50, p95 and the overall shift". */
void weir_gate_items_bound(const struct weir_gate_result *result, struct weir_items *items);
/* Appends "18 rows without a regression: 9 unchanged, 9 inconclusive"; nothing without such rows.
 */
void weir_gate_phrase_counts(const struct weir_gate_result *result, struct weir_text *out);
/* Appends which stages and metrics can be judged at p50: "sees 5 % or more in decode, prefill;
 * blind in tokenize (spread 20 %)". */
void weir_gate_phrase_seen(const struct weir_gate_result *result, struct weir_text *out);
/* Appends the next command and returns its label ("to accept it"); NULL: nothing to do. */
const char *weir_gate_phrase_next(const struct weir_gate_result *result, struct weir_text *out);
/* Appends the command that made the result, or "weir gate RUN... --baseline main" if it is not
 * known. */
void weir_gate_phrase_command(const struct weir_gate_result *result, struct weir_text *out);
/* The number of rows with an outcome, and its name: "unchanged". */
struct weir_gate_tally {
	uint64_t rows;
	const char *what;
};

/* Appends "9 unchanged, 2 inconclusive". Returns false if there are no rows. */
bool weir_gate_phrase_tally(const struct weir_gate_tally *tally, size_t count,
                            struct weir_text *out);

#define WEIR_GATE_MAX_LIMIT (WEIR_MAX_ITEMS - 1)

/* The place of a section in Markdown: after the table, inside the collapsed details, or at the end.
 */
enum weir_gate_place {
	WEIR_GATE_OPEN,
	WEIR_GATE_FOLDED,
	WEIR_GATE_LAST,
};

/* A labelled list below the table of rows. Its items are the rows that `chosen` accepts, or those
 * of `fill`. */
struct weir_gate_section {
	const char *id, *label;
	enum weir_gate_place place;
	bool tabled; /* HTML has a table with the same content */
	bool (*chosen)(const struct weir_gate_result *result, const struct weir_row *row);
	void (*print)(const struct weir_gate_result *result, const struct weir_row *row,
	              struct weir_text *out);
	/* Adds at most `limit` items. Returns how many more there are. */
	size_t (*fill)(const struct weir_gate_result *result, size_t limit,
	               struct weir_items *items);
};

/* Adds at most `limit` items (WEIR_GATE_MAX_LIMIT at most), and one with the number of the others.
 */
void weir_gate_section_fill(const struct weir_gate_section *section,
                            const struct weir_gate_result *result, size_t limit,
                            struct weir_items *items);

extern const struct weir_gate_section weir_gate_sections[]; /* ends with a NULL id */

#endif
