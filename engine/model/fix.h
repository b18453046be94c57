/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fixes: the catalogue (rules/fixes, read by rules/fixes.h) and what engine/analysis/advice
 * finds in a run. Texts are borrowed from the catalogue or belong to the report's arena.
 */
#ifndef WEIR_MODEL_FIX_H
#define WEIR_MODEL_FIX_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/enums.h"

enum weir_effort {
	WEIR_EFFORT_LOW,    /* a flag or a call */
	WEIR_EFFORT_MEDIUM, /* a few places of the program */
	WEIR_EFFORT_HIGH,   /* a new kernel or another structure */
	WEIR_EFFORT_COUNT
};

WEIR_ENUM_DECLARE(weir_effort); /* "low" */

enum weir_need_state { WEIR_NEED_UNKNOWN, WEIR_NEED_MET, WEIR_NEED_NOT_MET, WEIR_NEED_COUNT };

WEIR_ENUM_DECLARE(weir_need_state); /* "not met" */

#define WEIR_MAX_NEEDS  4
#define WEIR_MAX_HOWS   8
#define WEIR_MAX_PLACES 5 /* places that a recommendation names */

/* A condition of a fix. */
struct weir_fix_need {
	const char *what;  /* "a step without synchronisation" */
	const char *check; /* name of the test: engine/analysis/advice/needs.c; NULL: never known */
	const char *first; /* id of the fix that comes first if it is not met; NULL: none */
};

/* The way to make a fix, in the words of a framework: "pytorch-cuda"; "any" is for all others. */
struct weir_fix_how {
	const char *framework, *text;
};

/* One entry of the catalogue. */
struct weir_fix_entry {
	const char *id, *title, *why; /* why: a template, see rules/README.md */
	enum weir_effort effort;
	const char *numerics; /* "none", "rounding", "quality to be checked" */
	struct weir_fix_how hows[WEIR_MAX_HOWS];
	size_t how_count;
	struct weir_fix_need needs[WEIR_MAX_NEEDS];
	size_t need_count;
};

struct weir_fix_catalogue {
	const struct weir_fix_entry *items;
	size_t count;
};

/* Returns the entry; NULL: none. */
const struct weir_fix_entry *weir_fix_find(const struct weir_fix_catalogue *catalogue,
                                           const char *id);

/* A place that a fix changes. NULL: not known. Times are of one step. */
struct weir_fix_place {
	const char *op, *shapes, *types; /* "aten::mm", "[[64, 2048], [2048, 2048]]" */
	const char *kernel, *stage;
	const char *frame; /* the Python frame or range around it */
	double ns, share;  /* share of the step as measured */
	double count;      /* calls */
};

/* A condition and its state in this run. */
struct weir_need {
	const char *what, *first;
	enum weir_need_state state;
};

/* A fix that applies to a run. Durations are of one unprofiled step; NAN: not known. */
struct weir_found_fix {
	bool of_trace; /* the times are of all analysed work: no step stands for the others */
	/* The times after the fix are of one row of a batch, each of which took a step. */
	bool of_row;
	const struct weir_fix_entry *entry;
	const char *how, *basis;
	double before_ns, step_ns, low_ns, high_ns, speedup;
	double places_ns;              /* of all places before the fix */
	double calls;                  /* of all places */
	struct weir_fix_place *places; /* worst first, at most WEIR_MAX_PLACES */
	size_t place_count;
	struct weir_need needs[WEIR_MAX_NEEDS];
	size_t need_count;
	/* Fixes that change the same places and are left out for this one, at most 3; NULL ends. */
	const char *instead[4];
};

struct weir_found_fixes {
	bool known; /* a program could be made of the run */
	/* Busy device time over the step without the profiler, if dispatch is faster by the least
	 * and by the most that profilers add; the same value twice if the unprofiled duration is
	 * part of the run. NAN: not known. */
	double least_busy, most_busy;
	double least_slower,
		most_slower; /* the factor by which dispatch is slower under the profiler */
	double step_ns;      /* the step without the profiler, before any fix; NAN: not known */
	struct weir_found_fix *items;
	size_t count;
};

#endif
