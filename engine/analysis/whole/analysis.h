/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One analysis: a profile, its ranks with everything that was measured in them, and the subjects
 * that the rules judge. engine/analysis/analyze.c makes it; path, rows and drawing read it.
 */
#ifndef WEIR_ANALYSIS_WHOLE_ANALYSIS_H
#define WEIR_ANALYSIS_WHOLE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/counters/counters.h"
#include "engine/analysis/counters/counters_join.h"
#include "engine/analysis/rank/rank.h"
#include "engine/analysis/ranks/experts.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/ranks/summary.h"
#include "engine/analysis/ranks/worst.h"
#include "engine/analysis/requests/serving.h"
#include "engine/model/finding.h"
#include "engine/model/profile.h"
#include "engine/model/settings.h"
#include "engine/model/what_if.h"

/* Traces of a run that are analysed in detail and in memory at once. Of more ranks, this many are
 * chosen, and the others are measured one after another. */
#define WEIR_DETAILED_RANKS 16

struct weir_analysis_options {
	bool steady;             /* set warm-up, incomplete and one-off steps apart */
	double percentile;       /* of the step time at which shares of stages are read: 0.95 */
	const char *device_name; /* overrides the trace's device in the device table; NULL: none */
	const struct weir_settings *settings; /* borrowed; NULL: no settings */
	const struct weir_change *changes;    /* borrowed: what-if questions, asked one by one */
	size_t change_count;
	bool detail;       /* fill report->detail, which costs time and memory */
	bool verdict_only; /* fill only the figures of the report that decide the verdict */
	/* Judges a group of device work on a rank that is not analysed in detail; called by one
	 * thread at a time. NULL: such groups get no verdict. */
	void (*judge)(void *context, const struct weir_subject *subject,
	              struct weir_verdict *verdict);
	void *judge_context;
};

/* A group of device work on one rank. */
struct weir_subject_ref {
	int64_t owned_ns; /* device time of the group; the order of the subjects */
	uint32_t rank, group;
};

struct weir_analysis {
	const struct weir_profile *profile;   /* borrowed */
	struct weir_analysis_options options; /* settings: never NULL */
	struct weir_device_table table;
	/* The ranks that are analysed in detail: all of them, or WEIR_DETAILED_RANKS of more. */
	struct weir_rank *ranks;
	size_t rank_count;
	size_t *rank_inputs;            /* per detailed rank: the index of its input */
	struct weir_trace **own_traces; /* traces that were unpacked for the detailed ranks; NULL:
	                                   the profile owns them */
	/* All ranks of the run, in the order of the inputs; detailed[s] is the index in `ranks`, or
	 * WEIR_NONE. */
	struct weir_rank_summary *summaries;
	uint32_t *detailed;
	size_t summary_count;
	struct weir_meetings *meetings; /* NULL: not compared yet */
	struct weir_experts_list experts;
	struct weir_worst worst;           /* ranks and groups that slow the others down */
	struct weir_subject_ref *subjects; /* largest first */
	size_t subject_count;
	struct weir_serving *serving; /* NULL: no input holds requests */
	struct weir_counted *counted; /* NULL: no input holds counters */
	struct weir_counted_join join;
};

#endif
