/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bottleneck map: stages of requests in order from arrival to response, with their share of the
 * request time around three percentiles. The middle percentile is the requested one.
 */
#ifndef WEIR_REPORT_WORDS_MAP_H
#define WEIR_REPORT_WORDS_MAP_H

#include "engine/base/text.h"
#include "engine/model/report.h"

enum weir_map_place { WEIR_MAP_P50, WEIR_MAP_ASKED, WEIR_MAP_P99, WEIR_MAP_PLACES };

/* Returns true if a stage is a row of the map. The time between stages is one if it holds at least
 * 0.1 %. */
bool weir_map_holds(const struct weir_report *report, size_t stage);
/* Returns true if stages have figures from counters and histograms only: quantiles are estimates.
 */
bool weir_map_is_counted(const struct weir_report *report);
/* Returns false if the percentile is the same as the requested one. */
bool weir_map_has_place(const struct weir_report *report, enum weir_map_place place);
/* Appends "p95", "p99.9". */
void weir_map_label(const struct weir_report *report, enum weir_map_place place,
                    struct weir_text *out);
double weir_map_share(const struct weir_stage_row *stage, enum weir_map_place place);
/* Returns the quantile of a distribution; NAN: the report does not hold this percentile. */
double weir_map_quantile(const struct weir_report *report,
                         const struct weir_distribution *distribution, enum weir_map_place place);
/* Returns the bounds of a quantile of a histogram; NULL: not known. `counted` may be NULL. */
const struct weir_quantile_bounds *weir_map_bounds(const struct weir_report *report,
                                                   const struct weir_stage_counted *counted,
                                                   enum weir_map_place place);
/* Returns the sum of the known shares at a percentile: 1, or less if some time is in no row; 0: no
 * share is known. */
double weir_map_total(const struct weir_report *report, enum weir_map_place place);

#endif
