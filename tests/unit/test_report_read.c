/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/report/json/document.h"
#include "engine/report/json/stored.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"

static struct weir_report *typical_without_window(void)
{
	struct weir_report *report = fixture_report_typical();

	report->steady = false;
	report->verdict.headline = NULL;
	report->verdict.has_runner_up = false;
	report->has_memory = false;
	return report;
}

static struct weir_report *typical_with_doubt(void)
{
	struct weir_report *report = fixture_report_typical();

	report->verdict.rule = NULL;
	report->verdict.share = NAN;
	report->verdict.confidence = WEIR_CONFIDENCE_LOW;
	report->verdict.evidence_count = 1;
	report->verdict.evidence[0].readings[0].value = NAN;
	report->has_gpu = false;
	report->devices[0].name = NULL;
	report->attribution.ns[WEIR_BOUND_BATCHING] = 1000000;
	report->attribution.ns[WEIR_BOUND_HARDWARE] = 2000000;
	report->attribution.total_ns += 3000000;
	return report;
}

/* Names in a rule's texts that would command a runner or turn the direction of a line. */
static struct weir_report *typical_with_commands(void)
{
	struct weir_report *report = fixture_report_typical();

	report->verdict.headline = "66 % is ##vso[task] ::error::x \xE2\x80\xAE or\tmore";
	report->verdict.next = "::warning::look at ##[command]";
	return report;
}

static struct weir_report *(*const makers[])(void) = {
	fixture_report_typical,
	fixture_report_minimal,
	fixture_report_hostile,
	typical_without_window,
	typical_with_doubt,
	typical_with_commands,
	NULL,
};

static struct weir_text write_json(const struct weir_report *report)
{
	return fixture_write("json", report, 80, 0);
}

static struct weir_text typical_json(void)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_text text = write_json(report);

	fixture_report_free(report);
	return text;
}

static struct weir_stored_report *read_back(const struct weir_text *text,
                                            const struct weir_feature_table *features)
{
	struct weir_stored_report *stored = NULL;
	struct weir_error err = {0};

	if (weir_stored_report_parse(text->data, text->length, features, &stored, &err)) {
		print_error("%s\n", err.message);
		fail();
	}
	return stored;
}

static void what_is_read_back_is_written_byte_for_byte(void **state)
{
	(void)state;
	for (size_t i = 0; makers[i]; i++) {
		struct weir_report *report = makers[i]();
		struct weir_text first = write_json(report), second;
		struct weir_stored_report *stored = read_back(&first, report->feature_table);

		second = write_json(stored->report);
		assert_string_equal(first.data, second.data);
		weir_stored_report_free(stored);
		weir_text_release(&first);
		weir_text_release(&second);
		fixture_report_free(report);
	}
}

/* Everything above the tables: verdict, context, evidence, what to do next, where the time goes. */
static size_t length_above_the_tables(const struct weir_text *text)
{
	const char *end = strstr(text->data, "\nstages ");

	return end ? (size_t)(end - text->data) : strcspn(text->data, "\n");
}

static void the_first_screen_of_its_text_is_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; makers[i]; i++) {
		struct weir_report *report = makers[i]();
		struct weir_text json = write_json(report), direct, again;
		struct weir_stored_report *stored = read_back(&json, report->feature_table);
		size_t length;

		direct = fixture_write("text", report, 80, 0);
		again = fixture_write("text", stored->report, 80, 0);
		length = makers[i] == fixture_report_hostile ? strcspn(direct.data, "\n")
		                                             : length_above_the_tables(&direct);
		assert_true(length > 0 && length <= again.length);
		assert_memory_equal(direct.data, again.data, length);
		weir_stored_report_free(stored);
		weir_text_release(&json);
		weir_text_release(&direct);
		weir_text_release(&again);
		fixture_report_free(report);
	}
}

static void what_is_not_stored_is_left_out_of_a_page(void **state)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_text json = write_json(report), direct, again;
	struct weir_stored_report *stored = read_back(&json, report->feature_table);

	(void)state;
	direct = fixture_write("html", report, 0, 0);
	again = fixture_write("html", stored->report, 0, 0);
	assert_non_null(strstr(direct.data, "cell-sketch"));
	assert_null(strstr(again.data, "\"cell-sketch"));
	assert_non_null(strstr(direct.data, "class=\"below\""));
	assert_non_null(strstr(again.data, "class=\"below\""));
	weir_stored_report_free(stored);
	weir_text_release(&json);
	weir_text_release(&direct);
	weir_text_release(&again);
	fixture_report_free(report);
}

static void unknown_stays_unknown(void **state)
{
	struct weir_text text = {0};
	struct weir_stored_report *stored;

	(void)state;
	weir_text_puts(&text, "{\"schema\": \"weir.report/1\", \"verdict\": {\"bound\": "
	                      "\"runtime\"}, \"stages\": [{}], \"operators\": [{}], "
	                      "\"recommendations\": [{}], \"ranks\": [{}], \"gpu\": {}, "
	                      "\"run\": {\"inputs\": [{}], \"devices\": [{}]}}");
	stored = read_back(&text, NULL);
	assert_true(isnan(stored->report->verdict.share));
	assert_true(isnan(stored->report->stages[0].duration.p50_ns));
	assert_true(isnan(stored->report->stages[0].verdict.share));
	assert_null(stored->report->stages[0].name);
	assert_true(isnan(stored->report->operators[0].flops));
	assert_true(isnan(stored->report->recommendations[0].limit));
	assert_true(isnan(stored->report->gpu.idle_share[0]));
	assert_int_equal(stored->report->ranks[0].rank, -1);
	assert_int_equal(stored->report->attribution.total_ns, 0);
	assert_null(stored->profile->inputs[0].path);
	for (const struct weir_writer *writer = weir_writers; writer->name; writer++) {
		struct weir_text out;

		if (!writer->report)
			continue;
		out = fixture_write(writer->name, stored->report, 80, 0);
		assert_true(out.length > 0 || writer->detail);
		weir_text_release(&out);
	}
	weir_stored_report_free(stored);
	weir_text_release(&text);
}

static void an_empty_message_says_no_more_than_its_code(void **state)
{
	struct weir_text text = {0}, first, second;
	struct weir_stored_report *stored, *again;

	(void)state;
	weir_text_puts(&text, "{\"schema\": \"weir.report/1\", \"verdict\": {\"bound\": "
	                      "\"runtime\"}, \"run\": {\"inputs\": [{\"warnings\": [{\"code\": "
	                      "\"clocks\", \"count\": 1, \"message\": \"\"}]}]}}");
	stored = read_back(&text, NULL);
	first = write_json(stored->report);
	assert_non_null(strstr(first.data, "traces of this job have no common clock"));
	again = read_back(&first, NULL);
	second = write_json(again->report);
	assert_string_equal(first.data, second.data);
	weir_stored_report_free(stored);
	weir_stored_report_free(again);
	weir_text_release(&text);
	weir_text_release(&first);
	weir_text_release(&second);
}

/* The typical document with the first `from` replaced. */
static struct weir_text altered(const char *from, const char *to)
{
	struct weir_text json = typical_json(), out = {0};
	const char *at = strstr(json.data, from);

	assert_non_null(at);
	weir_text_add(&out, json.data, (size_t)(at - json.data));
	weir_text_puts(&out, to);
	weir_text_puts(&out, at + strlen(from));
	weir_text_release(&json);
	return out;
}

static void assert_refused(const char *from, const char *to, enum weir_status expected,
                           const char *message)
{
	struct weir_text text = altered(from, to);
	struct weir_stored_report *stored = NULL;
	struct weir_error err = {0};

	assert_int_equal(weir_stored_report_parse(text.data, text.length, NULL, &stored, &err),
	                 expected);
	assert_null(stored);
	if (strncmp(err.message, message, strlen(message)) != 0) {
		print_error("%s\nis not: %s\n", err.message, message);
		fail();
	}
	weir_text_release(&text);
}

static void wrong_types_name_their_place(void **state)
{
	static const struct {
		const char *from, *to, *message;
	} cases[] = {
		{"\"weir.report/1\"", "\"weir.gate/1\"", "schema: expected weir.report/1"},
		{"\"run\": {", "\"run\": 1, \"x\": {", "run: expected an object"},
		{"\"inputs\": [", "\"inputs\": 1, \"x\": [", "run: inputs: expected a list"},
		{"\"bytes\": 1204113", "\"bytes\": -1", "run: inputs[0]: bytes: expected a whole"},
		{"\"code\": \"truncated\"", "\"code\": \"odd\"",
	         "run: inputs[0]: warnings[0]: code: expected a warning"},
		{"\"name\": \"NVIDIA H200\"", "\"name\": 1", "run: devices[0]: name: expected"},
		{"\"iterations\": 30", "\"iterations\": 0.5", "run: iterations: expected a whole"},
		{"\"steady\": true", "\"steady\": 1", "run: steady: expected true or false"},
		{"\"bound\": \"runtime\"", "\"bound\": \"luck\"",
	         "verdict: bound: expected one of: batching, "},
		{"\"bound\": \"runtime\"", "\"bond\": null",
	         "verdict: bound: expected one of: batching, "},
		{"\"confidence\": \"high\"", "\"confidence\": \"odd\"", "verdict: confidence: "},
		{"\"clause\": \"gpu_active < 0.60\"", "\"clause\": null",
	         "verdict: evidence[0]: clause: expected a text"},
		{"\"gpu_active\": 0.1334", "\"gpu_active\": \"x\"",
	         "verdict: evidence[0]: values: gpu_active: expected a number or null"},
		{"\"runner_up\": {", "\"runner_up\": [], \"x\": {", "verdict: runner_up: expected"},
		{"\"batching\": 0", "\"batching\": 2", "attribution: batching: expected a share"},
		{"\"batching\": 0", "\"batching\": null", "attribution: expected a share"},
		{"\"idle_causes\": {", "\"idle_causes\": 1, \"x\": {",
	         "gpu: idle_causes: expected"},
		{"\"launch_ns\": {\"p50\": ", "\"launch_ns\": {\"p50\": true, \"x\": ",
	         "gpu: launch_ns: p50: expected a number or null"},
		{"\"stages\": [", "\"stages\": [7, ", "stages[0]: expected an object"},
		{"\"kind\": \"compute\"", "\"kind\": []", "stages[0]: kind: expected a text"},
		{"\"operators\": [", "\"operators\": {}, \"x\": [", "operators: expected a list"},
		{"\"roofline\": \"memory\"", "\"roofline\": \"x\"", "operators[0]: roofline: "},
		{"\"speedup\": {", "\"speedup\": 1, \"x\": {", "recommendations[0]: speedup: "},
		{"\"approximate\": true", "\"approximate\": 1", "critical_path: approximate: expe"},
		{"\"class\": \"host\"", "\"class\": \"odd\"", "critical_path: class: expected"},
		{"\"ns\": {\"host_op\": 6000000", "\"ns\": {\"host_op\": -1",
	         "critical_path: ns: host_op: expected a whole"},
		{"\"kind\": \"host_op\"", "\"kind\": \"odd\"",
	         "critical_path: top[0]: kind: expected"},
		{"\"basis\": \"the step's 243", "\"basis\": null, \"x\": \"",
	         "recommendations[0]: saving: basis: expected a text"},
		{"\"state\": \"not met\"", "\"state\": \"odd\"",
	         "recommendations[0]: needs[0]: state: expected"},
		{"\"fragmentation\": ", "\"fragmentation\": \"\", \"x\": ",
	         "memory: fragmentation: expected a number or null"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i].from, cases[i].to, WEIR_E_FORMAT, cases[i].message);
}

static void assert_list_refused(const char *key, size_t entries, const char *message)
{
	struct weir_text from = {0}, to = {0};

	weir_text_printf(&from, "\"%s\": [", key);
	weir_text_puts(&to, from.data);
	weir_text_repeat(&to, "{},", entries - 1);
	weir_text_printf(&to, "{}], \"x\": [");
	assert_refused(from.data, to.data, WEIR_E_LIMIT, message);
	weir_text_release(&from);
	weir_text_release(&to);
}

static void hostile_sizes_are_refused(void **state)
{
	struct weir_text text = {0};

	(void)state;
	assert_list_refused("inputs", WEIR_REPORT_MAX_INPUTS + 1, "run: inputs: 16385 entries");
	assert_list_refused("stages", WEIR_REPORT_MAX_ROWS + 1, "stages: 50001 entries, at most");
	assert_list_refused("operators", WEIR_REPORT_MAX_ROWS + 1, "operators: 50001 entries");
	assert_list_refused("evidence", WEIR_MAX_CLAUSES + 1, "verdict: evidence: 13 entries");
	assert_refused("\"gpu_active\": 0.1334",
	               "\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1",
	               WEIR_E_LIMIT, "verdict: evidence[0]: values: 9 entries, at most 8");
	assert_refused(
		"\"gpu_active\": 0.1334", "\"gpu_active\": 1e300", WEIR_E_LIMIT,
		"verdict: evidence[0]: values: gpu_active: expected a number of at most 1e+18");
	assert_refused("\"active\": 0.1334", "\"active\": -2e18", WEIR_E_LIMIT,
	               "gpu: active: expected a number of at most 1e+18");
	assert_refused("\"name\": \"NVIDIA H200\", \"count\": 1",
	               "\"name\": \"NVIDIA H200\", \"count\": 4294967296", WEIR_E_LIMIT,
	               "run: devices[0]: count");
	weir_text_puts(&text, "\"headline\": \"");
	weir_text_repeat(&text, "x", WEIR_DOCUMENT_MAX_TEXT + 1);
	weir_text_puts(&text, "\", \"x\": \"");
	assert_refused("\"headline\": \"", text.data, WEIR_E_LIMIT, "verdict: headline: expected");
	weir_text_release(&text);
}

static void hostile_depth_is_refused(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "\"stages\": ");
	weir_text_repeat(&text, "[", 100000);
	assert_refused("\"stages\": ", text.data, WEIR_E_LIMIT, "");
	weir_text_release(&text);
}

static void a_document_cut_short_anywhere_is_refused(void **state)
{
	struct weir_text text = typical_json();
	size_t end = text.length;

	(void)state;
	while (end > 0 && text.data[end - 1] != '}')
		end--;
	for (size_t length = 0; length < end; length++) {
		char *copy = malloc(length + 1); /* a separate block shows reads behind it */
		struct weir_stored_report *stored = NULL;
		struct weir_error err = {0};

		assert_non_null(copy);
		memcpy(copy, text.data, length);
		assert_int_not_equal(weir_stored_report_parse(copy, length, NULL, &stored, &err),
		                     WEIR_OK);
		assert_null(stored);
		free(copy);
	}
	weir_text_release(&text);
}

static void keys_of_a_later_version_are_left_alone(void **state)
{
	struct weir_text text =
		altered("\"iterations\": 30", "\"x\": {\"a\": [1]}, \"iterations\": 30");
	struct weir_stored_report *stored = read_back(&text, NULL);

	(void)state;
	assert_int_equal(stored->report->iteration_count, 30);
	weir_stored_report_free(stored);
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_back_is_written_byte_for_byte),
		cmocka_unit_test(the_first_screen_of_its_text_is_the_same),
		cmocka_unit_test(what_is_not_stored_is_left_out_of_a_page),
		cmocka_unit_test(unknown_stays_unknown),
		cmocka_unit_test(an_empty_message_says_no_more_than_its_code),
		cmocka_unit_test(wrong_types_name_their_place),
		cmocka_unit_test(hostile_sizes_are_refused),
		cmocka_unit_test(hostile_depth_is_refused),
		cmocka_unit_test(a_document_cut_short_anywhere_is_refused),
		cmocka_unit_test(keys_of_a_later_version_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
