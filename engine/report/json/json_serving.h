/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of weir.report/1 about requests and monitors. */
#ifndef WEIR_REPORT_JSON_SERVING_H
#define WEIR_REPORT_JSON_SERVING_H

#include "engine/base/jsonout.h"
#include "engine/model/report.h"

void weir_json_put_requests(struct weir_jsonout *json, const struct weir_report *report);
void weir_json_put_telemetry(struct weir_jsonout *json, const struct weir_report *report);
void weir_json_put_notes(struct weir_jsonout *json, const struct weir_report *report);
/* What a stage has beyond the contract: shares at p50 and p99, cost, bounds of its quantiles. */
void weir_json_put_stage(struct weir_jsonout *json, const struct weir_stage_row *stage);

#endif
