/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scaled dot-product attention. Each pair of a query row and a key row that the mask admits costs 2
 * D FLOPs for its score and 2 Dv for its part of the result. Fused kernels move q, k, v and the
 * result once, and one fp32 number per query row for the backward pass. That pass computes the
 * scores again and has four more products: 5/2 of the forward FLOPs.
 */
#include <math.h>
#include <stddef.h>

#include "engine/analysis/roofline/models.h"

/* Positions of arguments count from 1 in a layout, so that 0 means "no such argument". */
#define ARG(index) ((index) + 1)

/*
 * The pairs that a mask admits. TOP_LEFT: query i sees the keys 0 to i. BOTTOM_RIGHT: the last
 * query sees all keys, and each query before it one key less. Both are the same triangle if there
 * are as many keys as queries.
 *
 * Sources: is_causal means TOP_LEFT in scaled_dot_product_attention (documentation of
 * torch.nn.functional and torch.nn.attention.bias), in its efficient variants, which pass
 * CausalFromTopLeft (PyTorch, ATen/native/transformers/cuda/attention.cu and
 * attention_backward.cu), and in its cuDNN variants (ATen/native/cudnn/MHA.cpp calls
 * set_causal_mask()). It means BOTTOM_RIGHT in the flash variants (torch/nn/attention/bias.py: "for
 * this particular op it means lower right") and in flash_attn from version 2.1 on (its README).
 * custom_mask_type is 0 for no mask, 1 for CausalFromTopLeft and 2 for CausalFromBottomRight
 * (ATen/native/transformers/sdp_utils_cpp.h).
 */
enum mask { FULL, TOP_LEFT, BOTTOM_RIGHT, STATED };

/* The arguments of an operator; ARG() or 0. */
struct attention_layout {
	int causal;       /* a bool; a custom_mask_type if mask is STATED */
	enum mask mask;   /* meaning of a true `causal` */
	int bias;         /* a mask or bias tensor that is read */
	int packed;       /* cumulative lengths of the queries; those of the keys follow. Sequences
	                     are packed if they are given */
	int longest;      /* length of the longest sequence of queries; that of keys follows */
	int first;        /* index of q; k and v follow */
	bool heads_first; /* [B, H, N, D]; else [B, N, H, D] */
	bool math;        /* scores are written to memory and read again */
	bool backward;
};

#define BACKWARD_FLOPS 2.5

struct attention {
	double batch, heads_q, heads_k, rows_q, rows_k, depth_qk, depth_v;
};

/* Returns the tensor at a position of a layout; NULL: the operator has none, or it is not given. */
static const struct weir_arg *tensor_at(const struct weir_args *args, int position)
{
	return position ? weir_args_tensor(args, (size_t)position - 1) : NULL;
}

static bool read_sizes(const struct attention_layout *layout, const struct weir_args *args,
                       struct attention *s)
{
	size_t at = (size_t)layout->first;
	const struct weir_arg *q = weir_args_tensor(args, at), *k = weir_args_tensor(args, at + 1);
	const struct weir_arg *v = weir_args_tensor(args, at + 2);
	int head = layout->heads_first ? 1 : 2, row = layout->heads_first ? 2 : 1;

	if (!q || !k || !v || q->rank != 4 || k->rank != 4 || v->rank != 4)
		return false;
	*s = (struct attention){
		.batch = (double)q->dims[0],
		.heads_q = (double)q->dims[head],
		.heads_k = (double)k->dims[head],
		.rows_q = (double)q->dims[row],
		.rows_k = (double)k->dims[row],
		.depth_qk = (double)q->dims[3],
		.depth_v = (double)v->dims[3],
	};
	if (q->dims[3] != k->dims[3] || k->dims[row] != v->dims[row] || k->dims[0] != q->dims[0])
		return false;
	/* Grouped-query attention: each head of k serves a whole number of heads of q. */
	return k->dims[head] > 0 && q->dims[head] % k->dims[head] == 0;
}

/* Returns the number of pairs that the mask admits. */
static double count_pairs(enum mask mask, double rows_q, double rows_k)
{
	double corner = fmin(rows_q, rows_k), triangle = corner * (corner + 1) / 2;

	switch (mask) {
	case TOP_LEFT:
		return triangle + (rows_q - corner) * rows_k;
	case BOTTOM_RIGHT:
		return triangle + rows_q * (rows_k - corner);
	case FULL:
	case STATED:
		break;
	}
	return rows_q * rows_k;
}

/* Reads the mask of a call; false: not recorded, *mask is FULL. */
static bool read_mask(const struct attention_layout *layout, const struct weir_args *args,
                      enum mask *mask)
{
	static const enum mask custom[] = {FULL, TOP_LEFT, BOTTOM_RIGHT};
	size_t at = (size_t)layout->causal - 1;
	bool causal = false;
	int64_t kind;

	*mask = FULL;
	if (layout->mask != STATED) {
		bool recorded = weir_args_bool(args, at, &causal);

		if (causal)
			*mask = layout->mask;
		return recorded;
	}
	if (!weir_args_int(args, at, &kind) || kind < 0 ||
	    (size_t)kind >= sizeof custom / sizeof *custom)
		return false;
	*mask = custom[kind];
	return true;
}

static double attention_bytes(const struct attention *s, double width, enum mask mask,
                              const struct attention_layout *layout)
{
	/* A fused kernel never loads the keys behind the last query of a top-left mask. */
	bool skips = mask == TOP_LEFT && !layout->math && !layout->backward;
	double rows_k = skips ? fmin(s->rows_q, s->rows_k) : s->rows_k;
	double queries = s->batch * s->heads_q * s->rows_q;
	double keys = s->batch * s->heads_k * rows_k;
	double bytes = width * (s->depth_qk + s->depth_v) * (queries + keys);

	/* The backward pass reads q, k, v, the result and its gradient, and writes the gradients of
	 * q, k and v. */
	if (layout->backward)
		bytes *= 2;
	/* The first product writes the scores, the softmax reads and writes them, the second
	 * product reads them. */
	if (layout->math)
		return bytes + 4 * width * queries * s->rows_k;
	return bytes + 4 * queries; /* the logarithm of each row's sum, in fp32 */
}

/* Packed sequences: q[T, H, D], k[Tk, Hkv, D], v[Tk, Hkv, Dv]. */
struct packed {
	const struct weir_arg *q, *k, *v;
};

static bool read_packed(const struct attention_layout *layout, const struct weir_args *args,
                        struct packed *p)
{
	size_t at = (size_t)layout->first;

	*p = (struct packed){weir_args_tensor(args, at), weir_args_tensor(args, at + 1),
	                     weir_args_tensor(args, at + 2)};
	return p->q && p->q->rank == 3;
}

/*
 * Reads the sizes of packed sequences of equal length; false: lengths differ. Lengths are data, not
 * shapes, but they are known if sequences of the longest length fill the rows exactly.
 */
static bool read_equal(const struct attention_layout *layout, const struct weir_args *args,
                       const struct packed *p, struct attention *s)
{
	const struct weir_arg *sums = tensor_at(args, layout->packed);
	size_t longest = (size_t)layout->longest - 1;
	int64_t longest_q, longest_k, count;

	if (!layout->longest || !sums || sums->rank != 1 || !p->k || !p->v || p->k->rank != 3 ||
	    p->v->rank != 3 || p->k->dims[1] < 1 || p->q->dims[1] % p->k->dims[1] ||
	    p->q->dims[2] != p->k->dims[2] || !weir_args_int(args, longest, &longest_q) ||
	    !weir_args_int(args, longest + 1, &longest_k))
		return false;
	count = sums->dims[0] - 1;
	if (count < 1 || longest_q < 1 || longest_k < 1 || longest_q > WEIR_MAX_DIM / count ||
	    longest_k > WEIR_MAX_DIM / count || p->q->dims[0] != count * longest_q ||
	    p->k->dims[0] != count * longest_k || p->v->dims[0] != p->k->dims[0])
		return false;
	*s = (struct attention){
		.batch = (double)count,
		.heads_q = (double)p->q->dims[1],
		.heads_k = (double)p->k->dims[1],
		.rows_q = (double)longest_q,
		.rows_k = (double)longest_k,
		.depth_qk = (double)p->q->dims[2],
		.depth_v = (double)p->v->dims[2],
	};
	return true;
}

/*
 * Computes the work from the sums in the name of a server's step, in place of lengths. k and v are
 * the new rows of the step or the whole paged KV cache; their last two dimensions are heads and
 * depth in both cases.
 */
static bool fill_from_sums(const struct weir_step_sums *sums, const struct packed *p,
                           struct weir_work *work)
{
	double heads_q, heads_k, both, rows_q, rows_k, pairs;

	if (!sums || !p->k || !p->v || p->k->rank < 3 || p->v->rank < 3)
		return false;
	heads_q = (double)p->q->dims[1];
	heads_k = (double)p->k->dims[p->k->rank - 2];
	both = (double)p->q->dims[2] + (double)p->v->dims[p->v->rank - 1];
	rows_q = sums->context.q + sums->generation.q;
	rows_k = sums->context.k + sums->generation.k;
	pairs = weir_step_sums_pairs(sums);
	if (!(pairs > 0))
		return false;
	weir_work_product(work, 2 * heads_q * pairs * both,
	                  p->q->element.width * rows_q * heads_q * both +
	                          p->k->element.width * rows_k * heads_k * both,
	                  p->q->element.dtype);
	work->confidence = WEIR_MODEL_MEDIUM;
	return true;
}

static void fill_sized(const struct attention_layout *layout, const struct weir_args *args,
                       const struct attention *s, struct weir_work *work)
{
	const struct weir_arg *q = weir_args_tensor(args, (size_t)layout->first);
	enum mask mask;
	bool stated = read_mask(layout, args, &mask);
	/* The math path computes every score and masks it afterwards. */
	double pairs = count_pairs(layout->math ? FULL : mask, s->rows_q, s->rows_k);
	double flops = 2 * s->batch * s->heads_q * pairs * (s->depth_qk + s->depth_v);
	double bytes = attention_bytes(s, q->element.width, mask, layout);

	bytes += weir_arg_bytes(tensor_at(args, layout->bias));
	weir_work_product(work, flops * (layout->backward ? BACKWARD_FLOPS : 1), bytes,
	                  q->element.dtype);
	if (!stated)
		work->confidence = WEIR_MODEL_LOW;
	else if (layout->math)
		work->confidence = WEIR_MODEL_MEDIUM;
}

static bool fill_attention(const struct weir_operator_model *model, const struct weir_args *args,
                           struct weir_work *work)
{
	const struct attention_layout *layout = model->layout;
	struct attention s;
	struct packed p;

	if (!layout->packed || !weir_args_at(args, (size_t)layout->packed - 1)) {
		if (!read_sizes(layout, args, &s))
			return false;
	} else if (!read_packed(layout, args, &p)) {
		return false;
	} else if (!read_equal(layout, args, &p, &s)) {
		return !layout->backward && fill_from_sums(model->sums, &p, work);
	}
	fill_sized(layout, args, &s, work);
	return true;
}

/* Attention inside a server's own operator: only the name of the step has the lengths. */
static bool fill_served(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct attention_layout whole = {.first = 0};
	struct packed p;

	return read_packed(&whole, args, &p) && fill_from_sums(model->sums, &p, work);
}

/* Positions as in the schemas of the operators (native_functions.yaml). */
/* clang-format off */
static const struct attention_layout sdpa = {
	.causal = ARG(5), .mask = TOP_LEFT, .bias = ARG(3), .heads_first = true};
static const struct attention_layout sdpa_math = {
	.causal = ARG(5), .mask = TOP_LEFT, .bias = ARG(3), .heads_first = true, .math = true};
static const struct attention_layout sdpa_flash = {
	.causal = ARG(4), .mask = BOTTOM_RIGHT, .heads_first = true};
static const struct attention_layout sdpa_biased = {
	.causal = ARG(6), .mask = TOP_LEFT, .bias = ARG(3), .heads_first = true};
static const struct attention_layout cudnn_forward = {
	.causal = ARG(10), .mask = TOP_LEFT, .bias = ARG(3), .packed = ARG(4), .longest = ARG(6),
	.heads_first = true};
static const struct attention_layout flash_forward = {
	.causal = ARG(8), .mask = BOTTOM_RIGHT, .packed = ARG(3), .longest = ARG(5)};
static const struct attention_layout efficient_forward = {
	.causal = ARG(9), .mask = STATED, .bias = ARG(3), .packed = ARG(4), .longest = ARG(6)};
static const struct attention_layout flash_attn = {
	.causal = ARG(5), .mask = BOTTOM_RIGHT};
static const struct attention_layout flash_attn_varlen = {
	.causal = ARG(9), .mask = BOTTOM_RIGHT, .packed = ARG(3), .longest = ARG(5)};
static const struct attention_layout vllm_varlen = {
	.causal = ARG(15), .mask = BOTTOM_RIGHT, .packed = ARG(4), .longest = ARG(10)};
static const struct attention_layout flash_backward = {
	.causal = ARG(11), .mask = BOTTOM_RIGHT, .packed = ARG(6), .longest = ARG(8), .first = 1,
	.heads_first = true, .backward = true};
static const struct attention_layout flash_rows_backward = {
	.causal = ARG(11), .mask = BOTTOM_RIGHT, .packed = ARG(6), .longest = ARG(8), .first = 1,
	.backward = true};
static const struct attention_layout efficient_backward = {
	.causal = ARG(11), .mask = TOP_LEFT, .bias = ARG(4), .first = 1, .heads_first = true,
	.backward = true};
static const struct attention_layout efficient_rows_backward = {
	.causal = ARG(14), .mask = STATED, .bias = ARG(4), .packed = ARG(6), .longest = ARG(8),
	.first = 1, .backward = true};
static const struct attention_layout cudnn_backward = {
	.causal = ARG(14), .mask = TOP_LEFT, .bias = ARG(8), .packed = ARG(9),
	.longest = ARG(11), .first = 1, .heads_first = true, .backward = true};
/* clang-format on */

const struct weir_operator_model weir_models_attention[] = {
	{.op = "scaled_dot_product_attention", .fill = fill_attention, .layout = &sdpa},
	{.op = "_scaled_dot_product_attention_math", .fill = fill_attention, .layout = &sdpa_math},
	{.op = "_scaled_dot_product_flash_attention",
         .fill = fill_attention,
         .layout = &sdpa_flash},
	{.op = "_scaled_dot_product_efficient_attention",
         .fill = fill_attention,
         .layout = &sdpa_biased},
	{.op = "_scaled_dot_product_cudnn_attention",
         .fill = fill_attention,
         .layout = &sdpa_biased},
	{.op = "_scaled_dot_product_fused_attention_overrideable",
         .fill = fill_attention,
         .layout = &sdpa},
	{.op = "_cudnn_attention_forward", .fill = fill_attention, .layout = &cudnn_forward},
	{.op = "_flash_attention_forward", .fill = fill_attention, .layout = &flash_forward},
	{.op = "_efficient_attention_forward",
         .fill = fill_attention,
         .layout = &efficient_forward},
	{.op = "flash_attn::_flash_attn_forward", .fill = fill_attention, .layout = &flash_attn},
	{.op = "flash_attn::_flash_attn_varlen_forward",
         .fill = fill_attention,
         .layout = &flash_attn_varlen},
	{.op = "_vllm_fa2_C::varlen_fwd", .fill = fill_attention, .layout = &vllm_varlen},
	{.op = "vllm::unified_attention", .fill = fill_served},
	{.op = "vllm::unified_attention_with_output", .fill = fill_served},
	{.op = "_scaled_dot_product_flash_attention_backward",
         .fill = fill_attention,
         .layout = &flash_backward},
	{.op = "_flash_attention_backward", .fill = fill_attention, .layout = &flash_rows_backward},
	{.op = "_scaled_dot_product_efficient_attention_backward",
         .fill = fill_attention,
         .layout = &efficient_backward},
	{.op = "_efficient_attention_backward",
         .fill = fill_attention,
         .layout = &efficient_rows_backward},
	{.op = "_scaled_dot_product_cudnn_attention_backward",
         .fill = fill_attention,
         .layout = &cudnn_backward},
	{.op = "_cudnn_attention_backward", .fill = fill_attention, .layout = &cudnn_backward},
	{.op = NULL},
};
