/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"
#include "tests/unit/shelf.h"

#define SAMPLES "samples/trace-event/trace-event__"

static const struct weir_reader *const reader = &weir_reader_chrome;

static const char *name_of(const struct weir_trace *trace, uint32_t id)
{
	return weir_names_text(trace->names, id);
}

#define B(name, ts)                                                                                \
	"{\"ph\": \"B\", \"pid\": 1, \"tid\": 1, \"name\": \"" name "\", \"ts\": " ts "}"
#define E(name, ts)                                                                                \
	"{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"name\": \"" name "\", \"ts\": " ts "}"

static void pairs_and_complete_events_become_ranges(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/chrome/pairs.json", profile);
	const struct weir_host_columns *host = &input->trace->host;

	(void)state;
	assert_int_equal(host->count, 3);
	assert_string_equal(name_of(input->trace, host->name[0]), "request");
	assert_true(host->end_ns[0] - host->start_ns[0] == 50000);
	assert_string_equal(name_of(input->trace, host->name[1]), "decode");
	assert_true(host->start_ns[1] == 1010500);
	assert_true(host->end_ns[1] == 1014750);
	assert_string_equal(name_of(input->trace, host->name[2]), "render");
	assert_true(host->end_ns[2] == 1040000);
	assert_string_equal(name_of(input->trace, input->trace->threads[host->thread[0]].name),
	                    "main");
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void order_in_the_file_does_not_matter(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, "[" E("a", "9") "," B("a", "1") "," E("b", "5") "," B("b", "2") "]",
		profile);

	(void)state;
	assert_int_equal(input->trace->host.count, 2);
	assert_true(input->trace->host.end_ns[0] == 9000);
	assert_true(input->trace->host.end_ns[1] == 5000);
	weir_profile_free(profile);
}

/* The end of an outer range closes the open ranges inside it, which get no end time. */
static void an_end_closes_the_innermost_of_its_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, "[" B("a", "1") "," B("b", "2") "," E("a", "5") "," E("b", "6") "]",
		profile);

	(void)state;
	assert_int_equal(input->trace->host.count, 1);
	assert_string_equal(name_of(input->trace, input->trace->host.name[0]), "a");
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 2);
	weir_profile_free(profile);
}

static void events_of_the_pytorch_profiler_stay_what_they_are(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"[{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 1, \"dur\": 2, "
		"\"args\": {\"device\": 0, \"stream\": 7}}]",
		profile);

	(void)state;
	assert_int_equal(input->trace->device.count, 1);
	assert_int_equal(input->trace->host.count, 0);
	weir_profile_free(profile);
}

/* RPD: "GPU2" is a device, a barrier is no work, and arrows end at the work of their call. */
static void rows_of_a_gpu_are_device_work(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/chrome/rpd.json", profile);
	const struct weir_device_columns *device = &input->trace->device;
	const struct weir_host_columns *host = &input->trace->host;

	(void)state;
	assert_int_equal(device->count, 3);
	assert_int_equal(device->kind[0], WEIR_DEVICE_COPY);
	assert_string_equal(name_of(input->trace, device->name[0]), "Memcpy HtoD (Host -> Device)");
	assert_int_equal(device->kind[1], WEIR_DEVICE_KERNEL);
	assert_int_equal(device->start_ns[2], 1000290000);
	assert_int_equal(input->trace->device_count, 1);
	assert_int_equal(input->trace->devices[0].id, 2);
	assert_int_equal(host->count, 4);
	for (size_t i = 0; i < host->count; i++)
		assert_int_equal(host->kind[i], WEIR_HOST_API);
	assert_string_equal(name_of(input->trace, host->name[device->launch[0]]), "hipMemcpy");
	assert_int_equal(host->start_ns[device->launch[1]], 1000200000);
	assert_int_equal(host->start_ns[device->launch[2]], 1000215000);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
	weir_profile_free(profile);
}

/* rocprof v1: "COPY" holds the copies of all devices, and exact times stand beside microseconds. */
static void copies_of_rocprof_belong_to_their_device(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/chrome/rocprof_v1.json", profile);
	const struct weir_device_columns *device = &input->trace->device;

	(void)state;
	assert_int_equal(device->count, 2);
	assert_int_equal(input->trace->device_count, 1);
	assert_int_equal(input->trace->devices[0].id, 1);
	assert_int_equal(device->kind[0], WEIR_DEVICE_COPY);
	assert_int_equal(device->end_ns[0] - device->start_ns[0], 8480);
	assert_string_equal(name_of(input->trace, device->name[1]), "scale");
	assert_int_equal(device->start_ns[1], 773110661);
	assert_int_equal(device->launch[0], 0);
	assert_int_equal(device->launch[1], 1);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
	weir_profile_free(profile);
}

#define PROCESS(name)                                                                              \
	"{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"" name     \
	"\"}},"
#define RANGE(more)                                                                                \
	"{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"name\": \"k\", \"ts\": 5, \"dur\": 2" more "}"

/* The name of a process makes its rows device work, wherever it stands in the file. */
static void the_name_of_a_process_decides(void **state)
{
	static const struct {
		const char *text;
		size_t work;
	} cases[] = {
		{"[" PROCESS("GPU0") RANGE("") "]", 1},
		{"[" PROCESS("GPU 0") RANGE("") "]", 1},
		{"[" RANGE("") "," PROCESS("GPU0") "{}]", 1},
		{"[" PROCESS("COPY") RANGE("") "]", 1},
		{"[" PROCESS("Ascend Hardware") RANGE("") "]", 1},
		{"[" PROCESS("MTIA 17") RANGE("") "]", 1},
		{"[" PROCESS("GPU") RANGE("") "]", 0},
		{"[" PROCESS("GPU Process") RANGE("") "]", 0},
		{"[" PROCESS("GPU0x") RANGE("") "]", 0},
		{"[" PROCESS("COPY 1") RANGE("") "]", 0},
		{"[" PROCESS("main") RANGE("") "]", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_of(reader, cases[i].text, profile);

		assert_int_equal(input->trace->device.count, cases[i].work);
		assert_int_equal(input->trace->host.count, 1 - cases[i].work);
		weir_profile_free(profile);
	}
}

/* Exact times count only if they agree with the event's own: both sides of the edge. */
static void exact_times_must_agree(void **state)
{
	static const struct {
		const char *text;
		int64_t start_ns;
	} cases[] = {
		{"[" RANGE(",\"args\": {\"BeginNs\": 5999, \"EndNs\": 6000}") "]", 5999},
		{"[" RANGE(",\"args\": {\"BeginNs\": 6000, \"EndNs\": 6001}") "]", 5000},
		{"[" RANGE(",\"args\": {\"BeginNs\": 4999, \"EndNs\": 6001}") "]", 5000},
		{"[" RANGE(",\"args\": {\"BeginNs\": 5001, \"EndNs\": 5000}") "]", 5000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_of(reader, cases[i].text, profile);

		assert_int_equal(input->trace->host.start_ns[0], cases[i].start_ns);
		weir_profile_free(profile);
	}
}

#define SPAN(ph, id, name, pid, ts)                                                                \
	"{\"ph\": \"" ph "\", \"cat\": \"async\", " id ", \"name\": \"" name "\", \"pid\": " pid   \
	", \"tid\": 7, \"ts\": " ts "}"
#define ID(id) "\"id\": \"" id "\""

/* An id holds in all processes; spans of one id nest, and those of another overlap them. */
static void asynchronous_spans_alone_are_ranges_of_their_ids(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"[" SPAN("b", ID("0x1"), "request", "1", "1") "," SPAN(
			"b", ID("0x1"), "prefill", "1",
			"2") "," SPAN("n", ID("0x1"), "token", "1",
	                              "3") "," SPAN("b", ID("0x2"), "request", "1",
	                                            "4") "," SPAN("e", ID("0x1"), "prefill", "2",
	                                                          "5") "," SPAN("e", ID("0x1"),
	                                                                        "request", "2",
	                                                                        "9") "," SPAN("e",
	                                                                                      ID("0"
	                                                                                         "x"
	                                                                                         "2"),
	                                                                                      "requ"
	                                                                                      "est",
	                                                                                      "1",
	                                                                                      "11") "]",
		profile);
	const struct weir_host_columns *host = &input->trace->host;
	int64_t requests_ns = 0, prefill_ns = 0;

	(void)state;
	assert_int_equal(host->count, 3);
	assert_int_equal(input->trace->thread_count, 2);
	for (size_t i = 0; i < host->count; i++)
		*(strcmp(name_of(input->trace, host->name[i]), "request") == 0 ? &requests_ns
		                                                               : &prefill_ns) +=
			host->end_ns[i] - host->start_ns[i];
	assert_int_equal(requests_ns, 15000);
	assert_int_equal(prefill_ns, 3000);
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		assert_int_equal(input->warnings[i].count, 0);
	weir_profile_free(profile);
}

/* In early files the name is a part of the id; a local id holds in its process. */
static void asynchronous_spans_join_by_their_kind_of_id(void **state)
{
	static const struct {
		const char *begin, *end;
		bool joins;
	} cases[] = {
		{SPAN("S", ID("1"), "a", "1", "1"), SPAN("F", ID("1"), "a", "2", "5"), true},
		{SPAN("S", ID("1"), "a", "1", "1"), SPAN("F", ID("1"), "b", "1", "5"), false},
		{SPAN("S", ID("1"), "a", "1", "1"), SPAN("F", ID("2"), "a", "1", "5"), false},
		{SPAN("b", "\"id2\": {\"local\": \"1\"}", "a", "1", "1"),
	         SPAN("e", "\"id2\": {\"local\": \"1\"}", "a", "1", "5"), true},
		{SPAN("b", "\"id2\": {\"local\": \"1\"}", "a", "1", "1"),
	         SPAN("e", "\"id2\": {\"local\": \"1\"}", "a", "2", "5"), false},
		{SPAN("b", "\"id2\": {\"global\": \"1\"}", "a", "1", "1"),
	         SPAN("e", "\"id2\": {\"global\": \"1\"}", "a", "2", "5"), true},
		{SPAN("b", "\"id\": 1, \"scope\": \"x\"", "a", "1", "1"),
	         SPAN("e", "\"id\": 1, \"scope\": \"y\"", "a", "1", "5"), false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_printf(&text, "[%s,%s]", cases[i].begin, cases[i].end);
		if (cases[i].joins)
			assert_int_equal(reading_of(reader, text.data, profile)->trace->host.count,
			                 1);
		else
			reading_refuses(reader, text.data, WEIR_E_EMPTY,
			                "no event has both a begin and an end");
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void asynchronous_events_beside_ranges_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "[" B("a", "1") "," SPAN("b", ID("1"), "x", "1", "2") "," SPAN(
				   "n", ID("1"), "x", "1", "3") "," SPAN("e", ID("1"), "x", "1",
	                                                                 "4") "," E("a", "5") "]",
	                   profile);

	(void)state;
	assert_int_equal(input->trace->host.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_ASYNCHRONOUS].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 0);
	weir_profile_free(profile);
}

static void what_has_no_range_is_refused(void **state)
{
	reading_refuses(reader,
	                "[{\"ph\": \"C\", \"ts\": 1}, {\"ph\": \"i\", \"ts\": 2}, "
	                "{\"ph\": \"C\", \"ts\": 3}]",
	                WEIR_E_EMPTY, "counters (\"C\": 2), instants (\"i\": 1)");
	(void)state;
	reading_refuses(reader, "[" B("a", "1") "]", WEIR_E_EMPTY,
	                "no event has both a begin and an end");
	reading_refuses(reader, "[{\"ph\": \"X\", \"ts\": 1}]", WEIR_E_EMPTY, "\"dur\" is missing");
	reading_refuses(reader, "[]", WEIR_E_EMPTY, "no events with times");
	reading_refuses(reader, "[{\"ph\": \"B\", \"pid\": \"CPU functions\", \"ts\": 1}]",
	                WEIR_E_EMPTY, "no event has both");
}

static void the_fallback_takes_nothing_from_others(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("[{\"ph\": \"X\"}]"), "chrome");
	assert_string_equal(reading_claims("{\"traceEvents\": []}"), "chrome");
	assert_string_equal(reading_claims("{\"traceEvents\": [], \"schemaVersion\": 1}"),
	                    "kineto");
	assert_string_equal(reading_claims("[{\"ph\": \"X\", \"cat\": \"Kernel\"}]"), "kineto");
	assert_string_equal(reading_claims("{\"traceEvents\": [{\"cat\" : \"gpu_memcpy\"}]}"),
	                    "kineto");
	assert_string_equal(reading_claims("[{\"ph\": \"B\", \"pid\": \"CPU functions\"}]"),
	                    "kineto");
	assert_string_equal(reading_claims("{\"x\": {\"traceEvents\": []}}"), "none");
	assert_string_equal(reading_claims("[{}, {\"ph\": \"X\"}]"), "chrome");
	assert_string_equal(reading_claims("[{}, {}]"), "none");
	assert_string_equal(reading_claims("[{\"a\": 1}, {\"ph\": \"X\"}]"), "none");
}

/* Calls need no category. A library or a range with a similar name is not a call. */
static void calls_of_a_driver_are_known_by_their_names(void **state)
{
	static const struct {
		const char *name;
		bool call;
	} cases[] = {
		{"cuLaunchKernel", true},
		{"cuMemcpyHtoDAsync_v2", true},
		{"cudaLaunchKernel", true},
		{"hipModuleLaunchKernel", true},
		{"hsa_signal_wait", true},
		{"cuDNN", false},
		{"cuBLAS", false},
		{"cuLaunch kernel", false},
		{"cuda", false},
		{"cu", false},
		{"cublasSgemm", false},
		{"hip::Launch", false},
		{"customLaunch", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_input *input;

		weir_text_printf(&text,
		                 "[{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"name\": \"%s\", "
		                 "\"ts\": 1, \"dur\": 2}]",
		                 cases[i].name);
		input = reading_of(reader, text.data, profile);
		if ((input->trace->host.kind[0] == WEIR_HOST_API) != cases[i].call)
			fail_msg("%s", cases[i].name);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, "[" SPAN("b", ID("1"), "x", "1", "2") "," SPAN(
						"e", "\"id2\": {\"local\": 1}", "x", "1",
						"4") "," SPAN("e", ID("1"), "x", "1", "5") "]");
	reading_survives_damage(
		reader,
		"[" B("a", "1") "," B("b", "2") "," E("b", "3") "," E(
			"a", "4") ",{\"ph\": \"X\", \"ts\": 5, \"dur\": 1, \"name\": \"c\"}]");
	reading_survives_damage(
		reader, "[{}," PROCESS("GPU0")
				RANGE("") ",{\"ph\": \"X\", \"pid\": 2, \"tid\": 3, "
					  "\"name\": \"hipLaunchKernel\", \"ts\": 2, \"dur\": 1},"
					  "{\"ph\": \"s\", \"id\": 4, \"pid\": 2, \"tid\": 3, "
					  "\"ts\": 2},{\"ph\": \"f\", \"id\": 4, \"pid\": 1, "
					  "\"tid\": 1, \"ts\": 5}]");
}

static void samples_are_read_or_refused(void **state)
{
	static const struct {
		const char *name;
		size_t ranges; /* 0: refused */
		size_t loose;
	} samples[] = {
		{"bex-interaction", 12, 0},
		{"end-event-with-empty-stack", 1, 1},
		{"end-non-top-of-stack", 2, 1},
		{"invalid-x-nesting", 2, 0},
		{"mismatched-name", 0, 0},
		{"not-enough-end-events", 1, 2},
		{"only-begin-events", 0, 0},
		{"out-of-order", 3, 0},
		{"simple", 3, 1},
		{"simple-object", 2, 1},
		{"simple-partial", 3, 1},
		{"simple-partial-trailing-comma", 3, 1},
		{"simple-partial-whitespace", 3, 1},
		{"multiprocess", 8, 0},
		{"too-many-end-events", 2, 2},
		{"x-events-matching-end", 9, 0},
	};

	(void)state;
	shelf_need(SAMPLES "simple.json"); /* skips before anything is allocated */
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input;
		struct weir_text path = {0};

		weir_text_printf(&path, SAMPLES "%s.json", samples[i].name);
		input = reading_sample(path.data, samples[i].ranges ? reader : NULL,
		                       "no event has both", profile);
		if (input && (input->trace->host.count != samples[i].ranges ||
		              input->warnings[WEIR_WARN_NO_TIME].count != samples[i].loose))
			fail_msg("%s: %zu ranges, %zu without times", samples[i].name,
			         input->trace->host.count,
			         (size_t)input->warnings[WEIR_WARN_NO_TIME].count);
		weir_text_release(&path);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_and_complete_events_become_ranges),
		cmocka_unit_test(order_in_the_file_does_not_matter),
		cmocka_unit_test(an_end_closes_the_innermost_of_its_name),
		cmocka_unit_test(events_of_the_pytorch_profiler_stay_what_they_are),
		cmocka_unit_test(rows_of_a_gpu_are_device_work),
		cmocka_unit_test(copies_of_rocprof_belong_to_their_device),
		cmocka_unit_test(the_name_of_a_process_decides),
		cmocka_unit_test(exact_times_must_agree),
		cmocka_unit_test(asynchronous_spans_alone_are_ranges_of_their_ids),
		cmocka_unit_test(asynchronous_spans_join_by_their_kind_of_id),
		cmocka_unit_test(asynchronous_events_beside_ranges_are_counted),
		cmocka_unit_test(what_has_no_range_is_refused),
		cmocka_unit_test(the_fallback_takes_nothing_from_others),
		cmocka_unit_test(calls_of_a_driver_are_known_by_their_names),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(samples_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
