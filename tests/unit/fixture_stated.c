/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/parts/figures.h"
#include "tests/unit/fixture_stated.h"

struct weir_profile *stated_profile(const struct stated *figures)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "result.json");

	input->run = weir_run_new();
	for (; figures->name; figures++)
		weir_figure_add(input->run, figures->name, "ms", false, figures->value);
	return profile;
}

void expect_stated_headline(struct weir_profile *profile,
                            const char *(*describe)(struct weir_report *report),
                            const char *expected)
{
	struct weir_report *report = weir_report_new(profile);
	const char *headline = describe(report);

	if (expected)
		assert_string_equal(headline, expected);
	else
		assert_null(headline);
	weir_report_free(report);
	weir_profile_free(profile);
}
