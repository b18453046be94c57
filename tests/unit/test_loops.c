/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repetitions of calls, against a count one call at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/loops.h"
#include "engine/base/splitmix.h"

#define CALLS 200

/* Operators of a program: names of the host rows with the same numbers. */
struct scene {
	uint32_t names[CALLS];
	struct weir_trace trace;
	struct weir_rank rank;
	struct weir_advisor advisor;
	struct weir_op_call items[CALLS];
	struct weir_op_calls calls;
};

static uint64_t draw(uint64_t *seed)
{
	*seed = weir_splitmix64(*seed);
	return *seed;
}

/* Fills a program with repetitions, a few other names, and calls without an operator. */
static void scene_fill(struct scene *scene, uint64_t seed)
{
	size_t period = 1 + draw(&seed) % 7;

	memset(scene, 0, sizeof *scene);
	for (uint32_t i = 0; i < CALLS; i++) {
		scene->names[i] = (uint32_t)(i % period % 3);
		scene->items[i].op = i;
		if (draw(&seed) % 40 == 0)
			scene->names[i] = 5;
		if (draw(&seed) % 150 == 0)
			scene->items[i].op = WEIR_NONE;
	}
	scene->trace.host.name = scene->names;
	scene->rank.trace = &scene->trace;
	scene->advisor.program.rank = &scene->rank;
	scene->calls = (struct weir_op_calls){&scene->advisor, scene->items, CALLS};
}

static uint32_t name_at(const struct scene *scene, size_t call)
{
	return scene->items[call].op == WEIR_NONE ? WEIR_NONE : scene->names[call];
}

static size_t turns_counted(const struct scene *scene, size_t first, size_t period)
{
	size_t same = 0;

	while (first + same + period < CALLS && name_at(scene, first + same) != WEIR_NONE &&
	       name_at(scene, first + same) == name_at(scene, first + same + period))
		same++;
	return same / period + 1;
}

static void turns_of_all_periods_are_those_counted_one_by_one(void **state)
{
	static struct scene scene;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		scene_fill(&scene, seed);
		for (size_t first = 0; first < CALLS; first += 37) {
			size_t turns[CALLS + 1];

			weir_loop_turns(&scene.calls, first, CALLS, turns);
			for (size_t period = 1; period <= CALLS; period++)
				assert_int_equal(turns[period],
				                 turns_counted(&scene, first, period));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_of_all_periods_are_those_counted_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
