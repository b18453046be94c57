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

#define CONTEXT(id) CONTEXT_OF("5f", id)
#define CONTEXT_OF(trace, id)                                                                      \
	"\"context\": {\n\"trace_id\": \"0x5af7183fb1d4cf5f5af7183fb1d4cf" trace                   \
	"\", \"span_id\": \"" id "\", \"trace_state\": \"[]\"}"
#define TIMES(start, end)                                                                          \
	"\"start_time\": \"2023-11-14T22:13:20." start "Z\",\n\"end_time\": "                      \
	"\"2023-11-14T22:13:20." end "Z\""
#define SPAN(id, parent, name, start, end, more)                                                   \
	SPAN_OF(CONTEXT(id), parent, name, start, end, more)
#define SPAN_OF(context, parent, name, start, end, more)                                           \
	"{\n\"name\": \"" name "\", " context ", \"kind\": \"SpanKind.INTERNAL\", "                \
	"\"parent_id\": " parent ", " TIMES(start, end) more "\n}"
#define ROOT  SPAN("0x352bff9a74ca9ad1", "null", "request", "000000", "000100", "")
#define BELOW "\"0x352bff9a74ca9ad1\""
#define QUEUE SPAN("0x352bff9a74ca9ad2", BELOW, "queue", "000000", "000020", "")
#define INFER SPAN("0x352bff9a74ca9ad3", BELOW, "infer", "000020", "000100", "")
#define OTHER(more)                                                                                \
	SPAN_OF(CONTEXT_OF("60", "0x352bff9a74ca9ad4"), "null", "other", "000200", "000250", more)

#define FLAT                                                                                       \
	("[{\"name\": \"a\", \"trace_id\": \"1\", \"span_id\": \"2\", \"parent_id\": null, "       \
	 "\"start_time\": 1, \"end_time\": 2}]")

static const struct weir_reader *const reader = &weir_reader_otel_sdk;

static const char whole[] = "0+100000: queue@0+20000 infer@20000+80000\n";
static const char root[] = "0+100000: request@0+100000\n";
static const char both[] = "0+100000: request@0+100000\n200000+50000: other@0+50000\n";

static void one_object_a_list_and_objects_after_each_other_are_read(void **state)
{
	static const char *const documents[] = {
		QUEUE "\n" INFER "\n" ROOT "\n",
		"[" ROOT "," QUEUE "," INFER "]",
		"[" ROOT "]\n[" QUEUE "," INFER "]\n",
		" " QUEUE INFER ROOT,
	};

	(void)state;
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		assert_true(weir_sniff_reader(reader, documents[i], strlen(documents[i])) > 0);
		expect_requests(reader, documents[i], whole);
	}
	expect_requests(reader, ROOT, root);
}

static void objects_between_the_lines_of_a_log_are_read(void **state)
{
	static const char log[] = "INFO:     Application startup complete.\n" QUEUE
				  "\nINFO: 127.0.0.1 {GET}\n" INFER "\n" ROOT "\ndone\n";

	(void)state;
	assert_true(weir_sniff_reader(reader, log, sizeof log - 1) > 0);
	expect_requests(reader, log, whole);
	expect_requests(reader, QUEUE "\r\nlog\r\n" INFER "\r\n" ROOT, whole);
	/* a line inside an object breaks that object alone */
	expect_requests_warned(reader, "{\n\"name\": \"a\",\nlog\n}\n" ROOT, root,
	                       WEIR_WARN_SKIPPED_EVENT, 1);
	expect_requests_warned(reader, ROOT "\n{\n\"name\": \"a\",\n", root, WEIR_WARN_TRUNCATED,
	                       1);
	expect_cuts_survived(reader, log);
}

/* Exporters that are built on the SDK format the ids themselves. */
static void ids_without_a_prefix_are_read(void **state)
{
	(void)state;
	expect_requests(reader,
	                "[" SPAN("352bff9a74ca9ad1", "\"None\"", "request", "000000", "000100",
	                         "") "," SPAN("352bff9a74ca9ad2", "\"352bff9a74ca9ad1\"", "queue",
	                                      "000000", "000100", "") "]",
	                "0+100000: queue@0+100000\n");
}

static void attributes_are_those_of_otlp(void **state)
{
	(void)state;
	expect_requests(reader,
	                SPAN("0x01", "null", "chat", "000000", "000100",
	                     ", \"attributes\": {\"batch.size\": 4, "
	                     "\"gen_ai.usage.output_tokens\": 7, \"tags\": [\"a\"]}, "
	                     "\"links\": [{\"context\": {\"span_id\": \"0x02\"}}]"),
	                "0+100000 batch=4 out=7: chat@0+100000\n");
}

static void an_event_of_triton_is_a_time_stamp(void **state)
{
	(void)state;
	expect_requests(reader,
	                SPAN("0x01", "null", "request", "000000", "000100",
	                     ", \"events\": [{\"name\": \"REQUEST_START\", \"timestamp\": "
	                     "\"2023-11-14T22:13:20.000010Z\", \"attributes\": {}}, {\"name\": "
	                     "\"REQUEST_END\", \"timestamp\": \"2023-11-14T22:13:20.000090Z\"}]"),
	                "10000+80000: handler_overhead@0+80000\n");
}

static void a_status_of_an_error_is_a_failed_request(void **state)
{
	static const char *const failed[] = {
		ROOT OTHER(", \"status\": {\"status_code\": \"ERROR\", \"description\": \"no\"}"),
		ROOT OTHER(", \"status\": {\"canonical_code\": \"UNKNOWN\"}"),
		ROOT OTHER(", \"attributes\": {\"error.type\": \"timeout\"}"),
	};
	static const char *const passed[] = {
		ROOT OTHER(", \"status\": {\"status_code\": \"UNSET\"}"),
		ROOT OTHER(", \"status\": {\"status_code\": \"OK\"}"),
		ROOT OTHER(", \"status\": {\"canonical_code\": \"OK\"}"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof failed / sizeof *failed; i++)
		expect_requests_warned(reader, failed[i], root, WEIR_WARN_FAILED_REQUEST, 1);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		expect_requests(reader, passed[i], both);
}

static void a_service_is_found_in_new_and_old_resources(void **state)
{
	static const char *const documents[] = {
		ROOT OTHER(", \"resource\": {\"attributes\": {\"service.name\": \"a\"}, "
	                   "\"schema_url\": \"\"}"),
		ROOT OTHER(", \"resource\": {\"service.name\": \"a\"}"),
		ROOT OTHER(", \"resource\": \"<Resource object at 0x7f>\""),
	};

	(void)state;
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
		expect_requests(reader, documents[i], both);
}

static void incomplete_spans_are_left_out_and_counted(void **state)
{
	(void)state;
	expect_requests_warned(
		reader, ROOT "{\"name\": \"a\", " CONTEXT("0x01") ", \"start_time\": null\n}", root,
		WEIR_WARN_NO_TIME, 1);
	expect_requests_warned(
		reader,
		ROOT "{\"name\": \"a\", " CONTEXT(
			"0x01") ", \"start_time\": \"2023-11-14T22:13:20Z\", \"end_time\": null\n}",
		root, WEIR_WARN_UNFINISHED, 1);
	expect_requests_warned(
		reader, ROOT "{\"name\": \"a\", \"context\": {}, " TIMES("000000", "000100") "\n}",
		root, WEIR_WARN_SKIPPED_EVENT, 1);
	reading_refuses(reader, "[]", WEIR_E_EMPTY, "parent_id, start_time");
}

static void only_its_own_documents_are_claimed(void **state)
{
	static const char *const others[] = {
		"{\"name\": \"a\", \"context\": {}, \"start_time\": 1}", FLAT, "[1]", "{", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(weir_sniff_reader(reader, others[i], strlen(others[i])), 0);
}

static void damage_is_survived(void **state)
{
	(void)state;
	expect_cuts_survived(reader, QUEUE "\n" ROOT "\n");
	expect_cuts_survived(reader, "[" ROOT "," QUEUE "]");
	reading_survives_damage(reader, "[" QUEUE "," ROOT "]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_object_a_list_and_objects_after_each_other_are_read),
		cmocka_unit_test(objects_between_the_lines_of_a_log_are_read),
		cmocka_unit_test(ids_without_a_prefix_are_read),
		cmocka_unit_test(attributes_are_those_of_otlp),
		cmocka_unit_test(an_event_of_triton_is_a_time_stamp),
		cmocka_unit_test(a_status_of_an_error_is_a_failed_request),
		cmocka_unit_test(a_service_is_found_in_new_and_old_resources),
		cmocka_unit_test(incomplete_spans_are_left_out_and_counted),
		cmocka_unit_test(only_its_own_documents_are_claimed),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
