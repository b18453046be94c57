/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_read TRACE.json [TRACE.json.gz]: measures how fast a trace is read. Prints for each file
 * the seconds of one bare pass over its bytes, the seconds of reading it into columns (best of
 * three), their ratio, and the peak memory of the process so far; therefore name the plain file
 * first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/readers/readers.h"

#define ROUNDS 3

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Counts the newlines byte by byte. */
static double pass_over(const char *path, unsigned long long *bytes)
{
	static char buffer[1 << 18];
	volatile unsigned long long lines = 0;
	double start = now();
	FILE *file = fopen(path, "rb");
	size_t got;

	if (!file)
		return 0;
	*bytes = 0;
	while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0) {
		unsigned long long seen = 0;

		for (size_t i = 0; i < got; i++)
			seen += buffer[i] == '\n';
		lines += seen;
		*bytes += got;
	}
	(void)lines;
	fclose(file);
	return now() - start;
}

static double read_once(const char *path)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	double start = now(), seconds;

	if (weir_read_path(profile, path, NULL, &err)) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	seconds = now() - start;
	weir_profile_free(profile);
	return seconds;
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
	printf("%-40s %10s %9s %9s %6s %9s\n", "file", "MB", "pass s", "read s", "ratio",
	       "peak MB");
	for (int i = 1; i < argc; i++) {
		unsigned long long bytes = 0;
		double pass = 1e9, best = 1e9;

		for (int round = 0; round < ROUNDS; round++) {
			double seconds = pass_over(argv[i], &bytes);

			pass = seconds < pass ? seconds : pass;
			seconds = read_once(argv[i]);
			best = seconds < best ? seconds : best;
		}
		printf("%-40s %10.1f %9.3f %9.3f %6.2f %9.1f\n", argv[i], (double)bytes / 1e6, pass,
		       best, best / pass, (double)peak_kib() / 1024);
	}
	return 0;
}
