/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "tests/unit/near.h"
#include "tests/unit/packed.h"

static cJSON *parse(const char *text)
{
	struct weir_error err = {0};
	cJSON *document = NULL;

	if (weir_json_parse(text, strlen(text), &document, &err))
		fail_msg("cannot parse %s: %s", text, err.message);
	return document;
}

static void assert_refused(const char *text, size_t len, enum weir_status status,
                           const char *message)
{
	struct weir_error err = {0};
	cJSON *document = NULL;

	assert_int_equal(weir_json_parse(text, len, &document, &err), status);
	assert_string_equal(err.message, message);
	assert_null(document);
}

static void members_are_found_by_type(void **state)
{
	cJSON *document = parse(
		"{\"t\": \"x\", \"n\": 2.5, \"b\": true, \"a\": [1], \"o\": {\"k\": null}}\n");
	const cJSON *item = NULL;
	const char *text = NULL;
	double number = 0;
	bool flag = false;

	(void)state;
	assert_int_equal(weir_json_text(document, "t", &text, NULL), WEIR_OK);
	assert_string_equal(text, "x");
	assert_int_equal(weir_json_number(document, "n", &number, NULL), WEIR_OK);
	assert_near(number, 2.5, 0);
	assert_int_equal(weir_json_bool(document, "b", false, &flag, NULL), WEIR_OK);
	assert_true(flag);
	assert_int_equal(weir_json_array(document, "a", &item, NULL), WEIR_OK);
	assert_int_equal(cJSON_GetArraySize(item), 1);
	assert_int_equal(weir_json_object(document, "o", &item, NULL), WEIR_OK);
	assert_true(cJSON_HasObjectItem(item, "k"));
	cJSON_Delete(document);
}

static void a_missing_member_is_unknown(void **state)
{
	cJSON *document = parse("{\"T\": 1}"); /* keys are case-sensitive */
	const cJSON *item = document;
	const char *text = "before";
	double number = 1;
	bool flag = false;

	(void)state;
	assert_int_equal(weir_json_text(document, "t", &text, NULL), WEIR_OK);
	assert_null(text);
	assert_int_equal(weir_json_number(document, "t", &number, NULL), WEIR_OK);
	assert_near(number, NAN, 0);
	assert_int_equal(weir_json_bool(document, "t", true, &flag, NULL), WEIR_OK);
	assert_true(flag);
	assert_int_equal(weir_json_array(document, "t", &item, NULL), WEIR_OK);
	assert_null(item);
	cJSON_Delete(document);
}

static void a_wrong_type_names_the_key(void **state)
{
	cJSON *document = parse("{\"k\": null}");
	struct weir_error err = {0};
	const cJSON *item;
	const char *text;
	double number;
	bool flag;

	(void)state;
	assert_int_equal(weir_json_text(document, "k", &text, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "k: expected text");
	assert_int_equal(weir_json_number(document, "k", &number, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "k: expected a number");
	assert_int_equal(weir_json_bool(document, "k", true, &flag, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "k: expected true or false");
	assert_int_equal(weir_json_array(document, "k", &item, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "k: expected a list");
	assert_int_equal(weir_json_object(document, "k", &item, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "k: expected an object");
	cJSON_Delete(document);
}

static void a_syntax_error_names_line_and_column(void **state)
{
	static const char text[] = "{\n  \"caf\xc3\xa9\": 1,\n  \"b\": oops\n}\n";

	(void)state;
	assert_refused(text, strlen(text), WEIR_E_FORMAT, "line 3, column 8: JSON syntax error");
	assert_refused("[1] \n x", 7, WEIR_E_FORMAT,
	               "line 2, column 2: more text after the end of the JSON document");
	assert_refused(" \n", 2, WEIR_E_FORMAT, "is empty, expected JSON");
	assert_refused("", 0, WEIR_E_FORMAT, "is empty, expected JSON");
}

static void every_beginning_of_a_document_is_refused(void **state)
{
	static const char text[] =
		"{\"a\": [1, 2.5e3, \"x\\u00e9\\\"\"], \"b\": {\"c\": null, \"d\": true}}";

	(void)state;
	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		char *exact = malloc(len + 1); /* so that a read past the end is seen */
		struct weir_error err = {0};
		cJSON *document = NULL;

		memcpy(exact, text, len);
		assert_int_equal(weir_json_parse(exact, len, &document, &err), WEIR_E_FORMAT);
		assert_null(document);
		free(exact);
	}
	cJSON_Delete(parse(text));
}

static void nesting_has_a_limit_outside_of_texts(void **state)
{
	char deep[2 * 100000];
	struct weir_error err = {0};
	cJSON *document = NULL;

	(void)state;
	memset(deep, '[', sizeof(deep) / 2);
	memset(deep + sizeof(deep) / 2, ']', sizeof(deep) / 2);
	assert_int_equal(weir_json_parse(deep, sizeof(deep), &document, &err), WEIR_E_LIMIT);
	assert_string_equal(err.message, "line 1, column 129: brackets nest too deep");
	assert_int_equal(weir_json_parse(deep + sizeof(deep) / 2 - 128, 256, &document, &err),
	                 WEIR_OK);
	cJSON_Delete(document);
	deep[0] = deep[999] = '"'; /* brackets in a text */
	assert_int_equal(weir_json_parse(deep, 1000, &document, &err), WEIR_OK);
	cJSON_Delete(document);
}

static void an_unknown_key_gets_a_suggestion(void **state)
{
	static const char *const keys[] = {"when", "bound", "cause", NULL};
	cJSON *document = parse("{\"when\": 1, \"buond\": 2}");
	cJSON *other = parse("{\"zzz\": 2}");
	cJSON *list = parse("[]");
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_json_known_keys(document, keys, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "buond: unknown key, did you mean bound?");
	cJSON_DeleteItemFromObject(document, "buond");
	assert_int_equal(weir_json_known_keys(document, keys, &err), WEIR_OK);
	assert_int_equal(weir_json_known_keys(other, keys, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "zzz: unknown key");
	assert_int_equal(weir_json_known_keys(list, keys, &err), WEIR_E_FORMAT);
	cJSON_Delete(document);
	cJSON_Delete(other);
	cJSON_Delete(list);
}

static void a_file_is_read_through_its_compression(void **state)
{
	struct bytes packed = gzip_bytes("{\"n\": 7}", 8);
	struct weir_error err = {0};
	cJSON *document = NULL;
	double number = 0;

	(void)state;
	make_folder();
	assert_int_equal(
		weir_json_read_file(write_file("a.gz", packed.data, packed.len), &document, &err),
		WEIR_OK);
	weir_json_number(document, "n", &number, NULL);
	assert_near(number, 7, 0);
	cJSON_Delete(document);
	assert_int_equal(weir_json_read_file(write_file("cut.gz", packed.data, packed.len - 1),
	                                     &document, &err),
	                 WEIR_E_FORMAT);
	assert_non_null(
		strstr(err.message, "cut.gz: is damaged: it ends inside its compressed data"));
	assert_int_equal(weir_json_read_file(path_in_folder("none"), &document, &err), WEIR_E_IO);
	assert_non_null(strstr(err.message, "/none: cannot open: No such file or directory"));
	remove_folder();
	free(packed.data);
}

static void a_document_of_too_many_values_is_refused(void **state)
{
	size_t len = 2 * (size_t)WEIR_JSON_MAX_VALUES + 1;
	char *list = malloc(len);

	(void)state;
	for (size_t i = 0; i < len; i++)
		list[i] = i % 2 ? '0' : ',';
	list[0] = '[';
	list[1] = 'x'; /* the parser stops here */
	list[len - 1] = ']';
	assert_refused(list, len, WEIR_E_LIMIT, "holds more than 4194304 values");
	list[2] = ' ';
	assert_refused(list, len, WEIR_E_FORMAT, "line 1, column 2: JSON syntax error");
	free(list);
}

static void a_huge_document_is_refused(void **state)
{
	size_t len = WEIR_JSON_MAX_BYTES + 1;
	char *blanks = malloc(len);
	struct bytes packed;
	struct weir_source *source = NULL;
	struct weir_error err = {0};
	cJSON *document = NULL;

	(void)state;
	memset(blanks, ' ', len);
	assert_refused(blanks, len, WEIR_E_LIMIT, "is larger than 64 MiB");
	packed = zstd_bytes(blanks, len);
	assert_int_equal(weir_source_open_memory("bomb", packed.data, packed.len, &source, &err),
	                 WEIR_OK);
	assert_int_equal(weir_json_read(source, &document, &err), WEIR_E_LIMIT);
	weir_source_free(source);
	free(packed.data);
	free(blanks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_found_by_type),
		cmocka_unit_test(a_missing_member_is_unknown),
		cmocka_unit_test(a_wrong_type_names_the_key),
		cmocka_unit_test(a_syntax_error_names_line_and_column),
		cmocka_unit_test(every_beginning_of_a_document_is_refused),
		cmocka_unit_test(nesting_has_a_limit_outside_of_texts),
		cmocka_unit_test(an_unknown_key_gets_a_suggestion),
		cmocka_unit_test(a_file_is_read_through_its_compression),
		cmocka_unit_test(a_document_of_too_many_values_is_refused),
		cmocka_unit_test(a_huge_document_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
