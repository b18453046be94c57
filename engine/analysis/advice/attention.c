/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/advice/attention.h"
#include "engine/analysis/advice/products.h"

/* Properties of the kernels for one width of elements. */
struct kernels {
	double tile;     /* queries, and keys, of a tile */
	double start;    /* keys that a tile's beginning and end take as long as */
	double depth;    /* heads of fewer elements take as long */
	double exponent; /* of the head's size in the share of the sustained rate */
	double masked;   /* share of the rate with an arbitrary mask */
};

static const struct kernels narrow = {128, 120, 64, 0.5, 0.5};
static const struct kernels fp32 = {64, 24, 32, 0.6, 0.85};

/* Share of the sustained rate that heads of FULL_DEPTH reach between the beginning and the end of a
 * tile. */
#define MOST       0.88
#define FULL_DEPTH 128.0
/* The size of a head that is not known. */
#define USUAL_DEPTH 64.0

static double whole_tiles(double count, double tile)
{
	return ceil(count / tile) * tile;
}

/* Returns the keys that a query tile of a call with known sizes takes as long as. */
static double busy_keys(const struct weir_product *p, const struct kernels *kernels)
{
	double keys = whole_tiles(p->n, kernels->tile);

	if (p->mask == WEIR_MASK_CAUSAL)
		keys = (keys + kernels->tile) / 2; /* tiles on the diagonal are computed whole */
	return keys + kernels->start;
}

double weir_attention_busy_flops(const struct weir_product *p, bool wide)
{
	const struct kernels *kernels = wide ? &fp32 : &narrow;
	double depth = p->depth > 0 ? p->depth : USUAL_DEPTH,
	       tile_depth = fmax(depth, kernels->depth),
	       share = MOST * pow(fmin(1, tile_depth / FULL_DEPTH), kernels->exponent);

	if (p->mask == WEIR_MASK_ANY)
		share *= kernels->masked;
	if (!(p->m > 0) || !(p->n > 0))
		return p->flops * (tile_depth / depth) / share;
	return p->flops * (whole_tiles(p->m, kernels->tile) / p->m) *
	       (busy_keys(p, kernels) / p->n) * (tile_depth / depth) / share;
}
