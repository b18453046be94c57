/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/pack.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/request_lines.h"
#include "tests/unit/span_lines.h"

#define TRACE "\"traceId\":\"5b8efff798038103d269b633813fc60c\","
/* Ids have two hexadecimal digits; times are nine digits after those of 1700000000 s. */
#define SPAN(id, parent, name, start, end, more) SPAN_OF(TRACE, id, parent, name, start, end, more)
#define SPAN_OF(trace, id, parent, name, start, end, more)                                         \
	"{" trace "\"spanId\":\"eee19b7ec3c1b1" id "\",\"parentSpanId\":\"" parent                 \
	"\",\"name\":\"" name "\",\"startTimeUnixNano\":\"1700000000" start                        \
	"\",\"endTimeUnixNano\":\"1700000000" end "\"" more "}"
#define ROOT        SPAN("01", "", "request", "000000000", "000000100", "")
#define BELOW       "eee19b7ec3c1b101"
#define QUEUE       SPAN("02", BELOW, "queue", "000000000", "000000020", "")
#define INFER       SPAN("03", BELOW, "infer", "000000020", "000000100", "")
#define TREE        ROOT "," QUEUE "," INFER
#define SCOPE(list) "{\"scope\":{\"name\":\"eng\"},\"spans\":[" list "]}"
#define SERVICE(name)                                                                              \
	"\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"      \
	"\"" name "\"}}]}"
#define RESOURCE(list) "{" SERVICE("llm") ",\"scopeSpans\":[" SCOPE(list) "]}"
#define DOCUMENT(list) "{\"resourceSpans\":[" RESOURCE(list) "]}"

static const struct weir_reader *const otlp = &weir_reader_otlp;

static const char whole[] = "0+100: queue@0+20 infer@20+80\n";

static void a_tree_is_a_request_and_its_leaves_are_parts(void **state)
{
	(void)state;
	expect_requests(otlp, DOCUMENT(TREE), whole);
	expect_requests(otlp, DOCUMENT(INFER "," QUEUE "," ROOT), whole);
}

#define SECOND        "\"traceId\":\"5b8efff798038103d269b633813fc60d\","
#define ENDED(status) ROOT "," SPAN_OF(SECOND, "04", "", "other", "000000200", "000000250", status)

static void the_status_of_a_root_tells_of_failure(void **state)
{
	static const char *const failed[] = {
		DOCUMENT(ENDED(",\"status\":{\"code\":2}")),
		DOCUMENT(ENDED(
			",\"status\":{\"message\":\"no memory\",\"code\":\"STATUS_CODE_ERROR\"}")),
		DOCUMENT(ENDED(",\"attributes\":[{\"key\":\"error.type\",\"value\":{"
	                       "\"stringValue\":\"timeout\"}}],\"status\":{}")),
	};
	static const char *const answered[] = {
		DOCUMENT(ENDED(",\"status\":{}")),
		DOCUMENT(ENDED(",\"status\":{\"code\":0}")),
		DOCUMENT(ENDED(",\"status\":{\"code\":\"STATUS_CODE_OK\"}")),
		DOCUMENT(ENDED(",\"status\":{\"code\":3}")),
		DOCUMENT(ENDED(",\"status\":2")),
	};

	(void)state;
	for (size_t i = 0; i < sizeof failed / sizeof *failed; i++)
		expect_requests_warned(otlp, failed[i], "0+100: request@0+100\n",
		                       WEIR_WARN_FAILED_REQUEST, 1);
	for (size_t i = 0; i < sizeof answered / sizeof *answered; i++)
		expect_requests(otlp, answered[i], "0+100: request@0+100\n200+50: other@0+50\n");
}

static void every_nesting_of_documents_is_read(void **state)
{
	static const char *const documents[] = {
		"[" DOCUMENT(ROOT) "," DOCUMENT(QUEUE "," INFER) "]",
		"{\"result\":" DOCUMENT(TREE) "}",
		"{\"trace\":" DOCUMENT(TREE) ",\"status\":\"COMPLETE\"}",
		"{\"result\":" DOCUMENT(ROOT "," QUEUE) "}\n{\"result\":" DOCUMENT(INFER) "}\n",
		"{\"batches\":[" RESOURCE(ROOT "," QUEUE) "," RESOURCE(INFER) "]}",
		"{\"resource_spans\":[{\"scope_spans\":[" SCOPE(TREE) "]}]}",
		"{\"resourceSpans\":[{\"instrumentationLibrarySpans\":[{\"instrumentationLibrary\":"
		"{},"
		"\"spans\":[" TREE "]}]}]}",
		"{\"resourceSpans\":[{\"scopeSpans\":[" SCOPE(ROOT) "," SCOPE(
			QUEUE "," INFER) "]," SERVICE("llm") "}]}",
		"\n{ \"resourceSpans\" : [ {\n \"scopeSpans\": [ { \"spans\": [ " ROOT " ,\n" QUEUE
		"\n,\n" INFER "\n] } ] } ] }\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
		expect_requests(otlp, documents[i], whole);
}

static void fields_may_be_spelt_as_in_protobuf(void **state)
{
	(void)state;
	expect_requests(otlp,
	                "{\"resource_spans\":[{\"scope_spans\":[{\"spans\":[{\"trace_id\":\"1\","
	                "\"span_id\":\"1\",\"name\":\"request\",\"start_time_unix_nano\":"
	                "\"1700000000000000000\",\"end_time_unix_nano\":\"1700000000000000100\"},"
	                "{\"trace_id\":\"1\",\"span_id\":\"2\",\"parent_span_id\":\"1\",\"name\":"
	                "\"queue\",\"start_time_unix_nano\":1700000000000000000,"
	                "\"end_time_unix_nano\":1700000000000000100,\"events\":[{\"name\":\"x\","
	                "\"time_unix_nano\":\"5\"}]}]}]}]}",
	                "0+100: queue@0+100\n");
}

static void spans_of_a_trace_may_come_on_many_lines_children_first(void **state)
{
	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(QUEUE) "\n{\"resourceMetrics\":[{\"scopeMetrics\":[]}]}\n" DOCUMENT(
			INFER) "\n{\"resourceLogs\":[]}\n" DOCUMENT(ROOT) "\n",
		whole);
}

static void a_cut_last_line_costs_only_its_missing_part(void **state)
{
	(void)state;
	expect_requests_warned(otlp, DOCUMENT(ROOT "," QUEUE) "\n{\"resourceSpans\":[{\"scopeSp",
	                       "0+100: queue@0+20\n", WEIR_WARN_TRUNCATED, 1);
}

static void a_damaged_line_costs_no_other(void **state)
{
	(void)state;
	expect_requests_warned(
		otlp,
		DOCUMENT(ROOT) "\n{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{]"
			       "x\n" DOCUMENT(QUEUE "," INFER) "\n",
		whole, WEIR_WARN_SKIPPED_EVENT, 1);
}

static void ids_are_compared_in_any_case_and_encoding(void **state)
{
	(void)state;
	/* The trace id in upper case, the parent of a root empty and zero. */
	expect_requests(
		otlp,
		DOCUMENT("{\"traceId\":\"5B8EFFF798038103D269B633813FC60C\",\"spanId\":"
	                 "\"EEE19B7EC3C1B101\",\"parentSpanId\":\"0000000000000000\",\"name\":"
	                 "\"request\",\"startTimeUnixNano\":1700000000000000000,"
	                 "\"endTimeUnixNano\":1700000000000000100}," QUEUE "," INFER),
		whole);
	/* Tempo: base64 of the same bytes. */
	expect_requests(otlp,
	                "{\"batches\":[" RESOURCE(
				"{\"traceId\":\"W47/95gDgQPSabYzgT/GDA==\",\"spanId\":"
				"\"7uGbfsPBsQE=\",\"name\":\"request\",\"startTimeUnixNano\":"
				"\"1700000000000000000\",\"endTimeUnixNano\":"
				"\"1700000000000000100\"}," QUEUE "," INFER) "]}",
	                whole);
}

static void spans_without_usable_times_are_left_out_and_counted(void **state)
{
	(void)state;
	expect_requests_warned(
		otlp, DOCUMENT(ROOT "," SPAN("02", BELOW, "queue", "000000020", "000000000", "")),
		"0+100: request@0+100\n", WEIR_WARN_NEGATIVE_DURATION, 1);
	expect_requests_warned(
		otlp, DOCUMENT(ROOT ",{" TRACE "\"spanId\":\"05\",\"startTimeUnixNano\":\"7\"}"),
		"0+100: request@0+100\n", WEIR_WARN_UNFINISHED, 1);
	expect_requests_warned(otlp, DOCUMENT(ROOT ",{" TRACE "\"spanId\":\"05\"}"),
	                       "0+100: request@0+100\n", WEIR_WARN_NO_TIME, 1);
	expect_requests_warned(otlp, DOCUMENT(ROOT ",{\"spanId\":\"05\"}"),
	                       "0+100: request@0+100\n", WEIR_WARN_SKIPPED_EVENT, 1);
	reading_refuses(otlp, DOCUMENT("{" TRACE "\"spanId\":\"05\"}"), WEIR_E_EMPTY,
	                "of 1 found: 1 without a start");
}

static void files_without_requests_are_refused_by_content(void **state)
{
	(void)state;
	reading_refuses(otlp, "{\"resourceMetrics\":[{\"scopeMetrics\":[]}]}", WEIR_E_EMPTY,
	                "metrics");
	reading_refuses(otlp, "{\"resourceLogs\":[{\"scopeLogs\":[]}]}", WEIR_E_EMPTY, "logs");
	reading_refuses(otlp, "{\"resourceSpans\":[]}", WEIR_E_EMPTY, "expected traces");
	reading_refuses(otlp, "{\"resourceSpans\":[{\"resour", WEIR_E_EMPTY, "cut off");
	reading_refuses(otlp, "nonsense", WEIR_E_FORMAT, "expected a JSON object");
}

/* A server span shows what the server did. */
static void a_request_with_a_server_span_is_not_a_clients(void **state)
{
	struct weir_text text = {0};
	struct reading reading;

	(void)state;
	weir_text_puts(
		&text,
		DOCUMENT(SPAN("01", "", "call", "000000000", "000000100", ",\"kind\":3") "," SPAN(
			"02", BELOW, "serve", "000000010", "000000090", ",\"kind\":2")));
	reading = read_bytes(otlp, text.data, text.length);
	assert_int_equal(reading.status, WEIR_OK);
	assert_false(reading.input->requests->client);
	reading_free(&reading);
	weir_text_release(&text);
}

static void clients_are_recognised_by_their_kind(void **state)
{
	static const char *const kinds[] = {",\"kind\":3", ",\"kind\":\"SPAN_KIND_CLIENT\"",
	                                    ",\"kind\":2", ""};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct weir_text text = {0};
		struct reading reading;

		weir_text_printf(&text,
		                 "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{" TRACE
		                 "\"spanId\":\"01\",\"startTimeUnixNano\":5,"
		                 "\"endTimeUnixNano\":6%s}]}]}]}",
		                 kinds[i]);
		reading = read_bytes(otlp, text.data, text.length);
		assert_int_equal(reading.status, WEIR_OK);
		assert_int_equal(reading.input->requests->client, i < 2);
		assert_int_equal(reading.input->requests->time_base, WEIR_TIME_UNIX);
		assert_false(reading.input->requests->sampled);
		reading_free(&reading);
		weir_text_release(&text);
	}
}

static void put_record(struct weir_text *out, const char *data, size_t len)
{
	char prefix[] = {(char)(len >> 24), (char)(len >> 16), (char)(len >> 8), (char)len};

	weir_text_add(out, prefix, sizeof prefix);
	weir_text_add(out, data, len);
}

static void put_packed_record(struct weir_text *out, const char *data)
{
	struct weir_text packed = {0};

	weir_pack(data, strlen(data), &packed);
	put_record(out, packed.data, packed.length);
	weir_text_release(&packed);
}

static void expect_records(const struct weir_text *text, const char *lines)
{
	struct reading reading = read_bytes(otlp, text->data, text->length);

	assert_true(weir_sniff_reader(otlp, text->data, text->length) > 0);
	if (reading.status)
		fail_msg("%s", reading.err.message);
	assert_string_equal(reading.lines.data, lines);
	reading_free(&reading);
}

static void records_with_a_length_in_front_are_read(void **state)
{
	static const char first[] = DOCUMENT(ROOT "," QUEUE), second[] = DOCUMENT(INFER);
	struct weir_text plain = {0}, packed = {0}, decimal = {0};

	(void)state;
	put_record(&plain, first, strlen(first));
	put_record(&plain, second, strlen(second));
	expect_records(&plain, whole);
	put_packed_record(&packed, first);
	put_packed_record(&packed, second);
	expect_records(&packed, whole);
	weir_text_printf(&decimal, "%zu\n%s\n%zu\n%s\n", strlen(first), first, strlen(second),
	                 second);
	expect_records(&decimal, whole);
	weir_text_release(&plain);
	weir_text_release(&packed);
	weir_text_release(&decimal);
}

static void a_record_that_is_cut_is_warned_about(void **state)
{
	static const char first[] = DOCUMENT(TREE);
	struct weir_text text = {0};

	(void)state;
	put_record(&text, first, strlen(first));
	put_packed_record(&text, first);
	for (size_t len = strlen(first) + 5; len < text.length; len++) {
		struct reading reading = read_bytes(otlp, text.data, len);

		assert_int_equal(reading.status, WEIR_OK);
		assert_true(reading.input->warnings[WEIR_WARN_TRUNCATED].count > 0);
		assert_true(reading.input->requests->count == 1);
		reading_free(&reading);
	}
	weir_text_release(&text);
}

static void protobuf_is_refused_with_what_to_do(void **state)
{
	struct weir_text text = {0};
	struct reading reading;

	(void)state;
	put_record(&text, "\x0a\x02\x12\x00", 4);
	assert_true(weir_sniff_reader(otlp, text.data, text.length) > 0);
	reading = read_bytes(otlp, text.data, text.length);
	assert_int_equal(reading.status, WEIR_E_FORMAT);
	assert_non_null(strstr(reading.err.message, "format: json"));
	reading_free(&reading);
	weir_text_release(&text);
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	struct weir_text text = spans_as_otlp("1 0 a 0 9 batch.size=4 X@3\n2 1 b 0 9\n");

	(void)state;
	expect_cuts_survived(otlp, text.data);
	expect_cuts_survived(otlp, "[" DOCUMENT(ROOT) "," DOCUMENT(QUEUE) "]\n" DOCUMENT(INFER));
	weir_text_release(&text);
}

static void only_documents_with_spans_are_claimed(void **state)
{
	static const struct {
		const char *head;
		bool claimed;
	} heads[] = {
		{DOCUMENT(ROOT), true},
		{"[" DOCUMENT(ROOT) "]", true},
		{"{\"resource_spans\":[]}", true},
		{"{\"batches\":[{\"scopeSpans\":[", true},
		{"{\"batches\":[{\"size\":3}]}", false},
		{"{\"result\":{\"resourceSpans\":[", true},
		{"{\"result\":{\"rows\":[", false},
		{"{\"trace\":{\"resourceSpans\":[", true},
		{"{\"trace\":{\"spans\":[", false},
		{"{\"resourceMetrics\":[]}", false},
		{"{\"resourceMetrics\":[]}\n{\"resourceSpans\":[]}", true},
		{"{\"traceEvents\":[]}", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if ((weir_sniff_reader(otlp, heads[i].head, strlen(heads[i].head)) > 0) !=
		    heads[i].claimed)
			fail_msg("claimed: %d, for %s", !heads[i].claimed, heads[i].head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_is_a_request_and_its_leaves_are_parts),
		cmocka_unit_test(the_status_of_a_root_tells_of_failure),
		cmocka_unit_test(every_nesting_of_documents_is_read),
		cmocka_unit_test(fields_may_be_spelt_as_in_protobuf),
		cmocka_unit_test(spans_of_a_trace_may_come_on_many_lines_children_first),
		cmocka_unit_test(a_cut_last_line_costs_only_its_missing_part),
		cmocka_unit_test(a_damaged_line_costs_no_other),
		cmocka_unit_test(ids_are_compared_in_any_case_and_encoding),
		cmocka_unit_test(spans_without_usable_times_are_left_out_and_counted),
		cmocka_unit_test(files_without_requests_are_refused_by_content),
		cmocka_unit_test(clients_are_recognised_by_their_kind),
		cmocka_unit_test(a_request_with_a_server_span_is_not_a_clients),
		cmocka_unit_test(records_with_a_length_in_front_are_read),
		cmocka_unit_test(a_record_that_is_cut_is_warned_about),
		cmocka_unit_test(protobuf_is_refused_with_what_to_do),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
		cmocka_unit_test(only_documents_with_spans_are_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
