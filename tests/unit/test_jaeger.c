/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"
#include "tests/unit/request_lines.h"

#define PARENT(id)                                                                                 \
	"[{\"refType\":\"CHILD_OF\",\"traceID\":\"0af7651916cd43dd\",\"spanID\":\"" id "\"}]"
/* Times are microseconds: four digits after those of 1700000000 s. */
#define SPAN(id, references, name, start, duration, more)                                          \
	"{\"traceID\":\"af7651916cd43dd\",\"spanID\":\"" id "\",\"operationName\":\"" name         \
	"\",\"references\":" references ",\"startTime\":170000000000" start                        \
	",\"duration\":" duration more "}"
#define ROOT                  SPAN("00ab", "[]", "request", "0000", "100", "")
#define QUEUE                 SPAN("b", PARENT("ab"), "queue", "0000", "20", "")
#define INFER                 SPAN("c", PARENT("00000000000000AB"), "infer", "0020", "80", "")
#define TRACE(list)           "{\"traceID\":\"af7651916cd43dd\",\"spans\":[" list "],\"processes\":{}}"
#define TAG(key, type, value) "{\"key\":\"" key "\",\"type\":\"" type "\",\"value\":" value "}"
#define BATCH                 TAG("batch.size", "int64", "4")
#define TOKENS                TAG("tokens.effective", "string", "\"98\"")
#define LARGE                 TAG("big", "int64", "\"9223372036854775222\"")
#define FIRST                 TAG("gen_ai.response.time_to_first_chunk", "float64", "5e-05")
#define SIZES                 BATCH "," TOKENS "," LARGE "," FIRST
#define LOG(name, at)                                                                              \
	"{\"fields\":[" TAG("event", "string", "\"" name "\"") "],\"timestamp\":17000000000000" at \
							       "}"
#define PROCESSES "{\"p1\":{\"serviceName\":\"front\"},\"p2\":{\"serviceName\":\"back\"}}"
#define FRONT     SPAN("ab", "[]", "request", "0000", "100", ",\"processID\":\"p1\"")
#define BACK(start, duration)                                                                      \
	SPAN("b", PARENT("ab"), "infer", start, duration, ",\"processID\":\"p2\"")
/* A request to one service that another service computes. */
#define CALL(start, duration)                                                                      \
	"{\"spans\":[" FRONT "," BACK(start, duration) "],\"processes\":" PROCESSES "}"
#define PROCESS(name, more) ",\"process\":{\"serviceName\":\"" name "\"" more
#define ON_HOST(host)       ",\"tags\":[" TAG("ip", "string", "\"" host "\"") "]}"
#define CALL_OF(front, back)                                                                       \
	"[" SPAN("ab", "[]", "request", "0000", "100", front) "," SPAN("b", PARENT("ab"), "infer", \
	                                                               "5000", "40", back) "]"

static const struct weir_reader *const jaeger = &weir_reader_jaeger;

static const char whole[] = "0+100000: queue@0+20000 infer@20000+80000\n";

static void every_form_is_read_and_short_ids_are_padded(void **state)
{
	static const char *const documents[] = {
		"{\"data\":[" TRACE(ROOT "," QUEUE "," INFER) "],\"total\":0,\"errors\":null}",
		TRACE(INFER "," QUEUE "," ROOT),
		"[" TRACE(ROOT "," QUEUE "," INFER) "]",
		"[" ROOT "," QUEUE ",\n" INFER "\n]",
		ROOT "\n" QUEUE "\n" INFER "\n",
		"{\"_index\":\"jaeger-span\",\"_source\":" ROOT "}\n{\"_source\":" QUEUE
		"}\n{\"_source\":" INFER "}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		assert_true(weir_sniff_reader(jaeger, documents[i], strlen(documents[i])) > 0);
		expect_requests(jaeger, documents[i], whole);
	}
}

static void only_a_child_of_the_own_trace_is_a_parent(void **state)
{
	(void)state;
	expect_requests(jaeger,
	                TRACE(ROOT "," SPAN(
				"b",
				"[{\"refType\":\"FOLLOWS_FROM\",\"traceID\":\"0af7651916cd43dd\","
				"\"spanID\":\"c\"},{\"refType\":\"CHILD_OF\",\"traceID\":\"ff\","
				"\"spanID\":\"c\"},{\"refType\":\"CHILD_OF\",\"traceID\":"
				"\"0af7651916cd43dd\",\"spanID\":\"ab\"}]",
				"queue", "0000", "20", "") "," INFER),
	                whole);
	/* Old versions name the parent in a field. */
	expect_requests(jaeger,
	                TRACE(ROOT "," QUEUE "," SPAN("c", "[]", "infer", "0020", "80",
	                                              ",\"parentSpanID\":\"ab\"")),
	                whole);
}

/* Programs that write this form choose their ids. */
static void ids_may_be_any_text(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		jaeger,
		"[{\"traceID\":\"req-7\",\"spanID\":\"a root\",\"operationName\":\"request\","
		"\"parentSpanID\":null,\"startTime\":1700000000000000,\"duration\":100},"
		"{\"traceID\":\"req-7\",\"spanID\":\"a child\",\"operationName\":\"infer\","
		"\"parentSpanID\":\"a root\",\"startTime\":1700000000000020,\"duration\":80},"
		"{\"traceID\":\"a-trace-id-of-more-than-32-characters\",\"spanID\":\"a root\","
		"\"operationName\":\"request\",\"references\":[],\"startTime\":1700000000001000,"
		"\"duration\":50},"
		"{\"traceID\":\"a-trace-id-of-more-than-32-characters\",\"spanID\":\"b\","
		"\"operationName\":\"infer\",\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":"
		"\"a-trace-id-of-more-than-32-characters\",\"spanID\":\"a root\"}],"
		"\"startTime\":1700000000001010,\"duration\":40}]",
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	reading_expects_parts(input->requests, 0, "request=20000 infer=80000");
	weir_profile_free(profile);
	/* An id that is missing, or zeros alone, stays unknown. */
	reading_refuses(jaeger,
	                "[{\"traceID\":\"0000\",\"spanID\":\"x\",\"startTime\":1,\"duration\":1}]",
	                WEIR_E_EMPTY, "1 without an id");
	reading_refuses(jaeger,
	                "[{\"traceID\":\"x\",\"spanID\":null,\"startTime\":1,\"duration\":1}]",
	                WEIR_E_EMPTY, "1 without an id");
}

static void figures_come_from_tags_of_every_type(void **state)
{
	(void)state;
	expect_requests(jaeger,
	                "[" SPAN("ab", "[]", "request", "0000", "100", ",\"tags\":[" SIZES "]") "]",
	                "0+100000 batch=4 tokens=98 first=50000: request@0+100000\n");
	/* Elasticsearch keeps tags as an object as well. */
	expect_requests(
		jaeger,
		"[" SPAN("ab", "[]", "request", "0000", "100", ",\"tag\":{\"batch.size\":4}") "]",
		"0+100000 batch=4: request@0+100000\n");
}

static void events_of_opentelemetry_are_logs(void **state)
{
	(void)state;
	expect_requests(jaeger,
	                "[" SPAN("ab", "[]", "compute", "0000", "100",
	                         ",\"logs\":[" LOG("COMPUTE_START", "10") "," LOG("COMPUTE_END",
	                                                                          "90") "]") "]",
	                "10000+80000: compute@0+80000\n");
}

static void a_microsecond_beyond_the_parent_is_rounding(void **state)
{
	(void)state;
	expect_requests(jaeger, CALL("0020", "81"),
	                "0+100000: request@0+20000 infer@20000+80000\n");
}

static void processes_may_follow_their_spans(void **state)
{
	static const char parts[] =
		"0+100000: request@0+30000 request@70000+30000 infer@30000+40000\n";

	(void)state;
	expect_requests_warned(jaeger, CALL("5000", "40"), parts, WEIR_WARN_CLOCK_SKEW, 1);
	expect_requests_warned(jaeger, "{\"data\":[" CALL("5000", "40") "]}", parts,
	                       WEIR_WARN_CLOCK_SKEW, 1);
	/* The same in documents that contain their process. */
	expect_requests_warned(jaeger, CALL_OF(PROCESS("front", "") "}", PROCESS("back", "") "}"),
	                       parts, WEIR_WARN_CLOCK_SKEW, 1);
}

static void one_host_has_one_clock(void **state)
{
	(void)state;
	expect_requests(jaeger,
	                CALL_OF(PROCESS("front", ON_HOST("a")), PROCESS("back", ON_HOST("a"))),
	                "0+100000: request@0+100000\n");
	expect_requests_warned(
		jaeger, CALL_OF(PROCESS("front", ON_HOST("a")), PROCESS("front", ON_HOST("b"))),
		"0+100000: request@0+30000 request@70000+30000 infer@30000+40000\n",
		WEIR_WARN_CLOCK_SKEW, 1);
}

static void spans_without_usable_times_are_left_out_and_counted(void **state)
{
	(void)state;
	expect_requests_warned(jaeger,
	                       "[" ROOT ",{\"traceID\":\"1\",\"spanID\":\"7\",\"duration\":1}]",
	                       "0+100000: request@0+100000\n", WEIR_WARN_NO_TIME, 1);
	expect_requests_warned(jaeger,
	                       "[" ROOT "," SPAN("7", "[]", "x", "0000", "\"invalid\"", "") "]",
	                       "0+100000: request@0+100000\n", WEIR_WARN_UNFINISHED, 1);
	reading_refuses(jaeger, "[{\"traceID\":\"1\",\"spanID\":\"7\",\"duration\":1},\n]",
	                WEIR_E_EMPTY, "1 without a start");
	reading_refuses(jaeger, "{\"data\":[]}", WEIR_E_EMPTY, "expected Jaeger's traces");
}

/* A second request of the trace, with these tags. */
#define TAGGED(tags) TRACE(ROOT "," SPAN("d", "[]", "other", "0200", "50", ",\"tags\":[" tags "]"))
#define KIND(kind)   TAG("span.kind", "string", "\"" kind "\"") ","

static void a_failed_root_is_counted_and_no_request(void **state)
{
	static const char *const failed[] = {
		TAGGED(TAG("error", "bool", "true")),
		TAGGED(TAG("error", "bool", "\"true\"")),
		TAGGED(TAG("otel.status_code", "string", "\"ERROR\"")),
		TAGGED(TAG("http.status_code", "int64", "500")),
		TAGGED(TAG("http.status_code", "string", "\"599\"")),
		TAGGED(KIND("client") TAG("http.response.status_code", "int64", "400")),
		TAGGED(TAG("http.status_code", "int64", "404") "," KIND("client")
	                       TAG("lang", "string", "\"en\"")),
		TAGGED(KIND("client") TAG("rpc.grpc.status_code", "int64", "1")),
		TAGGED(KIND("server") TAG("rpc.grpc.status_code", "int64", "14")),
	};

	(void)state;
	for (size_t i = 0; i < sizeof failed / sizeof *failed; i++) {
		struct reading reading = read_bytes(jaeger, failed[i], strlen(failed[i]));

		assert_int_equal(reading.status, WEIR_OK);
		assert_string_equal(reading.lines.data, "0+100000: request@0+100000\n");
		assert_int_equal(reading.input->requests->failed, 1);
		assert_false(reading.input->requests->all_failed);
		assert_int_equal(reading.input->warnings[WEIR_WARN_FAILED_REQUEST].count, 1);
		reading_free(&reading);
	}
}

static void a_request_that_was_answered_did_not_fail(void **state)
{
	static const char *const answered[] = {
		TAGGED(TAG("error", "bool", "false")),
		TAGGED(TAG("error", "bool", "\"false\"")),
		TAGGED(TAG("http.status_code", "int64", "499")), /* rejected: the client's fault */
		TAGGED(TAG("http.status_code", "int64", "600")), /* no such code */
		TAGGED(KIND("client") TAG("http.status_code", "int64", "399")),
		TAGGED(KIND("client") TAG("rpc.grpc.status_code", "int64", "0")),
		TAGGED(KIND("server") TAG("rpc.grpc.status_code", "int64", "5")),
		TAGGED(KIND("client") TAG("rpc.grpc.status_code", "int64", "17")),
		/* The program handled the error. */
		TAGGED(TAG("error", "bool", "true") "," TAG("otel.status_code", "string",
	                                                    "\"OK\"")),
	};

	(void)state;
	for (size_t i = 0; i < sizeof answered / sizeof *answered; i++)
		expect_requests_warned(jaeger, answered[i],
		                       "0+100000: request@0+100000\n"
		                       "200000+50000: other@0+50000\n",
		                       WEIR_WARN_SHARED_TRACE, 1);
}

/* A call that failed may have been tried again. */
static void a_failed_child_does_not_fail_its_request(void **state)
{
	(void)state;
	expect_requests(
		jaeger,
		TRACE(ROOT "," QUEUE "," SPAN("c", PARENT("ab"), "infer", "0020", "80",
	                                      ",\"tags\":[" TAG("error", "bool", "true") "]")),
		whole);
}

static void requests_that_all_failed_are_kept_as_such(void **state)
{
	static const char text[] = TRACE(SPAN("ab", "[]", "request", "0000", "100",
	                                      ",\"tags\":[" TAG("error", "bool", "true") "]"));
	struct reading reading = read_bytes(jaeger, text, strlen(text));

	(void)state;
	assert_int_equal(reading.status, WEIR_OK);
	assert_string_equal(reading.lines.data, "0+100000: request@0+100000\n");
	assert_true(reading.input->requests->all_failed);
	assert_int_equal(reading.input->requests->failed, 0);
	assert_int_equal(reading.input->warnings[WEIR_WARN_FAILED_REQUEST].count, 0);
	reading_free(&reading);
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_cuts_survived(jaeger,
	                     "{\"data\":[" TRACE(ROOT "," QUEUE "," INFER) "],\"total\":0}");
	expect_cuts_survived(jaeger, "[" ROOT "," QUEUE "]");
	expect_cuts_survived(jaeger, ROOT "\n" QUEUE "\n");
}

static void only_its_own_documents_are_claimed(void **state)
{
	static const char *const others[] = {
		"{\"data\":[{\"name\":1}]}",
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\"}}",
		"[{\"traceId\":\"1\",\"id\":\"2\"}]",
		"{\"traceEvents\":[]}",
		"{\"traceID\":\"1\"}",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(weir_sniff_reader(jaeger, others[i], strlen(others[i])), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read_and_short_ids_are_padded),
		cmocka_unit_test(only_a_child_of_the_own_trace_is_a_parent),
		cmocka_unit_test(ids_may_be_any_text),
		cmocka_unit_test(figures_come_from_tags_of_every_type),
		cmocka_unit_test(events_of_opentelemetry_are_logs),
		cmocka_unit_test(a_microsecond_beyond_the_parent_is_rounding),
		cmocka_unit_test(processes_may_follow_their_spans),
		cmocka_unit_test(one_host_has_one_clock),
		cmocka_unit_test(spans_without_usable_times_are_left_out_and_counted),
		cmocka_unit_test(a_failed_root_is_counted_and_no_request),
		cmocka_unit_test(a_request_that_was_answered_did_not_fail),
		cmocka_unit_test(a_failed_child_does_not_fail_its_request),
		cmocka_unit_test(requests_that_all_failed_are_kept_as_such),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
		cmocka_unit_test(only_its_own_documents_are_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
