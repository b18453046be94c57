/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_classify PROGRAM TRACE [CEILING]: measures the time of `weir classify` on a trace, as a
 * ratio to one bare pass over its bytes on the same machine, and its memory. A compressed trace is
 * measured both compressed and decompressed. Each figure is the best of three. Fails if the ratio
 * exceeds the ceiling. To use one core: taskset -c 0.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/source.h"
#include "engine/base/text.h"
#include "tests/bench/measure.h"

/* Writes the decompressed bytes of a trace to a new file; replaces the template by its name. */
static bool inflate(const char *path, char *template)
{
	struct weir_source *source;
	struct weir_error err = {0};
	FILE *file = NULL;
	const char *data;
	size_t len = 1;
	int fd;

	if (weir_source_open(path, &source, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return false;
	}
	fd = mkstemp(template);
	if (fd >= 0)
		file = fdopen(fd, "wb");
	while (file && len > 0) {
		if (weir_source_next(source, &data, &len, &err) ||
		    fwrite(data, 1, len, file) != len)
			break;
	}
	weir_source_free(source);
	return file && fclose(file) == 0 && len == 0;
}

static int measure(char *program, char *trace, char *plain, double ceiling)
{
	double pass = pass_seconds(plain);
	double plain_s = classify_seconds(program, plain);
	double stored_s;
	double peak_mb = peak_megabytes();

	stored_s = classify_seconds(program, trace);
	if (plain_s < 0 || stored_s < 0) {
		fprintf(stderr, "%s classify %s failed\n", program, trace);
		return 1;
	}
	printf("trace         %8.1f MB plain, %.1f MB as stored\n", megabytes(plain),
	       megabytes(trace));
	printf("bare pass     %8.3f s\n", pass);
	printf("classify      %8.3f s, %.1f times the pass\n", plain_s, plain_s / pass);
	printf("as stored     %8.3f s, %.2f times plain\n", stored_s, stored_s / plain_s);
	printf("memory        %8.1f MB at most\n", peak_mb);
	if (plain_s / pass <= ceiling)
		return 0;
	fprintf(stderr, "%.1f times the bare pass is above the ceiling of %.1f\n", plain_s / pass,
	        ceiling);
	return 1;
}

int main(int argc, char **argv)
{
	char plain[] = "/tmp/weir-bench-XXXXXX";
	double ceiling = 1e9;
	int code;

	if (argc < 3 || argc > 4 ||
	    (argc == 4 && !weir_parse_double(argv[3], strlen(argv[3]), &ceiling))) {
		fprintf(stderr, "usage: %s PROGRAM TRACE [CEILING]\n", argv[0]);
		return 2;
	}
	code = inflate(argv[2], plain) ? measure(argv[1], argv[2], plain, ceiling) : 1;
	unlink(plain);
	return code;
}
