/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ci/policy/day.h"
#include "ci/policy/policy.h"
#include "tests/unit/near.h"

/* The example of the documentation. */
static const char documented[] =
	"{ \"version\": 1,\n"
	"  \"warmup\": \"auto\",\n"
	"  \"margins\": { \"p50\": 0.03, \"p90\": 0.05, \"p95\": 0.05, \"p99\": 0.10,\n"
	"    \"shift\": 0.03, \"value\": 0.05 },\n"
	"  \"alpha\": { \"operators\": 0.01, \"stages\": 0.01 },\n"
	"  \"rules\": [ { \"scope\": \"stage:decode*\", \"metric\": \"p99\", \"margin\": 0.06,\n"
	"      \"min_change_ns\": 50000, \"severity\": \"fail\" },\n"
	"    { \"scope\": \"operator:*/aten::copy_\", \"severity\": \"ignore\" } ],\n"
	"  \"slo\": [ { \"scope\": \"stage:prefill\", \"metric\": \"p99\", \"max_ms\": 450 } ],\n"
	"  \"environment\": { \"must\": [\"gpu\", \"gpu_count\"],\n"
	"    \"warn\": [\"driver\", \"cuda\", \"torch\"] },\n"
	"  \"waivers\": [ { \"scope\": \"stage:decode\", \"metric\": \"p99\", \"up_to\": 0.12,\n"
	"      \"reason\": \"fp8 fallback\", \"issue\": \"URL\", \"expires\": \"2027-01-31\" } ],\n"
	"  \"stages\": { \"queue\": [\"my_wait\"] },\n"
	"  \"cost\": { \"usd_per_gpu_hour\": 3.2 },\n"
	"  \"environment_aliases\": { \"NVIDIA H200 NVL\": \"NVIDIA H200\" } }\n";

static struct weir_policy *parse(const char *text)
{
	struct weir_policy *policy = NULL;
	struct weir_error err = {0};

	if (weir_policy_parse("weir.json", text, strlen(text), &policy, &err))
		fail_msg("%s: %s", text, err.message);
	return policy;
}

static void the_documented_example_is_read_to_the_last_value(void **state)
{
	struct weir_policy *policy = parse(documented);

	(void)state;
	assert_string_equal(policy->path, "weir.json");
	assert_int_equal(policy->warmup, WEIR_WARMUP_AUTO);
	assert_near(policy->margins[WEIR_METRIC_P50], 0.03, 0);
	assert_near(policy->margins[WEIR_METRIC_P90], 0.05, 0);
	assert_near(policy->margins[WEIR_METRIC_P95], 0.05, 0);
	assert_near(policy->margins[WEIR_METRIC_P99], 0.10, 0);
	assert_near(policy->margins[WEIR_METRIC_SHIFT], 0.03, 0);
	assert_near(policy->margins[WEIR_METRIC_VALUE], 0.05, 0);
	assert_near(policy->alpha_operators, 0.01, 0);
	assert_near(policy->alpha_stages, 0.01, 0);
	assert_int_equal(policy->slo_count, 1);
	assert_string_equal(policy->slos[0].scope, "stage:prefill");
	assert_int_equal(policy->slos[0].metric, WEIR_METRIC_P99);
	assert_near(policy->slos[0].max_ns, 450e6, 0);
	assert_int_equal(policy->must_count, 2);
	assert_string_equal(policy->must[1], "gpu_count");
	assert_int_equal(policy->warn_count, 3);
	assert_string_equal(policy->warn[2], "torch");
	assert_int_equal(policy->stage_count, 1);
	assert_string_equal(policy->stages[0].kind, "queue");
	assert_string_equal(policy->stages[0].name, "my_wait");
	assert_near(policy->usd_per_gpu_hour, 3.2, 0);
	assert_int_equal(policy->alias_count, 1);
	assert_string_equal(weir_policy_canonical(policy, "NVIDIA H200 NVL"), "NVIDIA H200");
	assert_string_equal(weir_policy_canonical(policy, "NVIDIA H100"), "NVIDIA H100");
	assert_null(weir_policy_canonical(policy, NULL));
	weir_policy_free(policy);
}

static void rules_and_waivers_of_the_example_are_whole(void **state)
{
	struct weir_policy *policy = parse(documented);
	const struct weir_policy_rule *rules = policy->rules;
	const struct weir_policy_waiver *waiver = policy->waivers;

	(void)state;
	assert_int_equal(policy->rule_count, 2);
	assert_string_equal(rules[0].scope, "stage:decode*");
	assert_true(rules[0].has_metric);
	assert_int_equal(rules[0].metric, WEIR_METRIC_P99);
	assert_near(rules[0].margin, 0.06, 0);
	assert_near(rules[0].min_change_ns, 50000, 0);
	assert_int_equal(rules[0].severity, WEIR_SEVERITY_FAIL);
	assert_string_equal(rules[1].scope, "operator:*/aten::copy_");
	assert_false(rules[1].has_metric);
	assert_near(rules[1].margin, NAN, 0);
	assert_near(rules[1].min_change_ns, 0, 0);
	assert_int_equal(rules[1].severity, WEIR_SEVERITY_IGNORE);
	assert_int_equal(policy->waiver_count, 1);
	assert_string_equal(waiver->scope, "stage:decode");
	assert_true(waiver->has_metric);
	assert_int_equal(waiver->metric, WEIR_METRIC_P99);
	assert_near(waiver->waiver.up_to, 0.12, 0);
	assert_string_equal(waiver->waiver.reason, "fp8 fallback");
	assert_string_equal(waiver->waiver.issue, "URL");
	assert_string_equal(waiver->waiver.expires, "2027-01-31");
	weir_policy_free(policy);
}

static void an_empty_configuration_is_the_defaults(void **state)
{
	struct weir_policy *policy = parse("{}"), *example = parse(documented);

	(void)state;
	for (size_t i = 0; i < WEIR_METRIC_COUNT; i++)
		assert_near(policy->margins[i], example->margins[i], 0);
	assert_near(policy->alpha_stages, example->alpha_stages, 0);
	assert_int_equal(policy->must_count, example->must_count);
	assert_int_equal(policy->warn_count, example->warn_count);
	assert_string_equal(policy->must[0], "gpu");
	assert_int_equal(policy->rule_count + policy->slo_count + policy->waiver_count, 0);
	assert_near(policy->usd_per_gpu_hour, NAN, 0);
	weir_policy_free(policy);
	weir_policy_free(example);
}

static void empty_lists_replace_the_defaults(void **state)
{
	struct weir_policy *policy =
		parse("{\"environment\": {\"must\": []}, \"warmup\": 3, \"rules\": []}");

	(void)state;
	assert_int_equal(policy->must_count, 0);
	assert_int_equal(policy->warn_count, 3);
	assert_int_equal(policy->warmup, 3);
	weir_policy_free(policy);
}

/* Faults and the message for each. */
static const struct {
	const char *text, *names;
} faults[] = {
	{"", "weir.json: is empty"},
	{"[]", "weir.json: expected an object"},
	{"{\"margns\": {}}", "margns: unknown key, did you mean margins?"},
	{"{\"margins\": {\"p51\": 0.1}}", "margins: p51: unknown key, did you mean p5"},
	{"{\"alpha\": {\"stage\": 0.1}}", "alpha: stage: unknown key, did you mean stages?"},
	{"{\"rules\": [{\"scope\": \"a\"}, {\"scop\": \"b\"}]}",
         "rules[1]: scop: unknown key, did you mean scope?"},
	{"{\"slo\": [{\"max_s\": 1}]}", "slo[0]: max_s: unknown key, did you mean max_ms?"},
	{"{\"waivers\": [{\"reasn\": \"\"}]}",
         "waivers[0]: reasn: unknown key, did you mean reason?"},
	{"{\"environment\": {\"mst\": []}}", "environment: mst: unknown key, did you mean must?"},
	{"{\"stages\": {\"queu\": []}}", "stages: queu: unknown key, did you mean queue?"},
	{"{\"cost\": {\"usd_per_hour\": 1}}", "cost: usd_per_hour: unknown key"},
	{"{\"version\": 2}", "version: this weir reads version 1"},
	{"{\"version\": \"1\"}", "version: expected a number"},
	{"{\"warmup\": -1}", "warmup: expected"},
	{"{\"warmup\": 1.5}", "warmup: expected"},
	{"{\"warmup\": \"some\"}", "warmup: expected"},
	{"{\"warmup\": null}", "warmup: expected"},
	{"{\"margins\": 3}", "margins: expected an object"},
	{"{\"margins\": {\"p50\": \"3%\"}}", "margins: p50: expected a number"},
	{"{\"margins\": {\"p50\": 0}}", "margins: p50: expected a number above 0"},
	{"{\"margins\": {\"p50\": 1e999}}", "margins: p50: expected a number above 0"},
	{"{\"alpha\": {\"stages\": 0.5}}", "alpha: stages: expected a number above 0"},
	{"{\"rules\": {}}", "rules: expected a list"},
	{"{\"rules\": [7]}", "rules[0]: expected an object"},
	{"{\"rules\": [{}]}", "rules[0]: scope: expected a pattern"},
	{"{\"rules\": [{\"scope\": \"\"}]}", "rules[0]: scope: expected a pattern"},
	{"{\"rules\": [{\"scope\": 1}]}", "rules[0]: scope: expected text"},
	{"{\"rules\": [{\"scope\": \"a\", \"metric\": \"p98\"}]}",
         "rules[0]: metric: \"p98\" is not one of"},
	{"{\"rules\": [{\"scope\": \"a\", \"margin\": -0.1}]}", "rules[0]: margin: "},
	{"{\"rules\": [{\"scope\": \"a\", \"min_change_ns\": -1}]}", "rules[0]: min_change_ns: "},
	{"{\"rules\": [{\"scope\": \"a\", \"min_change_ns\": 1e999}]}",
         "rules[0]: min_change_ns: "},
	{"{\"rules\": [{\"scope\": \"a\", \"severity\": \"error\"}]}",
         "rules[0]: severity: expected fail, warn or ignore"},
	{"{\"slo\": [{\"scope\": \"a\", \"max_ms\": 1}]}", "slo[0]: metric: expected one"},
	{"{\"slo\": [{\"scope\": \"a\", \"metric\": \"value\", \"max_ms\": 1}]}",
         "slo[0]: metric: expected one of p50"},
	{"{\"slo\": [{\"scope\": \"a\", \"metric\": \"p99\"}]}", "slo[0]: max_ms: "},
	{"{\"slo\": [{\"scope\": \"a\", \"metric\": \"p99\", \"max_ms\": -1}]}",
         "slo[0]: max_ms: "},
	{"{\"waivers\": [{\"scope\": \"a\"}]}", "waivers[0]: up_to: "},
	{"{\"waivers\": [{\"scope\": \"a\", \"up_to\": 0.1}]}", "waivers[0]: reason: "},
	{"{\"waivers\": [{\"scope\": \"a\", \"up_to\": 0.1, \"reason\": \"r\"}]}",
         "waivers[0]: expires: "},
	{"{\"waivers\": [{\"scope\": \"a\", \"up_to\": 0.1, \"reason\": \"r\","
         " \"expires\": \"2027-13-01\"}]}",
         "waivers[0]: expires: "},
	{"{\"waivers\": [{\"scope\": \"a\", \"up_to\": 0.1, \"reason\": \"r\","
         " \"expires\": \"2027-1-01\"}]}",
         "waivers[0]: expires: "},
	{"{\"environment\": {\"must\": \"gpu\"}}", "environment: must: expected a list"},
	{"{\"environment\": {\"warn\": [\"a\", 1]}}", "environment: warn[1]: expected text"},
	{"{\"stages\": {\"queue\": \"wait\"}}", "stages: queue: expected a list"},
	{"{\"cost\": {\"usd_per_gpu_hour\": -1}}", "cost: usd_per_gpu_hour: "},
	{"{\"cost\": {\"usd_per_gpu_hour\": 0}}", "cost: usd_per_gpu_hour: "},
	{"{\"environment_aliases\": {\"a\": 1}}", "environment_aliases: a: expected text"},
	{"{\"version\": 1, \"version\": 1}", "version: comes twice"},
	{"{\"rules\": [{\"scope\": \"a\", \"scope\": \"b\"}]}", "rules[0]: scope: comes twice"},
};

static void faults_are_refused_by_key_and_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct weir_policy *policy = NULL;
		struct weir_error err = {0};

		if (weir_policy_parse("weir.json", faults[i].text, strlen(faults[i].text), &policy,
		                      &err) != WEIR_E_USAGE)
			fail_msg("%s: was accepted", faults[i].text);
		if (strncmp(err.message, "weir.json: ", 11) != 0 ||
		    !strstr(err.message, faults[i].names))
			fail_msg("%s: \"%s\" does not say \"%s\"", faults[i].text, err.message,
			         faults[i].names);
		assert_null(policy);
	}
}

static void the_first_matching_rule_counts(void **state)
{
	struct weir_policy *policy = parse(
		"{\"rules\": [{\"scope\": \"stage:decode\", \"metric\": \"p99\", \"margin\": 0.5},"
		"{\"scope\": \"stage:*\", \"margin\": 0.2},"
		"{\"scope\": \"stage:decode\", \"margin\": 0.3},"
		"{\"scope\": \"device:*\", \"severity\": \"warn\"}]}");

	(void)state;
	assert_near(weir_policy_margin(policy, "stage:decode", WEIR_METRIC_P99), 0.5, 0);
	assert_near(weir_policy_margin(policy, "stage:decode", WEIR_METRIC_P50), 0.2, 0);
	assert_near(weir_policy_margin(policy, "stage:prefill", WEIR_METRIC_P99), 0.2, 0);
	assert_near(weir_policy_margin(policy, "device:decode", WEIR_METRIC_P99), 0.1, 0);
	assert_near(weir_policy_margin(policy, "metric:x", WEIR_METRIC_VALUE), 0.05, 0);
	assert_ptr_equal(weir_policy_rule_for(policy, "device:x", WEIR_METRIC_P50),
	                 &policy->rules[3]);
	assert_null(weir_policy_rule_for(policy, "metric:x", WEIR_METRIC_VALUE));
	weir_policy_free(policy);
}

static void patterns_match_whole_scopes(void **state)
{
	static const struct {
		const char *pattern, *scope;
		bool matches;
	} cases[] = {
		{"stage:decode*", "stage:decode", true},
		{"stage:decode*", "stage:decode_graph", true},
		{"stage:decode", "stage:decode_graph", false},
		{"decode", "stage:decode", false},
		{"operator:*/aten::copy_", "operator:decode/aten::copy_", true},
		{"operator:*/aten::copy_", "operator:a/b/aten::copy_", true},
		{"operator:*/aten::copy_", "operator:decode/aten::copy", false},
		{"stage:?", "stage:x", true},
		{"stage:[ab]", "stage:b", true},
		{"operator:d/f(int [2])", "operator:d/f(int [2])", true},
		{"all-operators", "all-operators", true},
		{"stage:\\*", "stage:\\x", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (weir_scope_matches(cases[i].pattern, cases[i].scope) != cases[i].matches)
			fail_msg("\"%s\" against \"%s\"", cases[i].pattern, cases[i].scope);
}

static void days_that_do_not_exist_are_no_days(void **state)
{
	static const char *const days[] = {"2027-01-31", "2028-02-29", "2000-02-29", "2027-04-30"};
	static const char *const others[] = {"2027-02-31", "2027-02-29", "1900-02-29", "2027-04-31",
	                                     "2027-01-00", "2027-00-10", "2027-13-01", "2027-1-01",
	                                     "2027-01-32", "2027-01-310"};
	char after[WEIR_DAY_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof days / sizeof *days; i++)
		assert_true(weir_day_is_valid(days[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(weir_day_is_valid(others[i]));
	assert_true(weir_day_after("2026-12-31", 1, after));
	assert_string_equal(after, "2027-01-01");
	assert_true(weir_day_after("2027-02-28", 0, after));
	assert_string_equal(after, "2027-02-28");
	assert_false(weir_day_after("9999-12-31", 1, after));
	assert_false(weir_day_after("2027-02-31", 1, after));
}

static void a_waiver_holds_through_its_last_day(void **state)
{
	struct weir_policy *policy = parse(documented);

	(void)state;
	weir_policy_set_today(policy, "2027-01-31");
	assert_false(policy->waivers[0].waiver.expired);
	weir_policy_set_today(policy, "2027-02-01");
	assert_true(policy->waivers[0].waiver.expired);
	weir_policy_set_today(policy, "2026-12-31");
	assert_false(policy->waivers[0].waiver.expired);
	weir_policy_free(policy);
}

static void a_valid_waiver_behind_a_void_one_covers(void **state)
{
	struct weir_policy *policy = parse(
		"{\"waivers\": ["
		"{\"scope\": \"stage:a\", \"up_to\": 0.5, \"reason\": \"old\", \"expires\": "
		"\"2020-01-01\"},"
		"{\"scope\": \"stage:*\", \"up_to\": 0.1, \"reason\": \"small\", \"expires\": "
		"\"2099-01-01\"},"
		"{\"scope\": \"stage:a\", \"metric\": \"p50\", \"up_to\": 0.3, \"reason\": "
		"\"large\", \"expires\": \"2099-01-01\"}]}");

	(void)state;
	weir_policy_set_today(policy, "2026-11-20");
	assert_ptr_equal(weir_policy_waiver_for(policy, "stage:a", WEIR_METRIC_P50, 0.05),
	                 &policy->waivers[1]);
	assert_ptr_equal(weir_policy_waiver_for(policy, "stage:a", WEIR_METRIC_P50, 0.2),
	                 &policy->waivers[2]);
	assert_ptr_equal(weir_policy_waiver_for(policy, "stage:a", WEIR_METRIC_P99, 0.2),
	                 &policy->waivers[0]);
	assert_null(weir_policy_waiver_for(policy, "device:a", WEIR_METRIC_P50, 0.2));
	weir_policy_free(policy);
}

static void too_long_a_list_is_refused(void **state)
{
	static char text[32 * (WEIR_POLICY_MAX_LIST + 2)];
	struct weir_policy *policy = NULL;
	struct weir_error err = {0};
	size_t at = (size_t)snprintf(text, sizeof text, "{\"rules\": [");

	(void)state;
	for (int i = 0; i <= WEIR_POLICY_MAX_LIST; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s{\"scope\": \"a\"}",
		                       i > 0 ? "," : "");
	snprintf(text + at, sizeof text - at, "]}");
	assert_int_equal(weir_policy_parse("weir.json", text, strlen(text), &policy, &err),
	                 WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "rules: more than 1000 entries"));
}

static void a_named_file_must_be_there(void **state)
{
	struct weir_policy *policy = NULL;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_policy_load("no/such/weir.json", &policy, &err), WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "no/such/weir.json"));
	assert_null(policy);
}

static void a_file_is_loaded_and_the_usual_one_may_be_absent(void **state)
{
	char folder[] = "/tmp/weir-policy-XXXXXX", before[4096];
	struct weir_policy *policy = NULL;
	struct weir_error err = {0};
	FILE *file;

	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(weir_policy_load(NULL, &policy, &err), WEIR_OK);
	assert_null(policy->path);
	weir_policy_free(policy);
	file = fopen(WEIR_POLICY_FILE, "w");
	assert_non_null(file);
	assert_true(fputs("{\"warmup\": 7}", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(weir_policy_load(NULL, &policy, &err), WEIR_OK);
	assert_int_equal(policy->warmup, 7);
	assert_string_equal(policy->path, WEIR_POLICY_FILE);
	weir_policy_free(policy);
	assert_int_equal(remove(WEIR_POLICY_FILE), 0);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_documented_example_is_read_to_the_last_value),
		cmocka_unit_test(rules_and_waivers_of_the_example_are_whole),
		cmocka_unit_test(an_empty_configuration_is_the_defaults),
		cmocka_unit_test(empty_lists_replace_the_defaults),
		cmocka_unit_test(faults_are_refused_by_key_and_place),
		cmocka_unit_test(the_first_matching_rule_counts),
		cmocka_unit_test(patterns_match_whole_scopes),
		cmocka_unit_test(days_that_do_not_exist_are_no_days),
		cmocka_unit_test(a_waiver_holds_through_its_last_day),
		cmocka_unit_test(a_valid_waiver_behind_a_void_one_covers),
		cmocka_unit_test(too_long_a_list_is_refused),
		cmocka_unit_test(a_named_file_must_be_there),
		cmocka_unit_test(a_file_is_loaded_and_the_usual_one_may_be_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
