/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts of whole rows of which the first elements are used: a radix select finds them. Sorts that
 * find the place of one element: the higher ones are counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/base/arena.h"

/* Rows up to 4096 elements are sorted by one block in one kernel, longer ones in passes over memory
 * (PyTorch 2.11). */
#define LEAST_ROW 4097
/* A use of at most this share of a row needs no sort of all of it. */
#define FEW_SHARE 0.125

/*
 * A radix select counts 8 bits of the keys a pass, and then takes as long as two more passes to
 * gather what it found. torch.topk (PyTorch 2.11 on H100, fp32, fp16 and bf16, 1 to 4,096 rows of
 * 8,192 to 8,388,608 values, 1 to 512 taken): 1.8 to 2.2 ps an element and pass for keys of 2 and
 * of 4 bytes, as arithmetic limits it, beside 3 short kernels for each pass that counts and 8
 * around them, 2.8 us each with the gap behind it. The model is within 20 % of 176 of 189 calls.
 */
#define BITS_A_PASS     8.0
#define GATHER_PASSES   2.0
#define PASS_EFFICIENCY 0.62
#define LEAST_KEY_BYTES 4.0
#define SHORT_A_PASS    3.0
#define SHORT_AROUND    8.0
#define SHORT_KERNEL_NS 2800.0

/*
 * An element far from both ends of its row is found by one block of threads a row, which counts 2
 * bits of the keys a pass (torch.kthvalue, torch.median). PyTorch 2.11 on H100: 512 to 32,768 rows
 * of 4,100 to 65,536 fp32 or bf16 values took 2.3 to 4.1 ns an element on each of the 132
 * multiprocessors, 8 and 64 rows 2.5 to 5.9 ns an element of the row.
 */
#define MIDDLE_NS     3.0
#define MIDDLE_ROW_NS 4.0

/* ---- evidence ---- */

/* Operators that draw from a sorted vocabulary, or prepare that. A running sum alone draws nothing:
 * it counts the labels before each place of a ranking, or sums a distribution up. */
static const char *const sampling[] = {"softmax",     "_softmax",     "log_softmax", "_log_softmax",
                                       "multinomial", "exponential_", NULL};
static const char *const slicing[] = {"slice", "narrow", "select", "gather", "index_select", NULL};
/* Read or write all elements in the order of a sort. */
static const char *const ordering[] = {"index",   "gather",     "take_along_dim",   "take",
                                       "scatter", "scatter_",   "index_put_",       "index_select",
                                       "put_",    "index_add_", "_index_put_impl_", NULL};

/* The operators of the step that may read a sort's result, in the order of their rows. */
struct readers {
	uint32_t *rows;
	size_t count;
	size_t looks_left; /* at readers, for all sorts together */
	bool found;
};

/* Programs sort a few times a step. Beyond this many looks, the other sorts stay as they are. */
#define MOST_LOOKS ((size_t)1 << 21)

static void find_readers(const struct weir_program *program, struct readers *out)
{
	const struct weir_timeline *timeline = &program->rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t capacity = 0;

	if (out->found) /* before another sort */
		return;
	*out = (struct readers){.looks_left = MOST_LOOKS, .found = true};
	for (uint32_t row = 0; row < host->count; row++) {
		const char *name;

		if (host->shape[row] == 0 || host->start_ns[row] >= program->host_end_ns ||
		    host->end_ns[row] <= program->host_start_ns)
			continue;
		name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
		if (!weir_op_is_one_of(name, sampling) && !weir_op_is_one_of(name, slicing) &&
		    !weir_op_is_one_of(name, ordering) && strcmp(name, "eq") != 0)
			continue;
		out->rows = weir_grow(out->rows, &capacity, out->count + 1, sizeof *out->rows);
		out->rows[out->count++] = row;
	}
}

/* The part of sorted rows that a step uses. */
enum use {
	USE_ALL,     /* nothing shows that a part is enough */
	USE_RANK,    /* the place of one element in each row, which the higher ones give */
	USE_MIDDLE,  /* one element of each row, far from both ends */
	USE_FIRST,   /* few elements */
	USE_SAMPLES, /* few elements, drawn from the whole rows */
};

/* A dimension along which rows lie, and their length. */
struct rows {
	int64_t length;
	int32_t from_end; /* 1: the last dimension */
};

/* True if the operator works along the rows: argument 1 names their dimension. */
static bool works_along(const struct weir_args *args, const struct weir_arg *x,
                        const struct rows *rows)
{
	int64_t dim;

	if (!weir_args_int(args, 1, &dim))
		return false;
	dim += dim < 0 ? x->rank : 0;
	return x->rank >= rows->from_end && dim == x->rank - rows->from_end &&
	       x->dims[dim] == rows->length;
}

/* Returns the position in a row that an argument names, which may count from the end. */
static double position(const struct weir_args *args, size_t index, int64_t length, int64_t absent)
{
	int64_t at;

	if (!weir_args_int(args, index, &at))
		at = absent;
	at += at < 0 ? length : 0;
	return fmax(0, fmin((double)at, (double)length));
}

/* True if an index names few elements of each row: gather takes one with the rank of its input,
 * index_select a list. A quantile gathers its two neighbours in this way. */
static bool picks_few(const struct weir_arg *index, const struct rows *rows)
{
	int32_t dim;

	if (!index || index->rank < 1)
		return false;
	dim = index->rank == 1 ? 0 : index->rank - rows->from_end;
	return dim >= 0 && (double)index->dims[dim] <= FEW_SHARE * (double)rows->length;
}

/* Returns the use of the one element at this position. */
static enum use use_of_one(double at, double length)
{
	return fmin(at + 1, length - at) <= FEW_SHARE * length ? USE_FIRST : USE_MIDDLE;
}

/* Returns what the operator takes of such rows. */
static enum use taken(const char *name, const struct weir_args *args, const struct rows *rows)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	double length = (double)rows->length;
	int64_t count;

	bool few;

	if (!x || !works_along(args, x, rows))
		return USE_ALL;
	if (strcmp(name, "select") == 0)
		return use_of_one(position(args, 2, rows->length, 0), length);
	if (strcmp(name, "gather") == 0 || strcmp(name, "index_select") == 0)
		few = picks_few(weir_args_tensor(args, 2), rows);
	else if (strcmp(name, "narrow") == 0)
		few = weir_args_int(args, 3, &count) && (double)count <= FEW_SHARE * length;
	else
		few = position(args, 3, rows->length, rows->length) -
		              position(args, 2, rows->length, 0) <=
		      FEW_SHARE * length;
	return few ? USE_FIRST : USE_ALL;
}

/* Returns the use of the sort that the host row shows, if it is an operator on such rows. */
static enum use shown_use(const struct weir_program *program, uint32_t host_row,
                          const struct rows *rows)
{
	const char *name =
		weir_op_plain_name(weir_timeline_host_name(&program->rank->timeline, host_row));
	const struct weir_arg *x;
	struct weir_call call;
	struct weir_args args;
	bool slices = weir_op_is_one_of(name, slicing);

	if ((!slices && !weir_op_is_one_of(name, sampling)) ||
	    !weir_call_of_op(program->rank->trace, host_row, NULL, &call) ||
	    !weir_args_parse(&args, call.dims, call.types, call.scalars))
		return USE_ALL;
	if (slices)
		return taken(name, &args, rows);
	x = weir_args_tensor(&args, 0);
	return x && rows->from_end == 1 && x->dims[x->rank - 1] == rows->length ? USE_SAMPLES
	                                                                        : USE_ALL;
}

static enum use use_of_rows(const struct weir_program *program, uint32_t sort_row,
                            const struct rows *rows, const struct readers *readers)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	enum use use = USE_ALL;

	for (size_t i = 0; i < readers->count; i++) {
		enum use shown;

		if (host->thread[readers->rows[i]] != host->thread[sort_row])
			continue;
		shown = shown_use(program, readers->rows[i], rows);
		use = shown > use ? shown : use;
	}
	return use;
}

/* ---- ranks ---- */

/* True if the tensor has a number for each of the sorted elements: the order that a sort gives. */
static bool is_order(const struct weir_arg *tensor, const struct weir_arg *x)
{
	if (!tensor || tensor->element.dtype != WEIR_DTYPE_INT || tensor->rank != x->rank)
		return false;
	for (int d = 0; d < x->rank; d++)
		if (tensor->dims[d] != x->dims[d])
			return false;
	return true;
}

/* True if the operator compares the order with one number for each row. */
static bool seeks_one(const char *name, const struct weir_args *args, const struct weir_arg *x,
                      const struct rows *rows)
{
	const struct weir_arg *sought = weir_args_tensor(args, 1);
	int d = x->rank - rows->from_end;

	if (strcmp(name, "eq") != 0 || args->count < 2 || !is_order(weir_args_tensor(args, 0), x))
		return false;
	if (!sought) /* a number */
		return true;
	return sought->elements == 1 || (sought->rank == x->rank && sought->dims[d] == 1 &&
	                                 sought->elements * (double)rows->length == x->elements);
}

/* True if an operator that reads or writes in an order may do it in that of the sort: it has the
 * order as an argument, or a table as long as the rows. The list of an index is not recorded. */
static bool takes_order(const struct weir_args *args, const struct weir_arg *x,
                        const struct rows *rows)
{
	const struct weir_arg *table = weir_args_tensor(args, 0);

	if (table && (table->rank == 1 || x->rank == 1) && table->dims[0] == rows->length)
		return true;
	for (size_t i = 0; i < args->count; i++)
		if (is_order(weir_args_tensor(args, i), x))
			return true;
	return false;
}

/* True if the step uses the order of a sort only to find the place of one element in each row. */
static bool seeks_places(const struct weir_advisor *advisor, uint32_t sort_row,
                         const struct weir_arg *x, const struct rows *rows,
                         const struct readers *readers)
{
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	bool found = false;

	for (size_t i = 0; i < readers->count; i++) {
		uint32_t row = readers->rows[i];
		const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
		bool orders = weir_op_is_one_of(name, ordering);
		struct weir_args args;

		if (row <= sort_row || host->thread[row] != host->thread[sort_row] ||
		    (!orders && strcmp(name, "eq") != 0) || !weir_advisor_args(advisor, row, &args))
			continue;
		if (orders && takes_order(&args, x, rows))
			return false;
		found |= seeks_one(name, &args, x, rows);
	}
	return found;
}

/* Returns the time to compare all elements with one of their row: they are read, and a byte is
 * written for each; before that a gather takes the one. NAN: not known. */
static double compare_ns(const struct weir_advisor *advisor, const struct weir_arg *x)
{
	return WEIR_SHORTEST_KERNEL_NS + weir_advisor_kernel_ns(advisor, 0, WEIR_ENGINE_NONE,
	                                                        WEIR_DTYPE_FP32,
	                                                        weir_arg_bytes(x) + x->elements, 1);
}

/* ---- the fix ---- */

static const char *const sorts[] = {"sort", "argsort", "msort", NULL};
/* Sort whole rows, and take one element and its neighbour. */
static const char *const quantiles[] = {"quantile", "nanquantile", NULL};

/* Returns the outermost of these operators at or above the host row; WEIR_NONE: none. */
static uint32_t operator_around(const struct weir_program *program, uint32_t op,
                                const char *const *names)
{
	const struct weir_timeline *timeline = &program->rank->timeline;
	uint32_t found = WEIR_NONE;

	for (; op != WEIR_NONE; op = timeline->parent[op])
		if (weir_op_is_one_of(weir_op_plain_name(weir_timeline_host_name(timeline, op)),
		                      names))
			found = op;
	return found;
}

/* Returns the device time of a radix select; NAN: not known. */
static double select_ns(const struct weir_advisor *advisor, const struct weir_arg *x)
{
	double counts = ceil(x->element.width * 8 / BITS_A_PASS);
	double bytes = x->elements * fmax(x->element.width, LEAST_KEY_BYTES);

	return (counts + GATHER_PASSES) * bytes / (PASS_EFFICIENCY * advisor->bandwidth) * 1e9 +
	       (SHORT_A_PASS * counts + SHORT_AROUND) * SHORT_KERNEL_NS;
}

/* Returns the launches of a radix select. */
static double select_launches(const struct weir_arg *x)
{
	double counts = ceil(x->element.width * 8 / BITS_A_PASS);

	return counts + GATHER_PASSES + SHORT_A_PASS * counts + SHORT_AROUND;
}

/* Removes the calls behind the first `launches` of a sort's jobs [first, end): a sort of long rows
 * launches a dozen kernels for each row (PyTorch 2.11), a select the same number for any number of
 * rows. Returns the end of the jobs that are left. */
static uint32_t launch_less(struct weir_draft *draft, uint32_t first, uint32_t end, double launches)
{
	const struct weir_program *program = &draft->advisor->program;
	uint32_t kept = end - first > launches ? first + (uint32_t)launches : end;

	for (uint32_t j = first; j < end; j++)
		if (program->issues[program->jobs[j].issue].job_count != 1)
			return end; /* a graph launches them all at once */
	for (uint32_t j = kept; j < end; j++)
		weir_draft_remove(draft, program->jobs[j].issue);
	return kept;
}

/* Returns the device time to find one element of each row by a block of threads; NAN: not known. */
static double middle_ns(const struct weir_advisor *advisor, const struct weir_arg *x, double length)
{
	if (!advisor->peaks || advisor->peaks->sms == 0)
		return NAN;
	return length * fmax(MIDDLE_NS * x->elements / length / advisor->peaks->sms, MIDDLE_ROW_NS);
}

/* Fills the rows that are sorted; false: not recorded. */
static bool sorted_rows(const struct weir_args *args, const struct weir_arg *x, struct rows *out)
{
	int64_t dim;

	/* sort(x, dim, descending), or sort(x, stable, dim, descending) */
	if (!weir_args_int(args, 1, &dim) && !weir_args_int(args, 2, &dim))
		dim = -1;
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank)
		return false;
	*out = (struct rows){x->dims[dim], x->rank - (int32_t)dim};
	return true;
}

/* Returns the use of a sort of long rows of floats, and fills its arguments and rows. */
static enum use use_of_sort(const struct weir_advisor *advisor, uint32_t sort_row,
                            struct readers *readers, struct weir_args *args, struct rows *rows)
{
	const struct weir_arg *x;
	enum use use;

	if (!weir_advisor_args(advisor, sort_row, args) || !(x = weir_args_tensor(args, 0)) ||
	    !sorted_rows(args, x, rows) || rows->length < LEAST_ROW ||
	    x->element.dtype == WEIR_DTYPE_INT || x->element.dtype == WEIR_DTYPE_INT8)
		return USE_ALL;
	if (readers->looks_left < readers->count)
		return USE_ALL;
	readers->looks_left -= readers->count;
	use = use_of_rows(&advisor->program, sort_row, rows, readers);
	return use == USE_ALL && seeks_places(advisor, sort_row, x, rows, readers) ? USE_RANK : use;
}

/* Returns the number of selects that replace a sort: one for each quantile, else one. */
static double selects_of(const struct weir_advisor *advisor, uint32_t sort_row)
{
	uint32_t row = operator_around(&advisor->program, sort_row, quantiles);
	struct weir_args args;
	const struct weir_arg *wanted;

	if (row == WEIR_NONE || !weir_advisor_args(advisor, row, &args) ||
	    !(wanted = weir_args_tensor(&args, 1)))
		return 1;
	return (double)wanted->dims[0];
}

/* Removes what a quantile does beside its sort, except its last kernel: a select needs one that
 * takes the last of the elements found. Returns the device time that goes. */
static double remove_rest(struct weir_draft *draft, uint32_t sort_row)
{
	const struct weir_program *program = &draft->advisor->program;
	uint32_t row = operator_around(program, sort_row, quantiles), last = WEIR_NONE;
	double ns = 0;

	for (uint32_t j = 0; row != WEIR_NONE && j < program->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];

		if (operator_around(program, job->op, quantiles) != row ||
		    operator_around(program, job->op, sorts) == sort_row)
			continue;
		if (last != WEIR_NONE) {
			ns += program->jobs[last].ns;
			weir_draft_remove(draft, program->jobs[last].issue);
		}
		last = j;
	}
	return ns;
}

/* ---- what samples from the sorted rows ---- */

/* Operators that write sorted elements back to their places: what follows has whole rows again. */
static bool restores_rows(const char *op)
{
	return strstr(op, "scatter") || strstr(op, "index_put");
}

/* True if the operator has a tensor of about as many elements as were sorted: a mask is shifted by
 * one element of each row. */
static bool works_on(const struct weir_advisor *advisor, uint32_t op, double elements)
{
	struct weir_args args;

	if (!weir_advisor_args(advisor, op, &args))
		return false;
	for (size_t i = 0; i < args.count; i++)
		if (weir_args_tensor(&args, i) && args.items[i].elements <= elements &&
		    args.items[i].elements > elements / 2)
			return true;
	return false;
}

/* Draw from the rows; nothing else of them is used. */
static const char *const drawing[] = {"multinomial", NULL};

/* Returns the job behind the draw from the rows that are sorted before the job `from`; `from`: the
 * step does not draw from them before it sorts again. */
static uint32_t drawn_until(const struct weir_advisor *advisor, uint32_t from, double elements)
{
	const struct weir_program *program = &advisor->program;
	uint32_t draw = WEIR_NONE, j = from;

	for (; j < program->job_count && draw == WEIR_NONE; j++) {
		if (operator_around(program, program->jobs[j].op, sorts) != WEIR_NONE)
			return from;
		if (works_on(advisor, program->jobs[j].op, elements))
			draw = operator_around(program, program->jobs[j].op, drawing);
	}
	if (draw == WEIR_NONE)
		return from;
	while (j < program->job_count &&
	       operator_around(program, program->jobs[j].op, drawing) == draw)
		j++;
	return j;
}

/* Sets the least time of what a sampler does with whole rows, which it has written back, in
 * [first, end): it may write the candidates back, or draw from them alone. */
static void draw_candidates(struct weir_draft *draft, uint32_t first, uint32_t end, double elements)
{
	for (uint32_t j = first; j < end; j++) {
		struct weir_job *job = &draft->program.jobs[j];

		if (works_on(draft->advisor, job->op, elements))
			job->low_ns = fmin(job->low_ns, WEIR_SHORTEST_KERNEL_NS);
	}
}

/* Shortens what a sampler does with the sorted rows, behind the sort that ends at the job `end`: it
 * works on the candidates, except for one pass over the whole rows that their probabilities need.
 * Returns the device time that goes. */
static double sample_candidates(struct weir_draft *draft, uint32_t end, double elements)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	bool normalised = false;
	double less_ns = 0;

	for (uint32_t j = end; j < program->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];
		const char *op = weir_op_plain_name(weir_advisor_op(advisor, job));

		if (restores_rows(op)) {
			draw_candidates(draft, j, drawn_until(advisor, j, elements), elements);
			break;
		}
		if (operator_around(program, job->op, sorts) != WEIR_NONE)
			break;
		if (!works_on(advisor, job->op, elements) || job->ns <= WEIR_SHORTEST_KERNEL_NS)
			continue;
		if (!normalised && strstr(op, "softmax")) {
			normalised = true;
			continue;
		}
		weir_draft_set_job(draft, j, WEIR_SHORTEST_KERNEL_NS, WEIR_SHORTEST_KERNEL_NS,
		                   job->ns);
		less_ns += job->ns - WEIR_SHORTEST_KERNEL_NS;
	}
	return less_ns;
}

/* ---- comparisons that find a place ---- */

/* Removes the comparison of the order with the elements sought, and the casts of its result, behind
 * the sort that ends at the job `end`. The reduction that finds the place becomes a sum, and stays
 * as long: it is limited by values, not by bytes. Returns the device time that goes. */
static double count_higher(struct weir_draft *draft, uint32_t end, double elements)
{
	static const char *const removed[] = {"eq", "copy_", NULL};
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	double less_ns = 0;

	for (uint32_t j = end; j < program->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];

		if (!works_on(advisor, job->op, elements))
			continue;
		if (!weir_op_is_one_of(weir_op_plain_name(weir_advisor_op(advisor, job)), removed))
			break;
		weir_draft_remove(draft, job->issue);
		less_ns += job->ns;
	}
	return less_ns;
}

/* The time of sorts, and of the selects or comparisons instead of them. */
struct total {
	double before_ns, after_ns;
	bool middle; /* one of them finds an element far from the ends of its row */
	bool ranks;  /* one of them finds the place of an element */
};

/* Scales the jobs [first, end) of one sort to a select, unless that takes no less. */
static void replace(struct weir_draft *draft, uint32_t sort_row, uint32_t first, uint32_t end,
                    struct readers *readers, struct total *total)
{
	const struct weir_advisor *advisor = draft->advisor;
	double now_ns = 0, kept_ns = 0, ns;
	uint32_t kept;
	struct weir_args args;
	const struct weir_arg *x;
	struct rows rows;
	enum use use = use_of_sort(advisor, sort_row, readers, &args, &rows);

	if (use == USE_ALL)
		return;
	for (uint32_t j = first; j < end; j++)
		now_ns += advisor->program.jobs[j].ns;
	x = weir_args_tensor(&args, 0);
	if (use == USE_RANK)
		ns = compare_ns(advisor, x);
	else
		ns = use == USE_MIDDLE ? middle_ns(advisor, x, (double)rows.length)
		                       : select_ns(advisor, x) * selects_of(advisor, sort_row);
	if (!(ns < now_ns))
		return;
	kept = launch_less(draft, first, end, select_launches(x) * selects_of(advisor, sort_row));
	for (uint32_t j = first; j < kept; j++)
		kept_ns += advisor->program.jobs[j].ns;
	for (uint32_t j = first; j < kept; j++) {
		weir_draft_scale_job(draft, j, ns / kept_ns, 0.6 * ns / kept_ns,
		                     fmin(now_ns / kept_ns, 1.4 * ns / kept_ns));
		/* The time of a select was measured with what lies between its kernels. */
		if (j > first)
			weir_draft_close_gap(draft, j);
	}
	total->after_ns += ns;
	total->middle |= use == USE_MIDDLE;
	total->ranks |= use == USE_RANK;
	total->before_ns += now_ns + remove_rest(draft, sort_row);
	if (use == USE_SAMPLES)
		total->before_ns += sample_candidates(draft, end, x->elements);
	if (use == USE_RANK)
		total->before_ns += count_higher(draft, end, x->elements);
}

static void explain(struct weir_draft *draft, const struct total *total)
{
	if (total->ranks)
		weir_draft_basis(
			draft,
			"the place of an element is the number of higher ones: a pass that "
			"compares takes %.0f us instead of %.0f us of sorting and of "
			"looking for the place in the order",
			total->after_ns / 1e3, total->before_ns / 1e3);
	else if (total->middle)
		weir_draft_basis(draft,
		                 "a block of threads a row finds its element by counting: %.0f us "
		                 "instead of %.0f us of sorting",
		                 total->after_ns / 1e3, total->before_ns / 1e3);
	else
		weir_draft_basis(draft,
		                 "a radix select takes %.0f us instead of %.0f us of sorting and "
		                 "of work on sorted rows: passes over 8 bits each at %.0f %% of "
		                 "the memory's rate, and short kernels between them",
		                 total->after_ns / 1e3, total->before_ns / 1e3,
		                 100 * PASS_EFFICIENCY);
}

bool weir_fix_select_not_sort(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->advisor->program;
	struct total total = {0};
	struct readers readers = {0};
	uint32_t end;

	for (uint32_t j = 0; j < program->job_count; j = end) {
		uint32_t row = operator_around(program, program->jobs[j].op, sorts);

		for (end = j + 1; row != WEIR_NONE && end < program->job_count &&
		                  operator_around(program, program->jobs[end].op, sorts) == row;)
			end++;
		if (row == WEIR_NONE)
			continue;
		find_readers(program, &readers);
		replace(draft, row, j, end, &readers, &total);
	}
	free(readers.rows);
	explain(draft, &total);
	return total.before_ns > 0;
}
