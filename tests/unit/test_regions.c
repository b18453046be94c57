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

#include "engine/base/json.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"

#define PIECES 64

struct trace {
	char path[32];
	cJSON *lines[PIECES + 8];
	size_t count;
};

static void begin(struct trace *trace)
{
	struct weir_error err = {0};
	int descriptor;

	*trace = (struct trace){.path = "/tmp/weir-regions-XXXXXX"};
	descriptor = mkstemp(trace->path);
	assert_true(descriptor >= 0);
	close(descriptor);
	assert_int_equal(weir_regions_open(trace->path, &err), WEIR_OK);
}

/* Every line is a separate object. */
static void end(struct trace *trace)
{
	struct weir_error err = {0};
	char line[512];
	FILE *stream;

	assert_int_equal(weir_regions_close(&err), WEIR_OK);
	stream = fopen(trace->path, "r");
	assert_non_null(stream);
	while (fgets(line, sizeof line, stream)) {
		assert_in_range(trace->count, 0, PIECES + 7);
		trace->lines[trace->count] = cJSON_Parse(line);
		assert_non_null(trace->lines[trace->count++]);
	}
	fclose(stream);
	unlink(trace->path);
}

static void release(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++)
		cJSON_Delete(trace->lines[i]);
}

static int64_t number(const struct trace *trace, size_t line, const char *key)
{
	const cJSON *item = cJSON_GetObjectItem(trace->lines[line], key);

	assert_true(cJSON_IsNumber(item));
	return (int64_t)item->valuedouble;
}

static const char *text(const struct trace *trace, size_t line, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(trace->lines[line], key));
}

static void a_region_is_written_with_its_time_count_and_nesting(void **state)
{
	struct weir_region outer, inner;
	struct trace trace;

	(void)state;
	begin(&trace);
	outer = weir_region_enter("read", NULL);
	inner = weir_region_enter("input", "a \"quoted\"\npath");
	weir_region_leave(&inner, "events", 41);
	weir_region_leave(&outer, NULL, 0);
	end(&trace);
	assert_int_equal(trace.count, 3);
	assert_string_equal(text(&trace, 0, "schema"), "weir.trace/1");
	assert_string_equal(text(&trace, 1, "region"), "input");
	assert_string_equal(text(&trace, 1, "subject"), "a \"quoted\"\npath");
	assert_int_equal(number(&trace, 1, "events"), 41);
	assert_int_equal(number(&trace, 1, "depth"), 1);
	assert_string_equal(text(&trace, 2, "region"), "read");
	assert_null(text(&trace, 2, "subject"));
	assert_int_equal(number(&trace, 2, "depth"), 0);
	assert_true(number(&trace, 2, "start_ns") <= number(&trace, 1, "start_ns"));
	assert_true(number(&trace, 2, "ns") >= number(&trace, 1, "ns"));
	release(&trace);
}

static void work(void *context, size_t index)
{
	struct weir_region region = weir_region_enter("piece", NULL);

	(void)context;
	weir_region_leave(&region, "index", index);
}

static void threads_write_whole_lines_below_the_region_they_work_for(void **state)
{
	bool seen[PIECES] = {0};
	struct weir_region outer;
	struct trace trace;

	(void)state;
	begin(&trace);
	outer = weir_region_enter("all", NULL);
	weir_pool_run(PIECES, WEIR_POOL_MAX_WIDTH, work, NULL);
	weir_region_leave(&outer, NULL, 0);
	end(&trace);
	assert_int_equal(trace.count, PIECES + 2);
	for (size_t i = 1; i <= PIECES; i++) {
		assert_int_equal(number(&trace, i, "depth"), 1);
		assert_in_range(number(&trace, i, "thread"), 1, WEIR_POOL_MAX_WIDTH + 1);
		seen[number(&trace, i, "index")] = true;
	}
	for (size_t i = 0; i < PIECES; i++)
		assert_true(seen[i]);
	release(&trace);
}

static void nothing_is_written_while_it_is_off(void **state)
{
	struct weir_region before = weir_region_enter("before", NULL), after;
	struct weir_error err = {0};
	struct trace trace;

	(void)state;
	begin(&trace);
	weir_region_leave(&before, NULL, 0); /* entered while it was off */
	end(&trace);
	after = weir_region_enter("after", NULL);
	weir_region_leave(&after, NULL, 0);
	assert_int_equal(trace.count, 1);
	assert_int_equal(weir_regions_close(&err), WEIR_OK);
	release(&trace);
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
	struct weir_error err = {0};
	struct weir_region region;

	(void)state;
	assert_int_equal(weir_regions_open("/dev/null/x", &err), WEIR_E_IO);
	assert_string_equal(err.message, "cannot write /dev/null/x: Not a directory");
	region = weir_region_enter("read", NULL);
	weir_region_leave(&region, NULL, 0);
	if (weir_regions_open("/dev/full", &err) == WEIR_OK)
		assert_int_equal(weir_regions_close(&err), WEIR_E_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_is_written_with_its_time_count_and_nesting),
		cmocka_unit_test(threads_write_whole_lines_below_the_region_they_work_for),
		cmocka_unit_test(nothing_is_written_while_it_is_off),
		cmocka_unit_test(a_file_that_cannot_be_written_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
