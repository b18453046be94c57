/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/attention.h"
#include "engine/analysis/advice/products.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* ---- calls ---- */

uint32_t weir_call_end(const struct weir_program *program, uint32_t first)
{
	uint32_t op = program->jobs[first].op, end = first + 1;

	while (op != WEIR_NONE && end < program->job_count && program->jobs[end].op == op)
		end++;
	return end;
}

/* Kernels of cuDNN; "folded" ones pad channels as well. */
static bool is_layout_kernel(const char *kernel)
{
	static const char *const names[] = {"nchwToNhwc", "nhwcToNchw", "nchwToFoldedNhwc",
	                                    "foldedNhwcToNchw"};

	for (size_t i = 0; i < WEIR_COUNT_OF(names); i++)
		if (strstr(kernel, names[i]))
			return true;
	return false;
}

bool weir_job_changes_layout(const struct weir_advisor *advisor, const struct weir_job *job)
{
	const char *kernel = weir_advisor_kernel(advisor, job);

	if (is_layout_kernel(kernel))
		return true;
	return strstr(kernel, "batched_transpose_") &&
	       strstr(weir_advisor_op(advisor, job), "conv");
}

uint32_t weir_job_math_attention(const struct weir_advisor *advisor, const struct weir_job *job)
{
	static const char name[] = "aten::_scaled_dot_product_attention_math";
	const struct weir_timeline *timeline = &advisor->program.rank->timeline;

	for (uint32_t row = job->op; row != WEIR_NONE; row = timeline->parent[row])
		if (strcmp(weir_timeline_host_name(timeline, row), name) == 0)
			return row;
	return WEIR_NONE;
}

/* True if the job is part of the arithmetic of its call. */
static bool computes(const struct weir_advisor *advisor, const struct weir_job *job)
{
	return weir_advisor_family(advisor, job) != WEIR_FAMILY_COPY &&
	       !weir_job_changes_layout(advisor, job);
}

double weir_dtype_width(enum weir_dtype dtype)
{
	static const double widths[WEIR_DTYPE_COUNT] = {
		[WEIR_DTYPE_FP64] = 8, [WEIR_DTYPE_FP32] = 4,  [WEIR_DTYPE_TF32] = 4,
		[WEIR_DTYPE_BF16] = 2, [WEIR_DTYPE_FP16] = 2,  [WEIR_DTYPE_FP8] = 1,
		[WEIR_DTYPE_INT8] = 1, [WEIR_DTYPE_FP4] = 0.5,
	};

	return widths[dtype];
}

/* ---- sizes ---- */

static void read_matrix(const struct weir_work *work, struct weir_product *out)
{
	const struct weir_reuse *reuse = &work->reuse;

	if (!(reuse->m > 0) || !(reuse->n > 0) || !(reuse->batch > 0))
		return;
	out->m = reuse->m;
	out->n = reuse->n;
	out->batch = reuse->batch;
	out->k = floor(work->flops / (2 * reuse->m * reuse->n * reuse->batch));
	out->a_bytes = reuse->a_bytes * reuse->batch;
	out->b_bytes = reuse->b_bytes * reuse->batch;
}

/* No library reaches more than a few percent of a roof with fewer input channels. */
#define FEW_CHANNELS 16

/* The weights are [output channels, input channels of a group, window...]. Groups share the
 * places. */
static void read_convolution(const struct weir_advisor *advisor, uint32_t op,
                             struct weir_product *out)
{
	struct weir_args args;
	const struct weir_arg *weights;

	out->irregular = true;
	if (!weir_advisor_args(advisor, op, &args))
		return;
	weights = weir_args_tensor(&args, 1);
	if (!weights || weights->rank < 3 || weights->dims[0] < 1 || weights->dims[1] < 1)
		return;
	out->n = (double)weights->dims[0];
	out->k = weights->elements / out->n;
	out->channels = (double)weights->dims[1];
	out->m = floor(out->flops / (2 * out->n * out->k));
	out->batch = 1;
	out->irregular = weights->dims[1] < FEW_CHANNELS || out->m < 1;
}

double weir_convolution_weights(const struct weir_advisor *advisor, const struct weir_product *p)
{
	struct weir_args args;

	if (p->kind != WEIR_PRODUCT_CONVOLUTION ||
	    !weir_advisor_args(advisor, advisor->program.jobs[p->first].op, &args))
		return 0;
	return weir_arg_bytes(weir_args_tensor(&args, 1));
}

/* Reads queries and keys of q [batch, heads, rows, depth], or [batch, rows, heads, depth], and k.
 */
static void read_heads(const char *operator, const struct weir_arg * q, const struct weir_arg *k,
                       struct weir_product *out)
{
	bool rows_first = strstr(operator, "_flash_attention_forward") ||
	                  strstr(operator, "_efficient_attention_forward");
	unsigned rows = rows_first ? 1 : 2;

	if (!k || q->rank != 4 || k->rank != 4 ||
	    (!rows_first && !strstr(operator, "scaled_dot_product")))
		return;
	out->m = (double)q->dims[rows];
	out->n = (double)k->dims[rows];
	out->batch = (double)(q->dims[0] * q->dims[3 - rows]);
}

/* Finds the first tensor with heads: [..., rows, heads, depth] in some order. */
static void read_attention(const struct weir_advisor *advisor, uint32_t op,
                           struct weir_product *out)
{
	struct weir_args args;

	if (!weir_advisor_args(advisor, op, &args))
		return;
	for (size_t i = 0; i < args.count; i++) {
		const struct weir_arg *q = weir_args_tensor(&args, i);

		if (!q || q->rank < 3)
			continue;
		out->depth = (double)q->dims[q->rank - 1];
		out->queries = out->depth > 0 ? q->elements / out->depth : 0;
		read_heads(weir_timeline_host_name(&advisor->program.rank->timeline, op), q,
		           weir_args_tensor(&args, i + 1), out);
		return;
	}
}

static enum weir_product_kind kind_of(const struct weir_advisor *advisor,
                                      const struct weir_job *job, const struct weir_work *work)
{
	const char *op = weir_advisor_op(advisor, job);

	if (strstr(op, "conv"))
		return WEIR_PRODUCT_CONVOLUTION;
	if (work->reuse.m > 0)
		return WEIR_PRODUCT_MATRIX;
	if (strstr(op, "attention") || strstr(op, "flash") ||
	    weir_advisor_family(advisor, job) == WEIR_FAMILY_ATTENTION)
		return WEIR_PRODUCT_ATTENTION;
	return WEIR_PRODUCT_MATRIX;
}

bool weir_product_read(const struct weir_advisor *advisor, uint32_t first,
                       struct weir_product *product)
{
	const struct weir_program *program = &advisor->program;
	const struct weir_job *job = &program->jobs[first];
	const struct weir_assessment *assessment = weir_advisor_assessment(advisor, job);
	const struct weir_work *work;

	if (!assessment || !assessment->work.product || !(assessment->work.flops > 0) ||
	    assessment->work.confidence == WEIR_MODEL_NONE ||
	    assessment->roofline.roofline == WEIR_ROOFLINE_IMPLAUSIBLE)
		return false;
	work = &assessment->work;
	*product = (struct weir_product){.first = first,
	                                 .end = weir_call_end(program, first),
	                                 .engine = work->engine,
	                                 .dtype = work->dtype,
	                                 .width = weir_dtype_width(work->dtype),
	                                 .flops = work->flops,
	                                 .bytes = work->bytes};
	for (uint32_t j = first; j < product->end; j++)
		if (computes(advisor, &program->jobs[j]))
			product->ns += program->jobs[j].ns;
	product->kind = kind_of(advisor, job, work);
	if (product->kind == WEIR_PRODUCT_CONVOLUTION)
		read_convolution(advisor, job->op, product);
	else if (product->kind == WEIR_PRODUCT_ATTENTION)
		read_attention(advisor, job->op, product);
	else
		read_matrix(work, product);
	return product->ns > 0;
}

/* ---- time ---- */

/* Side of the tiles of the result that libraries compute at once. */
#define TILE 128.0
/* A tile's first loads and last stores take as long as this many steps of the inner dimension. */
#define TILE_STEPS 96.0
/* A fused attention kernel needs longer to begin: it has two products. */
#define ATTENTION_FIXED_NS 5000.0

/* Returns the share of the device table's sustained rate that large products reach: 1,360 of 1,583
 * TFLOP/s in fp8, 370 to 400 of 396 in TF32, 50 of 54 in fp32. */
static double reached(enum weir_dtype dtype)
{
	static const double shares[WEIR_DTYPE_COUNT] = {
		[WEIR_DTYPE_FP8] = 0.86,
		[WEIR_DTYPE_TF32] = 0.95,
		[WEIR_DTYPE_FP32] = 0.94,
	};

	return shares[dtype] > 0 ? shares[dtype] : 1;
}

/*
 * Returns the FLOPs that keep the units as busy as the product does. Tiles at the border are
 * computed whole. With fewer tiles than multiprocessors libraries use smaller tiles and divide the
 * inner dimension, which wins about half of the loss back: the root fits the measured products.
 */
static double busy_flops(const struct weir_advisor *advisor, const struct weir_product *p)
{
	double rows = ceil(p->m / TILE), columns = ceil(p->n / TILE), fill;

	if (!(p->m > 0) || !(p->k > 0) || !advisor->peaks || advisor->peaks->sms == 0)
		return p->flops;
	fill = rows * columns * p->batch / advisor->peaks->sms;
	if (fill < 1)
		return p->flops * (1 + TILE_STEPS / p->k) / sqrt(fill);
	return p->flops * (rows * TILE / p->m) * (columns * TILE / p->n) * (1 + TILE_STEPS / p->k);
}

/* Joins the times of FLOPs and bytes: the larger of them, and up to a fifth more if they are equal,
 * since neither hides the other completely. */
static double join(double compute_ns, double memory_ns)
{
	return pow(pow(compute_ns, 4) + pow(memory_ns, 4), 0.25);
}

/* Returns the largest power of two up to `most` that divides the bytes. */
static double alignment(double bytes, double most)
{
	while (most > 1 && fmod(bytes, most) != 0)
		most /= 2;
	return most;
}

/* Matrix units of Hopper get a convolution's input from memory in boxes of one place's channels:
 * rows of a power of two of bytes, 64 for the full rate. Channels are padded to 16 bytes. */
#define FULL_ROW   64.0
#define LEAST_PART 16.0

/*
 * Returns how much longer the matrix units take for a convolution whose input channels are no
 * multiple of such a row. Measured in 16 bits on an H100, as times of the model's without this: 0.7
 * to 1.5 for nine in ten of 221 shapes with multiples of 32 channels; 1.6, 2.6, 3.0 and 3.1 with 16
 * and 48; 3.0 to 5.9 with 17, 18, 20 and 40. A window of one place is a product of matrices.
 */
static double channels_pace(const struct weir_product *p, enum weir_engine engine, double width)
{
	double bytes = ceil(p->channels * width / LEAST_PART) * LEAST_PART;

	if (p->kind != WEIR_PRODUCT_CONVOLUTION || engine != WEIR_ENGINE_TENSOR ||
	    !(p->channels > 0) || p->k <= p->channels)
		return 1;
	return FULL_ROW / alignment(bytes, FULL_ROW);
}

double weir_product_ns(const struct weir_advisor *advisor, const struct weir_product *product,
                       enum weir_engine engine, enum weir_dtype dtype, double bytes)
{
	bool attention = product->kind == WEIR_PRODUCT_ATTENTION;
	double fixed_ns = attention ? ATTENTION_FIXED_NS : WEIR_PRODUCT_FIXED_NS;
	double flops;
	struct weir_peak peak = {NAN, NAN};

	if (advisor->peaks)
		peak = weir_device_flops(advisor->peaks, engine, dtype);
	if (!(peak.sustained > 0) || !(advisor->bandwidth > 0))
		return NAN;
	flops = attention ? weir_attention_busy_flops(product, weir_dtype_width(dtype) > 2)
	                  : busy_flops(advisor, product) / reached(dtype) *
	                            channels_pace(product, engine, weir_dtype_width(dtype));
	return fixed_ns + join(flops / peak.sustained * 1e9, bytes / advisor->bandwidth * 1e9);
}

/* Kernels load 16 bytes at once. Measured in 16-bit types: 5.8 to 7.4 times slower with odd inner
 * dimensions or row lengths, 3.0 times with multiples of 2 and 4; in TF32 3.0 times with any but
 * multiples of 4. */
#define LOAD_BYTES  16.0
#define SLOW_ODD    6.0
#define SLOW_SMALL  3.0
#define SMALL_BYTES 4.0

double weir_product_misaligned(const struct weir_product *product, double width)
{
	double bytes;

	/* Libraries have special kernels for products with a vector. */
	if (product->kind != WEIR_PRODUCT_MATRIX || product->m <= 1 || product->n <= 1 ||
	    !(product->k > 0))
		return 1;
	bytes = fmin(alignment(product->k * width, LOAD_BYTES),
	             alignment(product->n * width, LOAD_BYTES));
	if (bytes >= LOAD_BYTES)
		return 1;
	return bytes >= SMALL_BYTES ? SLOW_SMALL : SLOW_ODD;
}

/* Matrix units of Hopper read TF32 along the inner dimension alone. One operand can be turned on
 * its way through registers, two cannot: six sizes from 2048 x 2048 x 2048 to 4096 x 1024 x 4096
 * and 2048 x 16384 x 2048 took 1.4 to 1.6 times as long on an H100, four of them 1.5. */
#define SLOW_TURNED 1.5

/* True if cuBLAS names both operands as lying across the inner dimension: "gemm_f64f64_..._nt_n_".
 * It sees matrices by columns. */
static bool is_turned(const char *kernel)
{
	const char *at = strstr(kernel, "_nt");

	return at && (at[3] == '_' || at[3] == '\0') && strstr(kernel, "gemm");
}

double weir_product_turned(const struct weir_advisor *advisor, const struct weir_product *product,
                           enum weir_dtype dtype)
{
	if (dtype != WEIR_DTYPE_TF32 || product->kind != WEIR_PRODUCT_MATRIX)
		return 1;
	for (uint32_t j = product->first; j < product->end; j++)
		if (is_turned(weir_advisor_kernel(advisor, &advisor->program.jobs[j])))
			return SLOW_TURNED;
	return 1;
}

/* ---- the run's own pace ---- */

/* A product of a run that is slower or faster than the model by more says nothing about others. */
#define SLOWEST_PACE 2.0
#define FASTEST_PACE 0.8

double weir_product_pace(const struct weir_advisor *advisor, enum weir_engine engine,
                         enum weir_dtype dtype, size_t *count)
{
	const struct weir_program *program = &advisor->program;
	double *paces = weir_alloc((program->job_count + 1) * sizeof *paces), pace = 1;

	*count = 0;
	for (uint32_t j = 0; j < program->job_count; j = weir_call_end(program, j)) {
		struct weir_product p;

		if (!weir_product_read(advisor, j, &p) || p.kind != WEIR_PRODUCT_MATRIX ||
		    p.engine != engine || p.dtype != dtype ||
		    weir_product_misaligned(&p, p.width) > 1)
			continue;
		paces[*count] = p.ns / weir_product_ns(advisor, &p, engine, dtype, p.bytes);
		*count += paces[*count] > 0;
	}
	if (*count > 0)
		pace = fmin(SLOWEST_PACE, fmax(FASTEST_PACE, weir_median(paces, *count)));
	free(paces);
	return pace;
}

void weir_product_set(struct weir_draft *draft, const struct weir_product *product, double ns,
                      double low_ns, double high_ns)
{
	for (uint32_t j = product->first; j < product->end; j++)
		if (computes(draft->advisor, &draft->advisor->program.jobs[j]))
			weir_draft_scale_job(draft, j, ns / product->ns, low_ns / product->ns,
			                     high_ns / product->ns);
}
