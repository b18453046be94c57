/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Databases of rocprofv3: the result of each table, in each known schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/database.h"
#include "tests/unit/reading.h"

#define RUN      "tests/data/rocpd/run.sql"
#define SCHEMA_4 "tests/data/rocpd/schema_4.sql"
#define GUID     "_0000ddb5_6b5f_7c0e_9b6a_1d2c3b4a5960"
#define BASE     INT64_C(1550151853000000)

#define GEMM "gemm(float const*, float const*, float*, int)"
#define COPY "Memcpy DtoH (Device -> Host)"
#define FILL "__amd_rocclr_fillBufferAligned"

static const char *const schemas[] = {RUN, SCHEMA_4};

static const struct weir_input *read_sql(const char *path, const char *more,
                                         struct weir_profile *profile)
{
	return reading_of_bytes(&weir_reader_rocpd, database_of(path, more), profile);
}

static const char *text_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

static void every_table_goes_to_its_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = read_sql(schemas[i], "", profile);
		const struct weir_trace *trace = input->trace;

		assert_int_equal(trace->host.count, 10);
		assert_int_equal(trace->host.kind[reading_host_row(trace, "hipLaunchKernel")],
		                 WEIR_HOST_API);
		assert_int_equal(trace->host.kind[reading_host_row(trace, "decode")],
		                 WEIR_HOST_ANNOTATION);
		assert_int_equal(trace->host.kind[reading_host_row(trace, "roctxGetThreadId")],
		                 WEIR_HOST_API);
		assert_int_equal(trace->device.count, 4);
		assert_int_equal(trace->device.kind[reading_device_row(trace, GEMM)],
		                 WEIR_DEVICE_KERNEL);
		assert_int_equal(trace->device.kind[reading_device_row(trace, COPY)],
		                 WEIR_DEVICE_COPY);
		assert_int_equal(trace->device.kind[reading_device_row(trace, FILL)],
		                 WEIR_DEVICE_SET);
		assert_int_equal(trace->memory_count, 2);
		assert_int_equal(input->events, 10 + 3 + 1 + 3);
		for (int code = 0; code < WEIR_WARN_COUNT; code++)
			assert_int_equal(input->warnings[code].count, 0);
		weir_profile_free(profile);
	}
}

static void work_knows_its_arguments_and_its_launch(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_trace *trace = read_sql(schemas[i], "", profile)->trace;
		size_t gemm = reading_device_row(trace, GEMM);
		size_t copy = reading_device_row(trace, COPY);

		assert_int_equal(trace->device.start_ns[gemm], BASE + 8000);
		assert_int_equal(trace->device.end_ns[gemm], BASE + 48000);
		assert_int_equal(trace->device.blocks[gemm], 264);
		assert_int_equal(trace->device.threads_per_block[gemm], 256);
		assert_int_equal(trace->device.bytes[gemm], -1);
		assert_int_equal(trace->device.bytes[copy], 100000);
		assert_int_equal(trace->streams[trace->device.stream[gemm]].id, 2);
		assert_int_equal(trace->streams[trace->device.stream[copy]].id, 2);
		assert_int_equal(trace->host.start_ns[trace->device.launch[gemm]], BASE + 1000);
		assert_string_equal(text_of(trace, trace->host.name[trace->device.launch[copy]]),
		                    "hipMemcpyAsync");
		assert_int_equal(trace->threads[0].pid, 4711);
		assert_int_equal(trace->threads[0].tid, 4712);
		assert_string_equal(text_of(trace, trace->threads[0].name), "worker");
		weir_profile_free(profile);
	}
}

static void agents_are_devices_and_nothing_private_is_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_sql(RUN, "", profile)->trace;

	(void)state;
	assert_int_equal(trace->device_count, 1);
	assert_int_equal(trace->devices[0].id, 0);
	assert_string_equal(text_of(trace, trace->devices[0].name), "Example Instinct");
	assert_int_equal(trace->devices[0].sms, 304);
	assert_int_equal(trace->devices[0].warp_size, 64);
	assert_int_equal(trace->label_count, 1);
	assert_string_equal(text_of(trace, trace->labels[0].value), "3");
	for (size_t i = 0; i < weir_names_count(trace->names); i++)
		assert_null(strstr(weir_names_text(trace->names, (uint32_t)i), "secret"));
	weir_profile_free(profile);
}

static void memory_is_what_was_allocated_and_given_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_trace *trace = read_sql(schemas[i], "", profile)->trace;

		assert_int_equal(trace->memory[0].bytes, 1 << 20);
		assert_int_equal(trace->memory[0].allocated_bytes, 1 << 20);
		assert_int_equal(trace->memory[0].at_ns, BASE + 72400);
		assert_int_equal(trace->memory[0].device_id, 0);
		assert_int_not_equal(trace->memory[0].device_type, 0);
		assert_int_equal(trace->memory[1].bytes, -(1 << 20));
		assert_int_equal(trace->memory[1].allocated_bytes, 0);
		weir_profile_free(profile);
	}
}

/* Views with inner joins lose such work; a name without an explanation is still a name. */
static void work_that_views_lose_is_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		read_sql(RUN,
	                 "UPDATE rocpd_kernel_dispatch" GUID " SET tid = NULL, event_id = NULL,"
	                 " kernel_id = 99 WHERE id = 2",
	                 profile);

	(void)state;
	assert_int_equal(input->trace->device.count, 4);
	assert_int_equal(
		input->trace->device.launch[reading_device_row(input->trace, "(unnamed kernel)")],
		WEIR_NONE);
	assert_int_equal(input->warnings[WEIR_WARN_UNLINKED].count, 1);
	weir_profile_free(profile);
}

static void replayed_work_is_marked(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		read_sql(RUN,
	                 "ALTER TABLE rocpd_kernel_dispatch" GUID
	                 " ADD COLUMN graph_exec_id INTEGER;"
	                 "UPDATE rocpd_kernel_dispatch" GUID " SET graph_exec_id = id - 1",
	                 profile)
			->trace;

	(void)state;
	assert_int_equal(trace->device.flags[reading_device_row(trace, GEMM)], 0);
	assert_int_equal(trace->device.flags[reading_device_row(trace, FILL)],
	                 WEIR_DEVICE_IN_GRAPH);
	weir_profile_free(profile);
}

#define COPY_TABLE(table) "CREATE TABLE " table "_other AS SELECT * FROM " table GUID ";"
#define OTHER_RUN                                                                                  \
	COPY_TABLE("rocpd_metadata")                                                               \
	COPY_TABLE("rocpd_string")                                                                 \
	COPY_TABLE("rocpd_info_node")                                                              \
	COPY_TABLE("rocpd_info_process")                                                           \
	COPY_TABLE("rocpd_info_thread")                                                            \
	COPY_TABLE("rocpd_info_agent")                                                             \
	COPY_TABLE("rocpd_info_kernel_symbol")                                                     \
	COPY_TABLE("rocpd_event")                                                                  \
	COPY_TABLE("rocpd_region")                                                                 \
	COPY_TABLE("rocpd_kernel_dispatch")                                                        \
	"UPDATE rocpd_info_process_other SET pid = 5000;"                                          \
	"UPDATE rocpd_string_other SET string = 'hipModuleLaunchKernel' WHERE id = 5;"             \
	"UPDATE rocpd_info_kernel_symbol_other SET display_name = 'other' WHERE id = 10;"          \
	"UPDATE rocpd_kernel_dispatch_other SET start = start + 1, end = end + 1;"

/* Ids are valid only within their run. */
static void merged_runs_are_joined_each_for_itself(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_sql(RUN, OTHER_RUN, profile);
	const struct weir_trace *trace = input->trace;
	size_t gemm = reading_device_row(trace, GEMM), other = reading_device_row(trace, "other");

	(void)state;
	assert_int_equal(trace->device.count, 4 + 3);
	assert_int_equal(input->warnings[WEIR_WARN_UNLINKED].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_DUPLICATE_LAUNCH].count, 0);
	assert_string_equal(text_of(trace, trace->host.name[trace->device.launch[gemm]]),
	                    "hipLaunchKernel");
	assert_string_equal(text_of(trace, trace->host.name[trace->device.launch[other]]),
	                    "hipModuleLaunchKernel");
	assert_int_equal(trace->threads[trace->host.thread[trace->device.launch[other]]].pid, 5000);
	assert_int_not_equal(trace->device.stream[gemm], trace->device.stream[other]);
	assert_int_equal(trace->device_count, 1);
	weir_profile_free(profile);

	profile = weir_profile_new();
	trace = read_sql(RUN, OTHER_RUN "UPDATE rocpd_info_node_other SET hash = 8", profile)
	                ->trace;
	assert_int_equal(trace->device_count, 2);
	assert_string_equal(text_of(trace, trace->devices[1].name), "Example Instinct");
	weir_profile_free(profile);
}

static void odd_times_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		read_sql(RUN,
	                 "UPDATE rocpd_kernel_dispatch" GUID " SET start = 0, end = 0 WHERE id = 1;"
	                 "UPDATE rocpd_kernel_dispatch" GUID " SET end = start - 5 WHERE id = 2;"
	                 "UPDATE rocpd_region" GUID " SET end = 'x' WHERE id = 110",
	                 profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 2);
	assert_string_equal(input->warnings[WEIR_WARN_NO_TIME].detail,
	                    "row 10 of rocpd_region: no start or end in whole nanoseconds");
	assert_int_equal(input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 1);
	assert_int_equal(input->trace->device.count, 3);
	weir_profile_free(profile);
}

static void a_time_stamp_that_is_not_there_is_no_time(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		read_sql(SCHEMA_4, "DELETE FROM rocpd_timestamp" GUID " WHERE id = 2", profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 1);
	assert_int_equal(input->trace->host.count, 9);
	weir_profile_free(profile);
}

#define NO_ROWS(table) "DELETE FROM " table GUID ";"

static void what_cannot_be_read_says_why(void **state)
{
	(void)state;
	reading_refuses_bytes(
		&weir_reader_rocpd,
		database_of(RUN, NO_ROWS("rocpd_region") NO_ROWS("rocpd_kernel_dispatch") NO_ROWS(
					 "rocpd_memory_copy") NO_ROWS("rocpd_memory_allocate")),
		WEIR_E_EMPTY, "--kernel-trace");
	reading_refuses_bytes(&weir_reader_rocpd, database_export(""), WEIR_E_FORMAT,
	                      "--input-format nsys");
	reading_refuses_bytes(&weir_reader_rocpd,
	                      database_bytes("CREATE TABLE rocpd_op(a); CREATE TABLE rocpd_api(a);"
	                                     "CREATE TABLE rocpd_metadata(a)"),
	                      WEIR_E_FORMAT, "RPD");
	reading_refuses_bytes(
		&weir_reader_rocpd,
		database_bytes("CREATE TABLE rocpd_info_agent(id INTEGER PRIMARY KEY);"
	                       "CREATE TABLE rocpd_metadata(tag TEXT, value TEXT);"
	                       "INSERT INTO rocpd_metadata VALUES('guid','a'),('guid','b')"),
		WEIR_E_FORMAT, "2 runs share one set of tables");
	reading_refuses_bytes(&weir_reader_rocpd,
	                      database_bytes("CREATE TABLE rocpd_info_agent(id);"
	                                     "CREATE TABLE rocpd_region(start, end);"
	                                     "INSERT INTO rocpd_region VALUES(0, 0)"),
	                      WEIR_E_EMPTY, "none of its 1 rows");
}

static void tables_without_a_guid_are_those_of_one_run(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct bytes bytes = database_bytes(
		"CREATE TABLE rocpd_info_agent(id, type, name);"
		"INSERT INTO rocpd_info_agent VALUES(1, 'GPU', 'gfx942');"
		"CREATE TABLE rocpd_kernel_dispatch(start, end, agent_id, kernel_id, queue_id);"
		"INSERT INTO rocpd_kernel_dispatch VALUES(5, 9, 1, 1, 3)");
	const struct weir_trace *trace =
		reading_of_bytes(&weir_reader_rocpd, bytes, profile)->trace;

	(void)state;
	assert_int_equal(trace->device.count, 1);
	assert_string_equal(text_of(trace, trace->devices[0].name), "gfx942");
	assert_int_equal(trace->streams[0].id, 3);
	weir_profile_free(profile);
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damaged_bytes(&weir_reader_rocpd, database_of(RUN, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_goes_to_its_column),
		cmocka_unit_test(work_knows_its_arguments_and_its_launch),
		cmocka_unit_test(agents_are_devices_and_nothing_private_is_kept),
		cmocka_unit_test(memory_is_what_was_allocated_and_given_back),
		cmocka_unit_test(work_that_views_lose_is_kept),
		cmocka_unit_test(replayed_work_is_marked),
		cmocka_unit_test(merged_runs_are_joined_each_for_itself),
		cmocka_unit_test(odd_times_are_counted),
		cmocka_unit_test(a_time_stamp_that_is_not_there_is_no_time),
		cmocka_unit_test(what_cannot_be_read_says_why),
		cmocka_unit_test(tables_without_a_guid_are_those_of_one_run),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
