/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole reports and runs of jobs with and without a fault, against tests/data/random_jobs.
 * `WEIR_UPDATE_JOBS=1 test_random_jobs` rewrites the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/base/arena.h"
#include "tests/unit/near.h"
#include "tests/unit/random_job.h"
#include "tests/unit/record.h"
#include "tests/unit/report_record.h"

static const unsigned faults[] = {
	0,
	JOB_LATE_HOST,
	JOB_LATE_DEVICE,
	JOB_LATE_NODE,
	JOB_SLOW_LINK,
	JOB_EXPERTS,
	JOB_LATE_HOST | JOB_EXPERTS | JOB_SLOW_LINK,
	JOB_LATE_DEVICE | JOB_LATE_NODE,
};

#define KINDS  (int)(sizeof faults / sizeof *faults)
#define ROUNDS (2 * KINDS)

/* In the second half of the rounds the nodes are known, and ranks come in the opposite order. */
static struct weir_profile *draw(uint64_t *seed, int round)
{
	static const char *const nodes[JOB_NODES] = {"one", "two", "three"};
	struct weir_profile *profile = weir_profile_new();
	struct weir_trace *traces[JOB_RANKS];
	bool second = round >= KINDS;

	random_job(seed, faults[round % KINDS], traces);
	for (size_t i = 0; i < JOB_RANKS; i++) {
		size_t rank = second ? JOB_RANKS - 1 - i : i;
		struct weir_input *input = weir_profile_add_input(profile, "trace");

		input->trace = traces[rank];
		if (second)
			input->node = weir_alloc_text(nodes[rank / JOB_LOCAL]);
	}
	return profile;
}

static void reports_and_runs_of_jobs_keep_every_figure(void **state)
{
	const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	uint64_t seed = 59;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct weir_profile *profile = draw(&seed, round);
		struct weir_text text = {0};
		char path[64];

		(void)snprintf(path, sizeof path, "tests/data/random_jobs/%d.txt", round);
		report_record_add(profile, &options, &text);
		report_record_add_run(profile, &options, &text);
		record_check(path, &text, "WEIR_UPDATE_JOBS");
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_and_runs_of_jobs_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
