/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/analysis/advice/uploads.h"

/* Smaller copies are cheap. */
#define LARGE_BYTES 1048576.0
/* Latency of a copy. */
#define COPY_NS 2000.0
/* The rate of a smaller copy may be lower. */
#define NARROW_HIGH 1.2

/* A copy to the device whose values could be fewer bits. */
struct upload {
	const struct weir_arg *tensor;
	struct weir_args args;
	double bytes;
	uint32_t cast; /* job that casts it to a smaller type; WEIR_NONE: none */
	double width;  /* of that type */
};

/* Cameras and decoders give 8 bits for each of three colours: floats of them are four times as many
 * bytes with the same content (torchvision.io.decode_image() returns uint8). Smaller sides are
 * windows of weights, or points in space. */
#define COLOURS       3
#define SMALLEST_SIDE 32

static bool is_picture(const struct weir_arg *x)
{
	enum weir_dtype dtype = x->element.dtype;
	const int64_t *last = x->dims + x->rank - 1;

	if (x->rank < 4 || (dtype != WEIR_DTYPE_FP64 && dtype != WEIR_DTYPE_FP32 &&
	                    dtype != WEIR_DTYPE_BF16 && dtype != WEIR_DTYPE_FP16))
		return false;
	if (last[-2] == COLOURS) /* [pictures, colours, rows, columns] */
		return last[-1] >= SMALLEST_SIDE && last[0] >= SMALLEST_SIDE;
	return last[0] == COLOURS && last[-2] >= SMALLEST_SIDE && last[-1] >= SMALLEST_SIDE;
}

/* True if the argument may be the uploaded tensor: as many values of its type. */
static bool is_same(const struct weir_arg *arg, const struct weir_arg *tensor)
{
	return arg && arg->elements == tensor->elements &&
	       arg->element.dtype == tensor->element.dtype &&
	       arg->element.width == tensor->element.width;
}

static bool reads(const struct weir_args *args, const struct weir_arg *tensor)
{
	for (size_t i = 0; i < args->count; i++)
		if (is_same(weir_args_tensor(args, i), tensor))
			return true;
	return false;
}

/* Finds the cast behind an upload; none if anything else reads the tensor as it is. */
static void find_cast(const struct weir_draft *draft, uint32_t j, struct upload *upload)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &draft->program;

	upload->cast = WEIR_NONE;
	for (uint32_t k = j + 1; k < program->job_count; k++) {
		const struct weir_job *job = &program->jobs[k];
		const struct weir_arg *to, *from;
		struct weir_args args;

		if (job->op == WEIR_NONE || !weir_advisor_args(advisor, job->op, &args) ||
		    !reads(&args, upload->tensor))
			continue;
		if (weir_transfer_of(advisor, job).way == WEIR_TRANSFER_UP)
			return; /* of another tensor of this size */
		to = weir_args_tensor(&args, 0);
		from = weir_args_tensor(&args, 1);
		if (upload->cast != WEIR_NONE || !to || !is_same(from, upload->tensor) ||
		    strcmp(weir_advisor_op(advisor, job), "aten::copy_") != 0 ||
		    to->elements != from->elements || !(to->element.width < from->element.width)) {
			upload->cast = WEIR_NONE;
			return;
		}
		upload->cast = k;
		upload->width = to->element.width;
	}
}

static bool read_upload(const struct weir_draft *draft, uint32_t j, struct upload *upload)
{
	const struct weir_job *job = &draft->program.jobs[j];
	struct weir_transfer copy = weir_transfer_of(draft->advisor, job);

	*upload = (struct upload){.bytes = copy.bytes};
	if (copy.way != WEIR_TRANSFER_UP || !(copy.bytes >= LARGE_BYTES) || job->op == WEIR_NONE ||
	    !weir_advisor_args(draft->advisor, job->op, &upload->args))
		return false;
	upload->tensor = weir_args_tensor(&upload->args, 0);
	if (!upload->tensor || !(upload->tensor->element.width > 0))
		return false;
	find_cast(draft, j, upload);
	return true;
}

/* Returns the time of a pass that normalises pictures on the device: it reads bytes and writes the
 * values, or changes the result of the cast. */
static double normalising_ns(const struct weir_draft *draft, const struct upload *upload)
{
	double width =
		upload->cast == WEIR_NONE ? 1 + upload->tensor->element.width : 2 * upload->width;

	return weir_advisor_kernel_ns(draft->advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_UNKNOWN,
	                              upload->tensor->elements * width, 1);
}

static void remove_cast(struct weir_draft *draft, uint32_t cast)
{
	uint32_t i = draft->program.jobs[cast].issue;
	const struct weir_issue *issue = &draft->program.issues[i];

	if (issue->job_count == 1 && !issue->graph)
		weir_draft_remove(draft, i);
}

bool weir_upload_narrow(struct weir_draft *draft, uint32_t j)
{
	const struct weir_job *job = &draft->program.jobs[j];
	struct weir_issue *issue = &draft->program.issues[job->issue];
	struct upload upload;
	double share, ns, pass_ns = 0;

	if (!read_upload(draft, j, &upload))
		return false;
	if (is_picture(upload.tensor)) {
		share = 1 / upload.tensor->element.width;
		pass_ns = normalising_ns(draft, &upload);
	} else if (upload.cast != WEIR_NONE) {
		share = upload.width / upload.tensor->element.width;
	} else {
		return false;
	}
	ns = COPY_NS + share * job->ns + pass_ns;
	if (!(ns < job->ns))
		return false;
	weir_draft_set_job(draft, j, ns, ns - pass_ns, fmin(NARROW_HIGH * ns + pass_ns, job->ns));
	issue->call_ns = fmax(share * issue->call_ns, fmin(issue->call_ns, WEIR_DISPATCH_NS));
	if (pass_ns > 0)
		weir_draft_add_operators(draft, job->issue, 1);
	else
		remove_cast(draft, upload.cast);
	return true;
}

/* ---- windows that move on ---- */

/* Host rows before a copy among which its slice is taken: one of the operator's own views. */
#define SLICED_WITHIN 8
/* Steps by which a window moves, at least, before it counts as one... */
#define LEAST_MOVES 3
/* ...and share of all moves that go on by a part of the window; others start again. */
#define MOVING_SHARE 0.75
/* A window that moves by a larger share of its rows has few that were copied before. */
#define LARGEST_MOVE 0.25

/* A slice of a tensor. */
struct slice {
	int64_t dim, start, length;
	double elements; /* of the slice */
};

/* Fills the slice that the host row takes; false: it is no slice of consecutive rows. */
static bool read_slice(const struct weir_advisor *advisor, uint32_t row, struct weir_args *args,
                       struct slice *out)
{
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;
	const struct weir_arg *x;
	int64_t end, step = 1;

	if (strcmp(weir_op_plain_name(weir_timeline_host_name(timeline, row)), "slice") != 0 ||
	    !weir_advisor_args(advisor, row, args) || !(x = weir_args_tensor(args, 0)) ||
	    !weir_args_int(args, 1, &out->dim) || !weir_args_int(args, 2, &out->start) ||
	    !weir_args_int(args, 3, &end) || (weir_args_int(args, 4, &step) && step != 1) ||
	    out->dim < 0 || out->dim >= x->rank || out->start < 0)
		return false;
	end = end < x->dims[out->dim] ? end : x->dims[out->dim];
	out->length = end - out->start;
	if (out->length < 1 || x->dims[out->dim] < 1)
		return false;
	out->elements = x->elements / (double)x->dims[out->dim] * (double)out->length;
	return true;
}

/* Returns the row of the slice that the copy's operator copies; WEIR_NONE: none. */
static uint32_t slice_before(const struct weir_advisor *advisor, uint32_t outer, double elements,
                             struct weir_args *args, struct slice *out)
{
	const struct weir_host_columns *host = &advisor->program.rank->trace->host;

	for (uint32_t back = 1; back <= SLICED_WITHIN && back <= outer; back++) {
		uint32_t row = outer - back;

		if (host->thread[row] != host->thread[outer])
			return WEIR_NONE;
		if (read_slice(advisor, row, args, out) && out->elements == elements)
			return row;
	}
	return WEIR_NONE;
}

static bool same_sizes(const struct weir_arg *a, const struct weir_arg *b)
{
	if (a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->dims[d] != b->dims[d])
			return false;
	return true;
}

/* Returns the share of the slice's rows by which such slices of the thread move on, at most; NAN:
 * they do not. */
static double moving_share(const struct weir_advisor *advisor, uint32_t row,
                           const struct weir_args *args, const struct slice *slice)
{
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	int64_t before = -1, most = 0;
	size_t first, end, moves = 0, on = 0;

	weir_timeline_thread_rows(timeline, host->thread[row], &first, &end);
	for (size_t r = first; r < end; r++) {
		struct weir_args other_args;
		struct slice other;
		int64_t move;

		if (host->name[r] != host->name[row] ||
		    !read_slice(advisor, (uint32_t)r, &other_args, &other) ||
		    other.dim != slice->dim || other.length != slice->length ||
		    !same_sizes(&other_args.items[0], &args->items[0]))
			continue;
		move = before < 0 ? 0 : other.start - before;
		before = other.start;
		moves += move != 0;
		if (move <= 0 || (double)move > LARGEST_MOVE * (double)slice->length)
			continue;
		on++;
		most = move > most ? move : most;
	}
	return on >= LEAST_MOVES && (double)on >= MOVING_SHARE * (double)moves
	               ? (double)most / (double)slice->length
	               : NAN;
}

bool weir_upload_new_rows(struct weir_draft *draft, uint32_t job)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_job *before = &advisor->program.jobs[job];
	struct weir_transfer copy = weir_transfer_of(advisor, before);
	struct weir_issue *issue = &draft->program.issues[before->issue];
	const struct weir_arg *tensor;
	struct weir_args args;
	struct slice slice;
	double share, ns, elements;
	uint32_t row;

	if (copy.way != WEIR_TRANSFER_UP || !(copy.bytes >= LARGE_BYTES) || !issue->job_count ||
	    issue->outer == WEIR_NONE || before->op == WEIR_NONE ||
	    !weir_advisor_args(advisor, before->op, &args) ||
	    !(tensor = weir_args_tensor(&args, 0)))
		return false;
	elements = tensor->elements;
	row = slice_before(advisor, issue->outer, elements, &args, &slice);
	if (row == WEIR_NONE)
		return false;
	share = moving_share(advisor, row, &args, &slice);
	ns = COPY_NS + share * before->ns;
	if (!(ns < before->ns))
		return false;
	weir_draft_set_job(draft, job, ns, ns, fmin(2 * ns, before->ns));
	issue->call_ns = fmax(share * issue->call_ns, fmin(issue->call_ns, WEIR_DISPATCH_NS));
	return true;
}
