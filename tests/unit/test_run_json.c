/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <cjson/cJSON.h>

#include "engine/model/run_document.h"
#include "tests/unit/near.h"

static struct weir_text write_and_free(struct weir_run *run)
{
	struct weir_text text = {0};

	weir_run_json(run, &text);
	weir_run_free(run);
	return text;
}

static void push(struct weir_series_table *table, const char *name, double first, double second)
{
	struct weir_series *series = weir_series_get(table, name);

	weir_series_push(series, first);
	weir_series_push(series, second);
}

static void a_run_reads_as_the_contract_shows_it(void **state)
{
	struct weir_run *run = weir_run_new();
	struct weir_series *metric;
	struct weir_text text;

	(void)state;
	weir_run_set_label(run, "torch", "2.11.0");
	weir_run_set_label(run, "gpu", "NVIDIA H200");
	push(&run->stages, "prefill", 3410000, 3380000.5);
	push(&run->stages, "decode", 570000, 571000);
	push(&run->device, "decode", 550000, 551000);
	push(&run->operators, "decode/aten::mm", 81000, 80000);
	push(&run->calls, "decode/aten::mm", 112, 112);
	metric = weir_series_get(&run->metrics, "tokens_per_s");
	weir_series_push(metric, 1743.25);
	metric->higher_is_better = true;
	text = write_and_free(run);
	assert_string_equal(
		text.data, "{\n"
			   "  \"schema\": \"weir.run/1\",\n"
			   "  \"unit\": \"ns\",\n"
			   "  \"labels\": {\n"
			   "    \"gpu\": \"NVIDIA H200\",\n"
			   "    \"torch\": \"2.11.0\"\n"
			   "  },\n"
			   "  \"stages\": {\n"
			   "    \"decode\": [570000, 571000],\n"
			   "    \"prefill\": [3410000, 3380000.5]\n"
			   "  },\n"
			   "  \"device\": {\n"
			   "    \"decode\": [550000, 551000]\n"
			   "  },\n"
			   "  \"operators\": {\n"
			   "    \"decode/aten::mm\": [81000, 80000]\n"
			   "  },\n"
			   "  \"calls\": {\n"
			   "    \"decode/aten::mm\": [112, 112]\n"
			   "  },\n"
			   "  \"metrics\": {\n"
			   "    \"tokens_per_s\": {\"values\": [1743.25], \"better\": \"higher\"}\n"
			   "  }\n"
			   "}\n");
	weir_text_release(&text);
}

static void an_empty_run_still_has_stages(void **state)
{
	struct weir_text text = write_and_free(weir_run_new());
	cJSON *document = cJSON_Parse(text.data);

	(void)state;
	assert_non_null(document);
	assert_true(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(document, "stages")));
	assert_null(cJSON_GetObjectItemCaseSensitive(document, "device"));
	assert_null(cJSON_GetObjectItemCaseSensitive(document, "labels"));
	cJSON_Delete(document);
	weir_text_release(&text);
}

static void values_that_no_integer_holds_survive(void **state)
{
	struct weir_run *run = weir_run_new();
	const cJSON *values;
	struct weir_text text;
	cJSON *document;

	(void)state;
	push(&run->stages, "huge \"x\"\n", 1e300, NAN);
	push(&run->stages, "fine", 1.0 / 3, -0.0);
	text = write_and_free(run);
	document = cJSON_Parse(text.data);
	assert_non_null(document);
	values = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(document, "stages"), "huge \"x\"\n");
	assert_non_null(values);
	assert_near(cJSON_GetArrayItem(values, 0)->valuedouble, 1e300, 0);
	assert_true(cJSON_IsNull(cJSON_GetArrayItem(values, 1)));
	values = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(document, "stages"), "fine");
	assert_near(cJSON_GetArrayItem(values, 0)->valuedouble, 1.0 / 3, 0);
	cJSON_Delete(document);
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_reads_as_the_contract_shows_it),
		cmocka_unit_test(an_empty_run_still_has_stages),
		cmocka_unit_test(values_that_no_integer_holds_survive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
