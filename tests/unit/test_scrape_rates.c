/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates that servers state as gauges of one instant. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_scrape.h"
#include "tests/unit/near.h"

#define GAUGED(name, value) "# TYPE " name " gauge\n" name "{model_name=\"m\"} " value "\n"

#define COUNTED(name, value) "# TYPE " name " counter\n" name "{model_name=\"m\"} " value "\n"

static const struct weir_stage_aliases no_aliases;

/* Expects the first and the last value of the rate of generation on pages a millisecond apart. */
static void expect_rates(const char *const *pages, size_t count, double first, double last)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_scrape_figures figures;

	for (size_t i = 0; i < count; i++) {
		scrape_of(&weir_reader_prometheus, profile, pages[i]);
		profile->inputs[i].scrape->at_ns = 1000000 * (int64_t)(i + 1);
	}
	assert_true(weir_scrape_figures_collect(profile, &no_aliases, &figures));
	assert_near(figures.generation_rate_at.first, first, 1e-12);
	assert_near(figures.generation_rate_at.last, last, 1e-12);
	weir_scrape_figures_release(&figures);
	weir_profile_free(profile);
}

static void a_rate_of_generation_is_of_the_instants_of_the_pages(void **state)
{
	static const char *const sglang[] = {GAUGED("sglang:gen_throughput", "120.5"),
	                                     GAUGED("sglang:gen_throughput", "0")};
	static const char *const vllm[] = {
		GAUGED("vllm:avg_generation_throughput_toks_per_s", "33.5")};

	(void)state;
	expect_rates(sglang, 1, 120.5, 120.5);
	expect_rates(sglang, 2, 120.5, 0);
	expect_rates(vllm, 1, 33.5, 33.5);
}

/* Returns the figures of one page. */
static struct weir_scrape_figures figures_of(const char *page)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_scrape_figures figures;

	scrape_of(&weir_reader_prometheus, profile, page);
	assert_true(weir_scrape_figures_collect(profile, &no_aliases, &figures));
	weir_profile_free(profile);
	return figures;
}

static void a_hit_rate_above_one_is_in_percent(void **state)
{
	static const struct {
		const char *page;
		double rate;
	} cases[] = {
		{GAUGED("sglang:cache_hit_rate", "62.5"), 0.625},
		{GAUGED("sglang:cache_hit_rate", "0.625"), 0.625},
		{GAUGED("sglang:cache_hit_rate", "1"), 1},
		{GAUGED("sglang:cache_hit_rate", "100"), 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_scrape_figures figures = figures_of(cases[i].page);

		assert_near(figures.cache_hit_rate, cases[i].rate, 1e-12);
		weir_scrape_figures_release(&figures);
	}
}

static void a_hit_rate_that_no_unit_explains_is_unknown(void **state)
{
	struct weir_scrape_figures figures = figures_of(GAUGED("sglang:cache_hit_rate", "250"));

	(void)state;
	assert_true(isnan(figures.cache_hit_rate));
	weir_scrape_figures_release(&figures);
}

static void tokens_in_the_cache_are_of_the_moment_of_the_page(void **state)
{
	struct weir_scrape_figures figures = figures_of(GAUGED("llamacpp:kv_cache_tokens", "320"));

	(void)state;
	assert_near(figures.cache_tokens_at.last, 320, 0);
	weir_scrape_figures_release(&figures);
}

static void aborted_requests_are_not_failed_ones(void **state)
{
	struct weir_scrape_figures figures =
		figures_of(COUNTED("sglang:num_requests_total", "40")
	                           COUNTED("sglang:num_aborted_requests_total", "7"));

	(void)state;
	assert_near(figures.requests, 40, 0);
	assert_near(figures.aborted, 7, 0);
	assert_true(isnan(figures.failed));
	weir_scrape_figures_release(&figures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_of_generation_is_of_the_instants_of_the_pages),
		cmocka_unit_test(a_hit_rate_above_one_is_in_percent),
		cmocka_unit_test(a_hit_rate_that_no_unit_explains_is_unknown),
		cmocka_unit_test(tokens_in_the_cache_are_of_the_moment_of_the_page),
		cmocka_unit_test(aborted_requests_are_not_failed_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
