/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_scrape.h"

enum weir_status read_scrape(const struct weir_reader *reader, struct weir_profile *profile,
                             const char *text, size_t len, struct weir_error *err)
{
	struct weir_input *input = weir_profile_add_input(profile, "test");
	struct weir_source *source;
	enum weir_status status;

	assert_int_equal(weir_source_open_memory("test", text, len, &source, err), WEIR_OK);
	input->format = reader->name;
	status = reader->read(source, input, err);
	weir_source_free(source);
	return status;
}

const struct weir_scrape *scrape_of(const struct weir_reader *reader, struct weir_profile *profile,
                                    const char *text)
{
	struct weir_error err = {0};

	if (read_scrape(reader, profile, text, strlen(text), &err))
		fail_msg("%s", err.message);
	assert_non_null(profile->inputs[profile->input_count - 1].scrape);
	return profile->inputs[profile->input_count - 1].scrape;
}

void expect_scrape_refused(const struct weir_reader *reader, const char *text, const char *message)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	if (!read_scrape(reader, profile, text, strlen(text), &err))
		fail_msg("read, but expected \"%s\": %s", message, text);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	if (strchr(err.message, '\n'))
		fail_msg("more than a line: %s", err.message);
	weir_profile_free(profile);
}

uint32_t find_scrape_series(const struct weir_scrape *scrape, const char *family, const char *label,
                            const char *value)
{
	uint32_t row = weir_scrape_find_family(scrape, family, strlen(family));
	uint32_t found = WEIR_ROWMAP_NONE;

	if (row == WEIR_ROWMAP_NONE)
		fail_msg("no family %s", family);
	for (size_t i = 0; i < scrape->families[row].series_count; i++) {
		uint32_t series = scrape->by_family[scrape->families[row].first_series + i];
		const char *text = label ? weir_scrape_label(scrape, series, label) : NULL;

		if (!scrape->series[series].sample_count)
			continue;
		if (label && (!text || strcmp(text, value) != 0))
			continue;
		if (found != WEIR_ROWMAP_NONE)
			fail_msg("more than one series of %s", family);
		found = series;
	}
	if (found == WEIR_ROWMAP_NONE)
		fail_msg("no series of %s with %s=%s", family, label ? label : "", value);
	return found;
}

double scrape_part(const struct weir_scrape *scrape, const char *family, enum weir_scrape_part part,
                   double bound)
{
	const struct weir_scrape_series *series =
		&scrape->series[find_scrape_series(scrape, family, NULL, NULL)];

	for (size_t i = series->first_sample; i < series->first_sample + series->sample_count; i++)
		if (scrape->samples[i].part == part && scrape->samples[i].bound == bound)
			return scrape->samples[i].value;
	return NAN;
}
