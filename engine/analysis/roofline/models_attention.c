/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scaled dot-product attention: every pair of a query row and a key row that the mask allows costs
 * 2 D operations for its score and 2 Dv for its share of the result. Fused kernels move q, k, v and
 * the result once, and one fp32 number a query row for the backward pass. That pass computes the
 * scores again and has four products more: 5/2 of the forward operations.
 */
#include <math.h>
#include <stddef.h>

#include "engine/analysis/roofline/models.h"

enum { NO_ARG = -1 };

/* Where an operator keeps what: positions of arguments, NO_ARG: it has none. */
struct attention_layout {
	bool heads_first; /* [B, H, N, D]; else [B, N, H, D] */
	int causal;       /* a bool, or (custom_mask) 0 none, 1 and 2 causal */
	bool custom_mask;
	int bias;    /* a mask or bias that is read */
	int packed;  /* cumulative lengths of the queries, those of the keys behind them: when
	                given, sequences are packed */
	int longest; /* the longest sequence of queries, that of keys behind it */
	bool math;   /* scores are written and read again */
	int first;   /* where q is; k and v follow */
	bool backward;
};

#define BACKWARD_FLOPS 2.5

struct attention {
	double batch, heads_q, heads_k, rows_q, rows_k, depth_qk, depth_v;
};

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

static double attention_bytes(const struct attention *s, double width,
                              const struct attention_layout *layout)
{
	double queries = s->batch * s->heads_q * s->rows_q;
	double keys = s->batch * s->heads_k * s->rows_k;
	double bytes = width * (s->depth_qk + s->depth_v) * (queries + keys);

	/* Everything of the forward pass is read and a gradient of all but the result written; that
	 * of the result is read. */
	if (layout->backward)
		bytes *= 2;
	if (layout->math) /* scores: written by the product, read and written by the softmax, read
	             by the second product */
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
 * The lengths of packed sequences are data, not shapes. They are known where every sequence is as
 * long as the longest: then as many of these fill the rows exactly.
 */
static bool read_equal(const struct attention_layout *layout, const struct weir_args *args,
                       const struct packed *p, struct attention *s)
{
	const struct weir_arg *sums = weir_args_tensor(args, (size_t)layout->packed);
	int64_t longest_q, longest_k, count;

	if (layout->longest == NO_ARG || !sums || sums->rank != 1 || !p->k || !p->v ||
	    p->k->rank != 3 || p->v->rank != 3 || p->k->dims[1] < 1 ||
	    p->q->dims[1] % p->k->dims[1] || p->q->dims[2] != p->k->dims[2] ||
	    !weir_args_int(args, (size_t)layout->longest, &longest_q) ||
	    !weir_args_int(args, (size_t)layout->longest + 1, &longest_k))
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
 * What the server says of its step in place of lengths. k and v are the new rows of the step or a
 * whole paged cache; heads and depths are their last two dimensions in both.
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
	const struct weir_arg *q = &args->items[layout->first];
	bool causal, stated = read_causal(layout, args, &causal);
	/* The math path computes every score and masks it afterwards. */
	double pairs = causal && !layout->math ? causal_pairs(s->rows_q, s->rows_k)
	                                       : s->rows_q * s->rows_k;
	double flops = 2 * s->batch * s->heads_q * pairs * (s->depth_qk + s->depth_v);
	double bytes = attention_bytes(s, q->element.width, layout);

	if (layout->bias != NO_ARG)
		bytes += weir_arg_bytes(weir_args_tensor(args, (size_t)layout->bias));
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

	if (layout->packed == NO_ARG || !weir_args_at(args, (size_t)layout->packed)) {
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

/* Attention that a server's own operator hides: nothing but the step tells the lengths. */
static bool fill_served(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct attention_layout whole = {.first = 0};
	struct packed p;

	return read_packed(&whole, args, &p) && fill_from_sums(model->sums, &p, work);
}

/* Positions as in the operators' schemas (native_functions.yaml). */
static const struct attention_layout sdpa = {.heads_first = true,
                                             .causal = 5,
                                             .custom_mask = false,
                                             .bias = 3,
                                             .packed = NO_ARG,
                                             .longest = NO_ARG,
                                             .math = false,
                                             .first = 0,
                                             .backward = false};
static const struct attention_layout sdpa_math = {.heads_first = true,
                                                  .causal = 5,
                                                  .custom_mask = false,
                                                  .bias = 3,
                                                  .packed = NO_ARG,
                                                  .longest = NO_ARG,
                                                  .math = true,
                                                  .first = 0,
                                                  .backward = false};
static const struct attention_layout sdpa_flash = {.heads_first = true,
                                                   .causal = 4,
                                                   .custom_mask = false,
                                                   .bias = NO_ARG,
                                                   .packed = NO_ARG,
                                                   .longest = NO_ARG,
                                                   .math = false,
                                                   .first = 0,
                                                   .backward = false};
static const struct attention_layout sdpa_biased = {.heads_first = true,
                                                    .causal = 6,
                                                    .custom_mask = false,
                                                    .bias = 3,
                                                    .packed = NO_ARG,
                                                    .longest = NO_ARG,
                                                    .math = false,
                                                    .first = 0,
                                                    .backward = false};
static const struct attention_layout cudnn_forward = {.heads_first = true,
                                                      .causal = 10,
                                                      .custom_mask = false,
                                                      .bias = 3,
                                                      .packed = 4,
                                                      .longest = 6,
                                                      .math = false,
                                                      .first = 0,
                                                      .backward = false};
static const struct attention_layout flash_forward = {.heads_first = false,
                                                      .causal = 8,
                                                      .custom_mask = false,
                                                      .bias = NO_ARG,
                                                      .packed = 3,
                                                      .longest = 5,
                                                      .math = false,
                                                      .first = 0,
                                                      .backward = false};
static const struct attention_layout efficient_forward = {.heads_first = false,
                                                          .causal = 9,
                                                          .custom_mask = true,
                                                          .bias = 3,
                                                          .packed = 4,
                                                          .longest = 6,
                                                          .math = false,
                                                          .first = 0,
                                                          .backward = false};
static const struct attention_layout flash_attn = {.heads_first = false,
                                                   .causal = 5,
                                                   .custom_mask = false,
                                                   .bias = NO_ARG,
                                                   .packed = NO_ARG,
                                                   .longest = NO_ARG,
                                                   .math = false,
                                                   .first = 0,
                                                   .backward = false};
static const struct attention_layout flash_attn_varlen = {.heads_first = false,
                                                          .causal = 9,
                                                          .custom_mask = false,
                                                          .bias = NO_ARG,
                                                          .packed = 3,
                                                          .longest = 5,
                                                          .math = false,
                                                          .first = 0,
                                                          .backward = false};
static const struct attention_layout vllm_varlen = {.heads_first = false,
                                                    .causal = 15,
                                                    .custom_mask = false,
                                                    .bias = NO_ARG,
                                                    .packed = 4,
                                                    .longest = 10,
                                                    .math = false,
                                                    .first = 0,
                                                    .backward = false};
static const struct attention_layout flash_backward = {.heads_first = true,
                                                       .causal = 11,
                                                       .custom_mask = false,
                                                       .bias = NO_ARG,
                                                       .packed = 6,
                                                       .longest = 8,
                                                       .math = false,
                                                       .first = 1,
                                                       .backward = true};
static const struct attention_layout flash_rows_backward = {.heads_first = false,
                                                            .causal = 11,
                                                            .custom_mask = false,
                                                            .bias = NO_ARG,
                                                            .packed = 6,
                                                            .longest = 8,
                                                            .math = false,
                                                            .first = 1,
                                                            .backward = true};
static const struct attention_layout efficient_backward = {.heads_first = true,
                                                           .causal = 11,
                                                           .custom_mask = false,
                                                           .bias = 4,
                                                           .packed = NO_ARG,
                                                           .longest = NO_ARG,
                                                           .math = false,
                                                           .first = 1,
                                                           .backward = true};
static const struct attention_layout efficient_rows_backward = {.heads_first = false,
                                                                .causal = 14,
                                                                .custom_mask = true,
                                                                .bias = 4,
                                                                .packed = 6,
                                                                .longest = 8,
                                                                .math = false,
                                                                .first = 1,
                                                                .backward = true};
static const struct attention_layout cudnn_backward = {.heads_first = true,
                                                       .causal = 14,
                                                       .custom_mask = false,
                                                       .bias = 8,
                                                       .packed = 9,
                                                       .longest = 11,
                                                       .math = false,
                                                       .first = 1,
                                                       .backward = true};

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
