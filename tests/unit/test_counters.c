/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes of counted kernels on both sides of each limit, pages about one launch, and notes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/counters/counted_row.h"
#include "engine/analysis/counters/counters.h"
#include "engine/analysis/roofline/roofline.h"
#include "engine/analysis/rows/rows.h"
#include "tests/unit/near.h"

#define LONG_NS 20000

struct figures {
	double value[WEIR_COUNTER_COUNT];
};

static struct figures figures_of(double sm, double memory, double dram, double waves)
{
	struct figures figures;

	for (int c = 0; c < WEIR_COUNTER_COUNT; c++)
		figures.value[c] = NAN;
	figures.value[WEIR_COUNTER_SM] = sm;
	figures.value[WEIR_COUNTER_MEMORY] = memory;
	figures.value[WEIR_COUNTER_DRAM] = dram;
	figures.value[WEIR_COUNTER_WAVES] = waves;
	return figures;
}

static void a_lead_of_ten_points_decides_the_class(void **state)
{
	static const struct {
		double sm, memory, dram, waves, call_ns;
		enum weir_roofline roofline;
	} rows[] = {
		{0.75, 0.25, 0.25, 4, LONG_NS, WEIR_ROOFLINE_COMPUTE},
		{0.75, 0.65, 0.65, 4, LONG_NS, WEIR_ROOFLINE_COMPUTE},
		{0.75, 0.66, 0.66, 4, LONG_NS, WEIR_ROOFLINE_BALANCED},
		{0.65, 0.75, 0.75, 4, LONG_NS, WEIR_ROOFLINE_MEMORY},
		{0.66, 0.75, 0.75, 4, LONG_NS, WEIR_ROOFLINE_BALANCED},
		/* The caches count only if they lead the multiprocessors. */
		{0.65, 0.90, 0.10, 4, LONG_NS, WEIR_ROOFLINE_MEMORY},
		{0.65, 0.70, 0.10, 4, LONG_NS, WEIR_ROOFLINE_COMPUTE},
		{0.65, 0.90, NAN, 4, LONG_NS, WEIR_ROOFLINE_MEMORY},
		{0.65, 0.70, NAN, 4, LONG_NS, WEIR_ROOFLINE_BALANCED},
		{0.65, NAN, 0.90, 4, LONG_NS, WEIR_ROOFLINE_MEMORY},
		/* Low on all sides. */
		{0.59, 0.59, 0.10, 4, LONG_NS, WEIR_ROOFLINE_INEFFICIENT},
		{0.60, 0.59, 0.10, 4, LONG_NS, WEIR_ROOFLINE_COMPUTE},
		{0.59, 0.60, 0.10, 4, LONG_NS, WEIR_ROOFLINE_COMPUTE},
		{0.10, 0.10, 0.59, 4, LONG_NS, WEIR_ROOFLINE_INEFFICIENT},
		{0.10, 0.10, 0.60, 4, LONG_NS, WEIR_ROOFLINE_MEMORY},
		{0.10, 0.10, 0.10, 0.99, LONG_NS, WEIR_ROOFLINE_LATENCY},
		{0.10, 0.10, 0.10, 1, LONG_NS, WEIR_ROOFLINE_INEFFICIENT},
		{0.10, 0.10, 0.10, NAN, WEIR_SHORT_NS, WEIR_ROOFLINE_INEFFICIENT},
		{0.10, 0.10, 0.10, NAN, WEIR_SHORT_NS - 1, WEIR_ROOFLINE_LATENCY},
		{NAN, 0.90, 0.90, 4, LONG_NS, WEIR_ROOFLINE_UNKNOWN},
		{0.90, NAN, NAN, 4, LONG_NS, WEIR_ROOFLINE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct figures figures =
			figures_of(rows[i].sm, rows[i].memory, rows[i].dram, rows[i].waves);
		enum weir_roofline got = weir_counted_class(figures.value, rows[i].call_ns);

		if (got != rows[i].roofline)
			print_error("row %zu\n", i);
		assert_int_equal(got, rows[i].roofline);
	}
}

static void efficiency_is_that_of_the_busier_side(void **state)
{
	(void)state;
	assert_near(weir_counted_efficiency(figures_of(0.7, 0.3, 0.3, 1).value), 0.7, 0);
	assert_near(weir_counted_efficiency(figures_of(0.3, 0.7, 0.2, 1).value), 0.7, 0);
	assert_near(weir_counted_efficiency(figures_of(NAN, 0.7, 0.7, 1).value), NAN, 0);
	assert_near(weir_counted_efficiency(figures_of(0.7, NAN, NAN, 1).value), NAN, 0);
}

static void features_are_set_only_from_what_was_measured(void **state)
{
	double features[WEIR_F_COUNT];
	struct figures figures = figures_of(0.00005, 0.5, 0.5, 3);

	(void)state;
	weir_features_clear(features);
	weir_counted_features(figures.value, "sgemm", features);
	assert_near(features[WEIR_F_WAVES], 3, 0);
	assert_near(features[WEIR_F_BYTES_ROOF], 0.5, 0);
	assert_near(features[WEIR_F_FLOPS_ROOF], 0.00005, 0);
	assert_near(features[WEIR_F_INTENSITY_RATIO], 0.0001 / 0.5, 1e-12);
	assert_near(features[WEIR_F_IMPLAUSIBLE], 0, 0);
	figures = figures_of(0.5, 0.00005, 0.00005, NAN);
	weir_features_clear(features);
	weir_counted_features(figures.value, "sgemm", features);
	assert_near(features[WEIR_F_WAVES], NAN, 0);
	assert_near(features[WEIR_F_INTENSITY_RATIO], 0.5 / 0.0001, 1e-9);
	figures = figures_of(NAN, 0.5, 0.5, 2);
	weir_features_clear(features);
	weir_counted_features(figures.value, "sgemm", features);
	assert_near(features[WEIR_F_WAVES], 2, 0);
	assert_near(features[WEIR_F_BYTES_ROOF], NAN, 0);
	assert_near(features[WEIR_F_IMPLAUSIBLE], NAN, 0);
	figures = figures_of(0.5, NAN, NAN, 2);
	weir_features_clear(features);
	weir_counted_features(figures.value, "sgemm", features);
	assert_near(features[WEIR_F_FLOPS_ROOF], NAN, 0);
}

/* A matrix pipe in use for a hundredth of the time is used. */
static void a_product_without_the_matrix_pipe_leaves_it_idle(void **state)
{
	static const struct {
		const char *name;
		double tensor, idle;
	} rows[] = {
		{"ampere_sgemm_32x32_tn", 0.0099, 1}, {"ampere_sgemm_32x32_tn", 0.01, 0},
		{"ampere_sgemm_32x32_tn", NAN, 1},    {"cutlass_80_tensorop_s1688gemm", NAN, 0},
		{"elementwise_kernel", 0, 0},         {"elementwise_kernel", NAN, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct figures figures = figures_of(0.5, 0.5, 0.5, 2);
		double features[WEIR_F_COUNT];

		figures.value[WEIR_COUNTER_TENSOR] = rows[i].tensor;
		weir_features_clear(features);
		weir_counted_features(figures.value, rows[i].name, features);
		assert_near(features[WEIR_F_MATRIX_UNITS_IDLE], rows[i].idle, 0);
	}
}

/* ---- notes ---- */

static size_t notes(const struct weir_report *report, const char *code)
{
	size_t count = 0;

	for (size_t i = 0; i < report->note_count; i++)
		count += strcmp(report->notes[i].code, code) == 0;
	return count;
}

static const char *bytes_note(double expected, double ratio, bool beyond_cache)
{
	static char text[512];
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_operator_row rows[1] = {{.name = "mm"}};

	rows[0].counted.expected_bytes = expected;
	rows[0].counted.bytes_ratio = ratio;
	rows[0].counted.beyond_cache = beyond_cache;
	report->operators = rows;
	report->operator_count = 1;
	weir_note_counted_join(&(struct weir_counted_join){.share = 0.5, .agree_share = 1}, report);
	text[0] = '\0';
	if (notes(report, "counters_bytes") == 1)
		(void)snprintf(text, sizeof text, "%s", report->notes[report->note_count - 1].text);
	report->operator_count = 0;
	report->operators = NULL;
	weir_report_free(report);
	weir_profile_free(profile);
	return text;
}

static void traffic_far_from_the_model_gets_a_note(void **state)
{
	(void)state;
	assert_string_equal(bytes_note(64. * (1 << 20), 1.25, true), "");
	assert_string_equal(bytes_note(64. * (1 << 20), 0.8, true), "");
	assert_string_equal(bytes_note(64. * (1 << 20), 2.5, false), "");
	assert_non_null(strstr(bytes_note(64. * (1 << 20), 2, true),
	                       "mm moves 32 MiB of DRAM per call, but its shapes predict 64 "
	                       "MiB: its operands share"));
	assert_non_null(strstr(bytes_note(64. * (1 << 20), 0.5, true),
	                       "mm moves 128 MiB of DRAM per call, but its shapes predict 64 "
	                       "MiB: it reads data again"));
}

static void five_rows_apart_get_four_notes(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_operator_row rows[6] = {{0}};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		rows[i].name = "mm";
		rows[i].counted.expected_bytes = 1e9;
		rows[i].counted.bytes_ratio = i == 1 ? 1 : 2;
		rows[i].counted.beyond_cache = true;
	}
	report->operators = rows;
	report->operator_count = 6;
	weir_note_counted_join(&(struct weir_counted_join){.share = 0.5, .agree_share = 0.9},
	                       report);
	assert_int_equal(notes(report, "counters_joined"), 1);
	assert_int_equal(notes(report, "counters_class"), 0);
	assert_int_equal(notes(report, "counters_bytes"), 4);
	report->note_count = 0;
	report->operator_count = 5;
	weir_note_counted_join(&(struct weir_counted_join){.share = 0.5, .agree_share = 0.89},
	                       report);
	assert_int_equal(notes(report, "counters_class"), 1);
	assert_int_equal(notes(report, "counters_bytes"), 4);
	report->operator_count = 0;
	report->operators = NULL;
	weir_report_free(report);
	weir_profile_free(profile);
}

/* ---- pages about one launch ---- */

static struct weir_counted_kernel *add_page(struct weir_counters *counters, const char *name,
                                            int64_t process, int64_t launch)
{
	struct weir_counted_kernel *kernel = weir_counters_add(counters);

	kernel->name = weir_names_add(counters->names, name, strlen(name));
	kernel->process = process;
	kernel->launch = launch;
	return kernel;
}

/* The exact page comes second, in another input, with half of the figures. */
static void exact_pages_come_before_rounded_ones(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_counters *rounded = weir_counters_new(), *exact = weir_counters_new();
	struct weir_counted_kernel *page;
	struct weir_counted *counted;

	(void)state;
	page = add_page(rounded, "k", 7, 1);
	page->rounded = true;
	page->duration_ns = 1000;
	page->value[WEIR_COUNTER_SM] = 0.4;
	page->value[WEIR_COUNTER_WAVES] = 3;
	page = add_page(exact, "k", 7, 1);
	page->duration_ns = 1024;
	page->value[WEIR_COUNTER_SM] = 0.41;
	page = add_page(exact, "k", 7, 2);
	page->duration_ns = 2000;
	page->value[WEIR_COUNTER_SM] = 0.43;
	page = add_page(exact, "k", 6, 1);
	page->duration_ns = 500;
	page = add_page(exact, "j", 7, 3);
	page->duration_ns = 9000;
	weir_profile_add_input(profile, "rounded")->counters = rounded;
	weir_profile_add_input(profile, "exact")->counters = exact;
	counted = weir_counted_new(profile);
	assert_int_equal(counted->count, 2);
	assert_string_equal(counted->items[0].name, "j");
	assert_int_equal(counted->items[1].count, 3);
	assert_near(counted->items[1].durations_ns[0], 500, 0);
	assert_near(counted->items[1].durations_ns[1], 1024, 0);
	assert_near(counted->items[1].durations_ns[2], 2000, 0);
	assert_near(counted->items[1].sum_ns, 3524, 0);
	assert_near(counted->items[1].value[WEIR_COUNTER_SM], 0.42, 1e-12);
	assert_near(counted->items[1].value[WEIR_COUNTER_WAVES], 3, 0);
	assert_near(counted->items[1].value[WEIR_COUNTER_DRAM], NAN, 0);
	assert_int_equal(counted->items[1].launch_count, 4);
	assert_int_equal(counted->launch_count, 5);
	assert_near(counted->total_ns, 12524, 0);
	assert_near(counted->items[0].features[WEIR_F_OPERATOR_SHARE], 9000. / 12524, 1e-12);
	weir_counted_free(counted);
	weir_profile_free(profile);
}

/* Each page without an identity is its own launch. */
static void pages_without_an_identity_stay_apart(void **state)
{
	static const struct {
		int64_t process, launch;
		size_t count;
	} rows[] = {{-1, 1, 2}, {1, -1, 2}, {0, 0, 1}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_counted *counted;

		for (int input = 0; input < 2; input++) {
			struct weir_counters *counters = weir_counters_new();

			add_page(counters, "k", rows[i].process, rows[i].launch)->duration_ns = 5;
			weir_profile_add_input(profile, "page")->counters = counters;
		}
		counted = weir_counted_new(profile);
		assert_int_equal(counted->items[0].count, rows[i].count);
		weir_counted_free(counted);
		weir_profile_free(profile);
	}
}

static void shapes_of_one_kernel_are_groups_of_their_own(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_counters *counters = weir_counters_new();
	struct weir_counted *counted;

	(void)state;
	for (int i = 0; i < 7; i++) {
		struct weir_counted_kernel *page = add_page(counters, "k", 1, i);

		for (int d = 0; d < 3; d++) {
			page->grid[d] = d == i ? 2 : 1;
			page->block[d] = d + 3 == i ? 2 : 1;
		}
		page->duration_ns = 100 - i;
	}
	weir_profile_add_input(profile, "pages")->counters = counters;
	counted = weir_counted_new(profile);
	assert_int_equal(counted->count, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_near(counted->items[i].sum_ns, 100. - (double)i, 0);
		assert_int_equal(counted->items[i].grid[1], i == 1 ? 2 : 1);
		assert_int_equal(counted->items[i].block[2], i == 5 ? 2 : 1);
	}
	weir_counted_free(counted);
	weir_profile_free(profile);
}

/* Expects the rows of kernels, in the order of their names here, to be shown so. */
static void expect_rows(const char *const *names, const char *const *shown, size_t count)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_counters *counters = weir_counters_new();
	struct weir_report *report;
	struct weir_counted *counted;

	for (size_t i = 0; i < count; i++) {
		struct weir_counted_kernel *page = add_page(counters, names[i], 1, (int64_t)i);

		page->duration_ns = 100 - (int64_t)i;
		for (int d = 0; d < 3; d++)
			page->grid[d] = page->block[d] = d ? 1 : (uint32_t)i + 1;
	}
	weir_profile_add_input(profile, "pages")->counters = counters;
	counted = weir_counted_new(profile);
	report = weir_report_new(profile);
	weir_fill_counted_operators(counted, report);
	assert_int_equal(report->operator_count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(report->operators[i].name, shown[i]);
	weir_report_free(report);
	weir_counted_free(counted);
	weir_profile_free(profile);
}

static void kernels_with_one_display_name_are_spelled_out(void **state)
{
	static const char *const names[] = {"void k<int>(int)", "void k<float>(int)",
	                                    "void other<int>(int)", "void m<1>(int)",
	                                    "void m<1>(float)"};
	static const char *const shown[] = {"k<int>", "k<float>", "other", "void m<1>(int)",
	                                    "void m<1>(float)"};

	(void)state;
	expect_rows(names, shown, 5);
}

static void a_kernel_called_kernel_shows_its_template(void **state)
{
	static const char *const names[] = {"enable_if<!T7, void>::type kernel<int, 7>(T13)", ""};
	static const char *const shown[] = {"kernel<int, 7>", "(unnamed kernel)"};

	(void)state;
	expect_rows(names, shown, 2);
}

static void launches_of_one_kernel_show_their_shapes(void **state)
{
	static const char *const names[] = {"k", "k", "other", "", ""};
	static const char *const shown[] = {"k <<<1, 1>>>", "k <<<2, 2>>>", "other",
	                                    "(unnamed kernel) <<<4, 4>>>",
	                                    "(unnamed kernel) <<<5, 5>>>"};

	(void)state;
	expect_rows(names, shown, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lead_of_ten_points_decides_the_class),
		cmocka_unit_test(efficiency_is_that_of_the_busier_side),
		cmocka_unit_test(features_are_set_only_from_what_was_measured),
		cmocka_unit_test(a_product_without_the_matrix_pipe_leaves_it_idle),
		cmocka_unit_test(traffic_far_from_the_model_gets_a_note),
		cmocka_unit_test(five_rows_apart_get_four_notes),
		cmocka_unit_test(exact_pages_come_before_rounded_ones),
		cmocka_unit_test(pages_without_an_identity_stay_apart),
		cmocka_unit_test(shapes_of_one_kernel_are_groups_of_their_own),
		cmocka_unit_test(kernels_with_one_display_name_are_spelled_out),
		cmocka_unit_test(a_kernel_called_kernel_shows_its_template),
		cmocka_unit_test(launches_of_one_kernel_show_their_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
