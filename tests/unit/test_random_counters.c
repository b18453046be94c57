/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole reports and runs of random pages of a counter profiler, against tests/data/random_counters.
 * `WEIR_UPDATE_COUNTERS=1 test_random_counters` rewrites the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "tests/unit/near.h"
#include "tests/unit/random_counters.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/record.h"
#include "tests/unit/report_record.h"

#define ROUNDS 12

/* Gives kernels the shapes that random_counters() draws most often, so that some are found there.
 */
static struct weir_trace *draw_trace(uint64_t *seed)
{
	static const uint32_t sides[] = {1, 2, 4, 132};
	struct weir_trace *trace = random_trace(seed);

	for (size_t i = 0; i < trace->device.count; i++) {
		trace->device.blocks[i] = sides[next_number(seed) % 4];
		trace->device.threads_per_block[i] = sides[next_number(seed) % 4];
	}
	return trace;
}

/* Each profile has one or two files of pages; every third has a timeline as well. */
static void reports_and_runs_of_random_pages_keep_every_figure(void **state)
{
	const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	uint64_t seed = 47;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		char path[64];

		for (int file = 0; file <= round % 2; file++)
			weir_profile_add_input(profile, "pages")->counters = random_counters(&seed);
		if (round % 3 == 2)
			weir_profile_add_input(profile, "trace")->trace = draw_trace(&seed);
		(void)snprintf(path, sizeof path, "tests/data/random_counters/%d.txt", round);
		report_record_add(profile, &options, &text);
		report_record_add_run(profile, &options, &text);
		record_check(path, &text, "WEIR_UPDATE_COUNTERS");
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_and_runs_of_random_pages_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
