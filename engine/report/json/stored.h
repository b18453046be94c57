/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads stored results: weir.report/1 and weir.gate/1, written by weir or by anyone else.
 * document.h lists the checks. Damage and wrong types are WEIR_E_FORMAT, a size beyond its limit is
 * WEIR_E_LIMIT.
 *
 * Values that a document does not hold are unknown, and the writers leave them out: the samples for
 * the sketch of a stage, the features of rules.
 */
#ifndef WEIR_REPORT_JSON_STORED_H
#define WEIR_REPORT_JSON_STORED_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/source.h"
#include "engine/model/comparison.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"
#include "engine/report/json/document.h"
#include "engine/report/writer.h"

#define WEIR_REPORT_MAX_INPUTS 16384
#define WEIR_REPORT_MAX_ROWS   50000  /* rows of every other list; one takes about 2 KiB */
#define WEIR_REPORT_MAX_FIGURE 1e18   /* largest number: more than thirty years in nanoseconds */
#define WEIR_GATE_MAX_ROWS     200000 /* rows of every list */

extern const struct weir_schema weir_report_schema; /* struct weir_report */
extern const struct weir_schema weir_gate_schema;   /* struct weir_gate_result */

/* Finds the kind of a document from its schema; WEIR_E_FORMAT: any other schema. */
enum weir_status weir_result_kind_of(const cJSON *document, enum weir_result_kind *kind,
                                     struct weir_error *err);

/* Owns the report and the profile that the report borrows. */
struct weir_stored_report {
	struct weir_report *report;
	struct weir_profile *profile; /* inputs and warnings; its timelines are empty */
};

/*
 * Reads a document of kind WEIR_RESULT_REPORT. *out is the caller's, NULL after a failure. The
 * features, which give the units of evidence, are borrowed for its lifetime.
 */
enum weir_status weir_stored_report_of(const cJSON *document,
                                       const struct weir_feature_table *features,
                                       struct weir_stored_report **out, struct weir_error *err);
/* Parses a document; any other schema is WEIR_E_FORMAT. */
enum weir_status weir_stored_report_parse(const char *text, size_t len,
                                          const struct weir_feature_table *features,
                                          struct weir_stored_report **out, struct weir_error *err);
void weir_stored_report_free(struct weir_stored_report *stored); /* NULL is fine */

/* Reads a document of kind WEIR_RESULT_GATE; *out is the caller's, NULL after a failure. */
enum weir_status weir_gate_of(const cJSON *document, struct weir_gate_result **out,
                              struct weir_error *err);
/* Parses a document. *out is the caller's, NULL for WEIR_RESULT_REPORT. */
enum weir_status weir_gate_parse(const char *text, size_t len, enum weir_result_kind *kind,
                                 struct weir_gate_result **out, struct weir_error *err);
/* Reads the rest of a source and parses it. */
enum weir_status weir_gate_read(struct weir_source *source, enum weir_result_kind *kind,
                                struct weir_gate_result **out, struct weir_error *err);

#endif
