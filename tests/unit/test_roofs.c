/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Roofs of the first known device that has modelled operators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/drawing/roofs.h"
#include "engine/base/arena.h"

#define DEVICES 3
#define GROUPS  6

struct desk {
	struct weir_trace *trace;
	struct weir_rank rank;
	struct weir_analysis analysis;
	struct weir_rank_device devices[DEVICES];
	struct weir_trace_device described[DEVICES];
	struct weir_group groups[GROUPS];
	struct weir_assessment assessments[GROUPS];
	struct weir_arena *arena;
};

static struct desk *desk_new(void)
{
	struct desk *desk = weir_alloc(sizeof *desk);

	desk->trace = weir_trace_new();
	desk->arena = weir_arena_new();
	desk->rank.trace = desk->trace;
	desk->rank.devices = desk->devices;
	desk->rank.groups.items = desk->groups;
	desk->rank.assessments = desk->assessments;
	desk->trace->devices = desk->described;
	desk->analysis.ranks = &desk->rank;
	desk->analysis.rank_count = 1;
	return desk;
}

static void desk_free(struct desk *desk)
{
	desk->trace->devices = NULL;
	weir_trace_free(desk->trace);
	weir_arena_free(desk->arena);
	free(desk);
}

static struct weir_device *add_device(struct desk *desk, size_t index, const char *name)
{
	struct weir_device *peaks = &desk->devices[index].peaks;

	desk->devices[index].known = true;
	desk->described[index].name = weir_names_add(desk->trace->names, name, strlen(name));
	peaks->bytes_per_s = (struct weir_peak){0.9, 0.7};
	for (int e = 0; e < WEIR_ENGINE_COUNT; e++)
		for (int t = 0; t < WEIR_DTYPE_COUNT; t++)
			peaks->flops[e][t] = (struct weir_peak){10 * e + t, 0.5 * (10 * e + t)};
	return peaks;
}

static void add_group(struct desk *desk, uint16_t device, enum weir_engine engine,
                      enum weir_dtype dtype)
{
	size_t index = desk->rank.groups.count++;

	desk->groups[index].device = device;
	desk->assessments[index].work =
		(struct weir_work){.engine = engine, .dtype = dtype, .confidence = WEIR_MODEL_HIGH};
}

static void roofs_are_listed_from_the_highest(void **state)
{
	static const struct {
		const char *name;
		double theoretical;
	} expected[] = {{"tf32, matrix units", 5},
	                {"fp32, matrix units", 4},
	                {"fp32, vector units", 4},
	                {"int, vector units", 0.25},
	                {"fp64, vector units", 0.125}};
	struct desk *desk = desk_new();
	struct weir_device *peaks = add_device(desk, 0, "H100");
	const struct weir_roofs *roofs;

	(void)state;
	peaks->flops[WEIR_ENGINE_VECTOR][WEIR_DTYPE_FP32].theoretical = 4;
	peaks->flops[WEIR_ENGINE_TENSOR][WEIR_DTYPE_FP32].theoretical = 4;
	peaks->flops[WEIR_ENGINE_TENSOR][WEIR_DTYPE_TF32].theoretical = 5;
	peaks->flops[WEIR_ENGINE_VECTOR][WEIR_DTYPE_INT] = (struct weir_peak){0.25, 0.125};
	peaks->flops[WEIR_ENGINE_VECTOR][WEIR_DTYPE_FP64] = (struct weir_peak){0.125, 0.0625};
	add_group(desk, 0, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP64);
	add_group(desk, 0, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32);
	add_group(desk, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP32);
	add_group(desk, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32);
	add_group(desk, 0, WEIR_ENGINE_VECTOR, WEIR_DTYPE_INT);
	add_group(desk, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_UNKNOWN);
	roofs = weir_roofs_of(&desk->analysis, desk->arena);
	assert_string_equal(roofs->device, "H100");
	assert_true(roofs->bytes_per_s == 0.9 && roofs->sustained_bytes_per_s == 0.7);
	assert_int_equal(roofs->roof_count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(roofs->roofs[i].name, expected[i].name);
		assert_true(roofs->roofs[i].theoretical == expected[i].theoretical);
	}
	assert_true(roofs->roofs[3].sustained == 0.125);
	desk_free(desk);
}

/* Sets one peak of the only operator's device, and returns whether the roof is drawn. */
static bool draws(double theoretical, double sustained)
{
	struct desk *desk = desk_new();
	struct weir_device *peaks = add_device(desk, 0, "H100");
	const struct weir_roofs *roofs;
	bool drawn;

	peaks->flops[WEIR_ENGINE_TENSOR][WEIR_DTYPE_FP8] =
		(struct weir_peak){theoretical, sustained};
	add_group(desk, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8);
	roofs = weir_roofs_of(&desk->analysis, desk->arena);
	drawn = roofs->roof_count > 0;
	desk_free(desk);
	return drawn;
}

/* The same of the memory: without its rate there is no picture. */
static bool draws_memory(double theoretical, double sustained)
{
	struct desk *desk = desk_new();
	bool drawn;

	add_device(desk, 0, "H100")->bytes_per_s = (struct weir_peak){theoretical, sustained};
	add_group(desk, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8);
	drawn = weir_roofs_of(&desk->analysis, desk->arena) != NULL;
	desk_free(desk);
	return drawn;
}

static void a_peak_that_is_not_known_is_not_drawn(void **state)
{
	(void)state;
	assert_true(draws(0.5, 0.25) && draws_memory(0.5, 0.25));
	assert_false(draws(0, 0.25) || draws_memory(0, 0.25));
	assert_false(draws(0.5, 0) || draws_memory(0.5, 0));
}

/* Operators of devices of the same name count, those of others do not. */
static void the_first_known_device_with_modelled_operators_is_drawn(void **state)
{
	struct desk *desk = desk_new();
	const struct weir_roofs *roofs;

	(void)state;
	add_device(desk, 0, "A100")->bytes_per_s.theoretical = 3;
	add_device(desk, 1, "H100");
	add_device(desk, 2, "H100")->bytes_per_s.theoretical = 2;
	assert_null(weir_roofs_of(&desk->analysis, desk->arena));
	add_group(desk, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8);
	add_group(desk, 1, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP16);
	add_group(desk, 2, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16);
	add_group(desk, 1, WEIR_ENGINE_TENSOR, WEIR_DTYPE_INT8);
	add_group(desk, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP4);
	desk->assessments[0].work.confidence = WEIR_MODEL_NONE;
	desk->devices[1].known = false;
	roofs = weir_roofs_of(&desk->analysis, desk->arena);
	assert_string_equal(roofs->device, "H100");
	assert_true(roofs->bytes_per_s == 2);
	assert_int_equal(roofs->roof_count, 1);
	assert_string_equal(roofs->roofs[0].name, "bf16, matrix units");
	desk->devices[1].known = true;
	roofs = weir_roofs_of(&desk->analysis, desk->arena);
	assert_true(roofs->bytes_per_s == 0.9);
	assert_int_equal(roofs->roof_count, 3);
	desk_free(desk);
}

static void a_device_without_a_name_is_drawn_without_one(void **state)
{
	struct desk *desk = desk_new();
	const struct weir_roofs *roofs;

	(void)state;
	add_device(desk, 0, "");
	add_group(desk, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8);
	roofs = weir_roofs_of(&desk->analysis, desk->arena);
	assert_null(roofs->device);
	desk_free(desk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roofs_are_listed_from_the_highest),
		cmocka_unit_test(a_peak_that_is_not_known_is_not_drawn),
		cmocka_unit_test(the_first_known_device_with_modelled_operators_is_drawn),
		cmocka_unit_test(a_device_without_a_name_is_drawn_without_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
