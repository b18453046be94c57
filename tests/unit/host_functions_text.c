/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/rows/host_functions.h"
#include "engine/base/text.h"
#include "tests/unit/host_functions_text.h"
#include "tests/unit/reading.h"

/* Formats each function that has time as "name [file] self/total", in the order of the frames. */
static void describe(const struct weir_host_profile *profile, struct weir_text *out)
{
	struct weir_host_function *functions = weir_host_functions(profile);

	for (size_t i = 0; i < profile->frame_count; i++) {
		const struct weir_host_frame *frame = &profile->frames[i];

		if (!functions[i].total)
			continue;
		weir_text_printf(out, "%s [%s] %lld/%lld\n",
		                 weir_names_text(profile->names, frame->function),
		                 weir_names_text(profile->names, frame->file),
		                 (long long)functions[i].self, (long long)functions[i].total);
	}
	free(functions);
}

void expect_functions(const struct weir_host_profile *profile, const char *expected)
{
	struct weir_text out = {0};

	describe(profile, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	weir_text_release(&out);
}

void expect_functions_of(const struct weir_reader *reader, const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();

	expect_functions(reading_of(reader, text, profile)->host_profile, expected);
	weir_profile_free(profile);
}

void expect_warnings_of(const struct weir_reader *reader, const char *text,
                        enum weir_warning_code code, unsigned count)
{
	struct weir_profile *profile = weir_profile_new();

	assert_int_equal(reading_of(reader, text, profile)->warnings[code].count, count);
	weir_profile_free(profile);
}
