/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps and stages of one trace. A step is one turn of the loop; a span is one occurrence of a
 * stage. Device work belongs to the step and the span in which it was launched, not to those in
 * which it ran: launches are asynchronous.
 *
 * Steps come from the annotations that say so (ProfilerStep#N, the step grammars of servers);
 * without any, from the outermost stage that occurs most often. The steady state leaves out, and
 * lists:
 *
 *   warm-up      leading steps, at most 20 %, that take longer, on the device or on the host, than
 *                the median period of the last 80 % by more than 5 MAD and 10 %
 *   incomplete   steps with launches whose work the trace does not hold, and less than 90 % of the
 *                usual device rows
 *   one-off      single steps (at most 2 %, at least one) that last five times the median
 */
#ifndef WEIR_ANALYSIS_STEPS_H
#define WEIR_ANALYSIS_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/names/stages.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"

/* Further stage names of a trace share one stage: a name made anew for each request says nothing.
 */
#define WEIR_MAX_STAGES 256
/* Work launched in a span nested more deeply belongs to the one so deep that encloses it. */
#define WEIR_MAX_SPAN_DEPTH 32

struct weir_span {
	uint32_t host_row;
	uint32_t stage;           /* index into `stages` */
	uint32_t step;            /* index into `steps`; WEIR_NONE: outside every step */
	uint32_t parent;          /* enclosing span; WEIR_NONE */
	uint32_t depth;           /* spans around it */
	int64_t start_ns, end_ns; /* on the host */
	int64_t device_start_ns,
		device_end_ns; /* of the work launched in it; INT64_MAX, INT64_MIN: none */
	int64_t device_ns;     /* union of that work on each device, devices added */
	int64_t busy_until_ns; /* while that union is built */
	uint32_t device_rows;
	int64_t rows, padded_rows; /* of the batch, as the annotation says; -1: not stated */
};

enum weir_step_state {
	WEIR_STEP_STEADY,
	WEIR_STEP_WARM_UP,
	WEIR_STEP_INCOMPLETE,
	WEIR_STEP_ONE_OFF,
};

struct weir_step {
	uint32_t host_row;
	int64_t start_ns, end_ns; /* on the host; the end is the start of the next step, for the
	                             last one its own end */
	int64_t device_start_ns, device_end_ns;
	uint32_t device_rows, missing_rows; /* missing: launches without their work */
	int64_t period_ns; /* start of device work to that of the next step; without any: of the
	                      host */
	enum weir_step_state state;
};

struct weir_stage_info {
	char name[WEIR_STAGE_NAME_MAX];
	const char *kind;
};

/* The innermost span by time on one thread (see WEIR_MAX_SPAN_DEPTH): from time_ns[i] on it is
 * span[i]. */
struct weir_track {
	uint32_t thread;
	size_t count, capacity;
	int64_t *time_ns;
	uint32_t *span; /* WEIR_NONE: between spans */
};

struct weir_steps {
	struct weir_stage_info *stages;
	size_t stage_count, stage_capacity;
	struct weir_span *spans; /* in order of their start */
	size_t span_count, span_capacity;
	uint32_t *spans_by_stage; /* spans, those of one stage together, in their order */
	size_t *first_span;       /* per stage: where its spans begin in spans_by_stage; stage_count
	                             + 1 entries */
	struct weir_step *steps;  /* in order of their start */
	size_t step_count, step_capacity;
	struct weir_track *tracks; /* in order of their threads */
	size_t track_count, track_capacity;
	size_t main_track;       /* the one with most spans */
	bool explicit_steps;     /* false: inferred from the stage that repeats */
	double median_period_ns; /* of all steps; NAN: none */

	uint32_t *row_span; /* per device row, WEIR_NONE: none */
	uint32_t *row_step;

	struct weir_intervals *windows; /* per device of the trace: what is analysed */
	size_t device_count;
};

/* steady: windows hold the steady steps; else everything from the first to the last device event.
 * own: the user's names of stage kinds; NULL: none. */
void weir_steps_init(struct weir_steps *steps, const struct weir_timeline *timeline,
                     const struct weir_stage_aliases *own, bool steady);
void weir_steps_release(struct weir_steps *steps);

/* The innermost span that was open on that thread, or on the main thread, at that time; WEIR_NONE:
 * none. */
uint32_t weir_steps_span_at(const struct weir_steps *steps, uint32_t thread, int64_t at_ns);
/* When the innermost span of the main thread changes next, after that time; INT64_MAX: never. */
int64_t weir_steps_next_change(const struct weir_steps *steps, int64_t at_ns);
/* The step whose turn it was; WEIR_NONE: outside. */
uint32_t weir_steps_step_at(const struct weir_steps *steps, int64_t at_ns);

/* A span counts for distributions when its step does, or when it has no step and none is set apart
 * around it. */
bool weir_steps_span_counts(const struct weir_steps *steps, const struct weir_span *span,
                            bool steady);

const char *weir_step_state_name(enum weir_step_state state); /* "warm-up" */

#endif
