/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures and names of a gate's rows as people read them. All texts are plain and safe on a
 * terminal; Markdown, XML and JSON escape them once more. What is not known is "-".
 */
#ifndef WEIR_REPORT_GATE_FIGURES_H
#define WEIR_REPORT_GATE_FIGURES_H

#include <stdint.h>

#include "engine/base/text.h"
#include "engine/model/comparison.h"

/* "decode", "decode (device)", "decode/aten::mm", "tokens_per_s", "all operators"; not cut. */
void weir_gate_print_subject(const struct weir_row *row, struct weir_text *out);
/* A name inside a sentence, cut where it is long. */
void weir_gate_print_name(const char *name, struct weir_text *out);
/* "decode p50"; the subject is cut where it is long. */
void weir_gate_print_row(const struct weir_row *row, struct weir_text *out);
/* A text of the result inside a sentence: cut where nobody would read on. */
void weir_gate_print_text(const char *text, struct weir_text *out);

void weir_gate_print_baseline(const struct weir_row *row, struct weir_text *out);  /* "572 us" */
void weir_gate_print_candidate(const struct weir_row *row, struct weir_text *out); /* "599 us" */
void weir_gate_print_pair(const struct weir_row *row, struct weir_text *out); /* "572 -> 599 us" */

void weir_gate_print_change(double change, struct weir_text *out); /* "+4.7 %" */
void weir_gate_print_size(double change, struct weir_text *out);   /* "4.7 %": without its sign */
void weir_gate_print_limit(double share, struct weir_text *out);   /* "3 %": of a setting */
/* The 90 % interval of the change: "+4.2 to +5.2 %", and "+4.2 .. +5.2" for a column. */
void weir_gate_print_interval(const struct weir_row *row, struct weir_text *out);
void weir_gate_print_range(const struct weir_row *row, struct weir_text *out);
void weir_gate_print_p(double p, struct weir_text *out);                  /* "<1e-6", "4e-5" */
void weir_gate_print_time_change(double delta_ns, struct weir_text *out); /* "+2.10 ms" */
void weir_gate_print_calls(double baseline, double candidate, struct weir_text *out);
/* "3 runs", "1 run" */
void weir_gate_print_counted(uint64_t count, const char *singular, struct weir_text *out);
/* One word of a POSIX shell, in quotes where it needs them. */
void weir_gate_print_shell_word(const char *word, struct weir_text *out);

#endif
