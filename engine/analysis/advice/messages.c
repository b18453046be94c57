/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/messages.h"

/* A result that is as long as the messages has one for each row, and nothing is summed. */
#define FEWEST_PER_ROW 2.0
/* Operators between the gather and the sum: scalings, and one that sets the result to zero. */
#define MOST_BETWEEN 4
/* Memory is read in sectors of 32 bytes (CUDA programming guide, "Device Memory Accesses"). */
#define SECTOR_BYTES 32.0
/* An index of an edge, and the number that scales it. */
#define EDGE_BYTES 12.0

/* A chain, from its gather to its sum. */
struct chain {
	size_t first, last;           /* calls */
	double elements;              /* of all messages */
	double edges;                 /* messages */
	double width;                 /* bytes of an element */
	double result_bytes;          /* that the sum writes */
	size_t removed[MOST_BETWEEN]; /* calls between both that go */
	size_t removed_count;
};

static const char *const gathers[] = {"index", "index_select", NULL};
static const char *const sums[] = {"index_add_", "scatter_add_", NULL};
static const char *const scalings[] = {"mul", "mul_", "div", "div_", NULL};
static const char *const settings[] = {"fill_", "zero_", NULL};

static bool is_float(const struct weir_arg *x)
{
	enum weir_dtype dtype = x->element.dtype;

	return dtype == WEIR_DTYPE_FP32 || dtype == WEIR_DTYPE_BF16 || dtype == WEIR_DTYPE_FP16;
}

static bool is_one_of(const struct weir_op_calls *calls, size_t c, const char *const *names)
{
	return weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), names);
}

/* Fills the messages that a sum by index adds to rows of its first argument: index_add_(x, dim,
 * index, messages, alpha), scatter_add_(x, dim, index, messages). False: the sum is no sum of
 * rows, or its arguments are not recorded. */
static bool read_sum(const struct weir_op_calls *calls, size_t c, struct chain *out)
{
	const struct weir_arg *x, *messages;
	struct weir_args args;
	int64_t dim = 0;

	if (!is_one_of(calls, c, sums) || !weir_op_calls_args(calls, &calls->items[c], &args) ||
	    !(x = weir_args_tensor(&args, 0)) || !(messages = weir_args_tensor(&args, 3)))
		return false;
	weir_args_int(&args, 1, &dim);
	if (dim != 0 || !is_float(messages) || messages->rank < 2 || messages->rank != x->rank ||
	    messages->dims[0] < 1 ||
	    (double)messages->dims[0] < FEWEST_PER_ROW * (double)x->dims[0])
		return false;
	*out = (struct chain){.last = c,
	                      .elements = messages->elements,
	                      .edges = (double)messages->dims[0],
	                      .width = messages->element.width,
	                      .result_bytes = x->elements * x->element.width};
	return true;
}

/* True if the call scales the messages by numbers of their edges: its other tensor is a part as
 * large. A tensor as large as the messages is no factor of a sparse matrix. */
static bool scales(const struct weir_op_calls *calls, size_t c, const struct chain *chain)
{
	const struct weir_arg *x, *by;
	struct weir_args args;

	if (!is_one_of(calls, c, scalings) || !weir_op_calls_args(calls, &calls->items[c], &args) ||
	    !(x = weir_args_tensor(&args, 0)) || x->elements != chain->elements)
		return false;
	by = weir_args_tensor(&args, 1);
	return !by || by->elements < x->elements;
}

/* True if the call gathers rows, one for each message: of a table that has fewer of them.
 * index_select(x, dim, index) records its index, index(x, indices) does not. */
static bool gathers_messages(const struct weir_op_calls *calls, size_t c, const struct chain *chain)
{
	const struct weir_arg *table, *index;
	struct weir_args args;
	int64_t dim = 0;

	if (!is_one_of(calls, c, gathers) || !weir_op_calls_args(calls, &calls->items[c], &args))
		return false;
	index = weir_args_tensor(&args, 2);
	weir_args_int(&args, 1, &dim);
	return dim == 0 && (!index || index->elements == chain->edges) &&
	       (table = weir_args_tensor(&args, 0)) && is_float(table) && table->rank >= 2 &&
	       table->dims[0] > 0 &&
	       table->elements / (double)table->dims[0] == chain->elements / chain->edges &&
	       (double)table->dims[0] * FEWEST_PER_ROW <= chain->edges;
}

/* Fills the chain that ends with the call; false: none does. */
static bool chain_to(const struct weir_op_calls *calls, size_t last, struct chain *out)
{
	if (!read_sum(calls, last, out))
		return false;
	for (size_t c = last; c-- > 0 && last - c <= MOST_BETWEEN + 1;) {
		if (gathers_messages(calls, c, out)) {
			out->first = c;
			return true;
		}
		if (out->removed_count == MOST_BETWEEN ||
		    (!scales(calls, c, out) && !is_one_of(calls, c, settings)))
			return false;
		out->removed[out->removed_count++] = c;
	}
	return false;
}

/* Returns the time of the product with a sparse matrix: a row for each edge, from the cache or not,
 * the edge itself, and the result once. NAN: a rate is not known. */
static double product_ns(const struct weir_advisor *advisor, const struct chain *chain)
{
	double row_bytes = chain->elements / chain->edges * chain->width;
	double sectors = ceil(row_bytes / SECTOR_BYTES);

	return weir_advisor_kernel_ns(
		advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_FP32,
		chain->edges * (sectors * SECTOR_BYTES + EDGE_BYTES) + chain->result_bytes, 1);
}

/* The product takes the time by its bytes up to what a second pass over its rows would add. */
#define SLOWEST_PRODUCT 2.0

static void join(struct weir_draft *draft, const struct weir_op_calls *calls,
                 const struct chain *chain, struct weir_messages *sum)
{
	const struct weir_op_call *last = &calls->items[chain->last];
	double now_ns = last->ns + calls->items[chain->first].ns;
	double ns = product_ns(draft->advisor, chain);

	for (size_t i = 0; i < chain->removed_count; i++)
		now_ns += calls->items[chain->removed[i]].ns;
	if (!(ns < now_ns))
		return;
	weir_op_call_remove(draft, &calls->items[chain->first]);
	for (size_t i = 0; i < chain->removed_count; i++)
		weir_op_call_remove(draft, &calls->items[chain->removed[i]]);
	weir_op_call_set(draft, last, ns, ns, fmin(SLOWEST_PRODUCT * ns, now_ns));
	sum->found++;
	sum->before_ns += now_ns;
	sum->after_ns += ns;
}

void weir_messages_join(struct weir_draft *draft, const struct weir_op_calls *calls,
                        struct weir_messages *sum)
{
	for (size_t c = 0; c < calls->count; c++) {
		struct chain chain;

		if (chain_to(calls, c, &chain))
			join(draft, calls, &chain, sum);
	}
}

void weir_messages_explain(struct weir_draft *draft, const struct weir_messages *sum)
{
	if (sum->found > 0)
		weir_text_printf(&draft->basis,
		                 "%s%zu sums of messages along edges as products with a sparse "
		                 "matrix that is prepared once: a row for each edge is read and "
		                 "each result written in %.0f us instead of %.0f us",
		                 draft->basis.length > 0 ? "; " : "", sum->found,
		                 sum->after_ns / 1e3, sum->before_ns / 1e3);
}
