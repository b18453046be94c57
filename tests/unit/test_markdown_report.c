/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/plain/escape.h"
#include "tests/unit/document.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"

static struct weir_text write_markdown(struct weir_report *report, size_t top)
{
	struct weir_text text = fixture_write("markdown", report, 80, top);

	fixture_report_free(report);
	return text;
}

static void the_answer_stands_first(void **state)
{
	static const char answer[] =
		"## weir: runtime-bound\n\n**the GPU waits for the host 86 % of the time** "
		"(<code>host-dispatch</code>)\n";
	struct weir_text text = write_markdown(fixture_report_typical(), 0);

	(void)state;
	assert_memory_equal(text.data, answer, strlen(answer));
	weir_text_release(&text);
}

static void tables_hold_what_the_report_says(void **state)
{
	struct weir_text text = write_markdown(fixture_report_typical(), 2);

	(void)state;
	assert_tables_are_whole(text.data);
	assert_has(&text, "\n| runtime | 86 % | █");
	assert_has(&text, "\n| <code>aten::mm</code> | 2,400 | 11.2 us | 13.6 us | 26.9 ms | 58 % "
	                  "| 81 % DRAM | memory |\n");
	assert_has(&text, "\n... 12 more (`--top 14`)\n");
	assert_has(&text,
	           "\n1. **capture the decode step in a CUDA graph**: predicted step 1.35 ms (1.20 "
	           "ms to 1.50 ms), 6.0x faster");
	assert_has(&text, "\n- gpu active 0.13 &#60; 0.60\n");
	weir_text_release(&text);
}

static void names_stay_in_their_cell(void **state)
{
	struct weir_text text = write_markdown(fixture_report_hostile(), 14);

	(void)state;
	assert_tables_are_whole(text.data);
	assert_has(&text, "<code>a&#124;b&#96;c&#96;&#60;img src=x onerror=alert(1)&#62;");
	assert_has_not(&text, "<img");
	assert_has_not(&text, "<script");
	assert_has_not(&text, "@");
	assert_has_not(&text, "https://");
	assert_has_not(&text, "www.");
	assert_has_not(&text, "[x]");
	assert_has_not(&text, "\033");
	assert_has_not(&text, "\xe2\x80\xae");
	assert_has_not(
		&text,
		"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk");
	weir_text_release(&text);
}

static void a_report_without_figures_has_no_empty_tables(void **state)
{
	struct weir_text text = write_markdown(fixture_report_minimal(), 0);

	(void)state;
	assert_has(&text, "## weir: undetermined\n");
	assert_has(&text, "**Next:** record the device as well: activities=&#91;CPU, CUDA&#93;\n");
	assert_has_not(&text, "|");
	assert_has_not(&text, "### ");
	weir_text_release(&text);
}

static void assert_markdown(const char *name, const char *expected)
{
	struct weir_text text = {0};

	weir_escape_markdown(&text, name);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void escaping_keeps_common_names_readable(void **state)
{
	(void)state;
	assert_markdown("aten::add_relu", "aten::add_relu");
	assert_markdown("step_1 (fp8)", "step_1 (fp8)");
	assert_markdown("_x_ *y* ~z~", "&#95;x&#95; &#42;y&#42; &#126;z&#126;");
	assert_markdown("a\r\n# b", "a  &#35;\xe2\x81\xa0 b");
	assert_markdown("@me", "&#64;\xe2\x81\xa0me");
	assert_markdown("</details>", "&#60;/details&#62;");
}

static void assert_cut(const char *name, size_t columns, const char *expected)
{
	struct weir_text text = {0};

	weir_cut(&text, name, columns);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void long_names_are_cut_where_they_tell_least(void **state)
{
	(void)state;
	assert_cut("aten::mm", 8, "aten::mm");
	assert_cut("model.layers.17.self_attn.q_proj", 20, "model.layers.…q_proj");
	assert_cut("gemm_kernel<float, 128, 64, true>", 20, "gemm_kernel<float, …");
	assert_cut("äöüäöüäöü", 4, "äöü…");
	assert_cut("解碼解碼解碼", 8, "解碼解…");
	assert_cut("模型.解碼器.層.17.注意力", 20, "模型.解碼器.…注意力");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_stands_first),
		cmocka_unit_test(tables_hold_what_the_report_says),
		cmocka_unit_test(names_stay_in_their_cell),
		cmocka_unit_test(a_report_without_figures_has_no_empty_tables),
		cmocka_unit_test(escaping_keeps_common_names_readable),
		cmocka_unit_test(long_names_are_cut_where_they_tell_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
