/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/roofline/traffic.h"

/* For kernels without a tile in their name: half of a multiprocessor's registers, as fp32 sums. */
#define USUAL_TILE (128.0 * 256.0)
/* Resident threads of a multiprocessor, on all devices of the table except the smallest. */
#define THREADS_AT_ONCE 2048.0
#define USUAL_THREADS   256.0

struct region {
	double rows, columns;
};

/* Returns the number of tiles of the result. The first side of a tile runs along its columns. */
static double tiles_of(const struct weir_reuse *reuse, struct weir_tile tile)
{
	return ceil(reuse->n / (double)tile.m) * ceil(reuse->m / (double)tile.n);
}

static struct region region_of(const struct weir_reuse *reuse,
                               const struct weir_launch_shape *launch, double sms)
{
	struct weir_tile tile = {0, 0};
	double area = sms * USUAL_TILE, side;
	struct region region;

	if (launch->kernel)
		tile = weir_kernel_tile(launch->kernel);
	if (tile.m && tile.n)
		area = sms * (double)tile.m * (double)tile.n;
	if (tile.m && tile.n && launch->blocks > sms &&
	    (double)launch->blocks == tiles_of(reuse, tile)) {
		region.columns = fmin(reuse->n, sms * (double)tile.m);
		region.rows = fmin(reuse->m, area / region.columns);
		return region;
	}
	/* If the result is narrower than the square, the other side becomes longer. */
	side = WEIR_REGION_SIDE * sqrt(area);
	region.rows = fmin(reuse->m, side);
	region.columns = fmin(reuse->n, side * side / region.rows);
	region.rows = fmin(reuse->m, side * side / region.columns);
	return region;
}

/* Returns the bytes read beyond the first time: every row of regions reads the second matrix again,
 * every column of regions the first. */
static double read_again(const struct weir_reuse *reuse, const struct weir_launch_shape *launch,
                         const struct weir_device *device)
{
	double least = fmin(reuse->a_bytes, reuse->b_bytes);
	struct region region;

	if (least <= WEIR_STAYING_SHARE * device->l2_bytes ||
	    reuse->a_bytes + reuse->b_bytes <= device->l2_bytes)
		return 0;
	region = region_of(reuse, launch, device->sms);
	return reuse->a_bytes * (reuse->n / region.columns - 1) +
	       reuse->b_bytes * (reuse->m / region.rows - 1);
}

/* Returns true for kernels that read a row twice: for its moments, and to scale it. */
static bool looks_twice(const char *kernel)
{
	static const char *const names[] = {"vectorized_layer_norm_kernel",
	                                    "layer_norm_grad_input_kernel", NULL};

	for (size_t i = 0; kernel && names[i]; i++)
		if (strstr(kernel, names[i]))
			return true;
	return false;
}

/* Returns the share of rows that the second read does not find in the cache. */
static double rows_lost(double row_bytes, uint32_t threads, const struct weir_device *device)
{
	double blocks = THREADS_AT_ONCE / (threads ? (double)threads : USUAL_THREADS);
	double share = row_bytes * device->sms * blocks / device->l2_bytes;

	return fmin(1, fmax(0, (share - WEIR_ROWS_KEPT_SHARE) /
	                               (WEIR_ROWS_LOST_SHARE - WEIR_ROWS_KEPT_SHARE)));
}

double weir_traffic_bytes(const struct weir_work *work, const struct weir_launch_shape *launch,
                          const struct weir_device *device)
{
	const struct weir_reuse *reuse = &work->reuse;
	double bytes = work->bytes + fmax(0, reuse->scattered_bytes);

	if (work->confidence == WEIR_MODEL_NONE)
		return NAN;
	if (!device || isnan(device->l2_bytes) || !device->sms)
		return bytes;
	if (reuse->batch > 0)
		bytes += reuse->batch * read_again(reuse, launch, device);
	if (reuse->row_bytes > 0 && looks_twice(launch->kernel))
		bytes += reuse->rows_again_bytes *
		         rows_lost(reuse->row_bytes, launch->threads, device);
	if (work->bytes > device->l2_bytes)
		bytes += reuse->passes_again_bytes;
	return bytes;
}
