/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/joined_lists.h"
#include "engine/analysis/advice/rejoins.h"

/* Calls of a part, its copy among them, at most: those of a small network. */
#define MOST_CALLS 6

/* Parts of a tensor, and the call that joins what is computed of them. */
struct parts {
	size_t first, calls, count; /* calls: of each part */
	size_t join;
	struct weir_joined_list list;
};

/* True if the call copies a part of a tensor: its source has gaps, and elements in the order of the
 * copy. */
static bool copies_part(const struct weir_op_calls *calls, size_t c, struct weir_arg *source)
{
	const struct weir_arg *to, *from;
	struct weir_args args;

	if (strcmp(weir_op_calls_name(calls, &calls->items[c]), "copy_") != 0 ||
	    calls->items[c].transfers || !weir_op_calls_args(calls, &calls->items[c], &args) ||
	    !(to = weir_args_tensor(&args, 0)) || !(from = weir_args_tensor(&args, 1)) ||
	    to->elements != from->elements || to->element.dtype != from->element.dtype ||
	    !from->strided || from->rank < 2 || from->distinct < from->elements ||
	    !(from->extent > from->distinct))
		return false;
	for (int d = 1; d < from->rank; d++)
		if (from->strides[d] > from->strides[d - 1])
			return false;
	*source = *from;
	return from->strides[from->rank - 1] == 1;
}

/* True if both are parts of one tensor: only one of their dimensions, not the last, differs. */
static bool are_sisters(const struct weir_arg *a, const struct weir_arg *b, bool of_strides)
{
	int differ = 0;

	if (a->rank != b->rank || a->rank < 2 ||
	    (of_strides &&
	     (a->element.dtype != b->element.dtype ||
	      memcmp(a->strides, b->strides, (size_t)a->rank * sizeof *a->strides) != 0)))
		return false;
	for (int d = 0; d < a->rank; d++)
		differ += a->dims[d] != b->dims[d];
	return differ <= 1 && a->dims[a->rank - 1] == b->dims[b->rank - 1];
}

/* True if the call computes each row from that row and from what all rows share. */
static bool takes_rows(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	static const char *const products[] = {"mm", "addmm", NULL};
	static const char *const norms[] = {"native_layer_norm", "_fused_rms_norm", NULL};
	const char *name = weir_op_calls_name(calls, call);

	return call->work.product
	               ? weir_op_is_one_of(name, products)
	               : call->family == WEIR_FAMILY_ELEMENTWISE || weir_op_is_one_of(name, norms);
}

/* True if call `c` of a part does the same as that of the first part, with as many columns. */
static bool does_as_first(const struct weir_op_calls *calls, size_t c, size_t first)
{
	const struct weir_op_call *a = &calls->items[first], *b = &calls->items[c];

	return takes_rows(calls, b) && a->work.product == b->work.product &&
	       strcmp(weir_op_calls_name(calls, a), weir_op_calls_name(calls, b)) == 0 &&
	       (!a->work.product || (a->work.reuse.n == b->work.reuse.n &&
	                             a->work.reuse.b_bytes == b->work.reuse.b_bytes));
}

/* True if each part has its calls before the join, with a product of all its rows. */
static bool are_parts(const struct weir_op_calls *calls, const struct parts *parts)
{
	struct weir_arg first = {0}, source;

	for (size_t p = 0; p < parts->count; p++) {
		size_t c = parts->first + p * parts->calls;
		bool multiplies = false;

		if (!copies_part(calls, c, &source) ||
		    (p > 0 && (!are_sisters(&first, &source, true) ||
		               !are_sisters(&parts->list.items[0].tensor,
		                            &parts->list.items[p].tensor, false))))
			return false;
		first = p == 0 ? source : first;
		for (size_t i = 1; i < parts->calls; i++) {
			const struct weir_reuse *sizes = &calls->items[c + i].work.reuse;

			if (!does_as_first(calls, c + i, parts->first + i))
				return false;
			multiplies |=
				calls->items[c + i].work.product &&
				sizes->m * (double)source.dims[source.rank - 1] == source.elements;
		}
		if (!multiplies)
			return false;
	}
	return true;
}

/* Fills the parts that call `c` joins; false: it joins none, or others. */
static bool read_parts(const struct weir_op_calls *calls, size_t c, struct parts *out)
{
	*out = (struct parts){.join = c};
	if (!weir_joined_list_read(calls, &calls->items[c], &out->list) || out->list.count < 2)
		return false;
	out->count = out->list.count;
	for (out->calls = 2; out->calls <= MOST_CALLS; out->calls++) {
		if (c < out->calls * out->count)
			return false;
		out->first = c - out->calls * out->count;
		if (are_parts(calls, out))
			return true;
	}
	return false;
}

/* Removes a call, and notes the host time of its operator. */
static void remove_call(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                        struct weir_intervals *host)
{
	const struct weir_timeline *timeline = &draft->program.rank->timeline;
	const struct weir_host_columns *rows = &timeline->trace->host;
	uint32_t outer = weir_timeline_outermost_op(timeline, calls->items[c].op);

	weir_op_call_remove(draft, &calls->items[c]);
	if (outer != WEIR_NONE)
		weir_intervals_push(host, rows->start_ns[outer], rows->end_ns[outer]);
}

void weir_rejoins_make(struct weir_draft *draft, const struct weir_op_calls *calls,
                       struct weir_rejoins *sum)
{
	struct weir_intervals host = {0};

	for (size_t c = 0; c < calls->count; c++) {
		struct parts parts;

		if (!read_parts(calls, c, &parts))
			continue;
		for (size_t i = 0; i < parts.calls; i++) {
			double ns = 0;

			for (size_t p = 0; p < parts.count; p++) {
				size_t at = parts.first + p * parts.calls + i;

				ns += calls->items[at].ns;
				if (p > 0 || i == 0)
					remove_call(draft, calls, at, &host);
			}
			sum->before_ns += i == 0 ? ns : 0;
			/* As long as for all parts, or less, as fewer tiles are cut off. */
			if (i > 0)
				weir_op_call_set(draft, &calls->items[parts.first + i], ns,
				                 calls->items[parts.first + i].ns, ns);
		}
		sum->before_ns += calls->items[c].ns;
		remove_call(draft, calls, c, &host);
		sum->found++;
		sum->parts += parts.count;
	}
	weir_intervals_unite(&host);
	weir_host_spans_remove(draft, &host);
	weir_intervals_release(&host);
}

void weir_rejoins_explain(struct weir_draft *draft, const struct weir_rejoins *sum)
{
	if (sum->found > 0)
		weir_text_printf(&draft->basis,
		                 "%s%zu parts of %zu tensors are computed on at once, without "
		                 "copying and joining them (%.0f us)",
		                 draft->basis.length > 0 ? "; " : "", sum->parts, sum->found,
		                 sum->before_ns / 1e3);
}
