/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs as a long table, for databases and data frames: one row for each run, scope and metric.
 *
 * Columns: run (id), recorded, commit, labels (a JSON object), scope ("stage:decode"), metric
 * ("time", "calls", or the name of a per-run figure), unit ("ns"), n (samples), p50, p90, p95, p99
 * (of times), mean, value (median of calls and per-run figures). An unknown figure is an empty
 * field in CSV and null in JSON lines; a pruned run has no mean. Lines end with LF, fields are
 * quoted as in RFC 4180.
 */
#ifndef WEIR_CLI_BASELINE_ROWS_H
#define WEIR_CLI_BASELINE_ROWS_H

#include <stdbool.h>

#include "baselines/baseline.h"
#include "engine/base/text.h"

enum weir_rows_form { WEIR_ROWS_CSV, WEIR_ROWS_JSONL };

/* Parses "csv" or "jsonl". */
bool weir_rows_form_parse(const char *name, enum weir_rows_form *out);

/* Appends what comes before the first row: the names of the columns in CSV, nothing in JSON. */
void weir_rows_begin(enum weir_rows_form form, struct weir_text *text);
/* Appends the rows of a stored run, by kind of scope and name. */
void weir_rows_add(enum weir_rows_form form, const struct weir_baseline_run *run,
                   struct weir_text *text);

#endif
