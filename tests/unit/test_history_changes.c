/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/pipeline/history_changes.h"

#define RUNS 16

/* Runs whose label `driver` changes at run `at`; `host` alternates, `job` differs in each run. */
static struct weir_baseline *make(size_t at)
{
	struct weir_baseline *baseline = weir_baseline_new("main");

	for (size_t i = 0; i < RUNS; i++) {
		struct weir_run *run = weir_run_new();
		char job[16];

		snprintf(job, sizeof job, "%zu", i);
		weir_run_set_label(run, "job", job);
		weir_run_set_label(run, "commit", i < at ? "old" : "new");
		weir_run_set_label(run, "session", i < at ? "auto:1" : "auto:2");
		weir_run_set_label(run, "host", i % 2 ? "x" : "y");
		weir_run_set_label(run, "driver", i < at ? "550" : "570");
		if (i >= at)
			weir_run_set_label(run, "flag", "on");
		weir_baseline_take(baseline, run, "2026-11-20T14:00:00Z");
	}
	return baseline;
}

static const char *text_at(const struct weir_baseline *baseline, const size_t *cuts, size_t count,
                           size_t at, struct weir_text *text)
{
	struct weir_changes changes;

	weir_text_clear(text);
	weir_changes_find(&changes, baseline, cuts, count, at);
	weir_changes_text(&changes, ": ", text);
	weir_changes_release(&changes);
	return text->data ? text->data : "";
}

static void labels_that_change_with_the_level_are_named(void **state)
{
	static const size_t cuts[] = {8};
	struct weir_baseline *baseline = make(8);
	struct weir_text text = {0};

	(void)state;
	assert_string_equal(text_at(baseline, cuts, 1, 8, &text),
	                    ": driver 550 -> 570, flag (none) -> on");
	weir_text_release(&text);
	weir_baseline_free(baseline);
}

static void a_change_near_the_change_point_counts(void **state)
{
	static const size_t cuts[] = {8};
	/* Two or three of the 8 runs after the change point still have the old driver: 75 % or 62
	 * %. */
	struct weir_baseline *near = make(10), *far = make(11);
	struct weir_text text = {0};

	(void)state;
	assert_string_equal(text_at(near, cuts, 1, 8, &text),
	                    ": driver 550 -> 570, flag (none) -> on");
	assert_string_equal(text_at(far, cuts, 1, 8, &text), "");
	weir_text_release(&text);
	weir_baseline_free(near);
	weir_baseline_free(far);
}

static void levels_end_at_the_neighbouring_change_points(void **state)
{
	static const size_t cuts[] = {4, 8, 12};
	struct weir_baseline *baseline = make(8);
	struct weir_text text = {0};

	(void)state;
	for (size_t i = 12; i < RUNS; i++)
		weir_run_set_label(baseline->runs[i].run, "driver", "550");
	assert_string_equal(text_at(baseline, cuts, 3, 4, &text), "");
	assert_string_equal(text_at(baseline, cuts, 3, 8, &text),
	                    ": driver 550 -> 570, flag (none) -> on");
	assert_string_equal(text_at(baseline, cuts, 3, 12, &text), ": driver 570 -> 550");
	weir_text_release(&text);
	weir_baseline_free(baseline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_that_change_with_the_level_are_named),
		cmocka_unit_test(a_change_near_the_change_point_counts),
		cmocka_unit_test(levels_end_at_the_neighbouring_change_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
