/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/near.h"
#include "tests/unit/random_counters.h"

#define MOST_LAUNCHES 24

static size_t below(uint64_t *state, uint64_t limit)
{
	return (size_t)(next_number(state) % limit);
}

static uint32_t any_name(struct weir_counters *counters, uint64_t *state, const char *const *texts,
                         size_t count)
{
	const char *text = texts[below(state, count)];

	return weir_names_add(counters->names, text, strlen(text));
}

/* Returns the largest value of a counter: 1 for shares. */
static double scale_of(size_t counter)
{
	static const double scales[WEIR_COUNTER_COUNT] = {
		[WEIR_COUNTER_DRAM_BYTES_PER_S] = 1e9,
		[WEIR_COUNTER_BLOCKS] = 200,
		[WEIR_COUNTER_THREADS_PER_BLOCK] = 200,
		[WEIR_COUNTER_REGISTERS] = 200,
		[WEIR_COUNTER_WAVES] = 2,
		[WEIR_COUNTER_SMS] = 132,
		[WEIR_COUNTER_SM_HZ] = 1e9,
	};

	if (scales[counter] > 0)
		return scales[counter];
	return counter <= WEIR_COUNTER_L2_HITS ? 1 : 1e6;
}

/* Shares are multiples of a twentieth, so that they lie on limits as well. */
static void draw_values(struct weir_counted_kernel *kernel, uint64_t *state)
{
	for (size_t c = 0; c < WEIR_COUNTER_COUNT; c++) {
		size_t twentieths;

		if (c == WEIR_COUNTER_SM_ACTIVE_CYCLES)
			continue; /* newer than the records */
		twentieths = below(state, 21);
		if (below(state, 4) > 0)
			kernel->value[c] = scale_of(c) * (double)twentieths / 20;
	}
}

static void draw_kernel(struct weir_counters *counters, uint64_t *state)
{
	static const char *const names[] = {"gemm", "ampere_sgemm_32x32_tn",
	                                    "void ns::elementwise_kernel<float>(float *)", ""};
	static const char *const devices[] = {"NVIDIA H100 80GB HBM3", "NVIDIA A10"};
	static const uint32_t sides[] = {1, 1, 1, 2, 132};
	static const int64_t durations[] = {-1, 0, 1, 4999, 5000, 20000, 20001, 300000};
	struct weir_counted_kernel *kernel = weir_counters_add(counters);

	kernel->name = any_name(counters, state, names, sizeof names / sizeof *names);
	if (below(state, 3) > 0)
		kernel->device = any_name(counters, state, devices, 2);
	for (size_t d = 0; d < 3; d++) {
		kernel->grid[d] = sides[below(state, 5)];
		kernel->block[d] = sides[below(state, 5)];
	}
	if (below(state, 8) == 0)
		memset(kernel->grid, 0, sizeof kernel->grid);
	if (below(state, 8) == 0)
		memset(kernel->block, 0, sizeof kernel->block);
	kernel->process = (int64_t)below(state, 3) - 1;
	kernel->launch = (int64_t)below(state, MOST_LAUNCHES) - 1;
	kernel->duration_ns = durations[below(state, 8)];
	kernel->rounded = below(state, 2) > 0;
	draw_values(kernel, state);
	weir_counted_kernel_complete(kernel);
}

static void draw_finding(struct weir_counters *counters, size_t kernel, uint64_t *state)
{
	static const char *const rules[] = {"SOLBottleneck", "Occupancy"};
	static const char *const kinds[] = {"OPT", "INF"};
	static const char *const texts[] = {"third", "second", "first"};
	static const double speedups[] = {NAN, NAN, 0, 0.1, 0.5};
	struct weir_counter_finding finding = {.kernel = kernel};

	finding.rule = any_name(counters, state, rules, 2);
	finding.kind = any_name(counters, state, kinds, 2);
	finding.text = any_name(counters, state, texts, 3);
	finding.scope = (enum weir_finding_scope)below(state, 3);
	finding.speedup = speedups[below(state, 5)];
	weir_counters_add_finding(counters, &finding);
}

struct weir_counters *random_counters(uint64_t *state)
{
	struct weir_counters *counters = weir_counters_new();
	size_t count = below(state, MOST_LAUNCHES) + 1;

	for (size_t k = 0; k < count; k++)
		draw_kernel(counters, state);
	for (size_t k = 0; k < count; k++)
		for (size_t f = below(state, 5); f > 0; f--)
			draw_finding(counters, k, state);
	return counters;
}
