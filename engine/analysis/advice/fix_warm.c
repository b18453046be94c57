/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that a warm program does not do: compilation, loading and autotuning, and memory that is
 * taken from the driver in each step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/captures.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/new_sizes.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/trials.h"
#include "engine/analysis/names/apis.h"
#include "engine/analysis/path/retime.h"
#include "engine/analysis/timeline/cold_start.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* ---- warm-up, warm-shapes: compilation and loading ---- */

/* Fewer steps say nothing about how often the program compiles. */
#define FEWEST_STEPS 3
/* A smaller part of a step does not count as compilation in it. */
#define PART_OF_STEP 0.03

/* Returns the next segment from position *at on in which the device waits for compilation or
 * loading; NULL: no further one. */
static const struct weir_segment *next_loading(const struct weir_program *program, size_t *at)
{
	const struct weir_loading_steps *loading = &program->rank->loading;

	while (*at < loading->segment_count) {
		const struct weir_segment *segment =
			&program->rank->segments.items[loading->segments[(*at)++]];

		if (segment->device == program->device)
			return segment;
	}
	return NULL;
}

/* Collects the time in which the device waits for compilation or loading in the program. */
static void find_loading(const struct weir_program *program, struct weir_intervals *out)
{
	const struct weir_segment *segment;
	size_t at = 0;

	while ((segment = next_loading(program, &at)))
		weir_intervals_push(out, segment->start_ns, segment->end_ns);
	weir_intervals_unite(out);
	weir_intervals_clip(out, program->host_start_ns, program->host_end_ns);
}

/* True if the window, which has no steps, prepares for new sizes again and again. */
static bool loads_for_new_sizes(const struct weir_advisor *advisor)
{
	struct weir_intervals loading = {0};
	bool found;

	find_loading(&advisor->program, &loading);
	found = weir_new_sizes_repeat(advisor, &loading);
	weir_intervals_release(&loading);
	return found;
}

/* True if half of the steps compile, load or tune: warming up does not help. */
static bool loads_in_most_steps(const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	const struct weir_intervals *trials = &weir_trials_of(advisor)->time;
	const struct weir_steps *steps = &program->rank->steps;
	double *loading_ns = weir_alloc((steps->step_count + 1) * sizeof *loading_ns);
	const struct weir_segment *segment;
	size_t loading = 0, steady = 0, at = 0;

	while ((segment = next_loading(program, &at))) {
		uint32_t step = weir_steps_step_at(steps, segment->start_ns);

		if (step != WEIR_NONE)
			loading_ns[step] += (double)weir_segment_ns(segment);
	}
	for (size_t i = 0; i < trials->count; i++) {
		uint32_t step = weir_steps_step_at(steps, trials->items[i].start_ns);

		if (step != WEIR_NONE)
			loading_ns[step] += (double)weir_span_ns(trials->items[i].start_ns,
			                                         trials->items[i].end_ns);
	}
	for (size_t s = 0; s < steps->step_count; s++) {
		if (steps->steps[s].state != WEIR_STEP_STEADY)
			continue;
		steady++;
		loading += loading_ns[s] > PART_OF_STEP * (double)steps->steps[s].period_ns;
	}
	free(loading_ns);
	return steady >= FEWEST_STEPS && 2 * loading >= steady;
}

/* True if warming up before the recorded work does not help. */
static bool loads_again(const struct weir_advisor *advisor)
{
	return advisor->program.step == WEIR_NONE ? loads_for_new_sizes(advisor)
	                                          : loads_in_most_steps(advisor);
}

/* Returns when the host started the work: where no call is recorded, as for the copies of a
 * library's plan, work starts at once. */
static int64_t issued_ns(const struct weir_program *program, const struct weir_issue *issue)
{
	const struct weir_trace *trace = program->rank->trace;

	if (issue->call != WEIR_NONE)
		return trace->host.start_ns[issue->call];
	return issue->job_count > 0 ? trace->device.start_ns[program->jobs[issue->first_job].row]
	                            : INT64_MIN;
}

/* Removes work without a recorded call, as the copies of a library's plan are, and the time that
 * the device waits for it: the host prepares it. */
static void drop_unrecorded(struct weir_draft *draft, uint32_t issue)
{
	const struct weir_issue *dropped = &draft->program.issues[issue];

	weir_draft_remove_call(draft, issue);
	for (uint32_t j = 0; j < dropped->job_count; j++)
		draft->program.jobs[dropped->first_job + j].gap_ns = 0;
}

/* Removes the device work that is started in this time, and the calls that start it, but for those
 * in `own`. */
static void drop_trials(struct weir_draft *draft, const struct weir_intervals *preparing,
                        const struct weir_intervals *own)
{
	const struct weir_program *program = &draft->program;

	for (uint32_t i = 0; i < program->issue_count; i++) {
		int64_t at_ns = issued_ns(program, &program->issues[i]);

		if (at_ns == INT64_MIN || !weir_intervals_contains(preparing, at_ns) ||
		    weir_intervals_contains(own, at_ns))
			continue;
		if (program->issues[i].call == WEIR_NONE)
			drop_unrecorded(draft, i);
		else
			weir_draft_remove_call(draft, i);
	}
}

/* An operator that waits this often, and in which this much time is spent on compilation or
 * loading, tries several kernels out. */
#define LEAST_TRIALS     4
#define TRIAL_LOADING_NS 1000000
/* Operators from the outermost one to the kernel. */
#define NESTED 3

/* Returns the index behind the calls of the operator that `first` belongs to. own: the first call
 * behind its last wait that starts work, if it tries kernels out: that work is its own. WEIR_NONE:
 * it tries none. */
static uint32_t find_own(const struct weir_program *program, const struct weir_intervals *loading,
                         uint32_t first, uint32_t *own)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	uint32_t outer = program->issues[first].outer, end = first;
	struct weir_intervals inside = {0};
	size_t waits = 0;

	*own = WEIR_NONE;
	for (; end < program->issue_count && program->issues[end].outer == outer; end++) {
		waits += program->issues[end].kind == WEIR_ISSUE_WAIT;
		if (program->issues[end].kind == WEIR_ISSUE_WAIT)
			*own = WEIR_NONE;
		else if (*own == WEIR_NONE && program->issues[end].job_count > 0)
			*own = end;
	}
	if (outer == WEIR_NONE || waits < LEAST_TRIALS || *own == WEIR_NONE) {
		*own = WEIR_NONE;
		return end;
	}
	weir_intervals_push(&inside, host->start_ns[outer], host->end_ns[outer]);
	if (weir_intervals_common_ns(&inside, loading) < TRIAL_LOADING_NS)
		*own = WEIR_NONE;
	weir_intervals_release(&inside);
	return end;
}

/* Adds the trials of the operator that `first` belongs to. Returns the index behind its calls. */
static uint32_t find_trials(struct weir_draft *draft, const struct weir_intervals *loading,
                            uint32_t first, struct weir_intervals *out)
{
	const struct weir_program *program = &draft->program;
	const int64_t *start_ns = program->rank->trace->host.start_ns;
	uint32_t own, end = find_own(program, loading, first, &own);

	if (own == WEIR_NONE)
		return end;
	weir_intervals_push(out, start_ns[program->issues[first].outer],
	                    start_ns[program->issues[own].call]);
	draft->program.issues[own].dispatch_ns +=
		NESTED * WEIR_DISPATCH_NS / draft->advisor->speed.dispatch;
	return end;
}

/* Collects the time in which operators that try kernels out start their own work. */
static void find_all_own(const struct weir_program *program, struct weir_intervals *out)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	struct weir_intervals loading = {0};
	uint32_t own;

	find_loading(program, &loading);
	for (uint32_t i = 0; i < program->issue_count;) {
		uint32_t outer = program->issues[i].outer;

		i = find_own(program, &loading, i, &own);
		if (own != WEIR_NONE)
			weir_intervals_push(out, host->start_ns[program->issues[own].call],
			                    host->end_ns[outer]);
	}
	weir_intervals_unite(out);
	weir_intervals_release(&loading);
}

/* Compilers and planners that run this long displace the code of the framework from a core's
 * caches. */
#define COLD_NS 10e6

/* Removes the host's time, and what is started in `trials`, a part of it. */
static double drop_time(struct weir_draft *draft, const struct weir_intervals *time,
                        const struct weir_intervals *trials)
{
	struct weir_intervals own = {0};
	double removed_ns = 0;

	find_all_own(&draft->advisor->program, &own);
	drop_trials(draft, trials, &own);
	weir_intervals_release(&own);
	if (time->count > 0)
		removed_ns = weir_host_spans_remove(draft, time);
	if (removed_ns >= COLD_NS)
		weir_draft_warm_host(draft);
	return removed_ns;
}

static void add_all(struct weir_intervals *to, const struct weir_intervals *from)
{
	for (size_t i = 0; i < from->count; i++)
		weir_intervals_push(to, from->items[i].start_ns, from->items[i].end_ns);
}

/* A graph that was launched before is on the device: a launch takes one call, and its kernels
 * follow each other. */
static void replay_graphs(struct weir_draft *draft)
{
	struct weir_program *program = &draft->program;
	double gap_ns = weir_replay_gap_ns(program->rank);
	double call_ns = WEIR_DISPATCH_NS / draft->advisor->speed.dispatch;

	for (size_t i = 0; i < program->issue_count; i++) {
		struct weir_issue *issue = &program->issues[i];

		if (!issue->graph)
			continue;
		issue->call_ns = fmin(issue->call_ns, call_ns);
		for (uint32_t j = 1; j < issue->job_count; j++) {
			struct weir_job *job = &program->jobs[issue->first_job + j];

			job->gap_ns = fmin(job->gap_ns, gap_ns);
		}
	}
}

/* Removes compilation, loading, trials and the capture of graphs. */
static double drop_loading(struct weir_draft *draft, const struct weir_captures *captures)
{
	struct weir_intervals loading = {0}, trials = {0};
	double removed_ns;

	find_loading(&draft->program, &loading);
	for (uint32_t i = 0; i < draft->program.issue_count;)
		i = find_trials(draft, &loading, i, &trials);
	add_all(&trials, &captures->time);
	add_all(&trials, &weir_trials_of(draft->advisor)->time);
	weir_intervals_unite(&trials);
	weir_intervals_clip(&trials, draft->program.host_start_ns, draft->program.host_end_ns);
	add_all(&loading, &trials);
	weir_intervals_unite(&loading);
	removed_ns = drop_time(draft, &loading, &trials);
	if (captures->time.count > 0)
		replay_graphs(draft);
	weir_intervals_release(&loading);
	weir_intervals_release(&trials);
	return removed_ns;
}

/* Removes allocations: memory for shapes seen before is in the allocator's cache. */
static void drop_allocations(struct weir_draft *draft)
{
	for (uint32_t i = 0; i < draft->program.issue_count; i++)
		if (draft->program.issues[i].kind == WEIR_ISSUE_ALLOC)
			weir_draft_remove_call(draft, i);
}

/* A recording in which leading steps take this share of the time is one of a start: what it
 * measures is mostly loading, tuning and first calls. */
#define START_SHARE 0.5
/* Least share of what they take beyond later steps in which cold calls and operators run. What the
 * profiler itself does when it starts, or another program, takes no single call so long. */
#define COLD_SHARE 0.5

/* Returns the time of leading steps, which are set apart, on the host's clock. */
static struct weir_interval leading_span(const struct weir_steps *steps)
{
	size_t count = 0;

	while (count < steps->step_count && steps->steps[count].state == WEIR_STEP_WARM_UP)
		count++;
	if (count == 0)
		return (struct weir_interval){0, 0};
	return (struct weir_interval){steps->steps[0].start_ns, steps->steps[count - 1].end_ns};
}

/* Returns the part of the span in which cold calls or operators run, or builds. */
static double cold_ns(const struct weir_rank *rank, struct weir_interval span)
{
	const struct weir_host_columns *host = &rank->trace->host;
	struct weir_cold_start cold;
	struct weir_intervals time = {0};
	double ns;

	weir_cold_start_init(&cold, &rank->timeline);
	for (size_t row = 0; row < host->count; row++)
		if (cold.cold[row])
			weir_intervals_push(&time, host->start_ns[row], host->end_ns[row]);
	for (size_t t = 0; t < cold.thread_count; t++)
		add_all(&time, &cold.builds[t]);
	weir_intervals_unite(&time);
	weir_intervals_clip(&time, span.start_ns, span.end_ns);
	ns = (double)weir_intervals_total(&time);
	weir_intervals_release(&time);
	weir_cold_start_release(&cold);
	return ns;
}

/* Returns the time that the leading steps of a start take beyond the typical step; 0: the recording
 * shows no start, or other ranks that start later explain it. */
static double start_ns(const struct weir_program *program)
{
	const struct weir_steps *steps = &program->rank->steps;
	struct weir_interval span;
	double all_ns = 0, leading_ns = 0, beyond_ns = 0;

	if (program->step == WEIR_NONE || steps->first_wait_ns > 0)
		return 0;
	for (size_t i = 0; i < steps->step_count; i++) {
		double ns = (double)steps->steps[i].period_ns;

		all_ns += ns;
		if (steps->steps[i].state != WEIR_STEP_WARM_UP)
			continue;
		leading_ns += ns;
		beyond_ns += ns - program->measured_ns;
	}
	span = leading_span(steps);
	if (!(leading_ns > START_SHARE * all_ns) || span.start_ns >= span.end_ns ||
	    cold_ns(program->rank, span) < COLD_SHARE * beyond_ns)
		return 0;
	return beyond_ns;
}

bool weir_fix_warm_up(struct weir_draft *draft)
{
	const struct weir_captures *captures;
	double removed_ns = 0;

	if (!draft->program.has_host)
		return false;
	captures = weir_captures_of(draft->advisor);
	if (captures->repeats || !loads_again(draft->advisor))
		removed_ns = drop_loading(draft, captures);
	weir_draft_basis(draft,
	                 "the same work without %.2f ms of compilation, loading and the capture "
	                 "of graphs",
	                 removed_ns / 1e6);
	if (!(removed_ns > 0))
		draft->start_ns = start_ns(&draft->program);
	return removed_ns > 0 || draft->start_ns > 0;
}

/* ---- warm-shapes: operators with new shapes ---- */

/* An operator with a new shape prepares something if it takes this long... */
#define PREPARES_NS 1000000.0
/* ...and this many times the median of its calls with shapes seen before. */
#define PREPARES_FACTOR 10

/* A call of an outermost operator, for sorting by name, shape and time. */
struct op_call {
	uint32_t row, name, shape;
	bool is_new;
	double ns;
};

struct op_calls {
	struct op_call *items;
	size_t count, capacity;
};

static int by_shape(const void *left, const void *right)
{
	const struct op_call *a = left, *b = right;

	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (a->shape != b->shape)
		return a->shape < b->shape ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Marks the names of which some call takes long enough to prepare; the others need no sorting. */
static uint8_t *find_slow_names(const struct weir_rank *rank)
{
	const struct weir_host_columns *host = &rank->trace->host;
	uint8_t *slow = weir_alloc(weir_names_count(rank->trace->names) + 1);

	for (size_t row = 0; row < host->count; row++)
		if (host->kind[row] == WEIR_HOST_OP &&
		    (double)weir_span_ns(host->start_ns[row], host->end_ns[row]) >= PREPARES_NS)
			slow[host->name[row]] = 1;
	return slow;
}

static void add_op_call(struct op_calls *calls, const struct weir_host_columns *host, uint32_t row)
{
	calls->items =
		weir_grow(calls->items, &calls->capacity, calls->count + 1, sizeof *calls->items);
	calls->items[calls->count++] = (struct op_call){
		.row = row,
		.name = host->name[row],
		.shape = host->shape[row],
		.ns = (double)weir_span_ns(host->start_ns[row], host->end_ns[row]),
	};
}

/* Marks the first call of each shape. The calls are sorted. */
static void mark_new(struct op_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		calls->items[i].is_new = i == 0 ||
		                         calls->items[i].name != calls->items[i - 1].name ||
		                         calls->items[i].shape != calls->items[i - 1].shape;
}

/* Collects the calls of operators with shapes, if some call of that name is slow; the first one of
 * each shape is new. */
static void find_op_calls(const struct weir_rank *rank, struct op_calls *out)
{
	const struct weir_host_columns *host = &rank->trace->host;
	uint8_t *slow = find_slow_names(rank);

	*out = (struct op_calls){0};
	for (size_t row = 0; row < host->count; row++)
		if (host->kind[row] == WEIR_HOST_OP && slow[host->name[row]] &&
		    host->shape[row] != 0)
			add_op_call(out, host, (uint32_t)row);
	free(slow);
	if (out->count > 0)
		qsort(out->items, out->count, sizeof *out->items, by_shape);
	mark_new(out);
}

/* Leaves the outermost operators. */
static void keep_outermost(const struct weir_rank *rank, struct op_calls *calls)
{
	size_t kept = 0;

	for (size_t i = 0; i < calls->count; i++)
		if (rank->timeline.outer_op[calls->items[i].row] == calls->items[i].row)
			calls->items[kept++] = calls->items[i];
	calls->count = kept;
	mark_new(calls);
}

/* Returns the median duration of the calls [first, end) with shapes seen before; NAN: none. */
static double usual_ns(const struct op_calls *calls, size_t first, size_t end)
{
	double *ns = weir_alloc((end - first + 1) * sizeof *ns), out;
	size_t count = 0;

	for (size_t i = first; i < end; i++)
		if (!calls->items[i].is_new)
			ns[count++] = calls->items[i].ns;
	out = count > 0 ? weir_median(ns, count) : NAN;
	free(ns);
	return out;
}

/* Adds the time that calls of one name with new shapes take beyond the usual one: the end of the
 * call is its usual work. */
static void add_excess(const struct weir_program *program, const struct op_calls *calls,
                       size_t first, size_t end, struct weir_intervals *out)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	double usual = usual_ns(calls, first, end);

	for (size_t i = first; i < end; i++) {
		const struct op_call *call = &calls->items[i];

		if (call->is_new && call->ns >= PREPARES_NS && call->ns >= PREPARES_FACTOR * usual)
			weir_intervals_push(out, host->start_ns[call->row],
			                    host->end_ns[call->row] - (int64_t)usual);
	}
}

/* ---- warm-shapes: operators without a shape seen before ---- */

/* In an operator that only launches work, the host makes the next call after a few microseconds. It
 * computes something if it makes none for this long. */
#define SILENT_NS 200000

/* True if the operator's name has a call with a shape seen before. The calls are sorted by name. */
static bool seen_before(const struct op_calls *calls, size_t call)
{
	uint32_t name = calls->items[call].name;
	size_t i = call;

	while (i > 0 && calls->items[i - 1].name == name)
		i--;
	for (; i < calls->count && calls->items[i].name == name; i++)
		if (!calls->items[i].is_new)
			return true;
	return false;
}

/* The stretches of an operator in which the host makes no call and runs no other operator. */
struct silence {
	int64_t first_ns, last_ns; /* start of the first, end of the last */
	double ns;
	bool waits, launches; /* behind the first; behind the last */
};

/* Returns the latest of `at_ns`, the end of `row`, and the ends of all rows around it that `in` is
 * not inside of. */
static int64_t closed_ns(const struct weir_timeline *timeline, uint32_t row, uint32_t in,
                         int64_t at_ns)
{
	for (; row != WEIR_NONE && row != in; row = timeline->parent[row])
		if (timeline->trace->host.end_ns[row] > at_ns)
			at_ns = timeline->trace->host.end_ns[row];
	return at_ns;
}

/* Adds a stretch to those of the operator. */
static void add_silence(struct silence *silence, int64_t from_ns, int64_t to_ns)
{
	if (silence->ns == 0)
		silence->first_ns = from_ns;
	silence->last_ns = to_ns;
	silence->ns += (double)(to_ns - from_ns);
	silence->launches = false;
}

/* Takes a call into account for all operators around it. */
static void take_call(const struct weir_timeline *timeline, uint32_t row, struct silence *silences)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	enum weir_api_class class = (enum weir_api_class)timeline->api_class[host->name[row]];

	if (host->kind[row] != WEIR_HOST_API)
		return;
	for (uint32_t in = timeline->parent[row]; in != WEIR_NONE; in = timeline->parent[in]) {
		silences[in].waits |= silences[in].ns > 0 && class == WEIR_API_SYNC;
		silences[in].launches |= class == WEIR_API_LAUNCH;
	}
}

static void find_silences(const struct weir_timeline *timeline, uint32_t thread,
                          struct silence *silences)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	uint32_t before = WEIR_NONE;
	size_t first, end;

	weir_timeline_thread_rows(timeline, thread, &first, &end);
	for (size_t row = first; row < end; row++) {
		uint32_t in = timeline->parent[row];
		int64_t from_ns;

		if (host->kind[row] == WEIR_HOST_OVERHEAD)
			continue;
		if (before != WEIR_NONE && in != WEIR_NONE) {
			from_ns = closed_ns(timeline, before, in, host->start_ns[in]);
			if (host->start_ns[row] - from_ns >= SILENT_NS)
				add_silence(&silences[in], from_ns, host->start_ns[row]);
		}
		take_call(timeline, (uint32_t)row, silences);
		before = (uint32_t)row;
	}
}

static void add_planning(const struct weir_program *program, const struct op_calls *calls,
                         struct weir_intervals *out)
{
	const struct weir_timeline *timeline = &program->rank->timeline;
	const struct weir_trace *trace = program->rank->trace;
	struct silence *silences = weir_alloc((trace->host.count + 1) * sizeof *silences);

	for (uint32_t t = 0; t < trace->thread_count; t++)
		find_silences(timeline, t, silences);
	for (size_t i = 0; i < calls->count; i++) {
		const struct op_call *call = &calls->items[i];
		const struct silence *silence = &silences[call->row];

		if (call->is_new && silence->ns >= PREPARES_NS && silence->launches &&
		    !silence->waits &&
		    *weir_op_plain_name(weir_timeline_host_name(timeline, call->row)) &&
		    !seen_before(calls, i))
			weir_intervals_push(out, silence->first_ns, silence->last_ns);
	}
	free(silences);
}

/* True if a call with a new shape may be a plan: it lasts at least as long as its silences, and
 * has a name of the framework's own operators. Most programs have none, and need no sweep. */
static bool may_plan(const struct weir_program *program, const struct op_calls *calls)
{
	const struct weir_timeline *timeline = &program->rank->timeline;

	for (size_t i = 0; i < calls->count; i++)
		if (calls->items[i].is_new && calls->items[i].ns >= PREPARES_NS &&
		    *weir_op_plain_name(weir_timeline_host_name(timeline, calls->items[i].row)))
			return true;
	return false;
}

/* Collects the time in which operators prepare for new shapes, in the whole trace. */
static void find_preparing(const struct weir_program *program, struct weir_intervals *out)
{
	struct op_calls calls;
	size_t first = 0;

	find_op_calls(program->rank, &calls);
	/* A plan: where every call has a new shape, none says how long it takes without. */
	if (may_plan(program, &calls))
		add_planning(program, &calls, out);
	keep_outermost(program->rank, &calls);
	for (size_t i = 1; i <= calls.count; i++) {
		if (i < calls.count && calls.items[i].name == calls.items[first].name)
			continue;
		add_excess(program, &calls, first, i, out);
		first = i;
	}
	weir_intervals_unite(out);
	free(calls.items);
}

/* True if half of the steady steps prepare for new shapes. */
static bool prepares_in_most_steps(const struct weir_program *program,
                                   const struct weir_intervals *preparing)
{
	const struct weir_steps *steps = &program->rank->steps;
	size_t steady = 0, found = 0;

	for (size_t s = 0; s < steps->step_count; s++) {
		if (steps->steps[s].state != WEIR_STEP_STEADY)
			continue;
		steady++;
		found += weir_intervals_meets(preparing, steps->steps[s].start_ns,
		                              steps->steps[s].end_ns);
	}
	return steady >= FEWEST_STEPS && 2 * found >= steady;
}

/* ---- warm-shapes: lengths of Fourier transforms ---- */

/* Passes over its operand of a transform at a length of small prime factors: libraries keep some
 * ten thousand points in the memory of a multiprocessor, and split longer ones in two. */
#define TRANSFORM_PASSES 2.0
/* A length padded to the next power of two at most doubles. */
#define MOST_PADDED 2.0

/* True if the call transforms a length with a large prime factor: libraries then take Bluestein's
 * algorithm, which is two transforms of at least twice the length (cuFFT's documentation, "Accuracy
 * and Performance": lengths of the factors 2, 3, 5 and 7 are the fastest). */
static bool is_bluestein(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_advisor *advisor = calls->advisor;

	for (uint32_t j = call->first_job; j < call->end_job; j++) {
		const char *kernel = weir_advisor_kernel(advisor, &advisor->program.jobs[j]);

		if (strstr(kernel, "bluestein") || strstr(kernel, "Bluestein"))
			return true;
	}
	return false;
}

/* Gives transforms the time that they take at padded lengths: a program that pads to a few lengths
 * can choose fast ones. Returns the time that this saves. */
static double pad_transforms(struct weir_draft *draft)
{
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	double saved_ns = 0;

	for (size_t c = 0; c < calls->count; c++) {
		const struct weir_op_call *call = &calls->items[c];
		struct weir_call recorded;
		double ns;

		if (!is_bluestein(calls, call) ||
		    !weir_advisor_call(draft->advisor,
		                       &draft->advisor->program.jobs[call->longest_job], &recorded))
			continue;
		/* Each pass reads and writes. */
		ns = weir_advisor_kernel_ns(draft->advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_FP32,
		                            2 * TRANSFORM_PASSES * weir_operand_bytes(&recorded),
		                            1);
		ns = fmax(ns, TRANSFORM_PASSES * WEIR_SHORTEST_KERNEL_NS);
		if (!(ns < call->ns))
			continue;
		weir_op_call_set(draft, call, ns, ns, fmin(call->ns, MOST_PADDED * ns));
		saved_ns += call->ns - ns;
	}
	return saved_ns;
}

/* Removes what operators prepare for new shapes. */
static double drop_preparing(struct weir_draft *draft, double *padded_ns)
{
	struct weir_intervals preparing = {0};
	double removed_ns = 0;

	find_preparing(&draft->program, &preparing);
	if (prepares_in_most_steps(&draft->program, &preparing)) {
		*padded_ns = pad_transforms(draft);
		removed_ns = drop_time(draft, &preparing, &preparing);
	}
	weir_intervals_release(&preparing);
	return removed_ns;
}

bool weir_fix_warm_shapes(struct weir_draft *draft)
{
	bool has_steps = draft->program.step != WEIR_NONE;
	double loading_ns = 0, padded_ns = 0, preparing_ns = 0;
	const struct weir_captures *captures;

	if (!draft->program.has_host)
		return false;
	captures = weir_captures_of(draft->advisor);
	if (!captures->repeats && loads_again(draft->advisor)) {
		loading_ns = drop_loading(draft, captures);
		drop_allocations(draft);
	}
	if (has_steps)
		preparing_ns = drop_preparing(draft, &padded_ns);
	weir_draft_basis(
		draft,
		"the same %s without %.2f ms of compilation, loading, trials and capture, and "
		"operators "
		"with new shapes as fast as with shapes seen before (%.2f ms less)",
		has_steps ? "step" : "work", loading_ns / 1e6, preparing_ns / 1e6);
	if (padded_ns > 0)
		weir_text_printf(
			&draft->basis,
			"; Fourier transforms padded to lengths of small factors take %.0f "
			"passes over their data (%.2f ms less)",
			TRANSFORM_PASSES, padded_ns / 1e6);
	return loading_ns + preparing_ns > 0;
}

/* ---- keep-the-cache ---- */

/* In a window without steps, fewer allocations and frees belong to a start and an end. */
#define FEWEST_FREES 4
/* A wait whose thread frees memory this soon belongs to the free: caches wait before they give
 * memory back. */
#define SOON_NS 50000.0

static bool frees(const struct weir_program *program, const struct weir_issue *issue)
{
	return issue->kind == WEIR_ISSUE_ALLOC &&
	       strstr(weir_timeline_host_name(&program->rank->timeline, issue->call), "Free");
}

/* True if memory goes back to the driver and comes from it again and again. */
static bool churns(const struct weir_program *program)
{
	size_t calls = 0, freed = 0;

	for (size_t i = 0; i < program->issue_count; i++) {
		calls += program->issues[i].kind == WEIR_ISSUE_ALLOC;
		freed += frees(program, &program->issues[i]);
	}
	if (program->turns > 1)
		return calls > 0;
	return freed >= FEWEST_FREES && calls - freed >= FEWEST_FREES;
}

static bool waits_to_free(const struct weir_program *program, size_t i)
{
	return program->issues[i].kind == WEIR_ISSUE_WAIT && i + 1 < program->issue_count &&
	       frees(program, &program->issues[i + 1]) &&
	       program->issues[i + 1].dispatch_ns + program->issues[i + 1].work_ns <= SOON_NS;
}

bool weir_fix_keep_the_cache(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->program;
	double removed_ns = 0;
	size_t calls = 0, waits = 0;

	if (!churns(program))
		return false;
	for (uint32_t i = 0; i < program->issue_count; i++) {
		const struct weir_issue *issue = &program->issues[i];

		if (issue->kind != WEIR_ISSUE_ALLOC && !waits_to_free(program, i))
			continue;
		calls += issue->kind == WEIR_ISSUE_ALLOC;
		waits += issue->until != WEIR_NONE;
		removed_ns += issue->call_ns;
		weir_draft_remove_call(draft, i);
	}
	weir_draft_basis(draft,
	                 "the step without %zu calls that take memory from the driver or give it "
	                 "back, %.2f ms, and without the %zu waits for the device that they imply",
	                 calls, removed_ns / 1e6, waits);
	return calls > 0;
}
