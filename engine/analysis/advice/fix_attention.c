/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attention in separate kernels: a product whose result is a matrix of scores [T, T], a softmax
 * over it, and a product that reads it. One fused kernel never writes the scores.
 */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/opcalls.h"
#include "engine/analysis/advice/products.h"

/* Jobs between the two products: scale, mask, casts, a safe softmax, dropout. */
#define FARTHEST 40
/* Work on the scores has a tensor with at least this share of their elements. */
#define OF_SCORES 0.5
/* FlashAttention-2 takes 1.5 to 1.9 times as long on a Hopper as the kernels that the model is of.
 * A causal mask that is not seen saves up to 45 %. */
#define FUSED_LOW  0.6
#define FUSED_HIGH 1.9

/* One attention, found as a range of jobs. */
struct site {
	uint32_t first, end; /* jobs; `second` is the last product's first job */
	uint32_t second;
	/* With the copies around it that exist only for the layouts of the products. */
	uint32_t lead, tail;
	double scores; /* elements of all score matrices */
	double queries, keys, depth_v, batch;
	/* The job that applies a mask of truth values, and their share of the scores; 0: none. */
	uint32_t mask_job;
	double mask_share;
	struct weir_product fused;
};

/* ---- sites by structure ---- */

/* Returns the elements of the operator's largest recorded tensor; 0: none. */
static double largest_tensor(const struct weir_advisor *advisor, uint32_t op)
{
	struct weir_args args;
	double most = 0;

	if (!weir_advisor_args(advisor, op, &args))
		return 0;
	for (size_t i = 0; i < args.count; i++)
		if (weir_args_tensor(&args, i))
			most = fmax(most, args.items[i].elements);
	return most;
}

/* True for a softmax over the scores, or its exponential if it is written out. The exponential of
 * one matrix alone is a kernel of distances, which nobody divides by sums of rows. */
static bool is_softmax(const struct weir_advisor *advisor, uint32_t job, double scores,
                       double batch)
{
	const struct weir_job *at = &advisor->program.jobs[job];
	const char *op = weir_advisor_op(advisor, at);

	return (strstr(op, "softmax") || (strcmp(op, "aten::exp") == 0 && batch > 1)) &&
	       largest_tensor(advisor, at->op) == scores;
}

/* Fused kernels exist for heads up to this size. */
#define DEEPEST_HEAD 256.0

/* True for a product that may give scores: no layer with a bias, and heads of a usual size. */
static bool gives_scores(const struct weir_advisor *advisor, const struct weir_product *p)
{
	const char *op = weir_advisor_op(advisor, &advisor->program.jobs[p->first]);

	return p->kind == WEIR_PRODUCT_MATRIX && p->m >= 2 && p->n >= 2 && p->k <= DEEPEST_HEAD &&
	       (strstr(op, "baddbmm") || !strstr(op, "addmm"));
}

/* True if the product multiplies the scores of the first one, or their transpose, with the values:
 * it sums over the keys and keeps the queries. */
static bool reads_scores(const struct weir_product *p, const struct weir_product *first)
{
	double keys = p->k == first->n ? first->n : first->m;
	double queries = keys == first->n ? first->m : first->n;

	return p->kind == WEIR_PRODUCT_MATRIX && p->batch == first->batch && p->k == keys &&
	       ((p->m == queries && p->n <= DEEPEST_HEAD) ||
	        (p->n == queries && p->m <= DEEPEST_HEAD));
}

/* Fills what a fused kernel computes: FLOPs of both products; q, k, v and the result move once. */
static void fill_fused(const struct weir_product *a, const struct weir_product *b,
                       struct site *site)
{
	double depth_v = b->flops / (2 * site->scores);
	bool keys_last = b->k == a->n;

	site->queries = keys_last ? a->m : a->n;
	site->keys = keys_last ? a->n : a->m;
	site->depth_v = depth_v;
	site->batch = a->batch;
	site->fused = (struct weir_product){
		.kind = WEIR_PRODUCT_ATTENTION,
		.engine = a->engine,
		.dtype = a->dtype,
		.width = a->width,
		.flops = a->flops + b->flops,
		.bytes = a->width * a->batch * (a->m + a->n) * (a->k + depth_v),
		.depth = a->k,
		.m = site->queries,
		.n = site->keys,
		.batch = a->batch,
		.mask = site->fused.mask,
	};
}

/*
 * True if the operator has a tensor of [queries, keys] without batch or heads. Such a mask knows
 * positions alone, which means that it is causal; masks for padding differ between sequences.
 */
static bool masks_positions(const struct weir_arg *mask, const struct weir_product *a)
{
	return a->batch > 1 && a->m == a->n && mask->rank >= 2 && mask->elements == a->m * a->n &&
	       (double)mask->dims[mask->rank - 1] == a->n;
}

/* True if the operator adds a tensor as large as the scores to them, or fills them by one: a bias
 * of each head and sequence. A cast or a dropout has two such tensors as well, and adds nothing. */
static bool adds_bias(const struct weir_advisor *advisor, uint32_t op, const struct weir_args *args,
                      double scores)
{
	static const char *const names[] = {"add",          "add_",  "masked_fill",
	                                    "masked_fill_", "where", NULL};
	const char *name =
		weir_op_plain_name(weir_timeline_host_name(&advisor->program.rank->timeline, op));
	size_t large = 0;

	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		large += arg && arg->elements == scores;
	}
	return large >= 2 && weir_op_is_one_of(name, names);
}

/*
 * Returns the values of the first mask of truth values among the arguments, such as masked_fill's;
 * 0: no argument is such a mask. PyTorch makes a tensor of the queries' type of such a mask before
 * it calls a fused kernel: zero where the mask holds, minus infinity elsewhere. It has the mask's
 * size.
 */
static double truth_values(const struct weir_args *args)
{
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (arg && arg->element.dtype == WEIR_DTYPE_INT && arg->element.width == 1)
			return arg->distinct;
	}
	return 0;
}

/* Notes that the job applies a mask, and how large one of truth values is. */
static void note_mask(const struct weir_advisor *advisor, uint32_t job, struct site *site)
{
	struct weir_args args;

	if (site->fused.mask == WEIR_MASK_ANY &&
	    weir_advisor_args(advisor, advisor->program.jobs[job].op, &args)) {
		site->mask_job = job;
		site->mask_share = fmin(1, truth_values(&args) / site->scores);
	}
}

/* Returns the mask or bias that the operator applies to the scores: a tensor of one row of keys or
 * more beside them. */
static enum weir_mask mask_of(const struct weir_advisor *advisor, uint32_t op,
                              const struct weir_product *a)
{
	struct weir_args args;
	double scores = a->m * a->n * a->batch;
	enum weir_mask found = WEIR_MASK_NONE;

	if (largest_tensor(advisor, op) != scores || !weir_advisor_args(advisor, op, &args))
		return WEIR_MASK_NONE;
	if (adds_bias(advisor, op, &args, scores))
		return WEIR_MASK_ANY;
	for (size_t i = 0; i < args.count; i++) {
		const struct weir_arg *mask = weir_args_tensor(&args, i);

		if (!mask || mask->elements == scores || mask->elements < a->n)
			continue;
		if (masks_positions(mask, a))
			return WEIR_MASK_CAUSAL;
		if ((double)mask->dims[mask->rank - 1] == a->n)
			found = WEIR_MASK_ANY;
	}
	return found;
}

/* Finds the attention that begins with the product at `first`. */
static bool find_by_structure(const struct weir_advisor *advisor, uint32_t first, struct site *site)
{
	const struct weir_program *program = &advisor->program;
	struct weir_product a, b;
	bool softmax = false;

	if (!weir_product_read(advisor, first, &a) || !gives_scores(advisor, &a))
		return false;
	*site = (struct site){.first = first, .scores = a.m * a.n * a.batch};
	for (uint32_t j = a.end; j < program->job_count && j < a.end + FARTHEST;
	     j = weir_call_end(program, j)) {
		softmax |= is_softmax(advisor, j, site->scores, a.batch);
		if (!softmax && site->fused.mask == WEIR_MASK_NONE) {
			site->fused.mask = mask_of(advisor, program->jobs[j].op, &a);
			note_mask(advisor, j, site);
		}
		if (!softmax || !weir_product_read(advisor, j, &b) || !reads_scores(&b, &a))
			continue;
		site->second = j;
		site->end = b.end;
		fill_fused(&a, &b, site);
		return true;
	}
	return false;
}

/* ---- sites by name ---- */

/* Positions of arguments. */
#define MATH_MASK   3
#define MATH_CAUSAL 5

/* Fills the site from the arguments q [.., Tq, D], k [.., Tk, D], v [.., Tk, Dv], which may be of
 * another type than the products: the operator casts 16-bit types to fp32. */
static bool fill_from_arguments(const struct weir_advisor *advisor, uint32_t op, struct site *site)
{
	struct weir_args args;
	const struct weir_arg *q, *k, *v;
	double rows_q, rows_k, depth, depth_v, batch;
	bool causal = false;

	if (!weir_advisor_args(advisor, op, &args))
		return false;
	q = weir_args_tensor(&args, 0);
	k = weir_args_tensor(&args, 1);
	v = weir_args_tensor(&args, 2);
	if (!q || !k || !v || q->rank < 3 || k->rank < 3 || v->rank < 3 || !(q->elements > 0))
		return false;
	rows_q = (double)q->dims[q->rank - 2];
	rows_k = (double)k->dims[k->rank - 2];
	depth = (double)q->dims[q->rank - 1];
	depth_v = (double)v->dims[v->rank - 1];
	batch = q->elements / (rows_q * depth);
	weir_args_bool(&args, MATH_CAUSAL, &causal);
	site->scores = batch * rows_q * rows_k;
	site->queries = rows_q;
	site->keys = rows_k;
	site->depth_v = depth_v;
	site->batch = batch;
	site->fused = (struct weir_product){
		.kind = WEIR_PRODUCT_ATTENTION,
		.engine = WEIR_ENGINE_TENSOR,
		.dtype = q->element.dtype,
		.width = q->element.width,
		.flops = 2 * site->scores * (depth + depth_v),
		.bytes = q->element.width * (batch * rows_q * (depth + depth_v)) +
	                 weir_arg_bytes(k) + weir_arg_bytes(v),
		.depth = depth,
		.m = rows_q,
		.n = rows_k,
		.batch = batch,
		.mask = causal                               ? WEIR_MASK_CAUSAL
	                : weir_args_tensor(&args, MATH_MASK) ? WEIR_MASK_ANY
	                                                     : WEIR_MASK_NONE,
	};
	return site->scores > 0;
}

static bool find_by_name(const struct weir_advisor *advisor, uint32_t first, struct site *site)
{
	const struct weir_program *program = &advisor->program;
	uint32_t math = weir_job_math_attention(advisor, &program->jobs[first]), end = first + 1;

	*site = (struct site){.first = first};
	if (math == WEIR_NONE || !fill_from_arguments(advisor, math, site))
		return false;
	while (end < program->job_count &&
	       weir_job_math_attention(advisor, &program->jobs[end]) == math)
		end++;
	site->end = end;
	site->second = WEIR_NONE;
	return true;
}

/* ---- layouts ---- */

/* Returns the destination of a copy on the device that keeps type and size, and so changes only the
 * layout of `elements` elements; NULL: the job is no such copy. */
static const struct weir_arg *copied_layout(const struct weir_advisor *advisor, uint32_t job,
                                            double elements, struct weir_args *args)
{
	const struct weir_job *at = &advisor->program.jobs[job];
	const struct weir_arg *to, *from;

	if (strcmp(weir_advisor_op(advisor, at), "aten::copy_") != 0 ||
	    weir_advisor_transfers(advisor, at) || !weir_advisor_args(advisor, at->op, args))
		return NULL;
	to = weir_args_tensor(args, 0);
	from = weir_args_tensor(args, 1);
	if (!to || !from || to->element.dtype != from->element.dtype || to->elements != elements ||
	    from->elements != elements)
		return NULL;
	return to;
}

/* True for a copy of q, k or v: products want rows that follow each other, fused kernels do not. */
static bool copies_operand(const struct weir_advisor *advisor, const struct site *site,
                           uint32_t job)
{
	struct weir_args args;
	double depth = site->fused.depth;

	return copied_layout(advisor, job, site->batch * site->queries * depth, &args) ||
	       copied_layout(advisor, job, site->batch * site->keys * depth, &args) ||
	       copied_layout(advisor, job, site->batch * site->keys * site->depth_v, &args);
}

/* True for a copy of the result to [sequences, queries, heads, depth], which is how fused kernels
 * write it. */
static bool joins_heads(const struct weir_advisor *advisor, const struct site *site, uint32_t job)
{
	struct weir_args args;
	const struct weir_arg *to =
		copied_layout(advisor, job, site->batch * site->queries * site->depth_v, &args);

	return to && to->rank == 4 && (double)to->dims[1] == site->queries &&
	       (double)(to->dims[0] * to->dims[2]) == site->batch;
}

#define OPERANDS 3 /* q, k and v */

/* Adds the copies in front of the site and behind it. A fused kernel writes the result in the
 * layout of q: the heads lie side by side only if q was a view of such a tensor, which the product
 * copied as well as k and v. */
static void add_copies(const struct weir_advisor *advisor, struct site *site)
{
	size_t copies = 0;

	site->lead = site->first;
	site->tail = site->end;
	while (site->lead > 0 && copies_operand(advisor, site, site->lead - 1))
		site->lead--;
	for (uint32_t j = site->lead; j < site->end; j++)
		if (copies_operand(advisor, site, j))
			copies++;
	if (copies >= OPERANDS && site->tail < advisor->program.job_count &&
	    joins_heads(advisor, site, site->tail))
		site->tail++;
}

/* ---- one kernel ---- */

/* True if the fused kernel replaces the job. */
static bool is_replaced(const struct weir_advisor *advisor, const struct site *site,
                        const struct weir_product *a, uint32_t job)
{
	if (site->second == WEIR_NONE || job < a->end || job >= site->second)
		return true;
	return largest_tensor(advisor, advisor->program.jobs[job].op) >= OF_SCORES * site->scores ||
	       copies_operand(advisor, site, job);
}

/* Returns the time of the fused kernel; NAN: unknown. In fp32 it runs on the vector units. */
static double fused_ns(const struct weir_advisor *advisor, const struct site *site)
{
	bool wide = site->fused.dtype == WEIR_DTYPE_FP32 || site->fused.dtype == WEIR_DTYPE_TF32;

	if (site->fused.dtype == WEIR_DTYPE_FP64)
		return NAN; /* fused kernels do not exist */
	return weir_product_ns(advisor, &site->fused,
	                       wide ? WEIR_ENGINE_VECTOR : WEIR_ENGINE_TENSOR,
	                       wide ? WEIR_DTYPE_FP32 : site->fused.dtype, site->fused.bytes);
}

/* Returns the time if a mask that seems to be causal is another one of positions, as of a prefix
 * whose tokens see each other; 0: the mask is known. */
static double other_mask_ns(const struct weir_advisor *advisor, const struct site *site)
{
	struct site other = *site;

	if (site->fused.mask != WEIR_MASK_CAUSAL || site->second == WEIR_NONE)
		return 0;
	other.fused.mask = WEIR_MASK_ANY;
	return fused_ns(advisor, &other);
}

/* Removes the job and, if it launches nothing else, its call. */
static void drop_job(struct weir_draft *draft, uint32_t job)
{
	uint32_t issue = draft->program.jobs[job].issue;

	if (draft->program.issues[issue].job_count == 1 && !draft->program.issues[issue].graph) {
		weir_draft_remove(draft, issue);
		return;
	}
	weir_draft_set_job(draft, job, 0, 0, 0);
	weir_draft_close_gap(draft, job);
}

/* Lets the kernel that applies the mask make a bias of it. Both pass over one value after another
 * with the same addresses of a broadcast tensor. A caller that keeps the bias needs no such kernel.
 */
static void keep_mask(struct weir_draft *draft, const struct site *site)
{
	double ns = fmax(WEIR_SHORTEST_KERNEL_NS,
	                 site->mask_share * draft->advisor->program.jobs[site->mask_job].ns);

	weir_draft_set_job(draft, site->mask_job, ns, 0, ns);
}

struct fusing {
	size_t sites, kernels;
	double flops, before_ns, after_ns, scores_bytes;
};

static void fuse(struct weir_draft *draft, const struct site *site, struct fusing *sum)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_program *program = &advisor->program;
	struct weir_product a = {.end = weir_call_end(program, site->first)};
	double ns = fused_ns(advisor, site), before_ns = 0;
	double high_ns = fmax(ns * FUSED_HIGH, other_mask_ns(advisor, site));
	uint32_t kept = site->first; /* the longest kernel of the first call names the place */
	size_t kernels = 0;

	for (uint32_t j = site->lead; j < site->tail; j++) {
		if (!is_replaced(advisor, site, &a, j))
			continue;
		before_ns += program->jobs[j].ns;
		kernels++;
		if (j >= site->first && j < a.end && program->jobs[j].ns > program->jobs[kept].ns)
			kept = j;
	}
	if (!(ns < before_ns) || kernels < 2)
		return;
	weir_draft_set_job(draft, kept, ns, ns * FUSED_LOW, fmin(before_ns, high_ns));
	for (uint32_t j = site->lead; j < site->tail; j++) {
		if (j == kept || !is_replaced(advisor, site, &a, j))
			continue;
		if (j == site->mask_job && site->mask_share > 0)
			keep_mask(draft, site);
		else
			drop_job(draft, j);
	}
	sum->sites++;
	sum->kernels += kernels;
	sum->flops += site->fused.flops * (site->fused.mask == WEIR_MASK_CAUSAL ? 0.5 : 1);
	sum->before_ns += before_ns;
	sum->after_ns += ns;
	sum->scores_bytes += site->scores * site->fused.width;
}

bool weir_fix_fused_attention(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->advisor->program;
	struct fusing sum = {0};

	if (!draft->advisor->peaks)
		return false;
	for (uint32_t j = 0; j < program->job_count;) {
		struct site site;

		if (!find_by_name(draft->advisor, j, &site) &&
		    !find_by_structure(draft->advisor, j, &site)) {
			j = weir_call_end(program, j);
			continue;
		}
		add_copies(draft->advisor, &site);
		fuse(draft, &site, &sum);
		j = site.tail;
	}
	weir_draft_basis(
		draft,
		"%zu fused kernels of %.3g GFLOP at %.0f TFLOP/s, as such kernels reach with "
		"heads of this size, in place of %zu kernels that write and read %.0f MB "
		"of scores",
		sum.sites, sum.flops / 1e9, sum.flops / sum.after_ns / 1e3, sum.kernels,
		sum.scores_bytes / 1e6);
	return sum.sites > 0;
}
