/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile's analysis, in two halves with the rules between them: what was found gives subjects
 * (groups of device work) that the rules judge; with their verdicts set, the time is attributed and
 * the report filled, whose stages and profile the rules judge then. The analysis borrows the
 * profile.
 */
#ifndef WEIR_ANALYSIS_ANALYZE_H
#define WEIR_ANALYSIS_ANALYZE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"
#include "engine/model/run.h"
#include "engine/model/settings.h"
#include "engine/model/what_if.h"

/* Groups beyond the largest so many stay without a verdict: their time is unattributed. */
#define WEIR_MAX_SUBJECTS 2048

struct weir_analysis_options {
	bool steady;             /* set warm-up, incomplete and one-off steps apart */
	double percentile;       /* at which shares of stages are read: 0.95 */
	const char *device_name; /* overrides the trace's device in the device table; NULL: none */
	const struct weir_settings *settings; /* borrowed; NULL: nothing is stated */
	const struct weir_change *changes;    /* borrowed: --what-if, one by one */
	size_t change_count;
	bool detail; /* fill report->detail, which costs time and memory */
};

struct weir_analysis;

/* WEIR_E_EMPTY: the inputs hold no timing. WEIR_E_USAGE: no such device in the table. */
enum weir_status weir_analysis_new(const struct weir_profile *profile,
                                   const struct weir_analysis_options *options,
                                   struct weir_analysis **out, struct weir_error *err);
void weir_analysis_free(struct weir_analysis *analysis);

/* Groups of device work, largest first. */
size_t weir_analysis_subject_count(const struct weir_analysis *analysis);
void weir_analysis_subject(const struct weir_analysis *analysis, size_t index,
                           struct weir_subject *out);
void weir_analysis_set_verdict(struct weir_analysis *analysis, size_t index,
                               const struct weir_verdict *verdict);

/* Fills everything but the verdicts of stages and profile and the recommendations. */
void weir_analysis_report(const struct weir_analysis *analysis, struct weir_report *report);

/* With the verdicts about requests and device: completes the attribution and the verdicts of the
 * stages of requests. device: NULL where no timeline decides. Nothing to do without requests. */
void weir_analysis_settle(const struct weir_analysis *analysis, const struct weir_verdict *requests,
                          const struct weir_verdict *device, struct weir_report *report);

/*
 * What the step would take after one change at a time, against what it takes now; the verdicts of
 * the subjects are set, and the report filled by weir_analysis_report(). Both are borrowed.
 * weir_retimer_ask() leaves the stages out; unknown where no timeline says, and where the median
 * step is less than half of the mean, or most steps lack their work: it stands for few of them.
 */
struct weir_retimer;
struct weir_retimer *weir_retimer_new(const struct weir_analysis *analysis,
                                      const struct weir_report *report);
void weir_retimer_free(struct weir_retimer *retimer);
void weir_retimer_ask(struct weir_retimer *retimer, const struct weir_change *change,
                      struct weir_what_if *out);

/* The profile as one run: a value an occurrence of each stage; operators by device time in it. */
void weir_analysis_run(const struct weir_analysis *analysis, struct weir_run *run);

#endif
