/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Kineto reader over tests/data/kineto/written, one file a promise, and over real traces: ours
 * in tests/data/kineto, and those of others where the shelf has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"
#include "tests/unit/shelf.h"

#define FOLDER "tests/data/kineto/written/"

static struct weir_profile *read_file(const char *name)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text path = {0};
	struct weir_error err = {0};

	weir_text_printf(&path, FOLDER "%s", name);
	if (weir_read_path(profile, path.data, NULL, &err))
		fail_msg("%s", err.message);
	assert_int_equal(profile->input_count, 1);
	assert_string_equal(profile->inputs[0].format, "kineto");
	weir_text_release(&path);
	return profile;
}

static void expect_refused_as(const char *format, const char *name, enum weir_status status,
                              const char *part)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text path = {0};
	struct weir_error err = {0};

	weir_text_printf(&path, FOLDER "%s", name);
	assert_int_equal(weir_read_path(profile, path.data, format, &err), status);
	assert_int_equal(strncmp(err.message, path.data, path.length), 0);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" is not in: %s", part, err.message);
	assert_int_equal(profile->input_count, 0);
	weir_text_release(&path);
	weir_profile_free(profile);
}

static void expect_refused(const char *name, enum weir_status status, const char *part)
{
	expect_refused_as(NULL, name, status, part);
}

static const char *name_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

/* Returns the first host row of a name; fails if there is no such row. */
static size_t host_row(const struct weir_trace *trace, const char *name)
{
	for (size_t i = 0; i < trace->host.count; i++)
		if (strcmp(name_of(trace, trace->host.name[i]), name) == 0)
			return i;
	fail_msg("no host row is called %s", name);
	return 0;
}

static size_t device_row(const struct weir_trace *trace, const char *name)
{
	for (size_t i = 0; i < trace->device.count; i++)
		if (strcmp(name_of(trace, trace->device.name[i]), name) == 0)
			return i;
	fail_msg("no device row is called %s", name);
	return 0;
}

static const char *label_of(const struct weir_trace *trace, const char *key)
{
	for (size_t i = 0; i < trace->label_count; i++)
		if (strcmp(name_of(trace, trace->labels[i].key), key) == 0)
			return name_of(trace, trace->labels[i].value);
	return "";
}

static uint64_t warned(const struct weir_profile *profile, enum weir_warning_code code)
{
	return profile->inputs[0].warnings[code].count;
}

/* Checks that these warnings were counted this often, and that there were no others. */
static void expect_warnings(const struct weir_profile *profile, const uint64_t *counts)
{
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		if (profile->inputs[0].warnings[code].count != counts[code])
			fail_msg("warning %d: %llu, expected %llu", code,
			         (unsigned long long)profile->inputs[0].warnings[code].count,
			         (unsigned long long)counts[code]);
}

static void times_are_nanoseconds_from_the_digits(void **state)
{
	struct weir_profile *profile = read_file("cuda.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	size_t row = device_row(trace, "void gemm<half, 128>(Params)");

	(void)state;
	assert_int_equal(trace->device.start_ns[row], 1041001);
	assert_int_equal(trace->device.end_ns[row], 1053641);
	assert_int_equal(trace->base_ns, INT64_C(1751410836000000000));
	weir_profile_free(profile);
}

static void every_category_goes_to_its_column(void **state)
{
	struct weir_profile *profile = read_file("cuda.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	const struct weir_memory_event *memory = trace->memory;
	const struct weir_sync_event *sync = trace->syncs;

	(void)state;
	assert_int_equal(trace->host.count, 10);
	assert_int_equal(trace->host.kind[host_row(trace, "aten::mm")], WEIR_HOST_OP);
	assert_int_equal(trace->host.kind[host_row(trace, "ProfilerStep#3")], WEIR_HOST_ANNOTATION);
	assert_int_equal(trace->host.kind[host_row(trace, "model.py(12): forward")],
	                 WEIR_HOST_PYTHON);
	assert_int_equal(trace->host.kind[host_row(trace, "cuLaunchKernelEx")], WEIR_HOST_API);
	assert_int_equal(trace->host.kind[host_row(trace, "Activity Buffer Request")],
	                 WEIR_HOST_OVERHEAD);
	assert_int_equal(trace->device.count, 6);
	assert_int_equal(trace->device.kind[device_row(trace, "triton_fused_0")],
	                 WEIR_DEVICE_KERNEL);
	assert_int_equal(trace->device.kind[device_row(trace, "Memset (Device)")], WEIR_DEVICE_SET);
	assert_int_equal(trace->device.kind[device_row(trace, "Memcpy DtoH (Device -> Pageable)")],
	                 WEIR_DEVICE_COPY);
	assert_int_equal(trace->memory_count, 1);
	assert_int_equal(memory->bytes, -16384);
	assert_int_equal(memory->reserved_bytes, 2097152);
	assert_int_equal(memory->device_type, 1);
	assert_int_equal(trace->sync_count, 1);
	assert_string_equal(name_of(trace, sync->kind_name), "Stream Sync");
	assert_int_equal(sync->stream, 7);
	assert_int_equal(sync->wait_on_stream, -1);
	assert_int_equal(sync->wait_on_correlation, 0);
	assert_int_equal(trace->flow_count, 2);
	assert_int_equal(trace->flows[0].kind, WEIR_FLOW_BACKWARD);
	weir_profile_free(profile);
}

static void device_work_knows_its_arguments(void **state)
{
	struct weir_profile *profile = read_file("cuda.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	size_t row = device_row(trace, "void gemm<half, 128>(Params)");
	size_t copy = device_row(trace, "Memcpy DtoH (Device -> Pageable)");

	(void)state;
	assert_int_equal(trace->device.blocks[row], 8 * 16);
	assert_int_equal(trace->device.threads_per_block[row], 256);
	assert_int_equal(trace->device.bytes[row], -1);
	assert_int_equal(trace->device.external[row], 2);
	assert_int_equal(trace->streams[trace->device.stream[row]].id, 7);
	assert_int_equal(trace->device.bytes[copy], 16384);
	assert_int_equal(trace->device.blocks[copy], 0);
	assert_int_equal(trace->devices[0].id, 0);
	assert_string_equal(name_of(trace, trace->devices[0].name), "Example GPU");
	assert_int_equal(trace->devices[0].sms, 132);
	assert_int_equal(trace->device_count, 2);
	weir_profile_free(profile);
}

static void work_is_joined_to_its_launch(void **state)
{
	struct weir_profile *profile = read_file("cuda.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	uint32_t gemm = trace->device.launch[device_row(trace, "void gemm<half, 128>(Params)")];
	uint32_t triton = trace->device.launch[device_row(trace, "triton_fused_0")];
	size_t a = device_row(trace, "replayed_a"), b = device_row(trace, "replayed_b");

	(void)state;
	assert_string_equal(name_of(trace, trace->host.name[gemm]), "cudaLaunchKernel");
	assert_int_equal(trace->host.start_ns[gemm], 1030000);
	assert_string_equal(name_of(trace, trace->host.name[triton]), "cuLaunchKernelEx");
	assert_int_equal(trace->device.launch[a], trace->device.launch[b]);
	assert_int_equal(trace->device.flags[a], WEIR_DEVICE_IN_GRAPH);
	assert_int_equal(trace->device.flags[b], WEIR_DEVICE_IN_GRAPH);
	assert_true(trace->device.graph_node[a] == (UINT64_C(5) << 32 | 1));
	assert_true(trace->device.graph_node[b] == 0);
	assert_int_equal(trace->device.flags[device_row(trace, "triton_fused_0")], 0);
	assert_int_equal(trace->device.launch[device_row(trace, "Memset (Device)")], WEIR_NONE);
	assert_int_equal(warned(profile, WEIR_WARN_UNLINKED), 1);
	assert_int_equal(warned(profile, WEIR_WARN_LAUNCH_WITHOUT_WORK), 1);
	weir_profile_free(profile);
}

static void equal_shapes_share_a_row(void **state)
{
	struct weir_profile *profile = read_file("cuda.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	size_t row = host_row(trace, "aten::mm");
	const struct weir_shape *shape = &trace->shapes[trace->host.shape[row]];

	(void)state;
	assert_int_equal(trace->shape_count, 2);
	assert_int_equal(trace->host.shape[row + 1 < trace->host.count ? row : 0],
	                 trace->host.shape[row]);
	assert_string_equal(name_of(trace, shape->dims), "[[128, 256], [256, 64]]");
	assert_string_equal(name_of(trace, shape->types), "[\"c10::Half\", \"c10::Half\"]");
	assert_string_equal(name_of(trace, shape->scalars), "[\"\", \"\"]");
	assert_int_equal(trace->host.shape[host_row(trace, "ProfilerStep#3")], 0);
	assert_true(trace->has_shapes && trace->has_stacks && trace->has_memory);
	weir_profile_free(profile);
}

static const char *strides_of(const struct weir_trace *trace, const char *name)
{
	return name_of(trace, trace->shapes[trace->host.shape[host_row(trace, name)]].strides);
}

/* Most tensors are dense, and their strides follow from their sizes. */
static void strides_are_kept_of_tensors_with_gaps_or_repeated_elements(void **state)
{
	struct weir_profile *profile = read_file("strides.json");
	const struct weir_trace *trace = profile->inputs[0].trace;

	(void)state;
	assert_string_equal(strides_of(trace, "aten::dense"), "");
	assert_string_equal(strides_of(trace, "aten::whole_row"), "");
	assert_string_equal(strides_of(trace, "aten::expanded"), "[[0, 1], []]");
	assert_string_equal(strides_of(trace, "aten::column"), "[[1], [6]]");
	assert_string_equal(strides_of(trace, "aten::slice_of_row"), "[[6, 1], []]");
	assert_string_equal(strides_of(trace, "aten::listed"), "[[[6, 1], [6]], []]");
	assert_string_equal(strides_of(trace, "aten::other_rank"), "");
	assert_string_equal(strides_of(trace, "aten::cut"), "");
	weir_profile_free(profile);
}

static void threads_are_called_as_the_trace_calls_them(void **state)
{
	struct weir_profile *profile = read_file("cuda.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	const struct weir_thread *thread =
		&trace->threads[trace->host.thread[host_row(trace, "aten::mm")]];

	(void)state;
	assert_int_equal(thread->pid, 100);
	assert_int_equal(thread->tid, 100);
	assert_string_equal(name_of(trace, thread->name), "thread 100 (python3)");
	assert_string_equal(label_of(trace, "cuda_runtime_version"), "12040");
	assert_string_equal(label_of(trace, "trace_id"), "00FF");
	weir_profile_free(profile);
}

static void spellings_of_1_8_are_read(void **state)
{
	struct weir_profile *profile = read_file("old.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	size_t kernel = device_row(trace, "add_kernel");
	static const uint64_t counts[WEIR_WARN_COUNT] = {
		[WEIR_WARN_REPAIRED_TEXT] = 1, /* "{ , " */
		[WEIR_WARN_NO_TIME] = 1,       /* the memset at 0 */
		[WEIR_WARN_NEGATIVE_DURATION] = 1,
		[WEIR_WARN_UNLINKED] = 1, /* the copy */
	};

	(void)state;
	assert_int_equal(trace->host.kind[host_row(trace, "ProfilerStep#1")], WEIR_HOST_ANNOTATION);
	assert_int_equal(trace->host.external[host_row(trace, "aten::add")], 2);
	assert_int_equal(trace->threads[0].tid, INT64_C(3239786240));
	assert_int_equal(trace->device.count, 2);
	assert_int_equal(trace->device.end_ns[kernel], trace->device.start_ns[kernel]);
	assert_int_equal(trace->device.launch[kernel], host_row(trace, "cudaLaunchKernel_v7000"));
	assert_int_equal(trace->rank, 3);
	assert_int_equal(trace->world_size, 4);
	assert_true(trace->has_shapes);
	expect_warnings(profile, counts);
	weir_profile_free(profile);
}

static void agents_are_matched_to_devices_by_order(void **state)
{
	struct weir_profile *profile = read_file("rocm.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	size_t copy = device_row(trace, "Memcpy DtoD (Device -> Device)");

	(void)state;
	assert_int_equal(trace->device_count, 2);
	assert_int_equal(trace->devices[0].id, 2);
	assert_string_equal(name_of(trace, trace->devices[0].name), "Example Instinct");
	assert_int_equal(trace->devices[1].id, 3);
	assert_int_equal(trace->devices[1].sms, 304);
	assert_true(trace->devices[1].described);
	assert_int_equal(trace->device.kind[device_row(trace, "__amd_rocclr_copyBuffer")],
	                 WEIR_DEVICE_COPY);
	assert_int_equal(trace->device.bytes[copy], 4096);
	assert_int_equal(trace->device.correlation[copy], 4);
	assert_int_equal(trace->device.launch[device_row(trace, "Cijk_Ailk_Bljk")],
	                 host_row(trace, "hipExtModuleLaunchKernel"));
	weir_profile_free(profile);
}

static void a_trace_of_the_host_alone_is_one(void **state)
{
	struct weir_profile *profile = read_file("cpu_only.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	static const uint64_t none[WEIR_WARN_COUNT] = {0};

	(void)state;
	assert_int_equal(trace->host.count, 2);
	assert_int_equal(trace->device.count, 0);
	assert_int_equal(trace->host.start_ns[0], 1500);
	assert_int_equal(trace->host.start_ns[1], 2500);
	expect_warnings(profile, none);
	weir_profile_free(profile);
}

static void arrows_join_what_carries_no_id(void **state)
{
	struct weir_profile *profile = read_file("flows.json");
	const struct weir_trace *trace = profile->inputs[0].trace;

	(void)state;
	assert_int_equal(trace->device.launch[0], host_row(trace, "cudaLaunchKernel"));
	assert_int_equal(warned(profile, WEIR_WARN_UNLINKED), 0);
	weir_profile_free(profile);
}

static void collectives_are_known_from_kernels_or_from_the_host(void **state)
{
	struct weir_profile *profile = read_file("collectives.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	const struct weir_collective *reduce = &trace->collectives[0],
				     *gather = &trace->collectives[1];

	(void)state;
	assert_int_equal(trace->collective_count,
	                 2); /* the kernel repeats the host record of the first collective */
	assert_string_equal(name_of(trace, reduce->name), "allreduce");
	assert_int_equal(reduce->device_row,
	                 device_row(trace, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"));
	assert_int_equal(reduce->elements_in, 2048);
	assert_int_equal(reduce->group_size, 2);
	assert_int_equal(reduce->sequence, 6); /* which only the host records */
	assert_string_equal(name_of(trace, reduce->members), "[0, 1]");
	assert_string_equal(name_of(trace, reduce->dtype), "BFloat16");
	assert_string_equal(name_of(trace, gather->name), "_allgather_base");
	assert_int_equal(gather->device_row, device_row(trace, "ncclDevKernel_AllGather_RING_LL"));
	assert_string_equal(name_of(trace, gather->group), "3");
	assert_int_equal(gather->sequence, -1);
	assert_int_equal(trace->rank, 1);
	assert_string_equal(label_of(trace, "nccl_version"), "2.21.5");
	weir_profile_free(profile);
}

/* A damaged file gives all events except the damaged one, that one as far as it is readable, and
 * one count. */
static void expect_repair(const char *file, const char *name, enum weir_warning_code code)
{
	struct weir_profile *profile = read_file(file);
	const struct weir_trace *trace = profile->inputs[0].trace;
	uint64_t counts[WEIR_WARN_COUNT] = {0};

	counts[code] = 1;
	host_row(trace, "first");
	host_row(trace, "last");
	if (name)
		assert_int_equal(trace->host.start_ns[host_row(trace, name)], 5000);
	assert_int_equal(trace->host.count, name ? 3 : 2);
	expect_warnings(profile, counts);
	weir_profile_free(profile);
}

static void damage_costs_one_event_at_most(void **state)
{
	(void)state;
	expect_repair("stray_quotes.json", "f({\"device\": \"cpu\", \"n\": 2}) g",
	              WEIR_WARN_REPAIRED_TEXT);
	expect_repair("odd_quote.json", "say \"hello, again", WEIR_WARN_REPAIRED_TEXT);
	expect_repair("lone_backslash.json", "C:\\dir\\", WEIR_WARN_REPAIRED_TEXT);
	expect_repair("control_bytes.json", "two\nlines\001", WEIR_WARN_REPAIRED_TEXT);
	expect_repair("truncated.json", NULL, WEIR_WARN_TRUNCATED);
	expect_repair("bom_and_trailing.json", NULL, WEIR_WARN_TRAILING);
	expect_repair("deep.json", NULL, WEIR_WARN_TOO_DEEP);
}

/* Work of Ascend's devices has no category. Waits are no work, and sums over work are passed over.
 */
static void work_without_a_category_is_known_by_its_process(void **state)
{
	struct weir_profile *profile = read_file("ascend.json");
	const struct weir_input *input = &profile->inputs[0];
	const struct weir_trace *trace = input->trace;

	(void)state;
	assert_int_equal(trace->host.count, 1);
	assert_int_equal(trace->device.count, 2);
	assert_string_equal(name_of(trace, trace->device.name[0]), "aclnnAdd_AddAiCore_Add");
	assert_int_equal(trace->device.kind[0], WEIR_DEVICE_KERNEL);
	assert_int_equal(trace->device.end_ns[0] - trace->device.start_ns[0], 1350);
	assert_int_equal(trace->device.kind[1], WEIR_DEVICE_COPY);
	assert_int_equal(input->warnings[WEIR_WARN_UNKNOWN_CATEGORY].count, 1);
	assert_non_null(strstr(input->warnings[WEIR_WARN_UNKNOWN_CATEGORY].detail, "enqueue"));
	weir_profile_free(profile);
}

static void a_bare_array_is_read(void **state)
{
	struct weir_profile *profile = read_file("bare_array.json");

	(void)state;
	assert_int_equal(profile->inputs[0].trace->host.count, 2);
	weir_profile_free(profile);
}

static void escapes_are_resolved(void **state)
{
	struct weir_profile *profile = read_file("escapes.json");

	(void)state;
	host_row(profile->inputs[0].trace, "aten::add \xf0\x9f\x98\x80 \xef\xbf\xbd \xef\xbf\xbd");
	weir_profile_free(profile);
}

static void what_is_no_number_is_missing(void **state)
{
	struct weir_profile *profile = read_file("bad_numbers.json");
	const struct weir_trace *trace = profile->inputs[0].trace;
	static const uint64_t counts[WEIR_WARN_COUNT] = {
		[WEIR_WARN_NO_TIME] = 1,       /* ts NaN */
		[WEIR_WARN_BAD_NUMBER] = 1,    /* dur "N/A" */
		[WEIR_WARN_SKIPPED_EVENT] = 4, /* 17, null, "x" and {} */
		[WEIR_WARN_UNLINKED] = 1,
	};

	(void)state;
	assert_int_equal(trace->device.correlation[0], 0);
	assert_int_equal(trace->device.bytes[0], -1);
	assert_string_equal(profile->inputs[0].warnings[WEIR_WARN_NO_TIME].detail,
	                    "event 2: \"ts\" is not a number of microseconds");
	expect_warnings(profile, counts);
	weir_profile_free(profile);
}

#define LARGE_TS "\"ts\" exceeds 146 years in microseconds; divide nanoseconds by 1000"
#define KERNEL(ts, dur)                                                                            \
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": " ts ", \"dur\": " dur "}"
#define TRACE(ts, dur)                                                                             \
	"{\"schemaVersion\": 1, \"traceEvents\": [" KERNEL("1", "1") "," KERNEL(ts, dur) "]}"

/* Nanoseconds since 1970, written where microseconds are expected, are larger than times can be. */
static void times_that_are_too_large_are_called_so(void **state)
{
	static const struct {
		const char *text, *detail;
	} cases[] = {
		{TRACE("4611686018427387.903", "0"), ""},
		{TRACE("4611686018427387.904", "0"), "event 2: " LARGE_TS},
		{TRACE("9223372036854775.807", "0"), "event 2: " LARGE_TS},
		{TRACE("9223372036854775.808", "0"), "event 2: " LARGE_TS},
		{TRACE("1722000000000000000", "1"), "event 2: " LARGE_TS},
		{TRACE("\"1722000000000000000\"", "1"), "event 2: " LARGE_TS},
		{TRACE("-1.7e18", "1"), "event 2: " LARGE_TS},
		{TRACE("\"soon\"", "1"), "event 2: \"ts\" is not a number of microseconds"},
		{TRACE("2", "9007199254740.992"), ""},
		{TRACE("2", "9007199254740.993"), "event 2: \"dur\" exceeds 104 days in "
	                                          "microseconds; divide nanoseconds by 1000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_of(&weir_reader_kineto, cases[i].text, profile);

		assert_string_equal(input->warnings[WEIR_WARN_NO_TIME].detail, cases[i].detail);
		assert_int_equal(input->trace->device.count, cases[i].detail[0] ? 1 : 2);
		weir_profile_free(profile);
	}
	reading_refuses(&weir_reader_kineto,
	                "{\"schemaVersion\": 1, \"traceEvents\": [" KERNEL("1e18", "1") "]}",
	                WEIR_E_EMPTY, LARGE_TS "; no event with a time is left");
}

/* Early 2024: .47 may mean .047. A writer that drops zeros at the end never writes .120. */
static void fractions_without_padding_are_pointed_out(void **state)
{
	struct weir_profile *profile = read_file("unpadded.json");

	(void)state;
	assert_int_equal(warned(profile, WEIR_WARN_FRACTION_PADDING), 2);
	weir_profile_free(profile);
	profile = read_file("cpu_only.json");
	assert_int_equal(warned(profile, WEIR_WARN_FRACTION_PADDING), 0);
	weir_profile_free(profile);
}

static void what_cannot_be_analysed_is_refused_with_the_reason(void **state)
{
	(void)state;
	expect_refused("legacy.json", WEIR_E_FORMAT, "before 1.8.1");
	expect_refused_as("kineto", "generic.json", WEIR_E_FORMAT, "(the first: \"toplevel\")");
	expect_refused("no_events.json", WEIR_E_EMPTY, "no events with times");
}

static void check_device(const struct weir_trace *trace, size_t device, const cJSON *expected)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN, sum_ns = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < trace->device.count; i++) {
		if (trace->device.device[i] != device)
			continue;
		count++;
		first_ns =
			trace->device.start_ns[i] < first_ns ? trace->device.start_ns[i] : first_ns;
		last_ns = trace->device.end_ns[i] > last_ns ? trace->device.end_ns[i] : last_ns;
		sum_ns += trace->device.end_ns[i] - trace->device.start_ns[i];
	}
	assert_int_equal(count, cJSON_GetObjectItem(expected, "gpu_events")->valueint);
	assert_true((double)(last_ns - first_ns) ==
	            cJSON_GetObjectItem(expected, "span_ns")->valuedouble);
	assert_true((double)sum_ns == cJSON_GetObjectItem(expected, "sum_ns")->valuedouble);
}

/* The vectors do not count MTIA's runtime calls as launches; their links are left out there. */
static void check_case(const cJSON *expected, const char *folder, bool shelved)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text path = {0};
	struct weir_error err = {0};
	const cJSON *devices = cJSON_GetObjectItem(expected, "devices"), *device;
	const struct weir_trace *trace;
	uint64_t overlaps = 0;
	size_t works = 0;

	weir_text_printf(&path, "%s/%s", folder,
	                 cJSON_GetObjectItem(expected, "file")->valuestring);
	if (weir_read_path(profile, shelved ? shelf_need(path.data) : path.data, NULL, &err))
		fail_msg("%s", err.message);
	trace = profile->inputs[0].trace;
	cJSON_ArrayForEach (device, devices) {
		assert_true(works < trace->device_count);
		assert_true((double)trace->devices[works].id ==
		            cJSON_GetObjectItem(device, "device")->valuedouble);
		check_device(trace, works++, device);
		overlaps += (uint64_t)cJSON_GetObjectItem(device, "same_stream_overlaps")->valueint;
	}
	assert_int_equal(warned(profile, WEIR_WARN_STREAM_OVERLAP), overlaps);
	weir_text_release(&path);
	weir_profile_free(profile);
}

static void check_vectors(const char *vectors, const char *folder, bool shelved)
{
	cJSON *document = NULL;
	const cJSON *expected;
	struct weir_error err = {0};

	if (weir_json_read_file(vectors, &document, &err))
		fail_msg("%s", err.message);
	assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(document, "cases")) > 0);
	cJSON_ArrayForEach (expected, cJSON_GetObjectItem(document, "cases"))
		check_case(expected, folder, shelved);
	cJSON_Delete(document);
}

static void our_traces_have_the_activity_that_the_vectors_say(void **state)
{
	(void)state;
	check_vectors("tests/vectors/kineto_captures.json", "tests/data/kineto", false);
}

static void real_traces_have_the_activity_that_the_vectors_say(void **state)
{
	(void)state;
	shelf_need("samples/kineto");
	check_vectors("tests/vectors/kineto_activity.json", "samples/kineto", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_nanoseconds_from_the_digits),
		cmocka_unit_test(every_category_goes_to_its_column),
		cmocka_unit_test(device_work_knows_its_arguments),
		cmocka_unit_test(work_is_joined_to_its_launch),
		cmocka_unit_test(equal_shapes_share_a_row),
		cmocka_unit_test(strides_are_kept_of_tensors_with_gaps_or_repeated_elements),
		cmocka_unit_test(threads_are_called_as_the_trace_calls_them),
		cmocka_unit_test(spellings_of_1_8_are_read),
		cmocka_unit_test(agents_are_matched_to_devices_by_order),
		cmocka_unit_test(a_trace_of_the_host_alone_is_one),
		cmocka_unit_test(arrows_join_what_carries_no_id),
		cmocka_unit_test(collectives_are_known_from_kernels_or_from_the_host),
		cmocka_unit_test(damage_costs_one_event_at_most),
		cmocka_unit_test(work_without_a_category_is_known_by_its_process),
		cmocka_unit_test(a_bare_array_is_read),
		cmocka_unit_test(escapes_are_resolved),
		cmocka_unit_test(what_is_no_number_is_missing),
		cmocka_unit_test(times_that_are_too_large_are_called_so),
		cmocka_unit_test(fractions_without_padding_are_pointed_out),
		cmocka_unit_test(what_cannot_be_analysed_is_refused_with_the_reason),
		cmocka_unit_test(our_traces_have_the_activity_that_the_vectors_say),
		cmocka_unit_test(real_traces_have_the_activity_that_the_vectors_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
