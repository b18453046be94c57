/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that uses the installed library as its users do: only the public header, flags from
 * pkg-config. */
#include <stdio.h>
#include <string.h>
#include <weir/weir.h>

static int fail(const char *what)
{
	fprintf(stderr, "consumer: %s\n", what);
	return 1;
}

/* argv[1]: a trace; argv[2]: a path where nothing is. */
int main(int argc, char **argv)
{
	struct weir_result *good, *bad;
	const char *json;

	if (argc != 3)
		return fail("usage: consumer TRACE NOTHING");
	good = weir_classify_files((const char *const[]){argv[1]}, 1);
	json = weir_result_render(good, "json");
	if (weir_result_code(good) != 0 || !json || !strstr(json, "\"schema\": \"weir.report/1\""))
		return fail(json ? "no weir.report/1" : weir_result_error(good));
	if (weir_result_render(good, "nonsense") || weir_result_code(good) != 2)
		return fail("an unknown format is rendered");
	weir_result_free(good);

	bad = weir_classify_files((const char *const[]){argv[2]}, 1);
	if (weir_result_code(bad) != 7 || !weir_result_error(bad) ||
	    weir_result_render(bad, "json"))
		return fail("a missing file gives a report");
	weir_result_free(bad);
	printf("weir %s\n", weir_version());
	return 0;
}
