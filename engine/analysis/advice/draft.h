/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fix in the making: a copy of the program that a transformation changes, the places that it
 * changes, and the reason for the new durations. A transformation reads draft->advisor, changes the
 * program only through the functions below, and says on what its durations rest.
 */
#ifndef WEIR_ANALYSIS_ADVICE_DRAFT_H
#define WEIR_ANALYSIS_ADVICE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/base/text.h"

/* A place: all jobs or calls of one kind. Kinds differ in operator, shape, or kernel. */
struct weir_draft_place {
	uint32_t job, issue; /* the first of its kind; WEIR_NONE: none */
	uint64_t key;        /* of the kind */
	uint64_t count;
	double ns, after_ns; /* a step; host time for places without a job */
};

struct weir_draft {
	const struct weir_advisor *advisor;
	struct weir_program program; /* the copy */
	uint8_t *touched;            /* per job and then per issue: 1 if the fix changes it */
	struct weir_draft_place *places;
	size_t place_count, place_capacity;
	struct weir_text basis; /* see advice.md: on what the durations rest */
	/* Lower limit of the step, whatever host and device take: work that goes on
	 * elsewhere at the same time. Typical value and range. */
	double floor_ns, floor_low_ns, floor_high_ns;
	bool copies_stay; /* the fix makes copies smaller, which can still be pinned or hidden */
	bool displaced; /* the fix removes a pass that displaced the framework's code from caches */
	bool warm;      /* the host's dispatch is already that of code in its caches */
	/* The fix replaces host work of which only the time is known, not what it does: how often
	 * it is something else, from 0, if that is known, to 1. */
	double doubt;
	/* The run does not show what the change gives: the fix is listed without a time, and the
	 * durations of the draft only mark the kernels that change. */
	bool unpredicted;
	/* Time that the fix saves in leading steps, which are set apart, beyond what they take
	 * later; 0: none. It is no part of the step, of which nothing is predicted then. */
	double start_ns;
	/* Steps of the program that the changed one does at once; its times are divided by them.
	 * 0: one. */
	double rows;
};

void weir_draft_init(struct weir_draft *draft, const struct weir_advisor *advisor);
/* Makes it a draft without changes again, in the same memory. */
void weir_draft_clear(struct weir_draft *draft);
void weir_draft_release(struct weir_draft *draft);

/* Applies a transformation; returns true if it found a place. Ends with
 * weir_draft_warm_first_calls() if the fix removes a pass over memory that displaced code. */
bool weir_draft_apply(struct weir_draft *draft, bool (*apply)(struct weir_draft *));

/* Changes the device time of a job; low and high: its range. */
void weir_draft_set_job(struct weir_draft *draft, uint32_t job, double ns, double low_ns,
                        double high_ns);
/* Scales the device time of a job. */
void weir_draft_scale_job(struct weir_draft *draft, uint32_t job, double factor, double low,
                          double high);
/* Lets a job follow the one before it. A gap as long as the host's own work stays: where no call is
 * recorded, that is what the device waited for. */
void weir_draft_close_gap(struct weir_draft *draft, uint32_t job);
/* Removes a call with its jobs and its dispatch. The host's own work before it stays: the program
 * does not do it for this call. */
void weir_draft_remove(struct weir_draft *draft, uint32_t issue);
/* Removes a call and its jobs, but keeps the host time before it. */
void weir_draft_remove_call(struct weir_draft *draft, uint32_t issue);
/* Lets the host go on without waiting. */
void weir_draft_unwait(struct weir_draft *draft, uint32_t issue);
/* Lets the host wait before a call and its dispatch for all device work before it; before the first
 * one, for that of the step before. */
void weir_draft_wait(struct weir_draft *draft, uint32_t issue);
/* Removes `ns` of the host's work before a call. */
void weir_draft_less_work(struct weir_draft *draft, uint32_t issue, double ns);
/* Removes the work of freeing a tensor of the host from the host's work before a call: large ones
 * go back to the system, page by page. */
void weir_draft_less_freeing(struct weir_draft *draft, uint32_t issue, double bytes);
/* A pass of the host over more bytes a step displaces the code of the framework from its caches. */
#define WEIR_COLD_BYTES 16777216.0
/* Shortens the dispatch of one call by this factor: its code stays in the caches. */
void weir_draft_warm_call(struct weir_draft *draft, uint32_t issue, double factor);
/* Makes the host's dispatch that of code in its caches, once: something that displaced the code for
 * the whole step is gone. */
void weir_draft_warm_host(struct weir_draft *draft);
/* The same for the first call of each operator behind host time that the fix has removed so far: a
 * pass over memory displaced their code, and the first calls read it again. */
void weir_draft_warm_first_calls(struct weir_draft *draft);
/* Changes the host's dispatch before a call, in ns of the profiled run. */
void weir_draft_set_dispatch(struct weir_draft *draft, uint32_t issue, double ns);
/* Adds the dispatch of this many operators of typical cost before a call. */
void weir_draft_add_operators(struct weir_draft *draft, uint32_t issue, double operators);

/* Names a call as a place with `ns` of its host time, also if it starts jobs; changes nothing. */
void weir_draft_name_host(struct weir_draft *draft, uint32_t issue, double ns);

/* Writes the basis; one sentence without a full stop, in place of an earlier one. */
void weir_draft_basis(struct weir_draft *draft, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
