/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/summaries.h"

struct summary_case summary_new(const struct weir_reader *reader)
{
	return (struct summary_case){.reader = reader, .profile = weir_profile_new()};
}

void summary_free(struct summary_case *summary)
{
	weir_profile_free(summary->profile);
}

enum weir_status summary_try(struct summary_case *summary, const char *text, size_t len,
                             struct weir_error *err)
{
	enum weir_status status = reading_try(summary->reader, text, len, summary->profile, err);

	summary->input = &summary->profile->inputs[summary->profile->input_count - 1];
	return status;
}

void summary_read(struct summary_case *summary, const char *text)
{
	struct weir_error err = {0};

	if (summary_try(summary, text, strlen(text), &err))
		fail_msg("%s", err.message);
}

void summary_cut_everywhere(const struct weir_reader *reader, const char *text)
{
	for (size_t len = 0; len < strlen(text); len++) {
		struct summary_case summary = summary_new(reader);
		struct weir_error err = {0};
		enum weir_status status = summary_try(&summary, text, len, &err);

		assert_int_equal(!status, !err.message[0]);
		assert_null(strchr(err.message, '\n'));
		if (!status)
			assert_true(summary.input->run->metrics.count > 0);
		summary_free(&summary);
	}
}

void summary_expect(const struct summary_case *summary, const char *name, double value,
                    const char *unit)
{
	const struct weir_series *series = weir_series_find(&summary->input->run->metrics, name);

	if (!series != !unit)
		fail_msg("%s is %sthere", name, series ? "" : "not ");
	if (!unit || !series)
		return;
	assert_int_equal(series->count, 1);
	if (series->value[0] != value)
		fail_msg("%s is %.17g, expected %.17g", name, series->value[0], value);
	assert_string_equal(series->unit, unit);
	assert_int_equal(series->higher_is_better, strstr(unit, "/s") != NULL);
}

void summary_expect_warning(const struct summary_case *summary, enum weir_warning_code code,
                            uint64_t count)
{
	if (summary->input->warnings[code].count != count)
		fail_msg("warning %d %llu times, expected %llu", code,
		         (unsigned long long)summary->input->warnings[code].count,
		         (unsigned long long)count);
}
