/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of the pictures on the page of a report, beyond its tables. engine/analysis fills it,
 * weir.report/1 stores it, and writers draw it. A picture without data is NULL. Every list has a
 * limit, so that a report of any run stays small. Everything lives in the report's arena.
 */
#ifndef WEIR_MODEL_PICTURES_H
#define WEIR_MODEL_PICTURES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"
#include "engine/model/bound.h"

struct weir_report;

/* Longer times come from bad clocks. Numbers of JSON hold this one exactly. */
#define WEIR_LONGEST_NS ((INT64_C(1) << 53) - 1)

/* ---- one step as a strip: host, driver calls, idle time, streams ---- */

#define WEIR_STRIP_MAX_SPANS   900 /* of all lanes together; shorter ones are joined */
#define WEIR_STRIP_MAX_STREAMS 8   /* further streams are counted only */
#define WEIR_STRIP_MAX_DEVICES 4
#define WEIR_STRIP_MAX_THREADS 2 /* that launch work of the step, by number of launches */
#define WEIR_STRIP_MAX_LANES                                                                       \
	(1 + 2 * WEIR_STRIP_MAX_THREADS + WEIR_STRIP_MAX_DEVICES + WEIR_STRIP_MAX_STREAMS)

enum weir_strip_kind {
	WEIR_STRIP_STAGE,
	WEIR_STRIP_OPERATOR, /* on the host */
	WEIR_STRIP_LAUNCH,   /* a call that submits work */
	WEIR_STRIP_WAIT,     /* a call that waits for a device */
	WEIR_STRIP_CALL,     /* any other driver or runtime call */
	WEIR_STRIP_IDLE,     /* idle time of a device; its name is the cause, "host_sync" */
	WEIR_STRIP_COMPUTE,
	WEIR_STRIP_COMMUNICATION,
	WEIR_STRIP_COPY,
	WEIR_STRIP_OTHER_STEP, /* device work that another step launched */
	WEIR_STRIP_KIND_COUNT
};

enum weir_strip_row {
	WEIR_STRIP_STAGES,
	WEIR_STRIP_HOST,  /* the outermost operators of a thread; long ones by what they call */
	WEIR_STRIP_CALLS, /* driver and runtime calls of a thread */
	WEIR_STRIP_GAPS,  /* analysed idle time of a device */
	WEIR_STRIP_STREAM,
	WEIR_STRIP_ROW_COUNT
};

/* An event, or several short neighbours, which are named after the longest. */
struct weir_strip_span {
	int64_t start_ns, end_ns; /* from the start of the strip */
	enum weir_strip_kind kind;
	uint32_t name;   /* index in the names of the strip */
	uint64_t count;  /* number of events */
	int64_t time_ns; /* sum of their durations */
};

struct weir_strip_lane {
	enum weir_strip_row row;
	int64_t number;                /* id of the thread, device or stream; 0 for stages */
	struct weir_strip_span *spans; /* disjoint, by start */
	size_t span_count;
};

struct weir_strip_name {
	const char *text;
};

struct weir_strip {
	const char *step;                   /* "ProfilerStep#17" */
	int64_t rank;                       /* -1: not stated */
	int64_t period_ns;                  /* its duration, as in the distribution of steps */
	int64_t length_ns;                  /* of the drawn interval, in which all spans lie */
	int64_t host_start_ns, host_end_ns; /* the step on the host; negative: before the strip */
	int64_t device_start_ns, device_end_ns; /* its work on the devices; -1: none */
	int64_t joined_ns;                      /* neighbours below this length are joined */
	uint64_t streams, devices;              /* that work in the interval */
	struct weir_strip_name *names;
	size_t name_count;
	struct weir_strip_lane *lanes;
	size_t lane_count;
};

/* ---- durations of steps over the run ---- */

#define WEIR_STEP_MAX_POINTS 400 /* more steps share points */

enum weir_step_mark {
	WEIR_MARK_STEADY, /* counts in the distribution */
	WEIR_MARK_WARM_UP,
	WEIR_MARK_INCOMPLETE,
	WEIR_MARK_ONE_OFF,
	WEIR_MARK_COUNT
};

/* One step, or several in a row. */
struct weir_step_point {
	uint64_t first, count; /* number of the first one, from 0; how many */
	double low_ns, p50_ns, high_ns;
	enum weir_step_mark mark;
};

struct weir_step_times {
	const char *name; /* of the stage, for a native run; NULL: steps of a timeline */
	int64_t rank;     /* -1: not stated */
	uint64_t steps;
	double p50_ns, p95_ns; /* of those that count */
	struct weir_step_point *points;
	size_t point_count;
};

/* ---- histograms ---- */

/* Bins of a histogram of durations: four in each factor of two. */
#define WEIR_HISTOGRAM_BINS 252

/* Durations from low_ns to below high_ns. */
struct weir_histogram_bin {
	int64_t low_ns, high_ns;
	uint64_t count;
	int64_t total_ns;
	enum weir_idle cause; /* of gaps: the cause with most of the time */
};

struct weir_histogram {
	struct weir_histogram_bin *bins; /* that are not empty, by duration */
	size_t bin_count;
};

/* ---- the roofs of a device ---- */

#define WEIR_MAX_ROOFS 32

/* The peak of one kind of unit in one precision. FLOP/s. */
struct weir_roof {
	const char *name;              /* "bf16, matrix units" */
	double theoretical, sustained; /* the datasheet's; the best that kernels reach */
};

/* The peaks of the device of the operators, for units that they compute on. */
struct weir_roofs {
	const char *device; /* as the trace names it */
	double bytes_per_s, sustained_bytes_per_s;
	struct weir_roof *roofs; /* highest first */
	size_t roof_count;
};

/* ---- the queue over time ---- */

#define WEIR_QUEUE_BINS 160

/* An equal part of the time from the first to the last analysed instant. */
struct weir_queue_bin {
	int64_t analysed_ns; /* the rest is set apart; without any, the others are NAN */
	double mean, most;   /* works that wait for the device */
	double empty_share;  /* share of the analysed time in which no work waits or runs */
};

struct weir_queue_times {
	int64_t rank, device; /* device: id; -1: not stated */
	int64_t length_ns;
	struct weir_queue_bin *bins;
	size_t bin_count;
};

/* ---- waiting and lateness of ranks over the steps ---- */

#define WEIR_RANK_MAP_ROWS    24
#define WEIR_RANK_MAP_COLUMNS 40

/* Sums over the collectives of a rank in the steps of a column; NAN: it has none there. */
struct weir_rank_cell {
	double wait_ns; /* until the last member arrived */
	double late_ns; /* after the median member, of an even number the earlier one, arrived */
};

struct weir_rank_map_row {
	int64_t rank;
	struct weir_rank_cell *cells;
	size_t cell_count;
};

struct weir_rank_map {
	uint64_t ranks;             /* with matched collectives; more than rows: some are chosen */
	uint64_t first_step, steps; /* of the first rank of each collective */
	uint64_t steps_per_column;
	struct weir_rank_map_row *rows; /* by rank */
	size_t row_count;
};

struct weir_pictures {
	const struct weir_strip *strip;
	const struct weir_step_times *step_times;
	const struct weir_histogram *kernels; /* durations of kernels in the analysed time */
	const struct weir_histogram *gaps;    /* idle time of devices, from work to work */
	const struct weir_roofs *roofs;       /* NULL: the device is not known */
	const struct weir_queue_times *queue; /* of the first device with linked work */
	const struct weir_rank_map *rank_map; /* NULL: no collectives are matched */
};

/* Returns the pictures of a report; creates them without content for the first call. */
struct weir_pictures *weir_report_pictures(struct weir_report *report);

WEIR_ENUM_DECLARE(weir_strip_kind); /* "launch" */
WEIR_ENUM_DECLARE(weir_strip_row);  /* "stream" */
WEIR_ENUM_DECLARE(weir_step_mark);  /* "warm-up" */

#endif
