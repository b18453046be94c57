/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a comparison takes: bench_compare [OPERATORS [BASELINE [CANDIDATES [SAMPLES]]]]. Prints
 * the best of five rounds of weir_compare() from samples in memory to rows, once with samples as a
 * clock of nanoseconds gives them and once with steps of a microsecond, and the peak memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/analysis/compare.h"
#include "engine/base/text.h"

#define ROUNDS   5
#define MOST     1000000
#define SETTINGS 4

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double margin(const void *context, const char *scope, enum weir_metric metric)
{
	(void)context;
	(void)scope;
	(void)metric;
	return 0.05;
}

static enum weir_treatment judge(const void *context, const char *scope, enum weir_metric metric)
{
	(void)context;
	(void)scope;
	(void)metric;
	return WEIR_TREAT_JUDGE;
}

/* A number in 0..1 from a linear congruential generator (D. E. Knuth's MMIX). */
static double next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) * 0x1p-53;
}

static void fill_series(struct weir_series *series, size_t samples, double step, uint64_t *seed)
{
	double level = 1e4 * (1 + 99 * next(seed)) * (1 + 0.01 * next(seed));

	for (size_t i = 0; i < samples; i++) {
		double value = level * (1 + 0.05 * next(seed));

		weir_series_push(series, round(value / step) * step);
	}
}

static struct weir_run *make_run(size_t operators, size_t samples, double step, uint64_t *seed)
{
	struct weir_run *run = weir_run_new();
	uint64_t levels = 1; /* operators are alike in all runs, but for their samples */

	fill_series(weir_series_get(&run->stages, "decode"), samples, step, seed);
	fill_series(weir_series_get(&run->device, "decode"), samples, step, seed);
	for (size_t i = 0; i < operators; i++) {
		char name[64];

		snprintf(name, sizeof name, "decode/operator_%zu", i);
		levels ^= *seed >> 40;
		fill_series(weir_series_get(&run->operators, name), samples, step, &levels);
		fill_series(weir_series_get(&run->calls, name), samples, step, seed);
	}
	return run;
}

static double seconds_of(const struct weir_compare_input *input)
{
	double best = INFINITY;

	for (int i = 0; i < ROUNDS; i++) {
		struct weir_gate_result *result = weir_gate_result_new();
		struct weir_error err = {0};
		double start = now();

		if (weir_compare(input, result, &err))
			fprintf(stderr, "%s\n", err.message);
		best = fmin(best, now() - start);
		weir_gate_result_free(result);
	}
	return best;
}

/* operators, baseline, candidates, samples */
static void measure(const size_t *settings, double step)
{
	static const struct weir_compare_policy policy = {.margin = margin,
	                                                  .treatment = judge,
	                                                  .alpha_operators = 0.01,
	                                                  .alpha_stages = 0.01};
	size_t count = settings[1] + settings[2];
	struct weir_run **runs = calloc(count, sizeof(struct weir_run *));
	uint64_t seed = 20240607;
	struct weir_compare_input input = {
		.baseline = (const struct weir_run *const *)runs,
		.baseline_count = settings[1],
		.candidate_count = settings[2],
		.policy = &policy,
	};
	struct rusage usage;

	if (!runs)
		return;
	for (size_t i = 0; i < count; i++)
		runs[i] = make_run(settings[0], settings[3], step, &seed);
	input.candidate = input.baseline + settings[1];
	printf("steps of %4g ns: %.1f ms", step, 1e3 * seconds_of(&input));
	getrusage(RUSAGE_SELF, &usage);
	printf(", peak %.0f MB\n", (double)usage.ru_maxrss / 1e3);
	for (size_t i = 0; i < count; i++)
		weir_run_free(runs[i]);
	free(runs);
}

int main(int argc, char **argv)
{
	size_t settings[SETTINGS] = {200, 10, 3, 1000};

	for (int i = 1; i < argc && i <= SETTINGS; i++) {
		double value;

		if (!weir_parse_double(argv[i], strlen(argv[i]), &value) || value < 1 ||
		    value > MOST) {
			fprintf(stderr, "usage: bench_compare [OPERATORS [BASELINE [CANDIDATES "
			                "[SAMPLES]]]]\n");
			return 2;
		}
		settings[i - 1] = (size_t)value;
	}
	printf("%zu operators, %zu x %zu runs, %zu samples each\n", settings[0], settings[1],
	       settings[2], settings[3]);
	measure(settings, 1);
	measure(settings, 1000);
	return 0;
}
