/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits a kernel by its family and tile. Libraries choose a narrow tile for products with few
 * rows of activations: each weight is then used so few times that streaming it takes longer than
 * the arithmetic. A product of R rows does R operations a byte in 16-bit types, and the ridge of
 * current devices lies between 150 and 400 (rules/devices.json), so a tile that is 32 wide, or 64
 * wide and clearly longer, stays below it. Tiles of 64 by 128 and more that are not so narrow are
 * chosen for products that fill the device.
 */
#include <string.h>

#include "engine/analysis/names/kernels.h"

#define SKINNY_TILE     32
#define NARROW_TILE     64 /* with a longer side of at least half as much again */
#define QUERY_TILE      16 /* rows of queries: one token a sequence */
#define LARGE_TILE_SIDE 64
#define LARGE_TILE_AREA (64u * 128u)
#define MAX_TILE        4096

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits as a number; 0 where there are none or the number is no tile size. */
static uint32_t take_size(const char **at)
{
	uint32_t size = 0;

	for (; is_digit(**at); ++*at) {
		if (size <= MAX_TILE)
			size = size * 10 + (uint32_t)(**at - '0');
	}
	return size > MAX_TILE ? 0 : size;
}

/* Tiles follow an underscore, "MT" (Tensile) or "tilesize"; instruction shapes ("s64x128x16gemm")
 * follow a letter. */
static bool may_start_tile(const char *name, const char *at)
{
	size_t before = (size_t)(at - name);

	if (!is_digit(*at) || !before || is_digit(at[-1]))
		return false;
	return at[-1] == '_' || (before >= 2 && !memcmp(at - 2, "MT", 2)) ||
	       (before >= 8 && !memcmp(at - 8, "tilesize", 8));
}

static const char *find_tile(const char *name, struct weir_tile *tile)
{
	for (const char *at = name; *at; at++) {
		const char *end = at;
		uint32_t m, n;

		if (!may_start_tile(name, at))
			continue;
		m = take_size(&end);
		if (!m || *end != 'x' || !is_digit(end[1]))
			continue;
		end++;
		n = take_size(&end);
		if (!n)
			continue;
		*tile = (struct weir_tile){m, n};
		return at;
	}
	return NULL;
}

struct weir_tile weir_kernel_tile(const char *name)
{
	struct weir_tile tile = {0, 0};

	find_tile(name, &tile);
	return tile;
}

size_t weir_kernel_base_length(const char *display)
{
	struct weir_tile tile;
	const char *at = find_tile(display, &tile);

	/* At least one letter must remain. */
	if (!at || at - display < 2)
		return strlen(display);
	return (size_t)(at - display) - (at[-1] == '_' ? 1 : 0);
}

static enum weir_family_limit limit_of_gemm(struct weir_tile tile)
{
	uint32_t narrow, longer;

	if (!tile.m)
		return WEIR_LIMIT_UNKNOWN;
	narrow = tile.m < tile.n ? tile.m : tile.n;
	longer = tile.m < tile.n ? tile.n : tile.m;
	if (narrow <= SKINNY_TILE || (narrow <= NARROW_TILE && 2 * longer >= 3 * narrow))
		return WEIR_LIMIT_MEMORY;
	if (tile.m >= LARGE_TILE_SIDE && tile.n >= LARGE_TILE_SIDE &&
	    tile.m * tile.n >= LARGE_TILE_AREA)
		return WEIR_LIMIT_COMPUTE;
	return WEIR_LIMIT_UNKNOWN;
}

/* Kernels for one query row a sequence, which read the whole cache for it. */
static bool is_decode_attention(const char *name)
{
	static const char *const parts[] = {
		"splitkv",         "split_kv",       "SplitKV",    "decode",    "Decode",  "_3d",
		"paged_attention", "PagedAttention", "Generation", "flash_mla", "combine", NULL};

	for (size_t i = 0; parts[i]; i++) {
		if (strstr(name, parts[i]))
			return true;
	}
	return false;
}

static enum weir_family_limit limit_of_attention(const char *name)
{
	struct weir_tile tile = weir_kernel_tile(name);

	/* The first side of the tile is rows of queries. */
	if (is_decode_attention(name) || (tile.m && tile.m <= QUERY_TILE))
		return WEIR_LIMIT_MEMORY;
	return WEIR_LIMIT_UNKNOWN;
}

enum weir_family_limit weir_kernel_limit(const char *name)
{
	switch (weir_kernel_family(name)) {
	case WEIR_FAMILY_GEMM:
		return limit_of_gemm(weir_kernel_tile(name));
	case WEIR_FAMILY_ATTENTION:
		return limit_of_attention(name);
	case WEIR_FAMILY_GEMV:
	case WEIR_FAMILY_COPY:
	case WEIR_FAMILY_NORM:
	case WEIR_FAMILY_SOFTMAX:
	case WEIR_FAMILY_ELEMENTWISE:
	case WEIR_FAMILY_REDUCE:
	case WEIR_FAMILY_INDEX:
		return WEIR_LIMIT_MEMORY;
	case WEIR_FAMILY_OTHER:
	case WEIR_FAMILY_COMMUNICATION:
	case WEIR_FAMILY_CONVOLUTION:
	case WEIR_FAMILY_SORT:
	case WEIR_FAMILY_COUNT:
		return WEIR_LIMIT_UNKNOWN;
	}
	return WEIR_LIMIT_UNKNOWN;
}
