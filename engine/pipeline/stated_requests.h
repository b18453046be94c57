/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides the mean request of a load generator's result into the time to the first token and the
 * time of the further ones, by the means that the result states. Works for one run with such
 * figures in milliseconds (mean_e2el_ms, mean_ttft_ms; engine/readers/loadgen); several results in
 * one file, whose figures have their loads in front, are not divided. If the time of a whole
 * request is missing, it is the sum of its first token and its other tokens' intervals.
 */
#ifndef WEIR_PIPELINE_STATED_REQUESTS_H
#define WEIR_PIPELINE_STATED_REQUESTS_H

#include <stdbool.h>

#include "engine/model/report.h"

/* Returns a headline, as a template in the report's arena, that says which part of a mean request
 * takes longest; NULL if the result does not state it, or if no token came before the last one
 * (answers that were not streamed). */
const char *weir_describe_stated_requests(struct weir_report *report);
/* Returns a headline, as a template in the report's arena, with the rate of requests and their mean
 * time, as far as the only run states them; NULL if it states no rate. */
const char *weir_describe_stated_rate(struct weir_report *report);
/* Notes the times of requests and their parts, and the throughput. Returns false, without a note,
 * if no run states the mean time of a request. */
bool weir_note_stated_requests(struct weir_report *report);

#endif
