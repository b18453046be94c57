/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "engine/analysis/roofline/work.h"

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
