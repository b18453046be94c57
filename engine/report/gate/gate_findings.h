/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences about the findings of a gate, plain texts as those of gate_phrases.h. */
#ifndef WEIR_REPORT_GATE_GATE_FINDINGS_H
#define WEIR_REPORT_GATE_GATE_FINDINGS_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"

/* Returns the row to quote: the first one of the finding. */
const struct weir_row *weir_gate_lead(const struct weir_gate_result *result,
                                      const struct weir_gate_finding *finding);

/* Appends "aten::mm in decode takes 12.0 % more device time at p50 (572 -> 640 us, 90 % interval
 * +11.2 to +12.7 %), +68.0 us per iteration; with it decode +4.7 %", or "all 16 operators got
 * about 8.0 % slower alike: machine or clock". */
void weir_gate_phrase_finding(const struct weir_gate_result *result,
                              const struct weir_gate_finding *finding, struct weir_text *out);

/* Appends the name of the cause, not cut: "decode/aten::mm", "all operators". */
void weir_gate_print_cause(const struct weir_gate_result *result,
                           const struct weir_gate_finding *finding, struct weir_text *out);

/* Appends "decode p50 +4.7 %" or "all operators +8.0 %". */
void weir_gate_print_title(const struct weir_gate_result *result,
                           const struct weir_gate_finding *finding, struct weir_text *out);

/* Appends the cause's metrics that changed, without the quoted one: "p90 +5.0 %, shift +4.8 %". */
void weir_gate_print_metrics(const struct weir_gate_result *result,
                             const struct weir_gate_finding *finding, const struct weir_row *lead,
                             struct weir_text *out);

/* Returns the number of findings with an outcome. */
size_t weir_gate_count_findings(const struct weir_gate_result *result, enum weir_outcome outcome);

/* Returns true if the row before row `index` of the finding has another scope. */
bool weir_gate_is_first_of_scope(const struct weir_gate_result *result,
                                 const struct weir_gate_finding *finding, size_t index);

#define WEIR_GATE_WAIVERS     8 /* waivers printed in one advice */
#define WEIR_GATE_LONG_SCOPE  200
#define WEIR_GATE_SHORT_SCOPE 40

/*
 * Appends a weir.json of several lines that accepts the regressions, without a last line break. A
 * scope of more than `columns`, or with characters that are special in patterns, becomes a pattern.
 * Returns false if no waiver can cover one of them.
 */
bool weir_gate_print_acceptance(const struct weir_gate_result *result, size_t columns,
                                struct weir_text *out);

#endif
