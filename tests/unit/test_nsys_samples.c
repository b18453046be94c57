/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Real exports of Nsight Systems: the trace agrees with SQL on the same file and with nsys stats.
 * Two trimmed exports are in tests/data/captures, whole ones on the shelf.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/database.h"
#include "tests/unit/near.h"
#include "tests/unit/shelf.h"

#define PROFILES "profiles/nsys/"
#define SAMPLES  "samples/nsys/"
#define CAPTURES "tests/data/captures/"

/* Paths of exports, ending with NULL: the tests' state. */
static const char *captures[] = {
	CAPTURES "nsys_decode.sqlite",
	CAPTURES "nsys_prefill.sqlite",
	NULL,
};

static const char *shelved[] = {
	PROFILES "decode.sqlite",
	PROFILES "prefill.sqlite",
	SAMPLES "nsightful_power_iteration.sqlite",
	SAMPLES "nsysai_h100_2gpu_1s.sqlite",
	SAMPLES "nsysai_healthy_1pct.sqlite",
	SAMPLES "nsysai_mfu_2gpu_before.sqlite",
	SAMPLES "nsysai_mock.sqlite",
	NULL,
};

static const char *path_of(const char *name)
{
	return strncmp(name, CAPTURES, strlen(CAPTURES)) == 0 ? name : shelf_need(name);
}

static struct weir_profile *read_path(const char *name, const char *format)
{
	const char *path = path_of(name);
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	assert_string_equal(profile->inputs[0].format, format);
	return profile;
}

/* Returns the figure; 0 if the file has no such table. */
static int64_t sql_of(const char *name, const char *table, const char *figure)
{
	const char *path = path_of(name);
	struct weir_text sql = {0};
	int64_t value;

	weir_text_printf(&sql, "SELECT count(*) FROM sqlite_master WHERE name = '%s'", table);
	value = database_int(path, sql.data);
	weir_text_clear(&sql);
	weir_text_printf(&sql, "SELECT %s FROM %s t", figure, table);
	value = value ? database_int(path, sql.data) : 0;
	weir_text_release(&sql);
	return value;
}

struct sums {
	int64_t count, ns, bytes, first, last;
};

static struct sums sum_device(const struct weir_trace *trace, enum weir_device_kind kind)
{
	const struct weir_device_columns *rows = &trace->device;
	struct sums sums = {.first = INT64_MAX, .last = INT64_MIN};

	for (size_t i = 0; i < rows->count; i++) {
		if (rows->kind[i] != kind)
			continue;
		sums.count++;
		sums.ns += rows->end_ns[i] - rows->start_ns[i];
		sums.bytes += rows->bytes[i] > 0 ? rows->bytes[i] : 0;
		sums.first = rows->start_ns[i] < sums.first ? rows->start_ns[i] : sums.first;
		sums.last = rows->end_ns[i] > sums.last ? rows->end_ns[i] : sums.last;
	}
	return sums;
}

static void device_work_is_what_sql_says(void **state)
{
	static const struct {
		const char *table;
		enum weir_device_kind kind;
	} tables[] = {
		{"CUPTI_ACTIVITY_KIND_KERNEL", WEIR_DEVICE_KERNEL},
		{"CUPTI_ACTIVITY_KIND_MEMCPY", WEIR_DEVICE_COPY},
		{"CUPTI_ACTIVITY_KIND_MEMSET", WEIR_DEVICE_SET},
	};

	for (const char **files = *state; *files; files++) {
		struct weir_profile *profile = read_path(*files, "nsys");

		for (size_t i = 0; i < 3; i++) {
			const char *table = tables[i].table;
			struct sums got = sum_device(profile->inputs[0].trace, tables[i].kind);

			assert_int_equal(got.count, sql_of(*files, table, "count(*)"));
			assert_int_equal(got.ns, sql_of(*files, table, "sum(end - start)"));
			if (tables[i].kind != WEIR_DEVICE_KERNEL)
				assert_int_equal(got.bytes, sql_of(*files, table, "sum(bytes)"));
			if (!got.count)
				continue;
			assert_int_equal(got.first, sql_of(*files, table, "min(start)"));
			assert_int_equal(got.last, sql_of(*files, table, "max(end)"));
		}
		weir_profile_free(profile);
	}
}

static int64_t sum_named(const struct weir_trace *trace, const char *name, int64_t *count)
{
	int64_t ns = 0;

	*count = 0;
	for (size_t i = 0; i < trace->device.count; i++) {
		if (strcmp(weir_names_text(trace->names, trace->device.name[i]), name) != 0)
			continue;
		ns += trace->device.end_ns[i] - trace->device.start_ns[i];
		++*count;
	}
	return ns;
}

/* Kernel by kernel, and joined within the process. */
static void kernels_and_launches_are_what_sql_says(void **state)
{
	for (const char **files = *state; *files; files++) {
		struct weir_profile *profile = read_path(*files, "nsys");
		const struct weir_trace *trace = profile->inputs[0].trace;
		int64_t linked = 0, wanted;

		for (size_t i = 0; i < trace->device.count; i++)
			linked += trace->device.kind[i] == WEIR_DEVICE_KERNEL &&
			          trace->device.launch[i] != WEIR_NONE;
		/* One file has no processes. */
		if (strstr(*files, "healthy"))
			wanted = sql_of(*files, "CUPTI_ACTIVITY_KIND_KERNEL",
			                "sum(correlationId IN (SELECT correlationId FROM "
			                "CUPTI_ACTIVITY_KIND_RUNTIME))");
		else
			wanted = sql_of(*files, "CUPTI_ACTIVITY_KIND_KERNEL",
			                "sum((correlationId, globalPid >> 24) IN (SELECT "
			                "correlationId, globalTid >> 24 FROM "
			                "CUPTI_ACTIVITY_KIND_RUNTIME))");
		assert_int_equal(linked, wanted);
		weir_profile_free(profile);
	}
}

static void host_rows_are_what_sql_says(void **state)
{
	static const char ranges[] = "sum(eventType IN (59, 60) AND end IS NOT NULL)";

	for (const char **files = *state; *files; files++) {
		struct weir_profile *profile = read_path(*files, "nsys");
		const struct weir_trace *trace = profile->inputs[0].trace;
		int64_t count[5] = {0}, ns[5] = {0};

		for (size_t i = 0; i < trace->host.count; i++) {
			count[trace->host.kind[i]]++;
			ns[trace->host.kind[i]] += trace->host.end_ns[i] - trace->host.start_ns[i];
		}
		assert_int_equal(count[WEIR_HOST_API],
		                 sql_of(*files, "CUPTI_ACTIVITY_KIND_RUNTIME", "count(*)") +
		                         sql_of(*files, "OSRT_API", "count(*)"));
		assert_int_equal(ns[WEIR_HOST_API],
		                 sql_of(*files, "CUPTI_ACTIVITY_KIND_RUNTIME", "sum(end - start)") +
		                         sql_of(*files, "OSRT_API", "sum(end - start)"));
		assert_int_equal(count[WEIR_HOST_ANNOTATION] + count[WEIR_HOST_OP],
		                 sql_of(*files, "NVTX_EVENTS", ranges));
		assert_int_equal(trace->sync_count,
		                 sql_of(*files, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "count(*)"));
		assert_int_equal(trace->base_ns,
		                 sql_of(*files, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs"));
		weir_profile_free(profile);
	}
}

static double figure_of(const struct weir_run *run, const char *name)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	return series && series->count ? series->value[0] : NAN;
}

/* Checks the export, kernel by kernel, against the output of nsys stats. */
static void check_kernels(const char *path, const char *report)
{
	struct weir_profile *export, *stats;
	const struct weir_run *run;
	struct sums all;
	size_t kernels = 0;

	export = read_path(path, "nsys");
	stats = read_path(report, "nsys-stats");
	run = stats->inputs[0].run;
	all = sum_device(export->inputs[0].trace, WEIR_DEVICE_KERNEL);
	assert_near(figure_of(run, "kernels/total_ns"), (double)all.ns, 1e-6);
	assert_true(figure_of(run, "kernels/count") == (double)all.count);
	for (size_t i = 0; i < run->metrics.count; i++) {
		const struct weir_series *series = &run->metrics.items[i];
		size_t length = strlen(series->name);
		char kernel[1024];
		int64_t count, ns;

		if (length < 18 || strncmp(series->name, "kernels/", 8) != 0 ||
		    strcmp(series->name + length - 9, "/total_ns") != 0)
			continue;
		snprintf(kernel, sizeof(kernel), "%.*s", (int)(length - 17), series->name + 8);
		ns = sum_named(export->inputs[0].trace, kernel, &count);
		assert_near(series->value[0], (double)ns, 1e-6);
		kernels++;
	}
	assert_true(kernels > 5);
	weir_profile_free(export);
	weir_profile_free(stats);
}

static void totals_of_nsys_stats_are_reproduced(void **state)
{
	(void)state;
	check_kernels(captures[0], CAPTURES "nsys_decode_cuda_gpu_trace.csv.gz");
	check_kernels(captures[1], CAPTURES "nsys_prefill_cuda_gpu_trace.csv.gz");
}

static void totals_of_whole_captures_are_reproduced(void **state)
{
	(void)state;
	check_kernels(shelved[0], PROFILES "stats_csv/decode_cuda_gpu_kern_sum.csv");
	check_kernels(shelved[1], PROFILES "stats_csv/prefill_cuda_gpu_kern_sum.csv");
	check_kernels(shelved[0], PROFILES "stats_csv/decode_cuda_gpu_trace.csv.gz");
	check_kernels(shelved[1], PROFILES "stats_csv/prefill_cuda_gpu_trace.csv.gz");
}

static void check_totals(const char *path, const char *report, const char *figure,
                         const char *table)
{
	struct weir_profile *stats;
	double wanted;

	stats = read_path(report, "nsys-stats");
	wanted = (double)sql_of(path, table, "sum(end - start)");
	assert_true(wanted > 0);
	assert_near(figure_of(stats->inputs[0].run, figure), wanted, 1e-6);
	weir_profile_free(stats);
}

/* Ranges hold each other, so that a table states no sum; those of all names are all ranges. */
static void check_ranges(const char *path, const char *report)
{
	struct weir_profile *stats = read_path(report, "nsys-stats");
	const struct weir_series_table *metrics = &stats->inputs[0].run->metrics;
	double sum = 0;

	for (size_t i = 0; i < metrics->count; i++) {
		const char *name = metrics->items[i].name;

		if (strncmp(name, "ranges/", 7) == 0 && strstr(name, "/total_ns"))
			sum += metrics->items[i].value[0];
	}
	assert_true(isnan(figure_of(stats->inputs[0].run, "ranges/total_ns")));
	assert_near(sum, (double)sql_of(path, "NVTX_EVENTS", "sum(end - start)"), 1e-6);
	weir_profile_free(stats);
}

static void calls_copies_and_ranges_are_reproduced(void **state)
{
	(void)state;
	check_totals(shelved[0], PROFILES "stats_csv/decode_cuda_api_sum.csv", "calls/total_ns",
	             "CUPTI_ACTIVITY_KIND_RUNTIME");
	check_totals(shelved[0], PROFILES "stats_csv/decode_cuda_gpu_mem_time_sum.csv",
	             "copies/total_ns", "CUPTI_ACTIVITY_KIND_MEMCPY");
	check_ranges(shelved[0], PROFILES "stats_csv/decode_nvtx_sum.csv");
	check_totals(shelved[1], PROFILES "stats_csv/prefill_cuda_api_sum.csv", "calls/total_ns",
	             "CUPTI_ACTIVITY_KIND_RUNTIME");
	check_totals(shelved[1], PROFILES "stats_csv/prefill_cuda_gpu_mem_time_sum.csv",
	             "memsets/total_ns", "CUPTI_ACTIVITY_KIND_MEMSET");
	check_ranges(shelved[1], PROFILES "stats_csv/prefill_nvtx_sum.csv");
}

static const char *captured_reports[] = {
	CAPTURES "nsys_decode_cuda_gpu_kern_sum.csv",
	CAPTURES "nsys_decode_cuda_gpu_mem_size_sum.csv",
	NULL,
};

static const char *shelved_reports[] = {
	SAMPLES "stats_csv/jaxtoolbox_nvtx_pushpop_trace_head400.csv",
	SAMPLES "stats_csv/self_cuda_gpu_kern_sum.csv",
	PROFILES "stats_csv/prefill_cuda_gpu_mem_size_sum.csv",
	NULL,
};

static void other_reports_read(void **state)
{
	for (const char **reports = *state; *reports; reports++) {
		struct weir_profile *profile = read_path(*reports, "nsys-stats");

		assert_true(profile->inputs[0].run->metrics.count > 2);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(device_work_is_what_sql_says, captures),
		cmocka_unit_test_prestate(device_work_is_what_sql_says, shelved),
		cmocka_unit_test_prestate(kernels_and_launches_are_what_sql_says, captures),
		cmocka_unit_test_prestate(kernels_and_launches_are_what_sql_says, shelved),
		cmocka_unit_test_prestate(host_rows_are_what_sql_says, captures),
		cmocka_unit_test_prestate(host_rows_are_what_sql_says, shelved),
		cmocka_unit_test(totals_of_nsys_stats_are_reproduced),
		cmocka_unit_test(totals_of_whole_captures_are_reproduced),
		cmocka_unit_test(calls_copies_and_ranges_are_reproduced),
		cmocka_unit_test_prestate(other_reports_read, captured_reports),
		cmocka_unit_test_prestate(other_reports_read, shelved_reports),
	};

	return shelf_run_group_tests(tests);
}
