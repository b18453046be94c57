/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/make_store.h"

void test_store_reopen(struct test_store *test, enum weir_store_access access)
{
	struct weir_error err = {0};

	weir_store_free(test->store);
	test->store = NULL;
	if (weir_store_open(test->path, access, &test->store, &err))
		fail_msg("%s", err.message);
}

int test_store_setup(void **state)
{
	const char *place = getenv("TMPDIR");
	struct test_store *test = calloc(1, sizeof(*test));

	assert_non_null(test);
	snprintf(test->folder, sizeof(test->folder), "%.40s/weir.XXXXXX", place ? place : "/tmp");
	assert_non_null(mkdtemp(test->folder));
	snprintf(test->path, sizeof(test->path), "%s/sub/baselines.db", test->folder);
	test_store_reopen(test, WEIR_STORE_WRITE);
	*state = test;
	return 0;
}

int test_store_teardown(void **state)
{
	static const char *const parts[] = {"sub/baselines.db", "sub/baselines.db-wal",
	                                    "sub/baselines.db-shm", "sub", ""};
	struct test_store *test = *state;
	char path[128];

	weir_store_free(test->store);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", test->folder, parts[i]);
		remove(path);
	}
	free(test);
	return 0;
}

struct weir_run *test_run(unsigned number)
{
	struct weir_run *run = weir_run_new();
	struct weir_series *metric;

	for (unsigned i = 0; i < 20; i++) {
		weir_series_push(weir_series_get(&run->stages, "decode"),
		                 571000 + number * 10 + i * 7 % 13);
		weir_series_push(weir_series_get(&run->stages, "prefill"), 1.0 / (number + i + 1));
		weir_series_push(weir_series_get(&run->operators, "decode/aten::mm"),
		                 80000 + i % 3);
		weir_series_push(weir_series_get(&run->calls, "decode/aten::mm"), 112);
	}
	metric = weir_series_get(&run->metrics, "tokens_per_s");
	weir_series_push(metric, 1743.5);
	metric->higher_is_better = true;
	metric->unit = calloc(1, 4);
	assert_non_null(metric->unit);
	memcpy(metric->unit, "1/s", 4);
	weir_run_set_label(run, "gpu", "NVIDIA H200");
	weir_run_set_label(run, "driver", number % 2 ? "580.1" : "580.2");
	return run;
}

struct weir_store_counts test_record(struct test_store *test, const char *name, unsigned first,
                                     unsigned last)
{
	struct weir_baseline *baseline = weir_baseline_new(name);
	struct weir_store_counts counts;
	struct weir_error err = {0};

	for (unsigned i = first; i <= last; i++) {
		char recorded[32];

		snprintf(recorded, sizeof(recorded), "2026-11-%02uT%02u:%02u:%02uZ",
		         1 + i / 86400 % 28, i / 3600 % 24, i / 60 % 60, i % 60);
		weir_baseline_take(baseline, test_run(i), recorded);
	}
	if (weir_store_record(test->store, baseline, &counts, &err))
		fail_msg("%s", err.message);
	weir_baseline_free(baseline);
	return counts;
}

size_t test_count(struct test_store *test, const char *name, bool history)
{
	struct weir_store_query query = {.name = name, .history = history, .bare = true};
	struct weir_baseline *baseline;
	size_t count;

	if (weir_store_load(test->store, &query, &baseline, NULL))
		return 0;
	count = baseline->count;
	weir_baseline_free(baseline);
	return count;
}
