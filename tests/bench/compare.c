/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_compare [OPERATORS [BASELINE [CANDIDATES [SAMPLES]]]]: measures the time of a comparison.
 * Prints the best of five rounds of weir_compare() from samples in memory to rows, once with
 * samples in steps of a nanosecond and once in steps of a microsecond, and the peak memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/analysis/compare/compare.h"
#include "engine/base/text.h"

#define ROUNDS 5
#define MOST   1000000

struct made {
	size_t operators, baseline, candidates, samples;
	double step; /* step of the timer, ns */
};

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

/* Returns a number in 0..1 from a linear congruential generator (D. E. Knuth, MMIX). */
static double next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) * 0x1p-53;
}

/* Makes samples up to a twentieth above the level, in ns. */
static void fill_series(struct weir_series *series, double level, const struct made *made,
                        uint64_t *seed)
{
	for (size_t i = 0; i < made->samples; i++) {
		double value = level * (1 + 0.05 * next(seed));

		weir_series_push(series, round(value / made->step) * made->step);
	}
}

static struct weir_run *make_run(const struct made *made, uint64_t *seed)
{
	struct weir_run *run = weir_run_new();

	fill_series(weir_series_get(&run->stages, "decode"), 1e7, made, seed);
	fill_series(weir_series_get(&run->device, "decode"), 9e6, made, seed);
	for (size_t i = 0; i < made->operators; i++) {
		char name[64];

		snprintf(name, sizeof name, "decode/operator_%zu", i);
		fill_series(weir_series_get(&run->operators, name), 1e4 * (double)(i % 100 + 1),
		            made, seed);
		fill_series(weir_series_get(&run->calls, name), 1e5, made, seed);
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

static void measure(const struct made *made)
{
	static const struct weir_compare_policy policy = {.margin = margin,
	                                                  .treatment = judge,
	                                                  .alpha_operators = 0.01,
	                                                  .alpha_stages = 0.01};
	size_t count = made->baseline + made->candidates;
	struct weir_run **runs = calloc(count, sizeof(struct weir_run *));
	uint64_t seed = 20240607;
	struct weir_compare_input input = {
		.baseline = (const struct weir_run *const *)runs,
		.baseline_count = made->baseline,
		.candidate_count = made->candidates,
		.policy = &policy,
	};
	struct rusage usage;

	if (!runs)
		return;
	for (size_t i = 0; i < count; i++)
		runs[i] = make_run(made, &seed);
	input.candidate = input.baseline + made->baseline;
	printf("steps of %4g ns: %.1f ms", made->step, 1e3 * seconds_of(&input));
	getrusage(RUSAGE_SELF, &usage);
	printf(", peak %.0f MB\n", (double)usage.ru_maxrss / 1e3);
	for (size_t i = 0; i < count; i++)
		weir_run_free(runs[i]);
	free(runs);
}

int main(int argc, char **argv)
{
	struct made made = {200, 10, 3, 1000, 1};
	size_t *const settings[] = {&made.operators, &made.baseline, &made.candidates,
	                            &made.samples};

	for (int i = 1; i < argc && i <= (int)(sizeof settings / sizeof *settings); i++) {
		double value;

		if (!weir_parse_double(argv[i], strlen(argv[i]), &value) || value < 1 ||
		    value > MOST) {
			fprintf(stderr, "usage: bench_compare [OPERATORS [BASELINE [CANDIDATES "
			                "[SAMPLES]]]]\n");
			return 2;
		}
		*settings[i - 1] = (size_t)value;
	}
	printf("%zu operators, %zu x %zu runs, %zu samples each\n", made.operators, made.baseline,
	       made.candidates, made.samples);
	measure(&made);
	made.step = 1000;
	measure(&made);
	return 0;
}
