/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a result back: weir.gate/1 as gate_json.c writes it, or as a stranger put it into an
 * artifact. Every size meets a limit, every type is checked, and an error names the place:
 * "rows[3].ci90[1]: expected a number or null". Unknown keys are left alone: a later version may
 * have written them.
 */
#ifndef WEIR_REPORT_GATE_READ_H
#define WEIR_REPORT_GATE_READ_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/source.h"
#include "engine/model/comparison.h"
#include "engine/report/json/result_read.h"

#define WEIR_GATE_MAX_ROWS 200000 /* also of labels, differences, contributions and remarks */

/* A document that weir_result_kind_of() calls a gate; *out is the caller's, NULL after a failure.
 */
enum weir_status weir_gate_of(const cJSON *document, struct weir_gate_result **out,
                              struct weir_error *err);
/*
 * *out is the caller's, NULL for WEIR_RESULT_REPORT. Damage and wrong types are WEIR_E_FORMAT, a
 * size beyond its limit is WEIR_E_LIMIT.
 */
enum weir_status weir_gate_parse(const char *text, size_t len, enum weir_result_kind *kind,
                                 struct weir_gate_result **out, struct weir_error *err);
/* Reads the rest of a source whole and parses it. */
enum weir_status weir_gate_read(struct weir_source *source, enum weir_result_kind *kind,
                                struct weir_gate_result **out, struct weir_error *err);

#endif
