/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/document.h"
#include "tests/unit/fixture_gate.h"

static struct weir_text write_html(struct weir_gate_result *result)
{
	struct weir_text text = fixture_gate_write("html", result, NULL);

	weir_gate_result_free(result);
	return text;
}

/* The drawing of the first row of a regression whose change and interval are set. */
static struct weir_text draw(double change, double low, double high, double margin)
{
	struct weir_gate_result *result = fixture_gate_suspect();
	struct weir_text text = {0}, page;
	const char *start;

	result->rows[0].change = change;
	result->rows[0].low = low;
	result->rows[0].high = high;
	result->rows[0].margin = margin;
	page = fixture_gate_write("html", result, NULL);
	start = strstr(page.data, "<td class=\"cell-drawing\">") +
	        strlen("<td class=\"cell-drawing\">");
	weir_text_add(&text, start, (size_t)(strstr(start, "</td>") - start));
	weir_text_release(&page);
	weir_gate_result_free(result);
	return text;
}

static void assert_order(const struct weir_text *text, const char *const *parts)
{
	const char *at = text->data;

	for (; at && *parts; parts++) {
		at = strstr(at, *parts);
		if (!at)
			fail_msg("no \"%s\" behind the parts before it", *parts);
	}
}

static void the_page_is_whole_and_needs_nothing_else(void **state)
{
	(void)state;
	for (const fixture_gate_maker *make = fixture_gates; *make; make++) {
		struct weir_text text = write_html((*make)());

		assert_balanced(&text);
		assert_has(&text, "content=\"default-src 'none'; style-src 'unsafe-inline'; "
		                  "script-src 'sha256-");
		assert_has(&text, "prefers-color-scheme: dark");
		assert_one_script(&text);
		assert_has_not(&text, "<link");
		assert_has_not(&text, "src=");
		assert_has_not(&text, "href=");
		assert_has_not(&text, "url(");
		weir_text_release(&text);
	}
}

static void the_answer_comes_first_and_what_to_do_next(void **state)
{
	static const char *const parts[] = {
		"<title>weir: regression: aten::copy_ in decode_graph takes 45.8 % more",
		"<header class=\"verdict regression\">",
		"(81.2 → 118 us, 90 % interval +41.0 to +51.0 %), +37.2 us per iteration",
		"since run-2026-11-19</h1>",
		"8 baseline runs, 3 candidate runs of 300 samples · NVIDIA H200",
		"<summary>To accept it: put this into weir.json</summary>",
		"<pre>{",
		NULL,
	};
	struct weir_text text = write_html(fixture_gate_regression());

	(void)state;
	assert_order(&text, parts);
	weir_text_release(&text);
}

static void regressions_stand_first_and_what_is_settled_is_folded(void **state)
{
	static const char *const parts[] = {
		"<h3 class=\"regression\">",
		"<tbody class=\"regression\">",
		"<code>decode_graph/aten::copy_</code><div class=\"note\">waiver: EXPIRED",
		"<details><summary>2 more rows</summary>",
		"<code>decode_graph</code>",
		"<h3 class=\"waived\">",
		"<tbody class=\"waived\">",
		"<div class=\"note\">waiver: fp8 fallback; up to 12 %",
		"<tbody class=\"improvement\">",
		"tokens_per_s",
		"<details class=\"card\"><summary>",
		"<tbody class=\"inconclusive\">",
		"<tbody class=\"no-change\">",
		"<code>prefill (device)</code>",
		"</details>",
		NULL,
	};
	struct weir_text text = write_html(fixture_gate_regression());

	(void)state;
	assert_order(&text, parts);
	weir_text_release(&text);
}

static void rows_are_open_where_nothing_else_is_to_be_seen(void **state)
{
	struct weir_text text = write_html(fixture_gate_pass());

	(void)state;
	assert_has(&text, "<details class=\"card\" open><summary>");
	assert_has_not(&text, "What changed");
	weir_text_release(&text);
}

static void figures_stand_beside_every_drawing(void **state)
{
	struct weir_text text = write_html(fixture_gate_regression());

	(void)state;
	assert_has(&text, "<td class=\"cell-baseline right\">572 us</td>");
	assert_has(&text, "<td class=\"cell-candidate right\">599 us</td>");
	assert_has(&text, "<td class=\"cell-change right\">+4.7 %</td>"
	                  "<td class=\"cell-drawing\"><svg ");
	assert_has(&text, "</svg></td><td class=\"cell-interval\">+4.2 to +5.2 %</td>"
	                  "<td class=\"cell-p right\">&#60;1e-6</td>"
	                  "<td class=\"cell-margin right\">3 %</td>");
	weir_text_release(&text);
}

/* One margin is 20 pixels; no change stands at 89. */
static void a_drawing_is_in_units_of_the_margin(void **state)
{
	struct weir_text text = draw(0.06, 0.03, 0.09, 0.03);

	(void)state;
	assert_has(&text, "<rect x=\"69.0\" width=\"40.0\"");
	assert_has(&text, "class=\"range\" x1=\"109.0\" y1=\"9.0\" x2=\"149.0\" y2=\"9.0\"");
	assert_has(&text, "<circle cx=\"129.0\"");
	assert_has_not(&text, "<path");
	weir_text_release(&text);
}

static void what_is_far_off_is_an_arrow_at_the_edge(void **state)
{
	struct weir_text text = draw(-9, -1e300, -0.09, 0.03);

	(void)state;
	assert_has(&text, "x1=\"9.0\" y1=\"9.0\" x2=\"29.0\"");
	assert_has(&text, "<path d=\"M9.0 ");
	assert_has_not(&text, "<circle");
	weir_text_release(&text);
}

static void an_interval_that_leaves_the_drawing_ends_in_arrows(void **state)
{
	struct weir_text text = draw(0.01, -0.9, 0.9, 0.03);

	(void)state;
	assert_has(&text, "class=\"range\" x1=\"9.0\" y1=\"9.0\" x2=\"169.0\" y2=\"9.0\"");
	assert_has(&text, "<path d=\"M9.0 ");
	assert_has(&text, "<path d=\"M169.0 ");
	assert_has(&text, "<circle");
	weir_text_release(&text);
}

static void what_is_not_known_is_not_drawn(void **state)
{
	struct weir_text text = draw(NAN, 0.01, 0.02, 0.03);

	(void)state;
	assert_int_equal(text.length, 0);
	weir_text_release(&text);
	text = draw(0.05, 0.01, 0.02, 0);
	assert_int_equal(text.length, 0);
	weir_text_release(&text);
	text = draw(0.03, NAN, NAN, 0.03);
	assert_has(&text, "<circle cx=\"109.0\"");
	assert_has_not(&text, "range");
	weir_text_release(&text);
}

static void a_bound_that_moved_is_said_in_words(void **state)
{
	struct weir_gate_result *result = fixture_gate_regression();
	struct weir_text text;

	(void)state;
	result->candidate_bound = WEIR_BOUND_RUNTIME;
	text = write_html(result);
	assert_has(&text, "What bounds decode_graph <span class=\"soft\">changed</span>");
	assert_has(&text, "<dt>baseline</dt><dd><b class=\"name memory\">memory</b></dd>\n"
	                  "<dt>candidate</dt><dd><b class=\"name runtime\">runtime</b></dd>");
	weir_text_release(&text);
	text = write_html(fixture_gate_regression());
	assert_has(&text, "as before");
	weir_text_release(&text);
}

static void differences_between_the_machines_are_a_table(void **state)
{
	struct weir_text text = write_html(fixture_gate_environment());

	(void)state;
	assert_has(&text, "<tr class=\"regression\"><td><code>gpu</code></td><td><code>NVIDIA "
	                  "H200</code></td><td><code>NVIDIA A100</code></td><td "
	                  "class=\"name\">must match</td></tr>");
	assert_has(&text, "the same in both</p>\n<ul class=\"clauses\">\n<li>gpu NVIDIA H200</li>");
	weir_text_release(&text);
}

static void names_cannot_become_markup(void **state)
{
	struct weir_text text = write_html(fixture_gate_hostile());

	(void)state;
	assert_one_script(&text);
	assert_has_not(&text, "</code></details> $(id)");
	assert_has_not(&text, "\xe2\x80\xae");
	assert_has_not(&text, "\033");
	assert_has(&text, "&#60;script&#62;alert(1)&#60;/script&#62; @octocat");
	weir_text_release(&text);
}

static void a_page_of_many_rows_says_how_many_it_leaves_out(void **state)
{
	struct weir_text text = write_html(fixture_gate_many(3000));

	(void)state;
	assert_balanced(&text);
	assert_has(&text, "more findings, in the JSON");
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_is_whole_and_needs_nothing_else),
		cmocka_unit_test(the_answer_comes_first_and_what_to_do_next),
		cmocka_unit_test(regressions_stand_first_and_what_is_settled_is_folded),
		cmocka_unit_test(rows_are_open_where_nothing_else_is_to_be_seen),
		cmocka_unit_test(figures_stand_beside_every_drawing),
		cmocka_unit_test(a_drawing_is_in_units_of_the_margin),
		cmocka_unit_test(what_is_far_off_is_an_arrow_at_the_edge),
		cmocka_unit_test(an_interval_that_leaves_the_drawing_ends_in_arrows),
		cmocka_unit_test(what_is_not_known_is_not_drawn),
		cmocka_unit_test(a_bound_that_moved_is_said_in_words),
		cmocka_unit_test(differences_between_the_machines_are_a_table),
		cmocka_unit_test(names_cannot_become_markup),
		cmocka_unit_test(a_page_of_many_rows_says_how_many_it_leaves_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
