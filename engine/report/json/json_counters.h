/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What counters say, for weir.report/1 and as lines for people. */
#ifndef WEIR_REPORT_JSON_COUNTERS_H
#define WEIR_REPORT_JSON_COUNTERS_H

#include "engine/base/jsonout.h"
#include "engine/model/report.h"

/* The member "counters"; nothing where no counters were given. */
void weir_json_put_counters(struct weir_jsonout *json, const struct weir_report *report);
/* The member "counters" of an operator; nothing where none judge it. */
void weir_json_put_operator_counters(struct weir_jsonout *json,
                                     const struct weir_operator_row *row);

#endif
