/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole tensors that are copied although few of their values are used behind the copy: results of
 * operators on the host, and elements that the host or the device picks. */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/analysis/advice/uploads.h"

/* Smaller copies are cheap. */
#define LARGE_BYTES 1048576.0
/* A last dimension of this size and more is a vocabulary: logits go to a sampler, which needs one
 * token a row. */
#define VOCABULARY 16384

/* Operators whose result is much smaller than their input, and those that samplers run before. */
static const char *const reducing[] = {
	"all",         "amax",        "amin",     "any",           "argmax",
	"argmin",      "argsort",     "bincount", "count_nonzero", "kthvalue",
	"log_softmax", "logsumexp",   "max",      "mean",          "median",
	"min",         "multinomial", "norm",     "prod",          "softmax",
	"sort",        "std",         "sum",      "topk",          "var",
};

static bool is_reducing(const char *name)
{
	if (strncmp(name, "aten::", 6) != 0)
		return false;
	name += 6;
	name += *name == '_' ? 1 : 0;
	for (size_t i = 0; i < WEIR_COUNT_OF(reducing); i++)
		if (strcmp(name, reducing[i]) == 0)
			return true;
	return false;
}

/* ---- the tensor ---- */

/* Returns the tensor with the most elements among the first two arguments of the copying operator;
 * NULL: not recorded. */
static const struct weir_arg *copied_tensor(const struct weir_advisor *advisor,
                                            const struct weir_job *job, struct weir_args *args)
{
	if (job->op == WEIR_NONE || !weir_advisor_args(advisor, job->op, args))
		return NULL;
	for (size_t i = 0; i < 2; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (arg && arg->rank > 0 && arg->elements > 1)
			return arg;
	}
	return NULL;
}

static bool is_logits(const struct weir_arg *tensor)
{
	return tensor->rank >= 2 && tensor->dims[tensor->rank - 1] >= VOCABULARY &&
	       (tensor->element.dtype == WEIR_DTYPE_FP32 ||
	        tensor->element.dtype == WEIR_DTYPE_BF16 ||
	        tensor->element.dtype == WEIR_DTYPE_FP16);
}

/* ---- operators of the host on it ---- */

static bool launches(const struct weir_program *program, uint32_t row)
{
	const struct weir_host_columns *host = &program->rank->trace->host;

	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call != WEIR_NONE && host->thread[call] == host->thread[row] &&
		    host->start_ns[call] >= host->start_ns[row] &&
		    host->end_ns[call] <= host->end_ns[row])
			return true;
	}
	return false;
}

/* Returns the time up to which host rows are searched. Behind a window without steps no launch of a
 * next step follows, so that operators behind its last copy are its own. */
static int64_t last_ns(const struct weir_program *program)
{
	return program->step == WEIR_NONE ? INT64_MAX : program->host_end_ns;
}

/* True if the row is an outermost operator on the host over a tensor of this size. */
static bool works_on(const struct weir_draft *draft, uint32_t row, double elements)
{
	const struct weir_rank *rank = draft->program.rank;
	struct weir_args args;
	const struct weir_arg *tensor;

	/* The last operator may be that of the next step's first launch. */
	if (rank->trace->host.kind[row] != WEIR_HOST_OP ||
	    rank->trace->host.end_ns[row] > last_ns(&draft->program) ||
	    weir_timeline_outermost_op(&rank->timeline, row) != row ||
	    !weir_advisor_args(draft->advisor, row, &args))
		return false;
	tensor = weir_args_tensor(&args, 0);
	return tensor && tensor->elements == elements && !launches(&draft->program, row);
}

/* A result is used soon behind its copy: later rows are not searched. */
#define MOST_ROWS 1000

/* Returns the end of the rows on the thread of a host row that are searched behind it. */
static size_t end_of_search(const struct weir_program *program, uint32_t row)
{
	const struct weir_timeline *timeline = &program->rank->timeline;
	size_t first, end;

	weir_timeline_thread_rows(timeline, timeline->trace->host.thread[row], &first, &end);
	return end < row + MOST_ROWS ? end : row + MOST_ROWS;
}

/* Operators of the list above that give as many values as they read. */
static const char *const keeping[] = {"aten::argsort", "aten::log_softmax", "aten::softmax",
                                      "aten::sort"};
/* Shorter operators are views and bookkeeping. */
#define LEAST_NS 50000

static bool keeps_size(const char *name)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(keeping); i++)
		if (strcmp(name, keeping[i]) == 0)
			return true;
	return !is_reducing(name);
}

/* ---- parts of it ---- */

/* Operators that only look at a tensor in another way. */
static const char *const looking[] = {
	"alias",     "as_strided", "contiguous", "cpu",     "detach",  "detach_",
	"expand_as", "flatten",    "lift",       "numpy_T", "permute", "reshape",
	"select",    "slice",      "squeeze",    "t",       "to",      "transpose",
	"unflatten", "unsqueeze",  "view",       "view_as", NULL,
};
/* A program that uses a larger share of a tensor uses it whole. */
#define LARGEST_PART 0.25

/* Returns the elements that the operator picks from its first tensor: all for other operators. */
static double picked(const char *name, const struct weir_args *args)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t dim, start = 0, end = INT64_MAX, step = 1, length;

	if (!weir_args_int(args, 1, &dim))
		return x->elements;
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank || x->dims[dim] < 1)
		return x->elements;
	length = x->dims[dim];
	if (strcmp(name, "select") == 0)
		return x->elements / (double)length;
	if (strcmp(name, "slice") != 0)
		return x->elements;
	weir_args_int(args, 2, &start);
	weir_args_int(args, 3, &end);
	weir_args_int(args, 4, &step);
	start += start < 0 ? length : 0;
	end = end < 0 ? end + length : end;
	end = end < length ? end : length;
	if (start < 0 || start >= end || step < 1)
		return x->elements;
	return x->elements / (double)length * ceil((double)(end - start) / (double)step);
}

/* ---- what the host does behind the copy ---- */

/* Sizes of tensors that are followed behind a copy: the copied one, and large parts of it. */
#define MOST_PARTS 4

/* The host's operators on a copied tensor. */
struct operators {
	double elements[MOST_PARTS]; /* of the tensor, and of parts that are cut from it */
	size_t sizes;
	size_t reducing; /* operators that reduce it */
	size_t keeping;  /* operators whose result is as large as it is */
	struct weir_intervals time;
};

static bool works_on_any(const struct weir_draft *draft, uint32_t row, const struct operators *of)
{
	for (size_t i = 0; i < of->sizes; i++)
		if (works_on(draft, row, of->elements[i]))
			return true;
	return false;
}

/* Adds the part that the operator cuts from a tensor if it is a large one. */
static void add_part(const struct weir_draft *draft, uint32_t row, struct operators *of)
{
	struct weir_args args;
	const char *name =
		weir_op_plain_name(weir_timeline_host_name(&draft->program.rank->timeline, row));
	double part;

	if (of->sizes == MOST_PARTS || !weir_advisor_args(draft->advisor, row, &args))
		return;
	part = picked(name, &args);
	for (size_t i = 0; i < of->sizes; i++)
		if (of->elements[i] == part)
			return;
	if (part > LARGEST_PART * of->elements[0])
		of->elements[of->sizes++] = part;
}

/* Returns the time of the next copy from the device that is as large as this one, behind which
 * results may belong to that copy; INT64_MAX: none. */
static int64_t next_copy_ns(const struct weir_draft *draft, const struct weir_job *job)
{
	const struct weir_program *program = &draft->program;
	double bytes = weir_transfer_of(draft->advisor, job).bytes;

	for (const struct weir_job *next = job + 1; next < program->jobs + program->job_count;
	     next++) {
		struct weir_transfer copy = weir_transfer_of(draft->advisor, next);
		uint32_t call = program->issues[next->issue].call;

		if (copy.way == WEIR_TRANSFER_DOWN && copy.bytes == bytes && call != WEIR_NONE)
			return program->rank->trace->host.start_ns[call];
	}
	return INT64_MAX;
}

/* Collects the host's operators on the tensor behind a copy on its thread, or on a large part of
 * it, casts and scaling included. Release the time. */
static void find_operators(const struct weir_draft *draft, const struct weir_job *job,
                           double elements, struct operators *out)
{
	const struct weir_program *program = &draft->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	uint32_t call = program->issues[job->issue].call;
	size_t end = end_of_search(program, call);
	int64_t next_ns = next_copy_ns(draft, job);

	*out = (struct operators){.elements = {elements}, .sizes = 1};
	for (uint32_t row = call + 1; row < end && host->start_ns[row] < last_ns(program); row++) {
		const char *name = weir_timeline_host_name(&program->rank->timeline, row);

		if (host->start_ns[row] < host->end_ns[call] || !works_on_any(draft, row, out))
			continue;
		add_part(draft, row, out);
		weir_intervals_push(&out->time, host->start_ns[row], host->end_ns[row]);
		out->reducing += is_reducing(name);
		out->keeping += host->start_ns[row] < next_ns && keeps_size(name) &&
		                weir_span_ns(host->start_ns[row], host->end_ns[row]) >= LEAST_NS;
	}
	weir_intervals_unite(&out->time);
}

/* Bytes/s at which one thread passes over a tensor: 20 GB/s for a maximum in vector registers, 0.1
 * GB/s for a sort. */
#define FASTEST_PASS 20e9
#define SLOWEST_PASS 0.1e9
/* Time from the end of the copy to the end of its operators and calls around it. */
#define SOON_NS 100000

/* Adds a stretch without events behind a copy of logits, if a library that records nothing (numpy)
 * could pass over them in that time. */
static void find_silence(const struct weir_draft *draft, uint32_t call, double bytes,
                         struct weir_intervals *out)
{
	const struct weir_program *program = &draft->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	int64_t from_ns = host->end_ns[call], to_ns = program->host_end_ns;
	size_t first, end;
	double ns;

	weir_timeline_thread_rows(&program->rank->timeline, host->thread[call], &first, &end);
	for (size_t row = call + 1; row < end && host->start_ns[row] < from_ns + SOON_NS; row++)
		if (host->end_ns[row] > from_ns && host->end_ns[row] < from_ns + SOON_NS)
			from_ns = host->end_ns[row];
	for (size_t row = call + 1; row < end; row++)
		if (host->start_ns[row] >= from_ns) {
			to_ns = host->start_ns[row] < to_ns ? host->start_ns[row] : to_ns;
			break;
		}
	ns = to_ns > from_ns ? (double)weir_span_ns(from_ns, to_ns) : 0;
	if (ns >= WEIR_HOST_WORK_NS && ns >= bytes / FASTEST_PASS * 1e9 &&
	    ns <= bytes / SLOWEST_PASS * 1e9)
		weir_intervals_push(out, from_ns, to_ns);
}

/* True if the host computes with all values behind a copy, so that these operators are what to
 * move: it does not only choose some. */
static bool computes_on_host(const struct weir_draft *draft, const struct weir_job *job,
                             double elements)
{
	const struct weir_program *program = &draft->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	uint32_t call = program->issues[job->issue].call;
	size_t end;

	if (call == WEIR_NONE)
		return false;
	end = end_of_search(program, call);
	for (uint32_t row = call + 1; row < end && host->start_ns[row] < last_ns(program); row++)
		if (host->start_ns[row] >= host->end_ns[call] &&
		    weir_span_ns(host->start_ns[row], host->end_ns[row]) >= LEAST_NS &&
		    keeps_size(weir_timeline_host_name(&program->rank->timeline, row)) &&
		    works_on(draft, row, elements))
			return true;
	return false;
}

/* ---- elements that the host picks from it ---- */

/* Returns the elements of the tensor behind a copy that the host's operators pick, all if one of
 * them reads it whole; 0: none is recorded. */
static double picked_elements(const struct weir_draft *draft, uint32_t call, double elements)
{
	const struct weir_program *program = &draft->program;
	const struct weir_timeline *timeline = &program->rank->timeline;
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t end = end_of_search(program, call);
	double sum = 0;

	for (uint32_t row = call + 1; row < end && host->start_ns[row] < last_ns(program); row++) {
		const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
		struct weir_args args;
		double part;

		if (host->start_ns[row] < host->end_ns[call] || !works_on(draft, row, elements) ||
		    !weir_advisor_args(draft->advisor, row, &args))
			continue;
		part = picked(name, &args);
		if (!weir_op_is_one_of(name, looking))
			return elements;
		sum += part < elements ? part : 0;
	}
	return fmin(sum, elements);
}

/* True if an operator on the host behind the call reads a tensor of this size, other than to look
 * at it in another way. */
static bool reads_part(const struct weir_draft *draft, uint32_t call, double elements)
{
	const struct weir_program *program = &draft->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t end = end_of_search(program, call);

	for (uint32_t row = call + 1; row < end && host->start_ns[row] < last_ns(program); row++) {
		const char *name =
			weir_op_plain_name(weir_timeline_host_name(&program->rank->timeline, row));

		if (host->start_ns[row] >= host->end_ns[call] && works_on(draft, row, elements) &&
		    (!weir_op_is_one_of(name, looking) ||
		     weir_span_ns(host->start_ns[row], host->end_ns[row]) >= LEAST_NS))
			return true;
	}
	return false;
}

/* ---- copy-less ---- */

/* A copy of few values: its latency on the device, and until its call returns. */
#define SMALL_COPY_NS   2000.0
#define SMALL_RETURN_NS 10000.0

/* Returns the first call of the step from a time on, or the last one. */
static uint32_t issue_from(const struct weir_program *program, int64_t from_ns)
{
	uint32_t i = 0;

	for (; i + 1 < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call == WEIR_NONE || program->rank->trace->host.start_ns[call] >= from_ns)
			break;
	}
	return i;
}

/* Removes the host's work on the copied tensor; returns false if it may need the whole tensor. The
 * host frees neither the tensor nor results of its size; a pinned buffer is kept from step to step,
 * so that the smaller result frees nothing. */
static bool drop_host_work(struct weir_draft *draft, const struct weir_job *job,
                           const struct weir_arg *tensor, const struct weir_transfer *copy,
                           size_t *operators)
{
	uint32_t call = draft->program.issues[job->issue].call;
	struct operators work = {0};
	double freed = copy->memory != WEIR_MEMORY_PINNED;

	if (call != WEIR_NONE)
		find_operators(draft, job, tensor->elements, &work);
	*operators += work.reducing;
	if (work.reducing == 0 && !is_logits(tensor)) {
		weir_intervals_release(&work.time);
		return false;
	}
	if (work.reducing == 0 && call != WEIR_NONE)
		find_silence(draft, call, copy->bytes, &work.time);
	weir_intervals_unite(&work.time);
	freed += (double)work.keeping;
	if (work.time.count > 0)
		weir_host_spans_remove(draft, &work.time);
	if (work.time.count > 0)
		weir_draft_less_freeing(
			draft,
			issue_from(&draft->program, work.time.items[work.time.count - 1].end_ns),
			freed * copy->bytes);
	weir_intervals_release(&work.time);
	return true;
}

/* Lets the host wait no longer than a copy of few values takes. */
static void shorten_call(struct weir_draft *draft, uint32_t i)
{
	struct weir_issue *issue = &draft->program.issues[i];

	issue->dispatch_ns += draft->advisor->operator_ns / draft->advisor->speed.dispatch;
	issue->return_ns = fmin(issue->return_ns, SMALL_RETURN_NS);
	if (issue->until == WEIR_NONE)
		issue->call_ns = fmin(issue->call_ns, WEIR_DISPATCH_NS);
}

/* Shortens the kernel before a copy that only casts or gathers the copied tensor: of a part it
 * prepares that part. */
static void prepare_part(struct weir_draft *draft, uint32_t j, double elements, double share)
{
	struct weir_program *program = &draft->program;
	const struct weir_arg *tensor;
	struct weir_args args;
	double ns;

	if (j == 0 || weir_advisor_transfers(draft->advisor, &program->jobs[j - 1]) ||
	    strcmp(weir_advisor_op(draft->advisor, &program->jobs[j - 1]), "aten::copy_") != 0)
		return;
	tensor = copied_tensor(draft->advisor, &program->jobs[j - 1], &args);
	ns = WEIR_SHORTEST_KERNEL_NS + share * program->jobs[j - 1].ns;
	if (tensor && tensor->elements == elements && ns < program->jobs[j - 1].ns)
		weir_draft_set_job(draft, j - 1, ns, ns, program->jobs[j - 1].ns);
}

/* The values that the host picks from a copied tensor, or from one into which several copies of the
 * same size went, such as the results of all layers. */
struct picks {
	uint32_t call;           /* behind which it picks */
	double elements, picked; /* of that tensor */
};

/* Returns the picks from the tensor of all copies of this size; picked is 0 if it is alone. */
static struct picks picks_of_joined(const struct weir_draft *draft,
                                    const struct weir_transfer *copy, double elements)
{
	const struct weir_program *program = &draft->program;
	struct picks out = {.call = WEIR_NONE};
	size_t parts = 0;

	for (size_t j = 0; j < program->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];
		struct weir_transfer part = weir_transfer_of(draft->advisor, job);

		if (part.way != WEIR_TRANSFER_DOWN || part.bytes != copy->bytes)
			continue;
		parts++;
		out.call = program->issues[job->issue].call;
	}
	out.elements = (double)parts * elements;
	if (parts > 1 && out.call != WEIR_NONE)
		out.picked = picked_elements(draft, out.call, out.elements);
	return out;
}

/* Picks on the device what the host picks from one copy; returns false if it uses more. */
static bool copy_part(struct weir_draft *draft, uint32_t j, const struct weir_transfer *copy,
                      const struct weir_arg *tensor)
{
	const struct weir_job *job = &draft->program.jobs[j];
	struct picks picks = {draft->program.issues[job->issue].call, tensor->elements, 0};
	double share, ns;

	if (picks.call == WEIR_NONE)
		return false;
	picks.picked = picked_elements(draft, picks.call, picks.elements);
	if (!(picks.picked > 0))
		picks = picks_of_joined(draft, copy, tensor->elements);
	share = picks.picked / picks.elements;
	ns = SMALL_COPY_NS + WEIR_SHORTEST_KERNEL_NS + share * job->ns;
	if (!(share > 0) || share > LARGEST_PART || !(ns < job->ns))
		return false;
	/* Copies that the driver stages are as fast as those of pinned memory. */
	if (share * copy->bytes <= WEIR_STAGED_BYTES)
		ns = SMALL_COPY_NS + WEIR_SHORTEST_KERNEL_NS;
	/* Where no recorded operator reads the part, the host may use more of the copy: the fix
	 * that overlaps it is then listed as well. */
	draft->copies_stay |= !reads_part(draft, picks.call, picks.picked);
	weir_draft_set_job(draft, j, ns, ns, fmin(2 * ns, job->ns));
	prepare_part(draft, j, tensor->elements, share);
	shorten_call(draft, job->issue);
	return true;
}

/* ---- results that the framework adopts from another library ---- */

/* Bytes/s at which code that records nothing chooses values of a tensor and compares them; NumPy
 * passes over 2 to 8 GB/s. Slower code computes more than a choice, such as a labelling of areas.
 */
#define CHOOSING_RATE 1e9
/* Bytes/s of a copy to pageable memory that the C library has kept: 12.6 to 17.3 GB/s in five
 * programs with copies of 4 to 25 MB on an H100. Larger ones than WEIR_MAPPED_BYTES touch new pages
 * each time: 1.5 to 1.8 GB/s in three. */
#define KEPT_RATE 14e9

/* True if `part` has the dimensions of `whole` in their order, but for one at most. */
static bool drops_dimension(const struct weir_arg *whole, const struct weir_arg *part)
{
	int same = 0;

	if (part->rank < 1 || part->rank > whole->rank || part->rank + 1 < whole->rank)
		return false;
	for (int d = 0; d < whole->rank && same < part->rank; d++)
		same += whole->dims[d] == part->dims[same];
	return same == part->rank;
}

/* True if the step copies as many bytes to the device: an input that happens to have the sizes. */
static bool uploads(const struct weir_draft *draft, double bytes)
{
	for (size_t j = 0; j < draft->program.job_count; j++) {
		struct weir_transfer copy =
			weir_transfer_of(draft->advisor, &draft->program.jobs[j]);

		if (copy.way == WEIR_TRANSFER_UP && copy.bytes == bytes)
			return true;
	}
	return false;
}

/* Returns the host row that adopts a tensor which code without events has chosen from the copied
 * one: without one of its dimensions, or in fewer bits (torch.from_numpy). WEIR_NONE: none. */
static uint32_t adopting_row(const struct weir_draft *draft, const struct weir_job *job,
                             const struct weir_arg *whole, double bytes, double *part_bytes)
{
	const struct weir_program *program = &draft->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	uint32_t call = program->issues[job->issue].call;
	int64_t end_ns = next_copy_ns(draft, job);
	size_t end = end_of_search(program, call);

	end_ns = last_ns(program) < end_ns ? last_ns(program) : end_ns;
	for (uint32_t row = call + 1; row < end && host->start_ns[row] < end_ns; row++) {
		const struct weir_arg *part;
		struct weir_args args;

		if (host->start_ns[row] < host->end_ns[call] ||
		    strcmp(weir_timeline_host_name(&program->rank->timeline, row),
		           "aten::lift_fresh") != 0 ||
		    !weir_advisor_args(draft->advisor, row, &args) ||
		    !(part = weir_args_tensor(&args, 0)) || !drops_dimension(whole, part))
			continue;
		*part_bytes = weir_arg_bytes(part);
		if (*part_bytes >= LARGE_BYTES && *part_bytes <= LARGEST_PART * bytes &&
		    (double)weir_span_ns(host->end_ns[call], host->start_ns[row]) <=
		            bytes / CHOOSING_RATE * 1e9 &&
		    !uploads(draft, *part_bytes))
			return row;
	}
	return WEIR_NONE;
}

/* Removes the host time from the last call of the device before the row up to the row. */
static void remove_choice(struct weir_draft *draft, uint32_t row)
{
	const struct weir_program *program = &draft->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	struct weir_intervals time = {0};
	int64_t from_ns = INT64_MIN;

	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call != WEIR_NONE && host->end_ns[call] <= host->start_ns[row] &&
		    host->end_ns[call] > from_ns)
			from_ns = host->end_ns[call];
	}
	weir_intervals_push(&time, from_ns, host->start_ns[row]);
	weir_intervals_unite(&time);
	weir_host_spans_remove(draft, &time);
	weir_intervals_release(&time);
}

/* Chooses on the device what code without events chooses on the host from one copy, and copies
 * that; pass_ns: one pass over the tensor on the device. False: it adopts nothing of the sizes. */
static bool copy_chosen(struct weir_draft *draft, uint32_t j, const struct weir_transfer *copy,
                        const struct weir_arg *tensor, double pass_ns)
{
	const struct weir_job *job = &draft->program.jobs[j];
	double bytes, ns;
	uint32_t row;

	if (draft->program.issues[job->issue].call == WEIR_NONE)
		return false;
	row = adopting_row(draft, job, tensor, copy->bytes, &bytes);
	if (row == WEIR_NONE)
		return false;
	ns = bytes / copy->bytes * job->ns;
	if (copy->memory == WEIR_MEMORY_PAGEABLE && bytes <= WEIR_MAPPED_BYTES)
		ns = fmin(ns, bytes / KEPT_RATE * 1e9);
	ns += pass_ns;
	remove_choice(draft, row);
	if (copy->bytes > WEIR_MAPPED_BYTES)
		weir_draft_less_freeing(
			draft,
			issue_from(&draft->program, draft->program.rank->trace->host.end_ns[row]),
			copy->bytes);
	weir_draft_set_job(draft, j, ns, ns, fmin(2 * ns, job->ns));
	shorten_call(draft, job->issue);
	return true;
}

/* Replaces one copy by a pass over its tensor on the device and a copy of the result. */
static bool copy_result(struct weir_draft *draft, uint32_t j, size_t *operators)
{
	const struct weir_job *job = &draft->program.jobs[j];
	struct weir_transfer copy = weir_transfer_of(draft->advisor, job);
	const struct weir_arg *tensor;
	struct weir_args args;
	double ns;

	if (copy.way != WEIR_TRANSFER_DOWN || !(copy.bytes >= LARGE_BYTES))
		return false;
	tensor = copied_tensor(draft->advisor, job, &args);
	ns = SMALL_COPY_NS + weir_advisor_kernel_ns(draft->advisor, 0, WEIR_ENGINE_NONE,
	                                            WEIR_DTYPE_UNKNOWN, copy.bytes, 1);
	if (!tensor || !(ns < job->ns) ||
	    (!is_logits(tensor) && computes_on_host(draft, job, tensor->elements)))
		return false;
	/* A recorded pick goes first: the host works on that part alone, and goes on to do so. */
	if (copy_part(draft, j, &copy, tensor) || copy_chosen(draft, j, &copy, tensor, ns))
		return true;
	if (!drop_host_work(draft, job, tensor, &copy, operators))
		return false;
	weir_draft_set_job(draft, j, ns, ns, fmin(2 * ns, job->ns));
	shorten_call(draft, job->issue);
	return true;
}

/* ---- uploads of which the device uses a part ---- */

/* A larger part is worth no other code. */
#define LARGEST_UPLOADED 0.5
/* Operators to pick a piece of a tensor on the host and to copy it: two views and the copy. */
#define PIECE_OPERATORS 3.0

/* Operators that leave a tensor as it is, or have the picking operator inside them. */
static const char *const neutral[] = {
	"narrow", "record_stream", "resolve_conj", "resolve_neg", "_reshape_alias", "size", NULL};

/* The part that a program picks from a tensor. */
struct picking {
	double elements, pieces; /* pieces of memory */
	double last;             /* elements of the last part, which may be cut further; 0: none */
};

/* Returns the pieces of memory that `part` elements of the tensor lie in: those of a step between
 * elements lie apart, others only as often as the dimension of argument 1 begins. */
static double pieces_of(const struct weir_args *args, const struct weir_arg *x, double part)
{
	double pieces = 1;
	int64_t dim = 0, step = 1;

	weir_args_int(args, 1, &dim);
	weir_args_int(args, 4, &step);
	dim += dim < 0 ? x->rank : 0;
	for (int64_t d = 0; d < dim && d < x->rank; d++)
		pieces *= (double)x->dims[d];
	if (step > 1 && dim >= 0 && dim < x->rank)
		pieces *= (double)x->dims[dim] * part / x->elements;
	return pieces;
}

/* Returns the elements that an operator of the device picks; all for other operators. */
static double picked_by(const char *name, const struct weir_args *args, double *pieces)
{
	const struct weir_arg *x = weir_args_tensor(args, 0), *rows;
	double part = picked(name, args);
	bool gathers = strcmp(name, "gather") == 0;
	bool selects = strcmp(name, "index_select") == 0; /* (x, dim, rows), as gather */
	int64_t dim = 0;

	*pieces = pieces_of(args, x, part);
	rows = weir_args_tensor(args, selects || gathers ? 2 : 1);
	if (gathers && rows && rows->rank > 0) {
		*pieces = (double)rows->dims[0];
		return fmin(x->elements, rows->elements);
	}
	if (selects)
		weir_args_int(args, 1, &dim);
	if (!rows || x->dims[0] < 1 || dim != 0 || (!selects && strcmp(name, "embedding") != 0))
		return part;
	*pieces = rows->elements;
	return fmin(x->elements, x->elements / (double)x->dims[0] * rows->elements);
}

/* Returns the elements that an operator of PyTorch picks by lists of indices, which no argument
 * records; 0: not known. It prepares its input as a view of the result's sizes, with a stride of 0
 * where an index chooses (restride_src in ATen/native/TensorAdvancedIndexing.cpp). */
static double indexed(const struct weir_draft *draft, uint32_t row, double *pieces)
{
	const struct weir_timeline *timeline = &draft->program.rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t end = end_of_search(&draft->program, row);

	for (uint32_t r = row + 1; r < end && host->start_ns[r] < host->end_ns[row]; r++) {
		int64_t sizes[WEIR_MAX_INTS], strides[WEIR_MAX_INTS];
		size_t count, stride_count;
		double elements = 1;
		struct weir_args args;

		if (strcmp(weir_timeline_host_name(timeline, r), "aten::as_strided") != 0 ||
		    !weir_advisor_args(draft->advisor, r, &args) ||
		    !weir_args_ints(&args, 1, sizes, &count) ||
		    !weir_args_ints(&args, 2, strides, &stride_count) || stride_count != count)
			continue;
		*pieces = 1;
		for (size_t d = 0; d < count; d++) {
			elements *= fmax(0, (double)sizes[d]);
			*pieces *= strides[d] == 0 ? fmax(0, (double)sizes[d]) : 1;
		}
		return *pieces > 1 ? elements : 0;
	}
	return 0;
}

/* Returns the elements that such an operator picks from a tensor: all if nothing shows fewer. */
static double part_of_index(const struct weir_draft *draft, uint32_t row, double elements,
                            double *pieces)
{
	double part = indexed(draft, row, pieces);

	return part > 0 && part < elements ? part : elements;
}

/* Adds what one operator uses of a tensor with `elements` elements; returns false if it is all. */
static bool add_use(const struct weir_draft *draft, uint32_t row, double elements,
                    struct picking *sum)
{
	const char *name =
		weir_op_plain_name(weir_timeline_host_name(&draft->program.rank->timeline, row));
	const struct weir_arg *x;
	struct weir_args args;
	double part, pieces;

	if (!weir_advisor_args(draft->advisor, row, &args) || weir_op_is_one_of(name, neutral))
		return true;
	x = weir_args_tensor(&args, 0);
	if (x && x->rank > 0 && sum->last > 0 && x->elements == sum->last) {
		part = picked_by(name, &args, &pieces);
		sum->elements -= part < x->elements ? sum->last - part : 0;
		sum->pieces = fmax(sum->pieces, part < x->elements ? pieces : 0);
		sum->last = part < x->elements ? part : 0;
		return true;
	}
	for (size_t i = 1; i < args.count; i++) {
		const struct weir_arg *other = weir_args_tensor(&args, i);

		if (other && other->elements == elements)
			return false;
	}
	if (!x || x->rank < 1 || x->elements != elements)
		return true;
	part = picked_by(name, &args, &pieces);
	if (strcmp(name, "index") == 0)
		part = part_of_index(draft, row, elements, &pieces);
	if (part >= elements)
		return weir_op_is_one_of(name, looking) && !launches(&draft->program, row);
	sum->elements += part;
	sum->pieces += pieces;
	sum->last = part;
	return true;
}

/* Fills what the step picks from a tensor behind its upload; false: it uses the whole tensor, or no
 * use is recorded. */
static bool find_picking(const struct weir_draft *draft, uint32_t outer, double elements,
                         struct picking *out)
{
	const struct weir_program *program = &draft->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t end = end_of_search(program, outer);
	int64_t from_ns = host->end_ns[outer];

	*out = (struct picking){0};
	for (uint32_t row = outer + 1; row < end && host->start_ns[row] < program->host_end_ns;
	     row++) {
		double before = out->elements;

		if (host->start_ns[row] < from_ns || host->end_ns[row] > program->host_end_ns ||
		    host->kind[row] != WEIR_HOST_OP)
			continue;
		if (!add_use(draft, row, elements, out))
			return false;
		/* Operators inside one that picks a part pick the same part. */
		if (out->elements > before)
			from_ns = host->end_ns[row];
	}
	return out->elements > 0 && out->elements <= LARGEST_UPLOADED * elements;
}

/* Uploads only the part of a tensor that the step uses; returns false if it uses more. */
static bool upload_part(struct weir_draft *draft, uint32_t j)
{
	const struct weir_job *job = &draft->program.jobs[j];
	struct weir_transfer copy = weir_transfer_of(draft->advisor, job);
	struct weir_issue *issue = &draft->program.issues[job->issue];
	const struct weir_arg *tensor;
	struct weir_args args;
	struct picking picking;
	double share, ns, host_ns;

	if (copy.way != WEIR_TRANSFER_UP || !(copy.bytes >= LARGE_BYTES) ||
	    issue->outer == WEIR_NONE || !(tensor = copied_tensor(draft->advisor, job, &args)) ||
	    !find_picking(draft, issue->outer, tensor->elements, &picking))
		return false;
	share = picking.elements / tensor->elements;
	ns = SMALL_COPY_NS + share * job->ns;
	if (!(ns < job->ns))
		return false;
	host_ns = fmin((picking.pieces - 1) * PIECE_OPERATORS * WEIR_DISPATCH_NS,
	               share * copy.bytes / WEIR_GATHER_RATE * 1e9);
	weir_draft_set_job(draft, j, ns, ns, fmin(2 * ns, job->ns));
	issue->dispatch_ns += fmax(0, host_ns) / draft->advisor->speed.dispatch;
	issue->call_ns = fmax(share * issue->call_ns, fmin(issue->call_ns, WEIR_DISPATCH_NS));
	/* The host itself passes over pageable memory, to hand it to the device. */
	draft->displaced |= copy.memory == WEIR_MEMORY_PAGEABLE && copy.bytes >= WEIR_COLD_BYTES &&
	                    share * copy.bytes < WEIR_COLD_BYTES;
	return true;
}

bool weir_fix_copy_less(struct weir_draft *draft)
{
	size_t copies = 0, uploads = 0, narrow = 0, operators = 0;
	double bytes = 0;

	for (uint32_t j = 0; j < draft->program.job_count; j++) {
		if (copy_result(draft, j, &operators)) {
			bytes += weir_transfer_of(draft->advisor, &draft->program.jobs[j]).bytes;
			copies++;
		} else if (upload_part(draft, j) || weir_upload_new_rows(draft, j)) {
			uploads++;
		} else {
			narrow += weir_upload_narrow(draft, j);
		}
	}
	if (copies > 0)
		weir_draft_basis(draft,
		                 "one pass over %.2f MB on the device, at most, and a copy of the "
		                 "result instead of %zu copies and %zu operators on the host",
		                 bytes / 1e6, copies, operators);
	else if (uploads > 0)
		weir_draft_basis(
			draft,
			"%zu copies to the device move the part that is used behind them, "
			"or by which a window moves on from step to step, at the rate that "
			"each reaches now",
			uploads);
	else
		weir_draft_basis(
			draft,
			"%zu copies to the device move pictures as bytes, or values in the "
			"type that the device casts them to, at the rate of each now",
			narrow);
	draft->copies_stay |= copies == 0;
	return copies + uploads + narrow > 0;
}
