/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Says what the figures of a load generator show over several loads of one run, whose names begin
 * with the load: "concurrency@4/p99_latency_ms" (engine/readers/loadgen).
 */
#ifndef WEIR_PIPELINE_STATED_LOADS_H
#define WEIR_PIPELINE_STATED_LOADS_H

#include "engine/model/report.h"

/* Returns a headline, as a template in the report's arena, that says from which number of
 * concurrent requests on the throughput does not grow; NULL if no run has two or more results that
 * differ in nothing but this number. */
const char *weir_describe_stated_loads(struct weir_report *report);
/* Returns a headline, as a template in the report's arena, with the range of the main figure over
 * the results of the only run; NULL if it has fewer than two. */
const char *weir_describe_stated_ranges(struct weir_report *report);
/* Notes the ranges of the main figures over the loads, and the parts of a mean request at the
 * highest number of concurrent requests. */
void weir_note_stated_loads(struct weir_report *report);

#endif
