/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/pack.h"
#include "engine/readers/readers.h"
#include "tests/unit/request_lines.h"

#define TRACE "\"traceId\":\"5b8efff798038103d269b633813fc60c\","
/* Ids of two hexadecimal digits, times of nine digits behind 1700000000 s. */
#define SPAN(id, parent, name, start, end, more)                                                   \
	"{" TRACE "\"spanId\":\"eee19b7ec3c1b1" id "\",\"parentSpanId\":\"" parent                 \
	"\",\"name\":\"" name "\",\"startTimeUnixNano\":\"1700000000" start                        \
	"\",\"endTimeUnixNano\":\"1700000000" end "\"" more "}"
#define ROOT(more)  SPAN("01", "", "request", "000000000", "000000100", more)
#define BELOW       "eee19b7ec3c1b101"
#define QUEUE       SPAN("02", BELOW, "queue", "000000000", "000000020", "")
#define INFER       SPAN("03", BELOW, "infer", "000000020", "000000100", "")
#define SCOPE(list) "{\"scope\":{\"name\":\"eng\"},\"spans\":[" list "]}"
#define SERVICE(name)                                                                              \
	"\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"      \
	"\"" name "\"}}]}"
#define RESOURCE(list)      "{" SERVICE("llm") ",\"scopeSpans\":[" SCOPE(list) "]}"
#define DOCUMENT(list)      "{\"resourceSpans\":[" RESOURCE(list) "]}"
#define ATTRIBUTES(list)    ",\"attributes\":[" list "]"
#define TEXT(key, value)    "{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" value "\"}}"
#define INTEGER(key, value) "{\"key\":\"" key "\",\"value\":{\"intValue\":\"" value "\"}}"
#define DOUBLE(key, value)  "{\"key\":\"" key "\",\"value\":{\"doubleValue\":" value "}}"

static const struct weir_reader *const otlp = &weir_reader_otlp;

static const char whole[] = "0+100: queue@0+20 infer@20+80\n";

static void a_tree_is_a_request_and_its_leaves_are_parts(void **state)
{
	(void)state;
	expect_requests(otlp, DOCUMENT(ROOT("") "," QUEUE "," INFER), whole);
	expect_requests(otlp, DOCUMENT(INFER "," QUEUE "," ROOT("")), whole);
}

static void every_nesting_of_documents_is_read(void **state)
{
	static const char *const documents[] = {
		"[" DOCUMENT(ROOT("")) "," DOCUMENT(QUEUE "," INFER) "]",
		"{\"result\":" DOCUMENT(ROOT("") "," QUEUE "," INFER) "}",
		"{\"result\":" DOCUMENT(ROOT("") "," QUEUE) "}\n{\"result\":" DOCUMENT(INFER) "}\n",
		"{\"batches\":[" RESOURCE(ROOT("") "," QUEUE) "," RESOURCE(INFER) "]}",
		"{\"resource_spans\":[{\"scope_spans\":[" SCOPE(ROOT("") "," QUEUE
	                                                                 "," INFER) "]}]}",
		"{\"resourceSpans\":[{\"instrumentationLibrarySpans\":[{\"instrumentationLibrary\":"
		"{},"
		"\"spans\":[" ROOT("") "," QUEUE "," INFER "]}]}]}",
		"{\"resourceSpans\":[{\"scopeSpans\":[" SCOPE(ROOT("")) "," SCOPE(
			QUEUE "," INFER) "]," SERVICE("llm") "}]}",
		"\n{ \"resourceSpans\" : [ {\n \"scopeSpans\": [ { \"spans\": [ " ROOT(
			"") " ,\n" QUEUE "\n,\n" INFER "\n] } ] } ] }\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
		expect_requests(otlp, documents[i], whole);
}

static void spans_of_a_trace_may_come_on_many_lines_children_first(void **state)
{
	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(QUEUE) "\n{\"resourceMetrics\":[{\"scopeMetrics\":[]}]}\n" DOCUMENT(
			INFER) "\n{\"resourceLogs\":[]}\n" DOCUMENT(ROOT("")) "\n",
		whole);
}

static void a_last_line_that_is_cut_costs_what_is_missing(void **state)
{
	(void)state;
	expect_warned(otlp, DOCUMENT(ROOT("") "," QUEUE) "\n{\"resourceSpans\":[{\"scopeSp",
	              "0+100: queue@0+20\n", WEIR_WARN_TRUNCATED, 1);
}

static void a_damaged_line_costs_no_other(void **state)
{
	(void)state;
	expect_warned(otlp,
	              DOCUMENT(ROOT("")) "\n{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{]"
	                                 "x\n" DOCUMENT(QUEUE "," INFER) "\n",
	              whole, WEIR_WARN_SKIPPED_EVENT, 1);
}

static void ids_are_compared_whatever_their_case_and_encoding(void **state)
{
	(void)state;
	/* The trace id in upper case, the ids of a root as nothing and as zeros. */
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

static void old_and_new_names_of_figures_are_known(void **state)
{
	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(ROOT(ATTRIBUTES(
			TEXT("request.id", "r0") "," INTEGER("batch.size", "4") "," INTEGER(
				"tokens.effective", "98") "," INTEGER("tokens.padded", "256")))),
		"0+100 batch=4 tokens=98 padded=256: request@0+100\n");
	expect_requests(otlp,
	                DOCUMENT(ROOT("") "," SPAN(
				"02", BELOW, "chat m", "000000010", "000000100",
				ATTRIBUTES(DOUBLE("batch_size", "8.0") "," INTEGER(
					"gen_ai.usage.prompt_tokens",
					"5") "," INTEGER("gen_ai.usage.completion_tokens",
	                                                 "7") "," DOUBLE("gen_ai.response.time_to_"
	                                                                 "first_chunk",
	                                                                 "3e-08")))),
	                "0+100 batch=8 tokens=5 out=7 first=40: chat m@10+90\n");
	expect_requests(
		otlp,
		DOCUMENT(ROOT(ATTRIBUTES(INTEGER("gen_ai.usage.input_tokens", "5") "," INTEGER(
			"gen_ai.usage.output_tokens", "7") "," INTEGER("batch.size", "-3")))),
		"0+100 tokens=5 out=7: request@0+100\n");
}

static void a_stage_attribute_names_the_part(void **state)
{
	(void)state;
	expect_requests(otlp,
	                DOCUMENT(ROOT("") "," SPAN("02", BELOW, "Step #1", "000000000", "000000100",
	                                           ATTRIBUTES(TEXT("stage", "tok\\u0065nize")))),
	                "0+100: tokenize@0+100\n");
}

#define LATENCY(name, seconds) DOUBLE("gen_ai.latency." name, seconds)

static void phases_of_vllm_become_parts(void **state)
{
	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(ROOT(ATTRIBUTES(LATENCY("time_in_queue", "2e-08") "," LATENCY(
			"time_in_model_prefill",
			"3e-08") "," LATENCY("time_in_model_decode",
	                                     "4e-08") "," LATENCY("e2e",
	                                                          "1e-07") "," LATENCY("time_to_"
	                                                                               "first_"
	                                                                               "token",
	                                                                               "5.5e-"
	                                                                               "08")))),
		"0+100 first=55: queue@0+20 prefill@20+30 decode@50+40 frontend@90+10\n");
	/* The first engine told the queue and the first token. */
	expect_requests(otlp,
	                DOCUMENT(ROOT(ATTRIBUTES(LATENCY("time_in_queue", "2e-08") "," LATENCY(
				"time_to_first_token", "5e-08") "," LATENCY("e2e", "9e-08")))),
	                "0+100 first=50: queue@0+20 prefill@20+30 decode@50+40 frontend@90+10\n");
	expect_requests(otlp,
	                DOCUMENT(ROOT(ATTRIBUTES(LATENCY("time_in_queue", "2e-08") "," LATENCY(
				"time_in_model_inference", "5e-08")))),
	                "0+100: queue@0+20 inference@20+50 frontend@70+30\n");
}

static void prefill_of_sglang_holds_its_queue(void **state)
{
	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(ROOT(ATTRIBUTES(LATENCY("time_in_model_prefill", "3e-08") "," LATENCY(
			"time_in_model_decode", "6e-08")))),
		"0+100: queue+prefill@0+30 decode@30+60 frontend@90+10\n");
}

static void phases_in_milliseconds_are_recognised(void **state)
{
	(void)state;
	expect_warned(otlp,
	              DOCUMENT(ROOT(ATTRIBUTES(LATENCY("time_in_queue", "2e-05") "," LATENCY(
			      "time_in_model_prefill", "3e-05") "," LATENCY("time_in_model_decode",
	                                                                    "4e-05")))),
	              "0+100: queue@0+20 prefill@20+30 decode@50+40 frontend@90+10\n",
	              WEIR_WARN_INCONSISTENT, 1);
}

#define EVENT(name, at) "{\"name\":\"" name "\",\"timeUnixNano\":\"1700000000" at "\"}"
#define EVENTS(list)    ",\"events\":[" list "]"
#define COMPUTE_EVENTS                                                                             \
	EVENT("COMPUTE_START", "000011000")                                                        \
	"," EVENT("COMPUTE_INPUT_END", "000013000") "," EVENT(                                     \
		"COMPUTE_OUTPUT_START", "000053000") "," EVENT("COMPUTE_END", "000054000")

/* Figures of the sample in triton.md, 1.5: total 53508, queue 10000 and so on. */
static void time_stamps_of_triton_become_parts(void **state)
{
	static const char parts[] =
		"792+53508: preprocess@0+50 postprocess@53408+100 http_overhead@50+58 "
		"http_overhead@53358+50 queue@208+10000 handler_overhead@108+100 "
		"handler_overhead@53208+150 h2d@10208+2000 compute@12208+40000 d2h@52208+1000\n";

	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(SPAN(
			"01", "", "InferRequest", "000000700", "000060000",
			EVENTS(EVENT("HTTP_RECV_START", "000000792") "," EVENT(
				"HTTP_RECV_END",
				"00"
				"00"
				"00"
				"84"
				"2") "," EVENT("HTTP_SEND_START",
	                                       "000054200") "," EVENT("INFER_RESPONSE_COMPLETE",
	                                                              "000054180") "," EVENT("HTTP_"
	                                                                                     "SEND_"
	                                                                                     "END",
	                                                                                     "00005"
	                                                                                     "430"
	                                                                                     "0"))) "," SPAN("02",
	                                                                                                     BELOW,
	                                                                                                     "resnet",
	                                                                                                     "000000900",
	                                                                                                     "000054150",
	                                                                                                     EVENTS(EVENT("REQUEST_START", "000000900") "," EVENT("QUEUE_START", "000001000") "," EVENT(
														     "REQUEST_"
														     "END",
														     "00005415"
														     "0"))) "," SPAN("03",
	                                                                                                                             "eee19b7ec3c1b102",
	                                                                                                                             "compute",
	                                                                                                                             "000011000",
	                                                                                                                             "000054000",
	                                                                                                                             EVENTS(COMPUTE_EVENTS))),
		parts);
}

static void waiting_for_a_request_is_no_part_of_it(void **state)
{
	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(SPAN(
			"01", "", "InferRequest", "000000100", "000060000",
			EVENTS(EVENT("GRPC_WAITREAD_START", "000000100") "," EVENT(
				"GRPC_WAITREAD_END",
				"000010000") "," EVENT("REQUEST_START",
	                                               "000010100") "," EVENT("QUEUE_START",
	                                                                      "000010200") "," COMPUTE_EVENTS
	                                                                                   "," EVENT("REQUEST_END", "000055000") "," EVENT(
												   "GRPC_SEND_START",
												   "000055100") "," EVENT("GRPC_SEND_END",
	                                                                                                                  "000055300")))),
		"10000+45300: queue@200+800 h2d@1000+2000 compute@3000+40000 d2h@43000+1000 "
		"handler_overhead@100+100 handler_overhead@44000+1000 postprocess@45100+200 "
		"grpc_overhead@0+100 grpc_overhead@45000+100\n");
}

static void the_time_between_models_is_the_ensembles(void **state)
{
	(void)state;
	expect_requests(
		otlp,
		DOCUMENT(SPAN(
			"01", "", "ensemble", "000010000", "000020000",
			EVENTS(EVENT("REQUEST_START", "000010000") "," EVENT(
				"REQUEST_END",
				"000020000"))) "," SPAN("02", BELOW, "step", "000012000",
	                                                "000018000",
	                                                EVENTS(EVENT(
								"REQUEST_START",
								"000012000") "," EVENT("REQUEST_"
	                                                                               "END",
	                                                                               "00001800"
	                                                                               "0")))),
		"10000+10000: ensemble_scheduler@0+2000 ensemble_scheduler@8000+2000 "
		"handler_overhead@2000+6000\n");
}

static void spans_without_usable_times_are_left_out_and_counted(void **state)
{
	(void)state;
	expect_warned(
		otlp,
		DOCUMENT(ROOT("") "," SPAN("02", BELOW, "queue", "000000020", "000000000", "")),
		"0+100: request@0+100\n", WEIR_WARN_NEGATIVE_DURATION, 1);
	expect_warned(
		otlp,
		DOCUMENT(ROOT("") ",{" TRACE "\"spanId\":\"05\",\"startTimeUnixNano\":\"7\"}"),
		"0+100: request@0+100\n", WEIR_WARN_UNFINISHED, 1);
	expect_warned(otlp, DOCUMENT(ROOT("") ",{" TRACE "\"spanId\":\"05\"}"),
	              "0+100: request@0+100\n", WEIR_WARN_NO_TIME, 1);
	expect_warned(otlp, DOCUMENT(ROOT("") ",{\"spanId\":\"05\"}"), "0+100: request@0+100\n",
	              WEIR_WARN_SKIPPED_EVENT, 1);
	expect_refused(otlp, DOCUMENT("{" TRACE "\"spanId\":\"05\"}"), WEIR_E_EMPTY,
	               "of 1 found: 1 without a start");
}

static void what_holds_no_request_is_named(void **state)
{
	(void)state;
	expect_refused(otlp, "{\"resourceMetrics\":[{\"scopeMetrics\":[]}]}", WEIR_E_EMPTY,
	               "metrics");
	expect_refused(otlp, "{\"resourceLogs\":[{\"scopeLogs\":[]}]}", WEIR_E_EMPTY, "logs");
	expect_refused(otlp, "{\"resourceSpans\":[]}", WEIR_E_EMPTY, "expected traces");
	expect_refused(otlp, "{\"resourceSpans\":[{\"resour", WEIR_E_EMPTY, "cut off");
	expect_refused(otlp, "nonsense", WEIR_E_FORMAT, "expected a JSON object");
	expect_refused(
		otlp,
		DOCUMENT(SPAN("01", "", "Loading the model", "000000000", "000000100",
	                      ",\"kind\":1" ATTRIBUTES(TEXT("code.function", "load_model")))),
		WEIR_E_EMPTY, "start-up spans only");
}

static void a_startup_is_no_request_among_requests(void **state)
{
	(void)state;
	expect_requests(otlp,
	                DOCUMENT(SPAN("09", "", "init", "000000000", "000900000",
	                              ATTRIBUTES(TEXT("code.function",
	                                              "init"))) "," ROOT("") "," QUEUE "," INFER),
	                whole);
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

	assert_true(otlp->sniff(text->data, text->length) > 0);
	if (reading.status)
		fail_msg("%s", reading.err.message);
	assert_string_equal(reading.lines.data, lines);
	reading_free(&reading);
}

static void records_with_a_length_in_front_are_read(void **state)
{
	static const char first[] = DOCUMENT(ROOT("") "," QUEUE), second[] = DOCUMENT(INFER);
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
	static const char first[] = DOCUMENT(ROOT("") "," QUEUE "," INFER);
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
	assert_true(otlp->sniff(text.data, text.length) > 0);
	reading = read_bytes(otlp, text.data, text.length);
	assert_int_equal(reading.status, WEIR_E_FORMAT);
	assert_non_null(strstr(reading.err.message, "format: json"));
	reading_free(&reading);
	weir_text_release(&text);
}

static void a_file_cut_anywhere_reads_or_is_refused(void **state)
{
	(void)state;
	expect_cuts_survived(
		otlp, "[" DOCUMENT(ROOT(ATTRIBUTES(INTEGER("batch.size", "4")) EVENTS(
			      EVENT("x", "000000001"))) "," QUEUE) "]\n" DOCUMENT(INFER) "\n");
}

static void only_documents_with_spans_are_claimed(void **state)
{
	static const struct {
		const char *head;
		bool claimed;
	} heads[] = {
		{DOCUMENT(ROOT("")), true},
		{"[" DOCUMENT(ROOT("")) "]", true},
		{"{\"resource_spans\":[]}", true},
		{"{\"batches\":[{\"scopeSpans\":[", true},
		{"{\"batches\":[{\"size\":3}]}", false},
		{"{\"result\":{\"resourceSpans\":[", true},
		{"{\"result\":{\"rows\":[", false},
		{"{\"resourceMetrics\":[]}", false},
		{"{\"resourceMetrics\":[]}\n{\"resourceSpans\":[]}", true},
		{"{\"traceEvents\":[]}", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if ((otlp->sniff(heads[i].head, strlen(heads[i].head)) > 0) != heads[i].claimed)
			fail_msg("claimed: %d, for %s", !heads[i].claimed, heads[i].head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_is_a_request_and_its_leaves_are_parts),
		cmocka_unit_test(every_nesting_of_documents_is_read),
		cmocka_unit_test(spans_of_a_trace_may_come_on_many_lines_children_first),
		cmocka_unit_test(a_last_line_that_is_cut_costs_what_is_missing),
		cmocka_unit_test(a_damaged_line_costs_no_other),
		cmocka_unit_test(ids_are_compared_whatever_their_case_and_encoding),
		cmocka_unit_test(old_and_new_names_of_figures_are_known),
		cmocka_unit_test(a_stage_attribute_names_the_part),
		cmocka_unit_test(phases_of_vllm_become_parts),
		cmocka_unit_test(prefill_of_sglang_holds_its_queue),
		cmocka_unit_test(phases_in_milliseconds_are_recognised),
		cmocka_unit_test(time_stamps_of_triton_become_parts),
		cmocka_unit_test(waiting_for_a_request_is_no_part_of_it),
		cmocka_unit_test(the_time_between_models_is_the_ensembles),
		cmocka_unit_test(spans_without_usable_times_are_left_out_and_counted),
		cmocka_unit_test(what_holds_no_request_is_named),
		cmocka_unit_test(a_startup_is_no_request_among_requests),
		cmocka_unit_test(clients_are_recognised_by_their_kind),
		cmocka_unit_test(records_with_a_length_in_front_are_read),
		cmocka_unit_test(a_record_that_is_cut_is_warned_about),
		cmocka_unit_test(protobuf_is_refused_with_what_to_do),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_is_refused),
		cmocka_unit_test(only_documents_with_spans_are_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
