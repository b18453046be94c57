/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests that a load generator sent and that did not complete, as the labels of its run state
 * them. */
#ifndef WEIR_PIPELINE_REQUEST_COUNTS_H
#define WEIR_PIPELINE_REQUEST_COUNTS_H

#include "baselines/baseline.h"
#include "engine/model/comparison.h"
#include "engine/model/report.h"

struct weir_request_counts {
	double all;        /* requests; 0: not stated */
	double incomplete; /* of them: failed, or sent and without a result */
};

struct weir_request_counts weir_request_counts_of(const struct weir_run *run);

/* Notes how many requests of each run completed, if not all did. */
void weir_note_request_counts(struct weir_report *report);
/* Returns a headline, as a template in the report's arena, that says that MLPerf's LoadGen calls
 * the result of its test invalid, and why; NULL: it does not. */
const char *weir_describe_invalid_results(struct weir_report *report);
/* Notes whether the load generators were content: thresholds that failed, the scenario and the
 * validity of a test. */
void weir_note_results(struct weir_report *report);
/* Notes the tokens per second of prefill and decode in logs of llama.cpp, which state them: all
 * tokens over all time. */
void weir_note_token_rates(struct weir_report *report);
/* Remarks that the shares of requests which did not complete differ between the sides. */
void weir_remark_request_counts(const struct weir_baseline *baseline,
                                const struct weir_baseline *candidate,
                                struct weir_gate_result *result);

#endif
