/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of a gate made by hand for the tests of its writers. The caller frees each with
 * weir_gate_result_free(). */
#ifndef WEIR_TESTS_FIXTURE_GATE_H
#define WEIR_TESTS_FIXTURE_GATE_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"
#include "engine/report/gate_writer.h"

/* decode slower at p50 and p95, one waived row, one expired waiver, what came and went. */
struct weir_gate_result *fixture_gate_regression(void);
struct weir_gate_result *fixture_gate_pass(void);
struct weir_gate_result *fixture_gate_improvement(void);
struct weir_gate_result *fixture_gate_suspect(void); /* from a single run */
struct weir_gate_result *fixture_gate_inconclusive(void);
struct weir_gate_result *fixture_gate_environment(void);
struct weir_gate_result *fixture_gate_coverage(void);
struct weir_gate_result *fixture_gate_no_baseline(void);
/* The first one with names that try to break out: markup, mentions, escape sequences, bidirectional
 * marks, bytes that are no UTF-8, 10,000 characters, nothing at all; and figures no clock gives. */
struct weir_gate_result *fixture_gate_hostile(void);
/* The first one with `rows` rows that regressed, each with a long name of its own. */
struct weir_gate_result *fixture_gate_many(size_t rows);

typedef struct weir_gate_result *(*fixture_gate_maker)(void);
extern const fixture_gate_maker fixture_gates[]; /* all of the above but _many; ends with NULL */

/* The document one writer makes of it; options may be NULL. */
struct weir_text fixture_gate_write(const struct weir_gate_writer *writer,
                                    const struct weir_gate_result *result,
                                    const struct weir_gate_write_options *options);

#endif
