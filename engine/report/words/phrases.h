/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sentences that text, Markdown and HTML share. All are plain texts, safe on a terminal; Markdown
 * and HTML escape them once more. If the content is unknown, nothing is appended.
 */
#ifndef WEIR_REPORT_WORDS_PHRASES_H
#define WEIR_REPORT_WORDS_PHRASES_H

#include "engine/base/text.h"
#include "engine/model/report.h"

/* Appends "runtime-bound". */
void weir_phrase_bound(const struct weir_report *report, struct weir_text *out);
/* Appends the headline, which is never empty. */
void weir_phrase_headline(const struct weir_report *report, struct weir_text *out);
/* Appends the next action. */
void weir_phrase_next(const struct weir_report *report, struct weir_text *out);
/* Appends "high confidence, runner-up memory (12 %)"; for an undetermined verdict only the
 * runner-up. */
void weir_phrase_certainty(const struct weir_report *report, struct weir_text *out);
/* Appends a text of a rule with figures filled in from the profile's features, as its names are:
 * for writers that escape it themselves. NULL appends nothing. */
void weir_phrase_unescaped(const struct weir_report *report, const char *template,
                           struct weir_text *out);
/* The same, safe to print on a terminal and in the log of a runner. */
void weir_phrase_expanded(const struct weir_report *report, const char *template,
                          struct weir_text *out);
/* Appends "92 % of runtime is late launches (at least 50 %)"; "gpu active 0.13 < 0.60" if a feature
 * has no phrase. */
void weir_phrase_clause(const struct weir_feature_table *features,
                        const struct weir_evidence *evidence, struct weir_text *out);
/* Appends "predicted step 1.02 ms (0.96 ms to 1.10 ms), 1.6x faster" if the timeline predicts it;
 * else "typical 1.5-2.3x", the range in the literature, or the limit alone. */
void weir_phrase_speedup(const struct weir_report *report,
                         const struct weir_recommendation *recommendation, struct weir_text *out);

/* Appends the meaning of the attribution's shares: "share of wall time", "share of p95 latency". */
void weir_phrase_share_of(const struct weir_report *report, struct weir_text *out);

/* Sorts the bounds that hold time by share, largest first, unattributed last. Returns how many
 * there are. */
size_t weir_attribution_order(const struct weir_attribution *attribution,
                              enum weir_bound order[WEIR_BOUND_COUNT]);
/* Returns the share of a bound; NAN: no time is attributed. */
double weir_attribution_share(const struct weir_attribution *attribution, enum weir_bound bound);
/* Returns the name of a bound, "unattributed" for WEIR_BOUND_UNDETERMINED. */
const char *weir_attribution_label(enum weir_bound bound);

#endif
