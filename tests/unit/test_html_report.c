/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/document.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"

static struct weir_text write_html(struct weir_report *report)
{
	struct weir_text text = fixture_write("html", report, 80, 14);

	fixture_report_free(report);
	return text;
}

static void the_page_is_whole_and_needs_nothing_else(void **state)
{
	struct weir_text text = write_html(fixture_report_typical());

	(void)state;
	assert_balanced(&text);
	assert_has(
		&text,
		"<title>weir: runtime-bound: the GPU waits for the host 86 % of the time</title>");
	assert_has(&text, "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
	                  "'sha256-");
	assert_has(&text, "prefers-color-scheme: dark");
	assert_one_script(&text);
	assert_has_not(&text, "<link");
	assert_has_not(&text, "src=");
	assert_has_not(&text, "url(");
	assert_has_not(&text, "http:");
	weir_text_release(&text);
}

static void figures_stand_in_the_text_not_only_in_bars(void **state)
{
	struct weir_text text = write_html(fixture_report_typical());

	(void)state;
	assert_has(&text, "<div class=\"bar\" style=\"width:86.20%\"></div></div></td><td "
	                  "class=\"right\">86 %</td>");
	assert_has(&text, "<td class=\"cell-p50 right\">3.35 ms</td>");
	assert_has(&text, "<td class=\"cell-bound\"><span class=\"runtime\">runtime</span></td>");
	assert_has(&text, "<li>kernel p50 2.61 us &#60; 10 us</li>");
	assert_has(&text, "<span class=\"gain\">predicted step 1.35 ms (1.20 ms to 1.50 ms), 6.0x "
	                  "faster</span>");
	assert_has(&text, "<span class=\"soft\">where</span> aten::mm [[8, 4096], [4096, 4096]] "
	                  "(sgemm) in model.py(12): forward: 96 calls, 410 us, 5 %");
	assert_has(&text, "<br>fill: 20.0 us");
	assert_has(&text, "<span class=\"soft\">needs</span> a step without synchronisation: not "
	                  "met, first remove-syncs");
	weir_text_release(&text);
}

static void a_sketch_is_drawn_from_plain_boxes(void **state)
{
	struct weir_text text = write_html(fixture_report_typical());

	(void)state;
	assert_has(&text,
	           "<div class=\"sketch\" aria-hidden=\"true\"><div style=\"height:75.0%\"></div>"
	           "<div style=\"height:100.0%\"></div><div style=\"height:100.0%\"></div>");
	weir_text_release(&text);
}

static void names_cannot_become_markup(void **state)
{
	struct weir_text text = write_html(fixture_report_hostile());

	(void)state;
	assert_balanced(&text);
	assert_has_not(&text, "<img");
	assert_one_script(&text);
	assert_has_not(&text, "\xe2\x80\xae");
	assert_has_not(&text, "\033");
	assert_has(
		&text,
		"&#60;img src=x onerror=alert(1)&#62; @octocat #1 &#38; &#34;q&#34; &#39;q&#39;");
	weir_text_release(&text);
}

static void a_report_without_figures_is_a_page_too(void **state)
{
	struct weir_text text = write_html(fixture_report_minimal());

	(void)state;
	assert_balanced(&text);
	assert_has(&text,
	           "<span class=\"name\">undetermined</span>: the evidence is insufficient</h1>");
	assert_has(&text, "record the device as well: activities=[CPU, CUDA]");
	assert_has_not(&text, "<table");
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_is_whole_and_needs_nothing_else),
		cmocka_unit_test(figures_stand_in_the_text_not_only_in_bars),
		cmocka_unit_test(a_sketch_is_drawn_from_plain_boxes),
		cmocka_unit_test(names_cannot_become_markup),
		cmocka_unit_test(a_report_without_figures_is_a_page_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
