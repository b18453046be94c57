/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define SAMPLES "samples/focus/"
#define HEADER                                                                                     \
	"ChargePeriodStart,ChargePeriodEnd,ChargeCategory,EffectiveCost,BilledCost,"               \
	"BillingCurrency,ConsumedQuantity,ConsumedUnit,SkuId,ResourceId,Tags\n"
#define PERIOD "2026-11-20T10:00:00Z,2026-11-20T11:00:00Z,"
#define ROW    PERIOD "Usage,72.5,98.32,USD,1,Hours,GPU,i-1,{}\n"

static const int64_t ten_ns = INT64_C(1795168800000000000); /* 2026-11-20T10:00:00Z */

/* Reads a text, which must succeed. The profile frees the result. */
static const struct weir_billing *billing_of(const char *text, struct weir_profile *profile)
{
	return reading_of(&weir_reader_focus, text, profile)->billing;
}

static void expect_refused(const char *text, enum weir_status status, const char *message)
{
	reading_refuses(&weir_reader_focus, text, status, message);
}

static void expect_name(const struct weir_billing *billing, uint32_t name, const char *text)
{
	assert_string_equal(weir_names_text(billing->names, name), text);
}

static void a_charge_is_read_by_the_names_of_its_columns(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_billing *billing = billing_of(HEADER ROW, profile);
	const struct weir_charge *charge = &billing->charges[0];

	(void)state;
	assert_int_equal(billing->charge_count, 1);
	assert_true(charge->start_ns == ten_ns);
	assert_true(charge->end_ns == ten_ns + INT64_C(3600000000000));
	assert_near(charge->cost, 72.5, 0);
	assert_near(charge->quantity, 1, 0);
	assert_int_equal(charge->category, WEIR_CHARGE_USAGE);
	expect_name(billing, billing->currency, "USD");
	expect_name(billing, charge->unit, "Hours");
	expect_name(billing, charge->sku, "GPU");
	assert_int_equal(charge->meter, 0);
	assert_false(billing->invoiced);
	assert_int_equal(profile->inputs[0].events, 1);
	weir_profile_free(profile);
}

static void invoiced_costs_count_only_without_effective_costs(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_billing *billing =
		billing_of("BilledCost,ChargeCategory,ChargePeriodEnd,ChargePeriodStart\n"
	                   "98.32,Usage,2026-11-20T11:00:00Z,2026-11-20T10:00:00Z\n",
	                   profile);

	(void)state;
	assert_true(billing->invoiced);
	assert_near(billing->charges[0].cost, 98.32, 0);
	assert_true(isnan(billing->charges[0].quantity));
	assert_int_equal(billing->currency, 0);
	weir_profile_free(profile);
	/* An empty cell of an existing column is a fault; the other column does not replace it. */
	expect_refused(HEADER PERIOD "Usage,,98.32,USD,,,,,\n", WEIR_E_FORMAT,
	               "line 2, column EffectiveCost: empty, expected a cost");
}

static void negative_rows_and_long_decimals_are_exact(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_billing *billing =
		billing_of(HEADER PERIOD "Usage,-0.000000000123456789,0,USD,,,,,\n" PERIOD
	                                 "Credit,-1.5E+2,0,USD,,,,,\n",
	                   profile);

	(void)state;
	assert_near(billing->charges[0].cost, -0.000000000123456789, 0);
	assert_near(billing->charges[1].cost, -150, 0);
	assert_int_equal(billing->charges[1].category, WEIR_CHARGE_CREDIT);
	weir_profile_free(profile);
}

static void resources_are_distinguished_and_not_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_billing *billing = billing_of(
		HEADER PERIOD "Usage,1,1,USD,,,,secret-a,\n" PERIOD
			      "Usage,1,1,USD,,,,secret-b,\n" PERIOD
			      "Usage,1,1,USD,,,,secret-a,\n" PERIOD "Usage,1,1,USD,,,,,\n",
		profile);

	(void)state;
	assert_int_equal(billing->charges[0].resource, billing->charges[2].resource);
	assert_true(billing->charges[0].resource != billing->charges[1].resource);
	assert_int_equal(billing->charges[3].resource, 0);
	assert_int_equal(weir_names_find(billing->names, "secret-a", 8), UINT32_MAX);
	weir_profile_free(profile);
}

static void byte_order_marks_line_ends_and_quoted_breaks_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_billing *billing = billing_of(
		"\xef\xbb\xbf\"ChargePeriodStart\",ChargePeriodEnd,ChargeCategory,EffectiveCost,"
		"Tags\r\n\r\n" PERIOD "Usage,1,\"{\"\"a\"\": \"\"x\r\n,y\"\"}\"\r\n" PERIOD
		"\"Usage\",2,null\r\n",
		profile);

	(void)state;
	assert_int_equal(billing->charge_count, 2);
	assert_near(billing->charges[1].cost, 2, 0);
	weir_profile_free(profile);
	/* Line numbers are counted as in an editor. */
	expect_refused(
		"ChargePeriodStart,ChargePeriodEnd,ChargeCategory,EffectiveCost,Tags\n" PERIOD
		"Usage,1,\"a\nb\"\n" PERIOD "Usage,x,\n",
		WEIR_E_FORMAT, "line 4, column EffectiveCost: \"x\"");
}

static void malformed_numbers_are_refused_with_their_place(void **state)
{
	static const char *const costs[] = {"\"$10,000.00 \"",
	                                    "\"1,250.00\"",
	                                    "$5",
	                                    "5 USD",
	                                    "1.5 ",
	                                    "(2.00)",
	                                    "nan",
	                                    "inf",
	                                    "0x10",
	                                    "1e999",
	                                    "--1"};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
		snprintf(text, sizeof text, HEADER ROW PERIOD "Usage,%s,1,USD,,,,,\n", costs[i]);
		expect_refused(text, WEIR_E_FORMAT, "line 3, column EffectiveCost: \"");
	}
	expect_refused(HEADER PERIOD "Usage,1,1,USD,1 000,Hours,,,\n", WEIR_E_FORMAT,
	               "line 2, column ConsumedQuantity: \"1 000\", expected a plain number");
}

static void dates_that_are_not_iso_are_refused_with_their_place(void **state)
{
	static const char *const dates[] = {"5/1/25",     "05/01/2025", "1.5.2025",
	                                    "2025-13-01", "20250501",   "1746057600"};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
		snprintf(text, sizeof text, HEADER "2025-05-01T00:00:00Z,%s,Usage,1,1,USD,,,,,\n",
		         dates[i]);
		expect_refused(text, WEIR_E_FORMAT, "line 2, column ChargePeriodEnd: \"");
	}
	expect_refused(HEADER "2025-05-01,,Usage,1,1,USD,,,,,\n", WEIR_E_FORMAT,
	               "line 2, column ChargePeriodEnd: empty, expected a time");
	expect_refused(HEADER "2025-05-02,2025-05-01,Usage,1,1,USD,,,,,\n", WEIR_E_FORMAT,
	               "line 2, column ChargePeriodEnd: \"2025-05-01\", expected a time after");
}

static void missing_columns_are_refused_by_name(void **state)
{
	(void)state;
	expect_refused("ChargePeriodStart,ChargeCategory,EffectiveCost\n", WEIR_E_FORMAT,
	               "no column ChargePeriodEnd");
	expect_refused("ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ListCost\n", WEIR_E_FORMAT,
	               "no column EffectiveCost");
	expect_refused(HEADER, WEIR_E_EMPTY, "no charges");
	expect_refused("", WEIR_E_FORMAT, "no header with the names of columns");
	expect_refused("ChargePeriodStart,ChargePeriodStart,ChargePeriodEnd\n", WEIR_E_FORMAT,
	               "line 1: two columns ChargePeriodStart");
	expect_refused(HEADER PERIOD "usage,1,1,USD,,,,,\n", WEIR_E_FORMAT,
	               "line 2, column ChargeCategory: \"usage\", expected Usage, Purchase");
	expect_refused(HEADER PERIOD "Usage,1,1,,,,,,\n", WEIR_E_FORMAT,
	               "line 2, column BillingCurrency: empty");
}

static void two_currencies_have_no_sum(void **state)
{
	(void)state;
	expect_refused(HEADER ROW PERIOD "Usage,1,1,EUR,,,,,\n", WEIR_E_FORMAT,
	               "line 3, column BillingCurrency: \"EUR\", expected the currency of");
}

static void ragged_rows_are_refused(void **state)
{
	(void)state;
	expect_refused(HEADER PERIOD "Usage,1\n", WEIR_E_FORMAT,
	               "line 2: 4 cells, but the header names 11: write the file again");
	expect_refused(HEADER PERIOD "Usage,1", WEIR_E_FORMAT, "the file ends in it");
	expect_refused(HEADER PERIOD "Usage,1,1,USD,,,,,,,\n", WEIR_E_FORMAT, "line 2: 13 cells");
	expect_refused(HEADER PERIOD "Usage,1,1,USD,,,,,\"open\n", WEIR_E_FORMAT,
	               "line 2: quotes that do not close");
}

static void other_exports_are_refused_with_advice(void **state)
{
	(void)state;
	expect_refused("identity/LineItemId,lineItem/LineItemType,lineItem/UnblendedCost\n",
	               WEIR_E_FORMAT, "legacy AWS Cost and Usage Report: export it as FOCUS");
	expect_refused("identity_line_item_id,line_item_line_item_type,line_item_unblended_cost\n",
	               WEIR_E_FORMAT, "AWS Cost and Usage Report 2.0: export it as FOCUS");
	expect_refused("billing_account_id,service.id,sku.id,usage_start_time,cost\n",
	               WEIR_E_FORMAT, "GCP billing export: export it as FOCUS");
}

static void a_file_cut_short_at_any_byte_reads_or_is_refused(void **state)
{
	static const char text[] = HEADER ROW ROW;

	(void)state;
	reading_survives_damage(&weir_reader_focus, text);
}

static void exports_are_known_by_their_header(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(HEADER), "focus");
	assert_string_equal(reading_claims("\n" HEADER ROW), "focus");
	assert_string_equal(reading_claims("\"BilledCost\",\"ChargeCategory\"\n"), "focus");
	assert_string_equal(reading_claims("identity/LineItemId,lineItem/UnblendedCost\n"),
	                    "focus");
	assert_string_equal(reading_claims("billing_account_id,usage_start_time\n"), "focus");
	assert_string_equal(reading_claims("BilledCost,cost\n"), "none");
	assert_string_equal(reading_claims("a,b\nChargeCategory,BilledCost\n"), "none");
	assert_string_equal(reading_claims("{\"ChargeCategory\": 1, \"BilledCost\": 2}"), "none");
}

static void the_specifications_own_example_reads(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_billing *billing =
		reading_sample(SAMPLES "commitment_discount_usage_scenario_1.csv",
	                       &weir_reader_focus, NULL, profile)
			->billing;
	const struct weir_charge *charge = &billing->charges[0];

	(void)state;
	assert_int_equal(billing->charge_count, 1);
	assert_near(charge->cost, 1, 0);
	assert_near(charge->quantity, 1, 0);
	expect_name(billing, charge->unit, "Hour");
	assert_true(charge->start_ns == INT64_C(1672531200000000000));
	weir_profile_free(profile);
}

static void the_export_with_money_as_text_is_refused(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	reading_sample(SAMPLES "simple_saas_agreements_a1.csv", NULL,
	               "line 2, column ChargePeriodStart: \"4/1/25\"", profile);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_charge_is_read_by_the_names_of_its_columns),
		cmocka_unit_test(invoiced_costs_count_only_without_effective_costs),
		cmocka_unit_test(negative_rows_and_long_decimals_are_exact),
		cmocka_unit_test(resources_are_distinguished_and_not_kept),
		cmocka_unit_test(byte_order_marks_line_ends_and_quoted_breaks_are_read),
		cmocka_unit_test(malformed_numbers_are_refused_with_their_place),
		cmocka_unit_test(dates_that_are_not_iso_are_refused_with_their_place),
		cmocka_unit_test(missing_columns_are_refused_by_name),
		cmocka_unit_test(two_currencies_have_no_sum),
		cmocka_unit_test(ragged_rows_are_refused),
		cmocka_unit_test(other_exports_are_refused_with_advice),
		cmocka_unit_test(a_file_cut_short_at_any_byte_reads_or_is_refused),
		cmocka_unit_test(exports_are_known_by_their_header),
		cmocka_unit_test(the_specifications_own_example_reads),
		cmocka_unit_test(the_export_with_money_as_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
