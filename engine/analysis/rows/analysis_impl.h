/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to engine/analysis: what the files that fill a report share. */
#ifndef WEIR_ANALYSIS_ANALYSIS_IMPL_H
#define WEIR_ANALYSIS_ANALYSIS_IMPL_H

#include "engine/analysis/analyze.h"
#include "engine/analysis/counters/counters.h"
#include "engine/analysis/counters/counters_join.h"
#include "engine/analysis/path/retime.h"
#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rank/ledger.h"
#include "engine/analysis/rank/rank.h"
#include "engine/analysis/requests/serving.h"
#include "engine/analysis/timeline/host_time.h"

struct weir_subject_ref {
	uint32_t rank, group;
};

struct weir_analysis {
	const struct weir_profile *profile;
	struct weir_analysis_options options; /* settings: never NULL */
	struct weir_device_table table;
	struct weir_rank *ranks; /* one a trace */
	size_t rank_count;
	struct weir_subject_ref *subjects;
	size_t subject_count;
	struct weir_serving *serving; /* NULL: no input holds requests */
	struct weir_counted *counted; /* NULL: no input holds counters */
	struct weir_counted_join join;
};

/* One stage over all ranks, by name; the entries of `stage` are the ranks' own indices, WEIR_NONE:
 * not there. */
struct weir_stage_merge {
	const char *name, *kind; /* borrowed from a rank */
	uint32_t *stage;         /* one a rank */
	struct weir_ledger ledger;
};

struct weir_stage_merges {
	struct weir_stage_merge *items;
	size_t count;
	size_t first_row; /* of report->stages: rows of requests come before */
	struct weir_ledger outside, total;
};

/* Attributes every rank and adds up by stage; release with weir_stage_merges_release(). */
void weir_stage_merges_init(struct weir_stage_merges *merges, const struct weir_analysis *analysis);
void weir_stage_merges_release(struct weir_stage_merges *merges);
/* Per stage of rank r its merge. The caller frees it. */
uint32_t *weir_stage_merges_of_rank(const struct weir_stage_merges *merges,
                                    const struct weir_analysis *analysis, size_t r);

/* Host start to the later of host end and the end of the last device work launched in it. */
int64_t weir_span_duration(const struct weir_span *span);

/*
 * Durations of one stage, an occurrence each, in order. With several ranks the slowest of each
 * occurrence, where all ranks have as many; else all of them, rank by rank. retimings: after a
 * change, one a rank; NULL: as measured. Allocated with weir_alloc().
 */
double *weir_stage_durations(const struct weir_analysis *analysis,
                             const struct weir_stage_merge *merge,
                             const struct weir_retiming *retimings, size_t *count);

struct weir_distribution weir_distribution_of(const double *values, size_t count);

/* Fills report->stages, their attribution and features. */
void weir_fill_stages(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      struct weir_report *report);
/* Fills report->operators, sorted by total. */
void weir_fill_operators(const struct weir_analysis *analysis, struct weir_report *report);
/* The operator table of a profile without device work: by self time on the host. host_times: one a
 * rank. */
void weir_fill_host_operators(const struct weir_analysis *analysis,
                              const struct weir_host_time *host_times, struct weir_report *report);
/* A group of a rank that a row of the operator table is made of. */
struct weir_row_group {
	const struct weir_rank *rank;
	uint32_t group;
};

/* Nothing measured. */
void weir_counted_row_init(struct weir_operator_counted *counted);
void weir_counted_row_fill(struct weir_operator_counted *counted,
                           const struct weir_row_group *groups, size_t count);
/* All operations and the intensity from what is measured. */
void weir_counted_row_complete(struct weir_operator_counted *counted);

/* Fills devices, ranks, steps, set apart, gpu, memory. */
void weir_fill_summary(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                       struct weir_report *report);
/* Fills the features of the profile and of the stages; needs everything above. */
void weir_fill_features(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report);

#endif
