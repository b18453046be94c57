/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Host time: waits for the device inside a step, and host work before or behind its device work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/masks.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/pauses.h"
#include "engine/analysis/advice/replay.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/base/arena.h"

/* ---- remove-syncs ---- */

/* Returns the index behind the last call that starts work; a wait behind it ends the step. */
static size_t behind_launches(const struct weir_program *program)
{
	size_t i = program->issue_count;

	while (i > 0 && program->issues[i - 1].job_count == 0)
		i--;
	return i;
}

/* True for a copy of one value to the host: tensor.item(). */
static bool fetches_value(const struct weir_advisor *advisor, const struct weir_job *job)
{
	return weir_transfer_of(advisor, job).way == WEIR_TRANSFER_DOWN &&
	       strcmp(weir_advisor_op(advisor, job), "aten::_local_scalar_dense") == 0;
}

/* Returns the call that fetches the next value of a list, between the wait `from` and the wait
 * `to`; WEIR_NONE: the device does more there than to reduce tensors. Reductions change nothing, so
 * that no value of the list depends on the one before it: stacked, they are fetched as one. */
static uint32_t next_fetch(const struct weir_advisor *advisor, uint32_t from, uint32_t to)
{
	const struct weir_program *program = &advisor->program;
	uint32_t end = program->issues[to].first_job + program->issues[to].job_count;
	uint32_t fetch = WEIR_NONE;

	for (uint32_t j = program->issues[from].first_job + program->issues[from].job_count;
	     j < end; j++) {
		const struct weir_job *job = &program->jobs[j];
		enum weir_device_kind kind =
			(enum weir_device_kind)program->rank->trace->device.kind[job->row];

		if (fetch == WEIR_NONE && fetches_value(advisor, job))
			fetch = job->issue;
		else if (kind != WEIR_DEVICE_SET &&
		         weir_advisor_family(advisor, job) != WEIR_FAMILY_REDUCE)
			return WEIR_NONE;
	}
	return fetch;
}

/* ---- checks for infinities and NaN ---- */

/* Returns the first call of a check of a tensor for infinities or NaN whose result the host fetches
 * with call `c`, such as isfinite(x).all().item(); `c` if it fetches something else. */
static size_t check_before(const struct weir_op_calls *calls, size_t c)
{
	static const char *const joining[] = {"any",         "all",         "logical_or",
	                                      "logical_and", "logical_not", "bitwise_or",
	                                      "bitwise_and", "bitwise_not", NULL};
	size_t first = c, reducing = 0;
	bool checks = false;

	if (strcmp(weir_op_calls_name(calls, &calls->items[c]), "_local_scalar_dense") != 0)
		return c;
	for (; first > 0; first--) {
		const struct weir_op_call *call = &calls->items[first - 1];
		const char *name = weir_op_calls_name(calls, call);

		if (weir_op_calls_within(calls, call, "aten::isinf") ||
		    weir_op_calls_within(calls, call, "aten::isnan") ||
		    weir_op_calls_within(calls, call, "aten::isfinite"))
			checks = true;
		else if (!weir_op_is_one_of(name, joining))
			break;
		reducing += strcmp(name, "any") == 0 || strcmp(name, "all") == 0;
	}
	return checks && reducing > 0 ? first : c;
}

/* Removes the waits and calls of call `c`, and waits of its operator behind it. */
static void drop_call(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c)
{
	const struct weir_program *program = &draft->program;
	const struct weir_op_call *call = &calls->items[c];
	uint32_t outer = program->issues[call->first_issue].outer, end = call->end_issue;

	while (end < program->issue_count && program->issues[end].kind == WEIR_ISSUE_WAIT &&
	       outer != WEIR_NONE && program->issues[end].outer == outer)
		end++;
	for (uint32_t i = call->first_issue; i < end; i++) {
		if (program->issues[i].until != WEIR_NONE)
			weir_draft_unwait(draft, i);
		weir_draft_remove_call(draft, i);
		weir_draft_set_dispatch(draft, i, 0);
	}
}

/* Removes checks in front of the call `end`, but their first operator, which stands for the one
 * that limits the values or replaces NaN instead (torch.clamp, nan_to_num): four measured fixes
 * made one pass over the tensor or none, and kept no check but one behind the last layer. Returns
 * their number. */
static size_t drop_checks(struct weir_draft *draft, size_t end)
{
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	size_t checks = 0;

	for (size_t c = 0; c < calls->count && calls->items[c].end_issue < end; c++) {
		size_t first = check_before(calls, c);

		if (first == c)
			continue;
		for (size_t i = first + 1; i <= c; i++)
			drop_call(draft, calls, i);
		checks++;
	}
	return checks;
}

/* ---- tests of a tensor ---- */

/* The question that the host answers with a value that it fetches. */
enum test {
	TEST_NONE,      /* nothing that is known: it may compute with the value */
	TEST_CHANGE,    /* whether two tensors differ, as an iteration does */
	TEST_MASK,      /* whether a mask holds at any place, or at all places */
	TEST_MAGNITUDE, /* how large a tensor is */
};

static bool is_called(const struct weir_op_calls *calls, size_t c, const char *const *names)
{
	return weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), names);
}

/* True if the call compares two tensors with each other. */
static bool compares_tensors(const struct weir_op_calls *calls, size_t c)
{
	static const char *const comparing[] = {"eq", "ne", NULL};
	const struct weir_arg *other;
	struct weir_args args;

	return is_called(calls, c, comparing) &&
	       weir_op_calls_args(calls, &calls->items[c], &args) &&
	       (other = weir_args_tensor(&args, 1)) && other->rank > 0;
}

/* Returns the first call of a test whether two tensors differ anywhere, which ends with the
 * reduction at call `r`; `r`: it does not. A sum of truth values casts them first. */
static size_t comparison_before(const struct weir_op_calls *calls, size_t r)
{
	static const char *const reductions[] = {"any", "all", "sum", "count_nonzero", NULL};
	size_t first = r;

	if (!is_called(calls, r, reductions))
		return r;
	if (first > 1 && weir_op_calls_within(calls, &calls->items[first - 1], "aten::sum"))
		first--;
	return first > 0 && compares_tensors(calls, first - 1) ? first - 1 : r;
}

/* Returns the test whose value the host fetches with call `c`, and fills its first call: nothing
 * but the test needs what lies between them. A difference may be used otherwise, and so may a mask.
 */
static enum test test_before(const struct weir_op_calls *calls, size_t c, size_t *first)
{
	static const char *const masks[] = {"any", "all", NULL};
	static const char *const norms[] = {"norm", "linalg_vector_norm", NULL};
	static const char *const sizes[] = {"max", "amax", "sum", "mean", NULL};
	static const char *const absolute[] = {"abs", NULL}, *const differences[] = {"sub", NULL};

	*first = c;
	if (c < 3)
		return TEST_NONE;
	*first = comparison_before(calls, c - 1);
	if (*first < c - 1)
		return TEST_CHANGE;
	if (is_called(calls, c - 1, masks))
		return TEST_MASK;
	if (is_called(calls, c - 1, sizes) && is_called(calls, c - 2, absolute))
		*first = c - 2;
	else if (!is_called(calls, c - 1, norms))
		return TEST_NONE;
	return is_called(calls, *first - 1, differences) ? TEST_CHANGE : TEST_MAGNITUDE;
}

/* ---- decisions on the device ---- */

/* Operators that stand on the device for what the host decides: a comparison and a selection. */
#define OPERATORS_INSTEAD 2
/* For a magnitude, which decides whether a tensor is changed: the change as well. */
#define OPERATORS_FOR_MAGNITUDE 3
/* For a value that it fetches to compute with it: the operator that does so on the device. */
#define OPERATORS_FOR_VALUE 1
/* For a mask that holds at some place: the selection by it, which needs no reduction. */
#define OPERATORS_FOR_MASK 1
/* For a change: none, as the number of turns is fixed, or the change is read once behind them. */
#define OPERATORS_FOR_CHANGE 0

static int operators_for(enum test test)
{
	switch (test) {
	case TEST_NONE:
		return OPERATORS_FOR_VALUE;
	case TEST_CHANGE:
		return OPERATORS_FOR_CHANGE;
	case TEST_MASK:
		return OPERATORS_FOR_MASK;
	case TEST_MAGNITUDE:
		break;
	}
	return OPERATORS_FOR_MAGNITUDE;
}

/* Returns the call of the operator that starts this job. */
static size_t call_of(const struct weir_op_calls *calls, uint32_t job)
{
	size_t low = 0, high = calls->count;

	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		*(calls->items[middle].first_job <= job ? &low : &high) = middle;
	}
	return low;
}

/* Lets the device decide in place of the host at the wait `i`, and fetches no value for it. */
static int decide(struct weir_draft *draft, uint32_t i)
{
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	uint32_t job = draft->program.issues[i].until;
	int operators = OPERATORS_INSTEAD;

	weir_draft_unwait(draft, i);
	if (fetches_value(draft->advisor, &draft->advisor->program.jobs[job])) {
		size_t c = call_of(calls, job), first;
		enum test test = test_before(calls, c, &first);

		if (test == TEST_NONE || test == TEST_MAGNITUDE)
			first = c;
		for (; first <= c; first++)
			drop_call(draft, calls, first);
		operators = operators_for(test);
	}
	draft->program.issues[i].dispatch_ns +=
		operators * draft->advisor->operator_ns / draft->advisor->speed.dispatch;
	return operators;
}

/* Returns the next wait of the host behind the wait `i`, in front of the call `end`; WEIR_NONE:
 * there is not one. */
static uint32_t next_wait(const struct weir_program *program, uint32_t i, size_t end)
{
	for (uint32_t next = i + 1; next + 1 < end; next++)
		if (program->issues[next].until != WEIR_NONE)
			return next;
	return WEIR_NONE;
}

/* True if the host fetches several values at the wait `i`, and at its next wait the answer to a
 * question about tensors, with no other device work between them, such as the tokens of a search
 * and whether all of it has ended: the answer decides, and the values are results, which are
 * fetched once behind all turns. */
static bool fetches_results_of_turn(const struct weir_advisor *advisor, uint32_t i, size_t end)
{
	const struct weir_program *program = &advisor->program;
	const struct weir_job *job = &program->jobs[program->issues[i].until];
	uint32_t next = next_wait(program, i, end);
	size_t first;
	enum test test;

	if (weir_transfer_of(advisor, job).way != WEIR_TRANSFER_DOWN ||
	    fetches_value(advisor, job) || next == WEIR_NONE ||
	    next_fetch(advisor, i, next) == WEIR_NONE)
		return false;
	test = test_before(weir_op_calls_of(advisor),
	                   call_of(weir_op_calls_of(advisor), program->issues[next].until), &first);
	return test == TEST_MASK || test == TEST_CHANGE;
}

struct unwaited {
	size_t waits, listed, operators, results;
};

/* Lets the host run ahead of all waits in front of the call `end`. */
static void remove_waits(struct weir_draft *draft, size_t end, struct unwaited *sum)
{
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	const struct weir_program *program = &draft->program;
	uint32_t last = WEIR_NONE;

	for (uint32_t i = 0; i + 1 < end; i++) {
		uint32_t fetch = WEIR_NONE;

		if (program->issues[i].until == WEIR_NONE)
			continue;
		if (fetches_results_of_turn(draft->advisor, i, end)) {
			drop_call(draft, calls, call_of(calls, program->issues[i].until));
			sum->results++;
			sum->waits++;
			last = WEIR_NONE;
			continue;
		}
		if (last != WEIR_NONE)
			fetch = next_fetch(draft->advisor, last, i);
		if (fetch == WEIR_NONE) {
			sum->operators += (size_t)decide(draft, i);
		} else {
			weir_draft_unwait(draft, i);
			program->issues[fetch].dispatch_ns = program->issues[fetch].call_ns = 0;
			sum->listed++;
		}
		sum->waits++;
		last = i;
	}
}

bool weir_fix_remove_syncs(struct weir_draft *draft)
{
	size_t end = behind_launches(&draft->program), masks = weir_masks_widen(draft);
	size_t checks = drop_checks(draft, end);
	struct unwaited sum = {0};
	double each;

	remove_waits(draft, end, &sum);
	each = (double)sum.operators / fmax(1, (double)(sum.waits - sum.listed - sum.results));
	if (masks > 0)
		weir_draft_basis(draft,
		                 "all rows in place of those that %zu masks pick, without counting "
		                 "and gathering them; the host runs ahead of the device in place "
		                 "of %zu other waits",
		                 masks, sum.waits);
	else if (checks > 0)
		weir_draft_basis(draft,
		                 "one pointwise operator in place of each of %zu checks for "
		                 "infinities or NaN; the host runs ahead of the device in place of "
		                 "%zu other waits",
		                 checks, sum.waits);
	else if (sum.listed > 0)
		weir_draft_basis(draft,
		                 "the host runs ahead of the device in place of %zu waits, "
		                 "dispatches %.3g operators for each decision, and fetches %zu "
		                 "values with those before them",
		                 sum.waits, each, sum.listed);
	else
		weir_draft_basis(draft,
		                 "the host runs ahead of the device in place of %zu waits, and "
		                 "dispatches %.3g operators for each decision",
		                 sum.waits, each);
	if (sum.results > 0)
		weir_text_printf(&draft->basis,
		                 "; %zu results that are fetched beside an answer are fetched once",
		                 sum.results);
	return masks + checks + sum.waits > 0;
}

/* ---- overlap-input, overlap-output ---- */

/* Processes that load data where one worker is too slow; frameworks recommend 2 to 8 a device. */
#define LOADERS 4.0
/* Threads that process results where one is too slow. They share the interpreter's lock and the
 * caches with the thread that launches: its calls took 1.2 times as long beside two of them. */
#define WRITERS 2.0
#define SHARED  1.2
/* One thread beside the dispatch is the usual fix, and its own work then limits the step, with its
 * wait for the lock. Where that gives less than this share of what several workers give, several
 * take it. Of 27 measured fixes of code between operators in which one thread gave from 0.26, 25
 * had one; one in which it would have given 0.07 had four. */
#define ONE_GIVES 0.2
/* The same for work that consists of the framework's operators, such as transforms of a data set:
 * loaders of frameworks run these in several processes. The one such fix measured had four, and
 * one would have given 0.37; the value is in the middle between that and the fixes with one. */
#define ONE_GIVES_OPERATORS 0.5
/* Where one thread gives less than this share, the basis says what several would give. */
#define WORTH_SEVERAL 0.5
/* Longest time of that thread's work beside the dispatch, in times of its work alone: 0.8 to 1.3 in
 * those fixes. */
#define SLOWEST_BESIDE 1.3

/* Share of the dispatch that such a thread waits for in the middle: Python's lock lets either run,
 * and code outside of Python, as that of decoders, gives it back. A trace does not say which it is,
 * except for operators of the framework, which give it back. In 15 of those fixes the work took
 * longer by -1.5 to 3 times the dispatch, median 0.7. */
#define LOCKED_SHARE 0.5

/* Returns the host time in which the thread that launches dispatches, without the profiler. */
static double dispatch_ns(const struct weir_draft *draft)
{
	const struct weir_program *program = &draft->program;
	double ns = 0;

	for (size_t i = 0; i < program->issue_count; i++) {
		ns += program->issues[i].dispatch_ns;
		if (program->issues[i].job_count > 0)
			ns += program->issues[i].call_ns;
	}
	return ns * draft->advisor->speed.dispatch;
}

/* Returns the share of the dispatch that work in this host row waits for: all of it if the
 * profiler recorded that it is a frame of Python, and nothing in a function outside of Python. */
static double locked_share(const struct weir_draft *draft, uint32_t work_row)
{
	const struct weir_rank *rank = draft->program.rank;

	if (work_row == WEIR_NONE || rank->trace->host.kind[work_row] != WEIR_HOST_PYTHON)
		return LOCKED_SHARE;
	return strncmp(weir_timeline_host_name(&rank->timeline, work_row), "<built-in function",
	               strlen("<built-in function")) == 0
	               ? 0
	               : 1;
}

/* Returns the time that other processes cannot take over: the collection of garbage, unless it is
 * doubtful, and windows in which the program waits for a batch to fill. The caller releases it. */
static struct weir_intervals kept_time(const struct weir_advisor *advisor)
{
	const struct weir_collections *garbage = weir_collections_of(advisor);
	const struct weir_steps *steps = &advisor->program.rank->steps;
	struct weir_intervals kept = {0};

	for (size_t i = 0; i < garbage->time.count && !garbage->doubtful; i++)
		weir_intervals_push(&kept, garbage->time.items[i].start_ns,
		                    garbage->time.items[i].end_ns);
	for (size_t i = 0; i < steps->span_count; i++)
		if (steps->stages[steps->spans[i].stage].is_batch_window)
			weir_intervals_push(&kept, steps->spans[i].start_ns,
			                    steps->spans[i].end_ns);
	weir_intervals_unite(&kept);
	return kept;
}

/* Returns the part of a stretch that is in a united set. */
static double common_ns(const struct weir_interval *stretch, const struct weir_intervals *set)
{
	struct weir_intervals one = {0};
	double ns;

	weir_intervals_push(&one, stretch->start_ns, stretch->end_ns);
	ns = (double)weir_intervals_common_ns(&one, set);
	weir_intervals_release(&one);
	return ns;
}

/* Returns the host's work of a tail without the time that stays. */
static double movable_ns(const struct weir_host_span *span, const struct weir_issue *issue,
                         const struct weir_intervals *kept)
{
	double kept_ns;

	if (issue->work_ns <= 0)
		return 0;
	kept_ns = common_ns(&span->before, kept);
	if (kept_ns == 0)
		return issue->work_ns;
	/* The rest is no work if it is short: see program.h. */
	return issue->work_ns - kept_ns >= WEIR_HOST_WORK_NS ? issue->work_ns - kept_ns : 0;
}

/* Text takes the longest of all measured inputs to prepare, 113 ns a byte: longer work has another
 * reason than the input. */
#define PREPARED_NS_PER_BYTE 200.0
/* Fewer inputs are no loop. */
#define LEAST_INPUTS 3

/* Fetched results and uploaded inputs up to a call of a window without steps. */
struct turn {
	double fetched;
	bool uploaded;
};

/* Counts the jobs of a call; kernels behind an upload begin the next results. */
static void take_jobs(const struct weir_advisor *advisor, const struct weir_issue *issue,
                      struct turn *turn)
{
	for (uint32_t j = issue->first_job; j < issue->first_job + issue->job_count; j++) {
		struct weir_transfer copy = weir_transfer_of(advisor, &advisor->program.jobs[j]);

		if (copy.way == WEIR_TRANSFER_NONE && turn->uploaded)
			*turn = (struct turn){0};
		else if (copy.way == WEIR_TRANSFER_DOWN)
			turn->fetched += copy.bytes;
		turn->uploaded |= copy.way == WEIR_TRANSFER_UP;
	}
}

/* Marks the calls of a window without steps in front of which the host prepares an input: it works,
 * and uploads more than the results that it fetched before, of which the input can be no function
 * then. Returns one mark per call, which the caller frees; NULL: the program has steps. */
static uint8_t *find_inputs(const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	struct turn turn = {0};
	uint8_t *marks;
	size_t count = 0;

	if (program->step != WEIR_NONE)
		return NULL;
	marks = weir_alloc(program->issue_count + 1);
	for (size_t i = 0; i < program->issue_count; i++) {
		const struct weir_issue *issue = &program->issues[i];
		struct weir_transfer copy = {.way = WEIR_TRANSFER_NONE};

		if (issue->job_count > 0)
			copy = weir_transfer_of(advisor, &program->jobs[issue->first_job]);
		marks[i] = copy.way == WEIR_TRANSFER_UP && copy.bytes > turn.fetched &&
		           issue->work_ns > 0 &&
		           issue->work_ns <= PREPARED_NS_PER_BYTE * copy.bytes;
		count += marks[i];
		take_jobs(advisor, issue, &turn);
	}
	for (size_t i = 0; i < program->issue_count && count < LEAST_INPUTS; i++)
		marks[i] = 0;
	return marks;
}

/* A shorter wait is not worth a word. */
#define LEAST_LOCKED_NS 10000.0

/* Work that other threads or processes take over. */
struct moved {
	double ns;
	double operators_ns; /* part of it in operators */
	double locked_ns;    /* dispatch that it waits for if one thread does it */
};

/* The threads or processes that do the moved work, and the step that they leave. */
struct shift {
	double workers;
	double slower;             /* each of several workers */
	double rest_ns;            /* of the step without the work */
	double one_ns, several_ns; /* limits */
	double one_gives;          /* of one thread over several */
	const char *of;
};

static void explain_one(struct weir_draft *draft, const struct moved *moved,
                        const struct shift *shift)
{
	weir_draft_basis(draft,
	                 "%.2f ms of host work in one thread beside the device's work "
	                 "instead of before or behind it; the rest of the %s takes %.2f ms",
	                 moved->ns / 1e6, shift->of, shift->rest_ns / 1e6);
	if (moved->locked_ns >= LEAST_LOCKED_NS)
		weir_text_printf(&draft->basis,
		                 "; the thread waits %.2f ms for Python's lock while the other one "
		                 "launches",
		                 moved->locked_ns / 1e6);
	if (shift->one_gives < WORTH_SEVERAL)
		weir_text_printf(&draft->basis, "; %.0f workers would leave %.2f ms",
		                 shift->workers, fmax(shift->rest_ns, shift->several_ns) / 1e6);
}

/* Sets the limit that the moved work puts on the step, and the basis. The range reaches from as
 * many workers as hide all of it to one. */
static void limit_by_workers(struct weir_draft *draft, const struct moved *moved, double workers,
                             double slower)
{
	double rest_ns = weir_replay(&draft->program, draft->advisor->speed, WEIR_REPLAY_TYPICAL);
	double before_ns = moved->ns + rest_ns;
	struct shift shift = {.workers = workers,
	                      .slower = slower,
	                      .rest_ns = rest_ns,
	                      .one_ns = moved->ns + moved->locked_ns,
	                      .several_ns = moved->ns * slower / workers,
	                      .of = draft->program.step == WEIR_NONE ? "trace" : "step"};
	bool one;

	shift.one_gives = (before_ns - fmax(rest_ns, shift.one_ns)) /
	                  (before_ns - fmax(rest_ns, shift.several_ns));
	one = shift.one_gives >=
	      (moved->operators_ns > moved->ns / 2 ? ONE_GIVES_OPERATORS : ONE_GIVES);
	draft->floor_ns = one ? shift.one_ns : shift.several_ns;
	draft->floor_low_ns = 0;
	draft->floor_high_ns = one ? fmax(moved->ns * SLOWEST_BESIDE, shift.one_ns) : moved->ns;
	if (one)
		explain_one(draft, moved, &shift);
	else
		weir_draft_basis(draft,
		                 "%.2f ms of host work beside the device's instead of before or "
		                 "behind it, divided among %.0f workers, each %.1f times as long "
		                 "as alone; one worker would limit the %s to %.2f ms",
		                 moved->ns / 1e6, workers, slower, shift.of, moved->ns / 1e6);
}

/* Returns the time of the operators on the threads that launch which are long enough to be work;
 * the caller releases it. */
static struct weir_intervals operator_time(const struct weir_program *program)
{
	const struct weir_timeline *timeline = &program->rank->timeline;
	const struct weir_host_columns *host = &program->rank->trace->host;
	uint8_t *launches = weir_alloc(program->rank->trace->thread_count + 1);
	struct weir_intervals time = {0};

	for (size_t i = 0; i < program->issue_count; i++)
		if (program->issues[i].call != WEIR_NONE)
			launches[host->thread[program->issues[i].call]] = 1;
	for (uint32_t row = 0; row < host->count; row++)
		if (host->kind[row] == WEIR_HOST_OP && timeline->outer_op[row] == row &&
		    launches[host->thread[row]] && host->start_ns[row] >= program->host_start_ns &&
		    host->end_ns[row] <= program->host_end_ns &&
		    weir_span_ns(host->start_ns[row], host->end_ns[row]) >= WEIR_HOST_WORK_NS)
			weir_intervals_push(&time, host->start_ns[row], host->end_ns[row]);
	weir_intervals_unite(&time);
	free(launches);
	return time;
}

/* Moves the host's work of tails of this kind, and in front of marked calls, to other threads or
 * processes. */
static bool overlap(struct weir_draft *draft, enum weir_issue_kind kind, const uint8_t *marks,
                    double workers)
{
	const struct weir_program *program = &draft->program;
	struct weir_host_span *spans = weir_host_spans_new(program);
	struct weir_intervals kept = kept_time(draft->advisor);
	struct weir_intervals operators = operator_time(program);
	struct moved moved = {0};
	double share = 0; /* times ns */

	for (uint32_t i = 0; i < program->issue_count; i++) {
		double ns = movable_ns(&spans[i], &program->issues[i], &kept), in_operators_ns;

		if ((program->issues[i].kind != kind && !(marks && marks[i])) || ns <= 0)
			continue;
		weir_draft_less_work(draft, i, ns);
		if (program->issues[i].job_count > 0)
			weir_draft_name_host(draft, i, ns);
		moved.ns += ns * draft->advisor->speed.work;
		in_operators_ns = common_ns(&spans[i].before, &operators);
		moved.operators_ns += in_operators_ns;
		share += fmax(0, ns - in_operators_ns) * draft->advisor->speed.work *
		         locked_share(draft, program->issues[i].work_row);
	}
	weir_intervals_release(&kept);
	weir_intervals_release(&operators);
	free(spans);
	if (moved.ns > 0) {
		moved.locked_ns = share / moved.ns * dispatch_ns(draft);
		limit_by_workers(draft, &moved, workers, kind == WEIR_ISSUE_OUTPUT ? SHARED : 1);
	}
	return moved.ns > 0;
}

bool weir_fix_overlap_input(struct weir_draft *draft)
{
	uint8_t *marks = find_inputs(draft->advisor);
	bool found = overlap(draft, WEIR_ISSUE_INPUT, marks, LOADERS);

	free(marks);
	return found;
}

/* True if the host waits for the step, or copies a result of it. If not, what it does behind the
 * last launch needs no result, and runs beside the device already. */
static bool fetches_results(const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;

	for (size_t i = 0; i < program->issue_count; i++)
		if (program->issues[i].until != WEIR_NONE)
			return true;
	for (size_t j = 0; j < program->job_count; j++)
		if (weir_transfer_of(advisor, &program->jobs[j]).way == WEIR_TRANSFER_DOWN)
			return true;
	return false;
}

bool weir_fix_overlap_output(struct weir_draft *draft)
{
	return fetches_results(draft->advisor) && overlap(draft, WEIR_ISSUE_OUTPUT, NULL, WRITERS);
}
