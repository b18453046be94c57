/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The summary of a rank, which outlives its trace: its collectives with the activity between them,
 * the time of its devices, and what identifies it. It has some hundred kilobytes for a trace of
 * thirty megabytes, so that ranks of a large job are measured one after another and compared at the
 * end.
 */
#ifndef WEIR_ANALYSIS_RANKS_SUMMARY_H
#define WEIR_ANALYSIS_RANKS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/ledger.h"
#include "engine/analysis/rank/rank.h"
#include "engine/analysis/ranks/lane.h"

/* A device of the rank, in the order of the trace. */
struct weir_device_record {
	char *name; /* as the trace states it; "": not stated */
	int64_t id;
	bool works; /* has rows */
	struct weir_activity activity;
	double link_bytes_per_s; /* theoretical, both directions; NAN: unknown device */
	struct weir_lane lane;   /* its collectives, settled, on the trace's own clock; keys: ids in
	                            `keys` */
};

/* The time of one stage on the rank. */
struct weir_stage_record {
	char *name;
	const char *kind; /* static or of the settings */
	struct weir_ledger ledger;
};

/* {0} is empty; release with weir_rank_summary_release(). */
struct weir_rank_summary {
	int64_t rank;        /* as in struct weir_rank */
	const char *node;    /* machine, borrowed from the input; NULL: not stated */
	int64_t stated_rank; /* as the trace states it; -1: not stated */
	int64_t base_ns;     /* of its clock; 0: not stated */
	int64_t job_size;    /* ranks of the job, as the trace tells; 0: unknown */
	size_t members;      /* devices with communication */
	size_t host_rows, device_rows;
	uint64_t hash;            /* of the times of all events */
	int64_t start_ns, end_ns; /* of the device work; start above end without any */
	int64_t span_ns;          /* longest analysed window or, without device work, all of it */
	int64_t busy_ns;          /* sum over devices */
	uint64_t steps;           /* analysed steps */
	struct weir_device_record *devices;
	size_t device_count;
	struct weir_names *keys;          /* texts of the keys of the collectives */
	struct weir_waits waits;          /* sums only, no rows; set by weir_meetings_new() */
	struct weir_stage_record *stages; /* set by weir_rank_summary_attribute() */
	size_t stage_count;
	struct weir_ledger outside; /* time in no stage */
};

/* Summarizes an analysed rank, which need not outlive the summary. */
void weir_rank_summary_init(struct weir_rank_summary *summary, const struct weir_rank *rank,
                            bool steady);
/* Adds the time of each stage, by the verdicts on the groups of the rank. */
void weir_rank_summary_attribute(struct weir_rank_summary *summary, const struct weir_rank *rank,
                                 bool steady);
void weir_rank_summary_release(struct weir_rank_summary *summary);

#endif
