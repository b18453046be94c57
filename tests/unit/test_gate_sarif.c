/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/json.h"
#include "tests/unit/fixture_gate.h"
#include "tests/unit/near.h"

static cJSON *write_sarif(struct weir_gate_result *result)
{
	struct weir_text text = fixture_gate_write("sarif", result, NULL);
	struct weir_error err = {0};
	cJSON *document = NULL;

	if (weir_json_parse(text.data, text.length, &document, &err)) {
		print_error("%s\n", err.message);
		fail();
	}
	weir_text_release(&text);
	weir_gate_result_free(result);
	return document;
}

static const cJSON *run_of(const cJSON *document)
{
	return cJSON_GetArrayItem(cJSON_GetObjectItem(document, "runs"), 0);
}

static const cJSON *results_of(const cJSON *document)
{
	return cJSON_GetObjectItem(run_of(document), "results");
}

static const char *text_at(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	assert_true(cJSON_IsString(item));
	return item->valuestring;
}

static const char *fingerprint_of(const cJSON *result)
{
	return text_at(cJSON_GetObjectItem(result, "partialFingerprints"), "weir/v1");
}

/* Checks a result against section 3.27 of SARIF 2.1.0 and the rules of code scanning. */
static void assert_result(const cJSON *result, const cJSON *rules)
{
	const cJSON *rule =
		cJSON_GetArrayItem(rules, cJSON_GetObjectItem(result, "ruleIndex")->valueint);
	const cJSON *location = cJSON_GetArrayItem(cJSON_GetObjectItem(result, "locations"), 0);
	const cJSON *place = cJSON_GetObjectItem(location, "physicalLocation");
	const char *level = text_at(result, "level");

	assert_string_equal(text_at(rule, "id"), text_at(result, "ruleId"));
	assert_true(!strcmp(level, "error") || !strcmp(level, "warning") || !strcmp(level, "note"));
	assert_true(strlen(text_at(cJSON_GetObjectItem(result, "message"), "text")) > 0);
	assert_string_equal(text_at(cJSON_GetObjectItem(place, "artifactLocation"), "uri"),
	                    "weir.json");
	assert_int_equal(
		cJSON_GetObjectItem(cJSON_GetObjectItem(place, "region"), "startLine")->valueint,
		1);
	assert_true(strlen(fingerprint_of(result)) > 0);
}

static void every_document_is_what_code_scanning_reads(void **state)
{
	(void)state;
	for (const fixture_gate_maker *make = fixture_gates; *make; make++) {
		cJSON *document = write_sarif((*make)());
		const cJSON *driver = cJSON_GetObjectItem(
			cJSON_GetObjectItem(run_of(document), "tool"), "driver");
		const cJSON *result;

		assert_string_equal(text_at(document, "version"), "2.1.0");
		assert_string_equal(text_at(driver, "name"), "weir");
		assert_true(cJSON_IsArray(results_of(document)));
		cJSON_ArrayForEach (result, results_of(document))
			assert_result(result, cJSON_GetObjectItem(driver, "rules"));
		cJSON_Delete(document);
	}
}

static void findings_that_stop_or_might_become_results(void **state)
{
	cJSON *document = write_sarif(fixture_gate_regression());
	const cJSON *results = results_of(document);

	(void)state;
	assert_int_equal(cJSON_GetArraySize(results), 2);
	assert_string_equal(text_at(cJSON_GetArrayItem(results, 0), "ruleId"), "WEIR001");
	assert_string_equal(text_at(cJSON_GetArrayItem(results, 1), "ruleId"), "WEIR003");
	assert_string_equal(text_at(cJSON_GetArrayItem(results, 1), "level"), "note");
	cJSON_Delete(document);
	document = write_sarif(fixture_gate_suspect());
	assert_string_equal(text_at(cJSON_GetArrayItem(results_of(document), 0), "level"),
	                    "warning");
	cJSON_Delete(document);
	document = write_sarif(fixture_gate_pass());
	assert_int_equal(cJSON_GetArraySize(results_of(document)), 0);
	cJSON_Delete(document);
}

static void a_verdict_without_a_row_is_a_result(void **state)
{
	cJSON *document = write_sarif(fixture_gate_environment());
	const cJSON *result = cJSON_GetArrayItem(results_of(document), 0);

	(void)state;
	assert_string_equal(text_at(result, "ruleId"), "WEIR004");
	assert_string_equal(fingerprint_of(result), "verdict:environment");
	cJSON_Delete(document);
}

static void fingerprints_outlive_the_figures(void **state)
{
	struct weir_gate_result *slower = fixture_gate_regression();
	cJSON *before = write_sarif(fixture_gate_regression()), *after;

	(void)state;
	slower->rows[0].candidate *= 2;
	slower->rows[0].change = 1.1;
	after = write_sarif(slower);
	assert_string_equal(fingerprint_of(cJSON_GetArrayItem(results_of(before), 0)),
	                    "operator:decode_graph/aten::copy_");
	assert_string_equal(fingerprint_of(cJSON_GetArrayItem(results_of(after), 0)),
	                    "operator:decode_graph/aten::copy_");
	cJSON_Delete(before);
	cJSON_Delete(after);
}

static void no_file_holds_more_than_is_shown(void **state)
{
	cJSON *document = write_sarif(fixture_gate_many(16000));

	(void)state;
	assert_int_equal(cJSON_GetArraySize(results_of(document)), 5000);
	cJSON_Delete(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_document_is_what_code_scanning_reads),
		cmocka_unit_test(findings_that_stop_or_might_become_results),
		cmocka_unit_test(a_verdict_without_a_row_is_a_result),
		cmocka_unit_test(fingerprints_outlive_the_figures),
		cmocka_unit_test(no_file_holds_more_than_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
