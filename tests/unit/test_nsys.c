/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exports of Nsight Systems: the result of each table, in each known schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/database.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

/* Reads the small export, changed by SQL; belongs to the profile. */
static const struct weir_input *read_changed(const char *sql, struct weir_profile *profile)
{
	return reading_of_bytes(&weir_reader_nsys, database_export(sql), profile);
}

static void expect_refused(const char *sql, enum weir_status status, const char *part)
{
	reading_refuses_bytes(&weir_reader_nsys, database_export(sql), status, part);
}

static const char *text_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

#define GEMM "void gemm<float>(float const*, int)"
#define COPY "Memcpy DtoH (Device -> Pageable)"

static void every_table_goes_to_its_column(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_changed("", profile);
	const struct weir_trace *trace = input->trace;

	(void)state;
	assert_int_equal(trace->host.count, 6 + 3 + 1 + 1);
	assert_int_equal(trace->host.kind[reading_host_row(trace, "cudaLaunchKernel")],
	                 WEIR_HOST_API);
	assert_int_equal(trace->host.kind[reading_host_row(trace, "decode")], WEIR_HOST_ANNOTATION);
	assert_int_equal(trace->host.kind[reading_host_row(trace, "aten::mm")], WEIR_HOST_OP);
	assert_int_equal(trace->host.kind[reading_host_row(trace, "ioctl")], WEIR_HOST_API);
	assert_int_equal(trace->host.kind[reading_host_row(trace, "dlopen")], WEIR_HOST_OVERHEAD);
	assert_int_equal(trace->device.count, 4);
	assert_int_equal(trace->device.kind[reading_device_row(trace, GEMM)], WEIR_DEVICE_KERNEL);
	assert_int_equal(trace->device.kind[reading_device_row(trace, COPY)], WEIR_DEVICE_COPY);
	assert_int_equal(trace->device.kind[reading_device_row(trace, "Memset (Device)")],
	                 WEIR_DEVICE_SET);
	assert_int_equal(trace->sync_count, 2);
	assert_string_equal(text_of(trace, trace->syncs[0].kind_name), "Stream Sync");
	assert_int_equal(trace->syncs[0].stream, 7);
	assert_string_equal(text_of(trace, trace->syncs[1].kind_name), "Context Sync");
	assert_int_equal(trace->syncs[1].stream, -1);
	assert_int_equal(input->events, 6 + 5 + 1 + 1 + 2 + 1 + 1 + 2);
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(input->warnings[code].count, 0);
	weir_profile_free(profile);
}

static void work_knows_its_arguments_and_its_launch(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_changed("", profile)->trace;
	size_t gemm = reading_device_row(trace, GEMM), copy = reading_device_row(trace, COPY);

	(void)state;
	assert_int_equal(trace->device.start_ns[gemm], 8000);
	assert_int_equal(trace->device.end_ns[gemm], 48000);
	assert_int_equal(trace->device.blocks[gemm], 264);
	assert_int_equal(trace->device.threads_per_block[gemm], 256);
	assert_int_equal(trace->device.bytes[gemm], -1);
	assert_int_equal(trace->device.bytes[copy], 100000);
	assert_int_equal(trace->streams[trace->device.stream[gemm]].id, 7);
	assert_int_equal(trace->host.start_ns[trace->device.launch[gemm]], 1000);
	assert_string_equal(text_of(trace, trace->host.name[trace->device.launch[copy]]),
	                    "cudaMemcpyAsync");
	assert_int_equal(trace->threads[trace->host.thread[0]].pid, 9946);
	assert_int_equal(trace->threads[trace->host.thread[0]].tid, 9946);
	assert_string_equal(text_of(trace, trace->threads[trace->host.thread[0]].name), "worker");
	weir_profile_free(profile);
}

static void the_device_is_the_one_that_the_process_means(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_changed("", profile)->trace;

	(void)state;
	assert_int_equal(trace->device_count, 1);
	assert_int_equal(trace->devices[0].id, 3);
	assert_string_equal(text_of(trace, trace->devices[0].name), "Example GPU");
	assert_int_equal(trace->devices[0].memory_bytes, UINT64_C(85018279936));
	assert_int_equal(trace->devices[0].sms, 132);
	assert_int_equal(trace->devices[0].compute_major, 9);
	assert_int_equal(trace->base_ns, INT64_C(1754324972242076786));
	weir_profile_free(profile);
}

static void labels_hold_versions_and_nothing_private(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_changed("", profile)->trace;

	(void)state;
	assert_int_equal(trace->label_count, 3);
	assert_string_equal(text_of(trace, trace->labels[0].key), "nsys_version");
	assert_string_equal(text_of(trace, trace->labels[0].value), "2025.3.1.90");
	assert_string_equal(text_of(trace, trace->labels[2].key), "cuda_driver_version");
	for (size_t i = 0; i < weir_names_count(trace->names); i++) {
		const char *text = weir_names_text(trace->names, (uint32_t)i);

		assert_null(strstr(text, "secret"));
		assert_null(strstr(text, "/opt/"));
	}
	weir_profile_free(profile);
}

static void the_environment_says_only_if_launches_block(void **state)
{
	static const struct {
		const char *sql;
		bool blocks;
	} cases[] = {
		{"UPDATE TARGET_INFO_SYSTEM_ENV SET value = 'A=1;CUDA_LAUNCH_BLOCKING=1;B=secret' "
	         "WHERE name = 'DeviceEnvironment'",
	         true},
		{"UPDATE TARGET_INFO_SYSTEM_ENV SET value = 'A=1;CUDA_LAUNCH_BLOCKING=0' "
	         "WHERE name = 'DeviceEnvironment'",
	         false},
		{"UPDATE TARGET_INFO_SYSTEM_ENV SET value = 'CUDA_LAUNCH_BLOCKING=' "
	         "WHERE name = 'DeviceEnvironment'",
	         false},
		{"UPDATE TARGET_INFO_SYSTEM_ENV SET value = 'NO_CUDA_LAUNCH_BLOCKING=1' "
	         "WHERE name = 'DeviceEnvironment'",
	         false},
		{"CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT); "
	         "INSERT INTO META_DATA_CAPTURE VALUES "
	         "('PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN=\"secret\"'), "
	         "('PROCESS_0:ENVIRONMENT_VARIABLE', 'CUDA_LAUNCH_BLOCKING=\"1\"')",
	         true},
		{"CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT); "
	         "INSERT INTO META_DATA_CAPTURE VALUES "
	         "('PROCESS_0:ENVIRONMENT_VARIABLE', 'CUDA_LAUNCH_BLOCKING=\"0\"'), "
	         "('PROCESS_0:ARGUMENTS', 'CUDA_LAUNCH_BLOCKING=1')",
	         false},
	};

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_trace *trace = read_changed(cases[c].sql, profile)->trace;
		bool found = false;

		for (size_t i = 0; i < trace->label_count; i++)
			found = found || !strcmp(text_of(trace, trace->labels[i].key),
			                         WEIR_LABEL_LAUNCH_BLOCKING);
		assert_int_equal(found, cases[c].blocks);
		for (size_t i = 0; i < weir_names_count(trace->names); i++)
			assert_null(strstr(weir_names_text(trace->names, (uint32_t)i), "secret"));
		weir_profile_free(profile);
	}
}

static void operators_of_emit_nvtx_have_shapes(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		read_changed("INSERT INTO NVTX_EVENTS VALUES"
	                     "(1500,1600,59,'aten::add, op_id = 18',281641842910938,NULL,0),"
	                     "(1700,1800,59,'Step, sizes = unknown',281641842910938,NULL,0),"
	                     "(1900,2000,59,'aten::odd, sizes = [[8, 16',281641842910938,NULL,0)",
	                     profile)
			->trace;
	size_t mm = reading_host_row(trace, "aten::mm");
	const struct weir_shape *shape = &trace->shapes[trace->host.shape[mm]];

	(void)state;
	assert_string_equal(text_of(trace, shape->dims), "[[8, 16], [16, 4]]");
	assert_int_equal(trace->host.shape[reading_host_row(trace, "aten::add")], 0);
	assert_int_equal(trace->host.kind[reading_host_row(trace, "aten::add")], WEIR_HOST_OP);
	assert_int_equal(trace->host.kind[reading_host_row(trace, "Step, sizes = unknown")],
	                 WEIR_HOST_ANNOTATION);
	assert_int_equal(trace->host.shape[reading_host_row(trace, "aten::odd")], 0);
	weir_profile_free(profile);
}

static void names_lose_the_version_and_no_more(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		read_changed(
			"INSERT INTO StringIds VALUES(20,'cudaStreamGetCaptureInfo_v2_v11030'),"
			"(21,'cuMemcpyHtoDAsync_v2');"
			"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
			"(200000,200001,0,281641842910938,30,20,0,NULL),"
			"(200002,200003,0,281641842910938,31,21,0,NULL)",
			profile)
			->trace;

	(void)state;
	reading_host_row(trace, "cudaStreamGetCaptureInfo_v2");
	reading_host_row(trace, "cuMemcpyHtoDAsync_v2");
	weir_profile_free(profile);
}

/* Another process with the same ids of calls, streams and devices, for its own launches. */
#define SECOND_PROCESS                                                                             \
	"INSERT INTO TARGET_INFO_GPU(vmId, id, name) VALUES(281474976710656,5,'Other GPU');"       \
	"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(5,0,77);"                                      \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"                                           \
	"(2000,2500,0,281474976710656 + 77 * 16777216 + 78,10,7,0,NULL);"                          \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES"                                            \
	"(3000,3500,0,7,10,281474976710656 + 77 * 16777216,64,2)"

static void calls_are_joined_within_their_process(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_changed(SECOND_PROCESS, profile);
	const struct weir_trace *trace = input->trace;
	size_t gemm = reading_device_row(trace, GEMM), set = trace->device.count - 1;

	(void)state;
	assert_int_equal(trace->device_count, 2);
	assert_int_equal(trace->devices[trace->device.device[set]].id, 5);
	assert_int_equal(trace->host.start_ns[trace->device.launch[set]], 2000);
	assert_int_equal(trace->threads[trace->host.thread[trace->device.launch[set]]].pid, 77);
	assert_int_equal(trace->threads[trace->host.thread[trace->device.launch[set]]].tid, 78);
	assert_int_equal(trace->host.start_ns[trace->device.launch[gemm]], 1000);
	assert_int_not_equal(trace->device.stream[gemm], trace->device.stream[set]);
	assert_int_equal(input->warnings[WEIR_WARN_DUPLICATE_LAUNCH].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_UNLINKED].count, 0);
	weir_profile_free(profile);
}

static void work_of_an_unknown_process_joins_the_only_one(void **state)
{
	static const char *const changes[] = {
		"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = NULL",
		"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid",
		"ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN globalTid",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = read_changed(changes[i], profile);

		assert_int_equal(input->warnings[WEIR_WARN_UNLINKED].count, 0);
		assert_int_equal(input->trace->devices[0].id, 3);
		weir_profile_free(profile);
	}
	{
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = read_changed(
			SECOND_PROCESS "; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = NULL",
			profile);

		assert_int_equal(input->warnings[WEIR_WARN_UNLINKED].count, 2);
		weir_profile_free(profile);
	}
}

static void a_graph_launch_is_busy_time_without_kernels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_changed(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER,"
		" deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
		" graphId INTEGER, graphExecId INTEGER);"
		"INSERT INTO StringIds VALUES(30,'cudaGraphLaunch_v10000');"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
		"(201000,206000,0,281641842910938,40,30,0,NULL);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
		"(208000,408000,0,7,40,281641842900992,2,9)",
		profile);
	const struct weir_trace *trace = input->trace;
	size_t row = reading_device_row(trace, "(CUDA graph 9)");

	(void)state;
	assert_int_equal(trace->device.kind[row], WEIR_DEVICE_KERNEL);
	assert_int_equal(trace->device.flags[row], WEIR_DEVICE_IN_GRAPH);
	assert_int_equal(trace->device.end_ns[row], 408000);
	assert_string_equal(text_of(trace, trace->host.name[trace->device.launch[row]]),
	                    "cudaGraphLaunch");
	assert_int_equal(input->warnings[WEIR_WARN_GRAPH_HIDDEN].count, 1);
	weir_profile_free(profile);
}

static void kernels_of_a_graph_share_its_launch(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		read_changed("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 20,"
	                     " graphNodeId = 8589934593",
	                     profile)
			->trace;

	(void)state;
	assert_int_equal(trace->device.launch[0], trace->device.launch[2]);
	assert_int_equal(trace->device.flags[0], WEIR_DEVICE_IN_GRAPH);
	weir_profile_free(profile);
}

/* Numbers have the meaning that the tables of the file give; without tables, the documented one. */
static void kinds_are_those_of_the_file(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		read_changed("CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER, name TEXT, label TEXT);"
	                     "INSERT INTO ENUM_CUDA_MEM_KIND VALUES(0,'','Pinned'),(2,'','Novel')",
	                     profile)
			->trace;

	(void)state;
	reading_device_row(trace, "Memcpy DtoH (Unknown -> Pinned)");
	reading_device_row(trace, "Memset (Unknown)");
	weir_profile_free(profile);

	profile = weir_profile_new();
	trace = read_changed("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = NULL, dstKind = NULL,"
	                     " copyKind = 11",
	                     profile)
	                ->trace;
	reading_device_row(trace, "Memcpy unified HtoD");
	weir_profile_free(profile);
}

static const struct {
	const char *sql, *name;
} schemas[] = {
	/* 2021 and before: no labels, no device table, missing values as 0. */
	{"DROP TABLE META_DATA_EXPORT; DROP TABLE TARGET_INFO_CUDA_DEVICE;"
         "DROP TABLE TARGET_INFO_SESSION_START_TIME; UPDATE TARGET_INFO_GPU SET id = 0;"
         "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = 0",
         GEMM},
	/* Down-sampled by a third party. */
	{"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN globalPid;"
         "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN demangledName;"
         "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN graphNodeId;"
         "DROP TABLE NVTX_EVENTS; DROP TABLE OSRT_API; DROP TABLE PROFILER_OVERHEAD;"
         "DROP TABLE TARGET_INFO_SYSTEM_ENV",
         "gemm"},
	{"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN tensorSizeMinusOneElements TEXT;"
         "ALTER TABLE PROFILER_OVERHEAD RENAME COLUMN returnValue TO overheadType",
         GEMM},
	{"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN deviceId;"
         "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN streamId;"
         "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 999",
         "gemm"},
	{"DROP TABLE StringIds", "(kernel without a name)"},
};

static void every_schema_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = read_changed(schemas[i].sql, profile);

		assert_int_equal(input->trace->device.count, 4);
		reading_device_row(input->trace, schemas[i].name);
		assert_int_equal(input->warnings[WEIR_WARN_UNLINKED].count, 0);
		weir_profile_free(profile);
	}
}

static void odd_times_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		read_changed("INSERT INTO NVTX_EVENTS VALUES"
	                     "(170000,NULL,59,'open',281641842910938,NULL,0),"
	                     "(-1957198520,-1957198000,60,'early',281641842910938,NULL,0);"
	                     "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
	                     "(170000,0,0,281641842910938,50,5,0,NULL),"
	                     "(9e18,9e18,0,281641842910938,51,5,0,NULL),"
	                     "(4611686018427387904,4611686018427387905,0,281641842910938,52,5,0,"
	                     "NULL)",
	                     profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 3);
	assert_non_null(
		strstr(input->warnings[WEIR_WARN_NO_TIME].detail, "CUPTI_ACTIVITY_KIND_RUNTIME"));
	assert_int_equal(input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 1);
	assert_int_equal(input->trace->host.start_ns[reading_host_row(input->trace, "early")],
	                 -1957198520);
	weir_profile_free(profile);
}

#define NO_EVENTS                                                                                  \
	"DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"           \
	"DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET;"            \
	"DROP TABLE NVTX_EVENTS; DROP TABLE OSRT_API; DROP TABLE PROFILER_OVERHEAD;"               \
	"DROP TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;"

#define METRICS "tests/data/nsys/metrics.sql"

/* The export with metrics and memory, changed by SQL. */
static struct bytes database_metrics(const char *more)
{
	struct weir_text sql = {0};
	struct bytes bytes;
	FILE *file = fopen(METRICS, "rb");
	char part[1024];
	size_t length;

	assert_non_null(file);
	while ((length = fread(part, 1, sizeof(part), file)) > 0)
		weir_text_add(&sql, part, length);
	fclose(file);
	weir_text_puts(&sql, more);
	bytes = database_export(sql.data);
	weir_text_release(&sql);
	return bytes;
}

static double sum_gauge(const struct weir_telemetry *telemetry, enum weir_gauge gauge)
{
	double sum = 0;

	for (size_t i = 0; i < telemetry->count; i++)
		sum += telemetry->samples[i].value[gauge];
	return sum;
}

#define OF_DEVICE                                                                                  \
	" FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) WHERE typeId & "  \
	"255 = 3"

static void metrics_of_the_device_are_what_sql_says(void **state)
{
	static const struct {
		enum weir_gauge gauge;
		double scale;
		const char *sum;
	} gauges[] = {
		{WEIR_GAUGE_UTILIZATION, 100,
	         "SELECT sum(value)" OF_DEVICE " AND metricName LIKE 'GR Active%'"},
		{WEIR_GAUGE_SM_ACTIVE, 100,
	         "SELECT sum(value)" OF_DEVICE " AND metricName = 'SMs Active [Throughput %]'"},
		{WEIR_GAUGE_TENSOR_ACTIVE, 100,
	         "SELECT sum(value)" OF_DEVICE " AND metricName LIKE 'Tensor Active%'"},
		{WEIR_GAUGE_DRAM_ACTIVE, 100,
	         "SELECT sum(value)" OF_DEVICE " AND metricName LIKE 'DRAM %'"},
		{WEIR_GAUGE_SM_CLOCK_MHZ, 1e6,
	         "SELECT sum(value)" OF_DEVICE " AND metricName LIKE 'GPC Clock%'"},
	};
	struct bytes bytes = database_metrics("");
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;
	const char *path;

	(void)state;
	make_folder();
	path = write_file("metrics.sqlite", bytes.data, bytes.len);
	telemetry = reading_of_bytes(&weir_reader_nsys, bytes, profile)->telemetry;
	assert_int_equal(telemetry->count,
	                 database_int(path, "SELECT count(DISTINCT timestamp)" OF_DEVICE));
	for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
		assert_near(sum_gauge(telemetry, gauges[i].gauge) * gauges[i].scale,
		            (double)database_int(path, gauges[i].sum), 1e-12);
	assert_int_equal(telemetry->samples[0].at_ns, INT64_C(1754324972242076786) - 10000);
	assert_int_equal(telemetry->device_count, 1);
	assert_string_equal(telemetry->devices[0].id, "3");
	assert_string_equal(telemetry->devices[0].name, "Example GPU");
	assert_string_equal(profile->inputs[0].gives, "timeline, telemetry");
	weir_profile_free(profile);
	remove_folder();
}

static void a_clock_in_megahertz_is_one(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry =
		reading_of_bytes(&weir_reader_nsys,
	                         database_metrics("UPDATE GPU_METRICS SET value = 1710"
	                                          " WHERE metricId = 1"),
	                         profile)
			->telemetry;

	(void)state;
	assert_near(telemetry->samples[0].value[WEIR_GAUGE_SM_CLOCK_MHZ], 1710, 0);
	weir_profile_free(profile);
}

/* Per cycle, of links, without a name: such metrics cannot be averaged. */
static void other_metrics_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of_bytes(&weir_reader_nsys,
	                         database_metrics("DELETE FROM TARGET_INFO_GPU_METRICS"
	                                          " WHERE metricId < 7"),
	                         profile);

	(void)state;
	assert_null(input->telemetry);
	assert_string_equal(weir_reader_nsys.gives, "timeline");
	weir_profile_free(profile);
}

static void memory_is_what_lives_on_the_device(void **state)
{
	static const int64_t expected[][2] = {
		{2 << 20, 2 << 20}, {1 << 20, 3 << 20}, {-(2 << 20), 1 << 20},
		{3 << 20, 4 << 20}, {1 << 20, 5 << 20},
	};
	static const char *const changes[] = {
		"",
		"CREATE TABLE ENUM_CUDA_DEV_MEM_EVENT_OPER (id INTEGER, name TEXT, label TEXT);"
		"INSERT INTO ENUM_CUDA_DEV_MEM_EVENT_OPER VALUES(0,'','Deallocation'),"
		"(1,'','Allocation');"
		"UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS"
		" SET memoryOperationType = 1 - memoryOperationType",
	};

	(void)state;
	for (size_t c = 0; c < sizeof(changes) / sizeof(changes[0]); c++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_trace *trace =
			reading_of_bytes(&weir_reader_nsys, database_metrics(changes[c]), profile)
				->trace;

		assert_int_equal(trace->memory_count, 5);
		for (size_t i = 0; i < trace->memory_count; i++) {
			assert_int_equal(trace->memory[i].bytes, expected[i][0]);
			assert_int_equal(trace->memory[i].allocated_bytes, expected[i][1]);
			assert_int_equal(trace->memory[i].device_id, 3);
		}
		weir_profile_free(profile);
	}
}

static void what_cannot_be_read_says_why(void **state)
{
	(void)state;
	expect_refused(NO_EVENTS, WEIR_E_EMPTY, "--trace=cuda,nvtx,osrt");
	expect_refused(NO_EVENTS "CREATE TABLE DIAGNOSTIC_EVENT(severity INTEGER, text TEXT);"
	                         "INSERT INTO DIAGNOSTIC_EVENT VALUES(2,'secret'),(3,''),(1,'')",
	               WEIR_E_EMPTY, "(2 warnings of the profiler");
	expect_refused(NO_EVENTS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER);"
	                         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1)",
	               WEIR_E_EMPTY, "1 rows, but no row has a usable time");
	expect_refused("DROP TABLE META_DATA_EXPORT; DROP TABLE StringIds", WEIR_E_FORMAT,
	               "no tables of Nsight Systems");
	expect_refused("DROP TABLE META_DATA_EXPORT; DROP TABLE StringIds;"
	               "CREATE TABLE StringTable(_id_ INTEGER, value TEXT)",
	               WEIR_E_FORMAT, "nvprof");
	expect_refused("DROP TABLE META_DATA_EXPORT; DROP TABLE StringIds;"
	               "CREATE TABLE rocpd_info_agent_1(a)",
	               WEIR_E_FORMAT, "--input-format rocpd");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damaged_bytes(&weir_reader_nsys, database_export(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_goes_to_its_column),
		cmocka_unit_test(work_knows_its_arguments_and_its_launch),
		cmocka_unit_test(the_device_is_the_one_that_the_process_means),
		cmocka_unit_test(labels_hold_versions_and_nothing_private),
		cmocka_unit_test(the_environment_says_only_if_launches_block),
		cmocka_unit_test(operators_of_emit_nvtx_have_shapes),
		cmocka_unit_test(names_lose_the_version_and_no_more),
		cmocka_unit_test(calls_are_joined_within_their_process),
		cmocka_unit_test(work_of_an_unknown_process_joins_the_only_one),
		cmocka_unit_test(a_graph_launch_is_busy_time_without_kernels),
		cmocka_unit_test(kernels_of_a_graph_share_its_launch),
		cmocka_unit_test(kinds_are_those_of_the_file),
		cmocka_unit_test(every_schema_reads),
		cmocka_unit_test(odd_times_are_counted),
		cmocka_unit_test(metrics_of_the_device_are_what_sql_says),
		cmocka_unit_test(a_clock_in_megahertz_is_one),
		cmocka_unit_test(other_metrics_are_left_out),
		cmocka_unit_test(memory_is_what_lives_on_the_device),
		cmocka_unit_test(what_cannot_be_read_says_why),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
