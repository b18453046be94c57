/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sentences and short items that text, Markdown and HTML share. All of them are plain texts,
 * safe on a terminal; Markdown and HTML escape them once more. Where nothing is known, nothing is
 * appended.
 */
#ifndef WEIR_REPORT_PHRASES_H
#define WEIR_REPORT_PHRASES_H

#include "engine/base/text.h"
#include "engine/model/report.h"

void weir_phrase_bound(const struct weir_report *report,
                       struct weir_text *out); /* "runtime-bound" */
void weir_phrase_headline(const struct weir_report *report,
                          struct weir_text *out); /* never empty */
void weir_phrase_next(const struct weir_report *report, struct weir_text *out);
/* "high confidence, runner-up memory (12 %)"; of an undetermined verdict the runner-up alone */
void weir_phrase_certainty(const struct weir_report *report, struct weir_text *out);
/* A text of a rule with its figures filled in from the profile's features; NULL appends nothing. */
void weir_phrase_expanded(const struct weir_report *report, const char *template,
                          struct weir_text *out);
/* "gpu active 0.13 < 0.60", "kernel p50 2.60 us < 10 us" */
void weir_phrase_clause(const struct weir_feature_table *features,
                        const struct weir_evidence *evidence, struct weir_text *out);
/* "at most 2.9x here (typical 1.5-2.3x)" */
void weir_phrase_speedup(const struct weir_report *report,
                         const struct weir_recommendation *recommendation, struct weir_text *out);

/* A duration and a share as weir.report/1 keeps them: a stored result must read the same. */
double weir_as_stored_ns(double ns);
double weir_as_stored_share(double share);

#define WEIR_MAX_ITEMS 24

/* Short texts of one line; {0} is empty. */
struct weir_items {
	struct weir_text item[WEIR_MAX_ITEMS];
	bool starts_line[WEIR_MAX_ITEMS]; /* a new topic: stands on a line of its own */
	size_t count;
};

void weir_items_release(struct weir_items *items);
/* A fresh item; the last one is used again when all are taken. */
struct weir_text *weir_items_add(struct weir_items *items);

void weir_items_context(const struct weir_report *report,
                        struct weir_items *items); /* requests, device, steps, kernels, span */
void weir_items_evidence(const struct weir_report *report,
                         struct weir_items *items); /* one a clause */

/* "share of wall time", "share of p95 latency": what the attribution's shares are of. */
void weir_phrase_share_of(const struct weir_report *report, struct weir_text *out);

/* A labelled line of facts below the tables. */
struct weir_fact_line {
	const char *id, *label;
	void (*fill)(const struct weir_report *report, struct weir_items *items);
	const char *none; /* what to say without items; NULL: leave the line out */
	bool one_a_line;  /* items are sentences */
};

extern const struct weir_fact_line weir_fact_lines[];           /* ends with a NULL id */
const char *weir_facts_title(const struct weir_report *report); /* what all of them are about */

/* The bounds that hold time, the largest first, unattributed last; returns how many. */
size_t weir_attribution_order(const struct weir_attribution *attribution,
                              enum weir_bound order[WEIR_BOUND_COUNT]);
double weir_attribution_share(const struct weir_attribution *attribution, enum weir_bound bound);
const char *
weir_attribution_label(enum weir_bound bound); /* "unattributed" for WEIR_BOUND_UNDETERMINED */

#endif
