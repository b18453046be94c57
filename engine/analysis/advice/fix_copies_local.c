/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies inside the device that only change a layout, repeat or join elements, or grow a cache. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/caches.h"
#include "engine/analysis/advice/detours.h"
#include "engine/analysis/advice/divisions.h"
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/heads.h"
#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/joined_lists.h"
#include "engine/analysis/advice/layout_copies.h"
#include "engine/analysis/advice/messages.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/paddings.h"
#include "engine/analysis/advice/products.h"
#include "engine/analysis/advice/rejoins.h"
#include "engine/analysis/advice/reorders.h"
#include "engine/analysis/advice/spread.h"
#include "engine/analysis/advice/stacked.h"
#include "engine/analysis/advice/unfolds.h"
#include "engine/base/arena.h"

/* Calls behind a copy among which its use is sought; a result is used soon. */
#define USED_WITHIN 16

/* ---- uses ---- */

/* Returns the argument of the call that has the size and type of the copy; NULL: none. */
static const struct weir_arg *argument_like(const struct weir_args *args,
                                            const struct weir_layout_copy *copy)
{
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (arg && arg->elements == copy->elements && arg->element.dtype == copy->dtype)
			return arg;
	}
	return NULL;
}

/* True if the operator takes a matrix with exchanged dimensions, as products of libraries do. It
 * may read the copy through a view that exchanges them again, as a layer reads its weights. */
static bool takes_transposed(const struct weir_layout_copy *copy, const struct weir_arg *arg)
{
	const int64_t *from, *to;

	if (copy->layout != WEIR_LAYOUT_TRANSPOSED || arg->rank < 2 || copy->rank < 2)
		return false;
	from = &copy->dims[copy->rank - 2];
	to = &arg->dims[arg->rank - 2];
	return (to[0] == from[0] && to[1] == from[1]) || (to[0] == from[1] && to[1] == from[0]);
}

/* True if the second copy brings back the layout before the first. Copies of the same shape are
 * those of sister tensors, such as queries and keys, unless the shape is its own transpose. */
static bool undoes(const struct weir_layout_copy *first, const struct weir_layout_copy *second)
{
	if (weir_layout_copy_reformats(first, second))
		return true;
	if (first->layout != second->layout || first->rank != second->rank || first->rank < 2)
		return false;
	if (memcmp(first->dims, second->dims, sizeof first->dims) != 0)
		return true;
	return first->layout == WEIR_LAYOUT_TRANSPOSED &&
	       first->dims[first->rank - 1] == first->dims[first->rank - 2];
}

static bool is_attention(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	return call->family == WEIR_FAMILY_ATTENTION ||
	       strstr(weir_op_calls_name(calls, call), "attention") != NULL;
}

static bool changes_in_place(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && name[length - 1] == '_';
}

/* True if attention reads the tensor, or its parts: queries, keys and values made by one product.
 */
static bool is_attended(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        const struct weir_args *args, const struct weir_layout_copy *tensor)
{
	double elements = 0;

	if (!is_attention(calls, call))
		return false;
	for (size_t i = 0; i < 3; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (!arg || arg->element.dtype != tensor->dtype)
			return false;
		elements += arg->elements;
	}
	return elements == tensor->elements || argument_like(args, tensor);
}

/* True if at most one of the dimensions in front of the rows and columns has several entries. */
static bool has_one_batch(const struct weir_layout_copy *copy)
{
	int batches = 0;

	for (int d = 0; d < copy->rank - 2; d++)
		batches += copy->dims[d] > 1;
	return copy->rank >= 3 && batches <= 1;
}

/* True if a product of matrices takes them as slices of larger ones, with a stride between them. */
static bool takes_slices(const struct weir_layout_copy *copy, const struct weir_arg *arg)
{
	return arg->rank == 3 && copy->rank == 3 &&
	       memcmp(arg->dims, copy->dims, 3 * sizeof *arg->dims) == 0;
}

/* True if the copy only brings the batch in front of the rows, as [rows, batch, columns] to [batch,
 * rows, columns]: libraries take matrices with a stride between rows and one between matrices. The
 * time of the product is taken to stay: a program on an H100 whose two products took 306 us between
 * such copies of input and result took 323 us in all with strided views. */
static bool takes_batches(const struct weir_layout_copy *copy, const struct weir_arg *arg)
{
	return copy->layout == WEIR_LAYOUT_PERMUTED && copy->whole_rows && has_one_batch(copy) &&
	       arg->rank == 3 && arg->dims[2] == copy->dims[copy->rank - 1] &&
	       arg->dims[1] == copy->dims[copy->rank - 2];
}

/* True if the copy only puts the rows of a product's matrix in another order, and attention reads
 * the result: the product takes the rows as they are, and attention takes any order of them. */
static bool orders_rows_for_attention(const struct weir_op_calls *calls, size_t product,
                                      const struct weir_layout_copy *copy,
                                      const struct weir_arg *arg)
{
	const struct weir_op_call *call = &calls->items[product];
	struct weir_layout_copy result = {.elements = call->work.reuse.m * call->work.reuse.n *
	                                              call->work.reuse.batch,
	                                  .dtype = copy->dtype};

	if (!copy->whole_rows || copy->layout != WEIR_LAYOUT_PERMUTED || arg->rank < 2 ||
	    arg->dims[arg->rank - 1] != copy->dims[copy->rank - 1])
		return false;
	for (size_t c = product + 1; c < calls->count && c <= product + USED_WITHIN; c++) {
		struct weir_args args;
		struct weir_layout_copy other;

		if (!weir_op_calls_args(calls, &calls->items[c], &args))
			continue;
		if (is_attended(calls, &calls->items[c], &args, &result))
			return true;
		if (argument_like(&args, &result) && !weir_layout_copy_read(calls, c, &other))
			return false;
	}
	return false;
}

/* Returns the elements of the tensors of a call without the one that is the copy. */
static double other_elements(const struct weir_op_calls *calls, size_t reader,
                             const struct weir_layout_copy *copy)
{
	struct weir_args args;
	double elements = 0;

	if (!weir_op_calls_args(calls, &calls->items[reader], &args))
		return INFINITY;
	for (size_t i = 0; i < args.count; i++)
		if (weir_args_tensor(&args, i) && args.items[i].elements != copy->elements)
			elements += args.items[i].elements;
	return elements;
}

/* Weights with at most this share of the copy's elements are put in its order instead, which takes
 * as small a share of the time even if each step does so. */
#define WEIGHTS_SHARE 0.125

/* True if the copy only puts the columns of a product's rows, or the channels of a convolution, in
 * another order: the weights can be put in that order. */
static bool orders_columns(const struct weir_op_calls *calls, size_t reader,
                           const struct weir_layout_copy *copy, const struct weir_arg *arg)
{
	static const char *const products[] = {"mm", "addmm", NULL};
	static const char *const convolutions[] = {"cudnn_convolution", "convolution_overrideable",
	                                           "miopen_convolution", NULL};
	const struct weir_op_call *call = &calls->items[reader];
	const char *name = weir_op_calls_name(calls, call);
	double inner, entries = weir_layout_copy_permuted(copy, &inner), columns;
	const struct weir_arg *weights;
	struct weir_args args;

	if (entries == 0 || other_elements(calls, reader, copy) > WEIGHTS_SHARE * copy->elements)
		return false;
	if (weir_op_is_one_of(name, products)) {
		columns = (double)arg->dims[arg->rank - 1];
		return arg->rank == 2 && inner == 1 &&
		       call->work.reuse.m * columns == copy->elements &&
		       fmod(columns, entries) == 0;
	}
	if (!weir_op_is_one_of(name, convolutions) || arg->rank < 3 ||
	    !weir_op_calls_args(calls, call, &args) || !(weights = weir_args_tensor(&args, 1)))
		return false;
	columns = (double)arg->dims[1];
	return weights->rank == arg->rank && weights->dims[1] == arg->dims[1] && columns > 0 &&
	       inner * columns * (double)arg->dims[0] == copy->elements &&
	       fmod(columns, entries) == 0;
}

/* Rows of a matrix below which a product of many of them leaves most of a kernel's tiles, which
 * have 64 to 256 rows, empty. */
#define FEWEST_ROWS 64

/* True if the product multiplies all rows of transposed matrices by the same weights: as a product
 * of each matrix with the weights it takes the matrices as they are. */
static bool multiplies_each(const struct weir_op_calls *calls, size_t reader,
                            const struct weir_layout_copy *copy, const struct weir_arg *arg)
{
	static const char *const names[] = {"mm", "addmm", NULL};
	const struct weir_op_call *call = &calls->items[reader];

	return copy->layout == WEIR_LAYOUT_TRANSPOSED && has_one_batch(copy) && arg->rank == 2 &&
	       weir_op_is_one_of(weir_op_calls_name(calls, call), names) &&
	       arg->dims[1] == copy->dims[copy->rank - 1] &&
	       call->work.reuse.m * (double)arg->dims[1] == copy->elements &&
	       copy->dims[copy->rank - 2] >= FEWEST_ROWS;
}

/* Lengthens a product of each matrix with the weights by its bias: PyTorch copies that to the whole
 * result first, by index, and the product reads it. */
static double add_bias(struct weir_draft *draft, const struct weir_op_calls *calls, size_t reader,
                       const struct weir_layout_copy *copy)
{
	const struct weir_op_call *call = &calls->items[reader];
	const struct weir_reuse *sizes = &call->work.reuse;
	double elements = sizes->m * sizes->n, bytes, ns;
	struct weir_args args;

	if (strcmp(weir_op_calls_name(calls, call), "addmm") != 0 ||
	    !weir_op_calls_args(calls, call, &args) || !argument_like(&args, copy) ||
	    !multiplies_each(calls, reader, copy, argument_like(&args, copy)))
		return 0;
	bytes = elements * argument_like(&args, copy)->element.width;
	ns = (bytes / draft->advisor->bandwidth) * 1e9;
	ns += fmax(ns, weir_indexed_ns(draft->advisor, elements));
	weir_op_call_set(draft, call, call->ns + ns, call->ns, call->ns + ns);
	return ns;
}

/* True if the operator reads elements in any order: a pointwise one, or a sum and the like, whose
 * kernels choose the dimension along which they read. Norms, softmax and prefix sums need rows. */
static bool takes_strides(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_job *job = &calls->advisor->program.jobs[call->longest_job];

	return call->family == WEIR_FAMILY_ELEMENTWISE ||
	       (call->family == WEIR_FAMILY_REDUCE &&
	        strstr(weir_advisor_kernel(calls->advisor, job), "reduce_kernel"));
}

enum use {
	USE_NONE,   /* nothing reads it */
	USE_NEEDS,  /* a reader needs the copy */
	USE_PASSES, /* operators that take any order read it, up to the end of the step */
	USE_TAKES,  /* a reader takes the source instead */
	USE_UNDOES, /* a copy back to the former layout */
};

/* Returns what one reader makes of a copy that exchanges dimensions or repeats elements. */
static enum use use_by(const struct weir_op_calls *calls, size_t reader,
                       const struct weir_layout_copy *copy, const struct weir_arg *arg)
{
	const struct weir_op_call *call = &calls->items[reader];

	if (copy->layout == WEIR_LAYOUT_EXPANDED)
		return USE_TAKES;
	if (is_attention(calls, call))
		return copy->layout == WEIR_LAYOUT_PERMUTED || copy->layout == WEIR_LAYOUT_SLICED
		               ? USE_TAKES
		               : USE_NEEDS;
	if (copy->layout == WEIR_LAYOUT_SLICED && call->work.product)
		return takes_slices(copy, arg) ? USE_TAKES : USE_NEEDS;
	if (call->work.product)
		return takes_transposed(copy, arg) || takes_batches(copy, arg) ||
		                       multiplies_each(calls, reader, copy, arg) ||
		                       orders_columns(calls, reader, copy, arg) ||
		                       orders_rows_for_attention(calls, reader, copy, arg) ||
		                       (copy->layout == WEIR_LAYOUT_PERMUTED &&
		                        weir_heads_follow_query(calls, copy->call))
		               ? USE_TAKES
		               : USE_NEEDS;
	if (orders_columns(calls, reader, copy, arg))
		return USE_TAKES;
	if (copy->layout == WEIR_LAYOUT_COLUMNS)
		return USE_NEEDS;
	if (copy->layout == WEIR_LAYOUT_WINDOWS && call->family == WEIR_FAMILY_ELEMENTWISE)
		return changes_in_place(weir_op_calls_name(calls, call)) ? USE_NEEDS : USE_TAKES;
	return takes_strides(calls, call) ? USE_PASSES : USE_NEEDS;
}

/* Host rows before an operator among which a part of its tensor is taken: Python takes it before it
 * computes what is added to it. */
#define PART_WITHIN 32

/* True if the call changes a part of a tensor of the size of the copy. */
static bool changes_part(const struct weir_op_calls *calls, const struct weir_op_call *call,
                         const struct weir_layout_copy *copy)
{
	static const char *const parts[] = {"slice", "select", "narrow", NULL};
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	uint32_t outer = weir_timeline_outermost_op(timeline, call->op);
	const char *name = outer == WEIR_NONE ? "" : weir_timeline_host_name(timeline, outer);

	if (!changes_in_place(name))
		return false;
	for (uint32_t back = 1; back <= PART_WITHIN && back <= outer; back++) {
		struct weir_args args;

		if (weir_op_is_one_of(
			    weir_op_plain_name(weir_timeline_host_name(timeline, outer - back)),
			    parts) &&
		    weir_advisor_args(calls->advisor, outer - back, &args) &&
		    args.items[0].elements == copy->elements &&
		    args.items[0].element.dtype == copy->dtype)
			return true;
	}
	return false;
}

/* Returns the use of a copy that changes nothing: its readers take the source, unless one of them
 * changes it. */
static enum use use_of_clone(const char *name, enum use before)
{
	return changes_in_place(name) || before == USE_NEEDS ? USE_NEEDS : USE_TAKES;
}

/* True if the product's matrices have `columns` columns and as many elements as the copy. */
static bool results_in(const struct weir_op_calls *calls, const struct weir_op_call *call,
                       const struct weir_layout_copy *copy, int64_t columns)
{
	static const char *const names[] = {"mm", "bmm", "addmm", "baddbmm", NULL};
	const struct weir_reuse *sizes = &call->work.reuse;

	return call->work.product && weir_op_is_one_of(weir_op_calls_name(calls, call), names) &&
	       sizes->n == (double)columns && sizes->m * sizes->n * sizes->batch == copy->elements;
}

/* True if the call is a product that can write its result in the layout of the copy: with rows and
 * columns exchanged, as (A B)^T = B^T A^T, or with the batch behind the rows. Libraries take and
 * write either order: 32 products of 128 x 128 x 8192 in fp16 took 45 us on an H100, and 46.5 us as
 * one product with exchanged factors; see takes_batches() for the other. */
static bool writes_layout(const struct weir_op_calls *calls, const struct weir_op_call *call,
                          const struct weir_layout_copy *copy)
{
	const int64_t *end = &copy->dims[copy->rank];

	if (copy->layout == WEIR_LAYOUT_TRANSPOSED)
		return results_in(calls, call, copy, end[-2]);
	return copy->whole_rows && has_one_batch(copy) && results_in(calls, call, copy, end[-1]) &&
	       call->work.reuse.batch == (double)end[-2] && call->work.reuse.m == (double)end[-3];
}

/* True if the copy changes the layout of a product's result, behind pointwise operators or not, to
 * one in which the product can write it. */
static bool turns_product(const struct weir_op_calls *calls, const struct weir_layout_copy *copy)
{
	if ((copy->layout != WEIR_LAYOUT_TRANSPOSED && copy->layout != WEIR_LAYOUT_PERMUTED) ||
	    copy->rank < 2)
		return false;
	for (size_t back = 1; back <= USED_WITHIN && back <= copy->call; back++) {
		const struct weir_op_call *call = &calls->items[copy->call - back];
		struct weir_args args;

		if (writes_layout(calls, call, copy))
			return true;
		if (!weir_op_calls_args(calls, call, &args) ||
		    (argument_like(&args, copy) && call->family != WEIR_FAMILY_ELEMENTWISE))
			return false;
	}
	return false;
}

/* The calls that read a copy. */
struct readers {
	size_t first, last;
};

/* Returns the argument of the call that is the copy; NULL: it does not read the copy. */
static const struct weir_arg *argument_of(const struct weir_op_calls *calls,
                                          const struct weir_op_call *call,
                                          const struct weir_args *args,
                                          const struct weir_layout_copy *copy)
{
	const struct weir_arg *arg = argument_like(args, copy);

	return !arg && copy->layout == WEIR_LAYOUT_PERMUTED && is_attended(calls, call, args, copy)
	               ? weir_args_tensor(args, 0)
	               : arg;
}

/* True if the call joins the copy with other tensors. */
static bool joins(const struct weir_op_calls *calls, const struct weir_op_call *call,
                  const struct weir_layout_copy *copy)
{
	struct weir_joined_list list;

	if (!weir_joined_list_read(calls, call, &list))
		return false;
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].tensor.elements == copy->elements)
			return true;
	return false;
}

/* True if the product writes as many elements as the copy has: later readers of that many elements
 * may read its result. */
static bool hides(const struct weir_op_call *call, const struct weir_layout_copy *copy)
{
	const struct weir_reuse *sizes = &call->work.reuse;

	return call->work.product && sizes->m * sizes->n * sizes->batch == copy->elements;
}

/* Follows the copy through pointwise operators to the reader that decides. What joins repeated
 * elements with others is left to divide_product(). */
static enum use use_of(const struct weir_op_calls *calls, const struct weir_layout_copy *copy,
                       struct readers *readers)
{
	enum use use = USE_NONE;
	bool joined = false;

	*readers = (struct readers){0};

	for (size_t c = copy->call + 1; c < calls->count && c <= copy->call + USED_WITHIN; c++) {
		const struct weir_op_call *call = &calls->items[c];
		const struct weir_arg *arg;
		struct weir_args args;
		struct weir_layout_copy other;

		joined |= copy->layout == WEIR_LAYOUT_EXPANDED && joins(calls, call, copy);
		if (joined && hides(call, copy))
			return use;
		if (copy->layout == WEIR_LAYOUT_PLAIN && changes_part(calls, call, copy))
			return USE_NEEDS;
		if (!weir_op_calls_args(calls, call, &args) ||
		    !(arg = argument_of(calls, call, &args, copy)))
			continue;
		readers->first = readers->first ? readers->first : c;
		readers->last = c;
		if (weir_layout_copy_read(calls, c, &other)) {
			if (use == USE_PASSES && undoes(copy, &other))
				return USE_UNDOES;
			continue; /* of a sister tensor */
		}
		if (copy->layout == WEIR_LAYOUT_PLAIN) {
			use = use_of_clone(weir_op_calls_name(calls, call), use);
			continue;
		}
		use = use_by(calls, c, copy, arg);
		if (use != USE_PASSES)
			return use;
	}
	return use;
}

/* ---- products of joined tensors that repeat rows ---- */

/* A matrix that a call joins of tensors by their columns, some of which repeat rows, and the
 * product that reads it. Its weights can be divided: the products of the repeated tensors are
 * small, and their sum is repeated instead. */
struct joined {
	const struct weir_op_call *product;
	double rows, columns, repeated; /* repeated: columns of the tensors that repeat rows */
	size_t sums;                    /* of two results: of each such tensor, and of the rest */
	size_t copies[WEIR_MOST_JOINED], count; /* calls that only repeat rows for it */
};

/* Adds the call before `c` that made a tensor of this size by repeating elements, and that nothing
 * else reads; false: no such call. */
static bool add_repeat(const struct weir_op_calls *calls, size_t c, double elements,
                       struct joined *joined)
{
	for (size_t back = 1; back <= USED_WITHIN && back <= c; back++) {
		struct readers readers;
		bool known = false;
		struct weir_layout_copy copy;

		for (size_t i = 0; i < joined->count; i++)
			known |= joined->copies[i] == c - back;
		if (known || !weir_layout_copy_read(calls, c - back, &copy) ||
		    copy.layout != WEIR_LAYOUT_EXPANDED || copy.elements != elements)
			continue;
		if (joined->count == WEIR_MOST_JOINED || use_of(calls, &copy, &readers) != USE_NONE)
			return false;
		joined->copies[joined->count++] = c - back;
		return true;
	}
	return false;
}

/* Fills the tensors that the call joins; false: it joins none by columns, or none repeats rows. */
static bool read_joined(const struct weir_op_calls *calls, size_t c, struct joined *joined)
{
	struct weir_joined_list list;

	*joined = (struct joined){0};
	if (!weir_joined_list_read(calls, &calls->items[c], &list) ||
	    !weir_joined_by_columns(&list, &joined->rows, &joined->columns))
		return false;
	for (size_t i = 0; i < list.count; i++) {
		const struct weir_arg *x = &list.items[i].tensor;

		if (!list.items[i].expanded && !add_repeat(calls, c, x->elements, joined))
			continue;
		joined->repeated += (double)x->dims[x->rank - 1];
		joined->sums++;
	}
	joined->sums -= joined->repeated == joined->columns;
	return joined->repeated > 0;
}

/* Returns the product behind the call `c` that reads the matrix as its first reader; NULL: none. */
static const struct weir_op_call *product_of(const struct weir_op_calls *calls, size_t c,
                                             double elements)
{
	struct weir_args args;

	for (size_t next = c + 1; next < calls->count && next <= c + USED_WITHIN; next++) {
		const struct weir_op_call *reader = &calls->items[next];

		if (!weir_op_calls_args(calls, reader, &args))
			continue;
		for (size_t i = 0; i < args.count; i++) {
			const struct weir_arg *arg = weir_args_tensor(&args, i);

			if (arg && arg->elements == elements)
				return reader->work.product && reader->work.reuse.m > 0 ? reader
				                                                        : NULL;
		}
	}
	return NULL;
}

/* Returns the time of the product with the columns that are not repeated; NAN: not known. */
static double rest_ns(const struct weir_advisor *advisor, const struct joined *joined)
{
	double share = joined->repeated / joined->columns;
	struct weir_product p;

	if (joined->repeated == joined->columns)
		return 0;
	if (!weir_product_read(advisor, joined->product->first_job, &p) ||
	    p.kind != WEIR_PRODUCT_MATRIX || p.k != joined->columns)
		return NAN;
	p.bytes -= share * (p.a_bytes + p.b_bytes);
	p.a_bytes *= 1 - share;
	p.b_bytes *= 1 - share;
	p.flops *= 1 - share;
	p.k -= joined->repeated;
	return weir_product_ns(advisor, &p, p.engine, p.dtype, p.bytes);
}

/* Returns the time of a sum of repeated tensors of the product's size; NAN: not known. */
static double repeated_sum_ns(const struct weir_advisor *advisor, const struct weir_work *product)
{
	double elements = product->reuse.m * product->reuse.n * product->reuse.batch;
	double bytes = product->bytes - product->reuse.a_bytes - product->reuse.b_bytes;
	double ns = weir_indexed_ns(advisor, elements);

	return isnan(ns) ? NAN : fmax(ns, fmax(bytes, 0) / advisor->bandwidth * 1e9);
}

/* ---- the fix ---- */

struct total {
	size_t copies, pairs, turned;
	double turned_ns; /* that turning the operands of copies saves */
	double pairs_ns,
		sums_ns; /* of joined pairs with their products, and of what replaces them */
	double copies_ns;
	double reads_ns;            /* of readers that read less */
	struct weir_intervals host; /* time of copying operators */
	struct weir_caches caches;
	struct weir_divisions divisions;
	struct weir_paddings paddings;
	struct weir_messages messages;
	struct weir_unfolds unfolds;
	struct weir_reorders reorders;
	struct weir_stacks stacks;
	struct weir_detours detours;
	struct weir_rejoins rejoins;
};

/* Notes the host time of the copying operator around a call. The one before the step's first call
 * lies at the end of the program, on the way to the next step: it is removed at once. */
static void note_host(struct weir_draft *draft, const struct weir_op_call *call,
                      struct total *total)
{
	const struct weir_program *program = &draft->program;
	const struct weir_timeline *timeline = &program->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	uint32_t outer = weir_timeline_outermost_op(timeline, call->op);
	uint32_t launch = program->issues[call->first_issue].call;
	struct weir_issue *last = &draft->program.issues[program->issue_count - 1];

	if (outer == WEIR_NONE || launch == WEIR_NONE ||
	    !weir_layout_copies(weir_timeline_host_name(timeline, outer)))
		return;
	if (call->first_issue == 0 && last->kind == WEIR_ISSUE_INPUT)
		last->dispatch_ns =
			fmax(0, last->dispatch_ns - (double)weir_span_ns(host->start_ns[outer],
		                                                         host->start_ns[launch]));
	weir_intervals_push(&total->host, host->start_ns[outer], host->end_ns[outer]);
}

/* Least share of the bandwidth that a kernel reaches if the memory limits it: with less, something
 * else does, and it takes as long for fewer bytes. One reduction at 0.32 kept its time when it read
 * an eighth of the bytes, while attention of decoding at 0.9 and more gets faster; the limit lies
 * between them. */
#define LIMITED_SHARE 0.5

/* Returns the least time of the reader of repeated elements, whatever bytes it reads: a product
 * still has its FLOPs, and a pointwise kernel then computes the place of each element. */
static double least_ns(const struct weir_draft *draft, const struct weir_op_calls *calls,
                       const struct weir_layout_copy *copy, const struct weir_op_call *call)
{
	const struct weir_job *job = &draft->program.jobs[call->longest_job];
	struct weir_product p;
	double ns;

	if (call->family == WEIR_FAMILY_ELEMENTWISE) {
		ns = weir_indexed_ns(draft->advisor, copy->elements);
		if (isnan(ns))
			return WEIR_SHORTEST_KERNEL_NS;
		/* Without wide accesses it does so already. */
		return strstr(weir_advisor_kernel(draft->advisor, job), "vectorized")
		               ? ns
		               : fmin(ns, call->ns);
	}
	if (!weir_product_read(calls->advisor, call->first_job, &p) ||
	    p.kind != WEIR_PRODUCT_MATRIX)
		return WEIR_SHORTEST_KERNEL_NS;
	ns = weir_product_ns(draft->advisor, &p, p.engine, p.dtype, p.bytes - copy->extra_bytes);
	return isnan(ns) ? WEIR_SHORTEST_KERNEL_NS : fmin(ns, call->ns);
}

/* Changes the time of the reader of a copy that repeats elements: it reads each of them once. */
static void read_once(struct weir_draft *draft, const struct weir_op_calls *calls,
                      const struct weir_layout_copy *copy, size_t reader, struct total *total)
{
	const struct weir_op_call *call = &calls->items[reader];
	const struct weir_assessment *assessment =
		weir_advisor_assessment(draft->advisor, &draft->program.jobs[call->longest_job]);
	double ns, now_ns = 0, bytes = call->work.bytes;

	for (uint32_t j = call->first_job; j < call->end_job; j++)
		now_ns += draft->program.jobs[j].ns;
	if (!assessment || assessment->roofline.roofline != WEIR_ROOFLINE_MEMORY ||
	    !(bytes > copy->extra_bytes) ||
	    bytes < LIMITED_SHARE * draft->advisor->bandwidth * call->ns / 1e9)
		return;
	ns = fmax(now_ns - call->ns * copy->extra_bytes / bytes,
	          least_ns(draft, calls, copy, call));
	weir_op_call_set(draft, call, ns, fmin(ns, call->ns), fmax(ns, call->ns));
	total->reads_ns += now_ns - ns;
}

/* Lengthens a pointwise kernel that reads the source beside a tensor in the layout of the copy: it
 * computes the place of each element. */
static void read_by_index(struct weir_draft *draft, const struct weir_op_calls *calls,
                          const struct weir_layout_copy *copy, size_t reader, struct total *total)
{
	const struct weir_op_call *call = &calls->items[reader];
	double ns = weir_indexed_ns(draft->advisor, copy->elements);
	struct weir_args args;

	if (!weir_op_calls_args(calls, call, &args) ||
	    weir_arguments_like(&args, copy->elements, copy->dtype) < 2 || !(ns > call->ns))
		return;
	weir_op_call_set(draft, call, ns, call->ns, ns);
	total->reads_ns -= ns - call->ns;
}

/* Turns the operands of the operator that wrote the copy's source in place of the source. */
static void turn_before(struct weir_draft *draft, const struct weir_op_calls *calls,
                        const struct weir_layout_copy *copy, struct total *total)
{
	const struct weir_op_call *call = &calls->items[copy->call];
	double share = weir_spread_before(calls, copy->call, copy->elements, copy->dtype);
	double ns = fmax(WEIR_SHORTEST_KERNEL_NS, share * call->ns);

	if ((copy->layout != WEIR_LAYOUT_TRANSPOSED && copy->layout != WEIR_LAYOUT_PERMUTED) ||
	    !(share < 1) || !(ns < call->ns))
		return;
	weir_op_call_set(draft, call, ns, ns, fmin(call->ns, 2 * ns));
	total->turned++;
	total->turned_ns += call->ns - ns;
}

static void avoid_copy(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                       uint8_t *gone, struct total *total)
{
	struct readers readers;
	struct weir_layout_copy copy;
	enum use use;

	if (gone[c]) {
		use = USE_TAKES;
	} else if (!weir_layout_copy_read(calls, c, &copy)) {
		return;
	} else {
		use = use_of(calls, &copy, &readers);
		if (use != USE_TAKES && turns_product(calls, &copy))
			use = USE_TAKES;
		if (use == USE_UNDOES)
			gone[readers.last] = 1;
		if ((use == USE_TAKES || use == USE_PASSES) && copy.extra_bytes > 0)
			read_once(draft, calls, &copy, readers.last, total);
		else if (use == USE_PASSES)
			read_by_index(draft, calls, &copy, readers.first, total);
	}
	if (use == USE_NEEDS)
		turn_before(draft, calls, &copy, total);
	if (use == USE_NONE || use == USE_NEEDS)
		return;
	if (!gone[c] && use == USE_TAKES)
		total->reads_ns -= add_bias(draft, calls, readers.last, &copy);
	note_host(draft, &calls->items[c], total);
	weir_op_call_remove(draft, &calls->items[c]);
	total->copies++;
	total->copies_ns += calls->items[c].ns;
}

/* Divides the product of joined tensors that repeat rows, and adds the results of its parts by
 * repeating them; false: no such product, or it takes no less time. */
static bool divide_product(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                           struct total *total)
{
	struct joined joined;
	double ns, before_ns = calls->items[c].ns;

	if (!read_joined(calls, c, &joined) ||
	    !(joined.product = product_of(calls, c, joined.rows * joined.columns)))
		return false;
	before_ns += joined.product->ns;
	for (size_t i = 0; i < joined.count; i++)
		before_ns += calls->items[joined.copies[i]].ns;
	ns = 2 * WEIR_SHORTEST_KERNEL_NS +
	     (double)joined.sums * repeated_sum_ns(draft->advisor, &joined.product->work) +
	     rest_ns(draft->advisor, &joined);
	if (!(ns < before_ns))
		return false;
	for (size_t i = 0; i < joined.count; i++) {
		note_host(draft, &calls->items[joined.copies[i]], total);
		weir_op_call_remove(draft, &calls->items[joined.copies[i]]);
	}
	weir_op_call_remove(draft, &calls->items[c]);
	weir_op_call_set(draft, joined.product, ns, ns / 1.5, fmin(1.5 * ns, before_ns));
	total->pairs++;
	total->pairs_ns += before_ns;
	total->sums_ns += ns;
	return true;
}

static void explain_copies(struct weir_draft *draft, const struct total *total)
{
	if (total->pairs > 0 && total->copies + total->caches.found == 0) {
		weir_draft_basis(draft,
		                 "%zu products of joined, repeated tensors divided: sums of their "
		                 "parts in %.0f us instead of %.0f us",
		                 total->pairs, total->sums_ns / 1e3, total->pairs_ns / 1e3);
		return;
	}
	if (total->turned > 0) {
		weir_draft_basis(
			draft,
			"%zu copies of results that repeat smaller operands take %.0f us "
			"less, as the operands are turned in their place; without %zu "
			"other copies and caches of %.0f us",
			total->turned, total->turned_ns / 1e3,
			total->copies + total->pairs + total->caches.found,
			(total->copies_ns + total->caches.ns + total->pairs_ns - total->sums_ns) /
				1e3);
		return;
	}
	weir_draft_basis(draft,
	                 "without %zu copies of %.0f us whose readers take the source, %.0f us %s "
	                 "to read, and %zu caches (%.0f us) of which only the new rows are written",
	                 total->copies + total->pairs,
	                 (total->copies_ns + total->pairs_ns - total->sums_ns) / 1e3,
	                 fabs(total->reads_ns) / 1e3, total->reads_ns < 0 ? "more" : "less",
	                 total->caches.found, total->caches.ns / 1e3);
}

static void explain(struct weir_draft *draft, const struct total *total)
{
	size_t copies = total->copies + total->caches.found + total->pairs + total->turned;

	weir_draft_basis(draft, "%s", "");
	if (copies > 0)
		explain_copies(draft, total);
	weir_divisions_explain(draft, &total->divisions);
	weir_paddings_explain(draft, &total->paddings);
	weir_messages_explain(draft, &total->messages);
	weir_unfolds_explain(draft, &total->unfolds);
	weir_reorders_explain(draft, &total->reorders);
	weir_stacks_explain(draft, &total->stacks);
	weir_detours_explain(draft, &total->detours);
	weir_rejoins_explain(draft, &total->rejoins);
}

bool weir_fix_avoid_copies(struct weir_draft *draft)
{
	const struct weir_op_calls *calls = weir_op_calls_of(draft->advisor);
	struct total total = {0};
	uint8_t *gone;

	gone = weir_alloc(calls->count + 1);
	for (size_t c = 0; c < calls->count; c++) {
		avoid_copy(draft, calls, c, gone, &total);
		if (!divide_product(draft, calls, c, &total))
			weir_divisions_make(draft, calls, c, &total.divisions);
	}
	weir_intervals_unite(&total.host);
	weir_host_spans_remove(draft, &total.host);
	weir_intervals_release(&total.host);
	weir_caches_shorten(draft, calls, &total.caches);
	weir_paddings_remove(draft, calls, &total.paddings);
	weir_messages_join(draft, calls, &total.messages);
	weir_unfolds_join(draft, calls, &total.unfolds);
	weir_reorders_shorten(draft, calls, &total.reorders);
	weir_stacks_replace(draft, calls, &total.stacks);
	weir_detours_remove(draft, calls, &total.detours);
	weir_rejoins_make(draft, calls, &total.rejoins);
	free(gone);
	explain(draft, &total);
	return total.copies + total.caches.found + total.pairs + total.turned +
	               total.divisions.found + total.paddings.found + total.messages.found +
	               total.unfolds.found + total.reorders.found + total.stacks.sums +
	               total.stacks.windows + total.stacks.blocks + total.detours.found +
	               total.rejoins.found >
	       0;
}
