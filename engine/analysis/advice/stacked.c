/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/spread.h"
#include "engine/analysis/advice/stacked.h"

/* Calls behind a stack among which its readers are sought; a result is used soon. */
#define USED_WITHIN 16
/* Host rows before the stack for each of its tensors: a slice with its view, and unsqueeze. */
#define ROWS_OF_TENSOR 8
/* A convolution takes at most this many times as long as the product: see unfolds.c. */
#define SLOWEST_CONVOLUTION 1.5
/* Tensors that an addition in place reads and writes, and a scaling. */
#define ADDED  3.0
#define SCALED 2.0

struct stack {
	size_t tensors;
	double elements; /* of all tensors */
	int rank;        /* of each, without a dimension for the stack */
};

static int rank_of_first(const struct weir_arg *list)
{
	int rank = 0;

	while (rank < WEIR_MAX_RANK && list->dims[rank] > 0)
		rank++;
	return rank;
}

/* Fills the stack that the call makes: it joins tensors whose last dimension has one entry, along
 * that one. False: it is another call. */
static bool read_stack(const struct weir_op_calls *calls, const struct weir_op_call *call,
                       struct stack *out)
{
	const struct weir_arg *list;
	struct weir_args args;
	double first = 1;
	int64_t dim;
	int rank;

	if (strcmp(weir_op_calls_name(calls, call), "cat") != 0 ||
	    !weir_op_calls_args(calls, call, &args) || !weir_args_int(&args, 1, &dim))
		return false;
	list = weir_args_at(&args, 0);
	if (!list || list->rank >= 0 || list->list_count < 2)
		return false;
	rank = rank_of_first(list);
	if (rank < 2 || list->dims[rank - 1] != 1 || (dim != -1 && dim != rank - 1))
		return false;
	for (int d = 0; d < rank; d++)
		first *= (double)list->dims[d];
	*out = (struct stack){list->list_count, list->elements, rank - 1};
	return first * (double)list->list_count == list->elements;
}

/* Returns the argument of the call that is the stack, as a tensor or as its rows; NULL: none. */
static const struct weir_arg *argument_of(const struct weir_args *args, const struct stack *stack)
{
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (arg && arg->elements == stack->elements &&
		    arg->dims[arg->rank - 1] == (int64_t)stack->tensors)
			return arg;
	}
	return NULL;
}

/* Returns the only call behind `c` that reads the stack; NULL: none, or several. */
static const struct weir_op_call *reader_of(const struct weir_op_calls *calls, size_t c,
                                            const struct stack *stack, struct weir_args *args)
{
	const struct weir_op_call *reader = NULL;

	for (size_t i = c + 1; i < calls->count && i <= c + USED_WITHIN; i++) {
		struct weir_args other;
		struct stack next;

		if (read_stack(calls, &calls->items[i], &next) && next.elements == stack->elements)
			break;
		if (!weir_op_calls_args(calls, &calls->items[i], &other) ||
		    !argument_of(&other, stack))
			continue;
		if (reader)
			return NULL;
		reader = &calls->items[i];
		*args = other;
	}
	return reader;
}

/* True if the call multiplies each row of the stack with one vector. */
static bool weighs(const struct weir_op_calls *calls, const struct weir_op_call *call,
                   const struct weir_args *args, const struct stack *stack)
{
	static const char *const names[] = {"mv", "addmv", "addmv_", NULL};
	static const char *const products[] = {"mm", "addmm", "bmm", NULL};
	const char *name = weir_op_calls_name(calls, call);
	bool found = false;

	if (!weir_op_is_one_of(name, names) &&
	    (!weir_op_is_one_of(name, products) || call->work.reuse.n != 1))
		return false;
	for (size_t i = 0; i < args->count; i++)
		found |= weir_args_tensor(args, i) &&
		         args->items[i].elements == (double)stack->tensors;
	return found;
}

/* True if the call reduces the last dimension of the stack. */
static bool reduces(const struct weir_op_calls *calls, const struct weir_op_call *call,
                    const struct weir_args *args)
{
	static const char *const names[] = {"sum", "mean", "amax", "amin", NULL};
	int64_t dims[WEIR_MAX_INTS];
	size_t count;

	return weir_op_is_one_of(weir_op_calls_name(calls, call), names) &&
	       weir_args_tensor(args, 0) && weir_args_ints(args, 1, dims, &count) && count == 1 &&
	       (dims[0] == -1 || dims[0] == args->items[0].rank - 1);
}

/* Reads the start of the slice that the host row takes of a tensor of this rank along this
 * dimension; false: it takes none. */
static bool read_slice(const struct weir_advisor *advisor, uint32_t row, int rank, int sliced,
                       struct weir_args *args, int64_t *start)
{
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;
	int64_t dim, step;

	return strcmp(weir_timeline_host_name(timeline, row), "aten::slice") == 0 &&
	       weir_advisor_args(advisor, row, args) && weir_args_tensor(args, 0) &&
	       weir_args_int(args, 1, &dim) && weir_args_int(args, 2, start) &&
	       weir_args_int(args, 4, &step) && step == 1 && args->items[0].rank == rank &&
	       dim == sliced;
}

/* Returns by how many entries of the dimension each of the tensors, which are slices of one tensor
 * of this rank, begins behind the one before: they hold its windows. 0: they are no such slices. */
static int64_t window_move(const struct weir_op_calls *calls, size_t c, const struct stack *stack,
                           int rank, int sliced)
{
	const struct weir_advisor *advisor = calls->advisor;
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;
	uint32_t row = weir_timeline_outermost_op(timeline, calls->items[c].op);
	double elements = 0;
	int64_t after = 0, move = 0;
	size_t found = 0, most = ROWS_OF_TENSOR * stack->tensors;

	for (; row > 0 && most > 0 && found < stack->tensors; most--) {
		struct weir_args args;
		int64_t start;

		if (!read_slice(advisor, --row, rank, sliced, &args, &start))
			continue;
		if (found > 0 && args.items[0].elements != elements)
			return 0;
		if (found == 1)
			move = after - start;
		if (found > 0 && (move <= 0 || after - start != move))
			return 0;
		elements = args.items[0].elements;
		after = start;
		found++;
	}
	return found == stack->tensors ? move : 0;
}

/* Returns the time of the sums that take the place of the stack: the first one writes, or scales
 * the first tensor, and the others are added to it. */
static double sums_ns(const struct weir_advisor *advisor, const struct stack *stack, double width,
                      bool weighs)
{
	double bytes = stack->elements / (double)stack->tensors * width;
	double passes = (double)(stack->tensors - 1);

	return fmax(WEIR_SHORTEST_KERNEL_NS, ADDED * bytes / advisor->bandwidth * 1e9) * passes +
	       (weighs ? fmax(WEIR_SHORTEST_KERNEL_NS, SCALED * bytes / advisor->bandwidth * 1e9)
	               : 0);
}

/* Returns the time of a pass that adds the bias to the result of a convolution: PyTorch launches it
 * behind each, while a product adds its own. 0: the product adds none. */
static double bias_ns(const struct weir_op_calls *calls, const struct weir_op_call *product,
                      double width)
{
	const struct weir_reuse *sizes = &product->work.reuse;
	double elements = sizes->m * sizes->n * sizes->batch;

	if (strcmp(weir_op_calls_name(calls, product), "addmm") != 0)
		return 0;
	return fmax(weir_indexed_ns(calls->advisor, elements),
	            SCALED * elements * width / calls->advisor->bandwidth * 1e9);
}

static void replace(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                    struct weir_stacks *sum)
{
	const struct weir_op_call *call = &calls->items[c], *reader;
	double ns, high_ns, width;
	bool weighed, windows;
	struct weir_args args;
	struct stack stack;

	if (!read_stack(calls, call, &stack) || !(reader = reader_of(calls, c, &stack, &args)))
		return;
	width = argument_of(&args, &stack)->element.width;
	weighed = weighs(calls, reader, &args, &stack);
	windows = !weighed && reader->work.product &&
	          reader->work.reuse.m * (double)stack.tensors == stack.elements &&
	          window_move(calls, c, &stack, stack.rank, stack.rank - 1) > 0;
	if (weighed || reduces(calls, reader, &args)) {
		ns = sums_ns(draft->advisor, &stack, width, weighed);
		high_ns = ns;
	} else if (windows) {
		ns = reader->ns + bias_ns(calls, reader, width);
		high_ns = SLOWEST_CONVOLUTION * ns;
	} else {
		return;
	}
	if (!(ns < call->ns + reader->ns))
		return;
	weir_op_call_remove(draft, call);
	weir_op_call_set(draft, reader, ns, ns, fmin(high_ns, call->ns + reader->ns));
	weir_draft_add_operators(draft, reader->first_issue,
	                         windows ? 0 : (double)(stack.tensors - 1));
	sum->sums += !windows;
	sum->windows += windows;
	sum->before_ns += call->ns + reader->ns;
	sum->after_ns += ns;
}

/* Fills what the call joins if it joins parts of blocks, each with those of its neighbours: slices
 * of one tensor that begin one block apart, along the dimension behind. False: another call. */
static bool read_blocks(const struct weir_op_calls *calls, size_t c, struct stack *out)
{
	const struct weir_arg *list;
	struct weir_args args;
	int64_t dim;

	if (strcmp(weir_op_calls_name(calls, &calls->items[c]), "cat") != 0 ||
	    !weir_op_calls_args(calls, &calls->items[c], &args) || !weir_args_int(&args, 1, &dim) ||
	    !(list = weir_args_at(&args, 0)) || list->rank >= 0 || list->list_count < 2)
		return false;
	*out = (struct stack){list->list_count, list->elements, rank_of_first(list)};
	dim += dim < 0 ? out->rank : 0;
	return dim >= 1 && dim < out->rank && list->dims[dim] > 1 &&
	       window_move(calls, c, out, out->rank, (int)dim - 1) == 1;
}

/* True if attention or a product of several matrices is the first to read the joined blocks. */
static bool reads_blocks(const struct weir_op_calls *calls, size_t c, const struct stack *blocks)
{
	for (size_t i = c + 1; i < calls->count && i <= c + USED_WITHIN; i++) {
		const struct weir_op_call *call = &calls->items[i];
		struct weir_args args;

		if (!weir_op_calls_args(calls, call, &args))
			continue;
		for (size_t a = 0; a < args.count; a++)
			if (weir_args_tensor(&args, a) &&
			    args.items[a].elements == blocks->elements)
				return call->family == WEIR_FAMILY_ATTENTION ||
				       strstr(weir_op_calls_name(calls, call), "attention") ||
				       strcmp(weir_op_calls_name(calls, call), "bmm") == 0;
	}
	return false;
}

static void leave_blocks(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                         struct weir_stacks *sum)
{
	struct stack blocks;

	if (!read_blocks(calls, c, &blocks) || !reads_blocks(calls, c, &blocks))
		return;
	weir_op_call_remove(draft, &calls->items[c]);
	sum->blocks++;
	sum->before_ns += calls->items[c].ns;
}

void weir_stacks_replace(struct weir_draft *draft, const struct weir_op_calls *calls,
                         struct weir_stacks *sum)
{
	for (size_t c = 0; c < calls->count; c++) {
		replace(draft, calls, c, sum);
		leave_blocks(draft, calls, c, sum);
	}
}

static void explain_part(struct weir_draft *draft, size_t count, const char *what)
{
	if (count == 0)
		return;
	weir_text_printf(&draft->basis, "%s%zu %s", draft->basis.length > 0 ? "; " : "", count,
	                 what);
}

void weir_stacks_explain(struct weir_draft *draft, const struct weir_stacks *sum)
{
	explain_part(draft, sum->sums, "stacks as sums that add one tensor after another");
	explain_part(draft, sum->windows,
	             "stacks of windows left to convolutions in place of products");
	explain_part(draft, sum->blocks,
	             "joins of blocks with their neighbours left to readers of strided windows");
	if (sum->sums + sum->windows + sum->blocks > 0)
		weir_text_printf(&draft->basis, ": %.0f us instead of %.0f us", sum->after_ns / 1e3,
		                 sum->before_ns / 1e3);
}
