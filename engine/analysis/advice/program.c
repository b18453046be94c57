/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/delays.h"
#include "engine/analysis/advice/program.h"
#include "engine/analysis/names/apis.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"
#include "engine/base/sort.h"
#include "engine/stats/quantile.h"

/* ---- the step ---- */

/* A step of a rank, as a candidate. */
struct choice {
	size_t rank;
	uint32_t step;
	double period_ns;
	double turn_ns; /* the period, or the host's time in the step if it is much longer */
};

static int by_turn(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (a->turn_ns != b->turn_ns)
		return a->turn_ns < b->turn_ns ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

static bool is_whole(const struct weir_analysis *analysis, const struct weir_steps *steps, size_t i)
{
	return steps->steps[i].device_rows > 0 && i + 1 < steps->step_count &&
	       steps->steps[i + 1].device_rows > 0 &&
	       (!analysis->options.steady || steps->steps[i].state == WEIR_STEP_STEADY);
}

/* A host that takes this many times the period is late in a step whose period does not show it. */
#define HIDDEN_LATENESS 1.1

/* Returns a step as a candidate. Where the host runs ahead, a busy device hides a host that was
 * slow in this step alone. */
static struct choice choice_of(const struct weir_analysis *analysis, size_t rank, uint32_t i)
{
	const struct weir_step *step = &analysis->ranks[rank].steps.steps[i];
	double period_ns = (double)step->period_ns;
	double host_ns = (double)weir_span_ns(step->start_ns, step->end_ns);

	return (struct choice){rank, i, period_ns,
	                       host_ns > HIDDEN_LATENESS * period_ns ? host_ns : period_ns};
}

/* Finds the median step; false: the rank has none that another one follows. */
static bool choose_step(const struct weir_analysis *analysis, size_t rank, struct choice *out,
                        size_t *turns)
{
	const struct weir_steps *steps = &analysis->ranks[rank].steps;
	struct choice *list = weir_alloc((steps->step_count + 1) * sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < steps->step_count && !steps->sliver; i++)
		if (is_whole(analysis, steps, i))
			list[count++] = choice_of(analysis, rank, (uint32_t)i);
	qsort(list, count, sizeof *list, by_turn);
	if (count > 0)
		*out = list[(count - 1) / 2];
	*turns = count;
	free(list);
	return count > 0;
}

/* Returns the device with most analysed device time in the rank. */
static uint16_t busiest_device(const struct weir_rank *rank)
{
	const struct weir_device_columns *rows = &rank->trace->device;
	int64_t *busy_ns = weir_alloc((rank->trace->device_count + 1) * sizeof *busy_ns);
	uint16_t best = 0;

	for (size_t i = 0; i < rows->count; i++)
		busy_ns[rows->device[i]] += weir_span_ns(rows->start_ns[i], rows->end_ns[i]);
	for (size_t d = 1; d < rank->trace->device_count; d++)
		if (busy_ns[d] > busy_ns[best])
			best = (uint16_t)d;
	free(busy_ns);
	return best;
}

/* ---- device work ---- */

static bool in_program(const struct weir_program *program, size_t row)
{
	const struct weir_rank *rank = program->rank;
	int64_t start_ns = rank->trace->device.start_ns[row];

	if (program->step != WEIR_NONE)
		return rank->steps.row_step[row] == program->step;
	return weir_intervals_contains(&rank->steps.windows[program->device], start_ns);
}

static bool take_jobs(struct weir_program *program)
{
	const struct weir_rank *rank = program->rank;
	const struct weir_timeline *timeline = &rank->timeline;

	int64_t busy_until_ns = INT64_MIN;

	for (uint32_t row = timeline->first_row[program->device];
	     row < timeline->first_row[program->device + 1]; row++) {
		uint32_t call = rank->groups.row_call[row];
		uint32_t op = timeline->op[row];
		int64_t before_ns = busy_until_ns;

		if (rank->trace->device.end_ns[row] > busy_until_ns)
			busy_until_ns = rank->trace->device.end_ns[row];
		if (!in_program(program, row))
			continue;
		if (program->job_count == WEIR_MAX_PROGRAM_ROWS)
			return false;
		program->jobs = weir_grow(program->jobs, &program->job_capacity,
		                          program->job_count + 1, sizeof *program->jobs);
		program->jobs[program->job_count++] = (struct weir_job){
			.row = row,
			.op = op,
			.outer = weir_timeline_outermost_op(timeline, op),
			.group = call == WEIR_NONE ? WEIR_NONE : rank->groups.calls[call].group,
			.issue = WEIR_NONE,
			.busy_until_ns = before_ns,
		};
	}
	return program->job_count > 0;
}

/* ---- calls of the host ---- */

/* A recorded call, or a job without one, at the time from which its order follows. */
struct call {
	int64_t at_ns;
	uint32_t host_row, job; /* one of them is WEIR_NONE */
};

struct calls {
	struct call *items;
	size_t count, capacity;
};

static void add_call(struct calls *calls, int64_t at_ns, uint32_t host_row, uint32_t job)
{
	calls->items =
		weir_grow(calls->items, &calls->capacity, calls->count + 1, sizeof *calls->items);
	calls->items[calls->count++] = (struct call){at_ns, host_row, job};
}

static int by_time(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->host_row != b->host_row)
		return a->host_row < b->host_row ? -1 : 1;
	return (a->job > b->job) - (a->job < b->job);
}

static bool is_relevant(const struct weir_program *program, uint32_t row)
{
	const struct weir_trace *trace = program->rank->trace;
	enum weir_api_class class =
		(enum weir_api_class)program->rank->timeline.api_class[trace->host.name[row]];

	return trace->host.kind[row] == WEIR_HOST_API &&
	       (class == WEIR_API_SYNC || class == WEIR_API_COPY_BLOCKING ||
	        class == WEIR_API_COPY_ASYNC || class == WEIR_API_ALLOC);
}

/* Adds the waits, copies and allocations of the threads that launch the jobs. */
static bool add_other_calls(const struct weir_program *program, const uint8_t *threads,
                            struct calls *calls)
{
	const struct weir_host_columns *host = &program->rank->trace->host;

	for (uint32_t t = 0; t < program->rank->trace->thread_count; t++) {
		size_t first, end;

		if (!threads[t])
			continue;
		weir_timeline_thread_rows(&program->rank->timeline, t, &first, &end);
		for (size_t row =
		             weir_instants_from(host->start_ns, first, end, program->host_start_ns);
		     row < end && host->start_ns[row] < program->host_end_ns; row++) {
			if (is_relevant(program, (uint32_t)row))
				add_call(calls, host->start_ns[row], (uint32_t)row, WEIR_NONE);
			if (calls->count >= WEIR_MAX_PROGRAM_ROWS)
				return false;
		}
	}
	return true;
}

/* Returns the launch call of a job; WEIR_NONE: not recorded. */
static uint32_t launch_of(const struct weir_program *program, const struct weir_job *job)
{
	return program->rank->trace->device.launch[job->row];
}

/* Finds the host time of the step: from its first launch to that of the next step. */
static void find_host_range(struct weir_program *program)
{
	const struct weir_rank *rank = program->rank;
	const struct weir_trace *trace = rank->trace;
	int64_t first_ns = INT64_MAX, next_ns = INT64_MAX, last_ns = INT64_MIN;

	for (size_t j = 0; j < program->job_count; j++) {
		uint32_t call = launch_of(program, &program->jobs[j]);

		if (call == WEIR_NONE)
			continue;
		if (trace->host.start_ns[call] < first_ns)
			first_ns = trace->host.start_ns[call];
		if (trace->host.end_ns[call] > last_ns)
			last_ns = trace->host.end_ns[call];
	}
	for (uint32_t row = rank->timeline.first_row[program->device];
	     program->step != WEIR_NONE && row < rank->timeline.first_row[program->device + 1];
	     row++) {
		uint32_t call = trace->device.launch[row];

		if (rank->steps.row_step[row] == program->step + 1 && call != WEIR_NONE &&
		    trace->host.start_ns[call] < next_ns)
			next_ns = trace->host.start_ns[call];
	}
	program->has_host = first_ns != INT64_MAX;
	program->host_start_ns = program->has_host ? first_ns : 0;
	program->host_end_ns = next_ns != INT64_MAX && next_ns > last_ns ? next_ns : last_ns;
	if (!program->has_host)
		program->host_end_ns = 0;
}

static struct weir_issue *add_issue(struct weir_program *program, uint32_t call)
{
	struct weir_issue *issue;

	program->issues = weir_grow(program->issues, &program->issue_capacity,
	                            program->issue_count + 1, sizeof *program->issues);
	issue = &program->issues[program->issue_count++];
	*issue = (struct weir_issue){.call = call,
	                             .outer = WEIR_NONE,
	                             .op = WEIR_NONE,
	                             .work_row = WEIR_NONE,
	                             .until = WEIR_NONE};
	return issue;
}

static void describe_call(const struct weir_program *program, struct weir_issue *issue)
{
	const struct weir_timeline *timeline = &program->rank->timeline;
	enum weir_api_class class;

	if (issue->call == WEIR_NONE)
		return;
	class = (enum weir_api_class)timeline->api_class[timeline->trace->host.name[issue->call]];
	issue->op = timeline->inner_op[issue->call];
	issue->outer = weir_timeline_outermost_op(timeline, issue->op);
	issue->graph = class == WEIR_API_GRAPH_LAUNCH;
	if (class == WEIR_API_SYNC)
		issue->kind = WEIR_ISSUE_WAIT;
	else if (class == WEIR_API_ALLOC)
		issue->kind = WEIR_ISSUE_ALLOC;
}

/* Makes one issue per call in order of time, and sorts the jobs by issue. */
static void make_issues(struct weir_program *program, struct calls *calls)
{
	struct weir_job *sorted = weir_alloc((program->job_count + 1) * sizeof *sorted);
	size_t taken = 0;

	weir_sort(calls->items, calls->count, sizeof *calls->items, by_time);
	for (size_t c = 0; c < calls->count; c++) {
		const struct call *call = &calls->items[c];
		struct weir_issue *issue = program->issue_count > 0
		                                   ? &program->issues[program->issue_count - 1]
		                                   : NULL;

		if (!issue || call->host_row == WEIR_NONE || issue->call != call->host_row) {
			issue = add_issue(program, call->host_row);
			issue->first_job = (uint32_t)taken;
			describe_call(program, issue);
		}
		if (call->job == WEIR_NONE)
			continue;
		sorted[taken] = program->jobs[call->job];
		sorted[taken++].issue = (uint32_t)(program->issue_count - 1);
		issue->job_count++;
	}
	free(program->jobs);
	program->jobs = sorted;
	program->job_capacity = program->job_count + 1;
}

static bool take_issues(struct weir_program *program)
{
	const struct weir_trace *trace = program->rank->trace;
	uint8_t *threads = weir_alloc(trace->thread_count + 1);
	struct calls calls = {0};
	bool fits;

	for (uint32_t j = 0; j < program->job_count; j++) {
		uint32_t call = launch_of(program, &program->jobs[j]);

		if (call != WEIR_NONE)
			threads[trace->host.thread[call]] = 1;
		add_call(&calls,
		         call == WEIR_NONE ? trace->device.start_ns[program->jobs[j].row]
		                           : trace->host.start_ns[call],
		         call, j);
	}
	fits = add_other_calls(program, threads, &calls);
	if (fits)
		make_issues(program, &calls);
	free(threads);
	free(calls.items);
	return fits;
}

/* ---- times of the device ---- */

/* Fills the times of one job; returns true if the device waited for its launch. */
static bool time_job(const struct weir_program *program, struct weir_job *job)
{
	const struct weir_trace *trace = program->rank->trace;
	uint32_t call = launch_of(program, job);
	int64_t start_ns = trace->device.start_ns[job->row];
	int64_t end_ns = trace->device.end_ns[job->row], until_ns = job->busy_until_ns;
	int64_t from_ns = start_ns > until_ns ? start_ns : until_ns;

	job->span_ns = (double)weir_span_ns(start_ns, end_ns);
	job->ns = end_ns > from_ns ? (double)weir_span_ns(from_ns, end_ns) : 0;
	job->low_ns = job->high_ns = job->ns;
	if (call != WEIR_NONE && start_ns > trace->host.start_ns[call])
		job->latency_ns = (double)weir_span_ns(trace->host.start_ns[call], start_ns);
	if (until_ns == INT64_MIN || (call != WEIR_NONE && trace->host.start_ns[call] >= until_ns))
		return true;
	if (start_ns > until_ns)
		job->gap_ns = (double)weir_span_ns(until_ns, start_ns);
	return false;
}

/* Fills the times of the jobs from the trace. */
static void time_jobs(struct weir_program *program)
{
	double *late = weir_alloc((program->job_count + 1) * sizeof *late), typical_ns;
	size_t late_count = 0;

	for (size_t j = 0; j < program->job_count; j++)
		if (time_job(program, &program->jobs[j]))
			late[late_count++] = program->jobs[j].latency_ns;
	typical_ns = late_count > 0 ? weir_median(late, late_count) : 0;
	for (size_t j = 0; j < program->job_count; j++)
		program->jobs[j].latency_ns = fmin(program->jobs[j].latency_ns, typical_ns);
	free(late);
}

/* ---- times of the host ---- */

/* The beginnings and ends of host rows on the launching threads, in order. */
struct edges {
	int64_t *at_ns;
	size_t count, capacity;
	size_t frames, operators;  /* of Python, and of the framework */
	struct weir_delays delays; /* of the thread */
	bool found;
};

static void add_edge(struct edges *edges, int64_t at_ns)
{
	edges->at_ns =
		weir_grow(edges->at_ns, &edges->capacity, edges->count + 1, sizeof *edges->at_ns);
	edges->at_ns[edges->count++] = at_ns;
}

/* True for operators that PyTorch dispatches one by one. */
static bool is_eager(const struct weir_program *program, size_t row)
{
	const char *name = weir_timeline_host_name(&program->rank->timeline, (uint32_t)row);

	return program->rank->trace->host.kind[row] == WEIR_HOST_OP &&
	       strncmp(name, "aten::", sizeof "aten::" - 1) == 0;
}

static void find_edges(const struct weir_program *program, uint32_t thread, struct edges *edges)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t first, end;

	weir_timeline_thread_rows(&program->rank->timeline, thread, &first, &end);
	for (size_t row = weir_instants_from(host->start_ns, first, end, program->host_start_ns);
	     row < end && host->start_ns[row] < program->host_end_ns; row++) {
		if (host->kind[row] == WEIR_HOST_OVERHEAD)
			continue;
		edges->frames += host->kind[row] == WEIR_HOST_PYTHON;
		edges->operators += is_eager(program, row);
		add_edge(edges, host->start_ns[row]);
		if (host->end_ns[row] < program->host_end_ns)
			add_edge(edges, host->end_ns[row]);
	}
	weir_instants_sort(edges->at_ns, edges->count);
	weir_delays_init(&edges->delays, program->rank, thread);
	edges->found = true;
}

/* Returns the innermost row of the thread that is open at at_ns; WEIR_NONE: none. */
static uint32_t row_at(const struct weir_program *program, uint32_t thread, int64_t at_ns)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t first, end, after;
	uint32_t row;

	weir_timeline_thread_rows(&program->rank->timeline, thread, &first, &end);
	after = weir_instants_from(host->start_ns, first, end, at_ns + 1);
	if (after == first)
		return WEIR_NONE;
	row = (uint32_t)(after - 1);
	while (row != WEIR_NONE && host->end_ns[row] <= at_ns)
		row = program->rank->timeline.parent[row];
	return row;
}

/* A stretch that takes this long at most in some step is dispatch... */
#define LONGEST_DISPATCH_NS 100000.0
/* ...and no more than this many times as long when other programs delay it; a longer one is work
 * that not every step does. */
#define MOST_DELAYED 10.0

/* Divides a long stretch between dispatch and a delay; false: it is work. */
static bool is_delay(const struct weir_program *program, struct edges *edges, int64_t from_ns,
                     int64_t to_ns, struct weir_issue *issue)
{
	double ns = (double)weir_span_ns(from_ns, to_ns);
	double least_ns = program->step == WEIR_NONE
	                          ? NAN
	                          : weir_delays_least_ns(&edges->delays, from_ns, to_ns);

	if (!(least_ns <= LONGEST_DISPATCH_NS && ns <= MOST_DELAYED * least_ns))
		return false;
	issue->dispatch_ns += least_ns;
	issue->profiler_ns += ns - least_ns;
	return true;
}

/* Divides the host time [from, to) of a thread between dispatch, work and delays. */
static void divide_host(const struct weir_program *program, struct edges *edges, uint32_t thread,
                        int64_t from_ns, int64_t to_ns, struct weir_issue *issue)
{
	double longest_ns = 0;
	size_t e = weir_instants_until(edges->at_ns, edges->count, from_ns);

	while (from_ns < to_ns) {
		int64_t next_ns =
			e < edges->count && edges->at_ns[e] < to_ns ? edges->at_ns[e] : to_ns;
		double ns = (double)weir_span_ns(from_ns, next_ns);

		if (ns < WEIR_HOST_WORK_NS) {
			issue->dispatch_ns += ns;
		} else if (!is_delay(program, edges, from_ns, next_ns, issue)) {
			issue->work_ns += ns;
			if (ns > longest_ns)
				issue->work_row = row_at(program, thread, from_ns);
			longest_ns = fmax(longest_ns, ns);
		}
		from_ns = next_ns;
		e++;
	}
}

/* Returns the last job of an earlier issue, or of this one, that ended by at_ns. */
static uint32_t job_before(const struct weir_program *program, const struct weir_issue *issue,
                           int64_t at_ns)
{
	const int64_t *end_ns = program->rank->trace->device.end_ns;
	uint32_t job = issue->first_job + issue->job_count;

	while (job > 0 && end_ns[program->jobs[job - 1].row] > at_ns)
		job--;
	return job > 0 ? job - 1 : WEIR_NONE;
}

/* A launch call that takes longer while the device has work waits for room in the queue. */
#define FULL_QUEUE_NS 50000
/* Clocks of host and device differ by this much. */
#define CLOCKS_NS 2000

/* True for copies within the device's memory, which no host waits for. */
static bool stays_on_device(const struct weir_program *program, uint32_t row)
{
	const char *name = weir_timeline_device_name(&program->rank->timeline, row);

	return strstr(name, "DtoD") || strstr(name, "DeviceToDevice");
}

/* Takes the delay out of a launch call that is short in another step. One that loads code is long
 * without a delay, but then no step with the same events has a short one. */
static void shorten_launch(const struct weir_program *program, struct edges *edges,
                           struct weir_issue *issue)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	double least_ns;

	if (issue->kind != WEIR_ISSUE_LAUNCH || issue->call_ns <= LONGEST_DISPATCH_NS ||
	    program->step == WEIR_NONE)
		return;
	least_ns = weir_delays_least_ns(&edges->delays, host->start_ns[issue->call],
	                                host->end_ns[issue->call]);
	if (!(least_ns <= LONGEST_DISPATCH_NS))
		return;
	issue->profiler_ns += issue->call_ns - least_ns;
	issue->call_ns = least_ns;
}

/* Sets what a call waits for, and its duration apart from waiting. */
static void time_call(const struct weir_program *program, struct edges *edges,
                      struct weir_issue *issue)
{
	const struct weir_trace *trace = program->rank->trace;
	int64_t start_ns = trace->host.start_ns[issue->call];
	int64_t end_ns = trace->host.end_ns[issue->call], done_ns;
	bool waits = issue->kind == WEIR_ISSUE_WAIT || issue->kind == WEIR_ISSUE_ALLOC;

	if (issue->kind == WEIR_ISSUE_LAUNCH && issue->job_count > 0 && !issue->graph) {
		uint32_t row = program->jobs[issue->first_job].row;

		waits = trace->device.kind[row] == WEIR_DEVICE_COPY &&
		        !stays_on_device(program, row) &&
		        trace->device.end_ns[row] <= end_ns + CLOCKS_NS;
	}
	issue->call_ns = (double)weir_span_ns(start_ns, end_ns);
	if (issue->kind == WEIR_ISSUE_LAUNCH && issue->job_count > 0 &&
	    program->jobs[issue->first_job].busy_until_ns > end_ns)
		/* The queue may have been full: the host waited for room in it. */
		issue->call_ns = fmin(issue->call_ns, FULL_QUEUE_NS);
	if (!waits) {
		shorten_launch(program, edges, issue);
		return;
	}
	issue->until = job_before(program, issue, end_ns + CLOCKS_NS);
	if (issue->until == WEIR_NONE)
		return;
	done_ns = trace->device.end_ns[program->jobs[issue->until].row];
	if (done_ns <= start_ns) {
		issue->until = WEIR_NONE; /* the device had finished before the call */
		return;
	}
	issue->return_ns = end_ns > done_ns ? (double)weir_span_ns(done_ns, end_ns) : 0;
	issue->call_ns = 0;
}

/* Ranges by which the PyTorch profiler marks steps: it opens the next one when it closes the last.
 */
static const char profiler_step[] = "ProfilerStep#";
/* Closing and opening the ranges takes about half as long on each side as the time between them:
 * 0.45 and 0.6 of it in 60 captures (medians). */
#define MARK_SHARE 0.5
/* Ranges of a program, by torch.profiler.record_function(), are closed and opened through operators
 * that the profiler records as well. In 99 captures 28 us passed between them, 47 us since the last
 * event before and 35 us to the next one (medians), of which the program has about a quarter. */
#define RANGE_SHARE   1.0
#define MOST_RANGE_NS 60000

/* Returns how long the profiler runs on each side of the time between two ranges like this one,
 * which mark steps, as a share of that time; 0: the ranges are not known to take it any time. */
static double mark_share(const struct weir_program *program, const struct edges *edges,
                         uint32_t row, int64_t between_ns)
{
	if (strncmp(weir_timeline_host_name(&program->rank->timeline, row), profiler_step,
	            sizeof profiler_step - 1) == 0)
		return MARK_SHARE;
	return edges->operators > 0 && between_ns <= MOST_RANGE_NS ? RANGE_SHARE : 0;
}

/* Rows of the host before the next range among which the frames that close and open ranges are
 * sought: closing takes about 15 frames. */
#define MARK_ROWS 64

/* Fills the time from the frame that closes a range of the program to the end of the one that opens
 * the next at end_ns; false: the profiler recorded no such frames, which are called
 * "torch/autograd/profiler.py(860): __exit__" and "...: __enter__". */
static bool frames_of_marking(const struct weir_program *program, uint32_t thread, int64_t end_ns,
                              struct weir_interval *mark)
{
	static const char file[] = "autograd/profiler.py(";
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t first, end;
	bool opens = false;

	weir_timeline_thread_rows(&program->rank->timeline, thread, &first, &end);
	end = weir_instants_from(host->start_ns, first, end, end_ns);
	for (size_t row = end; row > first && end - row < MARK_ROWS; row--) {
		const char *name =
			weir_timeline_host_name(&program->rank->timeline, (uint32_t)row - 1);
		const char *at = strstr(name, file);

		if (!at)
			continue;
		if (strstr(at, "): __enter__") && host->end_ns[row - 1] >= end_ns) {
			mark->end_ns = host->end_ns[row - 1];
			opens = true;
		}
		if (strstr(at, "): __exit__")) {
			mark->start_ns = host->start_ns[row - 1];
			return opens;
		}
	}
	return false;
}

/* Returns the time around the end of the step in which only the profiler runs; empty: no range
 * marks the steps, or ranges that are not known to take the profiler any time. */
static struct weir_interval marking(const struct weir_program *program, const struct edges *edges,
                                    int64_t end_ns)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	struct weir_interval mark = {end_ns, end_ns};
	int64_t share_ns;
	double share;
	uint32_t row;
	size_t e;

	if (program->step == WEIR_NONE)
		return mark;
	row = program->rank->steps.steps[program->step].host_row;
	if (row == WEIR_NONE || host->end_ns[row] >= end_ns ||
	    weir_span_ns(host->end_ns[row], end_ns) >= WEIR_HOST_WORK_NS)
		return mark;
	if (edges->frames > 0 && frames_of_marking(program, host->thread[row], end_ns, &mark))
		return mark;
	mark = (struct weir_interval){end_ns, end_ns};
	share = mark_share(program, edges, row, weir_span_ns(host->end_ns[row], end_ns));
	if (share == 0)
		return mark;
	mark.start_ns = host->end_ns[row];
	share_ns = (int64_t)(share * (double)weir_span_ns(mark.start_ns, end_ns));
	e = weir_instants_until(edges->at_ns, edges->count, mark.start_ns - 1);
	mark.start_ns = e > 0 && edges->at_ns[e - 1] > mark.start_ns - share_ns
	                        ? edges->at_ns[e - 1]
	                        : mark.start_ns - share_ns;
	e = weir_instants_until(edges->at_ns, edges->count, end_ns);
	mark.end_ns = e < edges->count && edges->at_ns[e] < end_ns + share_ns ? edges->at_ns[e]
	                                                                      : end_ns + share_ns;
	return mark;
}

/* Takes the profiler's time out of the dispatch. */
static void take_marking(struct weir_issue *tail, struct weir_interval mark, int64_t from_ns,
                         int64_t to_ns)
{
	double ns;

	if (mark.start_ns > from_ns)
		from_ns = mark.start_ns;
	if (mark.end_ns < to_ns)
		to_ns = mark.end_ns;
	if (from_ns >= to_ns)
		return;
	ns = fmin(tail->dispatch_ns, (double)weir_span_ns(from_ns, to_ns));
	tail->profiler_ns += ns;
	tail->dispatch_ns -= ns;
}

/* Takes the profiler's time out of the dispatch before a call if the step ends there. */
static void take_marking_inside(const struct weir_program *program, const struct edges *edges,
                                struct weir_interval before, struct weir_issue *issue)
{
	int64_t end_ns;

	if (program->step == WEIR_NONE)
		return;
	end_ns = program->rank->steps.steps[program->step].end_ns;
	if (before.start_ns < end_ns && end_ns <= before.end_ns)
		take_marking(issue, marking(program, edges, end_ns), before.start_ns,
		             before.end_ns);
}

/* Adds the host time of the span, which begins or ends where the step does. */
static void add_tail(struct weir_program *program, struct edges *edges, uint32_t thread,
                     enum weir_issue_kind kind, struct weir_interval span)
{
	int64_t boundary_ns = kind == WEIR_ISSUE_OUTPUT ? span.end_ns : span.start_ns;
	struct weir_issue *tail;

	if (span.start_ns >= span.end_ns)
		return;
	tail = add_issue(program, WEIR_NONE);
	tail->kind = (uint8_t)kind;
	tail->first_job = (uint32_t)program->job_count;
	divide_host(program, edges, thread, span.start_ns, span.end_ns, tail);
	take_marking(tail, marking(program, edges, boundary_ns), span.start_ns, span.end_ns);
}

/* Adds the host time behind the last call: up to the end of the step, and from there to the first
 * launch of the next one. */
static void add_tails(struct weir_program *program, struct edges *edges, uint32_t thread,
                      int64_t at_ns)
{
	int64_t boundary_ns = program->host_end_ns;

	if (program->step != WEIR_NONE)
		boundary_ns = program->rank->steps.steps[program->step].end_ns;
	if (boundary_ns < at_ns)
		boundary_ns = at_ns;
	if (boundary_ns > program->host_end_ns)
		boundary_ns = program->host_end_ns;
	add_tail(program, edges, thread, WEIR_ISSUE_OUTPUT,
	         (struct weir_interval){at_ns, boundary_ns});
	add_tail(program, edges, thread, WEIR_ISSUE_INPUT,
	         (struct weir_interval){boundary_ns, program->host_end_ns});
}

/* Returns the number of calls without the waits at their end for which the device had finished, if
 * the host works in front of one of these; else the number of all calls. */
static size_t without_idle_waits(const struct weir_program *program)
{
	size_t count = program->issue_count;
	double work_ns = 0;

	while (count > 0 && program->issues[count - 1].kind == WEIR_ISSUE_WAIT &&
	       program->issues[count - 1].until == WEIR_NONE &&
	       program->issues[count - 1].job_count == 0)
		work_ns += program->issues[--count].work_ns;
	return work_ns > 0 ? count : program->issue_count;
}

/* Removes final waits for which the device had finished, so that what the host does in front of
 * them is behind the device's work, as it is without them: programs that have fetched their results
 * still synchronise at the end of a step. Returns when the last call that is left ended. */
static int64_t drop_idle_waits(struct weir_program *program)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	int64_t at_ns = program->host_start_ns;

	program->issue_count = without_idle_waits(program);
	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call != WEIR_NONE && host->end_ns[call] > at_ns)
			at_ns = host->end_ns[call];
	}
	return at_ns;
}

/* With fewer frames an operator the profiler marks modules alone. What frames cost was measured
 * with PyTorch's operators: compiled programs and other frameworks dispatch in another way. */
#define FRAMES_AN_OPERATOR 0.25

/* Releases the edges of all threads, and fills what they show of the profiler. */
static void release_edges(struct weir_program *program, struct edges *edges)
{
	size_t frames = 0, operators = 0;

	for (size_t t = 0; t < program->rank->trace->thread_count; t++) {
		frames += edges[t].frames;
		operators += edges[t].operators;
		free(edges[t].at_ns);
		weir_delays_release(&edges[t].delays);
	}
	free(edges);
	program->stacks = operators > 0 && (double)frames >= FRAMES_AN_OPERATOR * (double)operators;
}

/* Fills the host times of all issues; the time behind the last call becomes issues of
 * its own. */
static void time_host(struct weir_program *program)
{
	const struct weir_trace *trace = program->rank->trace;
	struct edges *edges = weir_alloc((trace->thread_count + 1) * sizeof *edges);
	int64_t at_ns = program->host_start_ns;
	uint32_t thread = WEIR_NONE;

	for (size_t i = 0; i < program->issue_count; i++) {
		struct weir_issue *issue = &program->issues[i];

		if (issue->call == WEIR_NONE)
			continue;
		thread = trace->host.thread[issue->call];
		if (!edges[thread].found)
			find_edges(program, thread, &edges[thread]);
		divide_host(program, &edges[thread], thread, at_ns,
		            trace->host.start_ns[issue->call], issue);
		take_marking_inside(
			program, &edges[thread],
			(struct weir_interval){at_ns, trace->host.start_ns[issue->call]}, issue);
		time_call(program, &edges[thread], issue);
		if (trace->host.end_ns[issue->call] > at_ns)
			at_ns = trace->host.end_ns[issue->call];
	}
	if (thread != WEIR_NONE) {
		add_tails(program, &edges[thread], thread, drop_idle_waits(program));
		if (program->step != WEIR_NONE)
			program->slowdown =
				weir_delays_slowdown(&edges[thread].delays, program->step);
	}
	release_edges(program, edges);
}

/* ---- the whole ---- */

static void measure_window(struct weir_program *program)
{
	const struct weir_intervals *windows = &program->rank->steps.windows[program->device];

	program->measured_ns = (double)weir_intervals_total(windows);
	program->turns = 1;
}

/* Chooses the rank whose median step is longest, else the rank with the longest window. */
static bool choose(struct weir_program *program)
{
	const struct weir_analysis *analysis = program->analysis;
	double longest_ns = -1;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		struct choice choice = {0};
		size_t turns;

		if (!choose_step(analysis, r, &choice, &turns) || choice.period_ns <= longest_ns)
			continue;
		longest_ns = choice.period_ns;
		program->rank = &analysis->ranks[r];
		program->step = choice.step;
		program->measured_ns = choice.period_ns;
		program->turns = turns;
	}
	for (size_t r = 0; longest_ns < 0 && r < analysis->rank_count; r++)
		if (analysis->ranks[r].busy_ns > 0 &&
		    (!program->rank || analysis->ranks[r].busy_ns > program->rank->busy_ns))
			program->rank = &analysis->ranks[r];
	if (!program->rank || program->rank->trace->device_count == 0)
		return false;
	program->device = busiest_device(program->rank);
	if (longest_ns < 0)
		measure_window(program);
	return true;
}

bool weir_program_init(struct weir_program *program, const struct weir_analysis *analysis)
{
	*program = (struct weir_program){.analysis = analysis, .step = WEIR_NONE, .slowdown = 1};
	if (!choose(program) || !take_jobs(program))
		return false;
	find_host_range(program);
	if (!take_issues(program))
		return false;
	time_jobs(program);
	time_host(program);
	return program->measured_ns > 0;
}

void weir_program_release(struct weir_program *program)
{
	free(program->issues);
	free(program->jobs);
	*program = (struct weir_program){0};
}

void weir_program_copy(const struct weir_program *from, struct weir_program *to)
{
	struct weir_program old = *to;

	*to = *from;
	if (old.issue_capacity <= from->issue_count || old.job_capacity <= from->job_count) {
		weir_program_release(&old);
		old.issue_capacity = from->issue_count + 1;
		old.job_capacity = from->job_count + 1;
		old.issues = weir_realloc(NULL, old.issue_capacity * sizeof *old.issues);
		old.jobs = weir_realloc(NULL, old.job_capacity * sizeof *old.jobs);
	}
	to->issues = old.issues;
	to->jobs = old.jobs;
	to->issue_capacity = old.issue_capacity;
	to->job_capacity = old.job_capacity;
	memcpy(to->issues, from->issues, from->issue_count * sizeof *to->issues);
	memcpy(to->jobs, from->jobs, from->job_count * sizeof *to->jobs);
}
