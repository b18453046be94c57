/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operators that touch every element: they read their tensors once and write their result once, so
 * that memory bounds them for any operation. FLOPs per element are an order of magnitude, not a
 * count of instructions.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "engine/analysis/roofline/models.h"

#define CHEAP 1.0 /* add, multiply, compare, negate */
#define ROOT  4.0 /* division, roots, exponentials */
#define CURVE 8.0 /* sigmoid, tanh, gelu: an exponential and a division */

/* Returns the type of a result: floats before integers, then the wider type. Two different 16-bit
 * floats give fp32. */
static struct weir_element promote(struct weir_element a, struct weir_element b)
{
	bool a_float = a.dtype != WEIR_DTYPE_INT && a.dtype != WEIR_DTYPE_INT8;
	bool b_float = b.dtype != WEIR_DTYPE_INT && b.dtype != WEIR_DTYPE_INT8;

	if (a_float != b_float)
		return a_float ? a : b;
	if (a_float && a.width == b.width && a.dtype != b.dtype)
		return (struct weir_element){WEIR_DTYPE_FP32, 4};
	return a.width >= b.width ? a : b;
}

struct broadcast {
	int rank;
	int64_t dims[WEIR_MAX_RANK]; /* from the last dimension on */
	struct weir_element element;
	bool scalar; /* no operand with dimensions so far */
	double read_bytes;
};

/* Broadcasts one more operand; false: the sizes do not fit. */
static bool broadcast_add(struct broadcast *b, const struct weir_arg *arg)
{
	for (int i = 0; i < arg->rank; i++) {
		int64_t size = arg->dims[arg->rank - 1 - i];

		if (i >= b->rank || b->dims[i] == 1)
			b->dims[i] = size;
		else if (size != b->dims[i] && size != 1)
			return false;
	}
	if (arg->rank > b->rank)
		b->rank = arg->rank;
	b->read_bytes += weir_arg_bytes(arg);
	/* A scalar tensor does not change the type of a tensor with dimensions. */
	if (!(b->element.width > 0) || (b->scalar && arg->rank))
		b->element = arg->element;
	else if (arg->rank)
		b->element = promote(b->element, arg->element);
	b->scalar = b->rank == 0;
	return true;
}

static double broadcast_elements(const struct broadcast *b)
{
	double elements = 1;

	for (int i = 0; i < b->rank; i++)
		elements *= (double)b->dims[i];
	return elements;
}

/* Broadcasts the first `count` arguments; plain numbers among them are not operands. */
static bool read_operands(const struct weir_args *args, size_t count, struct broadcast *b)
{
	for (size_t i = 0; i < count; i++) {
		const struct weir_arg *arg = weir_args_at(args, i);

		if (arg && (arg->rank < 0 || !broadcast_add(b, arg)))
			return false;
	}
	return b->element.width > 0;
}

/* Operators with `at` operands. The result of an in-place operator has the type of the first
 * operand. */
static bool fill_pointwise(const struct weir_operator_model *model, const struct weir_args *args,
                           struct weir_work *work)
{
	struct broadcast b = {0};
	double elements;

	if (!weir_args_at(args, 0) || !read_operands(args, (size_t)model->at, &b))
		return false;
	if (model->in_place)
		b.element = args->items[0].element;
	elements = broadcast_elements(&b);
	weir_work_vector(work, model->flops_per_element * elements,
	                 b.read_bytes + elements * b.element.width, b.element.dtype);
	return true;
}

/* Comparisons: one byte per element of the result. */
static bool fill_compare(const struct weir_operator_model *model, const struct weir_args *args,
                         struct weir_work *work)
{
	struct broadcast b = {0};
	double elements;

	if (model->in_place)
		return fill_pointwise(model, args, work);
	if (!weir_args_at(args, 0) || !read_operands(args, (size_t)model->at, &b))
		return false;
	elements = broadcast_elements(&b);
	weir_work_vector(work, model->flops_per_element * elements, b.read_bytes + elements,
	                 b.element.dtype);
	return true;
}

/* where(condition, a, b): the condition does not affect the type of the result. */
static bool fill_where(const struct weir_operator_model *model, const struct weir_args *args,
                       struct weir_work *work)
{
	const struct weir_arg *condition = weir_args_at(args, 0);
	struct broadcast b = {0};
	struct weir_element element;
	double elements;

	if (!condition || condition->rank < 0)
		return false;
	for (size_t i = 1; i < 3; i++) {
		const struct weir_arg *arg = weir_args_at(args, i);

		if (!arg || arg->rank < 0 || !broadcast_add(&b, arg))
			return false;
	}
	element = b.element;
	if (!broadcast_add(&b, condition) || !b.rank)
		return false;
	elements = broadcast_elements(&b);
	weir_work_vector(work, model->flops_per_element * elements,
	                 b.read_bytes + elements * element.width, element.dtype);
	return true;
}

/* copy_(to, from): reads the distinct elements of `from`, writes all of `to`. */
static bool fill_copy(const struct weir_operator_model *model, const struct weir_args *args,
                      struct weir_work *work)
{
	const struct weir_arg *to = weir_args_at(args, 0), *from = weir_args_at(args, 1);

	(void)model;
	if (!to || !from || to->rank < 0 || from->rank < 0)
		return false;
	weir_work_vector(work, 0,
	                 to->elements * to->element.width +
	                         (from->rank ? weir_arg_bytes(from) : from->element.width),
	                 to->element.dtype);
	return true;
}

/* clone, contiguous, _to_copy, to: reads one tensor and writes it. `at` is the position of the new
 * type; 0: the type stays. */
static bool fill_clone(const struct weir_operator_model *model, const struct weir_args *args,
                       struct weir_work *work)
{
	const struct weir_arg *from = weir_args_tensor(args, 0);
	struct weir_element to;
	int64_t code;

	if (!from)
		return false;
	to = from->element;
	if (model->at && weir_args_int(args, (size_t)model->at, &code) &&
	    weir_element_of_code(code).width > 0)
		to = weir_element_of_code(code);
	weir_work_vector(work, 0, weir_arg_bytes(from) + from->elements * to.width, to.dtype);
	if (model->at && !args->has_scalars)
		work->confidence = WEIR_MODEL_LOW;
	return true;
}

/* fill_, zero_: writes without reading. A scalar tensor has one element. */
static bool fill_fill(const struct weir_operator_model *model, const struct weir_args *args,
                      struct weir_work *work)
{
	const struct weir_arg *to = weir_args_at(args, 0);

	if (!to || to->rank < 0)
		return false;
	weir_work_vector(work, model->flops_per_element * to->elements,
	                 to->elements * to->element.width, to->element.dtype);
	return true;
}

/* silu_and_mul(out[..., D], in[..., 2 D]) and similar: the result is the first argument. */
static bool fill_gated(const struct weir_operator_model *model, const struct weir_args *args,
                       struct weir_work *work)
{
	const struct weir_arg *out = weir_args_tensor(args, 0), *in = weir_args_tensor(args, 1);

	if (!out || !in || in->elements != 2 * out->elements)
		return false;
	weir_work_vector(work, model->flops_per_element * out->elements,
	                 weir_arg_bytes(out) + weir_arg_bytes(in), in->element.dtype);
	return true;
}

/* quant(out, in, scale) and similar, in either order: a division and a rounding per element. */
static bool fill_quantised(const struct weir_operator_model *model, const struct weir_args *args,
                           struct weir_work *work)
{
	const struct weir_arg *a = weir_args_tensor(args, 0), *b = weir_args_tensor(args, 1);

	(void)model;
	if (!a || !b || a->elements != b->elements)
		return false;
	weir_work_vector(work, 2 * a->elements,
	                 weir_arg_bytes(a) + weir_arg_bytes(b) +
	                         weir_arg_bytes(weir_args_tensor(args, 2)),
	                 a->element.dtype);
	return true;
}

#define UNARY(name, cost)                                                                          \
	{                                                                                          \
		.op = (name), .fill = fill_pointwise, .flops_per_element = (cost), .at = 1         \
	}
#define BINARY(name, cost)                                                                         \
	{                                                                                          \
		.op = (name), .fill = fill_pointwise, .flops_per_element = (cost), .at = 2         \
	}
#define TERNARY(name, cost)                                                                        \
	{                                                                                          \
		.op = (name), .fill = fill_pointwise, .flops_per_element = (cost), .at = 3         \
	}
#define COMPARE(name)                                                                              \
	{                                                                                          \
		.op = (name), .fill = fill_compare, .flops_per_element = CHEAP, .at = 2            \
	}
#define TEST(name)                                                                                 \
	{                                                                                          \
		.op = (name), .fill = fill_compare, .flops_per_element = CHEAP, .at = 1            \
	}
#define GATED(name)                                                                                \
	{                                                                                          \
		.op = (name), .fill = fill_gated, .flops_per_element = CURVE                       \
	}

const struct weir_operator_model weir_models_pointwise[] = {
	/* clang-format off */
        UNARY("abs", CHEAP), UNARY("neg", CHEAP), UNARY("relu", CHEAP), UNARY("clamp", CHEAP),
        UNARY("clamp_min", CHEAP), UNARY("clamp_max", CHEAP), UNARY("hardtanh", CHEAP),
        UNARY("leaky_relu", CHEAP), UNARY("square", CHEAP), UNARY("sign", CHEAP), UNARY("sgn", CHEAP),
        UNARY("floor", CHEAP), UNARY("ceil", CHEAP), UNARY("round", CHEAP), UNARY("trunc", CHEAP),
        UNARY("frac", CHEAP), UNARY("nan_to_num", CHEAP), UNARY("bitwise_not", CHEAP), UNARY("tril", CHEAP),
        UNARY("triu", CHEAP), UNARY("sqrt", ROOT), UNARY("rsqrt", ROOT), UNARY("reciprocal", ROOT),
        UNARY("exp", ROOT), UNARY("exp2", ROOT), UNARY("expm1", ROOT), UNARY("log", ROOT), UNARY("log2", ROOT),
        UNARY("log10", ROOT), UNARY("log1p", ROOT), UNARY("sin", ROOT), UNARY("cos", ROOT),
        UNARY("tan", ROOT), UNARY("asin", CURVE), UNARY("acos", CURVE), UNARY("atan", CURVE),
        UNARY("sinh", CURVE), UNARY("cosh", CURVE), UNARY("asinh", CURVE), UNARY("acosh", CURVE),
        UNARY("atanh", CURVE), UNARY("erfinv", CURVE), UNARY("erfc", CURVE),
        UNARY("sigmoid", CURVE), UNARY("silu", CURVE), UNARY("tanh", CURVE), UNARY("gelu", CURVE),
        UNARY("elu", CURVE), UNARY("softplus", CURVE), UNARY("mish", CURVE), UNARY("hardswish", ROOT),
        UNARY("hardsigmoid", ROOT), UNARY("log_sigmoid", CURVE), UNARY("erf", CURVE), UNARY("logit", CURVE),
        UNARY("celu", CURVE), UNARY("hardshrink", CHEAP), UNARY("softshrink", CHEAP), UNARY("threshold", CHEAP),
        UNARY("deg2rad", CHEAP), UNARY("rad2deg", CHEAP), UNARY("lgamma", CURVE), UNARY("digamma", CURVE),
        UNARY("i0", CURVE), UNARY("sinc", CURVE), UNARY("special_entr", CURVE), UNARY("special_erfcx", CURVE),
        UNARY("special_i0e", CURVE), UNARY("special_i1", CURVE), UNARY("special_i1e", CURVE),
        UNARY("special_ndtri", CURVE), UNARY("special_log_ndtr", CURVE),
        BINARY("hypot", ROOT), BINARY("logaddexp", CURVE), BINARY("logaddexp2", CURVE), BINARY("xlogy", ROOT),
        BINARY("special_xlog1py", ROOT), BINARY("copysign", CHEAP), BINARY("heaviside", CHEAP),
        BINARY("__xor__", CHEAP), BINARY("__lshift__", CHEAP), BINARY("__rshift__", CHEAP),
        BINARY("bitwise_left_shift", CHEAP), BINARY("bitwise_right_shift", CHEAP),
        BINARY("add", CHEAP), BINARY("sub", CHEAP), BINARY("rsub", CHEAP), BINARY("mul", CHEAP),
        BINARY("maximum", CHEAP), BINARY("minimum", CHEAP), BINARY("fmax", CHEAP), BINARY("fmin", CHEAP),
        BINARY("bitwise_and", CHEAP), BINARY("bitwise_or", CHEAP), BINARY("bitwise_xor", CHEAP),
        BINARY("__and__", CHEAP), BINARY("__or__", CHEAP), BINARY("div", ROOT), BINARY("true_divide", ROOT),
        BINARY("floor_divide", ROOT), BINARY("remainder", ROOT), BINARY("fmod", ROOT), BINARY("pow", CURVE),
        BINARY("atan2", CURVE), BINARY("prelu", CHEAP), BINARY("glu_backward", CURVE),
        BINARY("threshold_backward", CHEAP), BINARY("sigmoid_backward", ROOT), BINARY("tanh_backward", ROOT),
        BINARY("silu_backward", CURVE), BINARY("gelu_backward", CURVE), BINARY("masked_fill", CHEAP),
        BINARY("native_dropout_backward", CHEAP),
        TERNARY("addcmul", 3 * CHEAP), TERNARY("addcdiv", ROOT), TERNARY("lerp", 3 * CHEAP),
        COMPARE("eq"), COMPARE("ne"), COMPARE("lt"), COMPARE("le"), COMPARE("gt"), COMPARE("ge"),
        COMPARE("logical_and"), COMPARE("logical_or"), COMPARE("logical_xor"),
        TEST("logical_not"), TEST("isnan"), TEST("isinf"), TEST("isfinite"), TEST("isneginf"), TEST("isposinf"), TEST("signbit"),
        GATED("_C::silu_and_mul"), GATED("_C::gelu_and_mul"), GATED("_C::gelu_tanh_and_mul"),
        GATED("sgl_kernel::silu_and_mul"), GATED("sgl_kernel::gelu_and_mul"),
	/* clang-format on */
	{.op = "where", .fill = fill_where, .flops_per_element = CHEAP},
	{.op = "copy", .fill = fill_copy},
	{.op = "clone", .fill = fill_clone},
	{.op = "contiguous", .fill = fill_clone},
	{.op = "_to_copy", .fill = fill_clone, .at = 1},
	{.op = "to", .fill = fill_clone, .at = 1},
	{.op = "fill", .fill = fill_fill},
	{.op = "zero", .fill = fill_fill},
	{.op = "random", .fill = fill_fill, .flops_per_element = CURVE},
	{.op = "uniform", .fill = fill_fill, .flops_per_element = CURVE},
	{.op = "normal", .fill = fill_fill, .flops_per_element = CURVE},
	{.op = "exponential", .fill = fill_fill, .flops_per_element = CURVE},
	{.op = "bernoulli", .fill = fill_fill, .flops_per_element = CURVE},
	{.op = "_C::static_scaled_fp8_quant", .fill = fill_quantised},
	{.op = "_C::dynamic_scaled_fp8_quant", .fill = fill_quantised},
	{.op = "_C::dynamic_per_token_scaled_fp8_quant", .fill = fill_quantised},
	{.op = "sgl_kernel::sgl_per_token_quant_fp8", .fill = fill_quantised},
	{.op = "_local_scalar_dense", .fill = fill_fill}, /* one element to the host */
	{.op = NULL},
};

/*
 * Kernels that a compiler fused and named after their operations: "triton_poi_fused_add_mul_3". The
 * launch records its tensors, inputs and outputs, each of which moves once. Intermediate values
 * never leave the chip.
 */

#define TEMPLATE                                                                                   \
	"triton_tem_" /* a product fused with its neighbours: sizes have no fixed position */

/* Operations that compute nothing. */
static const char *const silent[] = {"to",      "copy",    "view",  "clone",  "unsqueeze", "expand",
                                     "permute", "t",       "slice", "select", "cat",       "full",
                                     "squeeze", "reshape", "split", "index",  "embedding", NULL};

static bool is_silent(const char *word, size_t length)
{
	for (size_t i = 0; silent[i]; i++)
		if (strlen(silent[i]) == length && !memcmp(silent[i], word, length))
			return true;
	return word[0] >= '0' && word[0] <= '9';
}

/* Returns the number of operations in "fused_add_mul_3". Underscores separate the words and are
 * part of some, so that an operation of two words counts twice. */
static double count_words(const char *name)
{
	const char *at = strstr(name, "fused_");
	double words = 0;

	for (at = at ? at + strlen("fused_") : ""; *at;) {
		size_t length = strcspn(at, "_");

		if (length && !is_silent(at, length))
			words++;
		at += length + (at[length] == '_');
	}
	return words;
}

static bool fill_fused(const struct weir_operator_model *model, const struct weir_args *args,
                       struct weir_work *work)
{
	double bytes = 0, elements = 0;
	enum weir_dtype dtype = WEIR_DTYPE_FP32;

	if (!strncmp(model->called, TEMPLATE, strlen(TEMPLATE)))
		return false;
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (!arg)
			continue;
		bytes += weir_arg_bytes(arg);
		if (arg->elements > elements) {
			elements = arg->elements;
			dtype = arg->element.dtype;
		}
	}
	if (!(bytes > 0))
		return false;
	weir_work_vector(work, elements * count_words(model->called), bytes, dtype);
	work->confidence = WEIR_MODEL_LOW;
	return true;
}

const struct weir_operator_model weir_model_fused = {.op = "triton_", .fill = fill_fused};
