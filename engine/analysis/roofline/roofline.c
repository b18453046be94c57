/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/roofline/roofline.h"

#define NS_PER_S 1e9

struct engine_pattern {
	const char *part; /* substring of the kernel's name */
	struct weir_kernel_engine is;
};

/*
 * Instruction shapes in kernel names of cuBLAS, cuDNN, CUTLASS, Tensile and their users; the first
 * match decides. "s1688" is a 16x8x8 product with fp32 sums, which is TF32 for fp32 data; "sgemm"
 * without such a shape runs on the fp32 units.
 */
static const struct engine_pattern patterns[] = {
	{"gemv", {WEIR_ENGINE_VECTOR, WEIR_DTYPE_UNKNOWN}},
	{"simt", {WEIR_ENGINE_VECTOR, WEIR_DTYPE_UNKNOWN}},
	{"_ffma_", {WEIR_ENGINE_VECTOR, WEIR_DTYPE_UNKNOWN}},
	{"dot_kernel", {WEIR_ENGINE_VECTOR, WEIR_DTYPE_UNKNOWN}},
	{"tf32", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32}},
	{"s1688", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"s16816", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"h1688", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"h16816", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"i16832", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"i8816", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"s884", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"h884", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"d884", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP64}},
	{"tensorop", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"_tensor16x8", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"nvjet", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"hmma", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"imma", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"dmma", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP64}},
	{"wgmma", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"wmma", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"mfma", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"xdl", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"tcgen05", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"_MI4x4", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"_MI16x16", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"_MI32x32", {WEIR_ENGINE_TENSOR, WEIR_DTYPE_UNKNOWN}},
	{"sgemm", {WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32}},
	{"dgemm", {WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP64}},
	{"scudnn", {WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32}},
};

struct weir_kernel_engine weir_engine_from_kernel(const char *kernel)
{
	for (size_t i = 0; kernel && i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (strstr(kernel, patterns[i].part))
			return patterns[i].is;
	}
	return (struct weir_kernel_engine){WEIR_ENGINE_NONE, WEIR_DTYPE_UNKNOWN};
}

bool weir_kernel_is_vector_product(const char *kernel)
{
	struct weir_kernel_engine told = weir_engine_from_kernel(kernel);
	struct weir_tile tile = {0, 0};

	if (told.engine != WEIR_ENGINE_VECTOR || told.dtype == WEIR_DTYPE_FP64 ||
	    weir_kernel_family(kernel) != WEIR_FAMILY_GEMM || strstr(kernel, "dgemm"))
		return false;
	tile = weir_kernel_tile(kernel);
	return tile.m >= WEIR_VECTOR_TILE && tile.n >= WEIR_VECTOR_TILE;
}

/* Returns true if matrix units round fp32 data to TF32. Those that Tensile uses take fp32
 * itself. */
static bool rounds_to_tf32(const char *kernel)
{
	return !strstr(kernel, "Cijk_") && !strstr(kernel, "mfma") && !strstr(kernel, "xdl");
}

void weir_work_refine(struct weir_work *work, const char *kernel)
{
	struct weir_kernel_engine told = weir_engine_from_kernel(kernel);
	bool wide = work->dtype == WEIR_DTYPE_FP32 || work->dtype == WEIR_DTYPE_FP64;

	if (!work->product || work->engine == WEIR_ENGINE_NONE)
		return;
	if (told.engine == WEIR_ENGINE_NONE) {
		if (!wide)
			return;
		/* Frameworks do not use TF32 for products by default. */
		work->engine = WEIR_ENGINE_VECTOR;
		work->confidence = WEIR_MODEL_LOW;
		return;
	}
	work->engine = told.engine;
	if (told.engine == WEIR_ENGINE_VECTOR)
		work->dtype = work->dtype == WEIR_DTYPE_FP64 ? WEIR_DTYPE_FP64 : WEIR_DTYPE_FP32;
	else if (work->dtype == WEIR_DTYPE_FP32 && rounds_to_tf32(kernel))
		work->dtype = WEIR_DTYPE_TF32;
}

/* Returns the time in ns; 0 for no work, NAN if the rate is unknown. */
static double time_at(double amount, double per_s)
{
	return amount > 0 ? amount / per_s * NS_PER_S : 0;
}

static enum weir_roofline nearer_side(const struct weir_roofline_result *r)
{
	if (r->sustained_compute_ns >= WEIR_LEAD * r->sustained_memory_ns)
		return WEIR_ROOFLINE_COMPUTE;
	if (r->sustained_memory_ns >= WEIR_LEAD * r->sustained_compute_ns)
		return WEIR_ROOFLINE_MEMORY;
	return WEIR_ROOFLINE_BALANCED;
}

static bool implausible(const struct weir_roofline_result *r, double time_ns)
{
	return r->compute_ns > WEIR_IMPLAUSIBLE * time_ns ||
	       (!r->memory_upper_bound && r->memory_ns > WEIR_IMPLAUSIBLE * time_ns);
}

static enum weir_roofline class_of(const struct weir_roofline_result *r, double time_ns)
{
	if (implausible(r, time_ns))
		return WEIR_ROOFLINE_IMPLAUSIBLE;
	if (fmax(r->sustained_compute_ns, r->traffic_ns) >= WEIR_NEAR_ROOF * time_ns)
		return r->side;
	return time_ns < WEIR_SHORT_NS || r->grid_too_small ? WEIR_ROOFLINE_LATENCY
	                                                    : WEIR_ROOFLINE_INEFFICIENT;
}

/* Returns the highest matrix rate for a product of this type with at least the precision of
 * TF32. */
static double matrix_peak(const struct weir_device *device, enum weir_dtype dtype)
{
	enum weir_dtype matrix = dtype == WEIR_DTYPE_FP32 ? WEIR_DTYPE_TF32 : dtype;
	double peak = weir_device_flops(device, WEIR_ENGINE_TENSOR, matrix).theoretical;

	return isnan(peak) ? weir_device_flops(device, WEIR_ENGINE_TENSOR, dtype).theoretical
	                   : peak;
}

bool weir_device_outruns_vector_units(const struct weir_device *device)
{
	return matrix_peak(device, WEIR_DTYPE_FP32) >
	       weir_device_flops(device, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32).theoretical;
}

static bool leaves_matrix_units(const struct weir_work *work, const struct weir_device *device)
{
	double used = weir_device_flops(device, WEIR_ENGINE_VECTOR, work->dtype).theoretical;

	return work->product && work->engine == WEIR_ENGINE_VECTOR &&
	       matrix_peak(device, work->dtype) > used;
}

void weir_roofline_judge(const struct weir_work *work, double time_ns, uint32_t blocks,
                         const struct weir_device *device, struct weir_roofline_result *result)
{
	struct weir_roofline_result r = {.compute_ns = NAN,
	                                 .memory_ns = NAN,
	                                 .sustained_compute_ns = NAN,
	                                 .sustained_memory_ns = NAN,
	                                 .efficiency = NAN,
	                                 .peak_share = NAN,
	                                 .tflops = NAN,
	                                 .gbps = NAN};
	struct weir_peak flops;

	*result = r;
	if (work->confidence == WEIR_MODEL_NONE || !(time_ns > 0) || isnan(work->flops) ||
	    isnan(work->bytes))
		return;
	r.tflops = work->flops / time_ns / 1e3; /* FLOP/ns = GFLOP/s */
	r.gbps = work->bytes / time_ns;
	*result = r;
	if (!device)
		return;
	flops = weir_device_flops(device, work->engine, work->dtype);
	r.compute_ns = time_at(work->flops, flops.theoretical);
	r.sustained_compute_ns = time_at(work->flops, flops.sustained);
	r.memory_ns = time_at(work->bytes, device->bytes_per_s.theoretical);
	r.traffic_ns =
		time_at(fmax(work->bytes, work->traffic_bytes), device->bytes_per_s.theoretical);
	r.sustained_memory_ns = time_at(work->bytes, device->bytes_per_s.sustained);
	r.grid_too_small = blocks && device->sms && blocks < device->sms;
	r.memory_upper_bound = work->bytes < WEIR_CACHE_SHARE * device->l2_bytes;
	*result = r;
	if (isnan(r.compute_ns) || isnan(r.memory_ns))
		return;
	r.efficiency = fmax(r.sustained_compute_ns, r.sustained_memory_ns) / time_ns;
	r.peak_share = fmax(r.compute_ns, r.memory_ns) / time_ns;
	if (r.memory_upper_bound) {
		r.efficiency = fmin(r.efficiency, 1);
		r.peak_share = fmin(r.peak_share, 1);
	}
	r.side = nearer_side(&r);
	r.matrix_units_idle = r.side == WEIR_ROOFLINE_COMPUTE && leaves_matrix_units(work, device);
	r.roofline = class_of(&r, time_ns);
	*result = r;
}
