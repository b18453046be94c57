/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/operands.h"

/* ---- rows of other tensors ---- */

/* Selections before one among which the same one is sought. */
#define SELECTED_WITHIN 16
/* Views in front of a chain that are looked at. */
#define VIEWS_WITHIN 64
/* Host rows of a chain among which a selection of its first operands is sought. */
#define CHAIN_ROWS 4096

/* Marks one input of this size as a row. */
static void mark_one(struct weir_fusible *tensors, double bytes, bool *marks)
{
	for (size_t i = 0; i < tensors->in_count; i++) {
		if (tensors->fresh[i] || tensors->held[i] || tensors->known[i] || tensors->gap[i] ||
		    !weir_same_bytes(tensors->in[i], bytes))
			continue;
		marks[i] = true;
		return;
	}
}

bool weir_chain_makes(const struct weir_chain *chain, double bytes)
{
	for (size_t m = 0; m < chain->count; m++)
		if (weir_same_bytes(chain->made[m].bytes, bytes))
			return true;
	return false;
}

bool weir_chain_has_read(const struct weir_chain *chain, double bytes)
{
	for (size_t i = 0; i < chain->outside_count; i++)
		if (weir_same_bytes(chain->outside[i], bytes))
			return true;
	return false;
}

/* True if both host rows take the same part of such a tensor. */
static bool same_part(const struct weir_trace *trace, uint32_t a, uint32_t b)
{
	const struct weir_host_columns *host = &trace->host;
	const struct weir_shape *left = &trace->shapes[host->shape[a]];
	const struct weir_shape *right = &trace->shapes[host->shape[b]];

	return host->name[a] == host->name[b] && host->thread[a] == host->thread[b] &&
	       left->dims == right->dims && left->scalars == right->scalars;
}

/* True if a host row behind `first` and before `row` selects the same row of such a tensor. */
static bool selected_before(const struct weir_trace *trace, uint32_t first, uint32_t row)
{
	for (uint32_t r = row; r-- > first && r + SELECTED_WITHIN >= row;)
		if (same_part(trace, r, row))
			return true;
	return false;
}

/* Marks the result of the chain that has the size of a sliced tensor. */
static void mark_sliced(struct weir_chain *chain, const struct weir_args *args)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);

	for (size_t i = chain->count; x && i-- > 0;) {
		if (!weir_same_bytes(chain->made[i].bytes, weir_arg_bytes(x)))
			continue;
		chain->made[i].sliced = true;
		return;
	}
}

/* Returns the first of the views that the program takes just before a host row, or that row. */
static uint32_t first_view(const struct weir_timeline *timeline, uint32_t row)
{
	static const char *const views[] = {"select", "slice",   "as_strided", "unbind",
	                                    "chunk",  "split",   "narrow",     "split_with_sizes",
	                                    "view",   "permute", "transpose",  "unsqueeze",
	                                    NULL};

	for (size_t i = 0; i < VIEWS_WITHIN && row > 0; i++, row--)
		if (!weir_op_is_one_of(
			    weir_op_plain_name(weir_timeline_host_name(timeline, row - 1)), views))
			break;
	return row;
}

/* True if the chain has read this row of such a tensor. Its first operands are selected before it.
 */
static bool has_selected(const struct weir_op_calls *calls, const struct weir_chain *chain,
                         uint32_t row)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	uint32_t first = calls->items[chain->first].op;
	uint32_t last = calls->items[chain->first + chain->count - 1].op;

	if (first == WEIR_NONE || last == WEIR_NONE)
		return false;
	first = first_view(timeline, first);
	for (uint32_t r = first; r < last && r - first < CHAIN_ROWS; r++)
		if (same_part(timeline->trace, r, row))
			return true;
	return false;
}

/* Marks the input that a selection of a row makes: one of a tensor with more elements than the
 * chain has, as a loop over rows does, or of a tensor that the chain reads as a whole. */
static void mark_row(const struct weir_op_calls *calls, struct weir_chain *chain, uint32_t row,
                     const struct weir_args *args, struct weir_fusible *tensors)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t dim;

	if (!x || !weir_args_int(args, 1, &dim))
		return;
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank || x->dims[dim] <= 0)
		return;
	if (weir_chain_makes(chain, weir_arg_bytes(x)))
		mark_sliced(chain, args);
	else if (weir_chain_has_read(chain, weir_arg_bytes(x)))
		mark_one(tensors, weir_arg_bytes(x) / (double)x->dims[dim], tensors->held);
	else if (x->elements > chain->elements)
		mark_one(tensors, weir_arg_bytes(x) / (double)x->dims[dim],
		         has_selected(calls, chain, row) ? tensors->known : tensors->fresh);
}

/* True if the operator encloses another one. */
static bool encloses(const struct weir_timeline *timeline, uint32_t op, uint32_t row)
{
	do
		row = timeline->parent[row];
	while (row != WEIR_NONE && row != op);
	return row == op;
}

/* Marks the inputs of a call that are rows of other tensors, and results of the chain that are
 * sliced, by the views that the program takes between the last call of the chain and this one. */
static void mark_views(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c,
                       struct weir_fusible *tensors)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const uint32_t *thread = timeline->trace->host.thread;
	uint32_t last = calls->items[chain->first + chain->count - 1].op, op = calls->items[c].op;

	if (last == WEIR_NONE || op == WEIR_NONE || thread[last] != thread[op])
		return;
	tensors->casts = encloses(timeline, op, last);
	for (uint32_t row = last + 1; row < op; row++) {
		const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
		bool selects = strcmp(name, "select") == 0, slices = strcmp(name, "slice") == 0;
		struct weir_args args;

		if ((!selects && !slices) || !weir_advisor_args(calls->advisor, row, &args))
			continue;
		if (slices)
			mark_sliced(chain, &args);
		else if (!tensors->stores && !selected_before(timeline->trace, last + 1, row))
			mark_row(calls, chain, row, &args, tensors);
	}
}

/* ---- parts of tensors ---- */

/* Marks the tensor from which a call picks values as read, unless the chain makes it: its bytes are
 * not counted, since the scattered read keeps the time that it takes today. */
static void mark_source(const struct weir_chain *chain, struct weir_fusible *tensors)
{
	tensors->known[0] |= tensors->picks && !weir_chain_makes(chain, tensors->in[0]);
}

/* Gives tensors that are joined, and whose type is not recorded, the type of the chain's last
 * result if that is as large as one of them. */
static void set_joined(const struct weir_chain *chain, struct weir_fusible *tensors)
{
	double count = (double)tensors->in_count;
	const struct weir_made *last = &chain->made[chain->count - 1];

	if (!tensors->joins || !isnan(tensors->out_bytes) ||
	    !weir_same_bytes(last->elements, tensors->elements / count))
		return;
	for (size_t i = 0; i < tensors->in_count; i++)
		tensors->in[i] = last->bytes;
	tensors->out_bytes = count * last->bytes;
}

void weir_operands_see(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const uint32_t *thread = timeline->trace->host.thread;
	uint32_t op = calls->items[c].op, row = WEIR_NONE;

	if (op == WEIR_NONE)
		return;
	if (chain->count > 0)
		row = calls->items[chain->first + chain->count - 1].op;
	if (row == WEIR_NONE || row >= op || thread[row] != thread[op])
		row = first_view(timeline, op);
	for (; row < op; row++)
		weir_gaps_see(&chain->gaps, calls->advisor, row);
}

/* True if values of the result may have this width: a reduction has fewer than it computes. */
static bool has_width(const struct weir_made *made, double width)
{
	return made->bytes < made->elements || weir_same_bytes(made->bytes, made->elements * width);
}

struct weir_made *weir_operand_whole(struct weir_chain *chain, const struct weir_fusible *tensors,
                                     size_t i)
{
	for (size_t m = chain->count; m-- > 0;) {
		struct weir_made *made = &chain->made[m];

		if (made->gap ? made->gap == tensors->gap[i]
		              : has_width(made, tensors->arg[i].element.width) &&
		                        weir_gap_is_part(&tensors->arg[i], made->bytes))
			return made;
	}
	return NULL;
}

bool weir_operand_is_part_read(const struct weir_chain *chain, const struct weir_fusible *tensors,
                               size_t i)
{
	for (size_t o = 0; o < chain->outside_count; o++)
		if (weir_gap_is_part(&tensors->arg[i], chain->outside[o]))
			return true;
	return false;
}

void weir_operands_mark(const struct weir_op_calls *calls, struct weir_chain *chain, size_t c,
                        struct weir_fusible *tensors)
{
	mark_views(calls, chain, c, tensors);
	mark_source(chain, tensors);
	set_joined(chain, tensors);
}

void weir_operands_begin(const struct weir_chain *chain, struct weir_fusible *tensors)
{
	memset(tensors->held, 0, sizeof tensors->held);
	memset(tensors->known, 0, sizeof tensors->known);
	tensors->casts = false;
	mark_source(chain, tensors);
}
