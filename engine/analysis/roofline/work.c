/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "engine/analysis/roofline/work.h"

const char *weir_dtype_name(enum weir_dtype dtype)
{
	static const char *const names[WEIR_DTYPE_COUNT] = {
		[WEIR_DTYPE_FP64] = "fp64", [WEIR_DTYPE_FP32] = "fp32", [WEIR_DTYPE_TF32] = "tf32",
		[WEIR_DTYPE_BF16] = "bf16", [WEIR_DTYPE_FP16] = "fp16", [WEIR_DTYPE_FP8] = "fp8",
		[WEIR_DTYPE_FP4] = "fp4",   [WEIR_DTYPE_INT8] = "int8", [WEIR_DTYPE_INT] = "int",
	};

	return (unsigned)dtype < WEIR_DTYPE_COUNT ? names[dtype] : NULL;
}

const char *weir_engine_name(enum weir_engine engine)
{
	static const char *const names[WEIR_ENGINE_COUNT] = {
		[WEIR_ENGINE_VECTOR] = "vector",
		[WEIR_ENGINE_TENSOR] = "tensor",
	};

	return (unsigned)engine < WEIR_ENGINE_COUNT ? names[engine] : NULL;
}

/* Integers and bytes are counted at the fp32 rate; only fp64 is slower. */
void weir_work_vector(struct weir_work *work, double flops, double bytes, enum weir_dtype dtype)
{
	work->flops = flops;
	work->bytes = bytes;
	work->engine = flops > 0 ? WEIR_ENGINE_VECTOR : WEIR_ENGINE_NONE;
	work->dtype = dtype == WEIR_DTYPE_FP64 ? WEIR_DTYPE_FP64 : WEIR_DTYPE_FP32;
	work->confidence = WEIR_MODEL_HIGH;
}

void weir_work_product(struct weir_work *work, double flops, double bytes, enum weir_dtype dtype)
{
	work->flops = flops;
	work->bytes = bytes;
	work->engine = WEIR_ENGINE_TENSOR;
	work->dtype = dtype;
	work->confidence = WEIR_MODEL_HIGH;
	work->product = true;
}
