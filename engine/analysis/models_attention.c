/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scaled dot-product attention: every pair of a query row and a key row that the mask allows costs
 * 2 D operations for its score and 2 Dv for its share of the result. Fused kernels move q, k, v and
 * the result once, and one fp32 number a query row for the backward pass.
 */
#include <stddef.h>

#include "engine/analysis/models.h"

enum { NO_ARG = -1 };

/* Where an operator keeps what: positions of arguments, NO_ARG: it has none. */
struct attention_layout {
	bool heads_first; /* [B, H, N, D]; else [B, N, H, D] */
	int causal;       /* a bool, or (custom_mask) 0 none, 1 and 2 causal */
	bool custom_mask;
	int bias;   /* a mask or bias that is read */
	int packed; /* cumulative lengths: when given, sequences are packed and their lengths
	               unknown */
	bool math;  /* scores are written and read again */
};

struct attention {
	double batch, heads_q, heads_k, rows_q, rows_k, depth_qk, depth_v;
};

static bool read_sizes(const struct attention_layout *layout, const struct weir_args *args,
                       struct attention *s)
{
	const struct weir_arg *q = weir_args_tensor(args, 0), *k = weir_args_tensor(args, 1);
	const struct weir_arg *v = weir_args_tensor(args, 2);
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
	/* Grouped queries: each head of k serves a whole number of heads of q. */
	return k->dims[head] > 0 && q->dims[head] % k->dims[head] == 0;
}

/*
 * Pairs that a causal mask leaves, the last query row seeing every key: N (N + 1) / 2 for as many
 * keys as queries, all pairs for one query.
 */
static double causal_pairs(double rows_q, double rows_k)
{
	if (rows_k >= rows_q)
		return rows_q * rows_k - rows_q * (rows_q - 1) / 2;
	return rows_k * (rows_k + 1) / 2;
}

/* False: not recorded. */
static bool read_causal(const struct attention_layout *layout, const struct weir_args *args,
                        bool *causal)
{
	int64_t kind;

	*causal = false;
	if (!layout->custom_mask)
		return weir_args_bool(args, (size_t)layout->causal, causal);
	if (!weir_args_int(args, (size_t)layout->causal, &kind))
		return false;
	*causal = kind != 0;
	return true;
}

static double attention_bytes(const struct attention *s, double width, bool math)
{
	double queries = s->batch * s->heads_q * s->rows_q;
	double keys = s->batch * s->heads_k * s->rows_k;
	double bytes = width * (s->depth_qk + s->depth_v) * (queries + keys);

	if (math) /* scores: written by the product, read and written by the softmax, read by the
	             second product */
		return bytes + 4 * width * queries * s->rows_k;
	return bytes + 4 * queries; /* the logarithm of each row's sum, in fp32 */
}

static bool fill_attention(const struct weir_operator_model *model, const struct weir_args *args,
                           struct weir_work *work)
{
	const struct attention_layout *layout = model->layout;
	struct attention s;
	double pairs, flops, bytes;
	bool causal, stated;

	if (layout->packed != NO_ARG && weir_args_at(args, (size_t)layout->packed))
		return false;
	if (!read_sizes(layout, args, &s))
		return false;
	stated = read_causal(layout, args, &causal);
	/* The math path computes every score and masks it afterwards. */
	pairs = causal && !layout->math ? causal_pairs(s.rows_q, s.rows_k) : s.rows_q * s.rows_k;
	flops = 2 * s.batch * s.heads_q * pairs * (s.depth_qk + s.depth_v);
	bytes = attention_bytes(&s, args->items[0].element.width, layout->math);
	if (layout->bias != NO_ARG)
		bytes += weir_arg_bytes(weir_args_tensor(args, (size_t)layout->bias));
	weir_work_product(work, flops, bytes, args->items[0].element.dtype);
	if (!stated)
		work->confidence = WEIR_MODEL_LOW;
	else if (layout->math)
		work->confidence = WEIR_MODEL_MEDIUM;
	return true;
}

/* Positions as in the operators' schemas (native_functions.yaml). */
static const struct attention_layout sdpa = {true, 5, false, 3, NO_ARG, false};
static const struct attention_layout sdpa_math = {true, 5, false, 3, NO_ARG, true};
static const struct attention_layout sdpa_flash = {true, 4, false, NO_ARG, NO_ARG, false};
static const struct attention_layout sdpa_biased = {true, 6, false, 3, NO_ARG, false};
static const struct attention_layout cudnn_forward = {true, 10, false, 3, 4, false};
static const struct attention_layout flash_forward = {false, 8, false, NO_ARG, 3, false};
static const struct attention_layout efficient_forward = {false, 9, true, 3, 4, false};
static const struct attention_layout flash_attn = {false, 5, false, NO_ARG, NO_ARG, false};

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
	{.op = NULL},
};
