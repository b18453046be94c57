/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/request_lines.h"

#define SPAN(id, name, start, duration, more)                                                      \
	SPAN_OF("5af7183fb1d4cf5f", id, name, start, duration, more)
#define SPAN_OF(trace, id, name, start, duration, more)                                            \
	"{\"traceId\":\"" trace "\",\"id\":\"" id "\",\"name\":\"" name                            \
	"\",\"timestamp\":170000000000" start ",\"duration\":" duration more "}"
#define BELOW(id)     ",\"parentId\":\"" id "\""
#define SERVICE(name) ",\"localEndpoint\":{\"serviceName\":\"" name "\"}"
#define CLIENT        SPAN("ab", "request", "0000", "100", ",\"kind\":\"CLIENT\"" SERVICE("front"))
#define SERVER(more)  SPAN("ab", "handle", "0010", "80", ",\"kind\":\"SERVER\"" more)
#define COMPUTE       SPAN("cd", "compute", "0020", "60", BELOW("ab") SERVICE("back"))
#define ROOT          SPAN("352bff9a74ca9ad1", "request", "0000", "100", "")
#define QUEUE         SPAN("352bff9a74ca9ad2", "queue", "0000", "20", BELOW("352bff9a74ca9ad1"))
#define INFER         SPAN("352bff9a74ca9ad3", "infer", "0020", "80", BELOW("352BFF9A74CA9AD1"))

static const struct weir_reader *const zipkin = &weir_reader_zipkin;

static const char whole[] = "0+100000: queue@0+20000 infer@20000+80000\n";

static void lists_of_spans_and_of_traces_are_read(void **state)
{
	static const char *const documents[] = {
		"[" ROOT "," QUEUE "," INFER "]", "[[" INFER "," QUEUE "," ROOT "]]",
		" [ [ " ROOT " , " QUEUE " ] , [ " INFER " ] ] ",
		"[" ROOT "]\n[" QUEUE "," INFER "]\n", /* messages of a queue */
	};

	(void)state;
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		assert_true(weir_sniff_reader(zipkin, documents[i], strlen(documents[i])) > 0);
		expect_requests(zipkin, documents[i], whole);
	}
}

static void tags_and_names_are_taken(void **state)
{
	(void)state;
	expect_requests(
		zipkin,
		"[{\"traceId\":\"1\",\"id\":\"2\",\"timestamp\":1700000000000000,"
		"\"duration\":5,\"tags\":{\"batch.size\":\"4\",\"tokens.padded\":\"256\"}}]",
		"0+5000 batch=4 padded=256: unnamed@0+5000\n");
}

/* Zipkin's tag "error" is a message; an empty one is an error as well. */
static void a_span_with_an_error_is_a_failed_request(void **state)
{
	static const char *const failed[] = {
		"[" ROOT "," SPAN_OF("8", "7", "other", "0200", "50",
	                             ",\"tags\":{\"error\":\"timeout\"}") "]",
		"[" ROOT
		"," SPAN_OF("8", "7", "other", "0200", "50", ",\"tags\":{\"error\":\"\"}") "]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof failed / sizeof *failed; i++)
		expect_requests_warned(zipkin, failed[i], "0+100000: request@0+100000\n",
		                       WEIR_WARN_FAILED_REQUEST, 1);
	expect_requests(zipkin,
	                "[" ROOT "," SPAN_OF("8", "7", "other", "0200", "50",
	                                     ",\"tags\":{\"error\":\"false\"}") "]",
	                "0+100000: request@0+100000\n200000+50000: other@0+50000\n");
}

/* The server uses the client's id: it is a child of the client, and parent of the server's calls.
 */
static void a_shared_span_is_its_clients_child(void **state)
{
	static const char parts[] =
		"0+100000: request@0+10000 request@90000+10000 handle@10000+10000 "
		"handle@80000+10000 compute@20000+60000\n";

	(void)state;
	expect_requests(zipkin,
	                "[" CLIENT "," SERVER(",\"shared\":true" SERVICE("back")) "," COMPUTE "]",
	                parts);
	/* Without the flag the kinds decide. */
	expect_requests(zipkin, "[" COMPUTE "," SERVER(SERVICE("back")) "," CLIENT "]", parts);
	/* A server without its client is a root. */
	expect_requests(zipkin, "[" SERVER(",\"shared\":true") "]",
	                "10000+80000: handle@0+80000\n");
}

static void incomplete_spans_are_left_out_and_counted(void **state)
{
	(void)state;
	expect_requests_warned(zipkin, "[" ROOT ",{\"traceId\":\"1\",\"id\":\"7\",\"duration\":1}]",
	                       "0+100000: request@0+100000\n", WEIR_WARN_NO_TIME, 1);
	expect_requests_warned(zipkin,
	                       "[[" ROOT "],[{\"traceId\":\"1\",\"id\":\"7\",\"timestamp\":1}]]",
	                       "0+100000: request@0+100000\n", WEIR_WARN_UNFINISHED, 1);
	reading_refuses(zipkin, "[]", WEIR_E_EMPTY, "expected Zipkin");
	reading_refuses(zipkin, "[[],[]]", WEIR_E_EMPTY, "expected Zipkin");
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_cuts_survived(zipkin, "[" ROOT "," QUEUE "]");
	expect_cuts_survived(zipkin, "[[" ROOT "," QUEUE "],[" INFER "]]");
}

static void only_its_own_documents_are_claimed(void **state)
{
	static const char *const others[] = {
		"{\"traceId\":\"1\",\"id\":\"2\"}",
		"[{\"traceID\":\"1\",\"spanID\":\"2\"}]",
		"[{\"id\":1,\"model_name\":\"resnet\"}]",
		"[[1,2,3,4]]",
		"[",
		"[[",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(weir_sniff_reader(zipkin, others[i], strlen(others[i])), 0);
}

/* A reporter that logs its spans writes them one by one. */
static void spans_line_by_line_are_read(void **state)
{
	static const char text[] = COMPUTE "\n" SERVER(SERVICE("back")) "\n";
	static const char other[] = QUEUE "\n"; /* names no endpoint: it may be of any program */

	(void)state;
	assert_true(weir_sniff_reader(zipkin, text, sizeof text - 1) > 0);
	assert_int_equal(weir_sniff_reader(zipkin, other, sizeof other - 1), 0);
	expect_requests(zipkin, text,
	                "10000+80000: handle@0+10000 handle@70000+10000 compute@10000+60000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_spans_and_of_traces_are_read),
		cmocka_unit_test(tags_and_names_are_taken),
		cmocka_unit_test(a_span_with_an_error_is_a_failed_request),
		cmocka_unit_test(a_shared_span_is_its_clients_child),
		cmocka_unit_test(incomplete_spans_are_left_out_and_counted),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
		cmocka_unit_test(only_its_own_documents_are_claimed),
		cmocka_unit_test(spans_line_by_line_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
