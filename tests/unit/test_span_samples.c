/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads spans of real programs on the shelf. Records and spans of one server's requests must agree
 * to the nanosecond. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "tests/unit/request_lines.h"
#include "tests/unit/shelf.h"

#define SAMPLES  "samples/"
#define REQUESTS 1500 /* of each run that have spans */

static const struct weir_reader *reader_of(const char *name)
{
	const struct weir_reader *reader = NULL;

	assert_int_equal(weir_reader_find(name, &reader, NULL), WEIR_OK);
	return reader;
}

static int64_t number_of(struct weir_jsoncursor *cursor)
{
	struct weir_slice text = weir_jsoncursor_scalar(cursor);
	int64_t number = 0;

	assert_true(weir_parse_i64(text.data, text.length, &number));
	return number;
}

/* Writes a record as a line of struct reading; its parts lie end to end. */
static void put_record(struct weir_text *out, struct weir_slice record)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(record);
	struct weir_slice key, stage;
	int64_t figures[5] = {0}, at = 0, length;
	static const char *const names[] = {"start_ns", "end_ns", "batch_size", "tokens",
	                                    "padded_tokens"};
	struct weir_text parts = {0};

	weir_jsoncursor_enter(&cursor, '{');
	while (weir_jsoncursor_key(&cursor, &key)) {
		size_t i = 0;

		while (i < 5 && !weir_slice_equals(key, names[i]))
			i++;
		if (i < 5) {
			figures[i] = number_of(&cursor);
		} else if (weir_slice_equals(key, "stages_us")) {
			weir_jsoncursor_enter(&cursor, '{');
			while (weir_jsoncursor_key(&cursor, &stage)) {
				struct weir_slice us = weir_jsoncursor_scalar(&cursor);

				assert_true(weir_parse_us_as_ns(us.data, us.length, &length));
				weir_text_printf(&parts, " %.*s@%" PRId64 "+%" PRId64,
				                 (int)stage.length, stage.data, at, length);
				at += length;
			}
		} else {
			weir_jsoncursor_take(&cursor);
		}
	}
	assert_false(cursor.bad);
	weir_text_printf(out,
	                 "%" PRId64 "+%" PRId64 " batch=%" PRId64 " tokens=%" PRId64
	                 " padded=%" PRId64 ":%s\n",
	                 figures[0] - LINES_BASE, figures[1] - figures[0], figures[2], figures[3],
	                 figures[4], parts.data);
	weir_text_release(&parts);
}

static size_t put_records(struct weir_text *out, const char *path)
{
	static const struct weir_jsonscan_options options = {.lines = true};
	struct weir_jsonscan_item item;
	struct weir_source *source;
	struct weir_jsonscan *scan;
	size_t count = 0;

	assert_int_equal(weir_source_open(path, &source, NULL), WEIR_OK);
	scan = weir_jsonscan_new(source, &options);
	while (count < REQUESTS && !weir_jsonscan_next(scan, &item, NULL) &&
	       item.kind == WEIR_JSONSCAN_ELEMENT) {
		put_record(out, item.text);
		count++;
	}
	weir_jsonscan_free(scan);
	weir_source_free(source);
	return count;
}

/* Compares line by line, so that a failure shows one request. Both sides are sorted by start. */
static void compare_lines(const char *got, const char *expected)
{
	while (*got || *expected) {
		size_t left = strcspn(got, "\n"), right = strcspn(expected, "\n");

		if (left != right || memcmp(got, expected, left) != 0)
			fail_msg("%.*s\n is not\n%.*s", (int)left, got, (int)right, expected);
		got += left + (got[left] == '\n');
		expected += right + (expected[right] == '\n');
	}
}

static void expect_same_requests(const char *spans, const char *records)
{
	struct reading reading = read_file(reader_of("otlp"), spans);
	struct weir_text expected = {0};
	size_t count;

	if (reading.status)
		fail_msg("%s: %s", spans, reading.err.message);
	weir_text_puts(&expected, "");
	count = put_records(&expected, records);
	assert_int_equal(reading.input->requests->count, count);
	compare_lines(reading.lines.data, expected.data);
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(reading.input->warnings[code].count, 0);
	reading_free(&reading);
	weir_text_release(&expected);
}

static void spans_and_records_of_a_server_agree(void **state)
{
	(void)state;
	expect_same_requests("tests/data/spans/slow_tokenizer.otlp.json.gz",
	                     "tests/data/requests/slow_tokenizer.jsonl");
	expect_same_requests("tests/data/captures/long_prefill.otlp.json.gz",
	                     "tests/data/captures/long_prefill.requests.jsonl.gz");
}

static void spans_and_records_of_each_run_agree(void **state)
{
	static const char *const runs[] = {"long_prefill", "long_window", "padding_waste",
	                                   "saturated", "slow_tokenizer"};

	(void)state;
	shelf_need("profiles/serving_otlp");
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct weir_text spans = {0}, records = {0};

		weir_text_printf(&spans, "profiles/serving_otlp/%s.otlp.json.gz", runs[i]);
		weir_text_printf(&records, "profiles/serving/%s/requests.jsonl.gz", runs[i]);
		expect_same_requests(shelf_need(spans.data), shelf_need(records.data));
		weir_text_release(&spans);
		weir_text_release(&records);
	}
}

static const struct {
	const char *file, *reader;
	size_t requests;     /* failed ones included; 0: refused */
	const char *message; /* of a refusal */
} samples[] = {
	{"otlp/jaeger_apiv3_GetTrace.json", "otlp", 0, "without a start"},
	{"otlp/jaeger_fixture_example_trace.json", "otlp", 1, NULL},
	{"otlp/jaegerui_otlp2jaeger-in-error.json", "otlp", 1, NULL},
	{"otlp/jaegerui_otlp2jaeger-in.json", "otlp", 1, NULL},
	{"otlp/jaegerui_otlp2jaeger-multi-in-combined.json", "otlp", 1, NULL},
	{"otlp/jaegerui_otlp2jaeger-multi-in.jsonl", "otlp", 1, NULL},
	{"otlp/proto_examples_events.json", NULL, 0, "OpenTelemetry logs"},
	{"otlp/proto_examples_logs.json", NULL, 0, "OpenTelemetry logs"},
	{"otlp/proto_examples_metrics.json", NULL, 0, "OpenTelemetry metrics"},
	{"otlp/proto_examples_trace.json", "otlp", 1, NULL},
	{"jaeger/anonymizer_trace_empty.json", NULL, 0, "empty"},
	{"jaeger/anonymizer_trace_invalid_json.json", "jaeger", 0, "without a start"},
	{"jaeger/anonymizer_trace_scan_error.json", "jaeger", 0, "without a start"},
	{"jaeger/anonymizer_trace_success.json", "jaeger", 1, NULL},
	{"jaeger/anonymizer_trace_wrong_format.json", "jaeger", 0, "without a start"},
	{"jaeger/es_01.json", "jaeger", 1, NULL},
	{"jaeger/ui_01.json", "jaeger", 1, NULL},
	{"jaeger/ui_genaiTestTrace.json", "jaeger", 1, NULL},
	{"jaeger/ui_otlp2jaeger-multi-out.json", "jaeger", 1, NULL},
	{"jaeger/ui_traceWithOverlappingChildren.json", "jaeger", 1, NULL},
	{"jaeger/ui_traceWithOverlappingChildrenLongerThanParent.json", "jaeger", 1, NULL},
	{"jaeger/ui_traceWithSingleChildLongerThanParentAndStartsAfterParent.json", "jaeger", 1,
         NULL},
	{"jaeger/ui_traceWithThreeShortOverlappingChildren.json", "jaeger", 1, NULL},
	{"jaeger/ui_traceWithTwoNonOverlappingChildren.json", "jaeger", 1, NULL},
};

/* The samples with one request whose root failed. */
static const char *const with_failure[] = {
	"jaeger/es_01.json",
	"jaeger/ui_01.json",
};

static void expect_counts(const struct weir_requests *requests, size_t sample)
{
	size_t failed = requests->all_failed ? requests->count : requests->failed;
	size_t all = requests->count + requests->failed, expected = 0;

	for (size_t i = 0; i < sizeof with_failure / sizeof *with_failure; i++)
		expected += strcmp(samples[sample].file, with_failure[i]) == 0;
	if (all != samples[sample].requests || failed != expected)
		fail_msg("%s: %zu of %zu requests failed, expected %zu of %zu",
		         samples[sample].file, failed, all, expected, samples[sample].requests);
}

static void every_sample_reads_or_is_refused_with_the_reason(void **state)
{
	(void)state;
	shelf_need(SAMPLES "otlp");
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text path = {0};
		struct weir_error err = {0};
		enum weir_status status;

		weir_text_printf(&path, SAMPLES "%s", samples[i].file);
		status = weir_read_path(profile, shelf_need(path.data), NULL, &err);
		if (!status != !samples[i].message)
			fail_msg("%s", status ? err.message : path.data);
		else if (samples[i].message && !strstr(err.message, samples[i].message))
			fail_msg("\"%s\" is not in: %s", samples[i].message, err.message);
		if (!status) {
			assert_string_equal(profile->inputs[0].format, samples[i].reader);
			expect_counts(profile->inputs[0].requests, i);
		}
		weir_text_release(&path);
		weir_profile_free(profile);
	}
}

/* Agents call models: tokens come from the first call, and parts lie within their request. */
static void genai_client_spans_are_requests(void **state)
{
	const char *path = shelf_need(SAMPLES "jaeger/ui_genaiTestTrace.json");
	struct reading reading;
	const struct weir_requests *requests;

	(void)state;
	reading = read_file(reader_of("jaeger"), path);
	assert_int_equal(reading.status, WEIR_OK);
	requests = reading.input->requests;
	assert_int_equal(requests->count, 1);
	assert_int_equal(requests->end_ns[0] - requests->start_ns[0], INT64_C(44000000000));
	assert_int_equal(requests->tokens[0], 1840);
	assert_int_equal(requests->output_tokens[0], 260);
	assert_true(requests->part_count[0] > 50);
	for (size_t i = 0; i < requests->part_count[0]; i++) {
		assert_true(requests->part_offset_ns[i] >= 0);
		assert_true(requests->part_offset_ns[i] + requests->part_ns[i] <=
		            requests->end_ns[0] - requests->start_ns[0]);
	}
	reading_free(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_and_records_of_a_server_agree),
		cmocka_unit_test(spans_and_records_of_each_run_agree),
		cmocka_unit_test(every_sample_reads_or_is_refused_with_the_reason),
		cmocka_unit_test(genai_client_spans_are_requests),
	};

	return shelf_run_group_tests(tests);
}
