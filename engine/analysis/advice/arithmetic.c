/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/arithmetic.h"

struct cost {
	const char *op;
	double instructions;
};

/*
 * Instructions for fp32 values that are in the usual range, counted in the PTX that CUDA 13.0 makes
 * of its mathematical functions for sm_90, which Triton's libdevice has as well. A compiler takes
 * the exponential (ex2.approx) and the quotient (div.full) from the special function unit. Those of
 * pow, sqrt, quotients and remainders, of erfc and the functions below it, and of functions made of
 * several (gelu, softplus, mish, elu, softmax, norms) are estimates from their parts.
 */
static const struct cost costs[] = {
	{"exp", 6},
	{"exp2", 4},
	{"expm1", 31},
	{"sigmoid", 14},
	{"silu", 15},
	{"softmax", 14},
	{"_softmax", 14},
	{"log", 27},
	{"log2", 29},
	{"log10", 28},
	{"log1p", 30},
	{"sin", 24},
	{"cos", 24},
	{"tan", 30},
	{"asin", 28},
	{"acos", 31},
	{"atan", 22},
	{"atan2", 40},
	{"sinh", 27},
	{"cosh", 18},
	{"tanh", 19},
	{"erf", 26},
	{"erfinv", 28},
	{"erfc", 36},
	{"lgamma", 80},
	{"digamma", 70},
	{"i0", 40},
	{"sinc", 32},
	{"asinh", 38},
	{"acosh", 36},
	{"atanh", 36},
	{"hypot", 12},
	{"logaddexp", 44},
	{"xlogy", 30},
	{"log_sigmoid", 44},
	{"logit", 34},
	{"gelu", 30},
	{"softplus", 40},
	{"mish", 60},
	{"elu", 33},
	{"pow", 76},
	{"sqrt", 6},
	{"rsqrt", 3},
	{"reciprocal", 6},
	{"div", 6},
	{"true_divide", 6},
	{"remainder", 12},
	{"fmod", 12},
	{"cumsum", 12}, /* five steps among the threads of a warp, and as many among warps */
	{"native_layer_norm", 6},
	{"native_group_norm", 6},
	{"_fused_rms_norm", 4},
	{NULL, 0},
};

/* An addition, a comparison, a choice. A compiler joins a product and the addition behind it, which
 * are about half of such operators. */
#define CHEAP 0.75

double weir_instructions_of(const char *name)
{
	size_t length = strlen(name);

	if (length > 1 && name[length - 1] == '_')
		length--; /* in place */
	for (const struct cost *cost = costs; cost->op; cost++)
		if (strlen(cost->op) == length && strncmp(cost->op, name, length) == 0)
			return cost->instructions;
	return CHEAP;
}

/* Inductor stores a value that is used several times and that more tensors are read for, and
 * computes others anew where they are used (its realize_reads_threshold). */
#define MOST_READS 4

/* Adds another pass over the rows. */
static void pass_again(struct weir_passes *passes)
{
	if (passes->tensors > MOST_READS && !(passes->stored_bytes > 0)) {
		passes->stored_bytes = passes->rows_bytes;
		passes->stored_instructions = passes->instructions;
	}
	passes->again_instructions += passes->instructions - passes->stored_instructions;
	passes->again_bytes += passes->stored_bytes > 0 ? passes->stored_bytes : passes->bytes;
}

void weir_passes_compute(struct weir_passes *passes, double instructions, size_t level)
{
	for (; passes->level < level; passes->level++)
		pass_again(passes);
	passes->instructions += instructions;
}

void weir_passes_reduce(struct weir_passes *passes, double instructions, double bytes)
{
	passes->instructions += instructions;
	passes->rows_bytes = bytes;
}

void weir_passes_read_few(struct weir_passes *passes)
{
	passes->few_instructions += passes->unrolled;
	passes->unrolled = 0;
}

void weir_passes_unroll(struct weir_passes *passes, double elements, double result_bytes)
{
	passes->unrolled = elements * passes->instructions;
	passes->unrolled_bytes = result_bytes;
}

void weir_passes_normalise_few(struct weir_passes *passes, double values, double elements)
{
	passes->few_instructions +=
		values * (passes->instructions + elements * weir_instructions_of("exp"));
}

double weir_instructions_ns(const struct weir_device *device, double instructions)
{
	struct weir_peak peak;

	if (!device)
		return 0;
	peak = weir_device_flops(device, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32);
	/* The datasheet counts a fused multiplication and addition as two. */
	return peak.sustained > 0 ? instructions / (peak.sustained / 2) * 1e9 : 0;
}
