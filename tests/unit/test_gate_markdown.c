/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/document.h"
#include "tests/unit/fixture_gate.h"
#include "tests/unit/near.h"

static struct weir_text write_markdown(struct weir_gate_result *result, size_t budget,
                                       const char *link)
{
	const struct weir_write_options options = {.budget = budget, .link = link};
	struct weir_text text = fixture_gate_write("markdown", result, &options);

	weir_gate_result_free(result);
	return text;
}

static size_t count_of(const struct weir_text *text, const char *part)
{
	size_t count = 0;

	for (const char *at = text->data; (at = strstr(at, part)) != NULL; at++)
		count++;
	return count;
}

static void the_answer_stands_first(void **state)
{
	static const char answer[] =
		"### weir: regression, 1 finding in 8 rows\n\n"
		"**aten::copy&#95; in decode_graph takes 45.8 % more device time overall (81.2 "
		"-&#62; 118 us, 90 % interval +41.0 to +51.0 %), +37.2 us per iteration; with it "
		"decode_graph p50 +4.7 %, since run-2026-11-19**\n\n8 baseline runs, 3 candidate "
		"runs of 300 "
		"samples · ";
	struct weir_text text = write_markdown(fixture_gate_regression(), 0, NULL);

	(void)state;
	assert_memory_equal(text.data, answer, strlen(answer));
	weir_text_release(&text);
}

static void assert_in_order(const struct weir_text *text, const char *const *parts)
{
	const char *at = text->data;

	for (; *parts && at; parts++) {
		at = strstr(at, *parts);
		if (!at)
			print_error("no \"%s\" where it belongs in:\n%s\n", *parts, text->data);
		else
			at++;
	}
	assert_non_null(at);
}

static void parts_come_in_the_order_of_what_matters(void **state)
{
	static const char *const parts[] = {
		"### weir: regression",
		"8 baseline runs",
		"| scope | metric | baseline | candidate | change | 90 % interval | adjusted p | "
		"margin | also |\n|---|",
		"| <code>decode_graph/aten::copy&#95;</code> | shift | 81.2 us |",
		"| <code>decode_graph</code> | p50 | 572 us | 599 us | +4.7 % | +4.2 to +5.2 % | "
		"&#60;1e-6 | 3 % | p95 +5.1 % |\n",
		"Bound of decode_graph: memory, as before",
		"**Contributions**\n\n- decode_graph: aten::copy&#95; +37.2 us per step, 26 -&#62; "
		"58 "
		"calls\n",
		"<details><summary>1 waived, 2 inconclusive, 1 improved, 1 unchanged, 1 missing, 1 "
		"new</summary>\n\n",
		"**Waived**\n\n- ",
		"fp8 fallback; up to 12 %, until 2027-01-31",
		"(5 more would show 20 %); also p99\n",
		"**Improved**: tokens_per_s +9.0 %",
		"\n\n</details>\n",
		"**Detectable**: sees ",
		"<details><summary>To accept it</summary>\n\nput this into weir.json\n\n<pre>{",
		"\"operator:decode_graph/aten::copy_\"",
		"Reproduce: <code>weir gate RUN... --baseline main-h200</code>\n",
		NULL,
	};
	struct weir_text text = write_markdown(fixture_gate_regression(), 0, NULL);

	(void)state;
	assert_in_order(&text, parts);
	assert_tables_are_whole(text.data);
	weir_text_release(&text);
}

static void suspects_stand_in_the_open(void **state)
{
	struct weir_text text = write_markdown(fixture_gate_suspect(), 0, NULL);

	(void)state;
	assert_has(&text, "### weir: suspect, 1 finding in 2 rows\n");
	assert_has(&text, "Suspected, not proven:\n\n| scope |");
	assert_has(&text, "**Evidence**: one candidate run cannot prove a regression");
	weir_text_release(&text);
}

static void names_stay_in_their_cell(void **state)
{
	struct weir_text text = write_markdown(fixture_gate_hostile(), 0, NULL);

	(void)state;
	assert_tables_are_whole(text.data);
	assert_has_not(&text, "<script");
	assert_has_not(&text, "@");
	assert_has_not(&text, "#123");
	assert_has_not(&text, "-->");
	assert_has_not(&text, "[x]");
	assert_has_not(&text, "](");
	assert_has_not(&text, "://");
	assert_has_not(&text, "`");
	assert_has_not(&text, "\033");
	assert_has_not(&text, "\r");
	assert_has_not(&text, "\xe2\x80\xae");
	assert_has_not(&text, "$(id)");
	assert_int_equal(count_of(&text, "</details>"), 2);
	assert_int_equal(count_of(&text, "<code>"), count_of(&text, "</code>"));
	weir_text_release(&text);
}

static void ten_rows_are_shown_and_the_rest_counted(void **state)
{
	struct weir_text text = write_markdown(fixture_gate_many(5000), 0, NULL);

	(void)state;
	assert_true(text.length <= WEIR_WRITE_BUDGET);
	assert_int_equal(count_of(&text, "\n| <code>"), 10);
	assert_has(&text, "\nand 1657 more that regressed\n");
	assert_tables_are_whole(text.data);
	weir_text_release(&text);
}

/* Every budget is kept; what is dropped first is what is folded, then rows, never the answer. */
static void the_budget_is_kept_and_the_answer_stays(void **state)
{
	static const char answer[] = "### weir: regression, 1,667 findings in 8 rows\n\n**stage ";
	size_t rows_before = 10;
	bool folded_before = true;

	(void)state;
	for (size_t budget = 60000; budget >= 500; budget -= 500) {
		struct weir_text text = write_markdown(fixture_gate_many(5000), budget, NULL);
		size_t rows = count_of(&text, "\n| <code>");
		bool folded = strstr(text.data, "<details>") != NULL;

		assert_true(text.length <= budget);
		assert_memory_equal(text.data, answer, strlen(answer));
		assert_true(rows <= rows_before);
		assert_true(folded_before || !folded);
		assert_true(!folded || rows == 10);
		assert_int_equal(count_of(&text, "<details>"), count_of(&text, "</details>"));
		rows_before = rows;
		folded_before = folded;
		weir_text_release(&text);
	}
	assert_int_equal(rows_before, 0);
	assert_false(folded_before);
}

static void a_budget_below_the_answer_still_gives_the_answer(void **state)
{
	struct weir_text text = write_markdown(fixture_gate_hostile(), 1, NULL);

	(void)state;
	assert_has(&text, "### weir: regression, ");
	assert_true(text.length < 2000);
	weir_text_release(&text);
}

static void only_an_address_of_the_web_becomes_a_link(void **state)
{
	struct weir_text text =
		write_markdown(fixture_gate_pass(), 0, "https://ci.example.org/1?a=b)\n<script>");

	(void)state;
	assert_has(&text, " · [job](https://ci.example.org/1?a=b%29%0A%3Cscript%3E)");
	weir_text_release(&text);
	text = write_markdown(fixture_gate_pass(), 0, "javascript:alert(1)");
	assert_has_not(&text, "[job]");
	weir_text_release(&text);
}

static void the_origin_names_commit_job_and_page(void **state)
{
	const struct weir_write_options options = {
		.link = "https://ci.example.org/job/7",
		.page = "https://ci.example.org/gate.html",
		.commit = "0123456789abcdef0123456789abcdef01234567"};
	struct weir_gate_result *result = fixture_gate_pass();
	struct weir_text text;

	(void)state;
	result->command = "weir gate run-1.json 'run 2.json' --baseline main-h200";
	text = fixture_gate_write("markdown", result, &options);
	assert_has(&text, "Reproduce: <code>weir gate run-1.json 'run 2.json' --baseline "
	                  "main-h200</code> · commit <code>0123456789</code>");
	assert_has(&text, "</code> · [job](https://ci.example.org/job/7) · "
	                  "[page](https://ci.example.org/gate.html)\n");
	assert_has_not(&text, "**Inconclusive**"); /* a pass lists no undecided rows */
	weir_text_release(&text);
	weir_gate_result_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_stands_first),
		cmocka_unit_test(parts_come_in_the_order_of_what_matters),
		cmocka_unit_test(suspects_stand_in_the_open),
		cmocka_unit_test(names_stay_in_their_cell),
		cmocka_unit_test(ten_rows_are_shown_and_the_rest_counted),
		cmocka_unit_test(the_budget_is_kept_and_the_answer_stays),
		cmocka_unit_test(a_budget_below_the_answer_still_gives_the_answer),
		cmocka_unit_test(the_origin_names_commit_job_and_page),
		cmocka_unit_test(only_an_address_of_the_web_becomes_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
