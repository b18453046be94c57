/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/dependence.h"
#include "engine/analysis/advice/loops.h"
#include "engine/analysis/advice/unbound.h"

/* Calls behind a loop among which its results are put together. */
#define COLLECTED_WITHIN 64
/* Programs with more calls are not searched. */
#define MOST_PROGRAM_CALLS 50000

/* ---- repetition ---- */

static uint32_t token_at(const struct weir_op_calls *calls, size_t c)
{
	uint32_t op = calls->items[c].op;

	return op == WEIR_NONE ? WEIR_NONE : calls->advisor->program.rank->trace->host.name[op];
}

/* Returns the number of calls from `first` on that are like the one `period` calls later. */
static size_t repeated(const struct weir_op_calls *calls, size_t first, size_t period)
{
	size_t same = 0, most = WEIR_LOOP_MOST_TURNS * period;

	while (first + same + period < calls->count && same < most &&
	       token_at(calls, first + same) != WEIR_NONE &&
	       token_at(calls, first + same) == token_at(calls, first + same + period))
		same++;
	return same;
}

/* Returns how many times the `period` calls from `first` on follow each other. */
static size_t turns_of(const struct weir_op_calls *calls, size_t first, size_t period)
{
	return repeated(calls, first, period) / period + 1;
}

/* Returns the arguments of a host row. */
static const struct weir_shape *shape_of(const struct weir_op_calls *calls, size_t row)
{
	const struct weir_trace *trace = calls->advisor->program.rank->trace;

	return &trace->shapes[trace->host.shape[row]];
}

/* Returns true if both calls have the same shapes of arguments. */
static bool same_shapes(const struct weir_op_calls *calls, size_t a, size_t b)
{
	return shape_of(calls, calls->items[a].op)->dims ==
	       shape_of(calls, calls->items[b].op)->dims;
}

/* True if the call before continues the repetition to the front: a part of a loop is no loop. It
 * does not if its shapes differ from those that the turns have at this place: it is an operator of
 * the same name in front of the loop. */
static bool begins_earlier(const struct weir_op_calls *calls, size_t first, size_t period)
{
	size_t next = first - 1 + period;

	if (first == 0 || next >= calls->count || token_at(calls, first - 1) == WEIR_NONE ||
	    token_at(calls, first - 1) != token_at(calls, next))
		return false;
	return next + period >= calls->count ||
	       token_at(calls, next) != token_at(calls, next + period) ||
	       !same_shapes(calls, next, next + period) || same_shapes(calls, first - 1, next);
}

/* ---- the body ---- */

static const char *const gathering[] = {"index", "index_select", "masked_select", "gather", NULL};
static const char *const scattering[] = {
	"index_put_", "_index_put_impl_", "index_add_",      "index_copy_",
	"scatter_",   "scatter_add_",     "masked_scatter_", NULL};

struct body {
	size_t transfers; /* calls that are a copy between host and device, and nothing else */
	size_t products, norms, attentions, convolutions, softmaxes;
	bool sigmoid, tanh; /* the gates of a recurrent cell */
	bool cell;          /* the gates in one kernel */
};

static struct body body_of(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct body body = {0};

	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		const struct weir_op_call *call = &calls->items[c];
		const char *name = weir_op_calls_name(calls, call);

		body.transfers += call->transfers && call->end_job == call->first_job + 1;
		body.norms += call->family == WEIR_FAMILY_NORM || strstr(name, "norm") != NULL;
		body.attentions += call->family == WEIR_FAMILY_ATTENTION;
		body.convolutions += call->family == WEIR_FAMILY_CONVOLUTION;
		body.softmaxes += call->family == WEIR_FAMILY_SOFTMAX;
		body.products += call->work.product && call->family != WEIR_FAMILY_ATTENTION;
		body.sigmoid |= strncmp(name, "sigmoid", 7) == 0;
		body.tanh |= strncmp(name, "tanh", 4) == 0;
		/* PyTorch: _thnn_fused_gru_cell, _thnn_fused_lstm_cell */
		body.cell |= strncmp(name, "_thnn_fused_", 12) == 0;
	}
	return body;
}

/* True if such a body needs the result of the one before: a layer of a model, or a recurrent
 * cell. */
static bool is_sequential(const struct body *body)
{
	return body->cell || body->convolutions > 0 || (body->norms > 0 && body->products >= 2) ||
	       (body->attentions > 0 && body->products > 0) ||
	       (body->tanh && (body->sigmoid || body->products > 0));
}

/* True if only its gates make such a body look like a recurrent cell. */
static bool is_gated(const struct body *body)
{
	return !body->cell && body->convolutions + body->norms + body->attentions == 0;
}

/* ---- slices ---- */

/* Host rows of one turn. */
struct stretch {
	size_t first, end;
};

/* Returns the rows between the launches that end the turn before and this one; turn > 0. */
static struct stretch stretch_of(const struct weir_op_calls *calls, const struct weir_loop *loop,
                                 size_t turn)
{
	const struct weir_program *program = &calls->advisor->program;
	const uint32_t *thread = program->rank->trace->host.thread;
	size_t begin = loop->first + turn * loop->period;
	uint32_t before = program->issues[calls->items[begin - 1].end_issue - 1].call;
	uint32_t last = program->issues[calls->items[begin + loop->period - 1].end_issue - 1].call;
	struct stretch stretch = {0, 0};

	if (before != WEIR_NONE && last != WEIR_NONE && before < last &&
	    thread[before] == thread[last])
		stretch = (struct stretch){before, last};
	return stretch;
}

static bool is_slice(const struct weir_op_calls *calls, size_t row)
{
	static const char *const slices[] = {"select", "slice", "narrow", NULL};
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;

	return timeline->trace->host.shape[row] != 0 &&
	       weir_op_is_one_of(
		       weir_op_plain_name(weir_timeline_host_name(timeline, (uint32_t)row)),
		       slices);
}

static bool slices_alike(const struct weir_op_calls *calls, size_t a, size_t b)
{
	const uint32_t *name = calls->advisor->program.rank->trace->host.name;

	return name[a] == name[b] && shape_of(calls, a)->dims == shape_of(calls, b)->dims;
}

/* Returns the row of a turn that corresponds to this row of the second turn: several slices of
 * tensors of one shape are compared in their order, since a turn of `y[i] += x[i]` begins with the
 * slice that takes the sum of the turn before. SIZE_MAX: the turn has fewer. */
static size_t row_of_turn(const struct weir_op_calls *calls, const struct weir_loop *loop,
                          size_t turn, size_t row)
{
	struct stretch stretch = stretch_of(calls, loop, turn);
	size_t nth = 0;

	for (size_t r = stretch_of(calls, loop, 1).first; r < row; r++)
		nth += slices_alike(calls, r, row);
	for (size_t r = stretch.first; r < stretch.end; r++)
		if (slices_alike(calls, r, row) && nth-- == 0)
			return r;
	return SIZE_MAX;
}

/* True if every turn slices the tensor, each at another place. row: of the second turn. */
static bool varies(const struct weir_op_calls *calls, const struct weir_loop *loop, size_t row)
{
	for (size_t turn = 2; turn < loop->turns; turn++) {
		size_t other = row_of_turn(calls, loop, turn, row);

		if (other == SIZE_MAX ||
		    shape_of(calls, other)->scalars == shape_of(calls, row)->scalars)
			return false;
	}
	return true;
}

/* True if the sliced tensor consists of second factors of a product: [..., K, N] or [..., N, K]. */
static bool is_factor(const struct weir_op_calls *calls, const struct weir_loop *loop,
                      const struct weir_arg *sliced)
{
	int64_t rows, columns;

	if (sliced->rank < 3)
		return false;
	rows = sliced->dims[sliced->rank - 2];
	columns = sliced->dims[sliced->rank - 1];
	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		const struct weir_arg *b;
		struct weir_args args;

		/* The keys and values of attention belong to the rows. */
		if (!calls->items[c].work.product ||
		    calls->items[c].family == WEIR_FAMILY_ATTENTION ||
		    !weir_op_calls_args(calls, &calls->items[c], &args))
			continue;
		b = weir_args_tensor(
			&args,
			strcmp(weir_op_calls_name(calls, &calls->items[c]), "addmm") == 0 ? 2 : 1);
		if (b && b->rank >= 2 &&
		    ((b->dims[b->rank - 2] == rows && b->dims[b->rank - 1] == columns) ||
		     (b->dims[b->rank - 2] == columns && b->dims[b->rank - 1] == rows)))
			return true;
	}
	return false;
}

struct slices {
	size_t rows, factors, scalars;
};

static struct slices slices_of(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct stretch stretch = stretch_of(calls, loop, 1);
	struct slices slices = {0, 0, 0};

	for (size_t r = stretch.first; r < stretch.end; r++) {
		const struct weir_arg *sliced;
		struct weir_args args;

		if (!is_slice(calls, r) || !weir_advisor_args(calls->advisor, (uint32_t)r, &args) ||
		    !(sliced = weir_args_tensor(&args, 0)) || !varies(calls, loop, r))
			continue;
		if (is_factor(calls, loop, sliced))
			slices.factors++;
		else if (sliced->elements / (double)sliced->dims[0] >= WEIR_LEAST_SLICE)
			slices.rows++;
		else
			slices.scalars++;
	}
	return slices;
}

/* Recorders leave out the shapes of longer lists of tensors (PyTorch 2: 30). */
#define LONGEST_RECORDED 30

/* True if the call joins a list of tensors that is too long to be recorded. */
static bool joins_long_list(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	struct weir_call recorded;

	return strcmp(weir_op_calls_name(calls, call), "cat") == 0 &&
	       weir_call_of_op(calls->advisor->program.rank->trace, call->op, NULL, &recorded) &&
	       recorded.dims && recorded.types && strncmp(recorded.dims, "[[],", 4) == 0 &&
	       strncmp(recorded.types, "[\"TensorList\"", 13) == 0;
}

size_t weir_loop_collection(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	size_t behind = loop->first + loop->turns * loop->period;
	struct weir_args args;

	if (loop->turns > LONGEST_RECORDED && behind < calls->count &&
	    joins_long_list(calls, &calls->items[behind]))
		return behind;
	for (size_t c = behind; c < calls->count && c < behind + COLLECTED_WITHIN; c++)
		if (strcmp(weir_op_calls_name(calls, &calls->items[c]), "cat") == 0 &&
		    weir_op_calls_args(calls, &calls->items[c], &args) &&
		    args.items[0].list_count == loop->turns)
			return c;
	return calls->count;
}

/* ---- gathered rows ---- */

/* Fills the call's first argument; false: not recorded. */
static bool first_dims(const struct weir_op_calls *calls, const struct weir_op_call *call,
                       struct weir_arg *out)
{
	struct weir_args args;

	if (!weir_op_calls_args(calls, call, &args) || !weir_args_tensor(&args, 0))
		return false;
	*out = args.items[0];
	return true;
}

static bool same_dims(const struct weir_arg *a, const struct weir_arg *b)
{
	return a->rank == b->rank && memcmp(a->dims, b->dims, sizeof a->dims) == 0;
}

/* Gathers of a turn whose tensors are compared with what it writes: the indices of its rows, the
 * rows, and a weight of each. */
#define MOST_GATHERS 4

/* True if both tensors have the same rows, which may differ in length. */
static bool same_rows(const struct weir_arg *a, const struct weir_arg *b)
{
	return a->rank == b->rank && a->rank >= 2 &&
	       memcmp(a->dims, b->dims, ((size_t)a->rank - 1) * sizeof *a->dims) == 0;
}

/* True if one turn gathers rows of a tensor, by one of its first `most` gathers, and writes rows of
 * a tensor with as many. */
static bool turn_gathers(const struct weir_op_calls *calls, const struct weir_loop *loop,
                         size_t turn, size_t most, struct weir_arg *from)
{
	size_t begin = loop->first + turn * loop->period, count = 0;
	struct weir_arg read[MOST_GATHERS], first;

	for (size_t c = begin; c < begin + loop->period; c++) {
		const char *name = weir_op_calls_name(calls, &calls->items[c]);

		if (!first_dims(calls, &calls->items[c], &first))
			continue;
		if (count < most && weir_op_is_one_of(name, gathering))
			read[count++] = first;
		else if (weir_op_is_one_of(name, scattering))
			for (size_t g = 0; g < count; g++)
				if (same_dims(&read[g], &first) || same_rows(&read[g], &first)) {
					*from = first;
					return true;
				}
	}
	return false;
}

/* Returns the elements that a call writes to a tensor by an index, as a share of the tensor; 0: it
 * does not. */
static double scattered_by(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_arg *to;
	struct weir_args args;
	double elements = 0;

	if (!weir_op_is_one_of(weir_op_calls_name(calls, call), scattering) ||
	    !weir_op_calls_args(calls, call, &args) || !(to = weir_args_tensor(&args, 0)))
		return 0;
	for (size_t i = 1; i < args.count; i++) {
		const struct weir_arg *arg = weir_args_tensor(&args, i);

		if (arg && arg->element.dtype == to->element.dtype)
			elements = arg->elements;
	}
	return elements / to->elements;
}

/* True if the call writes back rows that the call before it, but for searches of the places, has
 * added to in place: y[rows] += x. */
static bool adds_to_rows(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	do
		call--;
	while (call > calls->items && weir_op_calls_within(calls, call, "aten::nonzero"));
	return strcmp(weir_op_calls_name(calls, call), "add_") == 0;
}

/* Returns the share of a tensor that the call writes over; 0: it adds to the old values, or does
 * not write. */
static double overwritten_by(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const char *name = weir_op_calls_name(calls, call);
	struct weir_args args;
	bool adds;

	/* index_put_(self, indices, values, accumulate) */
	if (strstr(name, "add") ||
	    (strstr(name, "index_put") && weir_op_calls_args(calls, call, &args) &&
	     weir_args_bool(&args, 3, &adds) && adds))
		return 0;
	return scattered_by(calls, call);
}

/* True if a turn computes on the whole of a tensor like the one of which it writes rows: the next
 * turn reads what it wrote, as in a solver. Sums and first values of results do not. */
static bool computes_on_whole(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	static const char *const plain[] = {"add", "add_", "fill_", "zero_", "copy_", NULL};
	struct weir_arg whole, first;

	if (!turn_gathers(calls, loop, 0, MOST_GATHERS, &whole))
		return false;
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (calls->items[c].family == WEIR_FAMILY_ELEMENTWISE &&
		    !weir_op_is_one_of(weir_op_calls_name(calls, &calls->items[c]), plain) &&
		    first_dims(calls, &calls->items[c], &first) && same_dims(&first, &whole) &&
		    weir_loop_written_by(calls, &calls->items[c]) == whole.elements)
			return true;
	return false;
}

/* True if every turn writes as many rows as the tensor has, or more: the messages that all nodes of
 * a graph send along its edges are a layer, whose input is the result of the layer before. */
static bool passes_messages(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	for (size_t turn = 0; turn < loop->turns; turn++) {
		size_t begin = loop->first + turn * loop->period;
		double share = 0;

		for (size_t c = begin; c < begin + loop->period; c++)
			share = fmax(share, scattered_by(calls, &calls->items[c]));
		if (share < 1)
			return false;
	}
	return true;
}

/* ---- picked rows ---- */

/* True if both calls have arguments of the same shapes and types. */
static bool same_arguments(const struct weir_op_calls *calls, const struct weir_op_call *a,
                           const struct weir_op_call *b)
{
	const struct weir_trace *trace = calls->advisor->program.rank->trace;
	const struct weir_shape *left = &trace->shapes[trace->host.shape[a->op]];
	const struct weir_shape *right = &trace->shapes[trace->host.shape[b->op]];

	return left->dims == right->dims && left->types == right->types;
}

/* True if every turn compares the same tensor with another number. */
static bool compares(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_trace *trace = calls->advisor->program.rank->trace;
	const struct weir_op_call *first = &calls->items[loop->first];
	uint32_t before = trace->shapes[trace->host.shape[first->op]].scalars;

	if (strcmp(weir_op_calls_name(calls, first), "eq") != 0)
		return false;
	for (size_t turn = 1; turn < loop->turns; turn++) {
		const struct weir_op_call *call = first + turn * loop->period;
		uint32_t scalars = trace->shapes[trace->host.shape[call->op]].scalars;

		if (!same_arguments(calls, first, call) || scalars == before)
			return false;
		before = scalars;
	}
	return true;
}

/* True if the turns write more rows over than a tensor has: later turns change what earlier ones
 * wrote, and so read it. Turns that find their rows by their number and add to them do not. */
static bool rewrites(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	size_t end = loop->first + repeated(calls, loop->first, loop->period) + loop->period;
	bool numbered = compares(calls, loop);
	double share = 0;

	for (size_t c = loop->first; c < end; c++)
		if (!(numbered && c > loop->first && adds_to_rows(calls, &calls->items[c])))
			share += overwritten_by(calls, &calls->items[c]);
	return share > 1;
}

/* True if the turn asks for the places of its rows. */
static bool looks_for_rows(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (strcmp(weir_op_calls_name(calls, &calls->items[c]), "nonzero") == 0)
			return true;
	return false;
}

/* True if every turn gathers rows of a tensor and writes rows of one like it. A turn that picks its
 * rows by its own number gathers their indices as well, such as the ends of the edges of one
 * relation, or a weight of each row; `sliced`: by a slice of a mask. So does one that looks for
 * rows to multiply them by its own weights, as each offset of a sparse convolution does. */
static bool gathers(const struct weir_op_calls *calls, const struct weir_loop *loop,
                    const struct slices *slices)
{
	bool numbered = slices->rows > 0 || compares(calls, loop) ||
	                (slices->factors > 0 && looks_for_rows(calls, loop));
	size_t most = numbered ? MOST_GATHERS : 1;
	struct weir_arg first = {0}, other = {0};

	for (size_t turn = 0; turn < loop->turns; turn++)
		if (!turn_gathers(calls, loop, turn, most, turn ? &other : &first) ||
		    (turn && !same_dims(&first, &other)))
			return false;
	return true;
}

/* True if every turn picks the rows of one tensor that a comparison finds, and makes a result that
 * no other turn needs: it reduces them, or a list takes the result of each, and it writes nothing
 * to a tensor that they share. */
static bool picks_rows(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_op_call *gather = NULL;
	bool reduces = false;

	if (!compares(calls, loop))
		return false;
	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		const struct weir_op_call *call = &calls->items[c];
		const char *name = weir_op_calls_name(calls, call);

		if (weir_op_is_one_of(name, scattering) || call->work.product)
			return false;
		if (!gather && weir_op_is_one_of(name, gathering))
			gather = call;
		reduces |= gather && call->family == WEIR_FAMILY_REDUCE;
	}
	for (size_t turn = 1; gather && turn < loop->turns; turn++)
		if (!same_arguments(calls, gather, gather + turn * loop->period))
			return false;
	return gather && (reduces || weir_loop_collection(calls, loop) < calls->count);
}

/* ---- shared weights ---- */

/* With as many rows in all turns as this, products take the time of reading their weights. */
#define ROWS_OF_WEIGHTS 64
/* A longer turn is a run of a model, whose layers need each other: see fix_batch.c. */
#define MOST_READING 7
/* Share of a loop's device time that such products take. */
#define READING_SHARE 0.5

double weir_loop_shared_bytes(const struct weir_work *work)
{
	/* The turns have a vector each, which libraries take as the first or the second factor. */
	if (fmin(work->reuse.m, work->reuse.n) <= 1)
		return fmax(work->reuse.a_bytes, work->reuse.b_bytes);
	return work->reuse.b_bytes;
}

bool weir_loop_reads_weights(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	double reading_ns = 0, all_ns = 0;

	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		const struct weir_op_call *call = &calls->items[c];
		const struct weir_work *work = &call->work;
		double rows = fmin(work->reuse.m, work->reuse.n) * (double)loop->turns;

		all_ns += call->ns;
		if (work->confidence != WEIR_MODEL_NONE && work->product &&
		    work->reuse.batch <= 1 && rows <= ROWS_OF_WEIGHTS &&
		    2 * weir_loop_shared_bytes(work) >= work->bytes)
			reading_ns += call->ns;
	}
	return reading_ns >= READING_SHARE * all_ns;
}

/* ---- dependence ---- */

/* Returns the index as a place of a dimension of this size; a negative one counts from its end. */
static int64_t place_in(int64_t index, int64_t size)
{
	index += index < 0 ? size : 0;
	return index < 0 ? 0 : index < size ? index : size;
}

/* Returns the elements of the part that a call of select, slice, or narrow takes; NAN: not known.
 */
static double part_elements(const struct weir_op_calls *calls, size_t row)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, (uint32_t)row));
	int64_t dim, start = 0, end = 1; /* select: one index */
	const struct weir_arg *x;
	struct weir_args args;

	if (!weir_advisor_args(calls->advisor, (uint32_t)row, &args) ||
	    !(x = weir_args_tensor(&args, 0)) || !weir_args_int(&args, 1, &dim))
		return NAN;
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank || x->dims[dim] < 1)
		return NAN;
	/* slice(self, dim, start, end, step), narrow(self, dim, start, length) */
	if (strcmp(name, "select") != 0 && !weir_args_int(&args, 3, &end))
		return NAN;
	if (strcmp(name, "slice") == 0 && !weir_args_int(&args, 2, &start))
		return NAN;
	start = place_in(start, x->dims[dim]);
	end = place_in(end, x->dims[dim]);
	return x->elements / (double)x->dims[dim] * (double)(end - start);
}

/* True if the slice takes several rows of its tensor. */
static bool is_chunk(const struct weir_op_calls *calls, size_t row, const struct weir_arg *whole)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, (uint32_t)row));
	struct weir_args args;
	int64_t dim;

	return strcmp(name, "select") != 0 &&
	       weir_advisor_args(calls->advisor, (uint32_t)row, &args) &&
	       weir_args_int(&args, 1, &dim) && place_in(dim, whole->rank) == 0 &&
	       part_elements(calls, row) > whole->elements / (double)whole->dims[0];
}

/* True if every turn begins by joining its part of a tensor with as many elements as an operator of
 * a turn writes: the result of the turn before, as in a forecast that goes on from its own values.
 */
static bool joins_result(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_op_call *call = &calls->items[loop->first + loop->period];
	struct stretch stretch = stretch_of(calls, loop, 1);
	struct weir_args args;
	double other;

	if (strcmp(weir_op_calls_name(calls, call), "cat") != 0 ||
	    !weir_op_calls_args(calls, call, &args) || args.items[0].list_count < 2)
		return false;
	other = args.items[0].elements;
	for (size_t r = stretch.first; r < stretch.end && r < call->op; r++)
		if (is_slice(calls, r) && varies(calls, loop, r))
			other -= part_elements(calls, r);
	if (!(other < args.items[0].elements)) /* no part, or one of unknown size */
		return false;
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (other > 0 && weir_loop_written_by(calls, &calls->items[c]) == other)
			return true;
	return false;
}

/* ---- the search ---- */

/* True if every turn multiplies the same input by its own weights, as heads of a model do: it
 * begins with a product, nothing gives it the input anew, and a list takes the result of each. */
static bool is_fan(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	if (!calls->items[loop->first].work.product ||
	    weir_loop_collection(calls, loop) == calls->count ||
	    !weir_loop_cannot_follow(calls, loop))
		return false;
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (weir_loop_chooses(calls, &calls->items[c]))
			return false;
	return true;
}

/* True if every turn looks rows up, each in its table or with its indices, and a list takes the
 * result of each. */
static bool is_row_of_lookups(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (!weir_op_calls_looks_up(calls, &calls->items[c]))
			return false;
	return weir_loop_collection(calls, loop) < calls->count;
}

bool weir_loop_has_layers(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct body body = body_of(calls, loop);

	return body.norms + body.attentions + body.convolutions > 0 && !(body.tanh && body.sigmoid);
}

bool weir_loop_is_network(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct body body = body_of(calls, loop);

	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (weir_op_calls_recurs(calls, &calls->items[c]))
			return false;
	return body.products >= 2 && !body.cell && !body.tanh;
}

/* True if every turn slices several rows of a tensor and computes on them without a state: a cell
 * joins its state to the rows, or multiplies both one behind the other. */
static bool takes_segments(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct stretch stretch = stretch_of(calls, loop, 1);

	for (size_t c = loop->first; c < loop->first + loop->period; c++)
		if (strcmp(weir_op_calls_name(calls, &calls->items[c]), "cat") == 0)
			return false;
	if (weir_loop_has_cell(calls, loop))
		return false;
	for (size_t r = stretch.first; r < stretch.end; r++) {
		const struct weir_arg *whole;
		struct weir_args args;

		if (is_slice(calls, r) && weir_advisor_args(calls->advisor, (uint32_t)r, &args) &&
		    (whole = weir_args_tensor(&args, 0)) && whole->rank >= 2 &&
		    is_chunk(calls, r, whole) && varies(calls, loop, r))
			return true;
	}
	return false;
}

static enum weir_loop_kind kind_of(const struct weir_op_calls *calls, struct weir_loop *loop)
{
	struct body body = body_of(calls, loop);
	struct slices slices;

	/* Copies of rows are packed, not computed together. */
	if (body.transfers == loop->period)
		return WEIR_LOOP_NONE;
	/* A layer takes what the one before made, and a cell the same weights in each turn. */
	if (is_sequential(&body) && !weir_loop_is_ensemble(calls, loop) &&
	    !(is_gated(&body) && takes_segments(calls, loop))) {
		slices = slices_of(calls, loop);
		if (slices.rows == 0 || body.products == 0 || slices.factors < body.products)
			return WEIR_LOOP_NONE;
	}
	if (is_row_of_lookups(calls, loop))
		return WEIR_LOOP_ROWS;
	if (joins_result(calls, loop))
		return WEIR_LOOP_NONE;
	slices = slices_of(calls, loop);
	loop->gathers = gathers(calls, loop, &slices);
	if (loop->gathers && (rewrites(calls, loop) || passes_messages(calls, loop) ||
	                      computes_on_whole(calls, loop)))
		return WEIR_LOOP_NONE;
	loop->picks = !loop->gathers && picks_rows(calls, loop);
	if (loop->picks)
		return WEIR_LOOP_ROWS;
	/* Both factors of a product are slices in a head of attention, or in a loop over a batch.
	 */
	if (body.softmaxes > 0 || slices.factors > body.products)
		slices.rows += slices.factors;
	slices.rows += weir_loop_is_unbound(calls, loop);
	/* The next turn of a sampler, which takes a scalar of each step from a table, takes the
	 * result; here each result is one of a list. */
	if (slices.scalars > 0 && weir_loop_collection(calls, loop) < calls->count)
		slices.rows += slices.scalars;
	if (slices.rows == 0 && !loop->gathers &&
	    (is_fan(calls, loop) || weir_loop_is_ensemble(calls, loop)))
		return WEIR_LOOP_WEIGHTS;
	if (slices.rows == 0 && !loop->gathers)
		return WEIR_LOOP_NONE;
	if (body.products > 0 && body.softmaxes == 0 && (slices.factors > 0 || loop->gathers))
		return WEIR_LOOP_WEIGHTS;
	return slices.factors == 0 && body.products > 0 && loop->period <= MOST_READING &&
	                       weir_loop_reads_weights(calls, loop)
	               ? WEIR_LOOP_INPUTS
	               : WEIR_LOOP_ROWS;
}

double weir_loop_slices_ns(const struct weir_op_calls *calls, const struct weir_loop *loop,
                           size_t position)
{
	const struct weir_trace *trace = calls->advisor->program.rank->trace;
	struct weir_loop part = {.first = loop->first + loop->period + position - 1, .period = 1};
	struct stretch stretch = stretch_of(calls, &part, 1);
	double ns = 0;

	for (size_t r = stretch.first; r < stretch.end; r++)
		if (is_slice(calls, r) && varies(calls, loop, r))
			ns += (double)weir_span_ns(trace->host.start_ns[r], trace->host.end_ns[r]);
	return ns;
}

/* ---- windows ---- */

/* Returns where the turn begins the slice that corresponds to this row of the second turn; NAN: it
 * has none, or the place is not recorded. */
static double window_start(const struct weir_op_calls *calls, const struct weir_loop *loop,
                           size_t turn, size_t row)
{
	size_t other = row_of_turn(calls, loop, turn, row);
	struct weir_args args;
	int64_t start;

	/* slice(self, dim, start, end, step), narrow(self, dim, start, length) */
	if (other == SIZE_MAX || !weir_advisor_args(calls->advisor, (uint32_t)other, &args) ||
	    !weir_args_int(&args, 2, &start))
		return NAN;
	return (double)start;
}

/* True if the turns begin their slices like this row neither at one place nor at places that lie
 * equally far from each other. */
static bool is_window(const struct weir_op_calls *calls, const struct weir_loop *loop, size_t row)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, (uint32_t)row));
	double last, far = NAN;
	bool differs = false;

	if (!is_slice(calls, row) || strcmp(name, "select") == 0)
		return false;
	last = window_start(calls, loop, 1, row);
	for (size_t turn = 2; turn < loop->turns; turn++) {
		double start = window_start(calls, loop, turn, row);

		if (isnan(start) || isnan(last))
			return false;
		differs |= !isnan(far) && start - last != far;
		far = start - last;
		last = start;
	}
	return differs;
}

struct weir_loop_windows weir_loop_windows(const struct weir_op_calls *calls,
                                           const struct weir_loop *loop)
{
	struct stretch stretch = stretch_of(calls, loop, 1);
	struct weir_loop_windows windows = {0};
	const struct weir_arg *x;
	struct weir_args args;

	for (size_t r = stretch.first; r < stretch.end; r++) {
		double elements;
		int64_t dim = 0;

		if (!is_window(calls, loop, r))
			continue;
		elements = part_elements(calls, r);
		if (isnan(elements) || !weir_advisor_args(calls->advisor, (uint32_t)r, &args) ||
		    !(x = weir_args_tensor(&args, 0)) || isnan(x->element.width))
			continue;
		weir_args_int(&args, 1, &dim); /* as part_elements() has seen */
		dim += dim < 0 ? x->rank : 0;
		windows.dims++;
		windows.last = (size_t)dim > windows.last ? (size_t)dim : windows.last;
		windows.elements = elements * (double)loop->turns;
		windows.width = x->element.width;
	}
	return windows;
}

bool weir_loop_changes_weights(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	return slices_of(calls, loop).factors > 0;
}

/* True if every turn slices a tensor like the first input of the turns, which holds as many
 * elements as those of all turns; chunks: it slices several rows of it. */
static bool takes_slices(const struct weir_op_calls *calls, const struct weir_loop *loop,
                         const struct weir_arg *first, bool chunks)
{
	struct weir_loop part = {.first = loop->first + loop->period - 1, .period = 1};
	struct stretch stretch = stretch_of(calls, &part, 1);

	for (size_t r = stretch.first; r < stretch.end; r++) {
		const struct weir_arg *x;
		struct weir_args whole;

		if (is_slice(calls, r) && weir_advisor_args(calls->advisor, (uint32_t)r, &whole) &&
		    (x = weir_args_tensor(&whole, 0)) && x->rank >= 1 &&
		    x->element.dtype == first->element.dtype &&
		    (x->dims[x->rank - 1] == first->dims[first->rank - 1] ||
		     part_elements(calls, r) == first->elements) &&
		    first->elements * (double)loop->turns <= x->elements &&
		    varies(calls, loop, r) && (!chunks || is_chunk(calls, r, x)))
			return true;
	}
	return false;
}

bool weir_loop_takes_parts(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_arg *first;
	struct weir_args args;

	return loop->turns >= 2 &&
	       (first = weir_loop_input(calls, &calls->items[loop->first], &args)) &&
	       (weir_loop_is_unbound(calls, loop) || takes_slices(calls, loop, first, false));
}

bool weir_loop_takes_chunks(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_arg *first;
	struct weir_args args;

	return loop->turns >= 2 &&
	       (first = weir_loop_input(calls, &calls->items[loop->first], &args)) &&
	       takes_slices(calls, loop, first, true);
}

bool weir_loop_find(const struct weir_op_calls *calls, size_t from, struct weir_loop *out)
{
	if (calls->count > MOST_PROGRAM_CALLS)
		return false;
	for (size_t first = from; first < calls->count; first++) {
		for (size_t period = 1; period <= WEIR_LOOP_MOST_CALLS; period++) {
			struct weir_loop loop = {.first = first, .period = period};

			if (begins_earlier(calls, first, period))
				continue;
			loop.turns = turns_of(calls, first, period);
			if (loop.turns < WEIR_LOOP_LEAST_TURNS)
				continue;
			loop.kind = kind_of(calls, &loop);
			if (loop.kind == WEIR_LOOP_NONE)
				continue;
			*out = loop;
			return true;
		}
	}
	return false;
}
