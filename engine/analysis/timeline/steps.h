/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps and stages of one trace. A step is one iteration of the main loop; a span is one occurrence
 * of a stage. Device work belongs to the step and span in which it was launched, not to those in
 * which it ran, since launches are asynchronous.
 *
 * Steps come from annotations (ProfilerStep#N, the step grammars of servers). Without such
 * annotations, the outermost stage that occurs most often gives the steps: at least three times, or
 * twice if it is the only one and both spans have the same number of operators and calls. The
 * steady state excludes, and the report lists:
 *
 *   warm-up      leading steps, at most 20 %, that take longer, on the device or on the host, than
 *                the median period of the last 80 % by more than 5 MAD and 10 %
 *   incomplete   steps with launches whose work is not in the trace, and less than 90 % of the
 *                usual device rows
 *   one-off      single steps (at most 2 %, at least one) longer than five times the median
 */
#ifndef WEIR_ANALYSIS_TIMELINE_STEPS_H
#define WEIR_ANALYSIS_TIMELINE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/names/stages.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/span_tracks.h"
#include "engine/analysis/timeline/timeline.h"

/* Further stage names of a trace share one stage: programs that name each request differently name
 * no stages. */
#define WEIR_MAX_STAGES 256
enum weir_step_state {
	WEIR_STEP_STEADY,
	WEIR_STEP_WARM_UP,
	WEIR_STEP_INCOMPLETE,
	WEIR_STEP_ONE_OFF,
};

struct weir_step {
	uint32_t host_row;
	/* On the host; the end is the start of the next step, for the last step its own end. */
	int64_t start_ns, end_ns;
	int64_t device_start_ns, device_end_ns;
	uint32_t device_rows, missing_rows; /* missing: launches whose work is not in the trace */
	/* From the first device work to that of the next step; on the host if there is no such
	 * work. */
	int64_t period_ns;
	enum weir_step_state state;
};

struct weir_stage_info {
	char name[WEIR_STAGE_NAME_MAX];
	const char *kind;
	bool is_batch_window;    /* it waits for a batch to fill */
	bool waits_for_requests; /* it waits for work, and another thread does none for it */
};

struct weir_steps {
	struct weir_stage_info *stages;
	size_t stage_count, stage_capacity;
	struct weir_span *spans; /* in order of start */
	size_t span_count, span_capacity;
	uint32_t *spans_by_stage; /* sorted by stage, in order of start within a stage */
	/* Per stage: index of its first span in spans_by_stage; stage_count + 1 entries. */
	size_t *first_span;
	struct weir_step *steps; /* in order of start */
	size_t step_count, step_capacity;
	struct weir_span_tracks tracks;
	int64_t first_wait_ns;   /* of a first collective that is left out; the longest */
	bool sliver;             /* a device's steps hold next to none of its work; see steady.h */
	bool explicit_steps;     /* annotated; false: inferred from a stage */
	double median_period_ns; /* of all steps; NAN: no steps */

	uint32_t *row_span; /* per device row; WEIR_NONE: in no span */
	uint32_t *row_step;

	struct weir_intervals *windows; /* per device of the trace: the analysed time */
	size_t device_count;
};

/*
 * Builds steps, spans and windows. steady: windows hold the steady steps; else everything from the
 * first to the last device event. own: the user's names for stages; NULL: none. Release with
 * weir_steps_release().
 */
void weir_steps_init(struct weir_steps *steps, const struct weir_timeline *timeline,
                     const struct weir_stage_aliases *own, bool steady);
void weir_steps_release(struct weir_steps *steps);

/* Returns the innermost span that is open on the thread, else on the main thread; WEIR_NONE:
 * none. */
uint32_t weir_steps_span_at(const struct weir_steps *steps, uint32_t thread, int64_t at_ns);
/* Does the same, and looks first whether the last answer holds. */
uint32_t weir_steps_span_near(const struct weir_steps *steps, uint32_t thread, int64_t at_ns,
                              struct weir_span_place *last);
/* Returns the next time after at_ns at which the innermost span of the main thread changes;
 * INT64_MAX: never. */
int64_t weir_steps_next_change(const struct weir_steps *steps, int64_t at_ns);
/* Returns the step that contains the host time; WEIR_NONE: none. */
uint32_t weir_steps_step_at(const struct weir_steps *steps, int64_t at_ns);
/* Does the same, and looks first at the step of the last answer; at first *last is 0. */
uint32_t weir_steps_step_near(const struct weir_steps *steps, int64_t at_ns, size_t *last);

/* Returns true if distributions count the span: its step is steady, or it is outside all steps and
 * steps are inferred. Without `steady`, all spans count. */
bool weir_steps_span_counts(const struct weir_steps *steps, const struct weir_span *span,
                            bool steady);

const char *weir_step_state_name(enum weir_step_state state); /* "warm-up" */

#endif
