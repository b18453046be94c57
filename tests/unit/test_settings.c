/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of a run: options override the configuration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/cli/run_options.h"
#include "tests/unit/near.h"

static const struct weir_option options[] = {
	WEIR_COST_OPTION(""),
	WEIR_SETTINGS_OPTION(""),
	{.name = NULL},
};

struct fixture {
	struct weir_arguments *arguments;
	struct weir_policy *policy;
	struct weir_settings settings;
};

/* cost NULL: no option. */
static void set_up(struct fixture *fixture, const char *cost, const char *config)
{
	char name[] = "--cost-per-gpu-hour";
	char value[32] = "";
	char *argv[] = {name, value, NULL};
	struct weir_error err;

	if (cost)
		memcpy(value, cost, strlen(cost) + 1);
	assert_int_equal(weir_arguments_parse("classify", options, cost ? 2 : 0, argv,
	                                      &fixture->arguments, &err),
	                 WEIR_OK);
	assert_int_equal(
		weir_policy_parse("weir.json", config, strlen(config), &fixture->policy, &err),
		WEIR_OK);
	fixture->settings = weir_settings_given(fixture->arguments, fixture->policy);
}

static void tear_down(struct fixture *fixture)
{
	weir_arguments_free(fixture->arguments);
	weir_policy_free(fixture->policy);
}

static void the_option_counts_before_the_configuration(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, "4.5", "{\"cost\": {\"usd_per_gpu_hour\": 3.2}}");
	assert_near(fixture.settings.cost_per_gpu_hour, 4.5, 0);
	assert_string_equal(fixture.settings.cost_source, "--cost-per-gpu-hour");
	tear_down(&fixture);
}

static void the_configuration_counts_where_no_option_is_given(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, NULL, "{\"cost\": {\"usd_per_gpu_hour\": 3.2}}");
	assert_near(fixture.settings.cost_per_gpu_hour, 3.2, 0);
	assert_string_equal(fixture.settings.cost_source, "weir.json");
	tear_down(&fixture);
}

static void what_nobody_states_is_unknown(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, NULL, "{}");
	assert_true(isnan(fixture.settings.cost_per_gpu_hour));
	assert_null(fixture.settings.cost_source);
	assert_int_equal(fixture.settings.aliases.count + fixture.settings.slo_count, 0);
	tear_down(&fixture);
	assert_true(isnan(weir_no_settings.cost_per_gpu_hour));
}

static void names_of_stages_and_service_levels_come_along(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture, NULL,
	       "{\"stages\": {\"queue\": [\"gate\", \"lobby\"], \"h2d\": [\"ferry\"]},"
	       " \"slo\": [{\"scope\": \"stage:total\", \"metric\": \"p95\", \"max_ms\": 250}]}");
	assert_int_equal(fixture.settings.aliases.count, 3);
	assert_string_equal(fixture.settings.aliases.items[1].name, "lobby");
	assert_string_equal(fixture.settings.aliases.items[1].kind, "queue");
	assert_string_equal(fixture.settings.aliases.items[2].kind, "h2d");
	assert_int_equal(fixture.settings.slo_count, 1);
	assert_string_equal(fixture.settings.slos[0].scope, "stage:total");
	assert_int_equal(fixture.settings.slos[0].metric, WEIR_METRIC_P95);
	assert_near(fixture.settings.slos[0].max_ns, 250e6, 0);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_option_counts_before_the_configuration),
		cmocka_unit_test(the_configuration_counts_where_no_option_is_given),
		cmocka_unit_test(what_nobody_states_is_unknown),
		cmocka_unit_test(names_of_stages_and_service_levels_come_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
