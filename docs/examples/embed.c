/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that uses libweir, in C and in C++ alike.
 *
 *	cc embed.c $(pkg-config --cflags --libs weir) -o embed
 *	./embed trace.json.gz				what bounds the run
 *	./embed before.json after-1.json after-2.json	whether the runs after the first one are
 *slower
 */
#include <stdio.h>
#include <weir/weir.h>

static int fail(struct weir_result *result)
{
	int code = weir_result_code(result);

	fprintf(stderr, "embed: %s\n", weir_result_error(result));
	weir_result_free(result);
	return code;
}

static int print_bound(const char *path)
{
	struct weir_operator_entry row;
	struct weir_options options;
	struct weir_result *result;

	weir_options_init(&options, sizeof options);
	options.percentile = 99;
	result = weir_classify_files(&path, 1, &options);
	if (weir_result_error(result))
		return fail(result);
	printf("%s-bound: %s\nnext: %s\n", weir_result_bound(result), weir_result_headline(result),
	       weir_result_next(result));
	for (size_t i = 0; i < 3 && weir_result_operator(result, i, &row, sizeof row); i++)
		printf("%5.1f %% of device time: %s (%s)\n", 100 * row.share, row.name, row.bound);
	weir_result_free(result);
	return 0;
}

static int print_gate(const char *const *paths, size_t count)
{
	struct weir_result *result = weir_gate_files(paths, 1, paths + 1, count - 1, NULL);
	struct weir_row_entry row;
	int code = weir_result_code(result);

	if (weir_result_error(result))
		return fail(result);
	printf("%s\n", weir_result_verdict(result));
	if (weir_result_row(result, 0, &row, sizeof row))
		printf("%s %s: %+.1f %%\n", row.scope, row.metric, 100 * row.change);
	weir_result_free(result);
	return code;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: embed PROFILE, or embed BEFORE AFTER...\n");
		return 2;
	}
	if (argc == 2)
		return print_bound(argv[1]);
	return print_gate((const char *const *)argv + 1, (size_t)argc - 1);
}
