/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs and their positions, for weir.report/1. */
#ifndef WEIR_REPORT_JSON_GRAPHS_H
#define WEIR_REPORT_JSON_GRAPHS_H

#include "engine/base/jsonout.h"
#include "engine/model/report.h"

/* The member "graphs"; nothing where none was replayed. */
void weir_json_put_graphs(struct weir_jsonout *json, const struct weir_report *report);

#endif
