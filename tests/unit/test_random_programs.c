/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole reports and runs of random programs, against tests/data/random_programs.
 * `WEIR_UPDATE_PROGRAMS=1 test_random_programs` rewrites the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "tests/unit/near.h"
#include "tests/unit/random_program.h"
#include "tests/unit/record.h"
#include "tests/unit/report_record.h"

#define ROUNDS   36
#define HOSTS    12 /* without device work */
#define VERDICTS 16
#define DEVICE   "NVIDIA H100 80GB HBM3"

/* Analyses the profile and compares its report and run with a file. Frees the profile. */
static void check(const char *kind, int round, struct weir_profile *profile)
{
	const struct weir_analysis_options options = {
		.steady = round % 3 > 0,
		.percentile = 0.95,
		.device_name = round % 2 ? DEVICE : NULL,
	};
	struct weir_text text = {0};
	char path[64];

	(void)snprintf(path, sizeof path, "tests/data/random_programs/%s%d.txt", kind, round);
	report_record_add(profile, &options, &text);
	report_record_add_run(profile, &options, &text);
	record_check(path, &text, "WEIR_UPDATE_PROGRAMS");
	weir_text_release(&text);
	weir_profile_free(profile);
}

/* Every fourth profile has two ranks. */
static void reports_and_runs_of_programs_keep_every_figure(void **state)
{
	uint64_t seed = 61;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_profile *profile = weir_profile_new();

		for (int rank = 0; rank <= (round % 4 == 3); rank++)
			weir_profile_add_input(profile, "trace")->trace = random_program(&seed);
		check("", round, profile);
	}
}

/* Takes the device work away; runs: steps become runs of a model, as a runtime records them. */
static void keep_host(struct weir_trace *trace, bool runs)
{
	uint32_t run = weir_names_add(trace->names, "model_run", 9);

	trace->device.count = 0;
	for (size_t i = 0; i < trace->host.count; i++)
		if (runs && strncmp(weir_names_text(trace->names, trace->host.name[i]),
		                    "ProfilerStep#", 13) == 0)
			trace->host.name[i] = run;
}

static void reports_and_runs_of_hosts_keep_every_figure(void **state)
{
	uint64_t seed = 67;

	(void)state;
	for (int round = 0; round < HOSTS; round++) {
		struct weir_profile *profile = weir_profile_new();

		for (int rank = 0; rank <= (round % 4 == 3); rank++) {
			struct weir_trace *trace = random_program(&seed);

			keep_host(trace, round % 2 > 0);
			weir_profile_add_input(profile, "trace")->trace = trace;
		}
		check("host", round, profile);
	}
}

/* Whoever asks for the verdict alone gets that of the whole report. */
static void a_verdict_alone_is_that_of_the_report(void **state)
{
	struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	uint64_t seed = 71;

	(void)state;
	for (int round = 0; round < VERDICTS; round++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text whole = {0}, alone = {0};

		for (int rank = 0; rank <= (round % 4 == 3); rank++)
			weir_profile_add_input(profile, "trace")->trace = random_program(&seed);
		options.device_name = round % 2 ? DEVICE : NULL;
		options.verdict_only = false;
		report_record_add_verdict(profile, &options, &whole);
		options.verdict_only = true;
		report_record_add_verdict(profile, &options, &alone);
		assert_string_equal(alone.data, whole.data);
		weir_text_release(&whole);
		weir_text_release(&alone);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_and_runs_of_programs_keep_every_figure),
		cmocka_unit_test(reports_and_runs_of_hosts_keep_every_figure),
		cmocka_unit_test(a_verdict_alone_is_that_of_the_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
