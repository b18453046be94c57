/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define FILE_OF_ALL "tests/data/rocprof_json/results.json"
#define SAMPLE      "samples/rocm/tl_908_results.json.gz"

static const struct weir_reader *const reader = &weir_reader_rocprof_json;

static const struct weir_input *read_all(struct weir_profile *profile)
{
	struct weir_error err = {0};

	if (weir_read_path(profile, FILE_OF_ALL, NULL, &err))
		fail_msg("%s", err.message);
	assert_string_equal(profile->inputs[0].format, "rocprof_json");
	return &profile->inputs[0];
}

static const char *name_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

static void records_find_their_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_all(profile)->trace;
	const struct weir_device_columns *device = &trace->device;

	(void)state;
	assert_int_equal(device->count, 3);
	assert_string_equal(name_of(trace, device->name[0]), "add(float*)");
	assert_string_equal(name_of(trace, device->name[1]), "gemm");
	assert_string_equal(name_of(trace, device->name[2]), "Memcpy HtoD (Host -> Device)");
	assert_int_equal(device->kind[2], WEIR_DEVICE_COPY);
	assert_int_equal(device->bytes[2], 4096);
	assert_int_equal(device->blocks[0], 4);
	assert_int_equal(device->threads_per_block[0], 512);
	assert_true(device->end_ns[0] - device->start_ns[0] == 100840);
	assert_int_equal(trace->streams[device->stream[0]].id, 3);
	weir_profile_free(profile);
}

static void launches_join_by_correlation(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_all(profile)->trace;

	(void)state;
	assert_int_equal(trace->host.count, 4);
	for (size_t i = 0; i < trace->device.count; i++)
		assert_int_not_equal(trace->device.launch[i], WEIR_NONE);
	assert_string_equal(name_of(trace, trace->host.name[0]), "step \"one\"");
	assert_int_equal(trace->host.kind[0], WEIR_HOST_ANNOTATION);
	assert_string_equal(name_of(trace, trace->host.name[3]), "hipMemcpyAsync");
	weir_profile_free(profile);
}

static void devices_are_numbered_among_gpus(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = read_all(profile)->trace;

	(void)state;
	assert_int_equal(trace->device_count, 1);
	assert_int_equal(trace->devices[0].id, 0);
	assert_int_equal(trace->devices[0].sms, 256);
	assert_int_equal(trace->devices[0].warp_size, 64);
	assert_string_equal(name_of(trace, trace->devices[0].name), "AMD Instinct MI350X");
	weir_profile_free(profile);
}

static void records_without_times_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_all(profile);

	(void)state;
	assert_int_equal(input->events, 8);
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 1);
	assert_string_equal(input->warnings[WEIR_WARN_NO_TIME].detail,
	                    "record 3: start and end are 0");
	weir_profile_free(profile);
}

#define ROOT(processes) "{\"rocprofiler-sdk-tool\": [" processes "]}"
#define PROCESS                                                                                    \
	"{\"strings\": {\"buffer_records\": [{\"kind\": \"A\", \"operations\": [\"hipInit\"]}]}, " \
	"\"buffer_records\": {\"hip_api\": [{\"kind\": 0, \"operation\": 0, \"thread_id\": 1, "    \
	"\"correlation_id\": {\"internal\": 1}, \"start_timestamp\": 10, \"end_timestamp\": "      \
	"20}]}}"

/* Two processes number their calls alike. */
static void processes_keep_their_ids_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, ROOT(PROCESS "," PROCESS), profile);

	(void)state;
	assert_int_equal(input->trace->host.count, 2);
	assert_int_equal(input->trace->thread_count, 2);
	assert_true(input->trace->host.correlation[0] != input->trace->host.correlation[1]);
	assert_int_equal(input->warnings[WEIR_WARN_DUPLICATE_LAUNCH].count, 0);
	weir_profile_free(profile);
}

static void what_holds_no_record_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, ROOT(""), WEIR_E_EMPTY, "no record of a kernel");
	reading_refuses(reader,
	                ROOT("{\"buffer_records\": {\"hip_api\": [{\"start_timestamp\": 0, "
	                     "\"end_timestamp\": 0}]}}"),
	                WEIR_E_EMPTY, "record 1: start and end");
	assert_string_equal(reading_claims(ROOT("")), "rocprof_json");
}

static void damage_is_survived(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	reading_survives_damage(reader, ROOT(PROCESS));
	assert_int_equal(read_all(profile)->warnings[WEIR_WARN_TRUNCATED].count, 0);
	weir_profile_free(profile);
}

static void a_large_sample_is_read_whole(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_sample(SAMPLE, reader, NULL, profile);
	const struct weir_device_columns *device = &input->trace->device;
	int64_t sum_ns = 0;

	(void)state;
	assert_int_equal(device->count, 43915);
	for (size_t i = 0; i < device->count; i++)
		sum_ns += device->end_ns[i] - device->start_ns[i];
	assert_true(sum_ns == INT64_C(4441741378));
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_find_their_names),
		cmocka_unit_test(launches_join_by_correlation),
		cmocka_unit_test(devices_are_numbered_among_gpus),
		cmocka_unit_test(records_without_times_are_counted),
		cmocka_unit_test(processes_keep_their_ids_apart),
		cmocka_unit_test(what_holds_no_record_is_refused),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(a_large_sample_is_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
