/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources of the price of devices, and charges inside a window. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/requests/price.h"
#include "engine/readers/reader.h"
#include "tests/unit/near.h"

#define ROUNDING 1e-14
#define NS_PER_S INT64_C(1000000000)

static const int64_t ten_ns = INT64_C(1795168800) * NS_PER_S; /* 2026-11-20T10:00:00Z */
static const struct weir_price_window no_window = {0, 0};

/* Returns a window, in minutes after ten o'clock. */
static struct weir_price_window minutes(int64_t from, int64_t to)
{
	return (struct weir_price_window){ten_ns + from * 60 * NS_PER_S,
	                                  ten_ns + to * 60 * NS_PER_S};
}

static struct weir_profile *profile_of(const char *const *paths)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	for (size_t i = 0; paths[i]; i++)
		if (weir_read_path(profile, paths[i], NULL, &err))
			fail_msg("%s", err.message);
	return profile;
}

#define PROFILE(...) profile_of((const char *const[]){__VA_ARGS__, NULL})

static struct weir_billing *add_billing(struct weir_profile *profile, const char *currency)
{
	struct weir_input *input = weir_profile_add_input(profile, "made.csv");

	input->billing = weir_billing_new();
	if (currency)
		input->billing->currency =
			weir_names_add(input->billing->names, currency, strlen(currency));
	return input->billing;
}

static void add_usage(struct weir_billing *billing, int64_t from, int64_t to, double cost)
{
	struct weir_price_window period = minutes(from, to);
	const struct weir_charge charge = {.start_ns = period.start_ns,
	                                   .end_ns = period.end_ns,
	                                   .cost = cost,
	                                   .quantity = NAN};

	weir_billing_add_charge(billing, &charge);
}

static void settings_take_precedence_over_every_file(void **state)
{
	struct weir_profile *profile =
		PROFILE("tests/data/focus/two_hours.csv", "tests/data/prices/one.csv");
	struct weir_settings settings = weir_no_settings;
	struct weir_price_window window = minutes(0, 60);
	struct weir_price price;

	(void)state;
	settings.cost_per_gpu_hour = 3.2;
	settings.cost_source = "weir.json";
	weir_price_of(&settings, profile, &window, &price);
	assert_near(price.per_gpu_hour, 3.2, 0);
	assert_string_equal(price.source, "weir.json");
	assert_string_equal(price.currency, "USD");
	assert_true(isnan(price.total) && isnan(price.covered));
	assert_null(price.missing);
	weir_profile_free(profile);
}

/* A quarter of the charge at 72.5 an hour, and a quarter of an hour of the two-hour charge of
 * 1.000000000123 - 2. Purchases in advance and taxes do not count as usage. */
static void charges_count_by_their_share_of_the_window(void **state)
{
	struct weir_profile *profile = PROFILE("tests/data/focus/two_hours.csv");
	struct weir_price_window window = minutes(55, 70);
	struct weir_price price;

	(void)state;
	weir_price_of(&weir_no_settings, profile, &window, &price);
	assert_near(price.total, 72.5 / 4 + (1.000000000123 - 2) / 8, ROUNDING);
	assert_near(price.covered, 1, 0);
	assert_string_equal(price.source, "tests/data/focus/two_hours.csv");
	assert_string_equal(price.currency, "USD");
	assert_true(isnan(price.per_gpu_hour)); /* hours of an instance of unknown size */
	weir_profile_free(profile);
}

static void a_price_list_gives_the_gpus_of_an_instance_hour(void **state)
{
	struct weir_profile *profile =
		PROFILE("tests/data/prices/two.csv", "tests/data/focus/two_hours.csv");
	struct weir_price price;

	(void)state;
	weir_price_of(NULL, profile, &no_window, &price);
	assert_near(price.per_gpu_hour, (145 + 1.000000000123 - 2) / 16, ROUNDING);
	assert_true(isnan(price.total));
	assert_string_equal(price.source, "tests/data/focus/two_hours.csv");
	weir_profile_free(profile);
}

static void charges_in_gpu_hours_need_no_price_list(void **state)
{
	struct weir_profile *profile = PROFILE("tests/data/focus/invoiced.csv");
	struct weir_price price;

	(void)state;
	weir_price_of(&weir_no_settings, profile, &no_window, &price);
	assert_near(price.per_gpu_hour, 3, ROUNDING);
	assert_null(price.currency);
	assert_non_null(price.source);
	weir_profile_free(profile);
}

static void time_without_charges_costs_as_much(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_billing *billing = add_billing(profile, "EUR");
	struct weir_price_window window = minutes(30, 90);
	struct weir_price price;

	(void)state;
	add_usage(billing, 0, 60, 10);
	add_usage(billing, 0, 60, 2);
	add_usage(billing, -60, 0, 1000);
	weir_price_of(&weir_no_settings, profile, &window, &price);
	assert_near(price.covered, 0.5, ROUNDING);
	assert_near(price.total, 12, ROUNDING);
	assert_string_equal(price.currency, "EUR");
	weir_profile_free(profile);
}

static void a_window_without_charges_has_no_price(void **state)
{
	struct weir_profile *profile = PROFILE("tests/data/focus/two_hours.csv");
	struct weir_price_window window = minutes(300, 310);
	struct weir_price price;

	(void)state;
	weir_price_of(&weir_no_settings, profile, &window, &price);
	assert_true(isnan(price.total) && isnan(price.per_gpu_hour));
	assert_null(price.source);
	assert_non_null(strstr(price.missing, "no usage charge covers"));
	weir_price_of(&weir_no_settings, profile, &no_window, &price);
	assert_null(price.source);
	assert_non_null(strstr(price.missing, "do not state their GPU hours"));
	weir_profile_free(profile);
}

static void exports_in_two_currencies_have_no_sum(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_price_window window = minutes(0, 60);
	struct weir_price price;

	(void)state;
	add_usage(add_billing(profile, "EUR"), 0, 60, 1);
	add_usage(add_billing(profile, "EUR"), 0, 60, 2);
	weir_price_of(&weir_no_settings, profile, &window, &price);
	assert_near(price.total, 3, ROUNDING);
	add_usage(add_billing(profile, NULL), 0, 60, 4);
	weir_price_of(&weir_no_settings, profile, &window, &price);
	assert_true(isnan(price.total));
	assert_null(price.currency);
	assert_non_null(strstr(price.missing, "different currencies"));
	weir_profile_free(profile);
}

static void the_only_price_of_a_list_is_taken(void **state)
{
	struct weir_profile *profile = PROFILE("tests/data/prices/one.csv");
	struct weir_price price;

	(void)state;
	weir_price_of(&weir_no_settings, profile, &no_window, &price);
	assert_near(price.per_gpu_hour, 98.32 / 8, ROUNDING);
	assert_string_equal(price.currency, "USD");
	assert_string_equal(price.source, "tests/data/prices/one.csv");
	assert_null(price.missing);
	weir_profile_free(profile);
	profile = PROFILE("tests/data/prices/two.csv");
	weir_price_of(&weir_no_settings, profile, &no_window, &price);
	assert_true(isnan(price.per_gpu_hour));
	assert_null(price.source);
	assert_non_null(strstr(price.missing, "several instance types"));
	weir_profile_free(profile);
}

static void without_prices_there_is_no_message(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_price price;

	(void)state;
	weir_profile_add_input(profile, "requests.jsonl");
	weir_price_of(&weir_no_settings, profile, &no_window, &price);
	assert_true(isnan(price.per_gpu_hour) && isnan(price.total));
	assert_null(price.source);
	assert_null(price.missing);
	weir_profile_free(profile);
}

/* Returns whether a charge with this unit counts as hours of a GPU. */
static bool is_gpu_hour(const char *unit)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_billing *billing = add_billing(profile, "USD");
	const struct weir_price_window period = minutes(0, 60);
	const struct weir_charge charge = {
		.start_ns = period.start_ns,
		.end_ns = period.end_ns,
		.cost = 6,
		.quantity = 2,
		.unit = weir_names_add(billing->names, unit, strlen(unit)),
	};
	struct weir_price price;

	weir_billing_add_charge(billing, &charge);
	weir_price_of(&weir_no_settings, profile, &no_window, &price);
	weir_profile_free(profile);
	if (!isnan(price.per_gpu_hour))
		assert_near(price.per_gpu_hour, 3, ROUNDING);
	return !isnan(price.per_gpu_hour);
}

static void a_unit_must_hold_whole_words(void **state)
{
	(void)state;
	assert_true(is_gpu_hour("GPU hour"));
	assert_true(is_gpu_hour("GPU-Hrs"));
	assert_true(is_gpu_hour("h (gpu)"));
	assert_true(is_gpu_hour("1 GPU hours"));
	assert_false(is_gpu_hour("GPU hourly"));
	assert_false(is_gpu_hour("GPUs hour"));
	assert_false(is_gpu_hour("vGPU hour"));
	assert_false(is_gpu_hour("GPU h2"));
	assert_false(is_gpu_hour("GPU 1h"));
	assert_false(is_gpu_hour("GPU second"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_take_precedence_over_every_file),
		cmocka_unit_test(charges_count_by_their_share_of_the_window),
		cmocka_unit_test(a_price_list_gives_the_gpus_of_an_instance_hour),
		cmocka_unit_test(charges_in_gpu_hours_need_no_price_list),
		cmocka_unit_test(time_without_charges_costs_as_much),
		cmocka_unit_test(a_window_without_charges_has_no_price),
		cmocka_unit_test(exports_in_two_currencies_have_no_sum),
		cmocka_unit_test(the_only_price_of_a_list_is_taken),
		cmocka_unit_test(without_prices_there_is_no_message),
		cmocka_unit_test(a_unit_must_hold_whole_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
