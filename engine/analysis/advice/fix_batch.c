/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that run the same model several times, or once for few rows: one run for all inputs reads
 * the weights once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/dependence.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/loops.h"
#include "engine/analysis/advice/products.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/base/arena.h"

#define LEAST_RUNS 4
/* A graph of fewer kernels is a part of a model. */
#define LEAST_KERNELS 8
/* Device time between runs of a graph, as a share of the runs: the inputs are copied. */
#define BETWEEN_SHARE 0.10
/* Share of a step's operators that runs of a model are; the rest prepares and collects. */
#define WHOLE_SHARE 0.95
#define MOST_BEFORE 2
#define MOST_CALLS  20000 /* programs with more are not searched */
#define MOST_TRIED  256   /* lengths of a run that are examined; others repeat one of them */
/* The products of up to this many rows take the time of reading their weights: an H100 does 295
 * bf16 FLOPs for each byte that it reads, and a row is 1 FLOP a byte of weights. */
#define ROWS_OF_WEIGHTS 64
/* Blocks that a multiprocessor runs at once, at least: with fewer of them in the whole device, a
 * kernel takes no longer for more rows. */
#define BLOCKS_AT_ONCE 2.0
/* The most rows of all runs for which products gain by reading their weights once; see above. */
#define MOST_ROWS 512.0
/* Share of the device time that such products take. */
#define FEW_ROWS_SHARE 0.25

static bool any_chooses(const struct weir_advisor *advisor)
{
	const struct weir_op_calls *calls = weir_op_calls_of(advisor);

	for (size_t c = 0; c < calls->count; c++)
		if (weir_call_chooses(calls, &calls->items[c]))
			return true;
	return false;
}

/* ---- runs of a graph ---- */

struct runs {
	uint32_t first; /* issue */
	size_t count;
	double ns, between_ns;
};

static bool same_graph(const struct weir_program *program, const struct weir_issue *a,
                       const struct weir_issue *b)
{
	const struct weir_device_columns *rows = &program->rank->trace->device;

	if (a->job_count != b->job_count)
		return false;
	for (uint32_t j = 0; j < a->job_count; j++) {
		uint32_t left = program->jobs[a->first_job + j].row;
		uint32_t right = program->jobs[b->first_job + j].row;

		if (rows->name[left] != rows->name[right] ||
		    rows->blocks[left] != rows->blocks[right] ||
		    rows->graph_node[left] != rows->graph_node[right])
			return false;
	}
	return true;
}

static double jobs_ns(const struct weir_program *program, const struct weir_issue *issue)
{
	double ns = 0;

	for (uint32_t j = issue->first_job; j < issue->first_job + issue->job_count; j++)
		ns += program->jobs[j].ns;
	return ns;
}

/* Finds the runs of the step's first graph; false if other work or a wait lies between them. */
static bool find_runs(const struct weir_program *program, struct runs *out)
{
	uint32_t last = 0;

	*out = (struct runs){.first = WEIR_NONE};
	for (uint32_t i = 0; i < program->issue_count; i++) {
		const struct weir_issue *issue = &program->issues[i];

		if (issue->graph && issue->job_count >= LEAST_KERNELS) {
			if (out->first == WEIR_NONE)
				out->first = i;
			else if (!same_graph(program, &program->issues[out->first], issue))
				return false;
			out->count++;
			out->ns += jobs_ns(program, issue);
			last = i;
		} else if (out->first != WEIR_NONE) {
			out->between_ns += jobs_ns(program, issue);
		}
	}
	for (uint32_t i = out->first; out->count > 0 && i < last; i++)
		if (program->issues[i].until != WEIR_NONE)
			return false;
	return out->count >= LEAST_RUNS && out->between_ns <= BETWEEN_SHARE * out->ns;
}

/* Returns the factor on the time of a kernel with `runs` times as many blocks. */
static double factor_of_blocks(const struct weir_advisor *advisor, const struct weir_job *job,
                               double runs)
{
	double sms = advisor->peaks ? advisor->peaks->sms : 0;
	double blocks = advisor->program.rank->trace->device.blocks[job->row];

	if (!(sms > 0) || !(blocks > 0))
		return runs;
	return fmin(runs, fmax(1, runs * blocks / (BLOCKS_AT_ONCE * sms)));
}

/* Returns the factor on a kernel's time for the rows of all runs. */
static double factor_of(const struct weir_advisor *advisor, const struct weir_job *job, size_t runs)
{
	enum weir_family family = weir_advisor_family(advisor, job);

	if (family == WEIR_FAMILY_GEMM || family == WEIR_FAMILY_GEMV)
		return fmax(1, (double)runs / ROWS_OF_WEIGHTS);
	return factor_of_blocks(advisor, job, (double)runs);
}

static bool merge_graphs(struct weir_draft *draft, const struct runs *runs)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	const struct weir_issue *first = &program->issues[runs->first];
	double after_ns = 0;
	size_t seen = 0;

	for (uint32_t j = first->first_job; j < first->first_job + first->job_count; j++) {
		double factor = factor_of(advisor, &program->jobs[j], runs->count);

		weir_draft_scale_job(draft, j, factor, fmax(1, 0.7 * factor),
		                     fmin((double)runs->count, 1.4 * factor));
		after_ns += factor * program->jobs[j].ns;
	}
	for (uint32_t i = runs->first + 1; i < program->issue_count && seen + 1 < runs->count;
	     i++) {
		weir_draft_remove_call(draft, i);
		weir_draft_set_dispatch(draft, i, 0);
		seen += program->issues[i].graph;
	}
	weir_draft_basis(
		draft,
		"%zu runs of one graph of %.0f us as one: products take as long as reading "
		"their weights, other kernels grow with their blocks beyond %.0f a "
		"multiprocessor: %.0f us",
		runs->count, runs->ns / (double)runs->count / 1e3, BLOCKS_AT_ONCE, after_ns / 1e3);
	return true;
}

/* ---- runs of operators ---- */

/* Returns the rows that the product multiplies with its weights; 0: not known, as of a convolution.
 * Libraries exchange the factors, so the smaller side counts the rows. */
static double rows_of(const struct weir_op_call *call)
{
	return fmin(call->work.reuse.m, call->work.reuse.n);
}

/* Returns the rows of a product, or the places of the result of a convolution, of which the weights
 * are at least half of the bytes; 0: none. */
static double rows_of_weights(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	struct weir_product p;

	if (!call->work.product || rows_of(call) > 0)
		return rows_of(call);
	if (!weir_product_read(calls->advisor, call->first_job, &p) ||
	    2 * weir_convolution_weights(calls->advisor, &p) < p.bytes)
		return 0;
	return p.kind == WEIR_PRODUCT_CONVOLUTION ? p.m : 0;
}

/* True if all runs multiply by matrices of the same sizes with few rows, so that reading the
 * weights takes most of the time. */
static bool has_few_rows(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	double product_ns = 0, all_ns = 0, rows;

	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		const struct weir_op_call *call = &calls->items[c];

		all_ns += call->ns;
		rows = call->work.product ? rows_of_weights(calls, call) : 0;
		if (rows > 0 &&
		    (rows <= ROWS_OF_WEIGHTS || rows * (double)loop->turns <= MOST_ROWS))
			product_ns += call->ns;
	}
	return product_ns >= FEW_ROWS_SHARE * all_ns;
}

/* Share of the device time of kernels that leave multiprocessors idle. */
#define IDLE_SHARE 0.5
/* A kernel that takes less than this many times its roofline keeps the device busy, however few its
 * blocks are, unless it is one of the shortest: libraries launch one block a multiprocessor, which
 * computes tile after tile ("persistent" kernels, as CUTLASS calls them). */
#define BUSY_TIMES 2.0

/* Returns the time of the call's work by roofline, without reading weights, which several runs at
 * once do once; NAN: not known. */
static double own_work_ns(const struct weir_advisor *advisor, const struct weir_work *work)
{
	double shared = work->product ? weir_loop_shared_bytes(work) : 0;

	if (work->confidence == WEIR_MODEL_NONE)
		return NAN;
	return weir_advisor_kernel_ns(advisor, work->flops, work->engine, work->dtype,
	                              fmax(0, work->bytes - shared), 1);
}

/* A longer kernel on more than half of the multiprocessors keeps the device busy as well: no part
 * of its time is the start of a kernel, and twice its blocks take turns. */
#define SHORT_NS (10 * WEIR_SHORTEST_KERNEL_NS)

/* True if the call's longest kernel has a multiprocessor for each block, and is not near its
 * roofline. */
static bool is_small(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_advisor *advisor = calls->advisor;
	const struct weir_job *job = &advisor->program.jobs[call->longest_job];
	double blocks = advisor->program.rank->trace->device.blocks[job->row];
	double sms = advisor->peaks ? advisor->peaks->sms : 0;
	double ns = own_work_ns(advisor, &call->work);

	return blocks > 0 && blocks <= (job->ns > SHORT_NS ? sms / 2 : sms) &&
	       !(ns > WEIR_SHORTEST_KERNEL_NS && job->ns < BUSY_TIMES * ns);
}

/* True if the call sets all of its tensor to one value. */
static bool fills(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	static const char *const names[] = {"fill_", "zero_", NULL};

	return weir_op_is_one_of(weir_op_calls_name(calls, call), names);
}

/* Returns the elements of a tensor that the call reads or writes; 0: not recorded. */
static double elements_of(const struct weir_op_calls *calls, const struct weir_op_call *call,
                          size_t argument)
{
	const struct weir_arg *tensor;
	struct weir_args args;

	if (!weir_op_calls_args(calls, call, &args) ||
	    !(tensor = weir_args_tensor(&args, argument)))
		return 0;
	return tensor->elements;
}

/* True if a call of the run sets a tensor of this size to one value. */
static bool fills_anew(const struct weir_op_calls *calls, const struct weir_loop *loop,
                       double elements)
{
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (fills(calls, &calls->items[c]) &&
		    elements_of(calls, &calls->items[c], 0) == elements)
			return true;
	return false;
}

/* True if the run passes over whole sequences with recurrent layers, and begins each with a new
 * state: with the state of the run before it needs that run. */
static bool runs_sequences(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	size_t sequences = 0;

	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		const struct weir_op_call *call = &calls->items[c];
		double state;

		if (!weir_op_calls_recurs(calls, call))
			continue;
		state = elements_of(calls, call, WEIR_RECURRENT_STATE);
		if (!(state > 0) || !fills_anew(calls, loop, state))
			return false;
		sequences++;
	}
	return sequences > 0;
}

/* True if the run is one of layers whose kernels are too small for the device: those of several
 * runs at once take little longer, and the host launches them once. */
static bool leaves_idle(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	double small_ns = 0, all_ns = 0;

	if (!weir_loop_has_layers(calls, loop) && !runs_sequences(calls, loop))
		return false;
	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		all_ns += calls->items[c].ns;
		small_ns += is_small(calls, &calls->items[c]) ? calls->items[c].ns : 0;
	}
	return small_ns >= IDLE_SHARE * all_ns;
}

/* True if most of the step consists of the loop. */
static bool is_most(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	return loop->turns >= LEAST_RUNS &&
	       (double)(loop->turns * loop->period) >= WHOLE_SHARE * (double)calls->count;
}

/* Returns the run without the calls at its front that only set tensors to one value: they read
 * nothing of the run before. */
static struct weir_loop reading_part(const struct weir_op_calls *calls,
                                     const struct weir_loop *loop)
{
	struct weir_loop part = *loop;

	while (part.period > 1 && fills(calls, &calls->items[part.first])) {
		part.first++;
		part.period--;
	}
	return part;
}

/* True if the loop is a whole model whose runs read the same weights and do not depend on each
 * other. */
static bool is_model(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct weir_loop part = reading_part(calls, loop);

	return !weir_loop_changes_weights(calls, loop) && !weir_loop_hands_on(calls, &part) &&
	       !weir_loop_reads_choice(calls, &part) &&
	       (weir_loop_cannot_follow(calls, &part) || weir_loop_takes_parts(calls, loop) ||
	        weir_loop_reads_host(calls, &part)) &&
	       (has_few_rows(calls, loop) || leaves_idle(calls, loop) ||
	        weir_loop_starves_device(calls, loop));
}

/* True if a run repeats a shorter sequence from its beginning to its end, each turn of which takes
 * its part of a tensor: it is several turns of a recurrence. Layers that are alike repeat as well,
 * but a run of them takes one part. */
static bool is_several_turns(const struct weir_op_calls *calls, const struct weir_loop *loop,
                             const size_t *turns)
{
	for (size_t period = 1; period <= loop->period / 2; period++) {
		struct weir_loop turn = {
			.first = loop->first, .period = period, .turns = turns[period]};

		if (loop->period % period == 0 &&
		    turn.turns * period >= loop->turns * loop->period &&
		    weir_loop_slices_ns(calls, &turn, 0) > 0)
			return true;
	}
	return false;
}

/* Finds the shortest sequence of operators from `first` on that most of the step consists of.
 * turns: room for as many numbers as there are calls. */
static bool find_model_at(const struct weir_op_calls *calls, size_t first, size_t *turns,
                          struct weir_loop *out)
{
	size_t most = calls->count / LEAST_RUNS, tried = 0;

	weir_loop_turns(calls, first, most, turns);
	for (size_t period = 1; period <= most && tried < MOST_TRIED; period++) {
		if (calls->items[first + period].first_job - calls->items[first].first_job <
		    LEAST_KERNELS)
			continue;
		*out = (struct weir_loop){.first = first,
		                          .period = period,
		                          .turns = turns[period],
		                          .kind = WEIR_LOOP_ROWS,
		                          .keeps_varied = true};
		if (!is_most(calls, out) || is_several_turns(calls, out, turns))
			continue;
		if (is_model(calls, out))
			return true;
		tried++;
	}
	return false;
}

static bool find_model(const struct weir_op_calls *calls, struct weir_loop *out)
{
	size_t *turns = weir_alloc((calls->count + 1) * sizeof *turns);
	bool found = false;

	for (size_t first = 0;
	     calls->count <= MOST_CALLS && first < calls->count && first <= MOST_BEFORE && !found;
	     first++)
		found = find_model_at(calls, first, turns, out);
	free(turns);
	return found;
}

static bool merge_operators(struct weir_draft *draft)
{
	struct weir_loop_times times = {0, 0};
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	struct weir_loop loop = {0};
	bool found;

	found = find_model(calls, &loop) && weir_loop_merge(draft, calls, &loop, &times);
	if (found)
		weir_loop_cool(draft, calls, &loop);
	weir_draft_basis(
		draft,
		"%zu runs of %zu operators as one, whose products read their weights once: "
		"%.0f us instead of %.0f us of device time, by roofline",
		loop.turns, loop.period, times.after_ns / 1e3, times.before_ns / 1e3);
	return found;
}

/* ---- steps for few rows ---- */

/* Steps in a batch, unless their rows exceed MOST_ROWS: a usual limit of servers that collect
 * requests for a few milliseconds. */
#define BATCH 32.0
/* Share of the unprofiled step in which the device reads weights. With less, another limit comes
 * first, such as the dispatch of the host or the smallest kernels. */
#define READING_SHARE 0.5
/* Large products reach the model's time within a third, see products.h. */
#define BATCH_LOW  0.7
#define BATCH_HIGH 1.4

/* Returns the bytes of weights that a product reads for few rows; 0 for any other call. */
static double weights_of(const struct weir_op_call *call)
{
	const struct weir_work *work = &call->work;
	double bytes;

	if (work->confidence == WEIR_MODEL_NONE || !work->product || work->reuse.batch != 1 ||
	    !(rows_of(call) > 0) || rows_of(call) > ROWS_OF_WEIGHTS)
		return 0;
	bytes = weir_loop_shared_bytes(work);
	return 2 * bytes >= work->bytes ? bytes : 0;
}

/* The part of a step that reads weights. */
struct reading {
	double ns;    /* by the memory's rate */
	double bytes; /* of all weights */
	double rows;  /* the most of a product */
};

static struct reading reading_of(const struct weir_op_calls *calls)
{
	struct reading reading = {0, 0, 0};

	for (size_t c = 0; c < calls->count; c++) {
		const struct weir_op_call *call = &calls->items[c];
		double bytes = weights_of(call);

		if (!(bytes > 0))
			continue;
		reading.ns += fmin(call->ns, bytes / calls->advisor->bandwidth * 1e9);
		reading.bytes += bytes;
		reading.rows = fmax(reading.rows, rows_of(call));
	}
	return reading;
}

/* Returns the time of a product with `batch` times as many rows, no less than now; NAN: not known.
 */
static double product_of_rows_ns(const struct weir_advisor *advisor,
                                 const struct weir_op_call *call, double batch)
{
	struct weir_product product;
	double rows_bytes = fmax(0, call->work.bytes - weights_of(call));

	if (!weir_product_read(advisor, call->first_job, &product))
		return NAN;
	/* The side of the rows may be either. */
	*(product.m <= product.n ? &product.m : &product.n) *= batch;
	product.flops *= batch;
	return fmax(call->ns, weir_product_ns(advisor, &product, product.engine, product.dtype,
	                                      weights_of(call) + batch * rows_bytes));
}

/* Returns the bytes that a job moves; NAN: not known, or its arithmetic may take longer. */
static double moved_bytes(const struct weir_advisor *advisor, const struct weir_op_call *call,
                          const struct weir_job *job)
{
	const struct weir_device_columns *rows = &advisor->program.rank->trace->device;
	struct weir_call recorded;

	if (rows->kind[job->row] != WEIR_DEVICE_KERNEL)
		return rows->bytes[job->row] >= 0 ? (double)rows->bytes[job->row] : NAN;
	if (call->work.product)
		return NAN;
	if (call->work.confidence != WEIR_MODEL_NONE)
		return call->work.bytes;
	return weir_advisor_call(advisor, job, &recorded) ? weir_operand_bytes(&recorded) : NAN;
}

/* Returns the rate at which further bytes of a job move; NAN: not known. */
static double further_rate(const struct weir_advisor *advisor, const struct weir_job *job)
{
	struct weir_transfer copy = weir_transfer_of(advisor, job);

	if (copy.way == WEIR_TRANSFER_NONE)
		return advisor->bandwidth;
	/* A large copy shows its rate, a small one only its latency. */
	if (copy.bytes > WEIR_STAGED_BYTES && job->ns > 0)
		return copy.bytes / job->ns * 1e9;
	return advisor->peaks ? advisor->peaks->host_link_bytes_per_s.sustained : NAN;
}

/* Returns the factor on the time of a job that multiplies by no weights: the other rows take the
 * time of their bytes, as the start and end of a kernel or copy come once. */
static double other_factor(const struct weir_advisor *advisor, const struct weir_op_call *call,
                           const struct weir_job *job, double batch)
{
	bool transfers = weir_transfer_of(advisor, job).way != WEIR_TRANSFER_NONE;
	double factor = transfers ? batch : factor_of_blocks(advisor, job, batch);
	double more_ns =
		(batch - 1) * moved_bytes(advisor, call, job) / further_rate(advisor, job) * 1e9;

	return more_ns >= 0 && job->ns > 0 ? fmin(factor, 1 + more_ns / job->ns) : factor;
}

/* Gives a call its time for the whole batch; returns it. */
static double batch_call(struct weir_draft *draft, const struct weir_op_call *call, double batch)
{
	const struct weir_program *program = &draft->advisor->program;
	double ns = weights_of(call) > 0 ? product_of_rows_ns(draft->advisor, call, batch) : NAN;
	double all_ns = 0;

	for (uint32_t j = call->first_job; j < call->end_job; j++) {
		const struct weir_job *job = &program->jobs[j];
		double factor = isnan(ns) ? other_factor(draft->advisor, call, job, batch)
		                          : ns / fmax(call->ns, 1);

		weir_draft_scale_job(draft, j, factor, fmax(1, BATCH_LOW * factor),
		                     fmin(batch, BATCH_HIGH * factor));
		all_ns += factor * job->ns;
	}
	return all_ns;
}

/* A step that reads its weights for few rows takes hardly longer for those of many requests. */
static bool batch_steps(struct weir_draft *draft)
{
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	struct reading reading = reading_of(calls);
	double batch, all_ns = 0;

	if (!(reading.ns >= READING_SHARE * draft->advisor->before_ns))
		return false;
	batch = fmin(BATCH, floor(MOST_ROWS / reading.rows));
	for (size_t c = 0; c < calls->count; c++)
		all_ns += batch_call(draft, &calls->items[c], batch);
	draft->rows = batch;
	weir_draft_basis(draft,
	                 "%.0f steps as one, which reads %.2f GB of weights once instead of for %s "
	                 "each: %.0f us of device time by roofline, divided by %.0f",
	                 batch, reading.bytes / 1e9, reading.rows > 1 ? "few rows" : "one row",
	                 all_ns / 1e3, batch);
	return true;
}

bool weir_fix_batch_more(struct weir_draft *draft)
{
	struct runs runs;

	/* Each turn has another input, so that none waits for a choice of the one before. */
	if (weir_loop_group(draft, WEIR_LOOP_INPUTS))
		return true;
	if (!any_chooses(draft->advisor) && find_runs(&draft->advisor->program, &runs))
		return merge_graphs(draft, &runs);
	/* Choices inside a step do not keep the steps of several requests apart. */
	return merge_operators(draft) || batch_steps(draft);
}
