/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/model/telemetry.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/scrape/scrape_build.h"
#include "tests/unit/make_scrape.h"
#include "tests/unit/near.h"
#include "tests/unit/shelf.h"

#define DATA    "tests/data/scrape/"
#define SAMPLES "samples/"

static const struct weir_scrape *read_text(struct weir_profile *profile, const char *text)
{
	return scrape_of(&weir_reader_prometheus, profile, text);
}

static double value_of(const struct weir_scrape *scrape, const char *family)
{
	return scrape_part(scrape, family, WEIR_PART_VALUE, 0);
}

static uint64_t warned(const struct weir_profile *profile, enum weir_warning_code code)
{
	return profile->inputs[profile->input_count - 1].warnings[code].count;
}

static const struct weir_scrape *read_path(struct weir_profile *profile, const char *path)
{
	struct weir_error err = {0};

	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	return profile->inputs[profile->input_count - 1].scrape;
}

static void a_wild_page_is_read_line_by_line(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_path(profile, DATA "wild.prom");

	(void)state;
	assert_string_equal(profile->inputs[0].format, "prometheus");
	assert_near(value_of(page, "free"), 0.125, 0);
	assert_true(isnan(value_of(page, "free_nan")));
	assert_true(value_of(page, "free_inf") == -INFINITY);
	assert_near(value_of(page, "quoted.name"), 7, 0);
	assert_near(value_of(page, "twice"), 2, 0);
	assert_int_equal(warned(profile, WEIR_WARN_DUPLICATE), 1);
	assert_int_equal(warned(profile, WEIR_WARN_BAD_NUMBER), 1);
	assert_int_equal(warned(profile, WEIR_WARN_SKIPPED_EVENT), 2); /* "strange", a=1 */
	assert_int_equal(warned(profile, WEIR_WARN_TRUNCATED), 0);
	assert_near(value_of(page, "no_newline"), 1, 0);
	weir_profile_free(profile);
}

static void parts_of_a_histogram_come_in_any_order(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_path(profile, DATA "wild.prom");

	(void)state;
	assert_near(scrape_part(page, "x_seconds", WEIR_PART_BUCKET, 0.1), 2, 0);
	assert_near(scrape_part(page, "x_seconds", WEIR_PART_BUCKET, 0.5), 8, 0);
	assert_near(scrape_part(page, "x_seconds", WEIR_PART_BUCKET, INFINITY), 10, 0);
	assert_near(scrape_part(page, "x_seconds", WEIR_PART_SUM, 0), 3.9, 0);
	assert_near(scrape_part(page, "x_seconds", WEIR_PART_COUNT, 0), 10, 0);
	weir_profile_free(profile);
}

static void a_filtered_page_without_types_keeps_its_histograms(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_path(profile, DATA "wild.prom");
	uint32_t family = weir_scrape_find_family(page, "f_seconds", 9);

	(void)state;
	assert_int_not_equal(family, WEIR_ROWMAP_NONE);
	assert_int_equal(page->families[family].type, WEIR_SCRAPE_HISTOGRAM);
	assert_near(scrape_part(page, "f_seconds", WEIR_PART_SUM, 0), 1.5, 0);
	assert_near(scrape_part(page, "f_seconds", WEIR_PART_COUNT, 0), 3, 0);
	assert_near(scrape_part(page, "f_seconds", WEIR_PART_BUCKET, 1), 2, 0);
	assert_true(page->families[family].by_name);
	assert_int_equal(warned(profile, WEIR_WARN_UNTYPED_METRIC), 1);
	weir_profile_free(profile);
}

/* Expects that a page has a summary "x" by its names, or none. */
static void expect_summary(const char *text, bool is_one)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_text(profile, text);
	uint32_t family = weir_scrape_find_family(page, "x", 1);
	bool found = family != WEIR_ROWMAP_NONE &&
	             page->families[family].type == WEIR_SCRAPE_SUMMARY &&
	             page->families[family].by_name;

	if (found != is_one || warned(profile, WEIR_WARN_UNTYPED_METRIC) != is_one)
		fail_msg("%s: %s", text, found ? "a summary" : "no summary");
	weir_profile_free(profile);
}

static void a_sum_and_a_count_without_types_are_a_summary(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_text(profile, "x_sum 1.5\nx_count 3\nx_total 4\n");

	(void)state;
	assert_near(scrape_part(page, "x", WEIR_PART_SUM, 0), 1.5, 0);
	assert_near(scrape_part(page, "x", WEIR_PART_COUNT, 0), 3, 0);
	assert_near(scrape_part(page, "x_total", WEIR_PART_VALUE, 0), 4, 0);
	weir_profile_free(profile);
	expect_summary("x_count{a=\"1\",b=\"2\"} 3\nx_sum{b=\"2\",a=\"1\"} 1\n", true);
	expect_summary("x_sum{a=\"1\"} 1\nx_sum{a=\"2\"} 1\nx_count{a=\"2\"} 0\n"
	               "x_count{a=\"1\"} 2\n",
	               true);
	expect_summary("# TYPE x_sum untyped\nx_sum 1\nx_count 3\n", true);
}

static void other_figures_of_such_names_stand_alone(void **state)
{
	(void)state;
	expect_summary("x_sum 1\nx_counts 3\n", false);
	expect_summary("x_sum 1\nx_count 2.5\n", false); /* no number of observations */
	expect_summary("x_sum 1\nx_count -1\n", false);
	expect_summary("x_sum 1\nx_count NaN\n", false);
	expect_summary("# TYPE x_sum gauge\nx_sum 1\nx_count 3\n", false);
	expect_summary("# TYPE x_count gauge\nx_sum 1\nx_count 3\n", false);
	expect_summary("# TYPE x gauge\nx 5\nx_sum 1\nx_count 3\n", false);
	expect_summary("x 5\nx_sum 1\nx_count 3\n", false);
	expect_summary("x_sum{a=\"1\"} 1\nx_count{a=\"2\"} 3\n", false);
	expect_summary("x_sum{a=\"1\"} 1\nx_count 3\n", false);
	expect_summary("x_sum{a=\"1\"} 1\nx_count{a=\"1\"} 3\nx_count{a=\"2\"} 3\n", false);
	expect_summary("x_sum{a=\"1\"} 1\nx_sum{a=\"2\"} 1\nx_count{a=\"1\"} 3\n", false);
	expect_summary("# TYPE x summary\nx_sum 1\nx_count 3\n", false); /* by its TYPE */
}

static void times_of_creation_belong_to_their_series(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_path(profile, DATA "wild.prom");

	(void)state;
	assert_near(scrape_part(page, "made_total", WEIR_PART_CREATED, 0), 1.7e9, 0);
	weir_profile_free(profile);
}

static void a_bound_is_a_number_and_not_its_spelling(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page =
		read_text(profile, "# TYPE h histogram\nh_bucket{le=\"1\"} 1\n"
	                           "h_bucket{le=\"1.0\"} 2\nh_bucket{le=\"1e+00\"} 3\n");

	(void)state;
	assert_int_equal(page->sample_count, 1);
	assert_near(scrape_part(page, "h", WEIR_PART_BUCKET, 1), 3, 0);
	assert_int_equal(warned(profile, WEIR_WARN_DUPLICATE), 2);
	weir_profile_free(profile);
}

static void buckets_may_lack_their_suffix(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page =
		read_text(profile, "# TYPE h_ms histogram\nh_ms{le=\"100\"} 1\nh_ms_count 1\n");

	(void)state;
	assert_near(scrape_part(page, "h_ms", WEIR_PART_BUCKET, 100), 1, 0);
	weir_profile_free(profile);
}

static void a_histogram_may_be_called_total(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page =
		read_text(profile, "# TYPE t_total histogram\nt_total_bucket{le=\"+Inf\"} 4\n"
	                           "t_total_sum 9\nt_total_count 4\n# TYPE c_total counter\n"
	                           "c_total 5\n");
	uint32_t histogram = weir_scrape_find_family(page, "t_total", 7);
	uint32_t counter = weir_scrape_find_family(page, "c_total", 7);

	(void)state;
	assert_near(scrape_part(page, "t_total", WEIR_PART_SUM, 0), 9, 0);
	assert_int_equal(weir_scrape_base_length(page, histogram), 7);
	assert_int_equal(weir_scrape_base_length(page, counter), 1);
	weir_profile_free(profile);
}

static void time_stamps_are_milliseconds_unless_they_cannot_be(void **state)
{
	static const struct {
		const char *stamp;
		int64_t ns;
	} cases[] = {
		{"1700000000250", 1700000000250000000}, {"1700000000", 1700000000000000000},
		{"1700000000.25", 1700000000250000000}, {"1500", 1500000000},
		{"99999999999999999999", WEIR_NO_TIME},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_profile *profile = weir_profile_new();
		char text[64];
		const struct weir_scrape *page;

		snprintf(text, sizeof text, "a{b=\"c\"} 1 %s\n", cases[i].stamp);
		page = read_text(profile, text);
		if (page->samples[0].at_ns != cases[i].ns)
			fail_msg("%s is %lld ns, expected %lld", cases[i].stamp,
			         (long long)page->samples[0].at_ns, (long long)cases[i].ns);
		weir_profile_free(profile);
	}
}

static void a_file_of_many_pages_keeps_the_first_and_the_last(void **state)
{
	static const char page[] = "# HELP a x\n# TYPE a counter\na{k=\"%d\"} 0\na %d\n"
				   "# TYPE b gauge\nb %d\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_scrape *last;

	(void)state;
	for (int i = 1; i <= 9; i++)
		weir_text_printf(&text, page, i, i, 10 * i);
	last = read_text(profile, text.data);
	assert_non_null(last->earlier);
	assert_null(last->earlier->earlier);
	assert_near(value_of(last, "b"), 90, 0);
	assert_near(value_of(last->earlier, "b"), 10, 0);
	assert_int_equal(last->sample_count, 3); /* a{k="9"} precedes the first repetition */
	assert_int_equal(last->earlier->sample_count, 3);
	assert_int_equal(profile->inputs[0].events, 27);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void points_in_time_are_an_older_and_a_newer_page(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page =
		read_text(profile, "a{k=\"v\"} 1 1700000000000\na{k=\"v\"} 2 1700000060000\n"
	                           "a{k=\"v\"} 5 1700000120000\nb{k=\"v\"} 7 1700000000000\n");

	(void)state;
	assert_near(value_of(page, "a"), 5, 0);
	assert_near(value_of(page, "b"), 7, 0);
	assert_int_equal(page->at_ns, 1700000120000000000);
	assert_near(value_of(page->earlier, "a"), 1, 0);
	assert_int_equal(page->earlier->sample_count, 1);
	assert_int_equal(page->earlier->at_ns, 1700000000000000000);
	assert_int_equal(warned(profile, WEIR_WARN_DUPLICATE), 0);
	weir_profile_free(profile);
}

static void points_in_time_of_several_pages_keep_the_oldest(void **state)
{
	static const char block[] =
		"# TYPE a gauge\na %d %d000\na %d %d000\n# TYPE b gauge\nb %d\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_scrape *last;

	(void)state;
	for (int i = 1; i <= 3; i++)
		weir_text_printf(&text, block, i, i * 1000, 10 * i, i * 1000 + 500, i);
	last = read_text(profile, text.data);
	assert_near(value_of(last, "a"), 30, 0);
	assert_near(value_of(last, "b"), 3, 0);
	assert_near(value_of(last->earlier, "a"), 1, 0);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void families_that_workers_repeat_are_one_page(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_text(
		profile, "# TYPE a counter\na{w=\"1\"} 1\n# TYPE b gauge\nb{w=\"1\"} 1\n"
			 "# TYPE a counter\na{w=\"2\"} 2\n# TYPE b gauge\nb{w=\"2\"} 2\n");

	(void)state;
	assert_null(page->earlier);
	assert_int_equal(page->sample_count, 4);
	weir_profile_free(profile);
}

static void openmetrics_cut_short_is_refused(void **state)
{
	static const char message[] = "without its last line \"# EOF\"";

	(void)state;
	expect_scrape_refused(&weir_reader_prometheus, "# TYPE a_s gauge\n# UNIT a_s s\na_s 1\n",
	                      message);
	expect_scrape_refused(&weir_reader_prometheus,
	                      "# TYPE a counter\na_total 1 # {t=\"x\"} 1\n", message);
	expect_scrape_refused(&weir_reader_prometheus, "# TYPE a info\na_info 1\n", message);
	expect_scrape_refused(&weir_reader_prometheus, "# TYPE a stateset\na{a=\"b\"} 1\n",
	                      message);
	expect_scrape_refused(&weir_reader_prometheus,
	                      "# TYPE a gaugehistogram\na_bucket{le=\"+Inf\"} 1\n", message);
}

static void other_files_are_refused_by_content(void **state)
{
	const struct weir_reader *reader = &weir_reader_prometheus;

	(void)state;
	expect_scrape_refused(reader, "<html><body>503</body></html>\n", "web page");
	expect_scrape_refused(reader, "HTTP/1.1 502 Bad Gateway\r\n\r\n", "web server");
	expect_scrape_refused(reader, "{\"status\":\"success\",\"data\":{}}\n", "/api/v1/query");
	expect_scrape_refused(reader, "DCGM_FI_DEV_SM_CLOCK, gauge, clock\n", "the list of fields");
	expect_scrape_refused(reader, "", "the file is empty");
	expect_scrape_refused(reader, "# TYPE a gauge\n", "no sample found");
	expect_scrape_refused(reader, "# HELP a b\n# TYPE a gauge\n", "page without values");
}

static void texts_of_unused_labels_are_not_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page =
		read_text(profile, "a{Hostname=\"secret-1\",model_name=\"m\"} 1\n"
	                           "a{Hostname=\"secret-2\",model_name=\"m\"} 2\n");

	(void)state;
	assert_int_equal(page->series_count, 2);
	for (uint32_t i = 0; i < weir_names_count(page->names); i++)
		if (strstr(weir_names_text(page->names, i), "secret"))
			fail_msg("kept: %s", weir_names_text(page->names, i));
	assert_string_equal(weir_scrape_label(page, 0, "model_name"), "m");
	weir_profile_free(profile);
}

static void figures_of_devices_are_telemetry(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;
	const struct weir_telemetry_sample *first;

	(void)state;
	read_path(profile, DATA "dcgm.prom");
	telemetry = profile->inputs[0].telemetry;
	assert_non_null(telemetry);
	assert_int_equal(telemetry->device_count, 3);
	assert_int_equal(telemetry->count, 3);
	assert_string_equal(telemetry->devices[0].id, "0");
	assert_string_equal(telemetry->devices[0].name, "NVIDIA H200");
	assert_string_equal(telemetry->devices[2].id, "0/3");
	first = &telemetry->samples[0];
	assert_int_equal(first->at_ns, 1700000000000000000);
	assert_near(first->value[WEIR_GAUGE_SM_CLOCK_MHZ], 1980, 0);
	assert_near(first->value[WEIR_GAUGE_UTILIZATION], 0.87, 1e-15);
	assert_near(first->value[WEIR_GAUGE_ENERGY_J], 2.5, 1e-15);
	assert_near(first->value[WEIR_GAUGE_MEMORY_USED_BYTES], 1024.0 * 1024 * 1024, 0);
	assert_true(first->has_reasons);
	assert_int_equal(first->reasons, WEIR_CLOCKS_POWER_CAP);
	assert_near(telemetry->samples[2].value[WEIR_GAUGE_DRAM_ACTIVE], 0.25, 0);
	weir_profile_free(profile);
}

static void blank_figures_of_devices_are_missing(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;

	(void)state;
	read_path(profile, DATA "dcgm.prom");
	telemetry = profile->inputs[0].telemetry;
	assert_true(isnan(telemetry->samples[0].value[WEIR_GAUGE_MEMORY_TEMPERATURE_C]));
	assert_near(telemetry->samples[1].value[WEIR_GAUGE_MEMORY_TEMPERATURE_C], 41, 0);
	assert_true(isnan(telemetry->samples[1].value[WEIR_GAUGE_DRAM_ACTIVE]));
	assert_near(telemetry->samples[1].value[WEIR_GAUGE_UTILIZATION], 0, 0);
	weir_profile_free(profile);
}

/* Returns the only sample of a page of dcgm-exporter; valid while the profile lives. */
static const struct weir_telemetry_sample *only_sample(struct weir_profile *profile,
                                                       const char *page)
{
	scrape_of(&weir_reader_prometheus, profile, page);
	assert_int_equal(profile->inputs[0].telemetry->count, 1);
	return profile->inputs[0].telemetry->samples;
}

static void the_activity_of_the_engine_stands_beside_the_utilisation(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry_sample *sample;

	(void)state;
	sample = only_sample(profile, "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 90\n"
	                              "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\"} 0.25\n");
	assert_near(sample->value[WEIR_GAUGE_UTILIZATION], 0.9, 1e-15);
	assert_near(sample->value[WEIR_GAUGE_ENGINE_ACTIVE], 0.25, 0);
	weir_profile_free(profile);
	profile = weir_profile_new();
	sample = only_sample(profile, "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\"} 0.25\n");
	assert_near(sample->value[WEIR_GAUGE_UTILIZATION], 0.25, 0);
	assert_true(isnan(sample->value[WEIR_GAUGE_ENGINE_ACTIVE]));
	weir_profile_free(profile);
}

static void memory_at_zero_degrees_has_no_sensor(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry_sample *sample;

	(void)state;
	sample = only_sample(profile, "DCGM_FI_DEV_MEMORY_TEMP{gpu=\"0\"} 0\n"
	                              "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 0\n");
	assert_true(isnan(sample->value[WEIR_GAUGE_MEMORY_TEMPERATURE_C]));
	assert_near(sample->value[WEIR_GAUGE_TEMPERATURE_C], 0, 0);
	weir_profile_free(profile);
}

static void each_page_is_a_row_of_telemetry(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_telemetry *telemetry;

	(void)state;
	read_path(profile, DATA "triton.prom");
	telemetry = profile->inputs[0].telemetry;
	assert_int_equal(telemetry->count, 2);
	assert_near(telemetry->samples[0].value[WEIR_GAUGE_UTILIZATION], 0.5, 0);
	assert_near(telemetry->samples[1].value[WEIR_GAUGE_UTILIZATION], 0.9, 0);
	assert_int_equal(telemetry->samples[0].at_ns, WEIR_NO_TIME);
	weir_profile_free(profile);
}

/* Cuts each of our files at each byte: it must be read, or refused in one line. */
static void a_last_line_without_an_end_counts_if_it_is_whole(void **state)
{
	static const struct {
		const char *text;
		bool whole;
	} pages[] = {
		{"a 1\nlast 12", true},
		{"a 1.0\nlast{b=\"c d\"} 12.5", true},
		{"a 1.0\nlast 1e3", true},
		{"a 1\nb 2.0\nlast 12 \t", true},
		{"a 1\nlast", false},
		{"a 1\nlast ", false},
		{"a 1\nlast{b=\"c d\"", false},
		{"a 1\nlast 12.", false},
		{"a 1\nlast 1e", false},
		{"a 1\nlast 1e+", false},
		{"a 1.0\nb 2e9\nlast 12", false}, /* every other number has a fraction */
	};

	(void)state;
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_scrape *page = read_text(profile, pages[i].text);
		bool found = weir_scrape_find_family(page, "last", 4) != WEIR_ROWMAP_NONE;

		if (found != pages[i].whole)
			fail_msg("%s: %s", pages[i].text, found ? "read" : "left out");
		assert_int_equal(warned(profile, WEIR_WARN_TRUNCATED), !pages[i].whole);
		weir_profile_free(profile);
	}
}

static void a_file_cut_anywhere_reads_or_fails_cleanly(void **state)
{
	static const char *const files[] = {DATA "wild.prom", DATA "dcgm.prom", DATA "triton.prom",
	                                    DATA "written.om"};

	(void)state;
	for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
		static char bytes[65536];
		FILE *file = fopen(files[f], "rb");
		size_t len;

		assert_non_null(file);
		len = fread(bytes, 1, sizeof bytes, file);
		fclose(file);
		for (size_t cut = 0; cut < len; cut++) {
			struct weir_profile *profile = weir_profile_new();
			struct weir_error err = {0};
			enum weir_status status =
				read_scrape(&weir_reader_prometheus, profile, bytes, cut, &err);

			assert_int_equal(!status, !err.message[0]);
			assert_int_equal(!status, profile->inputs[0].scrape != NULL);
			weir_profile_free(profile);
		}
	}
}

static void real_pages_are_read_whole(void **state)
{
	static const struct {
		const char *path, *format;
		uint64_t samples;
	} cases[] = {
		{SAMPLES "prometheus/dcgm_exporter_readme_snippet.prom", "prometheus", 3},
		{SAMPLES "prometheus/promtool_dump-openmetrics-test.prom", "openmetrics", 2},
		{SAMPLES "prometheus/promtool_metrics-test.prom", "prometheus", 27},
		{SAMPLES "prometheus/triton_scrape_excerpt.prom", "prometheus", 107},
		{SAMPLES "prometheus/vllm_scrape_2024-06_excerpt.prom", "prometheus", 93},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *path = shelf_need(cases[i].path);
		struct weir_profile *profile = weir_profile_new();
		const struct weir_scrape *page = read_path(profile, path);

		assert_string_equal(profile->inputs[0].format, cases[i].format);
		if (page->sample_count != cases[i].samples)
			fail_msg("%s: %zu samples, expected %llu", path, page->sample_count,
			         (unsigned long long)cases[i].samples);
		for (int code = 0; code < WEIR_WARN_COUNT; code++)
			assert_int_equal(profile->inputs[0].warnings[code].count, 0);
		weir_profile_free(profile);
	}
}

static void tables_of_counters_are_refused_by_name(void **state)
{
	static const char *const files[] = {SAMPLES "dcgm/dcgm_exporter_1.x-compat.csv",
	                                    SAMPLES "dcgm/dcgm_exporter_default-counters.csv"};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *path = shelf_need(files[i]);
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};

		assert_int_equal(weir_read_path(profile, path, NULL, &err), WEIR_E_FORMAT);
		assert_non_null(
			strstr(err.message, "the list of fields that dcgm-exporter exports"));
		weir_profile_free(profile);
	}
}

/* Pages without comments: labels, or the prefix of a server, set them apart from other texts. */
static void pages_without_comments_are_claimed(void **state)
{
	static const struct {
		const char *text;
		bool claimed;
	} cases[] = {
		{"llamacpp:requests_deferred 0\nllamacpp:n_decode_total 39303\n", true},
		{"a{b=\"c\"} 1\n", true},
		{"requests 0\ntokens 39303\n", false},
		{"requests: 0\ntokens: 39303\n", false},
		{"llamacpp:requests_deferred 0\nand a sentence\n", false},
		{"$ curl -s host/metrics\na:b 0\na:c 1\n", true},
		{"$ curl -s host/metrics\na:b 0\n", false},
		{"two words\nand a sentence\na:b 0\na:c 1\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(weir_sniff_reader(&weir_reader_prometheus, cases[i].text,
		                                   strlen(cases[i].text)) > 0,
		                 cases[i].claimed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wild_page_is_read_line_by_line),
		cmocka_unit_test(parts_of_a_histogram_come_in_any_order),
		cmocka_unit_test(a_filtered_page_without_types_keeps_its_histograms),
		cmocka_unit_test(a_sum_and_a_count_without_types_are_a_summary),
		cmocka_unit_test(other_figures_of_such_names_stand_alone),
		cmocka_unit_test(times_of_creation_belong_to_their_series),
		cmocka_unit_test(a_bound_is_a_number_and_not_its_spelling),
		cmocka_unit_test(buckets_may_lack_their_suffix),
		cmocka_unit_test(a_histogram_may_be_called_total),
		cmocka_unit_test(time_stamps_are_milliseconds_unless_they_cannot_be),
		cmocka_unit_test(a_file_of_many_pages_keeps_the_first_and_the_last),
		cmocka_unit_test(points_in_time_are_an_older_and_a_newer_page),
		cmocka_unit_test(points_in_time_of_several_pages_keep_the_oldest),
		cmocka_unit_test(families_that_workers_repeat_are_one_page),
		cmocka_unit_test(openmetrics_cut_short_is_refused),
		cmocka_unit_test(other_files_are_refused_by_content),
		cmocka_unit_test(texts_of_unused_labels_are_not_kept),
		cmocka_unit_test(figures_of_devices_are_telemetry),
		cmocka_unit_test(blank_figures_of_devices_are_missing),
		cmocka_unit_test(the_activity_of_the_engine_stands_beside_the_utilisation),
		cmocka_unit_test(memory_at_zero_degrees_has_no_sensor),
		cmocka_unit_test(each_page_is_a_row_of_telemetry),
		cmocka_unit_test(a_last_line_without_an_end_counts_if_it_is_whole),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_fails_cleanly),
		cmocka_unit_test(real_pages_are_read_whole),
		cmocka_unit_test(tables_of_counters_are_refused_by_name),
		cmocka_unit_test(pages_without_comments_are_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
