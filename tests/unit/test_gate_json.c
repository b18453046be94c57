/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/report/json/stored.h"
#include "tests/unit/fixture_gate.h"
#include "tests/unit/near.h"

static struct weir_text write_json(struct weir_gate_result *result)
{
	return fixture_gate_write("json", result, NULL);
}

static struct weir_gate_result *read_back(const struct weir_text *text)
{
	struct weir_gate_result *result = NULL;
	enum weir_result_kind kind = WEIR_RESULT_REPORT;
	struct weir_error err = {0};

	if (weir_gate_parse(text->data, text->length, &kind, &result, &err)) {
		print_error("%s\n", err.message);
		fail();
	}
	assert_int_equal(kind, WEIR_RESULT_GATE);
	return result;
}

static void what_is_read_back_is_written_byte_for_byte(void **state)
{
	(void)state;
	for (const fixture_gate_maker *make = fixture_gates; *make; make++) {
		struct weir_gate_result *result = (*make)(), *again;
		struct weir_text first = write_json(result), second;

		again = read_back(&first);
		second = write_json(again);
		assert_string_equal(first.data, second.data);
		weir_text_release(&first);
		weir_text_release(&second);
		weir_gate_result_free(result);
		weir_gate_result_free(again);
	}
}

static void what_is_read_back_reads_the_same_in_every_format(void **state)
{
	static const struct weir_write_options options = {.all = true};

	(void)state;
	for (const fixture_gate_maker *make = fixture_gates; *make; make++) {
		struct weir_gate_result *result = (*make)(), *again;
		struct weir_text json;

		if (*make == fixture_gate_hostile) { /* bytes that are no UTF-8 are replaced once */
			weir_gate_result_free(result);
			continue;
		}
		json = write_json(result);
		again = read_back(&json);
		for (const struct weir_writer *writer = weir_writers; writer->name; writer++) {
			struct weir_text a, b;

			if (!writer->gate)
				continue;
			a = fixture_gate_write(writer->name, result, &options);
			b = fixture_gate_write(writer->name, again, &options);
			assert_string_equal(a.data ? a.data : "", b.data ? b.data : "");
			weir_text_release(&a);
			weir_text_release(&b);
		}
		weir_text_release(&json);
		weir_gate_result_free(result);
		weir_gate_result_free(again);
	}
}

/* Keys of an object in their order: "a b c ". */
static struct weir_text keys_of(const cJSON *object)
{
	struct weir_text keys = {0};
	const cJSON *item;

	cJSON_ArrayForEach (item, object)
		weir_text_printf(&keys, "%s ", item->string);
	return keys;
}

static void assert_keys(const cJSON *object, const char *expected)
{
	struct weir_text keys = keys_of(object);

	assert_non_null(object);
	assert_string_equal(keys.data, expected);
	weir_text_release(&keys);
}

static void keys_stand_in_the_order_of_the_contract(void **state)
{
	struct weir_gate_result *result = fixture_gate_regression();
	struct weir_text text = write_json(result);
	cJSON *document = NULL;
	const cJSON *row;

	(void)state;
	assert_int_equal(weir_json_parse(text.data, text.length, &document, NULL), WEIR_OK);
	assert_keys(document, "schema weir verdict exit codes method alpha baseline candidate "
	                      "environment counts rows bound fixes contributions remarks since "
	                      "incomplete advice findings command pictures ");
	assert_keys(cJSON_GetObjectItem(document, "baseline"), "name runs labels recorded ");
	assert_keys(cJSON_GetObjectItem(document, "candidate"), "runs labels ");
	assert_keys(cJSON_GetObjectItem(document, "environment"), "match differences ");
	assert_keys(cJSON_GetObjectItem(document, "counts"),
	            "judged regressions improvements no_change inconclusive informational waived "
	            "missing new suspect moved ");
	assert_keys(cJSON_GetObjectItem(document, "bound"),
	            "baseline candidate moved stage cause ");
	row = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "rows"), 3);
	assert_keys(row, "scope metric baseline candidate unit change ci90 p p_adjusted margin "
	                 "outcome mde runs_needed samples waiver note stage name contributed_ns "
	                 "calls spread renamed family ");
	assert_keys(cJSON_GetArrayItem(cJSON_GetObjectItem(document, "findings"), 0),
	            "id scope outcome rows added_ns sentence fix alike accept ");
	assert_keys(cJSON_GetObjectItem(row, "waiver"),
	            "up_to reason issue expires expired exceeded ");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(row, "runs_needed")));
	assert_string_equal(cJSON_GetObjectItem(row, "outcome")->valuestring, "waived");
	cJSON_Delete(document);
	weir_text_release(&text);
	weir_gate_result_free(result);
}

/* The typical document with the first `from` replaced. */
static struct weir_text altered(const char *from, const char *to)
{
	struct weir_gate_result *result = fixture_gate_regression();
	struct weir_text text = write_json(result), out = {0};
	const char *at = strstr(text.data, from);

	assert_non_null(at);
	weir_text_add(&out, text.data, (size_t)(at - text.data));
	weir_text_puts(&out, to);
	weir_text_puts(&out, at + strlen(from));
	weir_text_release(&text);
	weir_gate_result_free(result);
	return out;
}

static void assert_refused(const char *from, const char *to, enum weir_status status,
                           const char *message)
{
	struct weir_text text = altered(from, to);
	struct weir_gate_result *result = NULL;
	enum weir_result_kind kind = WEIR_RESULT_REPORT;
	struct weir_error err = {0};

	assert_int_equal(weir_gate_parse(text.data, text.length, &kind, &result, &err), status);
	assert_null(result);
	if (!strstr(err.message, message)) {
		print_error("expected \"%s\", got \"%s\"\n", message, err.message);
		fail();
	}
	weir_text_release(&text);
}

static void wrong_types_name_their_place(void **state)
{
	const enum weir_status damaged = WEIR_E_FORMAT;

	(void)state;
	assert_refused("\"baseline\": 571632.25", "\"baseline\": \"fast\"", damaged,
	               "rows[0]: baseline: expected a number or null");
	assert_refused("\"ci90\": [0.0418, 0.0523]", "\"ci90\": [0.0418]", damaged,
	               "rows[0]: ci90: expected a list of 2");
	assert_refused("\"p\": 1.1e-06", "\"p\": 1e999", damaged, "rows[1]: p: expected a number");
	assert_refused("\"p\": 1.1e-06", "\"p\": NaN", damaged, "JSON syntax error");
	assert_refused("\"outcome\": \"waived\"", "\"outcome\": \"lost\"", damaged,
	               "rows[3]: outcome: expected one of: regression, impr");
	assert_refused("\"up_to\": 0.1,", "\"up_to\": [],", damaged,
	               "rows[2]: waiver: up_to: expected a number or null");
	assert_refused("stage:decode_graph", "planet:decode_graph", damaged,
	               "rows[0]: scope: expected stage:");
	assert_refused("\"samples\": [300, 300]", "\"samples\": [300, -1]", damaged,
	               "rows[0]: samples: expected a whole number");
	assert_refused("\"judged\": 8", "\"judged\": 8.5", damaged,
	               "counts: judged: expected a whole number");
	assert_refused("\"runs\": 8", "\"runs\": 1e16", WEIR_E_LIMIT,
	               "baseline: runs: expected a whole number");
	assert_refused("\"exit\": 1", "\"exit\": 4096", WEIR_E_LIMIT,
	               "exit: expected a whole number up to 255");
	assert_refused("\"exit\": 1,", "", damaged, "exit: expected a whole number");
	assert_refused("\"codes\": [1]", "\"codes\": [-1]", damaged,
	               "codes[0]: expected a whole number from 0 on");
	assert_refused("\"verdict\": \"regression\"", "\"verdict\": \"fine\"", damaged,
	               "verdict: expected one of: pass, ");
	assert_refused("\"verdict\": \"regression\",", "", damaged,
	               "verdict: expected one of: pass, ");
	assert_refused("\"policy\": \"warn\"", "\"policy\": 1", damaged,
	               "environment: differences[0]: policy: expected one of: must, warn");
	assert_refused("\"driver\"", "{}", damaged, "differences[0]: key: expected a text");
	assert_refused("\"baseline\": \"memory\"", "\"baseline\": \"luck\"", damaged,
	               "bound: baseline: expected one of: batching, ");
	assert_refused("\"gpu\": \"NVIDIA H200\"", "\"gpu\": 1", damaged,
	               "baseline: labels: gpu: expected a text or null");
	assert_refused("\"match\": true", "\"match\": \"yes\"", damaged,
	               "environment: match: expected true or false");
	assert_refused("\"delta_ns\": 37200", "\"delta_ns\": true", damaged,
	               "contributions[0]: delta_ns: expected a number");
	assert_refused("\"rows\": [", "\"rows\": 1, \"other\": [", damaged,
	               "rows: expected a list");
	assert_refused("\"rows\": [", "\"rows\": [7, ", damaged, "rows[0]: expected an object");
	assert_refused("\"codes\": [1]", "\"codes\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
	               WEIR_E_LIMIT, "codes: 17 entries, at most 16");
}

static void damaged_pictures_are_refused(void **state)
{
	const enum weir_status damaged = WEIR_E_FORMAT;

	(void)state;
	assert_refused("{\"row\": 7,", "{\"row\": 10,", damaged,
	               "pictures: rows[1]: row: 10 is not the index of a row");
	assert_refused("\"odd\": [2]", "\"odd\": [5]", damaged,
	               "pictures: rows[0]: odd: expected indices of runs");
	assert_refused("\"values\": [571000, ", "\"values\": [", damaged,
	               "pictures: rows[0]: values: expected one for each run");
	assert_refused("[50, 571632.25,", "[5, 571632.25,", damaged,
	               "pictures: curves[0]: expected percentiles in order");
	assert_refused("[5, 560000,", "[100, 560000,", WEIR_E_LIMIT,
	               "pictures: curves[0]: percentiles[0]: expected a whole number up to 99");
	assert_refused("\"times_ns\": [420000, 410000]", "\"times_ns\": [420000, 410001]", damaged,
	               "pictures: stages[0]: parts: expected a sum of 572000 and 600000 ns, found "
	               "572000 and 600001");
	assert_refused("\"times_ns\": [420000, 410000]", "\"times_ns\": [-1, 410000]", damaged,
	               "pictures: stages[0]: parts[1]: times_ns: expected times from 0 on");
	assert_refused("\"kind\": \"rest\"", "\"kind\": \"luck\"", damaged,
	               "pictures: stages[0]: parts[3]: kind: expected one of: operator, ");
	assert_refused("{\"point\": 3,", "{\"point\": 5,", damaged,
	               "pictures: histories[0]: steps[0]: point: expected indices of points");
	assert_refused(
		"{\"point\": 3,", "{\"point\": 0,", damaged,
		"pictures: histories[0]: steps[0]: point: expected a whole number from 1 on");
	assert_refused("\"row\": 0,\n", "\"row\": 10,\n", damaged,
	               "pictures: histories[0]: row: 10 is not the index of a row");
	assert_refused("\"curves\": [", "\"curves\": [{}, ", damaged,
	               "pictures: curves[0]: scope: expected a text");
}

static void a_text_beyond_its_limit_is_refused(void **state)
{
	size_t size = WEIR_DOCUMENT_MAX_TEXT + 1;
	char *since = malloc(size + 3);

	(void)state;
	assert_non_null(since);
	memset(since, 'x', size + 2);
	since[0] = since[size + 1] = '"';
	since[size + 2] = '\0';
	assert_refused("\"run-2026-11-19\"", since, WEIR_E_LIMIT, "since: expected at most 65,536");
	free(since);
}

static enum weir_status parse(const char *text, enum weir_result_kind *kind, struct weir_error *err)
{
	struct weir_gate_result *result = NULL;
	enum weir_status status = weir_gate_parse(text, strlen(text), kind, &result, err);

	assert_null(result);
	return status;
}

static void a_classification_is_told_apart_from_a_gate(void **state)
{
	enum weir_result_kind kind = WEIR_RESULT_GATE;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(parse("{\"schema\": \"weir.report/1\"}", &kind, &err), WEIR_OK);
	assert_int_equal(kind, WEIR_RESULT_REPORT);
	assert_int_equal(parse("{\"schema\": \"weir.run/1\"}", &kind, &err), WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "schema: expected weir.gate/1 or weir.report/1, not "
	                                    "weir.run/1"));
	assert_int_equal(parse("{}", &kind, &err), WEIR_E_FORMAT);
	assert_int_equal(parse("[]", &kind, &err), WEIR_E_FORMAT);
	assert_int_equal(parse("", &kind, &err), WEIR_E_FORMAT);
}

static void keys_of_a_later_version_are_left_alone(void **state)
{
	struct weir_text text = altered("\"exit\": 1,", "\"exit\": 1, \"colour\": {\"a\": [1]},");
	struct weir_gate_result *result = read_back(&text);

	(void)state;
	assert_int_equal(result->exit_code, 1);
	weir_gate_result_free(result);
	weir_text_release(&text);
}

static void names_left_out_come_from_the_scope(void **state)
{
	static const char text[] =
		"{\"schema\": \"weir.gate/1\", \"verdict\": \"pass\", \"exit\": 0, \"rows\": ["
		"{\"scope\": \"operator:decode/aten::mm\", \"metric\": \"p50\", \"outcome\": "
		"\"no-change\"}]}";
	struct weir_text document = {0};
	struct weir_gate_result *result;

	(void)state;
	weir_text_puts(&document, text);
	result = read_back(&document);
	assert_int_equal(result->row_count, 1);
	assert_string_equal(result->rows[0].stage, "decode");
	assert_string_equal(result->rows[0].name, "aten::mm");
	assert_true(isnan(result->rows[0].change));
	weir_gate_result_free(result);
	weir_text_release(&document);
}

static void damage_in_a_file_names_the_file(void **state)
{
	struct weir_gate_result *result = NULL;
	struct weir_source *source = NULL;
	enum weir_result_kind kind;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(
		weir_source_open_memory("result.json", "{\"schema\": 1}", 13, &source, &err),
		WEIR_OK);
	assert_int_equal(weir_gate_read(source, &kind, &result, &err), WEIR_E_FORMAT);
	assert_null(result);
	assert_string_equal(err.message,
	                    "result.json: schema: expected weir.gate/1 or weir.report/1");
	weir_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_back_is_written_byte_for_byte),
		cmocka_unit_test(what_is_read_back_reads_the_same_in_every_format),
		cmocka_unit_test(keys_stand_in_the_order_of_the_contract),
		cmocka_unit_test(wrong_types_name_their_place),
		cmocka_unit_test(a_text_beyond_its_limit_is_refused),
		cmocka_unit_test(damaged_pictures_are_refused),
		cmocka_unit_test(a_classification_is_told_apart_from_a_gate),
		cmocka_unit_test(keys_of_a_later_version_are_left_alone),
		cmocka_unit_test(names_left_out_come_from_the_scope),
		cmocka_unit_test(damage_in_a_file_names_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
