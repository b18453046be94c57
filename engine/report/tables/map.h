/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bottleneck map: the stages of requests in order from arrival to response, with the share of
 * the time of the requests around three percentiles that each of them holds. The middle one is the
 * percentile that was asked for.
 */
#ifndef WEIR_REPORT_MAP_H
#define WEIR_REPORT_MAP_H

#include "engine/model/report.h"
#include "engine/report/plain/layout.h"

enum weir_map_place { WEIR_MAP_P50, WEIR_MAP_ASKED, WEIR_MAP_P99, WEIR_MAP_PLACES };

/* Whether this stage is a row of the map. Time between stages is one where it holds 0.1 % or more.
 */
bool weir_map_holds(const struct weir_report *report, size_t stage);
/* Whether stages are known from counters and histograms only: quantiles are estimates. */
bool weir_map_is_counted(const struct weir_report *report);
/* False where the percentile that was asked for is this one already. */
bool weir_map_has_place(const struct weir_report *report, enum weir_map_place place);
/* "p95", "p99.9" */
void weir_map_label(const struct weir_report *report, enum weir_map_place place,
                    struct weir_text *out);
double weir_map_share(const struct weir_stage_row *stage, enum weir_map_place place);
/* The quantile of a distribution there; NAN where it is not kept. */
double weir_map_quantile(const struct weir_report *report,
                         const struct weir_distribution *distribution, enum weir_map_place place);
/* What the shares that are known add up to there: 1, or less where time is in no row; 0: none is.
 */
double weir_map_total(const struct weir_report *report, enum weir_map_place place);

/* A line that shows the whole path of the requests around the percentile that was asked for. */
void weir_map_write_text(const struct weir_report *report, const struct weir_layout *layout);
/* A bar for each percentile, and a legend. */
void weir_map_write_html(const struct weir_report *report, struct weir_text *out);

#endif
