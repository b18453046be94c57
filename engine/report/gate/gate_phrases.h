/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sentences that the gate's writers share. Plain texts, safe on a terminal; what is not known
 * is left out. Rows are taken in the order of the result, which is worst first.
 */
#ifndef WEIR_REPORT_GATE_PHRASES_H
#define WEIR_REPORT_GATE_PHRASES_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"
#include "engine/report/words/phrases.h"

/* The first row of an outcome, or NULL. */
const struct weir_row *weir_gate_first(const struct weir_gate_result *result,
                                       enum weir_outcome outcome);
/* Something was compared: not a verdict about why nothing could be. */
bool weir_gate_compared(const struct weir_gate_result *result);

/* "decode got 4.7 % slower at p50 (572 -> 599 us, 90 % interval +4.2 to +5.2 %)"; never empty. */
void weir_gate_phrase_headline(const struct weir_gate_result *result, struct weir_text *out);
/* The same of one row, whatever its outcome. */
void weir_gate_phrase_row(const struct weir_row *row, struct weir_text *out);
/* "8 baseline runs, 3 candidate runs of 300" · device · baseline · environment */
void weir_gate_items_context(const struct weir_gate_result *result, struct weir_items *items);
/* "bound of decode: memory, now runtime" · "found by p50, p95 and the overall shift" */
void weir_gate_items_bound(const struct weir_gate_result *result, struct weir_items *items);
/* "18 rows without a regression: 9 unchanged, 9 inconclusive"; empty where there are none. */
void weir_gate_phrase_counts(const struct weir_gate_result *result, struct weir_text *out);
/* "p50 from 2 %, p99 from 7 % to 31 %": the changes that stages and figures would have shown. */
void weir_gate_phrase_seen(const struct weir_gate_result *result, struct weir_text *out);
/* What to type next. Returns its label ("to accept it"); NULL: nothing to do. */
const char *weir_gate_phrase_next(const struct weir_gate_result *result, struct weir_text *out);
/* "weir gate RUN... --baseline main" */
void weir_gate_phrase_command(const struct weir_gate_result *result, struct weir_text *out);
/* "fp8 fallback; covers up to 12 %, until 2027-01-31; URL", or why it no longer covers. */
void weir_gate_phrase_waiver(const struct weir_waiver *waiver, struct weir_text *out);

#define WEIR_GATE_MAX_LIMIT (WEIR_MAX_ITEMS - 1)

/* Where Markdown puts a section: beside the table, among the collapsed details, or at the end. */
enum weir_gate_place {
	WEIR_GATE_OPEN,
	WEIR_GATE_FOLDED,
	WEIR_GATE_LAST,
};

/* Lines below the table of rows. */
struct weir_gate_section {
	const char *id, *label;
	enum weir_gate_place place;
	/* At most `limit` items (WEIR_GATE_MAX_LIMIT at most) and one that says how many more. */
	void (*fill)(const struct weir_gate_result *result, size_t limit, struct weir_items *items);
	bool tabled; /* HTML has a table that says the same */
};

extern const struct weir_gate_section weir_gate_sections[]; /* ends with a NULL id */

#endif
