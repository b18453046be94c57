/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over rows, heads, or experts: each operator of the body once, for all iterations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/branches.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/inputs.h"
#include "engine/analysis/advice/loops.h"
#include "engine/analysis/advice/products.h"
#include "engine/analysis/advice/turn_rows.h"
#include "engine/analysis/advice/vacant.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Share of the sustained FLOP rate that a grouped product of few rows reaches: its tiles are padded
 * and its groups differ in size. Grouped products of 16 to 256 rows in libraries reach 0.3 to
 * 0.7 of a large one. */
#define GROUPED_EFFICIENCY 0.5
/* Padding at most doubles the work: rows are padded to those of the largest group. */
#define PADDED 2.0

/* ---- the merged operators ---- */

/* One operator of the body over all turns. */
struct sum {
	double flops, bytes, now_ns, longest_ns;
	double link_ns; /* of copies between host and device, without their latency */
	double rows_ns; /* of lookups that fill the device */
	double blocks;  /* of recurrent layers */
	double weights; /* bytes that do not grow with the rows */
	enum weir_engine engine;
	enum weir_dtype dtype;
};

/* Blocks that a multiprocessor runs at once, at least: a kernel with more of them in the whole
 * device takes as long for its rows alone as beside others. */
#define BLOCKS_AT_ONCE 2.0

/* Returns the blocks of the call's longest kernel. */
static double blocks_of(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_program *program = &calls->advisor->program;

	return program->rank->trace->device.blocks[program->jobs[call->longest_job].row];
}

/* A recurrent layer whose kernels keep its weights runs in one kernel for the whole sequence: with
 * up to 8 layers in two directions, the longest kernel is this share of the call. Kernels that take
 * one time step each are ordinary products, which read the weights once for more rows. */
#define SEQUENCE_SHARE (1.0 / 16)

/* True if the call passes over a sequence with recurrent layers that keep their weights. */
static bool keeps_weights(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	return weir_op_calls_recurs(calls, call) &&
	       calls->advisor->program.jobs[call->longest_job].ns >= SEQUENCE_SHARE * call->ns;
}

/* True if the call looks up rows that keep the whole device busy. Rows that are scattered over a
 * table are far slower than memory's rate (64 bytes each: 0.2 of 3 TB/s), also in one lookup. */
static bool fills_device(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	double sms = calls->advisor->peaks ? calls->advisor->peaks->sms : 0;

	return weir_op_calls_looks_up(calls, call) && blocks_of(calls, call) > BLOCKS_AT_ONCE * sms;
}

/* Returns the bytes that all turns read: the weights of a layer. */
static double shared_bytes(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	struct weir_product p;

	if (call->work.product && weir_product_read(calls->advisor, call->first_job, &p) &&
	    p.kind == WEIR_PRODUCT_CONVOLUTION)
		return weir_convolution_weights(calls->advisor, &p);
	return weir_loop_shared_bytes(&call->work);
}

static void add(const struct weir_op_calls *calls, const struct weir_op_call *call, bool shared,
                struct sum *sum)
{
	bool known = call->work.confidence != WEIR_MODEL_NONE;
	struct weir_call recorded;
	double bytes = known ? call->work.bytes : NAN;

	if (!known &&
	    weir_advisor_call(calls->advisor, &calls->advisor->program.jobs[call->longest_job],
	                      &recorded))
		bytes = weir_operand_bytes(&recorded);
	if (known && shared && sum->now_ns > 0)
		bytes -= shared_bytes(calls, call); /* the weights have been read */
	sum->bytes += isnan(bytes) ? 0 : bytes;
	if (known && !shared && call->work.product)
		sum->weights += fmin(shared_bytes(calls, call), bytes);
	sum->now_ns += call->ns;
	sum->longest_ns = fmax(sum->longest_ns, call->ns);
	if (fills_device(calls, call))
		sum->rows_ns += fmax(0, call->ns - WEIR_SHORTEST_KERNEL_NS);
	if (keeps_weights(calls, call))
		sum->blocks += blocks_of(calls, call);
	if (call->transfers)
		sum->link_ns += fmax(0, call->ns - WEIR_SHORTEST_KERNEL_NS);
	if (known && call->work.product) {
		sum->flops += call->work.flops;
		sum->engine = call->work.engine;
		sum->dtype = call->work.dtype;
	}
}

/* Widens the sum of the turns: without an answer of the device, the host does not know which turns
 * find no rows, and the weights of those are read as well. If all turns compute on all rows, their
 * operators on the picked rows grow by them. */
static void widen(const struct weir_loop *loop, bool picked, struct sum *sum)
{
	double rows = picked && loop->widened > 0 ? loop->widened : 1;
	double vacant = (double)loop->vacant / (double)loop->turns;

	if (rows == 1 && (loop->vacant == 0 || sum->weights == 0))
		return;
	sum->flops *= rows;
	sum->bytes = (sum->bytes - sum->weights) * rows + sum->weights * (1 + vacant);
	sum->now_ns = INFINITY; /* it is more work than now */
}

/* Returns how often recurrent layers of all turns follow each other. Their kernels keep the weights
 * in registers for the whole sequence, so that a multiprocessor runs one block (Diamos et al.,
 * Persistent RNNs, ICML 2016). */
static double waves_of(const struct weir_advisor *advisor, const struct sum *sum)
{
	double sms = advisor->peaks ? advisor->peaks->sms : 0;

	return sms > 0 && sum->blocks > 0 ? ceil(sum->blocks / sms) : 1;
}

/* Returns the time of the operator for all turns at once: its roofline, but no less than the
 * longest of the turns takes alone, nor than the link needs for the bytes of all, nor than
 * scattered rows take. */
static double grouped_ns(const struct weir_advisor *advisor, const struct sum *sum, double padding)
{
	double ns = weir_advisor_kernel_ns(advisor, sum->flops * padding, sum->engine, sum->dtype,
	                                   sum->bytes * padding, GROUPED_EFFICIENCY);

	if (isnan(ns))
		return NAN;
	ns = fmax(ns,
	          fmax(waves_of(advisor, sum) * sum->longest_ns, fmax(sum->link_ns, sum->rows_ns)));
	return fmin(sum->now_ns, ns);
}

/* Returns the time of one product of the rows of all turns with the weights that they share: that
 * of any product of this size, without padding; NAN: it is not one, or its sizes are not known.
 * `call`: that of the first turn. */
static double joined_product_ns(const struct weir_advisor *advisor, const struct weir_op_call *call,
                                const struct sum *sum)
{
	struct weir_product p;
	double *rows;

	if (!call->work.product || !weir_product_read(advisor, call->first_job, &p) ||
	    p.kind == WEIR_PRODUCT_ATTENTION || p.irregular || p.batch != 1 ||
	    !(p.m * p.n * p.k > 0))
		return NAN;
	/* See weir_loop_shared_bytes(); rows of a convolution are the places of its result. */
	rows = p.n <= 1 && p.kind == WEIR_PRODUCT_MATRIX ? &p.n : &p.m;
	*rows *= sum->flops / p.flops;
	p.flops = sum->flops;
	return fmin(sum->now_ns, fmax(sum->longest_ns,
	                              weir_product_ns(advisor, &p, p.engine, p.dtype, sum->bytes)));
}

/* True if the calls of this position stay in all turns: their inputs differ in size, and cannot be
 * stacked. */
static bool stays(const struct weir_op_calls *calls, const struct weir_loop *loop, size_t position)
{
	const struct weir_trace *trace = calls->advisor->program.rank->trace;
	uint32_t first = calls->items[loop->first + position].op;

	for (size_t turn = 1; loop->keeps_varied && turn < loop->turns; turn++) {
		uint32_t op = calls->items[loop->first + turn * loop->period + position].op;

		if (first != WEIR_NONE && op != WEIR_NONE &&
		    trace->shapes[trace->host.shape[op]].dims !=
		            trace->shapes[trace->host.shape[first]].dims)
			return true;
	}
	return false;
}

/* Returns the time of all turns' calls of this position. */
static double turns_ns(const struct weir_op_calls *calls, const struct weir_loop *loop,
                       size_t position)
{
	double ns = 0;

	for (size_t turn = 0; turn < loop->turns; turn++)
		ns += calls->items[loop->first + turn * loop->period + position].ns;
	return ns;
}

/* The time of the calls of one position for all turns at once; NAN: a rate is not known. */
struct merged {
	double ns, high_ns;
};

static struct merged merged_position(const struct weir_op_calls *calls,
                                     const struct weir_loop *loop, size_t position)
{
	const struct weir_advisor *advisor = calls->advisor;
	bool shared = loop->kind != WEIR_LOOP_WEIGHTS;
	struct merged merged;
	struct sum sum = {0};
	double joined_ns = NAN;

	for (size_t turn = 0; turn < loop->turns; turn++)
		add(calls, &calls->items[loop->first + turn * loop->period + position], shared,
		    &sum);
	if (loop->widened > 0 || loop->vacant > 0)
		widen(loop, weir_turn_on_picked_rows(calls, loop, position), &sum);
	merged.ns = grouped_ns(advisor, &sum, 1);
	if (shared)
		joined_ns = joined_product_ns(advisor, &calls->items[loop->first + position], &sum);
	/* Narrow results take narrow tiles, which the model of products does not know. */
	merged.ns = joined_ns > 0 ? fmin(merged.ns, joined_ns) : merged.ns;
	merged.high_ns = fmax(merged.ns, grouped_ns(advisor, &sum, PADDED));
	return merged;
}

static bool set_position(struct weir_draft *draft, const struct weir_op_calls *calls,
                         const struct weir_loop *loop, size_t position, double *after_ns)
{
	struct merged merged;

	if (weir_turn_needs_no(calls, loop, loop->first + position))
		return true;
	if (stays(calls, loop, position)) {
		*after_ns += turns_ns(calls, loop, position);
		return true;
	}
	merged = merged_position(calls, loop, position);
	if (isnan(merged.ns))
		return false;
	weir_op_call_set(draft, &calls->items[loop->first + position], merged.ns, merged.ns,
	                 merged.high_ns);
	*after_ns += merged.ns;
	return true;
}

/* Operators that tell a grouped product where the rows of each turn end, if they lie in order: the
 * numbers of the turns, and a search for each in the sorted ones, or a count and its running sum.
 * Padded groups would take three times as many, but need no more than a grouped product. */
#define ENDS_OPERATORS 2.0
/* The same with the order: a sort takes the host as long as four operators (a range, and copies of
 * the numbers and of both results). */
#define ORDER_OPERATORS (4.0 + ENDS_OPERATORS)
/* The same with what moves the rows. Where each belongs to one turn, they are gathered in order
 * and written back. Where it belongs to several, whose results are added, the turn's own operators
 * do so, and a division finds the row of each pair and a gather its weight. */
#define ROUTING_OPERATORS (ORDER_OPERATORS + 2.0)

/* ---- all rows ---- */

/* Operators that stand around products of all rows with the weights of all turns: the weight of
 * each row in each turn takes a tensor of zeros and a scatter, and a sum joins the turns. */
#define OPERATORS_OF_ALL 3.0

/* Returns the operators that put the rows of all turns in order and their results back. Rows that
 * the host lists for each turn are gathered and written by the turn's operators. */
static double routing_operators(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	if (loop->kind != WEIR_LOOP_WEIGHTS)
		return 0;
	if (loop->widened > 0)
		return OPERATORS_OF_ALL;
	if (weir_turn_orders_rows(calls, loop))
		return ROUTING_OPERATORS;
	if (!weir_turn_rows_differ(calls, loop))
		return 0;
	return loop->gathers ? ORDER_OPERATORS : ENDS_OPERATORS;
}

/* Returns the time to read the results of all turns for all rows. */
static double joining_ns(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct weir_arg from;
	double ns;

	if (loop->widened == 0 || !weir_turn_source_of_rows(calls, loop, &from))
		return 0;
	ns = (double)(loop->turns + loop->vacant) * weir_arg_bytes(&from) /
	     calls->advisor->bandwidth * 1e9;
	return isnan(ns) ? 0 : ns;
}

/* Returns the time of the loop at once: the host or the device is the limit. */
static double merged_ns(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	double operators = routing_operators(calls, loop);
	double ns = joining_ns(calls, loop);

	for (size_t p = 0; p < loop->period; p++) {
		if (weir_turn_needs_no(calls, loop, loop->first + p))
			continue;
		ns += merged_position(calls, loop, p).ns;
		operators++;
	}
	return fmax(ns, operators * calls->advisor->operator_ns);
}

/* Lets the turns compute on all rows if that takes less time than to order the rows: it is more
 * work, but takes fewer operators. */
static void choose_rows(const struct weir_op_calls *calls, struct weir_loop *loop)
{
	struct weir_loop all = *loop;
	double rows = 0;
	struct weir_arg from;

	if (loop->kind != WEIR_LOOP_WEIGHTS || !weir_turn_orders_rows(calls, loop) ||
	    !weir_turn_source_of_rows(calls, loop, &from))
		return;
	for (size_t turn = 0; turn < loop->turns; turn++)
		rows += weir_turn_picked_rows(calls, loop, turn);
	if (!(rows > 0))
		return;
	all.widened = (double)(loop->turns + loop->vacant) * weir_turn_rows_in(&from) / rows;
	if (all.widened >= 1 && merged_ns(calls, &all) < merged_ns(calls, loop))
		*loop = all;
}

/* Removes what the first turn needs no longer if the rows are ordered once. */
static void order_rows(struct weir_draft *draft, const struct weir_op_calls *calls,
                       const struct weir_loop *loop)
{
	const struct weir_op_call *first = &calls->items[loop->first];
	const struct weir_op_call *second = &calls->items[loop->first + loop->period];

	for (uint32_t i = first->first_issue; i < second->first_issue; i++)
		if (draft->program.issues[i].until != WEIR_NONE)
			weir_draft_unwait(draft, i);
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (weir_turn_needs_no(calls, loop, c))
			weir_op_call_remove(draft, &calls->items[c]);
}

/* A reduction of the rows that belong to one number, for all numbers at once: two operators more,
 * which set the results to their first values and divide sums by counts. */
#define SCATTER_OPERATORS 2.0
/* The same for a softmax over the rows of each number: two reductions by an index, each into a
 * tensor with first values, a gather of their results behind each, a difference and the power. */
#define SOFTMAX_OPERATORS 8.0
/* The same for an order of them: all rows are sorted by value and then by number, which takes the
 * operators of a sort (three copies and a range) again, and three gathers and the difference to the
 * first row of the number. */
#define SORT_OPERATORS 9.0

/* Returns the operators that stand around this one if it works on the rows of all numbers at once.
 */
static double operators_around(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	static const char *const softmaxes[] = {"_softmax", "_log_softmax", NULL};
	const char *name = weir_op_calls_name(calls, call);

	if (weir_op_is_one_of(name, softmaxes))
		return SOFTMAX_OPERATORS;
	if (strcmp(name, "sort") == 0)
		return SORT_OPERATORS;
	return call->family == WEIR_FAMILY_REDUCE && !weir_turn_moves_rows(calls, call)
	               ? SCATTER_OPERATORS
	               : 0;
}

/* Adds the operators around reductions by an index. */
static void scatter_reductions(struct weir_draft *draft, const struct weir_op_calls *calls,
                               const struct weir_loop *loop)
{
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		weir_draft_add_operators(draft, calls->items[c].first_issue,
		                         operators_around(calls, &calls->items[c]));
}

/* The call of this position in a turn. */
static const struct weir_issue *issue_at(const struct weir_op_calls *calls,
                                         const struct weir_loop *loop, size_t turn, size_t position)
{
	const struct weir_op_call *call =
		&calls->items[loop->first + turn * loop->period + position];

	return &calls->advisor->program.issues[call->first_issue];
}

/* Removes `ns` of dispatch before a call; before the first one, from the end of the step, which
 * holds the way to the next step's first call. */
static void less_dispatch(struct weir_draft *draft, uint32_t issue, double ns)
{
	const struct weir_program *program = &draft->program;

	if (issue == 0 && program->issues[program->issue_count - 1].kind == WEIR_ISSUE_INPUT)
		issue = (uint32_t)program->issue_count - 1;
	weir_draft_set_dispatch(draft, issue, fmax(0, program->issues[issue].dispatch_ns - ns));
}

/* Returns the host time from the start of the operator to its call in this turn; NAN: not known. */
static double inside_ns(const struct weir_op_calls *calls, const struct weir_loop *loop,
                        size_t turn, size_t position)
{
	const struct weir_issue *issue = issue_at(calls, loop, turn, position);
	const int64_t *start_ns = calls->advisor->program.rank->trace->host.start_ns;

	if (issue->outer == WEIR_NONE || issue->call == WEIR_NONE)
		return NAN;
	return (double)weir_span_ns(start_ns[issue->outer], start_ns[issue->call]);
}

/* Shortens the dispatch of the step's first call by the time that its operator takes longer than in
 * the other turns. It includes the start of the operator alone: the host time before the operator
 * belongs to the previous step. */
static void quicken_first(struct weir_draft *draft, const struct weir_op_calls *calls,
                          const struct weir_loop *loop)
{
	double *ns = weir_alloc(loop->turns * sizeof *ns), first_ns = inside_ns(calls, loop, 0, 0);
	size_t known = 0;

	for (size_t turn = 0; turn < loop->turns; turn++) {
		ns[known] = inside_ns(calls, loop, turn, 0);
		if (!isnan(ns[known]))
			known++;
	}
	if (known > 0 && first_ns > 0)
		less_dispatch(draft, 0, fmax(0, first_ns - weir_median(ns, known)));
	free(ns);
}

/* Gives the first turn the mean dispatch of the later ones, as the first one of a loop is slower,
 * without the slices of a turn. Medians would be too short in sum: in each turn other calls take
 * several times as long as usual, and so it is behind the fix. */
static void set_dispatch(struct weir_draft *draft, const struct weir_op_calls *calls,
                         const struct weir_loop *loop, size_t position)
{
	uint32_t first = calls->items[loop->first + position].first_issue;
	double later = (double)loop->turns - 1, dispatch_ns = 0, call_ns = 0;

	for (size_t turn = 1; turn < loop->turns; turn++) {
		dispatch_ns += issue_at(calls, loop, turn, position)->dispatch_ns / later;
		call_ns += issue_at(calls, loop, turn, position)->call_ns / later;
	}
	/* The time before the operator of the step's first call belongs to the step before. */
	if (first == 0)
		dispatch_ns = fmin(dispatch_ns, draft->program.issues[0].dispatch_ns);
	weir_draft_set_dispatch(draft, first, dispatch_ns);
	draft->program.issues[first].call_ns = call_ns;
	less_dispatch(draft, first, weir_loop_slices_ns(calls, loop, position));
	if (first == 0)
		quicken_first(draft, calls, loop);
}

/* Freeing a tensor of a list takes an eager framework 0.5 to 2 us, all of them in one stretch:
 * behind the operator that puts them together, if nothing else names the list, or at the end of the
 * function. 10 us of the stretch stay, about the time between two operators. */
#define LEAST_FREE_NS 500.0
#define MOST_FREE_NS  2000.0
#define BETWEEN_NS    10000.0

/* Returns the host time without events before the issue that lies behind the collection. */
static double silence_ns(const struct weir_op_calls *calls, size_t collection, uint32_t issue)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const struct weir_issue *next = &calls->advisor->program.issues[issue];
	uint32_t row = weir_timeline_outermost_op(timeline, calls->items[collection].op);

	if (next->call == WEIR_NONE)
		return next->work_ns + next->dispatch_ns;
	if (row == WEIR_NONE || next->outer == WEIR_NONE)
		return 0;
	return fmin((double)weir_span_ns(timeline->trace->host.end_ns[row],
	                                 timeline->trace->host.start_ns[next->outer]),
	            next->work_ns + next->dispatch_ns);
}

/* Takes the time to free the results of all turns off the host. */
static void free_results(struct weir_draft *draft, const struct weir_op_calls *calls,
                         const struct weir_loop *loop, size_t collection)
{
	const struct weir_program *program = &draft->program;
	uint32_t issue = calls->items[collection].end_issue;
	double tensors = (double)loop->turns, ns, work_ns;

	if (issue < program->issue_count &&
	    silence_ns(calls, collection, issue) < LEAST_FREE_NS * tensors)
		while (issue < program->issue_count &&
		       program->issues[issue].kind != WEIR_ISSUE_OUTPUT)
			issue++;
	if (issue >= program->issue_count)
		return;
	ns = silence_ns(calls, collection, issue);
	if (ns < LEAST_FREE_NS * tensors)
		return;
	ns = fmax(0, fmin(ns - BETWEEN_NS, MOST_FREE_NS * tensors));
	work_ns = fmin(ns, program->issues[issue].work_ns);
	weir_draft_less_work(draft, issue, work_ns);
	less_dispatch(draft, issue, ns - work_ns);
}

/* Removes what puts the results of the turns together, which are one tensor now: a copy to a slice
 * at the end of each turn, or a list of as many tensors as turns behind the loop. */
static void remove_collection(struct weir_draft *draft, const struct weir_op_calls *calls,
                              const struct weir_loop *loop)
{
	const struct weir_op_call *last = &calls->items[loop->first + loop->period - 1];
	size_t collection = weir_loop_collection(calls, loop);

	if (loop->period > 1 && !last->transfers &&
	    strcmp(weir_op_calls_name(calls, last), "copy_") == 0 &&
	    weir_loop_slices_ns(calls, loop, loop->period - 1) > 0)
		weir_op_call_remove(draft, last);
	if (collection < calls->count) {
		weir_op_call_remove(draft, &calls->items[collection]);
		free_results(draft, calls, loop, collection);
	}
}

/* True if the host copies to the device at this call of a turn, or fetched or waited at the call
 * before: what it does between them may prepare the input or use the result of this turn. Anything
 * else that it does in a turn gives the device no values, so that it is code of the model, which
 * runs once for all rows. */
static bool may_use_values(const struct weir_op_calls *calls, const struct weir_loop *loop,
                           size_t position)
{
	const struct weir_op_call *call = &calls->items[loop->first + loop->period + position];
	const struct weir_op_call *before = call - 1;

	return call->transfers || before->transfers ||
	       weir_op_calls_wait(calls, before->first_issue, call->first_issue);
}

/* Spells of a busy machine, and collections of young objects, which follow the number of objects
 * made, are shorter than this: they go with the turns. */
#define MOST_SPELL_NS 1000000.0

/* Removes the host's work before this call of a turn from all turns but the first, as far as it is
 * usual there or short: a pause of one turn, such as that of a collector that visits all objects,
 * stays. */
static void remove_work(struct weir_draft *draft, const struct weir_op_calls *calls,
                        const struct weir_loop *loop, size_t position)
{
	double *ns = weir_alloc(loop->turns * sizeof *ns), usual_ns;

	for (size_t turn = 0; turn < loop->turns; turn++) {
		const struct weir_issue *issue = issue_at(calls, loop, turn, position);

		ns[turn] = issue->work_ns + issue->dispatch_ns;
	}
	usual_ns = weir_median(ns, loop->turns);
	for (size_t turn = 1; turn < loop->turns; turn++) {
		size_t c = loop->first + turn * loop->period + position;
		uint32_t issue = calls->items[c].first_issue;

		double work_ns = draft->program.issues[issue].work_ns;

		if (work_ns > 0)
			weir_draft_less_work(draft, issue,
			                     work_ns <= MOST_SPELL_NS ? work_ns : usual_ns);
	}
	free(ns);
}

/* Removes all turns but the first, with their waits. */
static void remove_turns(struct weir_draft *draft, const struct weir_op_calls *calls,
                         const struct weir_loop *loop)
{
	size_t c = loop->first + loop->period, end = loop->first + loop->turns * loop->period;
	size_t position = 0; /* of c in its turn */

	for (size_t p = 0; p < loop->period; p++) {
		set_dispatch(draft, calls, loop, p);
		if (!stays(calls, loop, p) && !may_use_values(calls, loop, p))
			remove_work(draft, calls, loop, p);
	}
	if (weir_turn_orders_rows(calls, loop))
		order_rows(draft, calls, loop);
	weir_draft_add_operators(draft, calls->items[loop->first + loop->period - 1].first_issue,
	                         routing_operators(calls, loop));
	if (loop->picks || (loop->kind == WEIR_LOOP_ROWS && weir_turn_rows_differ(calls, loop)))
		scatter_reductions(draft, calls, loop);
	if (!loop->gathers)
		remove_collection(draft, calls, loop);
	for (uint32_t i = calls->items[c].first_issue; i < calls->items[end - 1].end_issue; i++) {
		while (c + 1 < end && i >= calls->items[c].end_issue) {
			c++;
			position = position + 1 < loop->period ? position + 1 : 0;
		}
		if (i >= calls->items[c].first_issue && stays(calls, loop, position))
			continue;
		weir_draft_remove_call(draft, i);
		weir_draft_set_dispatch(draft, i, 0);
	}
}

bool weir_loop_merge(struct weir_draft *draft, const struct weir_op_calls *calls,
                     const struct weir_loop *loop, struct weir_loop_times *times)
{
	for (size_t p = 0; p < loop->period; p++)
		if (!set_position(draft, calls, loop, p, &times->after_ns))
			return false;
	for (size_t c = 0; c < loop->turns * loop->period; c++)
		times->before_ns += calls->items[loop->first + c].ns;
	remove_turns(draft, calls, loop);
	return true;
}

/* ---- windows and branches ---- */

/* True if the branch stands at this place of a turn, behind the call `position`. */
static bool stands_at(const struct weir_branch *branch, const struct weir_loop *loop,
                      size_t position)
{
	return branch->behind >= loop->first &&
	       branch->behind < loop->first + loop->turns * loop->period &&
	       (branch->behind - loop->first) % loop->period == position;
}

/* Adds `ns` to the device time of a call. */
static void lengthen(struct weir_draft *draft, const struct weir_op_call *call, double ns)
{
	double all_ns = 0, all_low_ns = 0, all_high_ns = 0;

	for (uint32_t j = call->first_job; j < call->end_job; j++) {
		all_ns += draft->program.jobs[j].ns;
		all_low_ns += draft->program.jobs[j].low_ns;
		all_high_ns += draft->program.jobs[j].high_ns;
	}
	weir_op_call_set(draft, call, all_ns + ns, all_low_ns + ns, all_high_ns + ns);
}

/* Operators that cut the windows of all turns out: the copy of their places to the device, which
 * waits because the memory is pageable, and the gather; for each dimension a conversion of the
 * places and the sum with a range. */
#define WINDOW_OPERATORS     2.0
#define WINDOW_OPERATORS_DIM 2.0
/* A gather reads a list of 8-byte indices for the turn and for each dimension up to the last one
 * that is cut: one that is left out between others moves to the end of the result. PyTorch writes
 * each list at the size of the result before, if their strides differ, as those of rows and columns
 * do (AdvancedIndex in ATen/native/TensorAdvancedIndexing.cpp). */
#define INDEX_BYTES 16.0

/* Cuts the windows of all turns out at once, before the first call. */
static void cut_windows(struct weir_draft *draft, const struct weir_op_calls *calls,
                        const struct weir_loop *loop, struct weir_loop_times *times)
{
	const struct weir_op_call *first = &calls->items[loop->first];
	struct weir_loop_windows windows = weir_loop_windows(calls, loop);
	double dims = (double)windows.dims, lists = (double)windows.last + 2, ns;

	if (windows.dims == 0)
		return;
	ns = windows.elements * (2 * windows.width + lists * INDEX_BYTES) /
	     draft->advisor->bandwidth * 1e9;
	ns = isnan(ns) ? 0 : ns;
	lengthen(draft, first, ns);
	weir_draft_add_operators(draft, first->first_issue,
	                         WINDOW_OPERATORS + WINDOW_OPERATORS_DIM * dims);
	weir_draft_wait(draft, first->first_issue);
	times->after_ns += ns;
}

/* A choice reads the results of both sides of a branch and writes one, where an operator on rows
 * reads one and writes one. */
#define CHOICE 1.5

/* The calls of a branch behind one position of a loop's turns. */
struct taken {
	struct sum sum;
	double calls, turns;
};

/* Adds the branches at this position up, and removes them. */
static struct taken take_branches(struct weir_draft *draft, const struct weir_branches *branches,
                                  const struct weir_loop *loop, size_t position)
{
	struct taken taken = {0};
	size_t last = SIZE_MAX;

	for (size_t b = 0; b < branches->count; b++) {
		const struct weir_branch *branch = &branches->items[b];

		if (!stands_at(branch, loop, position))
			continue;
		add(&branches->calls, &branch->call, false, &taken.sum);
		weir_op_call_remove(draft, &branch->call);
		taken.calls++;
		taken.turns += branch->behind != last; /* several calls in a turn */
		last = branch->behind;
	}
	return taken;
}

/* Computes the branches behind this position for all turns, each operator once, and chooses. */
static void merge_branches(struct weir_draft *draft, const struct weir_branches *branches,
                           const struct weir_loop *loop, size_t position,
                           struct weir_loop_times *times)
{
	const struct weir_op_call *call = &branches->calls.items[loop->first + position];
	struct taken taken = take_branches(draft, branches, loop, position);
	double ns;

	if (!(taken.turns > 0))
		return;
	times->before_ns += taken.sum.now_ns;
	taken.sum.bytes *= (1 + CHOICE) * (double)loop->turns / taken.turns;
	taken.sum.now_ns = INFINITY; /* more turns take it than now */
	ns = grouped_ns(draft->advisor, &taken.sum, 1);
	ns = isnan(ns) ? 0 : ns;
	lengthen(draft, call, ns);
	weir_draft_add_operators(draft, call->first_issue, taken.calls / taken.turns + 1);
	times->after_ns += ns;
}

/* Returns the calls among which loops of this kind are searched. */
static const struct weir_op_calls *calls_for(const struct weir_advisor *advisor,
                                             enum weir_loop_kind kind)
{
	if (kind == WEIR_LOOP_ROWS)
		return &weir_branches_of(advisor)->calls;
	return kind == WEIR_LOOP_WEIGHTS ? &weir_vacant_turns_of(advisor)->calls
	                                 : weir_op_calls_of(advisor);
}

/* The loops that were merged. */
struct merged_loops {
	size_t loops, turns, operators, vacant, widened;
	size_t removed;  /* calls */
	uint8_t *inside; /* per issue: it lies in one of them */
};

static void count_loop(const struct weir_op_calls *calls, const struct weir_loop *loop,
                       struct merged_loops *sum)
{
	const struct weir_op_call *last =
		&calls->items[loop->first + loop->turns * loop->period - 1];
	uint32_t first = calls->items[loop->first].first_issue;

	memset(sum->inside + first, 1, last->end_issue - first);
	sum->removed += (loop->turns - 1) * loop->period;
	sum->loops++;
	sum->turns += loop->turns;
	sum->operators += loop->period;
	sum->vacant += loop->vacant;
	sum->widened += loop->widened > 0;
}

/* Operators that run once between hundreds of calls of loops are not in the caches of the core: in
 * six programs whose fixes removed 180 to 1500 calls of such loops a step, and left 7 to 104, these
 * were dispatched 1.04 to 2.5 times faster behind the fix, median 1.2; in four with 50 to 80 calls
 * less as fast as before. */
#define LONG_LOOPS 150
#define WARMER     (1 / 1.2)

/* Shortens the dispatch of the calls outside of merged loops: their code then stays in the caches.
 * Does nothing if they are more than the calls that the merged loops no longer make. */
static void warm_outside(struct weir_draft *draft, const struct merged_loops *sum)
{
	size_t outside = 0;

	for (uint32_t i = 0; i < draft->program.issue_count; i++)
		outside += !sum->inside[i] && draft->program.issues[i].job_count > 0;
	if (sum->removed < LONG_LOOPS || sum->removed < outside)
		return;
	for (uint32_t i = 0; i < draft->program.issue_count; i++)
		if (!sum->inside[i])
			weir_draft_warm_call(draft, i, WARMER);
}

/* A model that runs many times in a step is dispatched from the caches; one run of it a step is
 * not. Of 42 programs whose runs were batched, 12 took more than a fifth longer than without this
 * and 4 were as much shorter; with it 6 and 5. Of every other program 9 of 21 were within a fifth
 * and are 11, of the rest 11 and 14. */
void weir_loop_cool(struct weir_draft *draft, const struct weir_op_calls *calls,
                    const struct weir_loop *loop)
{
	const struct weir_op_call *first = &calls->items[loop->first];
	const struct weir_op_call *last = &calls->items[loop->first + loop->period - 1];

	if ((loop->turns - 1) * loop->period < LONG_LOOPS)
		return;
	for (uint32_t i = first->first_issue; i < last->end_issue; i++)
		weir_draft_warm_call(draft, i, 1 / WARMER);
}

static void explain(struct weir_draft *draft, const struct merged_loops *sum,
                    const struct weir_loop_times *times)
{
	weir_draft_basis(
		draft,
		"%zu loops of %zu turns with %zu operators: each operator once by roofline, "
		"no shorter than its longest turn: %.0f us instead of %.0f us of device "
		"time, and the dispatch of one turn",
		sum->loops, sum->turns, sum->operators, times->after_ns / 1e3,
		times->before_ns / 1e3);
	if (sum->vacant > 0)
		weir_text_printf(&draft->basis, "; %zu turns more find no rows", sum->vacant);
	if (sum->widened > 0)
		weir_text_printf(&draft->basis,
		                 "; %zu loops compute all rows in each turn, which takes fewer "
		                 "operators than to order them",
		                 sum->widened);
}

/* Merges the turns of a loop over weights, and removes those that find no rows. */
static bool merge_weights(struct weir_draft *draft, const struct weir_op_calls *calls,
                          struct weir_loop *loop, struct weir_loop_times *times)
{
	const struct weir_branches *vacant = weir_vacant_turns_of(draft->advisor);

	loop->vacant = weir_vacant_turns(vacant, loop);
	loop->overlaps = weir_turns_overlap(calls, loop);
	choose_rows(calls, loop);
	if (!weir_loop_merge(draft, calls, loop, times))
		return false;
	weir_vacant_turns_remove(draft, vacant, loop);
	return true;
}

/* Merges the turns of a loop over rows, with its branches and windows. */
static bool merge_rows(struct weir_draft *draft, const struct weir_op_calls *calls,
                       const struct weir_loop *loop, struct weir_loop_times *times)
{
	if (!weir_loop_merge(draft, calls, loop, times))
		return false;
	for (size_t p = 0; p < loop->period; p++)
		merge_branches(draft, weir_branches_of(draft->advisor), loop, p, times);
	cut_windows(draft, calls, loop, times);
	return true;
}

bool weir_loop_group(struct weir_draft *draft, enum weir_loop_kind kind)
{
	const struct weir_op_calls *calls = calls_for(draft->advisor, kind);
	struct weir_loop_times times = {0, 0};
	struct merged_loops sum = {.inside = weir_alloc(draft->program.issue_count + 1)};
	struct weir_loop loop = {0};
	bool known = true;

	for (size_t from = 0; known && weir_loop_find(calls, from, &loop);
	     from = loop.first + loop.turns * loop.period) {
		if (weir_loop_kind_in_step(calls, &loop) != kind)
			continue;
		known = kind == WEIR_LOOP_ROWS      ? merge_rows(draft, calls, &loop, &times)
		        : kind == WEIR_LOOP_WEIGHTS ? merge_weights(draft, calls, &loop, &times)
		                                    : weir_loop_merge(draft, calls, &loop, &times);
		if (known && kind == WEIR_LOOP_INPUTS)
			weir_loop_cool(draft, calls, &loop);
		count_loop(calls, &loop, &sum);
	}
	warm_outside(draft, &sum);
	explain(draft, &sum, &times);
	free(sum.inside);
	return known && sum.loops > 0;
}

bool weir_fix_vectorise(struct weir_draft *draft)
{
	return weir_loop_group(draft, WEIR_LOOP_ROWS);
}

bool weir_fix_group_the_loop(struct weir_draft *draft)
{
	return weir_loop_group(draft, WEIR_LOOP_WEIGHTS);
}
