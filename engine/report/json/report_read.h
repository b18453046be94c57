/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a classification back: weir.report/1 as json.c writes it, or as a stranger put it into an
 * artifact. Every size meets a limit, every type is checked, and an error names the place:
 * "stages[3].p50_ns: expected a number or null". Unknown keys are left alone: a later version may
 * have written them.
 *
 * What the document does not hold stays unknown, and the writers leave it out: the samples behind
 * the sketch of a stage, the main kernel of an operator, the features of rules.
 */
#ifndef WEIR_REPORT_REPORT_READ_H
#define WEIR_REPORT_REPORT_READ_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"

#define WEIR_REPORT_MAX_INPUTS 16384
#define WEIR_REPORT_MAX_ROWS   50000 /* of every other list: a row takes about 2 KiB */
#define WEIR_REPORT_MAX_FIGURE 1e18  /* of any number, in nanoseconds over thirty years */

/* Owns the report and the profile that the report borrows. */
struct weir_stored_report {
	struct weir_report *report;
	struct weir_profile *profile; /* inputs and warnings; its timelines are empty */
};

/*
 * A document that weir_result_kind_of() calls a report. *out is the caller's, NULL after a failure;
 * the features, which give the figures of evidence their units, are borrowed for as long as it
 * lives. Damage and wrong types are WEIR_E_FORMAT, a size beyond its limit is WEIR_E_LIMIT.
 */
enum weir_status weir_stored_report_of(const cJSON *document,
                                       const struct weir_feature_table *features,
                                       struct weir_stored_report **out, struct weir_error *err);
/* The same from the text of a document; any other schema is WEIR_E_FORMAT. */
enum weir_status weir_stored_report_parse(const char *text, size_t len,
                                          const struct weir_feature_table *features,
                                          struct weir_stored_report **out, struct weir_error *err);
void weir_stored_report_free(struct weir_stored_report *stored); /* NULL is fine */

#endif
