/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path, for weir.report/1. */
#ifndef WEIR_REPORT_JSON_PATH_H
#define WEIR_REPORT_JSON_PATH_H

#include "engine/base/jsonout.h"
#include "engine/model/report.h"

/* The member "critical_path"; null without a timeline of a device. */
void weir_json_put_critical_path(struct weir_jsonout *json, const struct weir_report *report);

#endif
