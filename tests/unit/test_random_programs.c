/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole reports and runs of random programs, against tests/data/random_programs.
 * `WEIR_UPDATE_PROGRAMS=1 test_random_programs` rewrites the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "tests/unit/near.h"
#include "tests/unit/random_program.h"
#include "tests/unit/record.h"
#include "tests/unit/report_record.h"

#define ROUNDS 36
#define DEVICE "NVIDIA H100 80GB HBM3"

/* Every fourth profile has two ranks. */
static void reports_and_runs_of_programs_keep_every_figure(void **state)
{
	uint64_t seed = 61;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const struct weir_analysis_options options = {
			.steady = round % 3 > 0,
			.percentile = 0.95,
			.device_name = round % 2 ? DEVICE : NULL,
		};
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		char path[64];

		for (int rank = 0; rank <= (round % 4 == 3); rank++)
			weir_profile_add_input(profile, "trace")->trace = random_program(&seed);
		(void)snprintf(path, sizeof path, "tests/data/random_programs/%d.txt", round);
		report_record_add(profile, &options, &text);
		report_record_add_run(profile, &options, &text);
		record_check(path, &text, "WEIR_UPDATE_PROGRAMS");
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_and_runs_of_programs_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
