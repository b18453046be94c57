/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs captured on devices: every fix says the same about them as before, see advice_record.h.
 */
#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/base/enums.h"
#include "engine/readers/reader.h"
#include "tests/unit/advice_record.h"

#define PROGRAMS "tests/data/programs" /* a few steps each, see tests/advice/trim.py */

static const char *const captures[] = {
	"tests/data/kineto/decode_fork_graph.pt.trace.json.gz",
	"tests/data/kineto/decode_then_graph.pt.trace.json.gz",
	"tests/data/kineto/elementwise_chain.pt.trace.json.gz",
	"tests/data/kineto/h2d_pageable.pt.trace.json.gz",
	"tests/data/kineto/large_matmul.pt.trace.json.gz",
	"tests/data/kineto/large_operators.pt.trace.json.gz",
	"tests/data/kineto/llm_decode_graph_b8.pt.trace.json.gz",
	"tests/data/kineto/malloc_churn.pt.trace.json.gz",
	"tests/data/kineto/norm_softmax.pt.trace.json.gz",
	"tests/data/kineto/small_matmul_add.pt.trace.json.gz",
	"tests/data/kineto/straggler",
	"tests/data/kineto/written/step_sums.json",
	"tests/data/advice/before.json",
	"tests/data/captures/jax.trace.json.gz",
	"tests/data/captures/nsys_decode.sqlite",
	"tests/data/captures/nsys_prefill.sqlite",
	"tests/data/nsys/metrics.sqlite",
	"tests/data/rocpd/run.db",
};

static void check(const char *path, bool steady)
{
	const struct weir_analysis_options options = {.steady = steady, .percentile = 0.95};
	const struct weir_read_options by_content = {0};
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis = NULL;
	struct weir_advisor advisor;
	struct weir_report *report;
	struct weir_error err = {0};

	if (weir_read_paths(profile, &path, 1, &by_content, &err) ||
	    weir_analysis_new(profile, &options, &analysis, &err))
		fail_msg("%s", err.message);
	report = weir_report_new(profile);
	weir_analysis_report(analysis, report);
	if (weir_advisor_init(&advisor, analysis, report))
		advice_record_check(&advisor);
	weir_advisor_release(&advisor);
	weir_report_free(report);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
}

static void captured_programs_keep_what_every_fix_promises(void **state)
{
	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(captures); i++) {
		check(captures[i], true);
		check(captures[i], false);
	}
}

static int is_trace(const struct dirent *entry)
{
	return strstr(entry->d_name, ".pt.trace.json.gz") != NULL;
}

static void steps_of_programs_keep_what_every_fix_promises(void **state)
{
	struct dirent **entries = NULL;
	int count = scandir(PROGRAMS, &entries, is_trace, alphasort);

	(void)state;
	assert_true(count > 80);
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		(void)snprintf(path, sizeof path, PROGRAMS "/%s", entries[i]->d_name);
		check(path, i % 2);
		free(entries[i]);
	}
	free(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_programs_keep_what_every_fix_promises),
		cmocka_unit_test(captured_programs_keep_what_every_fix_promises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
