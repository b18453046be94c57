/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One kernel instead of a chain of pointwise and reducing ones: intermediate values stay on chip.
 */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/blends.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/fusible.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/operands.h"
#include "engine/analysis/advice/terms.h"
#include "engine/analysis/roofline/roofline.h"

/* Elements of a row that a block of Inductor keeps (its persistent reductions); it goes through
 * longer ones once for each reduction that needs the one before, and computes them anew. */
#define LONGEST_ROW 1024.0
/* Inductor reduces fewer elements than this without a loop, wherever the result is used (its
 * unroll_reductions_threshold). */
#define LEAST_UNROLLED 8.0
/* Equal slices of a result that are read as such: chunks of gates and rotated vectors. */
#define MOST_SLICES 4
/* A row up to this size stays in the registers and shared memory of a block (228 KiB on an H100)
 * between the reduction and its use; longer ones are read again. */
#define ROW_ON_CHIP_BYTES 131072.0
/* Host time to enter a compiled region, check its guards and leave it: a region of one kernel took
 * 80 to 100 us (PyTorch 2.11 on H100). */
#define REGION_NS 80000.0

/* A reduction behind the first reads its rows again, from the second-level cache, which is about
 * twice as fast as memory. */
#define CACHED_READ 0.5
/* Inductor stores a value that more than 30 of its operators compute (its
 * realize_opcount_threshold). A call is about two of them: itself and a constant, a conversion or
 * the loading of an operand. */
#define MOST_INLINED 15
/* Calls behind a small one among which its use is sought: parameters are prepared just before. */
#define SIDE_WITHIN 4
/* Fewer calls that repeat are parts of one expression; more are the same function of a sister, as
 * the rotation of queries and of keys is. */
#define LEAST_SISTER 4
/* The sum that ends a chain adds a tensor from outside, as a residual is, as often as one that the
 * chain has read already. */
#define RESIDUAL_SHARE 0.5

/* ---- the chain ---- */

/* Returns the time that a call takes to pick values of a tensor from outside: without that for its
 * result, which is not written, and for the numbers, which are counted as operands. */
static double picking_ns(const struct weir_op_call *call, const struct weir_fusible *tensors,
                         double stream_rate)
{
	double bytes = tensors->out_bytes + tensors->in[1];

	if (!tensors->picks || !tensors->known[0] || !(stream_rate > 0))
		return 0;
	return fmax(0, call->ns - bytes / stream_rate * 1e9);
}

/* Notes that the current call reads a result. */
static void note_read(struct weir_chain *chain, struct weir_made *made)
{
	made->read = true;
	chain->level = made->level > chain->level ? made->level : chain->level;
}

/* Adds what the reading of an operand with gaps moves. */
static void read_part(struct weir_chain *chain, const struct weir_fusible *tensors, size_t i)
{
	struct weir_made *whole = weir_operand_whole(chain, tensors, i);
	double bytes;

	if (whole)
		note_read(chain, whole);
	if (whole || weir_operand_is_part_read(chain, tensors, i))
		return;
	bytes = weir_gaps_read(&chain->gaps, &tensors->arg[i]);
	chain->read_bytes += bytes;
	chain->longest_read = fmax(chain->longest_read, bytes);
	if (bytes > 0 && chain->outside_count < WEIR_MOST_FUSED)
		chain->outside[chain->outside_count++] = 0; /* not a whole tensor */
}

/* Marks the latest unread result of this size as read, else the latest one that this call has not
 * read yet; false: none. */
static bool read_result(struct weir_chain *chain, double bytes, bool by_norm, bool *again)
{
	struct weir_made *found = NULL;

	for (size_t i = 0; i < chain->count; i++) {
		struct weir_made *made = &chain->made[i];

		if (!weir_same_bytes(made->bytes, bytes) ||
		    (made->read && made->last == chain->count))
			continue;
		if (!found || !made->read || found->read)
			found = made;
	}
	if (!found)
		return false;
	*again = found->read;
	note_read(chain, found);
	found->kept |= by_norm && found->sum;
	found->last = chain->count;
	return true;
}

/* True if the tensor is half of one that the chain reads from outside, as parts of gates and of
 * rotated vectors are. */
static bool is_half(const struct weir_chain *chain, double bytes)
{
	for (size_t i = 0; i < chain->outside_count; i++)
		if (weir_same_bytes(chain->outside[i], 2 * bytes))
			return true;
	return false;
}

/* Returns the result of which the tensor is a slice, as a chunk of a rotated vector; NULL: none. */
static struct weir_made *sliced_of(struct weir_chain *chain, double bytes)
{
	for (size_t i = chain->count; i-- > 0;)
		for (int parts = 2; chain->made[i].sliced && parts <= MOST_SLICES; parts++)
			if (weir_same_bytes(chain->made[i].bytes, parts * bytes))
				return &chain->made[i];
	return NULL;
}

/* Adds what the call reads from outside. A tensor of a size that an earlier call read may be the
 * same one. */
static void read_outside(struct weir_chain *chain, double bytes, size_t known)
{
	if (is_half(chain, bytes))
		return; /* it has been read */
	for (size_t i = 0; i < known; i++) {
		if (!weir_same_bytes(chain->outside[i], bytes))
			continue;
		chain->doubt_bytes += bytes;
		break;
	}
	if (chain->outside_count < WEIR_MOST_FUSED)
		chain->outside[chain->outside_count++] = bytes;
	chain->read_bytes += bytes;
	chain->longest_read = fmax(chain->longest_read, bytes);
}

/* Adds a result that is read again. It is expected to be another tensor from outside only if the
 * chain has read one of this size: one that it has widened, or spanned by others, is its own. */
static void read_again(struct weir_chain *chain, double bytes)
{
	chain->again_bytes += bytes;
	if (!weir_chain_has_read(chain, bytes))
		return;
	chain->like_bytes += bytes;
	chain->like_count++;
}

/* Adds what the second scaling of a blend reads: a tensor from outside that an earlier call may
 * have read, but not the call before. */
static void read_blended(struct weir_chain *chain, double bytes)
{
	size_t others = 0;

	for (size_t i = 0; i < chain->outside_count; i++)
		others += weir_same_bytes(chain->outside[i], bytes);
	if (others > 0 && chain->last_outside)
		others--;
	if (others > 0)
		read_again(chain, bytes);
	else
		read_outside(chain, bytes, 0);
}

/* True if the operand with gaps is a part of a result, or of what the chain reads. */
static bool is_linked_part(struct weir_chain *chain, const struct weir_fusible *tensors, size_t i)
{
	return weir_operand_whole(chain, tensors, i) ||
	       weir_operand_is_part_read(chain, tensors, i);
}

/* True if an operand is a result of the chain, a part of one, or of what the chain reads. */
static bool any_linked(struct weir_chain *chain, const struct weir_fusible *tensors)
{
	for (size_t i = 0; i < tensors->in_count; i++)
		if (tensors->gap[i]
		            ? is_linked_part(chain, tensors, i)
		            : tensors->held[i] || (!tensors->fresh[i] && !tensors->known[i] &&
		                                   (weir_chain_makes(chain, tensors->in[i]) ||
		                                    is_half(chain, tensors->in[i]) ||
		                                    sliced_of(chain, tensors->in[i]))))
			return true;
	return false;
}

/* True if the chain has read a tensor with the form of an operand with gaps: its sister, or the
 * same one. */
static bool any_like_part(const struct weir_chain *chain, const struct weir_fusible *tensors)
{
	for (size_t i = 0; i < tensors->in_count; i++)
		if (tensors->gap[i] && weir_gaps_has_read(&chain->gaps, tensors->gap[i]))
			return true;
	return false;
}

static bool reads(const struct weir_fusible *tensors, double bytes)
{
	for (size_t i = 0; i < tensors->in_count; i++)
		if (weir_same_bytes(tensors->in[i], bytes))
			return true;
	return false;
}

/* True if the call reads a result of the chain, apart from tensors of `other` bytes. */
static bool reads_result(const struct weir_chain *chain, const struct weir_fusible *tensors,
                         double other)
{
	for (size_t i = 0; i < tensors->in_count; i++)
		if (!tensors->fresh[i] && !tensors->known[i] && !tensors->gap[i] &&
		    !weir_same_bytes(tensors->in[i], other) &&
		    weir_chain_makes(chain, tensors->in[i]))
			return true;
	return false;
}

/* True for a call that writes values for whole rows. */
static bool writes_rows(const struct weir_op_call *call)
{
	return call->family != WEIR_FAMILY_REDUCE;
}

/* Returns the calls of the chain that compute values for at least half of these elements. */
static size_t calls_on_rows(const struct weir_chain *chain, double elements)
{
	size_t count = 0;

	for (size_t i = 0; i < chain->count; i++)
		count += 2 * chain->made[i].elements > elements;
	return count;
}

/* Notes what the call has to do with reductions that end kernels. `outside`: the bytes that the
 * chain read from outside before it. */
static void note_split(struct weir_chain *chain, const struct weir_op_call *call,
                       const struct weir_fusible *tensors, double outside, double stream_rate)
{
	bool made = reads_result(chain, tensors, 0);

	weir_splits_read(&chain->splits, chain->read_bytes - outside);
	if (tensors->splits && made && calls_on_rows(chain, tensors->elements) > MOST_INLINED)
		chain->splits.stored = true;
	if (tensors->splits)
		weir_splits_reduce(&chain->splits, call, tensors->in[0], stream_rate, made,
		                   tensors->columns);
	if (writes_rows(call) && !tensors->stores && 2 * tensors->elements > chain->elements)
		weir_splits_follow(&chain->splits);
}

/* Adds what operand `i` of a call reads. `known`: the tensors from outside before the call. */
static void read_operand(struct weir_chain *chain, const struct weir_op_call *call,
                         const struct weir_fusible *tensors, size_t i, size_t known)
{
	double bytes = tensors->in[i];
	struct weir_made *whole;
	bool again = false;

	chain->rows |= tensors->held[i];
	if (tensors->casts && i == 0) {
		note_read(chain, &chain->made[chain->count - 1]);
		return;
	}
	if (tensors->gap[i] && !(tensors->picks && tensors->known[i])) {
		read_part(chain, tensors, i);
		return;
	}
	if (tensors->held[i] || tensors->known[i] || (tensors->same && i > 0))
		return;
	if (tensors->fresh[i]) {
		read_outside(chain, bytes, known);
	} else if (!read_result(chain, bytes, call->family == WEIR_FAMILY_NORM, &again)) {
		whole = sliced_of(chain, bytes);
		if (whole)
			note_read(chain, whole);
		else
			read_outside(chain, bytes, known);
	}
	if (again)
		read_again(chain, bytes);
	if (again && tensors->sum)
		chain->residual_bytes = bytes;
}

/* True if the call reduces rows that are longer than a block keeps. */
static bool reduces_long(const struct weir_fusible *tensors)
{
	return tensors->row_elements > LONGEST_ROW && !tensors->splits;
}

/* Adds the result of a call. What the program stores is written once, from where it is made. */
static void add_result(struct weir_chain *chain, const struct weir_fusible *tensors)
{
	if (tensors->stores)
		chain->made[chain->count - 1].kept = true;
	chain->made[chain->count++] =
		(struct weir_made){.bytes = tensors->out_bytes,
	                           .elements = tensors->elements,
	                           .level = chain->level + (reduces_long(tensors) ? 1 : 0),
	                           .sum = tensors->sum,
	                           .gap = tensors->out_gap};
	chain->elements = fmax(chain->elements, tensors->elements);
	chain->main_bytes = fmax(chain->main_bytes, tensors->out_bytes);
	chain->closed = tensors->out_bytes <= 8 && tensors->elements > 1 && !tensors->stores;
}

/* Notes what the call computes, and how often the fused kernel goes through its rows. */
static void note_pass(struct weir_chain *chain, const struct weir_op_call *call,
                      const struct weir_fusible *tensors)
{
	bool reduces = reduces_long(tensors);

	chain->passes.bytes = chain->read_bytes;
	chain->passes.tensors = chain->outside_count;
	if (2 * tensors->elements > chain->elements && reads(tensors, chain->passes.unrolled_bytes))
		weir_passes_read_few(&chain->passes);
	if (call->family == WEIR_FAMILY_SOFTMAX && tensors->row_elements < LEAST_UNROLLED)
		weir_passes_normalise_few(&chain->passes, tensors->row_elements, tensors->elements);
	if (reduces && chain->level > chain->passes.level)
		weir_passes_compute(&chain->passes, 0, chain->level);
	if (reduces)
		weir_passes_reduce(&chain->passes, tensors->instructions, tensors->in[0]);
	if (!reduces && 2 * tensors->elements <= chain->elements)
		chain->passes.instructions += tensors->instructions; /* of a value for each row */
	else if (!reduces)
		weir_passes_compute(&chain->passes, tensors->instructions, chain->level);
	else if (writes_rows(call))
		weir_passes_compute(&chain->passes, 0, chain->level + 1);
	if (call->family == WEIR_FAMILY_REDUCE && tensors->row_elements < LEAST_UNROLLED)
		weir_passes_unroll(&chain->passes, tensors->row_elements, tensors->out_bytes);
}

/* Notes the tensor that a loop reduces. Blocks go through its rows: a larger tensor, which reads
 * what they find, is made by another kernel. A value of a small tensor, a parameter, is found
 * before. */
static void note_reduced(struct weir_chain *chain, const struct weir_fusible *tensors)
{
	if (tensors->row_elements < LEAST_UNROLLED || 2 * tensors->elements < chain->elements)
		return;
	if (!(chain->reduced > 0) || tensors->elements < chain->reduced)
		chain->reduced = tensors->elements;
}

/* Adds a call to the chain. */
static void extend(struct weir_chain *chain, const struct weir_op_call *call,
                   const struct weir_fusible *tensors, double stream_rate)
{
	size_t known = chain->outside_count;
	double outside = chain->read_bytes;

	chain->residual_bytes = 0;
	chain->level = 0;
	if (tensors->blends && !tensors->gap[0])
		read_blended(chain, tensors->in[0]);
	for (size_t i = 0; i < tensors->in_count && (!tensors->blends || tensors->gap[0]); i++)
		read_operand(chain, call, tensors, i, known);
	chain->last_outside = chain->outside_count > known;
	note_split(chain, call, tensors, outside, stream_rate);
	note_pass(chain, call, tensors);
	add_result(chain, tensors);
	chain->now_ns += call->ns;
	chain->picks_ns += picking_ns(call, tensors, stream_rate);
	if (call->ns > 0)
		chain->rate = fmax(chain->rate, call->work.bytes / call->ns * 1e9);
	/* Short kernels are limited by latency, which joining them does not shorten. */
	if (call->ns < WEIR_SHORT_NS)
		chain->floor_ns = fmax(chain->floor_ns, call->ns);
	note_reduced(chain, tensors);
	chain->reductions += !tensors->shifts && call->family != WEIR_FAMILY_ELEMENTWISE &&
	                     call->family != WEIR_FAMILY_COPY;
	if (tensors->row_bytes > ROW_ON_CHIP_BYTES && !tensors->splits)
		chain->again = true;
}

static bool is_small_pointwise(const struct weir_op_calls *calls, const struct weir_chain *chain,
                               size_t c, const struct weir_fusible *tensors)
{
	return tensors->elements < chain->elements &&
	       (calls->items[c].family == WEIR_FAMILY_ELEMENTWISE ||
	        calls->items[c].family == WEIR_FAMILY_COPY);
}

/* True if the call prepares a smaller tensor, as a parameter is, which a call soon behind it
 * combines with a result of the chain. It may take several calls: (1 - a).sqrt(). */
static bool is_side(const struct weir_op_calls *calls, const struct weir_chain *chain, size_t c,
                    const struct weir_fusible *tensors)
{
	struct weir_fusible made = *tensors;

	if (!is_small_pointwise(calls, chain, c, tensors))
		return false;
	for (size_t d = c + 1; d < calls->count && d <= c + SIDE_WITHIN; d++) {
		struct weir_fusible user;

		if (!weir_is_fusible(calls, &calls->items[d], &user))
			return false;
		if (!reads(&user, made.out_bytes))
			continue;
		if (reads_result(chain, &user, made.out_bytes))
			return true;
		if (!is_small_pointwise(calls, chain, d, &user))
			return false;
		made = user; /* prepares the parameter further */
	}
	return false;
}

/* True if the calls from c on repeat the chain for a sister tensor. */
static bool begins_sister(const struct weir_op_calls *calls, const struct weir_chain *chain,
                          size_t c)
{
	if (chain->count < LEAST_SISTER || c + chain->count > calls->count)
		return false;
	for (size_t i = 0; i < chain->count; i++)
		if (!weir_op_calls_alike(calls, chain->first + i, c + i))
			return false;
	return true;
}

/* True if the call reads nothing of the chain and may begin another term of its expression. */
static bool begins_term(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c,
                        const struct weir_fusible *tensors)
{
	return !any_linked(chain, tensors) &&
	       weir_terms_may_begin(&calls->items[c], chain, tensors);
}

/* True if the chain and its sisters from call c on are terms of one expression: a later call
 * combines them, as it does not the rotation of queries and of keys. */
static bool sisters_meet(const struct weir_op_calls *calls, const struct weir_chain *chain,
                         size_t c)
{
	size_t terms = 0;

	for (; begins_sister(calls, chain, c); c += chain->count)
		terms++;
	return weir_terms_meet(calls, chain, c, terms, chain->elements);
}

/* True if the call continues the chain: it reads a result of it, or begins a term that meets one,
 * and has no more elements, unless all calls before it are pointwise, which are computed where they
 * are read. */
static bool continues(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c,
                      const struct weir_fusible *tensors)
{
	const struct weir_op_call *last;
	bool grows = tensors->elements > chain->elements;

	if (chain->count == 0 || chain->count == WEIR_MOST_FUSED || chain->closed)
		return false;
	last = &calls->items[chain->first + chain->count - 1];
	if (weir_op_calls_wait(calls, last->first_issue, calls->items[c].first_issue))
		return false;
	if (begins_sister(calls, chain, c))
		return begins_term(calls, chain, c, tensors) && sisters_meet(calls, chain, c);
	/* A result of an earlier call may be another tensor of the size. */
	if (tensors->stores)
		return weir_same_bytes(chain->made[chain->count - 1].bytes, tensors->in[0]);
	/* Other blocks have reduced the rows that a shift brings here. */
	if (tensors->shifts && chain->reductions > 0)
		return false;
	if (grows || (chain->reduced > 0 && tensors->elements > chain->reduced))
		return chain->reductions == 0 && reads_result(chain, tensors, 0);
	return tensors->scalar || tensors->constant || any_linked(chain, tensors) ||
	       any_like_part(chain, tensors) || is_side(calls, chain, c, tensors) ||
	       (begins_term(calls, chain, c, tensors) &&
	        weir_terms_meet(calls, chain, c + 1, 1, tensors->elements));
}

/* ---- operators of libraries ---- */

/* At least three calls behind a layer are a function written by hand, which one kernel or a
 * compiler replaces without the layer; fewer are joined with the layer's own kernel. */
#define LEAST_FUNCTION 3

/* True for a kernel that belongs to a layer: a normalisation of batches, or a bias that the
 * convolution adds itself. A function that is written behind the layer does not contain it. */
static bool is_of_layer(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;

	for (uint32_t row = call->op; row != WEIR_NONE; row = timeline->parent[row]) {
		const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));

		if (strstr(name, "batch_norm") || strstr(name, "convolution"))
			return true;
	}
	return false;
}

/* True if the call of a layer is followed by a function that is fused without it. */
static bool precedes_function(const struct weir_op_calls *calls, size_t c)
{
	size_t d = c + 1;
	struct weir_fusible tensors;

	if (!is_of_layer(calls, &calls->items[c]))
		return false;
	while (d < calls->count && d <= c + LEAST_FUNCTION &&
	       weir_is_fusible(calls, &calls->items[d], &tensors) &&
	       !is_of_layer(calls, &calls->items[d]))
		d++;
	return d > c + LEAST_FUNCTION;
}

/* ---- stencils ---- */

/* Returns the number of calls of the chain that shift a tensor as call `c` does, by the same
 * distance; 0: it is no shift, or the distance is not recorded. */
static size_t like_shifts(const struct weir_op_calls *calls, const struct weir_chain *chain,
                          size_t c)
{
	const struct weir_trace *trace = calls->advisor->program.rank->trace;
	struct weir_fusible tensors;
	size_t like = 0;
	int64_t distances[WEIR_MAX_INTS];
	struct weir_args args;
	size_t count;

	if (!weir_is_fusible(calls, &calls->items[c], &tensors) || !tensors.shifts ||
	    !weir_op_calls_args(calls, &calls->items[c], &args) ||
	    !weir_args_ints(&args, 1, distances, &count))
		return 0;
	for (size_t i = chain->first; i < chain->first + chain->count; i++)
		like += weir_op_calls_alike(calls, c, i) &&
		        trace->shapes[trace->host.shape[calls->items[c].op]].scalars ==
		                trace->shapes[trace->host.shape[calls->items[i].op]].scalars;
	return like;
}

/* True if the calls before or behind the chain are the same ones. */
static bool repeats(const struct weir_op_calls *calls, const struct weir_chain *chain)
{
	struct weir_chain before = *chain;

	if (begins_sister(calls, chain, chain->first + chain->count))
		return true;
	if (chain->first < chain->count)
		return false;
	before.first -= chain->count;
	return begins_sister(calls, &before, chain->first);
}

/* Returns the least bytes that the stencils of the chain move; 0: it has none. A program shifts a
 * tensor by one distance once, so that the same shift twice is one of two tensors. A stencil that
 * repeats is a step of a solver in time: it writes the tensors that the next step reads. */
static double stencil_bytes(const struct weir_op_calls *calls, const struct weir_chain *chain)
{
	double fields = 0, bytes;

	for (size_t c = chain->first; c < chain->first + chain->count; c++)
		fields = fmax(fields, (double)like_shifts(calls, chain, c));
	if (!(fields > 0))
		return 0;
	bytes = fields * fmin(chain->longest_read, chain->main_bytes);
	return bytes + (repeats(calls, chain) ? bytes : chain->main_bytes);
}

/* ---- the fused kernel ---- */

struct total {
	size_t chains, calls;
	double now_ns, after_ns, bytes;
	uint32_t last_issue; /* of the last chain */
};

/*
 * A function of one tensor reads it, or a value computed from it, up to about three times again:
 * GELU by tanh twice. Behind that, operands that the trace cannot tell from earlier ones are often
 * other tensors from outside, or results that the program keeps as well. Such tensors were, of the
 * operands read again: 6 of 17 in the prices and sensitivities of options, 7 of 15 in diagnostics
 * of weather, 7 of 10 in features of trips, 5 of 10 and 2 of 8 in updates of samplers, 1 of 5 in
 * the grading of a film, and none of 6 in a tone curve and of 11 in the warpers of logits.
 */
#define AGAIN_ONE_TENSOR 3.0
#define OTHERS_SHARE     0.5
/* The most tensors from outside, for this number of operators: the functions above have 24 to 56
 * operators. */
#define MOST_TENSORS 10.0
#define OTHERS_CALLS 64.0
/* A tensor below this share of those that are read again is a parameter of the function. */
#define PARAMETER_SHARE 0.1

/* Returns the expected bytes of such other tensors, of which each has as many as those that are
 * read again on the average. Updates and stencils are counted elsewhere; a program that keeps its
 * tensors as rows of one selects them before it reads them. */
static double other_bytes(const struct weir_chain *chain)
{
	double count = (double)chain->like_count, mean = chain->like_bytes / fmax(count, 1);
	double most = MOST_TENSORS * fmax(1, (double)chain->count / OTHERS_CALLS);

	if (chain->update || chain->rows)
		return 0;
	for (size_t i = 0; i < chain->outside_count; i++)
		most -= chain->outside[i] > PARAMETER_SHARE * mean;
	return mean * fmax(0, fmin(OTHERS_SHARE * (count - AGAIN_ONE_TENSOR), most));
}

/* Returns the bytes that passes over rows that are longer than a block keeps read again. */
static double again_bytes_of(const struct weir_chain *chain)
{
	return (chain->again ? 1 : CACHED_READ) * chain->passes.again_bytes;
}

/* Returns the bytes of the chain's inputs and outputs: results that no call of it reads, residuals,
 * and the last one. */
static double bytes_of(const struct weir_chain *chain)
{
	double bytes = chain->splits.kernels > 0
	                       ? chain->splits.bytes + weir_splits_rest(&chain->splits)
	                       : chain->read_bytes;

	bytes += chain->passes.stored_bytes;
	bytes += RESIDUAL_SHARE * chain->residual_bytes;
	for (size_t i = 0; i < chain->count; i++)
		if (!chain->made[i].read || chain->made[i].kept || i + 1 == chain->count)
			bytes += chain->made[i].bytes;
	return fmax(bytes, weir_blends_update_bytes(chain));
}

/* Returns the rate of the fused kernel: that of streaming kernels, or the best of the chain if its
 * data stay in the cache; 0: not known. */
static double rate_of(const struct weir_advisor *advisor, const struct weir_chain *chain,
                      double bytes)
{
	double rate = isnan(advisor->bandwidth) ? 0 : advisor->bandwidth;
	bool cached = advisor->peaks && bytes <= WEIR_CACHE_SHARE * advisor->peaks->l2_bytes;

	return cached ? fmax(rate, chain->rate) : rate;
}

/* Returns the time of the kernels that move these bytes. */
static double kernels_ns(const struct weir_chain *chain, double bytes, double rate)
{
	return weir_splits_ns(&chain->splits) + (bytes - chain->splits.bytes) / rate * 1e9;
}

/* The blocks of a kernel begin together and have as much to do, so that their passes over the rows
 * follow each other: one that computes much does not hide one that reads much. */
static double first_pass_ns(const struct weir_advisor *advisor, const struct weir_chain *chain,
                            double bytes, double rate)
{
	return fmax(kernels_ns(chain, bytes, rate),
	            weir_instructions_ns(advisor->peaks, chain->passes.instructions +
	                                                         chain->passes.few_instructions));
}

static double later_passes_ns(const struct weir_advisor *advisor, const struct weir_chain *chain,
                              double bytes, double rate)
{
	return fmax(bytes / rate * 1e9,
	            weir_instructions_ns(advisor->peaks, chain->passes.again_instructions));
}

/* Adds the host time to enter a compiled region in front of a chain. A wait for the device ends the
 * region before. */
static void enter_region(struct weir_draft *draft, const struct weir_op_calls *calls,
                         const struct weir_chain *chain, struct total *total)
{
	uint32_t issue = calls->items[chain->first].first_issue;

	if (total->chains == 0 || weir_op_calls_wait(calls, total->last_issue, issue))
		draft->program.issues[issue].dispatch_ns +=
			REGION_NS / draft->advisor->speed.dispatch;
	/* Each divided reduction has two launches more. */
	if (chain->splits.calls > 0)
		weir_draft_add_operators(draft, issue, 2 * (double)chain->splits.calls);
	total->last_issue = issue;
}

/* Puts the fused kernel in the place of the chain if it is shorter. */
static void fuse(struct weir_draft *draft, const struct weir_op_calls *calls,
                 const struct weir_chain *chain, struct total *total)
{
	double shifted = stencil_bytes(calls, chain), least = fmax(bytes_of(chain), shifted);
	double again = shifted > 0 ? 0 : chain->again_bytes; /* a stencil reads its tensors again */
	double passed = shifted > 0 ? 0 : again_bytes_of(chain);
	double others = shifted > 0 ? 0 : other_bytes(chain), bytes = least + others;
	double rate = rate_of(draft->advisor, chain, bytes + passed), ns, low_ns, high_ns;

	if (chain->count < 2 || !(rate > 0))
		return;
	ns = first_pass_ns(draft->advisor, chain, bytes, rate) +
	     later_passes_ns(draft->advisor, chain, passed, rate);
	ns += chain->picks_ns;
	ns = fmax(ns, fmax(chain->floor_ns, WEIR_SHORTEST_KERNEL_NS));
	if (ns >= chain->now_ns)
		return;
	/* At most: an intermediate value is needed elsewhere as well, or each tensor that seems to
	 * be read again is another one. The shapes of both are the same. */
	high_ns = fmin(chain->now_ns, ns + fmax(chain->main_bytes, again - others) / rate * 1e9);
	low_ns = fmax(0.5 * ns, 0.8 * ns - (chain->doubt_bytes + others) / rate * 1e9);
	weir_op_call_set(draft, &calls->items[chain->first], ns, low_ns, high_ns);
	for (size_t i = 1; i < chain->count; i++)
		weir_op_call_remove(draft, &calls->items[chain->first + i]);
	enter_region(draft, calls, chain, total);
	total->chains++;
	total->calls += chain->count;
	total->now_ns += chain->now_ns;
	total->after_ns += ns;
	total->bytes += bytes + passed;
}

/* Leaves the call of a layer as it is; at least, a compiler of the whole model joins it as well. */
static void leave_layer(struct weir_draft *draft, const struct weir_op_call *call)
{
	for (uint32_t j = call->first_job; j < call->end_job; j++)
		draft->program.jobs[j].low_ns = 0;
}

bool weir_join_pointwise(struct weir_draft *draft, bool layers)
{
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	struct weir_chain chain = {0};
	struct total total = {0};

	for (size_t c = 0; c < calls->count; c++) {
		struct weir_fusible tensors;
		bool fusible = weir_is_fusible(calls, &calls->items[c], &tensors);

		if (fusible && !layers && precedes_function(calls, c)) {
			leave_layer(draft, &calls->items[c]);
			fusible = false;
		}
		if (fusible && chain.count > 0) {
			weir_operands_mark(calls, &chain, c, &tensors);
			weir_blends_mark(calls, &chain, c, &tensors);
		}
		if (!fusible || !continues(calls, &chain, c, &tensors)) {
			fuse(draft, calls, &chain, &total);
			chain = (struct weir_chain){.first = c};
			if (fusible)
				weir_operands_begin(&chain, &tensors);
		}
		if (fusible && (chain.count > 0 || !tensors.joins)) {
			weir_operands_see(calls, &chain, c);
			extend(&chain, &calls->items[c], &tensors, draft->advisor->bandwidth);
			weir_blends_note(calls, &chain, c);
		}
	}
	fuse(draft, calls, &chain, &total);
	if (total.chains > 0)
		weir_draft_basis(
			draft,
			"%zu operators in %zu chains move %.2f MB as fused kernels: %.0f us "
			"instead of %.0f us, at the rate that streaming kernels reach",
			total.calls, total.chains, total.bytes / 1e6, total.after_ns / 1e3,
			total.now_ns / 1e3);
	return total.chains > 0;
}

bool weir_fix_compile_pointwise(struct weir_draft *draft)
{
	return weir_join_pointwise(draft, false);
}
