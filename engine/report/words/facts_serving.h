/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of requests, their cost and the monitor: above the tables and below them. */
#ifndef WEIR_REPORT_FACTS_SERVING_H
#define WEIR_REPORT_FACTS_SERVING_H

#include "engine/report/words/phrases.h"

/* Lines of the context. */
void weir_items_requests(const struct weir_report *report, struct weir_items *items);
void weir_items_telemetry(const struct weir_report *report, struct weir_items *items);
/* "3 inputs: requests + telemetry + timeline"; nothing for one input, or for timelines alone. */
void weir_items_inputs(const struct weir_report *report, struct weir_items *items);

/* Fact lines. */
void weir_fill_waiting(const struct weir_report *report, struct weir_items *items);
void weir_fill_batches(const struct weir_report *report, struct weir_items *items);
void weir_fill_first_token(const struct weir_report *report, struct weir_items *items);
void weir_fill_tokens(const struct weir_report *report, struct weir_items *items);
void weir_fill_goodput(const struct weir_report *report, struct weir_items *items);
void weir_fill_cost(const struct weir_report *report, struct weir_items *items);
void weir_fill_telemetry(const struct weir_report *report, struct weir_items *items);
void weir_fill_notes(const struct weir_report *report, struct weir_items *items);

#endif
