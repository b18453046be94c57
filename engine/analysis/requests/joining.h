/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Combines several files of one run: finds the time that they have in common, and notes in the
 * report where they contradict each other. Contradicting figures are never averaged.
 */
#ifndef WEIR_ANALYSIS_REQUESTS_JOINING_H
#define WEIR_ANALYSIS_REQUESTS_JOINING_H

#include "engine/analysis/requests/serving.h"
#include "engine/model/report.h"

/* A range of Unix time; 0, 0: unknown. */
struct weir_stretch {
	int64_t start_ns, end_ns;
};

/* Returns the time from the first arrival to the last response; unknown if not in Unix time. */
struct weir_stretch weir_requests_stretch(const struct weir_serving *serving);
/* Returns the time from the first to the last event of all timelines that state their Unix time. */
struct weir_stretch weir_traces_stretch(const struct weir_profile *profile);

/* Adds notes to the report, whose requests, telemetry and gpu must be filled. serving NULL: no
 * requests. */
void weir_join(const struct weir_profile *profile, const struct weir_serving *serving,
               struct weir_report *report);

#endif
