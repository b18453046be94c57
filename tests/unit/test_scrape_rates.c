/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates that servers state as gauges of one instant. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_of_generation_is_of_the_instants_of_the_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
