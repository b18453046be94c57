/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a run as JSON that weir.run/1 and weir.baseline/1 have in common. Errors name the
 * place inside the object that is handed over: "labels.gpu: expected text".
 */
#ifndef WEIR_MODEL_RUN_DOCUMENT_H
#define WEIR_MODEL_RUN_DOCUMENT_H

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/jsonout.h"
#include "engine/model/run.h"

/* The member "labels" of the object, where it has one. WEIR_E_FORMAT: a value is no text, or a key
 * is given twice. */
enum weir_status weir_run_read_labels(const cJSON *object, struct weir_run *run,
                                      struct weir_error *err);
/* {"values": [...], "better": "higher", "unit": "1/s"} into an empty series. Values are any finite
 * numbers, for a figure may be negative. WEIR_E_FORMAT, or WEIR_E_EMPTY where there is no value. */
enum weir_status weir_run_read_metric(const cJSON *metric, struct weir_series *series,
                                      struct weir_error *err);

/* A member "labels", by key; none where the run has no label. */
void weir_run_write_labels(struct weir_jsonout *json, const struct weir_run *run);
/* A member with the table's name, its series by name: lists of values, which read back as the same
 * doubles, or metrics. */
void weir_run_write_table(struct weir_jsonout *json, const struct weir_run *run,
                          enum weir_run_table table);

#endif
