/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several files of one run: on which stretch of time they can be laid over each other, and what of
 * them contradicts. Nothing is averaged away: what does not fit is a note in the report.
 */
#ifndef WEIR_ANALYSIS_JOINING_H
#define WEIR_ANALYSIS_JOINING_H

#include "engine/analysis/requests/serving.h"
#include "engine/model/report.h"

/* A stretch of Unix time; 0, 0: none is known. */
struct weir_stretch {
	int64_t start_ns, end_ns;
};

/* From the first arrival to the last response, of requests in Unix time. */
struct weir_stretch weir_requests_stretch(const struct weir_serving *serving);
/* From the first to the last event of the timelines that state their Unix time. */
struct weir_stretch weir_traces_stretch(const struct weir_profile *profile);

/* Adds notes to the report, whose requests, telemetry and gpu are filled. serving: NULL without
 * requests. */
void weir_join(const struct weir_profile *profile, const struct weir_serving *serving,
               struct weir_report *report);

/* A note: code is static, the text is formatted into the report's arena. */
void weir_report_note(struct weir_report *report, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
