/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of a gate, made by hand for the tests of its writers. The caller frees each with
 * weir_gate_result_free(). */
#ifndef WEIR_TESTS_UNIT_FIXTURE_GATE_H
#define WEIR_TESTS_UNIT_FIXTURE_GATE_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"
#include "engine/report/writer.h"

/* decode is slower at p50 and p95; one waived row, one expired waiver, rows that are new or
 * missing. */
struct weir_gate_result *fixture_gate_regression(void);
struct weir_gate_result *fixture_gate_pass(void);
struct weir_gate_result *fixture_gate_improvement(void);
struct weir_gate_result *fixture_gate_suspect(void); /* from a single run */
struct weir_gate_result *fixture_gate_inconclusive(void);
struct weir_gate_result *fixture_gate_environment(void);
struct weir_gate_result *fixture_gate_coverage(void);
struct weir_gate_result *fixture_gate_no_baseline(void);
/* fixture_gate_regression() with names that try to break out: markup, mentions, escape
 * sequences, bidirectional marks, invalid UTF-8, 10,000 characters, an empty name; and with
 * impossible figures. */
struct weir_gate_result *fixture_gate_hostile(void);
/* fixture_gate_regression() with `rows` regressed rows, each with a different long name. */
struct weir_gate_result *fixture_gate_many(size_t rows);

typedef struct weir_gate_result *(*fixture_gate_maker)(void);
extern const fixture_gate_maker fixture_gates[]; /* all makers above except _many; ends with NULL */

/* Finds the causes of the rows and writes the result in the named format; options may be NULL. */
struct weir_text fixture_gate_write(const char *format, struct weir_gate_result *result,
                                    const struct weir_write_options *options);

#endif
