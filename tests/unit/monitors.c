/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "tests/unit/monitors.h"

const struct weir_telemetry *telemetry_of(const struct weir_reader *reader, const char *text,
                                          struct weir_profile *profile)
{
	return reading_of(reader, text, profile)->telemetry;
}

static void describe(const struct weir_telemetry *telemetry, struct weir_text *out)
{
	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];

		weir_text_puts(out, telemetry->devices[sample->device].id);
		if (sample->at_ns != WEIR_NO_TIME)
			weir_text_printf(out, " @%lld", (long long)sample->at_ns);
		if (sample->has_reasons)
			weir_text_printf(out, " reasons=0x%x", (unsigned)sample->reasons);
		for (enum weir_gauge gauge = 0; gauge < WEIR_GAUGE_COUNT; gauge++)
			if (!isnan(sample->value[gauge]))
				weir_text_printf(out, " %s=%.12g", weir_gauge_name(gauge),
				                 sample->value[gauge]);
		weir_text_puts(out, "\n");
	}
}

void expect_samples(const struct weir_reader *reader, const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text out = {0};

	describe(telemetry_of(reader, text, profile), &out);
	assert_string_equal(out.data, expected);
	weir_text_release(&out);
	weir_profile_free(profile);
}

void expect_warned(const struct weir_reader *reader, const char *text, enum weir_warning_code code,
                   unsigned count)
{
	struct weir_profile *profile = weir_profile_new();

	telemetry_of(reader, text, profile);
	assert_int_equal(profile->inputs[0].warnings[code].count, count);
	weir_profile_free(profile);
}

void expect_clean_cuts(const struct weir_reader *reader, const char *text)
{
	for (size_t len = 0; len <= strlen(text); len++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		enum weir_status status = reading_try(reader, text, len, profile, &err);

		assert_int_equal(!status, !err.message[0]);
		if (!status)
			assert_true(profile->inputs[0].telemetry->count > 0);
		weir_profile_free(profile);
	}
}

void expect_chosen(const char *text, const struct weir_reader *reader, const char *message)
{
	const struct weir_reader *chosen;
	struct weir_source *source;
	struct weir_error err = {0};

	assert_int_equal(weir_source_open_memory("test", text, strlen(text), &source, &err),
	                 WEIR_OK);
	weir_reader_choose(source, &chosen, &err);
	weir_source_free(source);
	if (chosen != reader)
		fail_msg("chosen: %s: %s", chosen ? chosen->name : "none", err.message);
	if (message && !strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
}
