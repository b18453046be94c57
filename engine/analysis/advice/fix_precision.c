/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smaller types: products in fewer bits, and weights and caches in fewer bytes. */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/products.h"
#include "engine/analysis/names/frames.h"

/* ---- lower-precision ---- */

/* The type that replaces another, and the units that compute in it. */
struct target {
	enum weir_engine engine;
	enum weir_dtype dtype;
	const char *name;
	double width;
};

static bool has_peak(const struct weir_advisor *advisor, enum weir_engine engine,
                     enum weir_dtype dtype)
{
	return advisor->peaks && weir_device_flops(advisor->peaks, engine, dtype).sustained > 0;
}

/* True if a step trains parameters. Those stay in fp32: an update is often smaller than the
 * distance of two values in bf16 (2^-8), so that a model in bf16 does not learn it. What changes
 * rounding alone is the type in which products compute: the flag for TF32, then autocast. */
static bool trains(const struct weir_advisor *advisor)
{
	return weir_names_show_training(advisor->program.rank->trace->names);
}

/*
 * True if the step multiplies the transpose of a matrix of fp32 by a matrix of its shape, x^T x:
 * the result is square, and both factors lie across the inner dimension. Layers of a model that is
 * served give no such product. Its sums over samples are moments, such as a covariance, of which
 * differences and inverses are taken; 8 bits lose these, so that the flag for TF32 is the step to
 * take.
 */
static bool takes_moments(const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;

	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct weir_product p;

		if (weir_product_read(advisor, j, &p) && p.dtype == WEIR_DTYPE_FP32 && p.m > 1 &&
		    p.m == p.n && weir_product_turned(advisor, &p, WEIR_DTYPE_TF32) > 1)
			return true;
	}
	return false;
}

/* Chooses the first target of the product's type that the device has; false: none. `by_flag`:
 * from fp32 to TF32. */
static bool choose_target(const struct weir_advisor *advisor, enum weir_dtype from, bool by_flag,
                          struct target *out)
{
	static const struct target flag = {WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32, "TF32", 4};
	static const struct {
		enum weir_dtype from;
		struct target to;
	} targets[] = {
		{WEIR_DTYPE_FP64, {WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32, "TF32", 4}},
		{WEIR_DTYPE_FP64, {WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP32, "fp32", 4}},
		{WEIR_DTYPE_FP64, {WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32, "fp32", 4}},
		{WEIR_DTYPE_FP32, {WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, "bf16", 2}},
		{WEIR_DTYPE_FP32, {WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP16, "fp16", 2}},
		{WEIR_DTYPE_TF32, {WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, "bf16", 2}},
		{WEIR_DTYPE_TF32, {WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP16, "fp16", 2}},
	};

	if (by_flag && from == WEIR_DTYPE_FP32 && has_peak(advisor, flag.engine, flag.dtype)) {
		*out = flag;
		return true;
	}
	for (size_t i = 0; i < WEIR_COUNT_OF(targets); i++) {
		if (targets[i].from != from ||
		    !has_peak(advisor, targets[i].to.engine, targets[i].to.dtype))
			continue;
		*out = targets[i].to;
		return true;
	}
	return false;
}

/* The range of a product's time in another type. The model is within 35 % for products of all
 * sizes; libraries choose other kernels for each type. */
#define PRODUCT_LOW  0.85
#define PRODUCT_HIGH 1.35
/* Products that gain less than this are left as they are. */
#define WORTH_CHANGING 0.95
/* A model is in another type if its products gain this share of its device time. */
#define LEAST_SHARE 0.02

/* Half the bytes take half the time, except for the launch; a kernel that the other half of the
 * cache then holds is even faster, one that is limited by its arithmetic is not faster at all. */
#define HALF      0.5
#define HALF_LOW  0.45
#define HALF_HIGH 0.8
/* bf16 has a quarter of the bytes of fp64; what trains stays in fp32. */
#define QUARTER_LOW 0.225
/* Kernels that load one element at a time issue as many loads as before: 0.62 to 0.69 of the time
 * for reductions over columns and additions of a broadcast row (PyTorch on an H100). */
#define HALF_SINGLE 0.65

struct lowering {
	size_t products, others, layouts, named;
	bool tf32;              /* one flag gives the device's TF32 to the products alone */
	bool training, by_flag; /* what trains or takes moments gets TF32 by its flag */
	bool doubles;
	bool half; /* products in fp64 whose shortest time is that in bf16 */
	double flops, before_ns, after_ns;
	double doubles_ns; /* that streams of doubles save */
	const char *name;  /* of the type of the largest product */
	double largest_ns;
};

/* True if the convolution gets channels-last tensors and its kernels want the other layout: fp32
 * kernels of the vector units do, kernels of the matrix units do not. */
static bool leaves_channels_last(const struct weir_advisor *advisor, const struct weir_product *p)
{
	for (uint32_t j = p->first; j < p->end; j++) {
		const struct weir_job *job = &advisor->program.jobs[j];

		if (weir_job_changes_layout(advisor, job))
			return strstr(weir_advisor_kernel(advisor, job), "nhwcToNchw") != NULL;
	}
	return false;
}

/* Removes the layout changes of a convolution; they may come back for odd numbers of channels. */
static void keep_channels_last(struct weir_draft *draft, const struct weir_product *p,
                               struct lowering *sum)
{
	for (uint32_t j = p->first; j < p->end; j++) {
		const struct weir_job *job = &draft->advisor->program.jobs[j];
		const struct weir_issue *issue = &draft->program.issues[job->issue];

		if (!weir_job_changes_layout(draft->advisor, job))
			continue;
		if (j > p->first && issue->job_count == 1 && !issue->graph)
			weir_draft_remove(draft, job->issue);
		weir_draft_set_job(draft, j, 0, 0, HALF * job->ns);
		weir_draft_close_gap(draft, j);
		sum->layouts++;
	}
}

/* Share of the bandwidth that kernels reach which change the layout of images: 1.9 to 2.2 TB/s for
 * 67 to 403 MB in 16 bits on an H100. */
#define LAYOUT_RATE 0.65

/* Kernels of the vector units that read channels first. */
static bool computes_channels_first(const struct weir_advisor *advisor,
                                    const struct weir_product *p)
{
	static const char *const first[] = {"nchwkcrs_nchw", "convolve_sgemm", "winograd",
	                                    "dgrad_engine"};

	for (uint32_t j = p->first; j < p->end; j++)
		if (weir_job_changes_layout(advisor, &advisor->program.jobs[j]))
			return false;
	for (uint32_t j = p->first; j < p->end; j++)
		for (size_t i = 0; i < WEIR_COUNT_OF(first); i++)
			if (strstr(weir_advisor_kernel(advisor, &advisor->program.jobs[j]),
			           first[i]))
				return true;
	return false;
}

/* Returns the time of layout changes that a convolution of channels-first tensors gets on the
 * matrix units, whose kernels want the channels last: of its input, its weights and its result. A
 * window of one place is a product of matrices, which takes either layout. */
static double layout_ns(const struct weir_advisor *advisor, const struct weir_product *p,
                        double width)
{
	struct weir_args args;
	const struct weir_arg *input, *weights;
	double elements;

	if (p->kind != WEIR_PRODUCT_CONVOLUTION || !computes_channels_first(advisor, p) ||
	    !weir_advisor_args(advisor, advisor->program.jobs[p->first].op, &args))
		return 0;
	input = weir_args_tensor(&args, 0);
	weights = weir_args_tensor(&args, 1);
	if (!input || !weights || weights->rank < 3 ||
	    weights->elements <= (double)weights->dims[0] * (double)weights->dims[1])
		return 0;
	elements = input->elements + weights->elements + p->m * p->n;
	return 3 * WEIR_SHORTEST_KERNEL_NS +
	       2 * elements * width / (LAYOUT_RATE * advisor->bandwidth) * 1e9;
}

/* Returns the longest time of the product: libraries choose a bad kernel, or, from fp32, one flag
 * is set that gives the device's TF32. */
static double longest_ns(const struct weir_advisor *advisor, const struct weir_product *p,
                         double ns, struct lowering *sum)
{
	double flag_ns;

	if (p->dtype != WEIR_DTYPE_FP32 || !has_peak(advisor, WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32))
		return ns * PRODUCT_HIGH;
	sum->tf32 = true;
	flag_ns = weir_product_ns(advisor, p, WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32, p->bytes) *
	                  weir_product_misaligned(p, p->width) +
	          layout_ns(advisor, p, p->width);
	return fmin(p->ns, fmax(ns, flag_ns) * PRODUCT_HIGH);
}

/* Each product of a batch takes at least one tile, so that the time of smaller ones does not depend
 * on their size: 3.4 to 3.9 ns in fp64 and 1.9 to 2.8 ns in fp32 or TF32 for 4 x 4 to 16
 * x 16, 0.55 to 0.75 of the time up to 32 x 32 (batches of 20,000 to 1,000,000, cuBLAS 13 on an
 * H100). */
#define SMALL_SIDE   32.0
#define SMALL_SINGLE 0.65

static bool is_smaller_than_a_tile(const struct weir_product *p)
{
	return p->kind == WEIR_PRODUCT_MATRIX && p->batch > 1 && p->m <= SMALL_SIDE &&
	       p->n <= SMALL_SIDE;
}

/* Returns the shortest time of the product: in a step that trains, autocast gives bf16, and a model
 * in fp64, which NumPy's numbers made of it, may be one for bf16. */
static double shortest_ns(const struct weir_advisor *advisor, const struct weir_product *p,
                          double ns, const struct lowering *sum)
{
	double half_ns = ns;

	if ((sum->by_flag || p->dtype == WEIR_DTYPE_FP64) &&
	    has_peak(advisor, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16))
		half_ns = weir_product_ns(advisor, p, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16,
		                          p->bytes * 2 / p->width);
	return PRODUCT_LOW * fmin(ns, half_ns);
}

static void lower_product(struct weir_draft *draft, const struct weir_product *p,
                          struct lowering *sum)
{
	struct target to;
	double ns;

	/* Products that an operator casts to fp32 are not the model's. The flag for TF32 leaves
	 * fused attention as it is. */
	if (p->irregular || (sum->by_flag && p->kind == WEIR_PRODUCT_ATTENTION) ||
	    weir_job_math_attention(draft->advisor, &draft->advisor->program.jobs[p->first]) !=
	            WEIR_NONE ||
	    !choose_target(draft->advisor, p->dtype, sum->by_flag, &to))
		return;
	ns = weir_product_ns(draft->advisor, p, to.engine, to.dtype,
	                     p->bytes * to.width / p->width);
	if (to.engine == WEIR_ENGINE_TENSOR)
		ns = WEIR_PRODUCT_FIXED_NS +
		     (ns - WEIR_PRODUCT_FIXED_NS) * weir_product_misaligned(p, to.width) *
		             weir_product_turned(draft->advisor, p, to.dtype) +
		     layout_ns(draft->advisor, p, to.width);
	if (p->dtype == WEIR_DTYPE_FP64 && is_smaller_than_a_tile(p))
		ns = fmin(ns, SMALL_SINGLE * p->ns);
	if (!(ns < WORTH_CHANGING * p->ns))
		return;
	weir_product_set(draft, p, ns, shortest_ns(draft->advisor, p, ns, sum),
	                 fmax(ns, longest_ns(draft->advisor, p, ns, sum)));
	if (to.engine == WEIR_ENGINE_TENSOR && leaves_channels_last(draft->advisor, p))
		keep_channels_last(draft, p, sum);
	sum->products++;
	sum->flops += p->flops;
	sum->before_ns += p->ns;
	sum->after_ns += ns;
	sum->doubles |= p->dtype == WEIR_DTYPE_FP64;
	sum->half |=
		p->dtype == WEIR_DTYPE_FP64 && !sum->by_flag && to.engine == WEIR_ENGINE_TENSOR;
	if (p->ns <= sum->largest_ns)
		return;
	sum->largest_ns = p->ns;
	sum->name = to.name;
}

/* True for kernels that are limited by memory traffic. */
static bool streams(const struct weir_advisor *advisor, const struct weir_job *job)
{
	switch (weir_advisor_family(advisor, job)) {
	case WEIR_FAMILY_COPY:
		return !weir_advisor_transfers(advisor, job);
	case WEIR_FAMILY_NORM:
	case WEIR_FAMILY_SOFTMAX:
	case WEIR_FAMILY_ELEMENTWISE:
	case WEIR_FAMILY_REDUCE:
		return true;
	case WEIR_FAMILY_OTHER:
	case WEIR_FAMILY_COMMUNICATION:
	case WEIR_FAMILY_GEMM:
	case WEIR_FAMILY_GEMV:
	case WEIR_FAMILY_ATTENTION:
	case WEIR_FAMILY_CONVOLUTION:
	case WEIR_FAMILY_INDEX:
	case WEIR_FAMILY_SORT:
	case WEIR_FAMILY_FFT:
	case WEIR_FAMILY_COUNT:
		return false;
	}
	return false;
}

/* Returns the type that most bytes of the operator's recorded tensors have, of fp32 and fp64;
 * unknown: neither. A list of tensors has no recorded type: its kernel names the width of the
 * values, and 8 bytes beside other doubles are doubles. */
static enum weir_dtype wide_type(const struct weir_advisor *advisor, const struct weir_job *job,
                                 bool beside_doubles)
{
	struct weir_args args;
	double all = 0, singles = 0, doubles = 0;

	if (!weir_advisor_args(advisor, job->op, &args))
		return WEIR_DTYPE_UNKNOWN;
	for (size_t i = 0; i < args.count; i++) {
		struct weir_arg *arg = &args.items[i];
		double bytes;

		if (arg->rank < 0 && isnan(arg->element.width) && beside_doubles)
			arg->element = weir_element_of_kernel(weir_advisor_kernel(advisor, job));
		bytes = weir_arg_bytes(arg);
		if (isnan(bytes) ||
		    (arg->rank < 0 && arg->element.dtype != WEIR_DTYPE_FP64 && bytes > 0))
			return WEIR_DTYPE_UNKNOWN;
		all += bytes;
		singles += arg->element.dtype == WEIR_DTYPE_FP32 ? bytes : 0;
		doubles += arg->element.dtype == WEIR_DTYPE_FP64 ? bytes : 0;
	}
	if (doubles > singles && singles + doubles > all / 2)
		return WEIR_DTYPE_FP64;
	return singles + doubles > all / 2 ? WEIR_DTYPE_FP32 : WEIR_DTYPE_UNKNOWN;
}

/* Returns the share of its time that a kernel takes with half the bytes. */
static double half_of(const struct weir_advisor *advisor, const struct weir_job *job)
{
	const char *kernel = weir_advisor_kernel(advisor, job);
	bool single = strstr(kernel, "reduce_kernel") ||
	              (strstr(kernel, "elementwise_kernel") &&
	               !strstr(kernel, "vectorized_elementwise_kernel"));

	return single ? HALF_SINGLE : HALF;
}

/* PyTorch normalises rows of doubles in two kernels, the first of which takes the moments of a row
 * with divisions in fp64; rows of fp32 whose length is a multiple of 4 take one vectorised pass
 * (LayerNormKernelImplInternal in ATen/native/cuda/layer_norm_kernel.cu). */
#define VECTOR_VALUES 4

/* Returns the time of the kernel if its operator normalises rows of doubles that one pass in fp32
 * normalises as well; the second kernel takes none. NAN: another operator. */
static double norm_ns(const struct weir_advisor *advisor, const struct weir_job *job)
{
	const char *kernel = weir_advisor_kernel(advisor, job);
	bool moments = strstr(kernel, "RowwiseMomentsCUDAKernel") != NULL;
	const struct weir_arg *x;
	struct weir_args args;

	if (strcmp(weir_advisor_op(advisor, job), "aten::native_layer_norm") != 0 ||
	    (!moments && !strstr(kernel, "LayerNormForwardCUDAKernel")) ||
	    !weir_advisor_args(advisor, job->op, &args) || !(x = weir_args_tensor(&args, 0)) ||
	    x->rank < 1 || x->dims[x->rank - 1] % VECTOR_VALUES != 0)
		return NAN;
	return moments ? weir_advisor_kernel_ns(advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_FP32,
	                                        x->elements * 2 * sizeof(float), 1)
	               : 0;
}

/* Lowers a kernel that norm_ns() knows; returns false for others. */
static bool lower_norm(struct weir_draft *draft, uint32_t j, struct lowering *sum)
{
	const struct weir_job *job = &draft->advisor->program.jobs[j];
	double ns = norm_ns(draft->advisor, job);

	if (!(ns < HALF * job->ns))
		return false;
	weir_draft_set_job(draft, j, ns, ns, HALF * job->ns);
	sum->others++;
	sum->doubles = true;
	sum->doubles_ns += job->ns - ns;
	return true;
}

/* Gives a streaming kernel half the bytes; `type`: those that read this type alone, or unknown.
 * Sorts pass over their keys several times: 0.50 to 0.55 of the time in fp32 on an H100. */
static void lower_other(struct weir_draft *draft, uint32_t j, enum weir_dtype type,
                        struct lowering *sum)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_job *job = &advisor->program.jobs[j];
	double over_ns = job->ns - WEIR_SHORTEST_KERNEL_NS;
	double low;
	enum weir_dtype wide;
	bool sorts = weir_advisor_family(advisor, job) == WEIR_FAMILY_SORT;

	if (over_ns <= 0 || draft->touched[j] || (!sorts && !streams(advisor, job)))
		return;
	wide = wide_type(advisor, job, sum->doubles);
	if (wide == WEIR_DTYPE_UNKNOWN || (sum->by_flag && wide == WEIR_DTYPE_FP32) ||
	    (type != WEIR_DTYPE_UNKNOWN && wide != type) || (sorts && wide != WEIR_DTYPE_FP64))
		return;
	if (wide == WEIR_DTYPE_FP64 && lower_norm(draft, j, sum))
		return;
	low = wide == WEIR_DTYPE_FP64 && sum->half ? QUARTER_LOW : HALF_LOW;
	weir_draft_set_job(draft, j, job->ns - (1 - half_of(advisor, job)) * over_ns,
	                   job->ns - (1 - low) * over_ns,
	                   job->ns - (1 - (sum->tf32 ? 1 : HALF_HIGH)) * over_ns);
	sum->others++;
	sum->doubles |= wide == WEIR_DTYPE_FP64;
	if (wide == WEIR_DTYPE_FP64)
		sum->doubles_ns += (1 - half_of(advisor, job)) * over_ns;
}

/* ---- kernels of graphs ---- */

/* True if the kernel's name says that it reads 16-bit values. Libraries name the types of their
 * products in letters (nvjet: T and H; Tensile: B and H). A name without a type says nothing: a
 * kernel written by hand may read fewer bits already. */
static bool names_half(const char *kernel)
{
	static const char *const halves[] = {"bf16",  "bfloat16", "BFloat16", "f16",   "fp16",
	                                     "half",  "Half",     "hgemm",    "_tst_", "_tss_",
	                                     "_hsh_", "_hss_",    "_hhh_",    "_BBS_", "_HHS_"};

	for (size_t i = 0; i < WEIR_COUNT_OF(halves); i++)
		if (strstr(kernel, halves[i]))
			return true;
	return false;
}

/* True if the name has a type of 8 bits or fewer. Names of products of such types hold one of 16
 * or 32 bits as well, that of the result. */
static bool names_small(const char *kernel)
{
	static const char *const small[] = {"e4m3", "e5m2", "fp8",  "int8",   "s8_s8",
	                                    "i8",   "_qq",  "int4", "marlin", "awq"};

	for (size_t i = 0; i < WEIR_COUNT_OF(small); i++)
		if (strstr(kernel, small[i]))
			return true;
	return false;
}

/* True for a job of a replayed graph without an operator: its kernel's name is all that is known.
 */
static bool is_named(const struct weir_advisor *advisor, const struct weir_job *job)
{
	return advisor->program.issues[job->issue].graph && job->op == WEIR_NONE;
}

/* True if the name alone tells a product with few rows. */
static bool is_named_product(const struct weir_advisor *advisor, const struct weir_job *job)
{
	enum weir_family family = weir_advisor_family(advisor, job);

	return is_named(advisor, job) &&
	       (family == WEIR_FAMILY_GEMM || family == WEIR_FAMILY_GEMV) &&
	       weir_kernel_limit(weir_advisor_kernel(advisor, job)) == WEIR_LIMIT_MEMORY;
}

/* True if the kernel's name says that it reads fp32 values: cuBLAS lists the types of matrix,
 * vector and result, or that of each batch of operands, "sgemm" is its product in fp32, Tensile
 * writes S for one type and B behind it, and PyTorch's memory-efficient attention has its type
 * behind its name. */
static bool names_single(const char *kernel)
{
	static const char *const singles[] = {"float, float, float", "StridedBatched<float const>",
	                                      "sgemm", "_SB_", "fmha_cutlassF_f32"};

	for (size_t i = 0; i < WEIR_COUNT_OF(singles); i++)
		if (strstr(kernel, singles[i]))
			return !names_half(kernel) && !names_small(kernel) &&
			       !strstr(kernel, "double") && !strstr(kernel, "char");
	return false;
}

/* Nothing tells the bytes of such a kernel, so that half of its time is the best case. */
#define NAMED_LEFT      0.55
#define NAMED_LEFT_HIGH 0.85

/* Gives a kernel of a graph half the bytes of weights or cache. */
static void halve_named(struct weir_draft *draft, uint32_t j)
{
	double over_ns = draft->advisor->program.jobs[j].ns - WEIR_PRODUCT_FIXED_NS;

	weir_draft_set_job(draft, j, WEIR_PRODUCT_FIXED_NS + NAMED_LEFT * over_ns,
	                   WEIR_PRODUCT_FIXED_NS + HALF * over_ns,
	                   WEIR_PRODUCT_FIXED_NS + NAMED_LEFT_HIGH * over_ns);
}

/* Returns true if products of a graph with few rows read weights in fp32, and take more time than
 * those that read 16 bits: the model is in fp32. In a model of 16 bits a router or a head may be in
 * fp32 for its rounding. */
static bool graph_is_single(const struct weir_advisor *advisor)
{
	double single_ns = 0, half_ns = 0;

	for (size_t j = 0; j < advisor->program.job_count; j++) {
		const struct weir_job *job = &advisor->program.jobs[j];
		const char *kernel = weir_advisor_kernel(advisor, job);

		if (!is_named_product(advisor, job))
			continue;
		single_ns += names_single(kernel) ? job->ns : 0;
		half_ns += names_half(kernel) ? job->ns : 0;
	}
	return single_ns > half_ns;
}

/* Gives products and attention of graphs that are in fp32 by their names half the bytes. */
static void lower_named(struct weir_draft *draft, struct lowering *sum)
{
	const struct weir_advisor *advisor = draft->advisor;

	if (sum->by_flag || !graph_is_single(advisor))
		return;
	for (uint32_t j = 0; j < advisor->program.job_count; j++) {
		const struct weir_job *job = &advisor->program.jobs[j];
		bool attends = is_named(advisor, job) &&
		               weir_advisor_family(advisor, job) == WEIR_FAMILY_ATTENTION;

		if (job->ns <= WEIR_PRODUCT_FIXED_NS || draft->touched[j] ||
		    !names_single(weir_advisor_kernel(advisor, job)) ||
		    !(attends || is_named_product(advisor, job)))
			continue;
		halve_named(draft, j);
		sum->named++;
		sum->before_ns += job->ns;
		sum->after_ns += draft->program.jobs[j].ns;
	}
}

static double device_ns(const struct weir_program *program)
{
	double ns = 0;

	for (size_t j = 0; j < program->job_count; j++)
		ns += program->jobs[j].ns;
	return ns;
}

/* FLOPs a nanosecond, 1 TFLOP/s. The basis states no rate below: the products are too small. */
#define LEAST_RATE 1e3

/* Returns a clause that names the type at the other end of the range; "": there is only one. */
static const char *end_of_range(const struct lowering *sum)
{
	if (sum->tf32)
		return "; TF32 products alone are the upper end of the range";
	return sum->half ? "; bf16 is the lower end of the range" : "";
}

static void explain_lowering(struct weir_draft *draft, const struct lowering *sum)
{
	if (sum->named > 0 && sum->products == 0) {
		weir_draft_basis(
			draft,
			"%zu kernels of graphs, by their names attention and products with few "
			"rows in fp32, %.0f %% shorter but for %.0f us each; their shapes are not "
			"recorded",
			sum->named, 100 * (1 - NAMED_LEFT), WEIR_PRODUCT_FIXED_NS / 1e3);
		return;
	}
	if (sum->products == 0) {
		weir_draft_basis(draft,
		                 "%zu kernels that move values in fp64 move half the bytes in "
		                 "fp32, at the rate that each reaches now",
		                 sum->others);
		return;
	}
	if (sum->flops < sum->after_ns * LEAST_RATE) {
		weir_draft_basis(draft,
		                 "%zu batches of products smaller than a tile in %.2f times their "
		                 "time, as such products take in fp32, and half the bytes of %zu "
		                 "other kernels",
		                 sum->products, sum->after_ns / sum->before_ns, sum->others);
		return;
	}
	if (sum->by_flag && !sum->doubles) {
		weir_draft_basis(draft,
		                 "%zu products of %.3g GFLOP at %.0f TFLOP/s instead of %.0f, as "
		                 "products of their sizes reach in %s on this device; %s and all "
		                 "other kernels stay in fp32",
		                 sum->products, sum->flops / 1e9, sum->flops / sum->after_ns / 1e3,
		                 sum->flops / sum->before_ns / 1e3, sum->name,
		                 sum->training ? "what is trained" : "sums of squares");
		return;
	}
	weir_draft_basis(draft,
	                 "%zu products of %.3g GFLOP at %.0f TFLOP/s instead of %.0f, as products "
	                 "of their sizes reach in %s on this device, and half the bytes of %zu "
	                 "other kernels%s",
	                 sum->products, sum->flops / 1e9, sum->flops / sum->after_ns / 1e3,
	                 sum->flops / sum->before_ns / 1e3, sum->name, sum->others,
	                 end_of_range(sum));
}

/* Kernels in fp64 count even without products: NumPy and Python compute in fp64 by default. Kernels
 * in fp32 count only beside products that gain, and in no step that trains: without these they are
 * no model in fp32. */
bool weir_fix_lower_precision(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->advisor->program;
	struct lowering sum = {.name = "bf16", .training = trains(draft->advisor)};
	double least_ns = LEAST_SHARE * device_ns(program);
	enum weir_dtype others;

	sum.by_flag = sum.training || takes_moments(draft->advisor);
	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct weir_product p;

		if (weir_product_read(draft->advisor, j, &p))
			lower_product(draft, &p, &sum);
	}
	lower_named(draft, &sum);
	others = sum.before_ns - sum.after_ns < least_ns ? WEIR_DTYPE_FP64 : WEIR_DTYPE_UNKNOWN;
	for (uint32_t j = 0; j < program->job_count; j++)
		lower_other(draft, j, others, &sum);
	if (sum.before_ns - sum.after_ns + sum.doubles_ns < least_ns)
		return false;
	explain_lowering(draft, &sum);
	return true;
}

/* ---- fp8 ---- */

/* A product that is slower than this times the model has another problem. */
#define NEAR_MODEL 2.0
/* fp8 units need inner dimensions and rows of 16 elements. */
#define FP8_STEP 16.0
/* A pass over the activations reads 2 bytes of each element and writes 1. If the largest value is
 * not known before, another pass reads them. */
#define QUANTISE_BYTES      1.5
#define QUANTISE_BYTES_HIGH 2.5
/* fp8 products that were measured took 0.57 to 0.64 of the time in bf16. */
#define FP8_LOW  0.93
#define FP8_HIGH 1.12

static bool is_half(enum weir_dtype dtype)
{
	return dtype == WEIR_DTYPE_BF16 || dtype == WEIR_DTYPE_FP16;
}

/* True for products with weights in 16 bits that are limited by FLOPs and near their roof. */
static bool fits_fp8(const struct weir_advisor *advisor, const struct weir_product *p,
                     double model_ns)
{
	return p->kind == WEIR_PRODUCT_MATRIX && p->engine == WEIR_ENGINE_TENSOR &&
	       is_half(p->dtype) && p->batch == 1 && fmod(p->k, FP8_STEP) == 0 &&
	       fmod(p->n, FP8_STEP) == 0 && p->ns < NEAR_MODEL * model_ns &&
	       p->bytes / advisor->bandwidth * 1e9 < model_ns / 2;
}

/* Products that take up to this many times the model's time are slowed by the limit of power. */
#define POWER_PACE 1.3

/*
 * Returns how many times the model's time an fp8 product takes where the 16-bit one takes `pace`
 * times its own. A FLOP in fp8 takes less power. Four products of 4,096 to 16,400 rows on an H100:
 * 1.09 and 0.98, 1.10 and 0.97, 1.12 and 1.04, 1.29 and 1.23 times.
 */
static double fp8_pace(double pace)
{
	return pace > 1 ? pace / sqrt(fmin(pace, POWER_PACE)) : pace;
}

struct quantising {
	size_t products;
	double before_ns, after_ns, pass_ns;
};

static void quantise(struct weir_draft *draft, const struct weir_product *p, struct quantising *sum)
{
	const struct weir_advisor *advisor = draft->advisor;
	double now_ns = weir_product_ns(advisor, p, p->engine, p->dtype, p->bytes);
	double then_ns = weir_product_ns(advisor, p, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8,
	                                 p->bytes - (p->a_bytes + p->b_bytes) / 2);
	double ns = then_ns * fp8_pace(p->ns / now_ns);
	double pass_ns = p->a_bytes * QUANTISE_BYTES / advisor->bandwidth * 1e9;

	if (!fits_fp8(advisor, p, now_ns) || !(ns + pass_ns < WORTH_CHANGING * p->ns))
		return;
	weir_product_set(draft, p, ns + pass_ns, ns * FP8_LOW,
	                 fmax(ns * FP8_HIGH, p->ns * then_ns / now_ns) +
	                         pass_ns * QUANTISE_BYTES_HIGH / QUANTISE_BYTES);
	sum->products++;
	sum->before_ns += p->ns;
	sum->after_ns += ns;
	sum->pass_ns += pass_ns;
}

bool weir_fix_fp8(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->advisor->program;
	struct quantising sum = {0};

	if (!has_peak(draft->advisor, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8))
		return false;
	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct weir_product p;

		if (weir_product_read(draft->advisor, j, &p))
			quantise(draft, &p, &sum);
	}
	weir_draft_basis(draft,
	                 "%zu products near their roof in %.2f times their time, as large fp8 "
	                 "products reach 86 %% of what the units sustain, and %.2f ms to quantise "
	                 "the activations",
	                 sum.products, sum.after_ns / sum.before_ns, sum.pass_ns / 1e6);
	return sum.products > 0;
}

/* ---- smaller-types ---- */

/* Rows of a product that reads weights for few rows. */
#define FEW_ROWS 64.0
/* Rows of q of a decoding attention kernel. */
#define FEW_QUERIES_SHARE 0.1
/* Share of the bytes that weights or cache have at least. */
#define MOSTLY 0.6
/* Below this share of the bandwidth something else than bytes limits the kernel. */
#define AT_LIMIT 0.5
/* The range of what half the bytes give: kernels for such types also unpack them. */
#define SMALLER_LOW  0.95
#define SMALLER_HIGH 1.3

struct shrinking {
	bool training;
	size_t kernels, named, gathers;
	double bytes, saved_bytes;
};

/* True if the product reads weights or a cache in 16 bits, or a matrix in fp32 that no cache holds,
 * such as an index of vectors. What is trained stays in fp32. */
static bool can_shrink(const struct weir_advisor *advisor, const struct weir_product *p,
                       bool training)
{
	if (p->width == 4)
		return p->kind == WEIR_PRODUCT_MATRIX && !training &&
		       fmax(p->a_bytes, p->b_bytes) > advisor->peaks->l2_bytes;
	return p->width == 2;
}

/* Returns the bytes of weights or cache that the product reads, if it mostly reads them; else 0. */
static double stored_bytes(const struct weir_product *p)
{
	double stored = fmax(p->a_bytes, p->b_bytes);

	if (p->kind == WEIR_PRODUCT_ATTENTION) {
		/* The arguments hold the cache, or pages of it: what is no query is cache. */
		double of_queries = 2 * p->queries * p->depth * p->width;

		stored = of_queries > 0 && of_queries < FEW_QUERIES_SHARE * p->bytes
		                 ? p->bytes - of_queries
		                 : 0;
	} else if (p->kind != WEIR_PRODUCT_MATRIX || p->batch != 1 || fmin(p->m, p->n) > FEW_ROWS) {
		return 0;
	}
	return stored > MOSTLY * p->bytes ? stored : 0;
}

static void shrink(struct weir_draft *draft, const struct weir_product *p, struct shrinking *sum)
{
	double stored = stored_bytes(p), over_ns = p->ns - WEIR_PRODUCT_FIXED_NS, ns;

	if (!can_shrink(draft->advisor, p, sum->training) || !(stored > 0) || over_ns <= 0 ||
	    p->bytes / draft->advisor->bandwidth * 1e9 < AT_LIMIT * p->ns)
		return;
	ns = WEIR_PRODUCT_FIXED_NS + over_ns * (1 - stored / 2 / p->bytes);
	weir_product_set(draft, p, ns, ns * SMALLER_LOW, fmin(p->ns, ns * SMALLER_HIGH));
	sum->kernels++;
	sum->bytes += p->bytes;
	sum->saved_bytes += stored / 2;
}

/* Memory moves whole sectors of 32 bytes, two at a time: half of a shorter row moves as much. */
#define LEAST_ROW_BYTES 128.0

/* Returns the bytes that a lookup gathers from a large table in fp32; 0: the operator is no
 * lookup. */
static double gathered_bytes(const struct weir_advisor *advisor, const struct weir_job *job)
{
	static const char *const lookups[] = {
		"aten::embedding", "aten::index_select", "aten::embedding_bag",
		"aten::_embedding_bag_forward_only", "aten::_embedding_bag"};
	const char *op = weir_advisor_op(advisor, job);
	const struct weir_arg *table, *rows;
	struct weir_args args;
	size_t i = 0;
	double row_bytes;
	int64_t dim = 0;
	bool selects = strcmp(op, "aten::index_select") == 0; /* (table, dim, rows) */

	while (i < WEIR_COUNT_OF(lookups) && strcmp(op, lookups[i]) != 0)
		i++;
	if (i == WEIR_COUNT_OF(lookups) || !weir_advisor_args(advisor, job->op, &args) ||
	    (selects && (!weir_args_int(&args, 1, &dim) || dim != 0)))
		return 0;
	table = weir_args_tensor(&args, 0);
	rows = weir_args_tensor(&args, selects ? 2 : 1);
	if (!table || !rows || table->rank < 2 || table->dims[0] < 1 ||
	    table->element.dtype != WEIR_DTYPE_FP32 ||
	    weir_arg_bytes(table) <= advisor->peaks->l2_bytes)
		return 0;
	row_bytes = weir_arg_bytes(table) / (double)table->dims[0];
	return row_bytes >= LEAST_ROW_BYTES ? rows->elements * row_bytes : 0;
}

/* Halves the rows of a table: the kernel saves the time that these bytes take at the memory's rate,
 * and keeps that of its addresses and of waiting for them. */
static void shrink_table(struct weir_draft *draft, uint32_t j, struct shrinking *sum)
{
	const struct weir_advisor *advisor = draft->advisor;
	const struct weir_job *job = &advisor->program.jobs[j];
	double bytes = gathered_bytes(advisor, job), over_ns = job->ns - WEIR_SHORTEST_KERNEL_NS;
	double saved_ns = bytes / 2 / advisor->bandwidth * 1e9;

	if (!(saved_ns > 0) || over_ns <= 0)
		return;
	saved_ns = fmin(saved_ns, HALF * over_ns);
	weir_draft_set_job(draft, j, job->ns - saved_ns, job->ns - HALF * over_ns,
	                   job->ns - HALF * saved_ns);
	sum->gathers++;
	sum->bytes += bytes;
	sum->saved_bytes += bytes / 2;
}

/* True for a product with few rows in a replayed graph, known by its kernel's name alone, whose
 * type is one of 16 bits. */
static bool is_named_stream(const struct weir_advisor *advisor, const struct weir_job *job)
{
	const char *kernel = weir_advisor_kernel(advisor, job);

	return is_named_product(advisor, job) && names_half(kernel) && !names_small(kernel);
}

static void shrink_named(struct weir_draft *draft, uint32_t j, struct shrinking *sum)
{
	const struct weir_job *job = &draft->advisor->program.jobs[j];

	if (job->ns <= WEIR_PRODUCT_FIXED_NS || draft->touched[j] ||
	    !is_named_stream(draft->advisor, job))
		return;
	halve_named(draft, j);
	sum->named++;
}

static void explain_shrinking(struct weir_draft *draft, const struct shrinking *sum)
{
	if (sum->gathers > 0) {
		weir_draft_basis(
			draft,
			"%zu kernels that read %.0f MB of weights or table rows read %.0f MB less; "
			"lookups keep the time that is not the memory's",
			sum->kernels + sum->named + sum->gathers, sum->bytes / 1e6,
			sum->saved_bytes / 1e6);
		return;
	}
	if (sum->kernels == 0) {
		weir_draft_basis(
			draft,
			"%zu kernels of graphs, by their names products with few rows, "
			"%.0f %% shorter but for %.0f us each; their shapes are not recorded",
			sum->named, 100 * (1 - NAMED_LEFT), WEIR_PRODUCT_FIXED_NS / 1e3);
		return;
	}
	weir_draft_basis(draft,
	                 "%zu kernels that read %.0f MB read %.0f MB less, at the rate that each "
	                 "reaches now",
	                 sum->kernels + sum->named, sum->bytes / 1e6, sum->saved_bytes / 1e6);
}

bool weir_fix_smaller_types(struct weir_draft *draft)
{
	const struct weir_program *program = &draft->advisor->program;
	struct shrinking sum = {.training = trains(draft->advisor)};

	if (!draft->advisor->peaks)
		return false;
	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct weir_product p;

		if (weir_product_read(draft->advisor, j, &p))
			shrink(draft, &p, &sum);
	}
	for (uint32_t j = 0; j < program->job_count; j++) {
		shrink_named(draft, j, &sum);
		shrink_table(draft, j, &sum);
	}
	explain_shrinking(draft, &sum);
	return sum.kernels + sum.named + sum.gathers > 0;
}
