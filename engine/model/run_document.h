/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of a run in JSON that weir.run/1 and weir.baseline/1 share. Errors name the place inside
 * the object: "labels.gpu: expected text".
 */
#ifndef WEIR_MODEL_RUN_DOCUMENT_H
#define WEIR_MODEL_RUN_DOCUMENT_H

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/jsonout.h"
#include "engine/model/run.h"

/* Reads the member "labels" of the object, if there is one. WEIR_E_FORMAT: a value is not text, or
 * a key occurs twice. */
enum weir_status weir_run_read_labels(const cJSON *object, struct weir_run *run,
                                      struct weir_error *err);
/* Reads {"values": [...], "better": "higher", "unit": "1/s"} into an empty series. Values may be
 * negative. WEIR_E_FORMAT, or WEIR_E_EMPTY without a value. */
enum weir_status weir_run_read_metric(const cJSON *metric, struct weir_series *series,
                                      struct weir_error *err);

/* Writes the member "labels", sorted by key; nothing for a run without labels. */
void weir_run_write_labels(struct weir_jsonout *json, const struct weir_run *run);
/* Writes a table as a member, series sorted by name: lists of values, which read back as equal
 * doubles, or metrics. */
void weir_run_write_table(struct weir_jsonout *json, const struct weir_run *run,
                          enum weir_run_table table);
/*
 * Appends a run as the document weir.run/1, unit "ns", and a final line break. Series and labels
 * are sorted by name; values keep their order. Empty tables are left out, except `stages`.
 */
void weir_run_json(const struct weir_run *run, struct weir_text *out);

#endif
