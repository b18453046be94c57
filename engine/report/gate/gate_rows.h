/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences about one row of a gate, plain texts as those of gate_phrases.h. */
#ifndef WEIR_REPORT_GATE_GATE_ROWS_H
#define WEIR_REPORT_GATE_GATE_ROWS_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"

/* Appends "decode got 4.7 % slower at p50 (572 -> 599 us, 90 % interval +4.2 to +5.2 %)" about a
 * row of any outcome. */
void weir_gate_phrase_row(const struct weir_row *row, struct weir_text *out);

/* Appends " (572 -> 599 us, 90 % interval +4.2 to +5.2 %)", or the part of it that is known. */
void weir_gate_phrase_proof(const struct weir_row *row, struct weir_text *out);

#endif
