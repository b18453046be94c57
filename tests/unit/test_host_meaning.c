/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that profiles of the host tell own time from idle time, pseudo frames and allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/host_functions_text.h"
#include "tests/unit/reading.h"

static void expect(const struct weir_reader *reader, const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();

	expect_functions(reading_of(reader, text, profile)->host_profile, expected);
	weir_profile_free(profile);
}

static void a_frame_called_self_is_its_parents_own_time(void **state)
{
#define SELF(samples)                                                                              \
	"{\"$schema\":\"https://www.speedscope.app/"                                               \
	"file-format-schema.json\",\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\","         \
	"\"samples\":" samples ",\"weights\":[2,5,1]}],\"shared\":{\"frames\":[{\"name\":\"a\"},{" \
	"\"name\":\"b\"},{\"name\":"                                                               \
	"\"[self]\"}]}}"
	(void)state;
	expect(&weir_reader_speedscope, SELF("[[0,2],[0,1],[0,1,2]]"), "a [] 2/8\nb [] 6/6\n");
	expect(&weir_reader_speedscope, SELF("[[2],[0,1],[1]]"),
	       "a [] 0/5\nb [] 6/6\n[self] [] 2/2\n");
#undef SELF
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_called_self_is_its_parents_own_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
