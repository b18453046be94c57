/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/detours.h"
#include "engine/analysis/advice/host_spans.h"

/* Calls behind the first copy among which the second one is sought: those of a layer. */
#define BACK_WITHIN 32
/* Sizes of tensors between both. */
#define MOST_SIZES 8

/* A copy of rows in another order: one call, or one for each dimension, as roll() makes. */
struct order {
	size_t end; /* the call behind its last one */
	const char *name;
	int rank;
	int64_t dims[WEIR_MAX_RANK];      /* of the tensor */
	int64_t places[2][WEIR_MAX_INTS]; /* dimensions; of roll() shifts before them */
	size_t counts[2];
	double rows;
};

/* Reads the dimensions that the copy turns; false: the last one is among them. */
static bool read_turned(const struct weir_args *args, size_t at, struct order *out)
{
	int64_t *dims = out->places[1];

	if (!weir_args_ints(args, at, dims, &out->counts[1]))
		return false;
	for (size_t i = 0; i < out->counts[1]; i++) {
		dims[i] += dims[i] < 0 ? out->rank : 0;
		if (dims[i] < 0 || dims[i] >= out->rank - 1)
			return false;
	}
	return out->counts[1] > 0;
}

/* Fills the order in which one call copies rows; false: it is another call. */
static bool read_call(const struct weir_op_calls *calls, size_t c, struct order *out)
{
	const struct weir_op_call *call = &calls->items[c];
	const char *name = weir_op_calls_name(calls, call);
	bool flips = strcmp(name, "flip") == 0;
	const struct weir_arg *x;
	struct weir_args args;

	if ((!flips && strcmp(name, "roll") != 0) || !weir_op_calls_args(calls, call, &args) ||
	    !(x = weir_args_tensor(&args, 0)) || x->rank < 2 || x->dims[x->rank - 1] < 1)
		return false;
	*out = (struct order){.name = name, .rank = x->rank};
	memcpy(out->dims, x->dims, sizeof out->dims);
	out->rows = x->elements / (double)x->dims[x->rank - 1];
	if (!flips && (!weir_args_ints(&args, 1, out->places[0], &out->counts[0])))
		return false;
	return read_turned(&args, flips ? 1 : 2, out) &&
	       (flips || out->counts[0] == out->counts[1]);
}

/* Returns true if both copy a tensor of the same sizes by the same function. */
static bool same_kind(const struct order *first, const struct order *second)
{
	if (strcmp(first->name, second->name) != 0 || first->rank != second->rank)
		return false;
	for (int d = 0; d < first->rank - 1; d++)
		if (first->dims[d] != second->dims[d])
			return false;
	return true;
}

/* True if the second copy undoes the first, of rows of any length. */
static bool undoes(const struct order *first, const struct order *second)
{
	if (!same_kind(first, second) || first->counts[1] != second->counts[1])
		return false;
	for (size_t i = 0; i < first->counts[1]; i++)
		if (first->places[1][i] != second->places[1][i])
			return false;
	for (size_t i = 0; i < first->counts[0]; i++)
		if (first->places[0][i] != -second->places[0][i])
			return false;
	return true;
}

/* Appends the dimensions of a call to those of the calls before it; false: they are too many. */
static bool append(struct order *order, const struct order *next)
{
	if (order->counts[1] + next->counts[1] > WEIR_MAX_INTS)
		return false;
	for (size_t p = 0; p < 2; p++) {
		memcpy(order->places[p] + order->counts[p], next->places[p],
		       next->counts[p] * sizeof *next->places[p]);
		order->counts[p] += next->counts[p];
	}
	return true;
}

/* Fills the order in which the calls from `c` on copy rows in at most `most` dimensions, without a
 * call between them; false: the first one is another call. */
static bool read_order(const struct weir_op_calls *calls, size_t c, size_t most, struct order *out)
{
	struct order next;

	if (!read_call(calls, c, out))
		return false;
	out->end = c + 1;
	while (out->end < calls->count && out->counts[1] < most &&
	       read_call(calls, out->end, &next) && same_kind(out, &next) &&
	       next.dims[next.rank - 1] == out->dims[out->rank - 1] && !undoes(out, &next) &&
	       append(out, &next))
		out->end++;
	return true;
}

static bool has_rows(const struct weir_arg *arg, double rows)
{
	return arg->rank >= 2 && arg->dims[arg->rank - 1] > 0 &&
	       arg->elements / (double)arg->dims[arg->rank - 1] == rows;
}

/* Returns the number of arguments that have as many rows. */
static size_t arguments_of_rows(const struct weir_args *args, double rows)
{
	size_t found = 0;

	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		found += arg && has_rows(arg, rows);
	}
	return found;
}

/* The tensors between both copies, by their elements. */
struct between {
	double rows, sizes[MOST_SIZES];
	size_t count;
};

/* True if an argument has the elements of a tensor between both copies, in other rows. */
static bool divides_rows(const struct weir_args *args, const struct between *between)
{
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		for (size_t s = 0; arg && s < between->count; s++)
			if (arg->elements == between->sizes[s] && !has_rows(arg, between->rows))
				return true;
	}
	return false;
}

/* Adds the result of a product; others have the size of their tensor. */
static void add_result(const struct weir_op_call *call, struct between *between)
{
	if (call->work.product && between->count < MOST_SIZES)
		between->sizes[between->count++] = call->work.reuse.m * call->work.reuse.n;
}

/* True if the operator computes each row of its only tensor of that many rows from that row, and
 * from what all rows share. */
static bool keeps_rows_apart(const struct weir_op_calls *calls, const struct weir_op_call *call,
                             const struct weir_args *args, double rows)
{
	static const char *const norms[] = {"native_layer_norm", "_fused_rms_norm", NULL};
	static const char *const products[] = {"mm", "addmm", NULL};
	const char *name = weir_op_calls_name(calls, call);

	if (call->work.product)
		return weir_op_is_one_of(name, products) && call->work.reuse.m == rows &&
		       call->work.reuse.n != rows;
	if (weir_op_is_one_of(name, norms))
		return true;
	if (call->family != WEIR_FAMILY_ELEMENTWISE)
		return false;
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		/* Numbers of single rows or columns would need the order. */
		if (arg && arg->rank >= 2 && arg->elements != (double)arg->dims[arg->rank - 1] &&
		    arg->elements / (double)arg->dims[arg->rank - 1] != rows)
			return false;
	}
	return true;
}

/* Returns the first call of those that undo the order, and fills theirs; 0: none, or something
 * between them needs the order. */
static size_t undone_by(const struct weir_op_calls *calls, const struct order *order,
                        struct order *other)
{
	struct between between = {.rows = order->rows, .count = 1};
	bool read = false;

	between.sizes[0] = order->rows * (double)order->dims[order->rank - 1];
	for (size_t i = order->end; i < calls->count && i < order->end + BACK_WITHIN; i++) {
		const struct weir_op_call *call = &calls->items[i];
		struct weir_args args;
		size_t found;

		/* Behind those of this order, the next layer's may follow at once. */
		if (read_order(calls, i, order->counts[1], other))
			return read && undoes(order, other) ? i : 0;
		if (!weir_op_calls_args(calls, call, &args))
			continue;
		if (divides_rows(&args, &between))
			return 0;
		if ((found = arguments_of_rows(&args, order->rows)) == 0)
			continue;
		/* Two tensors of that many rows may be in different orders. */
		if (found > 1 || !keeps_rows_apart(calls, call, &args, order->rows))
			return 0;
		add_result(call, &between);
		read = true;
	}
	return 0;
}

static void remove_calls(struct weir_draft *draft, const struct weir_op_calls *calls, size_t first,
                         size_t end, struct weir_intervals *host, struct weir_detours *sum)
{
	const struct weir_timeline *timeline = &draft->program.rank->timeline;

	for (size_t c = first; c < end; c++) {
		const struct weir_op_call *call = &calls->items[c];
		uint32_t outer = weir_timeline_outermost_op(timeline, call->op);

		sum->before_ns += call->ns;
		weir_op_call_remove(draft, call);
		if (outer != WEIR_NONE)
			weir_intervals_push(host, timeline->trace->host.start_ns[outer],
			                    timeline->trace->host.end_ns[outer]);
	}
}

void weir_detours_remove(struct weir_draft *draft, const struct weir_op_calls *calls,
                         struct weir_detours *sum)
{
	struct weir_intervals host = {0};

	for (size_t c = 0; c < calls->count; c++) {
		struct order order, other;
		size_t back;

		if (!read_order(calls, c, WEIR_MAX_INTS, &order) ||
		    !(back = undone_by(calls, &order, &other)))
			continue;
		remove_calls(draft, calls, c, order.end, &host, sum);
		remove_calls(draft, calls, back, other.end, &host, sum);
		sum->found++;
		c = other.end - 1;
	}
	weir_intervals_unite(&host);
	weir_host_spans_remove(draft, &host);
	weir_intervals_release(&host);
}

void weir_detours_explain(struct weir_draft *draft, const struct weir_detours *sum)
{
	if (sum->found > 0)
		weir_text_printf(&draft->basis,
		                 "%swithout %zu pairs of copies (%.0f us) that put rows in another "
		                 "order and back: the operators between them take each row alone",
		                 draft->basis.length > 0 ? "; " : "", sum->found,
		                 sum->before_ns / 1e3);
}
