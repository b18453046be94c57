/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The facts of a report as short items: the context above its tables, the labelled lines below
 * them.
 */
#ifndef WEIR_REPORT_WORDS_FACTS_H
#define WEIR_REPORT_WORDS_FACTS_H

#include "engine/model/report.h"
#include "engine/report/plain/items.h"

/* Returns the words for the JSON's name of a cause of idle time; other names as they are. */
const char *weir_idle_words(const char *cause);

/* Adds the context: requests, devices, steps, kernels, inputs. */
void weir_items_context(const struct weir_report *report, struct weir_items *items);
/* Adds one item for each clause of the rule of the verdict. */
void weir_items_evidence(const struct weir_report *report, struct weir_items *items);

/* A labelled line below the tables. */
struct weir_fact_line {
	const char *id, *label;
	void (*fill)(const struct weir_report *report, struct weir_items *items);
	const char *none; /* text without items; NULL: the line is left out */
	bool one_a_line;  /* items are sentences */
};

extern const struct weir_fact_line weir_fact_lines[]; /* ends with a NULL id */
/* Returns the title of all lines together. */
const char *weir_facts_title(const struct weir_report *report);

/* Parts of the context about requests and monitors: facts_serving.c. */
void weir_items_requests(const struct weir_report *report, struct weir_items *items);
void weir_items_telemetry(const struct weir_report *report, struct weir_items *items);
/* Adds "3 inputs: requests + telemetry + timeline"; nothing for one input, or for timelines only.
 */
void weir_items_inputs(const struct weir_report *report, struct weir_items *items);

/* Lines about requests, their cost and monitors: facts_serving.c. */
void weir_fill_waiting(const struct weir_report *report, struct weir_items *items);
void weir_fill_batches(const struct weir_report *report, struct weir_items *items);
void weir_fill_first_token(const struct weir_report *report, struct weir_items *items);
void weir_fill_tokens(const struct weir_report *report, struct weir_items *items);
void weir_fill_goodput(const struct weir_report *report, struct weir_items *items);
void weir_fill_cost(const struct weir_report *report, struct weir_items *items);
void weir_fill_telemetry(const struct weir_report *report, struct weir_items *items);
/* Lines about the state of a server: facts_server.c. */
void weir_fill_server_state(const struct weir_report *report, struct weir_items *items);
void weir_fill_kv_cache(const struct weir_report *report, struct weir_items *items);
void weir_fill_server_steps(const struct weir_report *report, struct weir_items *items);
void weir_fill_speculation(const struct weir_report *report, struct weir_items *items);
void weir_fill_slow_requests(const struct weir_report *report, struct weir_items *items);
void weir_fill_notes(const struct weir_report *report, struct weir_items *items);

#endif
