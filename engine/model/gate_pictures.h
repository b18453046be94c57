/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of the pictures on the page of a gate, beyond its rows. engine/analysis/compare fills
 * it, weir.gate/1 stores it, and writers draw it. Every list has a limit, so that a result of any
 * number of runs stays small. Everything lives in the result's arena. NAN is unknown.
 */
#ifndef WEIR_MODEL_GATE_PICTURES_H
#define WEIR_MODEL_GATE_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"

#define WEIR_DRAWN_RUNS 120         /* of one side, the newest; the others are counted only */
#define WEIR_DRAWN_BOTH (size_t)240 /* of both sides */
#define WEIR_DRAWN_ROWS 6

/* ---- every run ---- */

struct weir_drawn_run {
	bool candidate;
	const char *name; /* the path as given, or the id in the store; NULL: not known */
	uint64_t session; /* from 1, by first appearance; 0: not known */
};

/* The figure of a row in each run, from which the row's baseline and candidate are means. */
struct weir_drawn_row {
	uint64_t row;   /* index in the rows of the result */
	double *values; /* one a drawn run, in the row's unit; NAN: the run lacks it */
	size_t value_count;
	/* Drawn runs that lie far from the others of their side: by more than half the margin and
	 * by a modified z-score above 3.5 (B. Iglewicz and D. Hoaglin, How to detect and handle
	 * outliers, 1993). Sides of fewer than four runs have none. */
	uint64_t *odd;
	size_t odd_count;
};

/* ---- distributions ---- */

#define WEIR_DRAWN_PERCENTS 21

/* One percentile of both sides: mean over runs, computed on logarithms, and the least and largest
 * of a run. ns. */
struct weir_drawn_percentile {
	uint64_t percent;
	double baseline, baseline_low, baseline_high;
	double candidate, candidate_low, candidate_high;
};

struct weir_drawn_curve {
	const char *scope; /* as of rows */
	struct weir_drawn_percentile *points;
	size_t point_count;
};

/* ---- the time of a stage ---- */

#define WEIR_DRAWN_STAGES    4
#define WEIR_DRAWN_BY_CHANGE 24 /* operators of a stage with the largest changes */
#define WEIR_DRAWN_BY_TIME   16 /* the largest of the others; the rest is one part */
#define WEIR_DRAWN_PARTS     (WEIR_DRAWN_BY_CHANGE + WEIR_DRAWN_BY_TIME + 3)

enum weir_drawn_kind {
	WEIR_DRAWN_OPERATOR,
	WEIR_DRAWN_OPERATORS, /* the sum of those that are not listed */
	WEIR_DRAWN_DEVICE,    /* device time of the stage minus that of its operators */
	/* The remainder of the stage: time without device work if its device time is known. Medians
	 * do not add up, so that it can be negative, as the part above. */
	WEIR_DRAWN_REST,
	WEIR_DRAWN_KIND_COUNT
};

/* Times per iteration are means over runs of the medians, rounded to ns; 0: the side lacks it. */
struct weir_drawn_part {
	enum weir_drawn_kind kind;
	const char *name;    /* of the operator; NULL: another kind */
	const char *renamed; /* in the candidate; NULL: the same */
	const char *family;  /* "gemm"; NULL: another kind */
	uint64_t operators;  /* number of operators in the part */
	int64_t baseline_ns, candidate_ns;
	double baseline_calls, candidate_calls; /* per iteration; NAN: unknown */
};

/* The parts add up to the times of the stage, exactly. */
struct weir_drawn_stage {
	const char *name;
	bool device_only; /* the times are device time: no run has the duration of the stage */
	int64_t baseline_ns, candidate_ns;
	struct weir_drawn_part *parts; /* the largest growth first; sums of others are last */
	size_t part_count;
};

WEIR_ENUM_DECLARE(weir_drawn_kind); /* "operator" */

/* ---- history ---- */

#define WEIR_DRAWN_HISTORIES 3
#define WEIR_DRAWN_POINTS    400 /* newest runs of a history; older ones are counted only */
#define WEIR_DRAWN_STEPS     32

struct weir_drawn_point {
	const char *name; /* the first digits of the id in the store; of a candidate, its path */
	const char *recorded; /* "2026-11-20T14:00:00Z"; NULL: a candidate */
	const char *commit;   /* NULL: no label names it */
	bool candidate;       /* of this gate; the others are in the store */
	double value;         /* NAN: the run lacks the figure */
};

/* A change point: a new level begins. */
struct weir_drawn_step {
	uint64_t point;     /* the first one of the new level */
	double change;      /* relative, between the means of both levels */
	const char *labels; /* that change there: "driver 550 -> 570"; NULL: none */
};

/* A figure over the recorded runs, also those that promotions replaced, and the candidates. Unlike
 * rows, it includes the warm-up of runs. */
struct weir_drawn_history {
	uint64_t row;                    /* index in the rows of the result */
	uint64_t older;                  /* runs that are not listed */
	struct weir_drawn_point *points; /* oldest first */
	size_t point_count;
	struct weir_drawn_step *steps;
	size_t step_count;
};

struct weir_gate_pictures {
	struct weir_drawn_run *runs; /* baseline first, in the order of the comparison */
	size_t run_count;
	uint64_t older_baseline, older_candidate; /* runs that are compared, but not drawn */
	struct weir_drawn_row *rows;
	size_t row_count;
	struct weir_drawn_curve *curves;
	size_t curve_count;
	struct weir_drawn_stage *stages; /* of findings; without them, of improvements */
	size_t stage_count;
	struct weir_drawn_history *histories; /* without a store: none */
	size_t history_count;
};

#endif
