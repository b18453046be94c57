/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/model/telemetry.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_scrape.h"
#include "tests/unit/near.h"
#include "tests/unit/shelf.h"

#define WRITTEN "tests/data/scrape/written.om"
#define CORPUS  "samples/openmetrics_corpus"

static const struct weir_scrape *read_text(struct weir_profile *profile, const char *text)
{
	return scrape_of(&weir_reader_openmetrics, profile, text);
}

static void every_type_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	const struct weir_scrape *page;

	(void)state;
	if (weir_read_path(profile, WRITTEN, NULL, &err))
		fail_msg("%s", err.message);
	assert_string_equal(profile->inputs[0].format, "openmetrics");
	page = profile->inputs[0].scrape;
	assert_near(scrape_part(page, "req_seconds", WEIR_PART_BUCKET, 0.5), 8, 0);
	assert_near(scrape_part(page, "req_seconds", WEIR_PART_SUM, 0), 3.9, 0);
	assert_near(scrape_part(page, "req_seconds", WEIR_PART_CREATED, 0), 1699990000, 0);
	assert_near(scrape_part(page, "jobs", WEIR_PART_VALUE, 0), 17, 0);
	assert_near(scrape_part(page, "build", WEIR_PART_VALUE, 0), 1, 0);
	assert_near(scrape_part(page, "depth", WEIR_PART_SUM, 0), -5, 0);
	assert_near(scrape_part(page, "wait", WEIR_PART_QUANTILE, 0.5), 0.2, 0);
	assert_near(scrape_part(page, "plain", WEIR_PART_VALUE, 0), 3.5, 0);
	assert_string_equal(
		weir_names_text(
			page->names,
			page->families[weir_scrape_find_family(page, "req_seconds", 11)].unit),
		"seconds");
	assert_int_equal(page->at_ns, 1700000060500000000);
	weir_profile_free(profile);
}

static void the_first_and_the_last_of_several_pages_count(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page =
		read_text(profile, "# TYPE a counter\na_total 1\n# EOF\n# TYPE a counter\na_total "
	                           "2\n# EOF\n# TYPE a counter\na_total 5\n# EOF\n");

	(void)state;
	assert_near(scrape_part(page, "a", WEIR_PART_VALUE, 0), 5, 0);
	assert_near(scrape_part(page->earlier, "a", WEIR_PART_VALUE, 0), 1, 0);
	weir_profile_free(profile);
	expect_scrape_refused(&weir_reader_openmetrics, "a 1\n# EOF\na 2\n",
	                      "line 3: more follows \"# EOF\"");
	expect_scrape_refused(&weir_reader_openmetrics, "a 1\n# EOF\na 2\n\n# EOF\n",
	                      "line 4: an empty line");
}

static void lines_that_end_in_cr_lf_are_read_and_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_scrape *page = read_text(profile, "a 1\r\n# EOF\r\n");

	(void)state;
	assert_near(scrape_part(page, "a", WEIR_PART_VALUE, 0), 1, 0);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_REPAIRED_TEXT].count, 2);
	weir_profile_free(profile);
}

static void a_page_cut_at_a_line_is_never_read(void **state)
{
	static char bytes[65536];
	FILE *file = fopen(WRITTEN, "rb");
	size_t len;

	(void)state;
	assert_non_null(file);
	len = fread(bytes, 1, sizeof bytes - 1, file);
	fclose(file);
	/* Without only the last LF the page is whole. */
	for (size_t cut = 0; cut < len - 1; cut++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};

		if (!read_scrape(&weir_reader_openmetrics, profile, bytes, cut, &err))
			fail_msg("cut at %zu of %zu it is read", cut, len);
		weir_profile_free(profile);
	}
}

static void an_error_names_the_line(void **state)
{
	(void)state;
	expect_scrape_refused(&weir_reader_openmetrics, "# TYPE a gauge\na 1\na{b=1} 2\n# EOF\n",
	                      "not valid OpenMetrics: line 3: a label's value is not in double");
}

static void a_large_page_is_recognised_by_its_end(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	struct weir_error err = {0};

	(void)state;
	weir_text_puts(&text, "# TYPE a gauge\n");
	for (int i = 0; i < 8000; i++)
		weir_text_printf(&text, "a{b=\"%d\"} 1\n", i);
	weir_text_puts(&text, "# EOF\n");
	assert_true(text.length > WEIR_HEAD_SIZE);
	assert_int_equal(weir_sniff_reader(&weir_reader_openmetrics, text.data, WEIR_HEAD_SIZE), 0);
	assert_true(weir_sniff_reader(&weir_reader_prometheus, text.data, WEIR_HEAD_SIZE) > 0);
	if (read_scrape(&weir_reader_prometheus, profile, text.data, text.length, &err))
		fail_msg("%s", err.message);
	assert_string_equal(profile->inputs[0].format, "openmetrics");
	weir_text_release(&text);
	weir_profile_free(profile);
}

static bool should_parse(const char *folder)
{
	struct weir_error err = {0};
	cJSON *document = NULL;
	const cJSON *item;
	char path[512];
	bool should;

	snprintf(path, sizeof path, CORPUS "/%s/test.json", folder);
	if (weir_json_read_file(shelf_need(path), &document, &err))
		fail_msg("%s", err.message);
	item = cJSON_GetObjectItemCaseSensitive(document, "shouldParse");
	assert_true(cJSON_IsBool(item));
	should = cJSON_IsTrue(item);
	cJSON_Delete(document);
	return should;
}

/* Reads a file by content, as weir classify does. */
static void check_case(const char *folder, int *wrong, int counts[2])
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	bool should = should_parse(folder);
	char path[512];

	snprintf(path, sizeof path, CORPUS "/%s/metrics", folder);
	counts[should]++;
	if (!weir_read_path(profile, shelf_need(path), NULL, &err) != should) {
		print_error("%s is %s: %s\n", folder, should ? "refused" : "read", err.message);
		++*wrong;
	}
	weir_profile_free(profile);
}

static void cases_of_the_specification_have_its_verdict(void **state)
{
	DIR *stream = opendir(shelf_need(CORPUS));
	int wrong = 0, counts[2] = {0, 0};
	struct dirent *entry;

	(void)state;
	assert_non_null(stream);
	while ((entry = readdir(stream)) != NULL)
		if (!strchr(entry->d_name, '.'))
			check_case(entry->d_name, &wrong, counts);
	closedir(stream);
	assert_int_equal(wrong, 0);
	assert_int_equal(counts[true], 44);
	assert_int_equal(counts[false], 167);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(the_first_and_the_last_of_several_pages_count),
		cmocka_unit_test(lines_that_end_in_cr_lf_are_read_and_counted),
		cmocka_unit_test(a_page_cut_at_a_line_is_never_read),
		cmocka_unit_test(an_error_names_the_line),
		cmocka_unit_test(a_large_page_is_recognised_by_its_end),
		cmocka_unit_test(cases_of_the_specification_have_its_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
