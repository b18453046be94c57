/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/frames.h"
#include "engine/analysis/timeline/cold_start.h"
#include "engine/analysis/timeline/collective_waits.h"
#include "engine/analysis/timeline/host_activity.h"
#include "engine/analysis/timeline/lock_waits.h"
#include "engine/analysis/timeline/pauses.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"

#define LEAVES_AT_ONCE 65536 /* that one thread classifies */
/* A bit of a leaf's cause while the thread is classified: no operator and no driver call runs. */
#define GLUE 0x80
_Static_assert(WEIR_IDLE_COUNT <= GLUE, "the causes leave the bit free");

/* Groups of facts about an instant, and the facts of each; see enum fact. */
#define CALLERS      10
#define PLACES       5
#define STATES       4
#define COMBINATIONS (CALLERS * PLACES * STATES)

struct thread {
	bool classified, launches; /* launches: it has launched work, and its leaves are known */
	bool has_system_calls;     /* the trace records the thread's system calls */
	struct weir_thread_activity activity;
};

struct weir_host_activity {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct thread *threads;
	struct weir_cold_start cold_start;
	struct weir_collectives collectives; /* on the host */
	struct weir_intervals compilations;  /* of all threads */
	uint8_t *
		reaches_device; /* per host row: it or a row inside it is a driver call that acts */
	uint8_t *surroundings;  /* per host row: enum weir_frame_class of the innermost range,
	                           frame or operator at or above it that is not plain */
	uint32_t *around;       /* per host row: innermost enclosing row that is no call;
	                           WEIR_NONE: none */
	uint8_t *has_scope;     /* per name: a name space is part of it, as in "aten::add" */
	bool trains;
	uint8_t causes[COMBINATIONS]; /* by place_of_facts(): enum weir_idle */
};

/*
 * The facts about one instant, one bit of each group. A row of `rules` lists the facts that it
 * admits; groups that do not matter are admitted whole.
 */
enum fact {
	/* The caller: the innermost row that is no system call. */
	BLOCKING_CALL = 1 << 0,
	ALLOCATING_CALL = 1 << 1,
	LOADING_CALL = 1 << 2, /* or an operator whose library sets itself up */
	OTHER_CALL = 1 << 3,
	HOST_OPERATOR = 1 << 4, /* long, and never reaches a device */
	OPERATOR = 1 << 5,
	CODE = 1 << 6, /* a Python frame or an annotated range */
	OVERHEAD = 1 << 7,
	NO_ROW = 1 << 8,
	SILENT_CODE = 1 << 9, /* no row, and no wait either: system calls are recorded, or the
	                         program trains, so that no request makes it wait */
	ANY_CALLER = (1 << CALLERS) - 1,

	/* The surroundings of the caller. */
	IN_LOADER = 1 << 10,
	IN_COMPILER = 1 << 11,
	IN_COLLECTOR = 1 << 12,  /* Python's garbage collector */
	IN_COLLECTIVE = 1 << 13, /* of ranks, on the host */
	ELSEWHERE = 1 << 14,
	ANYWHERE = IN_LOADER | IN_COMPILER | IN_COLLECTOR | IN_COLLECTIVE | ELSEWHERE,

	/* The system call inside the caller, and frames that wait. */
	READS_FILE = 1 << 15,
	WAITS_OUTSIDE = 1 << 16, /* outside every stage that the thread has opened */
	WAITS_IN_STAGE = 1 << 17,
	RUNS = 1 << 18,
	ANY_STATE = READS_FILE | WAITS_OUTSIDE | WAITS_IN_STAGE | RUNS,
};

/* Callers that may wait: an operator that waits is still dispatch. */
#define WAITERS (CODE | OVERHEAD | NO_ROW | SILENT_CODE)

/* The first row that admits all facts decides. Every combination of facts is admitted by a row. */
static const struct {
	unsigned admits;
	enum weir_idle idle;
} rules[] = {
	{BLOCKING_CALL | ANYWHERE | ANY_STATE, WEIR_IDLE_HOST_SYNC},
	{ALLOCATING_CALL | ANYWHERE | ANY_STATE, WEIR_IDLE_ALLOCATOR},
	{LOADING_CALL | ANYWHERE | ANY_STATE, WEIR_IDLE_COMPILE_LOAD},
	{ANY_CALLER | IN_LOADER | ANY_STATE, WEIR_IDLE_INPUT},
	{ANY_CALLER | IN_COMPILER | ANY_STATE, WEIR_IDLE_COMPILE_LOAD},
	{ANY_CALLER | IN_COLLECTOR | ANY_STATE, WEIR_IDLE_GARBAGE},
	{OTHER_CALL | ANYWHERE | ANY_STATE, WEIR_IDLE_DISPATCH},
	{WAITERS | IN_COLLECTIVE | ANY_STATE, WEIR_IDLE_DEPENDENCY_COMM},
	{ANY_CALLER | ANYWHERE | READS_FILE, WEIR_IDLE_INPUT},
	{WAITERS | ANYWHERE | WAITS_IN_STAGE, WEIR_IDLE_PYTHON},
	{WAITERS | ANYWHERE | WAITS_OUTSIDE, WEIR_IDLE_HOST_IDLE},
	{HOST_OPERATOR | ANYWHERE | ANY_STATE, WEIR_IDLE_HOST_WORK},
	{OPERATOR | ANYWHERE | ANY_STATE, WEIR_IDLE_DISPATCH},
	{OVERHEAD | ANYWHERE | ANY_STATE, WEIR_IDLE_PROFILER},
	{NO_ROW | ANYWHERE | ANY_STATE, WEIR_IDLE_HOST_IDLE},
	{ANY_CALLER | ANYWHERE | ANY_STATE, WEIR_IDLE_PYTHON},
};

/* Returns the number of a combination of facts, one of each group. */
static size_t place_of_facts(unsigned facts)
{
	size_t caller = (size_t)__builtin_ctz(facts & ANY_CALLER);
	size_t where = (size_t)__builtin_ctz((facts & ANYWHERE) >> CALLERS);
	size_t state = (size_t)__builtin_ctz((facts & ANY_STATE) >> (CALLERS + PLACES));

	return (caller * PLACES + where) * STATES + state;
}

/* Applies the rules to every combination of facts: leaves are many, combinations few. */
static void apply_rules(uint8_t causes[COMBINATIONS])
{
	for (unsigned n = 0; n < COMBINATIONS; n++) {
		unsigned facts = 1u << (n / (PLACES * STATES)) |
		                 1u << (CALLERS + n / STATES % PLACES) |
		                 1u << (CALLERS + PLACES + n % STATES);
		size_t i = 0;

		while (facts & ~rules[i].admits)
			i++;
		causes[place_of_facts(facts)] = (uint8_t)rules[i].idle;
	}
}

static enum weir_api_class class_of(const struct weir_timeline *timeline, uint32_t row)
{
	return (enum weir_api_class)timeline->api_class[timeline->trace->host.name[row]];
}

static void mark_device_business(struct weir_host_activity *activity)
{
	const struct weir_host_columns *host = &activity->timeline->trace->host;

	activity->reaches_device = weir_alloc(host->count);
	for (size_t i = 0; i < host->count; i++) {
		enum weir_api_class class = class_of(activity->timeline, (uint32_t)i);

		if (host->kind[i] != WEIR_HOST_API || class == WEIR_API_QUERY ||
		    class == WEIR_API_OTHER || weir_api_is_system(class))
			continue;
		for (uint32_t up = (uint32_t)i; up != WEIR_NONE && !activity->reaches_device[up];
		     up = activity->timeline->parent[up])
			activity->reaches_device[up] = 1;
	}
}

/* Returns true for operators whose library may try several kernels on a new shape. */
static bool may_try_kernels(const char *name)
{
	static const char *const prefixes[] = {"aten::cudnn_convolution",
	                                       "aten::miopen_convolution"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/*
 * Returns one byte per host row: 1 for a convolution that tries kernels, as with cudnn.benchmark.
 * It waits for the device to time each, and launches several; otherwise a convolution never waits.
 * NULL: the trace has no such operator. The caller frees it.
 */
static uint8_t *find_trials(const struct weir_timeline *timeline)
{
	enum { WAITS = 1, LAUNCHES = 2, LAUNCHES_AGAIN = 4, TRIES = 7 };
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t names = weir_names_count(timeline->trace->names), known = 0;
	uint8_t *wanted = weir_alloc(names), *seen;

	for (size_t i = 0; i < names; i++) {
		wanted[i] = may_try_kernels(weir_names_text(timeline->trace->names, (uint32_t)i));
		known += wanted[i];
	}
	seen = known > 0 ? weir_alloc(host->count) : NULL;
	for (size_t i = 0; seen && i < host->count; i++) {
		uint32_t op = timeline->inner_op[i];
		enum weir_api_class class = class_of(timeline, (uint32_t)i);

		if (host->kind[i] != WEIR_HOST_API || op == WEIR_NONE || !wanted[host->name[op]])
			continue;
		if (class == WEIR_API_SYNC)
			seen[op] |= WAITS;
		if (class == WEIR_API_LAUNCH)
			seen[op] |= seen[op] & LAUNCHES ? LAUNCHES_AGAIN : LAUNCHES;
	}
	for (size_t i = 0; seen && i < host->count; i++)
		seen[i] = seen[i] == TRIES;
	free(wanted);
	return seen;
}

/* Finds the class of the surroundings of every row: any range, frame or operator around it may be a
 * data loader or a compiler, and a wait inside one belongs to it. A parent's row comes first. */
static void find_surroundings(struct weir_host_activity *activity)
{
	const struct weir_host_columns *host = &activity->timeline->trace->host;
	uint8_t *by_name = weir_frame_class_of_names(activity->timeline->trace->names);
	uint8_t *trials = find_trials(activity->timeline);

	activity->surroundings = weir_alloc(host->count);
	activity->around = weir_realloc(NULL, host->count * sizeof *activity->around);
	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = activity->timeline->parent[i];
		bool is_call = host->kind[i] == WEIR_HOST_API;
		uint8_t own = is_call ? WEIR_FRAME_PLAIN : by_name[host->name[i]];
		uint8_t outer =
			parent == WEIR_NONE ? WEIR_FRAME_PLAIN : activity->surroundings[parent];

		if (own == WEIR_FRAME_PLAIN ||
		    (own == WEIR_FRAME_WAIT && outer != WEIR_FRAME_PLAIN))
			own = outer;
		if (own == WEIR_FRAME_COLLECTIVE && outer != WEIR_FRAME_COLLECTIVE)
			weir_collectives_push(&activity->collectives, host->start_ns[i],
			                      host->end_ns[i]);
		if (own == WEIR_FRAME_COMPILE && outer != WEIR_FRAME_COMPILE)
			weir_intervals_push(&activity->compilations, host->start_ns[i],
			                    host->end_ns[i]);
		activity->surroundings[i] = trials && trials[i] ? WEIR_FRAME_COMPILE : own;
		activity->around[i] = parent == WEIR_NONE || host->kind[parent] != WEIR_HOST_API
		                              ? parent
		                              : activity->around[parent];
	}
	weir_collectives_finish(&activity->collectives);
	weir_intervals_unite(&activity->compilations);
	free(by_name);
	free(trials);
}

static void mark_scopes(struct weir_host_activity *activity)
{
	const struct weir_names *names = activity->timeline->trace->names;
	size_t count = weir_names_count(names);

	activity->has_scope = weir_alloc(count);
	for (size_t i = 0; i < count; i++)
		activity->has_scope[i] = strstr(weir_names_text(names, (uint32_t)i), "::") != NULL;
}

/* Finds the leaves of the threads that launch work, which explain late launches. */
static void find_leaves(struct weir_host_activity *activity)
{
	const struct weir_trace *trace = activity->timeline->trace;

	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t launch = trace->device.launch[i];
		struct thread *thread =
			launch == WEIR_NONE ? NULL : &activity->threads[trace->host.thread[launch]];

		if (!thread || thread->launches)
			continue;
		weir_leaves_init(&thread->activity.leaves, activity->timeline,
		                 trace->host.thread[launch]);
		thread->launches = true;
	}
}

static void find_cold_start(struct weir_host_activity *activity)
{
	weir_cold_start_init(&activity->cold_start, activity->timeline);
}

/* Make one of the columns or the leaves, none of which needs another one. */
static void (*const searches[WEIR_HOST_SEARCHES])(struct weir_host_activity *activity) = {
	find_leaves, find_cold_start, find_surroundings, mark_device_business};

void weir_host_activity_search(struct weir_host_activity *activity, size_t index)
{
	searches[index](activity);
}

struct weir_host_activity *weir_host_activity_new(const struct weir_timeline *timeline,
                                                  const struct weir_steps *steps)
{
	struct weir_host_activity *activity = weir_alloc(sizeof *activity);
	const struct weir_host_columns *host = &timeline->trace->host;

	activity->timeline = timeline;
	activity->steps = steps;
	activity->threads = weir_alloc(timeline->trace->thread_count * sizeof *activity->threads);
	for (size_t i = 0; i < host->count; i++)
		if (host->kind[i] == WEIR_HOST_API &&
		    weir_api_is_system(class_of(timeline, (uint32_t)i)))
			activity->threads[host->thread[i]].has_system_calls = true;
	activity->trains = weir_names_show_training(timeline->trace->names);
	mark_scopes(activity);
	apply_rules(activity->causes);
	return activity;
}

void weir_host_activity_free(struct weir_host_activity *activity)
{
	for (size_t t = 0; t < activity->timeline->trace->thread_count; t++) {
		weir_leaves_release(&activity->threads[t].activity.leaves);
		free(activity->threads[t].activity.idle);
	}
	free(activity->threads);
	weir_cold_start_release(&activity->cold_start);
	weir_collectives_release(&activity->collectives);
	weir_intervals_release(&activity->compilations);
	free(activity->reaches_device);
	free(activity->surroundings);
	free(activity->around);
	free(activity->has_scope);
	free(activity);
}

void weir_host_activity_take_leaves(struct weir_host_activity *activity, struct weir_leaves *leaves)
{
	for (size_t t = 0; t < activity->timeline->trace->thread_count; t++) {
		if (!activity->threads[t].launches)
			continue;
		leaves[t] = activity->threads[t].activity.leaves;
		activity->threads[t].activity.leaves = (struct weir_leaves){0};
	}
}

bool weir_host_activity_compiles(const struct weir_host_activity *activity, uint32_t row)
{
	return activity->surroundings[row] == WEIR_FRAME_COMPILE;
}

bool weir_host_activity_compilation(const struct weir_host_activity *activity, int64_t at_ns,
                                    struct weir_interval *out)
{
	return weir_intervals_find(&activity->compilations, at_ns, out);
}

bool weir_host_activity_is_cold(const struct weir_host_activity *activity, uint32_t row)
{
	return activity->cold_start.cold[row];
}

static unsigned fact_of_call(enum weir_api_class class)
{
	static const unsigned by_class[WEIR_API_CLASS_COUNT] = {
		[WEIR_API_SYNC] = BLOCKING_CALL,    [WEIR_API_COPY_BLOCKING] = BLOCKING_CALL,
		[WEIR_API_ALLOC] = ALLOCATING_CALL, [WEIR_API_ALLOC_ASYNC] = ALLOCATING_CALL,
		[WEIR_API_MODULE] = LOADING_CALL,
	};

	return by_class[class] ? by_class[class] : OTHER_CALL;
}

static unsigned fact_of_operator(const struct weir_host_activity *activity, uint32_t row)
{
	const struct weir_host_columns *host = &activity->timeline->trace->host;
	uint32_t outermost = weir_timeline_outermost_op(activity->timeline, row);

	return !activity->reaches_device[outermost] &&
	                       weir_span_ns(host->start_ns[outermost], host->end_ns[outermost]) >=
	                               WEIR_HOST_OPERATOR_NS
	               ? HOST_OPERATOR
	               : OPERATOR;
}

static unsigned fact_of_caller(const struct weir_host_activity *activity, uint32_t thread,
                               uint32_t caller)
{
	if (caller == WEIR_NONE)
		return activity->trains || activity->threads[thread].has_system_calls ? SILENT_CODE
		                                                                      : NO_ROW;
	switch ((enum weir_host_kind)activity->timeline->trace->host.kind[caller]) {
	case WEIR_HOST_OP:
		return activity->cold_start.cold[caller] ? LOADING_CALL
		                                         : fact_of_operator(activity, caller);
	case WEIR_HOST_API:
		return activity->cold_start.cold[caller]
		               ? LOADING_CALL
		               : fact_of_call(class_of(activity->timeline, caller));
	case WEIR_HOST_OVERHEAD:
		return OVERHEAD;
	case WEIR_HOST_ANNOTATION:
	case WEIR_HOST_PYTHON:
		return CODE;
	}
	return CODE;
}

/* Inside a stage that this thread has opened, it waits for a thread that works for the stage. */
static unsigned fact_of_wait(const struct weir_host_activity *activity, uint32_t thread,
                             int64_t at_ns)
{
	const struct weir_steps *steps = activity->steps;
	uint32_t span = weir_steps_span_at(steps, thread, at_ns);

	if (span == WEIR_NONE)
		return WAITS_OUTSIDE;
	return activity->timeline->trace->host.thread[steps->spans[span].host_row] == thread
	               ? WAITS_IN_STAGE
	               : WAITS_OUTSIDE;
}

static unsigned place_of(enum weir_frame_class around, bool compiles)
{
	if (around == WEIR_FRAME_INPUT)
		return IN_LOADER;
	if (compiles)
		return IN_COMPILER;
	if (around == WEIR_FRAME_COLLECTIVE)
		return IN_COLLECTIVE;
	return around == WEIR_FRAME_GARBAGE ? IN_COLLECTOR : ELSEWHERE;
}

/* Returns the cause of a leaf whose row is `row`, called by `caller`. */
static enum weir_idle idle_of_leaf(const struct weir_host_activity *activity, uint32_t thread,
                                   uint32_t row, uint32_t caller, int64_t at_ns)
{
	enum weir_frame_class around =
		caller == WEIR_NONE ? WEIR_FRAME_PLAIN
				    : (enum weir_frame_class)activity->surroundings[caller];
	enum weir_api_class system =
		row == caller ? WEIR_API_OTHER : class_of(activity->timeline, row);
	unsigned facts = fact_of_caller(activity, thread, caller);
	bool compiles = around == WEIR_FRAME_COMPILE ||
	                weir_intervals_contains(&activity->cold_start.builds[thread], at_ns);

	facts |= place_of(around, compiles);
	if (system == WEIR_API_SYSTEM_FILE)
		facts |= READS_FILE;
	else if (around == WEIR_FRAME_NO_WORK)
		facts |= WAITS_OUTSIDE;
	else if (system == WEIR_API_SYSTEM_WAIT || around == WEIR_FRAME_WAIT)
		facts |= fact_of_wait(activity, thread, at_ns);
	else
		facts |= RUNS;
	return (enum weir_idle)activity->causes[place_of_facts(facts)];
}

/* Returns true if no operator and no driver call runs: framework code, user code or nothing. */
static bool is_glue(const struct weir_host_activity *activity, uint32_t caller)
{
	uint8_t kind;

	if (caller == WEIR_NONE)
		return true;
	kind = activity->timeline->trace->host.kind[caller];
	return kind == WEIR_HOST_ANNOTATION || kind == WEIR_HOST_PYTHON;
}

/* Reclassifies the leaves [first, end) of one stretch without operators and driver calls. */
static void judge_glue(struct weir_thread_activity *thread, size_t first, size_t end)
{
	const struct weir_leaves *leaves = &thread->leaves;
	size_t last = end < leaves->count ? end : leaves->count - 1;
	bool is_long =
		weir_span_ns(leaves->time_ns[first], leaves->time_ns[last]) >= WEIR_HOST_WORK_NS;
	uint8_t from = is_long ? WEIR_IDLE_PYTHON : WEIR_IDLE_HOST_IDLE;
	uint8_t to = is_long ? WEIR_IDLE_HOST_WORK : WEIR_IDLE_PYTHON;

	for (size_t i = first; i < end; i++)
		if (thread->idle[i] == from)
			thread->idle[i] = to;
}

/* Returns true if only Python code can run in a leaf without another row. */
static bool is_silent(const struct weir_host_activity *activity, uint32_t row)
{
	const struct weir_timeline *timeline = activity->timeline;

	if (row == WEIR_NONE)
		return true;
	if (activity->surroundings[row] != WEIR_FRAME_PLAIN)
		return false;
	switch ((enum weir_host_kind)timeline->trace->host.kind[row]) {
	case WEIR_HOST_OP: /* those with a name space are of C++ libraries */
		return activity->reaches_device[weir_timeline_outermost_op(timeline, row)] &&
		       !activity->has_scope[timeline->trace->host.name[row]];
	case WEIR_HOST_ANNOTATION:
	case WEIR_HOST_PYTHON:
		return true;
	case WEIR_HOST_API:
	case WEIR_HOST_OVERHEAD:
		return false;
	}
	return false;
}

/* Returns true if the thread may wait for Python's interpreter lock in a leaf: it runs no call, and
 * no loader or compiler. Operators give the lock up and take it again. */
static bool may_want_lock(const struct weir_host_activity *activity, uint32_t row,
                          enum weir_idle idle)
{
	if (idle != WEIR_IDLE_DISPATCH && idle != WEIR_IDLE_PYTHON && idle != WEIR_IDLE_HOST_WORK &&
	    idle != WEIR_IDLE_HOST_IDLE)
		return false;
	return row == WEIR_NONE || (activity->timeline->trace->host.kind[row] != WEIR_HOST_API &&
	                            activity->surroundings[row] == WEIR_FRAME_PLAIN);
}

/* Leaves of WEIR_PAUSE_LEAST_NS or more. */
struct long_leaves {
	size_t *items;
	size_t count, capacity;
};

/* The leaves of one thread while they are classified. */
struct leaves_of_thread {
	const struct weir_host_activity *activity;
	struct weir_thread_activity *thread;
	uint32_t index;
	struct long_leaves *found;  /* per piece */
	struct long_leaves lasting; /* of all pieces */
	/* See struct weir_pause_thread; set for the lasting leaves alone, or for all. */
	uint8_t *silent;
};

static size_t pieces_of(const struct leaves_of_thread *of)
{
	return of->thread->leaves.count / LEAVES_AT_ONCE + 1;
}

/* Runs work on pieces of LEAVES_AT_ONCE leaves. */
static void run_on_leaves(struct leaves_of_thread *of, void (*work)(void *context, size_t piece))
{
	weir_pool_run(pieces_of(of), weir_pool_width(pieces_of(of)), work, of);
}

static int64_t lasting_ns(const struct leaves_of_thread *of, size_t i)
{
	const struct weir_leaves *leaves = &of->thread->leaves;

	return weir_span_ns(leaves->time_ns[i], leaves->time_ns[i + 1]);
}

/* Gives lasting leaves another cause if `find` marks them among the silent ones. */
static void reclassify(struct leaves_of_thread *of,
                       void (*find)(const struct weir_pause_thread *thread, uint8_t *found),
                       enum weir_idle to)
{
	uint8_t *found = weir_realloc(NULL, of->thread->leaves.count);

	for (size_t k = 0; k < of->lasting.count; k++)
		found[of->lasting.items[k]] = 0;
	find(&(struct weir_pause_thread){of->activity->timeline, of->activity->steps,
	                                 &of->thread->leaves, of->silent, of->lasting.items,
	                                 of->lasting.count},
	     found);
	for (size_t k = 0; k < of->lasting.count; k++)
		if (found[of->lasting.items[k]])
			of->thread->idle[of->lasting.items[k]] = (uint8_t)to;
	free(found);
}

/* Reclassifies silences that are likely waits for Python's interpreter lock. */
static void find_lock_waits(struct leaves_of_thread *of)
{
	const uint32_t *row = of->thread->leaves.row;
	size_t count = 0;

	for (size_t k = 0; k < of->lasting.count; k++)
		count += lasting_ns(of, of->lasting.items[k]) >= WEIR_PAUSE_SWITCH_NS;
	if (count < WEIR_LOCK_WAITS_FEWEST)
		return;
	of->silent = weir_realloc(NULL, of->thread->leaves.count);
	for (size_t k = 0; k < of->lasting.count; k++) {
		size_t i = of->lasting.items[k];

		of->silent[i] =
			may_want_lock(of->activity, row[i], (enum weir_idle)of->thread->idle[i]);
	}
	reclassify(of, weir_lock_waits_find, WEIR_IDLE_LOCK);
	free(of->silent);
}

static void mark_silent(void *context, size_t piece)
{
	const struct leaves_of_thread *of = context;
	const struct weir_thread_activity *thread = of->thread;
	size_t first = piece * LEAVES_AT_ONCE, end = first + LEAVES_AT_ONCE;

	for (size_t i = first; i < end && i < thread->leaves.count; i++)
		of->silent[i] = thread->idle[i] != WEIR_IDLE_COMPILE_LOAD &&
		                thread->idle[i] != WEIR_IDLE_LOCK &&
		                thread->idle[i] != WEIR_IDLE_DEPENDENCY_COMM &&
		                is_silent(of->activity, thread->leaves.row[i]);
}

/* Reclassifies silent pauses that are likely garbage collection. Hardly any thread has leaves that
 * are long enough, so that the others cost one pass. */
static void find_pauses(struct leaves_of_thread *of)
{
	size_t count = 0;

	for (size_t k = 0; k < of->lasting.count; k++)
		count += is_silent(of->activity, of->thread->leaves.row[of->lasting.items[k]]);
	if (count < WEIR_PAUSES_FEWEST)
		return;
	of->silent = weir_realloc(NULL, of->thread->leaves.count);
	run_on_leaves(of, mark_silent);
	reclassify(of, weir_pauses_find, WEIR_IDLE_LIKELY_GARBAGE);
	free(of->silent);
}

/* Takes the mark of GLUE away from the leaves [first, end), and judges them as one stretch. */
static void end_stretch(struct weir_thread_activity *thread, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		thread->idle[i] &= (uint8_t)~GLUE;
	judge_glue(thread, first, end);
}

/* Judges the stretches of GLUE that lie within the leaves [first, end) of a piece. Those that reach
 * its first or last leaf may go on in the pieces beside it, and keep their marks. */
static void judge_stretches(struct weir_thread_activity *thread, size_t first, size_t end)
{
	size_t i = first;

	while (i < end && thread->idle[i] & GLUE)
		i++;
	while (i < end) {
		size_t from = i;

		while (i < end && thread->idle[i] & GLUE)
			i++;
		if (i == end)
			return;
		if (i > from)
			end_stretch(thread, from, i);
		else
			i++;
	}
}

/* Judges the stretches that reach the first or last leaf of a piece. */
static void judge_at_edges(struct weir_thread_activity *thread)
{
	size_t count = thread->leaves.count;

	for (size_t edge = 0; count > 0 && edge <= count - 1 + LEAVES_AT_ONCE;
	     edge += LEAVES_AT_ONCE) {
		size_t from = edge < count ? edge : count, end = from;

		while (from > 0 && thread->idle[from - 1] & GLUE)
			from--;
		while (end < count && thread->idle[end] & GLUE)
			end++;
		if (end > from)
			end_stretch(thread, from, end);
	}
}

static void keep_long(struct long_leaves *found, size_t leaf)
{
	found->items =
		weir_grow(found->items, &found->capacity, found->count + 1, sizeof *found->items);
	found->items[found->count++] = leaf;
}

/* Classifies one piece of a thread's leaves, each by itself, judges its stretches of GLUE, and
 * finds the leaves that last. */
static void classify_leaves(void *context, size_t piece)
{
	struct leaves_of_thread *of = context;
	const struct weir_leaves *leaves = &of->thread->leaves;
	size_t first = piece * LEAVES_AT_ONCE, end = first + LEAVES_AT_ONCE;

	if (end > leaves->count)
		end = leaves->count;
	for (size_t i = first; i < end; i++) {
		uint32_t caller = weir_timeline_caller(of->activity->timeline, leaves->row[i]);
		enum weir_idle idle = idle_of_leaf(of->activity, of->index, leaves->row[i], caller,
		                                   leaves->time_ns[i]);

		of->thread->idle[i] = (uint8_t)(idle | (is_glue(of->activity, caller) ? GLUE : 0));
		if (i + 1 < leaves->count && lasting_ns(of, i) >= WEIR_PAUSE_LEAST_NS)
			keep_long(&of->found[piece], i);
	}
	judge_stretches(of->thread, first, end);
}

/* Joins what the pieces found. */
static void join_lasting(struct leaves_of_thread *of)
{
	struct long_leaves *all = &of->lasting;

	for (size_t p = 0; p < pieces_of(of); p++) {
		const struct long_leaves *found = &of->found[p];

		if (found->count == 0)
			continue;
		all->items = weir_grow(all->items, &all->capacity, all->count + found->count,
		                       sizeof *all->items);
		memcpy(all->items + all->count, found->items, found->count * sizeof *all->items);
		all->count += found->count;
		free(found->items);
	}
	free(of->found);
}

/* Reclassifies host work and silences that are waits for a collective of another thread. */
static void find_collective_waits(const struct weir_host_activity *activity,
                                  struct weir_thread_activity *thread)
{
	const struct weir_leaves *leaves = &thread->leaves;

	for (size_t i = 0; activity->collectives.count > 0 && i + 1 < leaves->count; i++)
		if ((thread->idle[i] == WEIR_IDLE_HOST_WORK ||
		     thread->idle[i] == WEIR_IDLE_HOST_IDLE) &&
		    weir_span_ns(leaves->time_ns[i], leaves->time_ns[i + 1]) >= WEIR_HOST_WORK_NS &&
		    weir_collectives_explain(&activity->collectives, leaves->time_ns[i],
		                             leaves->time_ns[i + 1]))
			thread->idle[i] = WEIR_IDLE_DEPENDENCY_COMM;
}

static void classify(struct weir_host_activity *activity, uint32_t index)
{
	struct leaves_of_thread of = {
		.activity = activity, .thread = &activity->threads[index].activity, .index = index};

	if (!activity->threads[index].launches)
		weir_leaves_init(&of.thread->leaves, activity->timeline, index);
	of.thread->idle = weir_realloc(NULL, of.thread->leaves.count);
	of.found = weir_alloc(pieces_of(&of) * sizeof *of.found);
	run_on_leaves(&of, classify_leaves);
	join_lasting(&of);
	judge_at_edges(of.thread);
	find_collective_waits(activity, of.thread);
	find_lock_waits(&of);
	find_pauses(&of);
	free(of.lasting.items);
}

const struct weir_thread_activity *weir_host_activity_of_thread(struct weir_host_activity *activity,
                                                                uint32_t thread)
{
	if (!activity->threads[thread].classified) {
		classify(activity, thread);
		activity->threads[thread].classified = true;
	}
	return &activity->threads[thread].activity;
}

struct weir_activity_label weir_host_activity_label(const struct weir_host_activity *activity,
                                                    uint32_t row)
{
	const struct weir_host_columns *host = &activity->timeline->trace->host;
	uint32_t around, outermost;

	if (row == WEIR_NONE)
		return (struct weir_activity_label){0, 0};
	around = activity->around[row];
	if (host->kind[row] == WEIR_HOST_OP) {
		outermost = weir_timeline_outermost_op(activity->timeline, row);
		around = outermost == row ? WEIR_NONE : outermost;
	} else if (host->kind[row] == WEIR_HOST_ANNOTATION) {
		around = WEIR_NONE;
	}
	return (struct weir_activity_label){host->name[row],
	                                    around == WEIR_NONE ? 0 : host->name[around]};
}
