/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes would save, and what the profiler cost, for weir.report/1. */
#ifndef WEIR_REPORT_JSON_WHAT_IF_H
#define WEIR_REPORT_JSON_WHAT_IF_H

#include "engine/base/jsonout.h"
#include "engine/model/report.h"

/* The members "what_if" and "profiler"; null where nothing was asked or nothing is known. */
void weir_json_put_what_ifs(struct weir_jsonout *json, const struct weir_report *report);
/* The member "saving" of a recommendation; null where no timeline says. */
void weir_json_put_saving(struct weir_jsonout *json,
                          const struct weir_recommendation *recommendation);
void weir_json_put_profiler(struct weir_jsonout *json, const struct weir_report *report);

#endif
