/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/document.h"
#include "tests/unit/fixture_gate.h"
#include "tests/unit/near.h"

static struct weir_text write_junit(struct weir_gate_result *result)
{
	struct weir_text text = fixture_gate_write("junit", result, NULL);

	weir_gate_result_free(result);
	return text;
}

#define MAX_DEPTH 8

/* Tags that are open while a document is walked. */
struct open_tags {
	struct weir_text name[MAX_DEPTH];
	size_t depth;
};

/* Reads one entity, "&#60;" or "&lt;"; fails on anything else after "&". */
static const char *skip_entity(const char *at)
{
	size_t length = strcspn(at, ";");

	assert_int_equal(*at, '&');
	assert_true(length >= 3 && length <= 7 && at[length] == ';');
	if (at[1] == '#')
		assert_int_equal(strspn(at + 2, "0123456789"), length - 2);
	return at + length + 1;
}

/* Characters up to one of `ends`: legal in XML 1.0, "<" never, "&" only as an entity. */
static const char *skip_characters(const char *at, const char *ends)
{
	while (*at && !strchr(ends, *at)) {
		unsigned char c = (unsigned char)*at;

		assert_int_not_equal(c, '<');
		assert_true(c >= 0x20 || c == '\n' || c == '\t');
		at = c == '&' ? skip_entity(at) : at + 1;
	}
	assert_int_not_equal(*at, '\0');
	return at;
}

/* name="value" ... up to ">" or "/>". */
static const char *skip_attributes(const char *at)
{
	while (*at == ' ') {
		size_t length = strspn(++at, "abcdefghijklmnopqrstuvwxyz");

		assert_true(length > 0);
		assert_memory_equal(at + length, "=\"", 2);
		at = skip_characters(at + length + 2, "\"") + 1;
	}
	return at;
}

static const char *skip_tag(const char *at, struct open_tags *open)
{
	bool closing = at[1] == '/';
	const char *name = at + 1 + closing;
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	assert_true(length > 0);
	if (closing) {
		assert_true(open->depth > 0);
		open->depth--;
		assert_int_equal(open->name[open->depth].length, length);
		assert_memory_equal(open->name[open->depth].data, name, length);
		weir_text_release(&open->name[open->depth]);
		assert_int_equal(name[length], '>');
		return name + length + 1;
	}
	at = skip_attributes(name + length);
	if (*at == '/') {
		assert_int_equal(at[1], '>');
		return at + 2;
	}
	assert_int_equal(*at, '>');
	assert_true(open->depth < MAX_DEPTH);
	weir_text_add(&open->name[open->depth++], name, length);
	return at + 1;
}

/* No code point that XML 1.0 leaves out (section 2.2), and nothing but UTF-8. */
static void assert_legal_characters(const struct weir_text *text)
{
	assert_has_not(text, "\xef\xbf\xbe");
	assert_has_not(text, "\xef\xbf\xbf");
	assert_has_not(text, "\xed\xa0");
	assert_has_not(text, "\xff");
	assert_has_not(text, "\xc0");
	assert_has_not(text, "]]>");
}

static void assert_well_formed(const struct weir_text *text)
{
	static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
	struct open_tags open = {.depth = 0};
	const char *at = text->data + strlen(head);

	assert_memory_equal(text->data, head, strlen(head));
	do {
		at = skip_tag(at, &open);
		if (open.depth)
			at = skip_characters(at, "<");
	} while (open.depth);
	assert_string_equal(at, "\n");
	assert_legal_characters(text);
}

static size_t count_of(const struct weir_text *text, const char *part)
{
	size_t count = 0;

	for (const char *at = text->data; (at = strstr(at, part)) != NULL; at++)
		count++;
	return count;
}

static void assert_total(const struct weir_text *text, const char *attribute, size_t count)
{
	struct weir_text expected = {0};

	weir_text_printf(&expected, " %s=\"%zu\"", attribute, count);
	assert_int_equal(count_of(text, expected.data), 2); /* of all suites, of the one */
	weir_text_release(&expected);
}

static void every_document_is_well_formed_and_counts_right(void **state)
{
	(void)state;
	for (const fixture_gate_maker *make = fixture_gates; *make; make++) {
		struct weir_text text = write_junit((*make)());

		assert_well_formed(&text);
		assert_total(&text, "tests", count_of(&text, "<testcase "));
		assert_total(&text, "failures", count_of(&text, "<failure "));
		assert_total(&text, "errors", count_of(&text, "<error "));
		assert_total(&text, "skipped", count_of(&text, "<skipped "));
		weir_text_release(&text);
	}
}

static void outcomes_become_the_marks_that_ci_knows(void **state)
{
	struct weir_text text = write_junit(fixture_gate_regression());

	(void)state;
	assert_has(&text, "<testcase classname=\"operator:decode_graph/aten::copy_\" name=\"gate\" "
	                  "time=\"0.000118400\">\n      <failure message=\"aten::copy_ in "
	                  "decode_graph takes 45.8 % more device time overall");
	assert_has(&text,
	           "<testcase classname=\"stage:decode_graph\" name=\"gate\" "
	           "time=\"0.000598500\">\n      <skipped message=\"decode_graph p50 +4.7 "
	           "%, part of the finding decode_graph/aten::copy_\" "
	           "type=\"regression\">decode_graph p50 +4.7 % (572 -&#62; 599 us, margin 3 "
	           "%), 90 % interval +4.2 to +5.2 %, adjusted p &#60;1e-6\n");
	assert_has(&text, "type=\"waived\">");
	assert_has(&text, "type=\"inconclusive\">");
	assert_has(&text, "<testcase classname=\"metric:tokens_per_s\" name=\"gate\"/>\n");
	assert_int_equal(count_of(&text, "<failure "), 1);
	assert_int_equal(count_of(&text, "<error "), 0);
	weir_text_release(&text);
}

static void a_red_gate_without_a_row_is_not_green(void **state)
{
	struct weir_text text = write_junit(fixture_gate_no_baseline());

	(void)state;
	assert_has(&text, "<testcase classname=\"gate\" name=\"verdict\">\n      <error "
	                  "message=\"the baseline main-h200 has no runs; nothing was "
	                  "compared\" type=\"no-baseline\">");
	weir_text_release(&text);
	text = write_junit(fixture_gate_coverage());
	assert_int_equal(count_of(&text, "<error "), 2); /* the verdict, the stage */
	weir_text_release(&text);
}

/* Class and name of every testcase, in order. */
static struct weir_text keys_of(const struct weir_text *text)
{
	struct weir_text keys = {0};

	for (const char *at = text->data; (at = strstr(at, "<testcase ")) != NULL; at++) {
		const char *end = strstr(at, "\" name=\"");

		assert_non_null(end);
		end += strlen("\" name=\"");
		weir_text_add(&keys, at, (size_t)(end + strcspn(end, "\"") - at));
		weir_text_puts(&keys, "\n");
	}
	return keys;
}

static void names_do_not_change_with_what_was_measured(void **state)
{
	struct weir_gate_result *slower = fixture_gate_regression();
	struct weir_text first = write_junit(fixture_gate_regression()), second;
	struct weir_text a = keys_of(&first), b;

	(void)state;
	slower->rows[0].candidate *= 3;
	slower->rows[0].change = 2;
	slower->rows[0].outcome = WEIR_OUTCOME_NO_CHANGE;
	second = write_junit(slower);
	b = keys_of(&second);
	assert_string_equal(a.data, b.data);
	weir_text_release(&a);
	weir_text_release(&b);
	weir_text_release(&first);
	weir_text_release(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_document_is_well_formed_and_counts_right),
		cmocka_unit_test(outcomes_become_the_marks_that_ci_knows),
		cmocka_unit_test(a_red_gate_without_a_row_is_not_green),
		cmocka_unit_test(names_do_not_change_with_what_was_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
