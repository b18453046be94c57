/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures and names of a gate's rows in readable form. All texts are plain and safe on a terminal;
 * Markdown, XML and JSON escape them once more. An unknown value is "-".
 */
#ifndef WEIR_REPORT_GATE_GATE_FIGURES_H
#define WEIR_REPORT_GATE_GATE_FIGURES_H

#include <stdint.h>

#include "engine/base/text.h"
#include "engine/model/comparison.h"
#include "engine/report/tables/tables.h"

/*
 * Appends a sentence about a row. These words of the template are replaced:
 *
 *	{subject}    "decode", "decode (device)", "decode/aten::mm", "all operators"; not cut
 *	{row}        "decode p50"; the subject is cut where it is long
 *	{metric}     "p50"
 *	{baseline}   "572 us", as {candidate}
 *	{pair}       "572 -> 599 us"
 *	{change}     "+4.7 %"
 *	{size}       "4.7 %": the change without its sign
 *	{interval}   "+4.2 to +5.2 %": the 90 % interval of the change
 *	{range}      "+4.2 .. +5.2": the same for a column
 *	{margin}     "3 %"
 *	{p}          "<1e-6", "4e-5": adjusted
 */
void weir_gate_say(const struct weir_row *row, const char *template, struct weir_text *out);

void weir_gate_print_subject(const struct weir_row *row, struct weir_text *out); /* {subject} */
void weir_gate_print_row(const struct weir_row *row, struct weir_text *out);     /* {row} */
void weir_gate_print_name(const char *name, struct weir_text *out); /* cut for a sentence */
void weir_gate_print_text(const char *text,
                          struct weir_text *out); /* a reason or remark, cut for a sentence */
/* Appends "572 us", or "61.2 tok/s"; unit: "ns", another one, or NULL. */
void weir_gate_print_value(double value, const char *unit, struct weir_text *out);
void weir_gate_print_change(double change, struct weir_text *out);        /* "+4.7 %" */
void weir_gate_print_size(double change, struct weir_text *out);          /* "4.7 %" */
void weir_gate_print_limit(double share, struct weir_text *out);          /* "3 %": a limit */
void weir_gate_print_p(double p, struct weir_text *out);                  /* "<1e-6", "4e-5" */
void weir_gate_print_time_change(double delta_ns, struct weir_text *out); /* "+2.10 ms" */
/* Appends "26 -> 58 calls", "new, 2 calls" or "gone"; nothing if neither is known. */
void weir_gate_print_calls(double baseline, double candidate, struct weir_text *out);
/* Appends "fp8 fallback; up to 12 %, until 2027-01-31; URL", or why the waiver does not apply. */
void weir_gate_print_waiver(const struct weir_waiver *waiver, struct weir_text *out);
/* Appends a word for a POSIX shell, quoted if needed. */
void weir_gate_print_shell_word(const char *word, struct weir_text *out);

/* Columns of rows for Markdown and HTML; text has its own columns, which fit 80 characters. */
struct weir_gate_column {
	const char *id; /* class of its cells in HTML */
	const char *header;
	enum weir_align align;
	const char *template; /* of weir_gate_say(); names are not cut */
};

extern const struct weir_gate_column weir_gate_columns[]; /* the names first; ends with a NULL id */

#endif
