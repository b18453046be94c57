/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that the host runs on tensors before it copies them to the device, or behind a copy
 * from it: the device runs them, and the copy moves what they read or give. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/pauses.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/analysis/names/frames.h"
#include "engine/base/arena.h"

/* Shorter operators and smaller tensors are bookkeeping, which the host does as well. */
#define LEAST_NS       50000
#define LEAST_ELEMENTS 16384.0
/* An operator that takes this long is no bookkeeping, even on few elements: boxes are compared in
 * pairs. */
#define LONG_NS 1000000
/* Passes over its operands that an operator without a model makes, such as a sort. */
#define PASSES 8.0
/* The share of a copy's bytes that remains if only chosen elements return. Small copies reuse their
 * memory, so that pageable ones reach about half of the link's rate. */
#define CHOSEN_SHARE 0.01
#define CHOSEN_RATE  0.5
/* From the end of such a copy to the return of its call. */
#define RETURN_NS 10000.0

/* Operators that make data, take some from a store, or prepare a copy: there is nothing to move. */
static const char *const staying[] = {"pin_memory", "_pin_memory", "is_pinned",
                                      "empty",      "empty_like",  "empty_strided",
                                      "rand",       "randn",       "randint",
                                      "random_",    "normal_",     "uniform_",
                                      "item",       "cat",         "_local_scalar_dense",
                                      "stack",      "resize_",     "set_",
                                      "zeros",      "zero_",       "fill_",
                                      "ones",       "full",        "arange",
                                      "index",      "gather",      "index_select",
                                      "select",     "embedding",   "slice",
                                      NULL};
/* Operators that choose few elements. */
static const char *const choosing[] = {"argmax", "argmin",  "max", "topk", "multinomial",
                                       "sort",   "nonzero", "sum", "mean", NULL};
/* Operators outside the framework that have kernels for the device (torchvision 0.20). */
static const char *const visions[] = {"torchvision::nms",
                                      "torchvision::roi_align",
                                      "torchvision::roi_pool",
                                      "torchvision::ps_roi_align",
                                      "torchvision::ps_roi_pool",
                                      "torchvision::deform_conv2d",
                                      NULL};

/* ---- the host's operators ---- */

struct search {
	struct weir_draft *draft;
	const struct weir_program *program;
	uint8_t *device;  /* per host row: it launches work or calls the driver */
	double *moved_ns; /* per job: of operators that run beside this copy on the device */
	double *added_ns; /* per issue: dispatch of the operators that were moved in front of it */
	double *copied;   /* per job: bytes of what the copy moves then; 0: as now */
	uint8_t *chosen;  /* per job: the copy moves chosen elements then */
	double host_ns, device_ns;
	double read_bytes;  /* by operators that copies to the device follow */
	double array_bytes; /* that array code without events goes through */
	double array_ns;    /* of host_ns, in that code */
	bool array_named;   /* by frames of NumPy */
	double boxes;       /* that code without events suppresses */
	size_t moved;
	struct weir_link_rate rates[WEIR_TRANSFER_WAYS];
};

/* Marks the rows around the calls of the program. */
static void mark(struct search *search)
{
	const struct weir_program *program = search->program;

	for (size_t i = 0; i < program->issue_count; i++)
		for (uint32_t row = program->issues[i].call;
		     row != WEIR_NONE && !search->device[row];
		     row = program->rank->timeline.parent[row])
			search->device[row] = 1;
}

/* True if an operator around the row makes, takes or prepares data: its operators stay with it. */
static bool is_within_staying(const struct weir_timeline *timeline, uint32_t row)
{
	for (row = timeline->parent[row]; row != WEIR_NONE; row = timeline->parent[row])
		if (weir_op_is_one_of(weir_op_plain_name(weir_timeline_host_name(timeline, row)),
		                      staying))
			return true;
	return false;
}

/* True if the row is an operator of the host on a large tensor, or a long one; fills its arguments.
 */
static bool is_host_operator(const struct search *search, uint32_t row, struct weir_args *args)
{
	const struct weir_trace *trace = search->program->rank->trace;
	const char *whole = weir_timeline_host_name(&search->program->rank->timeline, row);
	const char *name = weir_op_plain_name(whole);
	int64_t ns = weir_span_ns(trace->host.start_ns[row], trace->host.end_ns[row]);
	double elements = 0;

	if ((!*name && !weir_op_is_one_of(whole, visions)) || search->device[row] ||
	    weir_op_is_one_of(name, staying) || ns < LEAST_NS ||
	    is_within_staying(&search->program->rank->timeline, row) ||
	    !weir_advisor_args(search->draft->advisor, row, args))
		return false;
	for (size_t i = 0; i < args->count; i++)
		if (weir_args_at(args, i))
			elements = fmax(elements, args->items[i].elements);
	return elements >= LEAST_ELEMENTS || (elements > 0 && ns >= LONG_NS);
}

/* ---- the copy ---- */

/* Returns the issue in front of which the host was at this time. */
static uint32_t issue_after(const struct weir_program *program, int64_t at_ns)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	int64_t end_ns = program->step == WEIR_NONE
	                         ? program->host_end_ns
	                         : program->rank->steps.steps[program->step].end_ns;

	for (uint32_t i = 0; i < program->issue_count; i++) {
		const struct weir_issue *issue = &program->issues[i];

		if (issue->call != WEIR_NONE && host->start_ns[issue->call] >= at_ns)
			return i;
		if ((issue->kind == WEIR_ISSUE_OUTPUT && at_ns <= end_ns) ||
		    issue->kind == WEIR_ISSUE_INPUT)
			return i;
	}
	return WEIR_NONE;
}

static bool is_copy(const struct search *search, uint32_t job, const char *way)
{
	return weir_advisor_transfers(search->draft->advisor, &search->program->jobs[job]) &&
	       strstr(weir_advisor_kernel(search->draft->advisor, &search->program->jobs[job]),
	              way) != NULL;
}

/* Returns the last copy from the device before the issue; WEIR_NONE: none. */
static uint32_t copy_before(const struct search *search, uint32_t issue)
{
	uint32_t job = search->program->issues[issue].first_job;

	while (job > 0 && !is_copy(search, job - 1, "DtoH") &&
	       !is_copy(search, job - 1, "DeviceToHost"))
		job--;
	return job > 0 ? job - 1 : WEIR_NONE;
}

/* Returns the first copy to the device at or behind the issue, from the step's start for the host
 * time of the next step; WEIR_NONE: none. */
static uint32_t copy_after(const struct search *search, uint32_t issue)
{
	bool next = search->program->issues[issue].kind == WEIR_ISSUE_INPUT;

	for (uint32_t j = next ? 0 : search->program->issues[issue].first_job;
	     j < search->program->job_count; j++)
		if (is_copy(search, j, "HtoD") || is_copy(search, j, "HostToDevice"))
			return j;
	return WEIR_NONE;
}

/* ---- the move ---- */

/* Suppression of boxes decides on them one after the other in a single block: torchvision 0.26 took
 * an H100 0.28 to 0.29 us for each of 256 to 4096 boxes of which all stay, and 0.06 to 0.15 us
 * where few do. The trace does not show how many stay. */
#define BOX_NS 280.0
/* Share of that time if few boxes stay. */
#define LEAST_KEPT 0.25

static bool suppresses(const struct weir_advisor *advisor, uint32_t row)
{
	return strcmp(weir_timeline_host_name(&advisor->program.rank->timeline, row),
	              "torchvision::nms") == 0;
}

/* Returns the time in which the operator decides on its boxes one by one; 0 for other operators. */
static double boxes_ns(const struct weir_advisor *advisor, uint32_t row)
{
	struct weir_args args;
	const struct weir_arg *boxes;

	if (!suppresses(advisor, row) || !weir_advisor_args(advisor, row, &args))
		return 0;
	boxes = weir_args_tensor(&args, 0);
	return boxes && boxes->rank > 0 ? BOX_NS * (double)boxes->dims[0] : 0;
}

/* Returns the time of the operator on the device; NAN: not known. */
static double device_ns(const struct weir_advisor *advisor, uint32_t row)
{
	struct weir_call call;
	struct weir_work work;

	if (!weir_call_of_op(advisor->program.rank->trace, row, NULL, &call))
		return NAN;
	if (suppresses(advisor, row))
		return fmax(WEIR_SHORTEST_KERNEL_NS, boxes_ns(advisor, row));
	work = weir_work_of_call(&call);
	if (work.confidence != WEIR_MODEL_NONE)
		return weir_advisor_kernel_ns(advisor, work.flops, work.engine, work.dtype,
		                              work.bytes, 0.5);
	return weir_advisor_kernel_ns(advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_FP32,
	                              PASSES * weir_operand_bytes(&call), 0.5);
}

/* Returns the bytes of the operator's first tensor; 0: not recorded. */
static double operand_bytes(const struct search *search, uint32_t row)
{
	struct weir_args args;

	if (!weir_advisor_args(search->draft->advisor, row, &args))
		return 0;
	return weir_arg_bytes(weir_args_tensor(&args, 0));
}

/* An operator inside another, most of them views, without the profiler. */
#define INNER_NS 1500.0
/* To pick the elements that a mask or a list of boxes keeps, the device counts them first: four
 * kernels more and a copy of the count, for which the host waits. */
#define COUNTING_OPERATORS 5.0

/* Returns the row behind those inside the operator. */
static uint32_t behind(const struct weir_host_columns *host, uint32_t row)
{
	uint32_t r = row + 1;

	while (r < host->count && host->thread[r] == host->thread[row] &&
	       host->end_ns[r] <= host->end_ns[row])
		r++;
	return r;
}

/* Returns how often the device counts elements for the operator. */
static size_t counts_of(const struct search *search, uint32_t row)
{
	const struct weir_timeline *timeline = &search->program->rank->timeline;
	uint32_t end = behind(&timeline->trace->host, row);
	size_t counts = suppresses(search->draft->advisor, row);

	for (uint32_t r = row; r < end; r++)
		counts += strcmp(weir_timeline_host_name(timeline, r), "aten::nonzero") == 0;
	return counts;
}

/* Returns the host's time to dispatch the operator with those inside it, and to wait for counts. */
static double dispatch_of(const struct search *search, uint32_t row)
{
	const struct weir_advisor *advisor = search->draft->advisor;
	uint32_t end = behind(&search->program->rank->trace->host, row);
	double ns = advisor->operator_ns + (end - row - 1) * INNER_NS;

	ns += (double)counts_of(search, row) *
	      (COUNTING_OPERATORS * advisor->operator_ns + RETURN_NS);
	return ns / advisor->speed.dispatch;
}

/* Takes host time in front of the issue from its work and then from its dispatch. */
static void relieve(struct search *search, uint32_t issue, double ns)
{
	struct weir_issue *after = &search->draft->program.issues[issue];
	double work_ns = fmin(ns, after->work_ns);

	weir_draft_less_work(search->draft, issue, work_ns);
	weir_draft_set_dispatch(search->draft, issue, fmax(0, after->dispatch_ns - (ns - work_ns)));
	if (after->job_count > 0)
		weir_draft_name_host(search->draft, issue, ns);
	search->host_ns += ns;
}

/* Returns the time of a copy of which only chosen elements are left. */
static double chosen_ns(const struct search *search, uint32_t job, double copy_ns)
{
	const struct weir_advisor *advisor = search->draft->advisor;
	struct weir_transfer copy = weir_transfer_of(advisor, &advisor->program.jobs[job]);
	double rate = search->rates[copy.way].typical, ns = CHOSEN_SHARE * copy_ns;

	if (copy.way != WEIR_TRANSFER_NONE && copy.bytes > 0 && !isnan(rate))
		ns = fmin(ns, CHOSEN_SHARE * copy.bytes / (CHOSEN_RATE * rate) * 1e9);
	return fmax(WEIR_SHORTEST_KERNEL_NS, ns);
}

/* Returns the bytes of the result of an operator that computes one value for each of its input; 0:
 * not known. A cast has the result as the first argument of the copy in it. */
static double result_bytes(const struct search *search, uint32_t row)
{
	static const char *const casts[] = {"to",   "_to_copy", "type", "float", "half", "byte",
	                                    "bool", "double",   "int",  "long",  NULL};
	static const char *const tests[] = {"gt",          "ge",    "lt",          "le",
	                                    "eq",          "ne",    "logical_and", "logical_or",
	                                    "logical_not", "isnan", NULL};
	static const char *const sizing[] = {"upsample",  "interpolate", "pad",    "pool",
	                                     "conv",      "mm",          "matmul", "linear",
	                                     "embedding", NULL};
	const struct weir_timeline *timeline = &search->program->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
	struct weir_args args;
	double bytes = operand_bytes(search, row);

	for (size_t i = 0; sizing[i]; i++)
		if (strstr(name, sizing[i]))
			return 0;
	if (weir_op_is_one_of(name, tests) && weir_advisor_args(search->draft->advisor, row, &args))
		return args.items[0].elements;
	if (!weir_op_is_one_of(name, casts))
		return bytes;
	for (uint32_t r = row + 1; r < host->count && host->end_ns[r] <= host->end_ns[row]; r++)
		if (strcmp(weir_timeline_host_name(timeline, r), "aten::copy_") == 0)
			return operand_bytes(search, r);
	return 0;
}

/* Share of the rate of pinned copies that large ones to pageable memory reach: 15.1, 15.6 and 16.7
 * of 47 GB/s. Small ones are faster, since allocators reuse their memory. */
#define PAGEABLE_SHARE 0.33

/* Returns the time of a copy that moves other bytes than now: less at its own rate, more at that of
 * large copies. */
static double resized_ns(const struct search *search, uint32_t job, double copy_ns)
{
	struct weir_transfer copy =
		weir_transfer_of(search->draft->advisor, &search->program->jobs[job]);
	double bytes = search->copied[job], rate = search->rates[copy.way].typical;

	if (!(bytes > 0) || !(copy.bytes > 0))
		return copy_ns;
	if (bytes <= copy.bytes)
		return fmax(WEIR_SHORTEST_KERNEL_NS, copy_ns * bytes / copy.bytes);
	if (copy.memory != WEIR_MEMORY_PINNED)
		rate *= PAGEABLE_SHARE;
	return isnan(rate) ? copy_ns : fmax(copy_ns, bytes / rate * 1e9);
}

/* Returns the bytes that the first operator in front of a copy reads, if they are more than the
 * copy moves now; 0: they are not. Fewer may be one of several inputs. */
static double input_bytes(const struct search *search, uint32_t row, uint32_t job)
{
	double bytes = operand_bytes(search, row);

	return bytes > weir_transfer_of(search->draft->advisor, &search->program->jobs[job]).bytes
	               ? bytes
	               : 0;
}

/* Adds an operator to the copy's place on the device; `chosen`: it leaves few elements to copy. */
static void join_copy(struct search *search, uint32_t job, double after_ns, bool chosen)
{
	struct weir_issue *issue = &search->draft->program.issues[search->program->jobs[job].issue];
	double copy_ns = resized_ns(search, job, search->program->jobs[job].ns), ns;

	if (chosen)
		search->chosen[job] = 1;
	if (search->chosen[job]) {
		copy_ns = chosen_ns(search, job, search->program->jobs[job].ns);
		issue->return_ns = fmin(issue->return_ns, RETURN_NS);
	}
	search->moved_ns[job] += after_ns;
	ns = copy_ns + search->moved_ns[job];
	weir_draft_set_job(search->draft, job, ns, 0.5 * ns, 2 * ns);
}

/* Moves an operator; returns the issue in front of which it ran, WEIR_NONE: it stays. */
static uint32_t move(struct search *search, uint32_t row)
{
	const struct weir_host_columns *host = &search->program->rank->trace->host;
	double ns = (double)weir_span_ns(host->start_ns[row], host->end_ns[row]);
	uint32_t issue = issue_after(search->program, host->start_ns[row]), job;
	double after_ns = device_ns(search->draft->advisor, row);
	const char *name =
		weir_op_plain_name(weir_timeline_host_name(&search->program->rank->timeline, row));
	bool before;

	if (issue == WEIR_NONE || isnan(after_ns))
		return WEIR_NONE;
	job = search->program->issues[issue].kind == WEIR_ISSUE_INPUT ? WEIR_NONE
	                                                              : copy_before(search, issue);
	before = job != WEIR_NONE;
	if (!before)
		job = copy_after(search, issue);
	if (job == WEIR_NONE)
		return WEIR_NONE;
	if (before)
		search->copied[job] = result_bytes(search, row);
	else if (search->moved_ns[job] == 0)
		search->copied[job] = input_bytes(search, row, job);
	join_copy(search, job, after_ns, before && weir_op_is_one_of(name, choosing));
	relieve(search, issue, ns);
	search->added_ns[issue] += dispatch_of(search, row);
	weir_draft_less_freeing(search->draft, issue, operand_bytes(search, row));
	if (!before)
		search->read_bytes += operand_bytes(search, row);
	search->device_ns += after_ns;
	search->moved++;
	return issue;
}

/* Returns the host's time to dispatch the short operators among the rows [first, end) of a thread:
 * their tensors are on the device, so that they run there as well. A view takes as long as now. */
static double dispatch_between(const struct search *search, uint32_t first, uint32_t end)
{
	const struct weir_timeline *timeline = &search->program->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	double sum_ns = 0;

	for (uint32_t row = first; row < end; row++) {
		double ns = (double)weir_span_ns(host->start_ns[row], host->end_ns[row]);

		if (host->kind[row] != WEIR_HOST_OP || search->device[row] ||
		    timeline->outer_op[row] != row || host->start_ns[row] < host->end_ns[first])
			continue;
		sum_ns += counts_of(search, row) > 0 ? dispatch_of(search, row)
		                                     : fmin(dispatch_of(search, row), ns);
	}
	return sum_ns;
}

/* Takes the host's time between two moved operators, rows of one thread, if it is long: without
 * calls of the device between them, it is spent on their tensors. Other
 * operators are still dispatched; most of the rest frees large tensors. */
static void relieve_between(struct search *search, uint32_t issue, uint32_t from, uint32_t to)
{
	const struct weir_host_columns *host = &search->program->rank->trace->host;

	if (host->start_ns[to] - host->end_ns[from] < LEAST_NS)
		return;
	relieve(search, issue, (double)weir_span_ns(host->end_ns[from], host->start_ns[to]));
	search->added_ns[issue] += dispatch_between(search, from, to);
}

/* Device operators that replace host code without events, such as array expressions, between a copy
 * from the device and a moved operator. An estimate: the trace does not show how many there are. */
#define SILENT_OPERATORS 16.0

/* Takes the host's code without events between a copy from the device and the first operator that
 * moves: it computes what that operator reads, and moves with it. */
static void move_silence(struct search *search, uint32_t issue, int64_t until_ns)
{
	const struct weir_program *program = search->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	uint32_t job = program->issues[issue].kind == WEIR_ISSUE_INPUT ? WEIR_NONE
	                                                               : copy_before(search, issue);
	uint32_t call =
		job == WEIR_NONE ? WEIR_NONE : program->issues[program->jobs[job].issue].call;
	int64_t ns;

	if (call == WEIR_NONE || until_ns <= host->end_ns[call])
		return;
	ns = weir_span_ns(host->end_ns[call], until_ns);
	if (ns < WEIR_HOST_WORK_NS)
		return;
	relieve(search, issue, fmin((double)ns, search->draft->program.issues[issue].work_ns));
	search->added_ns[issue] += SILENT_OPERATORS * search->draft->advisor->operator_ns /
	                           search->draft->advisor->speed.dispatch;
}

static void move_all(struct search *search, uint32_t thread)
{
	const struct weir_program *program = search->program;
	const struct weir_host_columns *host = &program->rank->trace->host;
	size_t first, end;
	int64_t until_ns = INT64_MIN;
	uint32_t last = WEIR_NONE, from = WEIR_NONE, issue;

	weir_timeline_thread_rows(&program->rank->timeline, thread, &first, &end);
	for (uint32_t row = (uint32_t)first;
	     row < end && host->start_ns[row] < program->host_end_ns; row++) {
		struct weir_args args;

		/* Operators inside a moved one move with it. */
		if (host->start_ns[row] < program->host_start_ns ||
		    host->end_ns[row] > program->host_end_ns || host->start_ns[row] < until_ns ||
		    !is_host_operator(search, row, &args))
			continue;
		issue = move(search, row);
		if (issue != WEIR_NONE && issue == last)
			relieve_between(search, issue, from, row);
		else if (issue != WEIR_NONE)
			move_silence(search, issue, host->start_ns[row]);
		last = issue;
		from = row;
		until_ns = host->end_ns[row];
	}
}

/* ---- boxes ---- */

/* Detectors that need no suppression give 100 to 300 boxes (the DETR family), and those that need
 * it keep 1000 and more before it (1000 a level in torchvision, 8400 in YOLO). */
#define LEAST_BOXES 512.0
/* Suppression in a loop of array code took 21 us for each of 1200 boxes; where few of them stay, it
 * takes a part of that. A loop in Python compares each pair in about a microsecond. */
#define LEAST_BOX_NS 1000.0
#define MOST_PAIR_NS 1000.0
/* Operators that suppress boxes and pick those that stay with their scores. */
#define BOX_OPERATORS 3.0
/* Copies of one result that are searched. */
#define MOST_RESULTS 16

static bool is_float(const struct weir_arg *tensor)
{
	enum weir_dtype dtype = tensor->element.dtype;

	return dtype == WEIR_DTYPE_FP32 || dtype == WEIR_DTYPE_FP16 || dtype == WEIR_DTYPE_BF16;
}

/* Returns the number of boxes among the results that the copies directly before an issue fetch: a
 * tensor with rows of four coordinates, and one with a score for each row; 0: no boxes. */
static double boxes_before(const struct search *search, uint32_t issue)
{
	const struct weir_advisor *advisor = search->draft->advisor;
	double boxes[MOST_RESULTS], scores[MOST_RESULTS];
	size_t box_count = 0, score_count = 0, seen = 0;

	for (uint32_t j = search->program->issues[issue].first_job; j > 0 && seen < MOST_RESULTS;
	     j--, seen++) {
		const struct weir_job *job = &search->program->jobs[j - 1];
		const struct weir_arg *tensor;
		struct weir_args args;

		if (weir_transfer_of(advisor, job).way != WEIR_TRANSFER_DOWN)
			break;
		if (job->op == WEIR_NONE || !weir_advisor_args(advisor, job->op, &args) ||
		    !(tensor = weir_args_tensor(&args, 0)) || tensor->rank < 1 || !is_float(tensor))
			continue;
		if (tensor->rank > 1 && tensor->dims[tensor->rank - 1] == 4)
			boxes[box_count++] = tensor->elements / 4;
		else
			scores[score_count++] = tensor->elements;
	}
	for (size_t b = 0; b < box_count; b++)
		for (size_t s = 0; s < score_count; s++)
			if (boxes[b] == scores[s])
				return boxes[b];
	return 0;
}

/* True if a kernel or an operator of the step suppresses boxes already. */
static bool has_suppression(const struct search *search)
{
	const struct weir_advisor *advisor = search->draft->advisor;

	for (uint32_t j = 0; j < search->program->job_count; j++)
		if (strstr(weir_advisor_kernel(advisor, &search->program->jobs[j]), "nms"))
			return true;
	for (uint32_t row = 0; row < search->program->rank->trace->host.count; row++)
		if (suppresses(advisor, row))
			return true;
	return false;
}

/* Returns the number of boxes before an issue whose work takes as long as their suppression, and
 * has no name; 0: no boxes. */
static double boxes_in_loop(const struct search *search, uint32_t issue)
{
	double ns = search->draft->program.issues[issue].work_ns, count;

	if (ns < WEIR_HOST_WORK_NS)
		return 0;
	count = boxes_before(search, issue);
	if (count < LEAST_BOXES || ns < LEAST_BOX_NS * count ||
	    ns > MOST_PAIR_NS * count * (count - 1) / 2 ||
	    !weir_pause_is_anonymous(&search->program->rank->timeline,
	                             search->program->issues[issue].work_row))
		return 0;
	return count;
}

/* Moves the suppression of boxes in work without events. */
static void move_boxes(struct search *search)
{
	const struct weir_program *program = search->program;
	const struct weir_advisor *advisor = search->draft->advisor;

	for (uint32_t i = 0; i < program->issue_count; i++) {
		double count = boxes_in_loop(search, i), ns = BOX_NS * count;
		const struct weir_job *job;

		if (count == 0)
			continue;
		if (search->boxes == 0 && has_suppression(search))
			return;
		job = &program->jobs[program->issues[i].first_job - 1];
		weir_draft_set_job(search->draft, program->issues[i].first_job - 1, job->ns + ns,
		                   job->ns + LEAST_KEPT * ns, job->ns + 2 * ns);
		relieve(search, i, search->draft->program.issues[i].work_ns);
		search->added_ns[i] +=
			((BOX_OPERATORS + COUNTING_OPERATORS) * advisor->operator_ns + RETURN_NS) /
			advisor->speed.dispatch;
		search->device_ns += ns;
		search->boxes += count;
	}
}

/* ---- array code without events ---- */

/* The time that array code takes for a byte of its data. An operation of NumPy takes 1 to 10 ns for
 * an fp32 value; 4 measured programs took 0.8 to 7.3 ns a byte of their results or inputs. Two
 * other kinds of code took longer: compression 22 ns, text 113 ns. Work below the lower limit does
 * not touch all of the data. */
#define ARRAY_LEAST_NS 0.1
#define ARRAY_MOST_NS  10.0
/* Share of work that takes such a time and is something else. Of 13 measured programs, two computed
 * on arrays; the others coded or decoded pictures and data, or wrote files. */
#define ARRAY_DOUBT 0.85
/* Smaller arrays take the host as long as the operators that would replace it. */
#define ARRAY_BYTES 262144.0

/* True if an operator of the step wraps an array of NumPy, or of a list, that is large enough. */
static bool wraps_array(const struct search *search)
{
	const struct weir_program *program = search->program;
	const struct weir_host_columns *host = &program->rank->trace->host;

	for (uint32_t row = 0; row < host->count; row++) {
		if (host->start_ns[row] < program->host_start_ns ||
		    host->end_ns[row] > program->host_end_ns ||
		    strcmp(weir_timeline_host_name(&program->rank->timeline, row),
		           "aten::lift_fresh") != 0)
			continue;
		if (operand_bytes(search, row) >= ARRAY_BYTES)
			return true;
	}
	return false;
}

/* True if a frame of NumPy, or one inside it, has the row. */
static bool is_in_array_code(const struct weir_timeline *timeline, uint32_t row)
{
	for (; row != WEIR_NONE; row = timeline->parent[row])
		if (weir_frame_is_array_code(weir_timeline_host_name(timeline, row)))
			return true;
	return false;
}

/* True if the host's work behind the results or before the input of a step is array code: by a
 * frame of NumPy around most of it, or because nothing names it and it takes a time for each byte
 * that array code takes. Reading a file takes that, too, so that input without a name counts only
 * if the step wraps an array. */
static bool is_array_code(const struct search *search, const struct weir_issue *issue, double bytes)
{
	const struct weir_timeline *timeline = &search->program->rank->timeline;
	double ns = issue->work_ns;

	if (bytes < ARRAY_BYTES || ns < bytes * ARRAY_LEAST_NS)
		return false;
	if (is_in_array_code(timeline, issue->work_row))
		return true;
	return ns <= bytes * ARRAY_MOST_NS && weir_pause_is_anonymous(timeline, issue->work_row) &&
	       (issue->kind == WEIR_ISSUE_OUTPUT || wraps_array(search));
}

/* Adds the time of the moved code to the copies of one way. Copies of results shrink: the device
 * returns what the code makes of them. */
static void join_array_code(struct search *search, enum weir_transfer_way way, double bytes)
{
	const struct weir_advisor *advisor = search->draft->advisor;
	double ns = weir_advisor_kernel_ns(advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_FP32,
	                                   PASSES * bytes, 0.5);

	for (uint32_t j = 0; j < search->program->job_count; j++) {
		const struct weir_job *job = &search->program->jobs[j];
		struct weir_transfer copy = weir_transfer_of(advisor, job);
		double copy_ns = job->ns, own_ns = ns * copy.bytes / bytes;

		if (copy.way != way)
			continue;
		if (way == WEIR_TRANSFER_DOWN)
			copy_ns = chosen_ns(search, j, job->ns);
		weir_draft_set_job(search->draft, j, copy_ns + own_ns, copy_ns,
		                   job->ns + 2 * own_ns);
	}
	search->device_ns += ns;
}

/* Moves array code behind the results and before the input of the step. */
static void move_array_code(struct search *search)
{
	for (uint32_t i = 0; i < search->program->issue_count; i++) {
		const struct weir_issue *issue = &search->draft->program.issues[i];
		bool output = issue->kind == WEIR_ISSUE_OUTPUT;
		enum weir_transfer_way way = output ? WEIR_TRANSFER_DOWN : WEIR_TRANSFER_UP;
		double bytes;

		if ((!output && issue->kind != WEIR_ISSUE_INPUT) ||
		    issue->work_ns < WEIR_HOST_WORK_NS)
			continue;
		bytes = weir_transfer_bytes(search->draft->advisor, way);
		if (!is_array_code(search, issue, bytes))
			continue;
		search->array_named |=
			is_in_array_code(&search->program->rank->timeline, issue->work_row);
		search->array_ns += issue->work_ns;
		relieve(search, i, issue->work_ns);
		search->added_ns[i] += SILENT_OPERATORS * search->draft->advisor->operator_ns /
		                       search->draft->advisor->speed.dispatch;
		join_array_code(search, way, bytes);
		search->array_bytes += bytes;
	}
}

/* Says on what the durations rest. */
static void explain(const struct search *search)
{
	if (search->boxes > 0)
		weir_draft_basis(search->draft,
		                 "%.2f ms of host work without events behind %.0f boxes and their "
		                 "scores, as long as loops suppress boxes: one operator of the "
		                 "device, as torchvision.ops.nms, takes %.0f us",
		                 search->host_ns / 1e6, search->boxes, search->device_ns / 1e3);
	else if (search->array_bytes > 0)
		weir_draft_basis(search->draft,
		                 "%.2f ms of host work %s go through %.1f MB%s: %.0f operators on "
		                 "the device take %.0f us, and the copy moves their input or their "
		                 "result",
		                 search->host_ns / 1e6,
		                 search->array_named ? "of NumPy" : "without events",
		                 search->array_bytes / 1e6,
		                 search->array_named ? "" : ", as fast as array code such as NumPy",
		                 SILENT_OPERATORS, search->device_ns / 1e3);
	else
		weir_draft_basis(search->draft,
		                 "%zu operators of %.2f ms on the host take %.0f us on the device "
		                 "by roofline; the copy moves their input, or their result",
		                 search->moved, search->host_ns / 1e6, search->device_ns / 1e3);
}

bool weir_fix_move_to_device(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->advisor->program;
	const struct weir_trace *trace = program->rank->trace;
	struct search search = {.draft = draft, .program = program};
	uint8_t *seen; /* per thread */

	if (!program->has_host)
		return false;
	search.device = weir_alloc(trace->host.count + 1);
	search.moved_ns = weir_alloc((program->job_count + 1) * sizeof *search.moved_ns);
	search.added_ns = weir_alloc((program->issue_count + 1) * sizeof *search.added_ns);
	search.copied = weir_alloc((program->job_count + 1) * sizeof *search.copied);
	search.chosen = weir_alloc(program->job_count + 1);
	seen = weir_alloc(trace->thread_count + 1);
	mark(&search);
	weir_transfer_rates(draft->advisor, search.rates);
	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call == WEIR_NONE || seen[trace->host.thread[call]])
			continue;
		seen[trace->host.thread[call]] = 1;
		move_all(&search, trace->host.thread[call]);
	}
	move_boxes(&search);
	move_array_code(&search);
	if (draft->displaced || fmax(search.read_bytes, search.array_bytes) >= WEIR_COLD_BYTES)
		weir_draft_warm_first_calls(draft); /* not the dispatch that is added below */
	/* Not through the draft: a place has the time that the host takes there now. */
	for (uint32_t i = 0; i < program->issue_count; i++)
		draft->program.issues[i].dispatch_ns += search.added_ns[i];
	free(search.device);
	free(search.added_ns);
	free(search.moved_ns);
	free(search.copied);
	free(search.chosen);
	free(seen);
	explain(&search);
	if (search.array_ns > search.host_ns / 2 && !search.array_named)
		draft->doubt = ARRAY_DOUBT;
	return search.moved > 0 || search.boxes > 0 || search.array_bytes > 0;
}
