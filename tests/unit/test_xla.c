/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/model/platform.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define SAMPLE  "samples/jax/self_trace.json"
#define PLANES  "samples/jax/tl_jax_conv_minimal_08_tw003.xplane.pb"
#define CAPTURE "tests/data/captures/jax.trace.json.gz"

static const struct weir_reader *const reader = &weir_reader_xla;

static const char *name_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

#define THREADS(more)                                                                              \
	"{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\"traceEvents\":[{"     \
	"\"ph\":\"M\","                                                                            \
	"\"pid\":7,\"name\":\"process_name\",\"args\":{\"name\":\"/host:CPU\"}}," more             \
	"{\"ph\":\"X\",\"pid\":7,\"tid\":1,\"ts\":1.0,\"dur\":2.0,\"name\":\"dot.1\"}]}"
#define NAMED(pid, tid, name)                                                                      \
	"{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" tid                                               \
	",\"name\":\"thread_name\",\"args\":{\"name\":\"" name "\"}},"
#define DEVICE                                                                                     \
	"{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"/"                 \
	"device:GPU:0\"}}," NAMED("1", "2", "Stream #2(Compute)")
#define WORK "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1.0,\"dur\":2.0,\"name\":\"fusion\"},"

static void a_client_for_the_cpu_without_device_work_is_a_cpu_run(void **state)
{
	static const struct {
		const char *text;
		bool cpu;
	} traces[] = {
		{THREADS(NAMED("7", "1", "tf_XLAPjRtCpuClient/12")), true},
		{THREADS(NAMED("7", "1", "tf_XLATfrtCpuClient/12")), true},
		{THREADS(DEVICE NAMED("7", "1", "tf_XLAPjRtCpuClient/12")), true},
		{THREADS(DEVICE NAMED("7", "1", "tf_XLAPjRtCpuClient/12") WORK), false},
		{THREADS(NAMED("7", "1", "python3")), false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_trace *trace = reading_of(reader, traces[i].text, profile)->trace;
		bool cpu = false;

		for (size_t l = 0; l < trace->label_count; l++)
			cpu |= strcmp(name_of(trace, trace->labels[l].key),
			              WEIR_LABEL_CPU_PLATFORM) == 0;
		assert_int_equal(cpu, traces[i].cpu);
		weir_profile_free(profile);
	}
}

/* Other lines of a device repeat the same time. */
static void only_streams_are_device_work(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		reading_file(reader, "tests/data/xla/trace.json", profile)->trace;
	const struct weir_device_columns *device = &trace->device;

	(void)state;
	assert_int_equal(device->count, 16);
	assert_int_equal(trace->device_count, 1);
	assert_string_equal(name_of(trace, device->name[0]), "Memcpy HtoD (Host -> Device)");
	assert_int_equal(device->bytes[0], 4096);
	assert_int_equal(device->kind[0], WEIR_DEVICE_COPY);
	assert_string_equal(name_of(trace, device->name[1]), "gemm_fusion_dot_1");
	assert_int_equal(device->blocks[1], 264);
	assert_int_equal(device->threads_per_block[1], 256);
	assert_true(device->end_ns[1] - device->start_ns[1] == 41500);
	weir_profile_free(profile);
}

static void launches_join_by_correlation(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, "tests/data/xla/trace.json", profile);
	const struct weir_trace *trace = input->trace;

	(void)state;
	for (size_t i = 0; i < trace->device.count; i++)
		assert_int_not_equal(trace->device.launch[i], WEIR_NONE);
	assert_string_equal(name_of(trace, trace->host.name[trace->device.launch[0]]),
	                    "cuMemcpyAsync");
	assert_string_equal(name_of(trace, trace->host.name[trace->device.launch[1]]),
	                    "cuLaunchKernel");
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(input->warnings[i].count, 0);
	weir_profile_free(profile);
}

static void host_events_are_told_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace =
		reading_file(reader, "tests/data/xla/trace.json", profile)->trace;

	(void)state;
	assert_int_equal(trace->host.count, 8 * 5);
	assert_int_equal(trace->host.kind[0], WEIR_HOST_ANNOTATION);
	assert_string_equal(name_of(trace, trace->host.name[0]), "train");
	assert_int_equal(trace->host.kind[1], WEIR_HOST_PYTHON);
	assert_string_equal(name_of(trace, trace->host.name[1]), "model.py(12): step");
	assert_int_equal(trace->host.kind[2], WEIR_HOST_OP);
	weir_profile_free(profile);
}

#define HEAD "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\"traceEvents\":["
#define NAME(what, pid, tid, name)                                                                 \
	"{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" tid ",\"name\":\"" what                           \
	"\",\"args\":{\"name\":\"" name "\"}},"
#define SLICE(pid, tid, name, ts)                                                                  \
	"{\"ph\":\"X\",\"pid\":" pid ",\"tid\":" tid ",\"name\":\"" name "\",\"ts\":" ts           \
	",\"dur\":2},"
#define TPU                                                                                        \
	HEAD NAME("process_name", "3", "0", "/device:TPU:0")                                       \
		NAME("thread_name", "3", "1", "XLA Ops") NAME("thread_name", "3", "2", "Steps")    \
			SLICE("3", "1", "fusion.1", "1") SLICE("3", "2", "0", "1")                 \
				SLICE("9", "1", "$<unknown> __exit__", "4") "{}]}"

static void operators_are_the_work_of_a_tpu(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = reading_of(reader, TPU, profile)->trace;

	(void)state;
	assert_int_equal(trace->device.count, 1);
	assert_string_equal(name_of(trace, trace->device.name[0]), "fusion.1");
	assert_int_equal(trace->host.count, 1);
	assert_string_equal(name_of(trace, trace->host.name[0]), "<unknown> __exit__");
	weir_profile_free(profile);
}

static void waits_of_xla_are_no_operators(void **state)
{
	static const char text[] = HEAD NAME("process_name", "3", "0", "/device:GPU:0")
		NAME("process_name", "9", "0", "/host:CPU")
			SLICE("9", "1", "Run (wait for completion)", "1")
				SLICE("9", "1", "Run (wait for", "4") "{}]}";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = reading_of(reader, text, profile)->trace;

	(void)state;
	assert_int_equal(trace->host.kind[0], WEIR_HOST_ANNOTATION);
	assert_int_equal(trace->host.kind[1], WEIR_HOST_OP);
	weir_profile_free(profile);
}

static void traces_are_known_by_what_only_they_say(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(TPU), "xla");
	assert_string_equal(reading_claims("{\"traceEvents\":[" NAME("process_name", "1", "0",
	                                                             "/host:CPU") "{}]}"),
	                    "xla");
	assert_string_equal(reading_claims("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}"),
	                    "chrome");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, TPU);
	reading_refuses(reader, HEAD "{}]}", WEIR_E_EMPTY, "no events with times");
}

static void a_written_sample_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = reading_sample(SAMPLE, reader, NULL, profile)->trace;

	(void)state;
	assert_int_equal(trace->device.count, 1);
	assert_int_equal(trace->device.launch[0], 0);
	assert_int_equal(trace->device.blocks[0], 132);
	weir_profile_free(profile);
}

static void a_real_trace_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_trace *trace = reading_file(reader, CAPTURE, profile)->trace;

	(void)state;
	assert_int_equal(trace->device.count, 60);
	for (size_t i = 0; i < trace->device.count; i++)
		assert_int_not_equal(trace->device.launch[i], WEIR_NONE);
	weir_profile_free(profile);
}

static void planes_are_recognised_and_refused(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	reading_sample(PLANES, NULL, "xplane.pb", profile);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_streams_are_device_work),
		cmocka_unit_test(a_client_for_the_cpu_without_device_work_is_a_cpu_run),
		cmocka_unit_test(launches_join_by_correlation),
		cmocka_unit_test(host_events_are_told_apart),
		cmocka_unit_test(operators_are_the_work_of_a_tpu),
		cmocka_unit_test(waits_of_xla_are_no_operators),
		cmocka_unit_test(traces_are_known_by_what_only_they_say),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(a_written_sample_is_read),
		cmocka_unit_test(a_real_trace_is_read),
		cmocka_unit_test(planes_are_recognised_and_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
