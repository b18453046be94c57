/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_calibration [GATES]: measures how often the gate is red on unchanged programs, and how
 * often it detects a slowdown, on simulated gates of 5 baseline and 3 candidate runs, 200 operators
 * and 200 iterations. GATES is the number of gates for each spread between runs; the default is
 * 400. Prints the table of docs/statistics.md, section 6; fails if a hard limit is broken. Every
 * gate has its own seed, so that the figures are the same on every machine.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gsl/gsl_cdf.h>

#include "engine/base/arena.h"
#include "engine/base/splitmix.h"
#include "engine/base/text.h"
#include "engine/stats/gate.h"
#include "engine/stats/multiple.h"
#include "engine/stats/quantile.h"
#include "tests/bench/simulate.h"

#define GATES     400
#define BASELINE  ((size_t)5)
#define CANDIDATE ((size_t)3)
#define RUNS      (BASELINE + CANDIDATE)
#define OPERATORS ((size_t)200)
#define SAMPLES   ((size_t)200)
#define CELLS     (WEIR_LOG_ROWS * OPERATORS)
#define PICKS     8  /* operators of a gate slowed in turn; 4 if there are many gates */
#define POOLED    40 /* gates of each spread also judged by pooled Mann-Whitney */
#define ALPHA     0.01
#define SEED      20240607u
#define TAIL_FROM 0.97
#define SLACK     0.10 /* allowed shortfall of power against the measured one */

static const double sigmas[] = {0, 0.005, 0.01, 0.02, 0.05};
#define SIGMAS (sizeof(sigmas) / sizeof(sigmas[0]))

static const double margins[WEIR_LOG_ROWS] = {0.03, 0.05, 0.05, 0.10, 0.03};

enum change {
	NOTHING, /* false alarms */
	ONE_OPERATOR,
	ALL_OPERATORS,
	TAIL, /* of one operator: iterations above the 97th percentile of the run */
};

/* A line of the table. */
struct target {
	double sigma;
	enum change change;
	double by;
	double target, measured;
};

static const struct target targets[] = {
	{0, NOTHING, 0, 0.05, 0.008},
	{0.005, NOTHING, 0, 0.05, 0.012},
	{0.01, NOTHING, 0, 0.05, 0.010},
	{0.02, NOTHING, 0, 0.05, 0.005},
	{0.05, NOTHING, 0, 0.05, 0.008},
	{0, ONE_OPERATOR, 0.05, 0.75, 0.779},
	{0, ONE_OPERATOR, 0.10, 0.95, 0.976},
	{0.005, ONE_OPERATOR, 0.05, 0.70, 0.755},
	{0.005, ONE_OPERATOR, 0.10, 0.95, 0.980},
	{0.01, ONE_OPERATOR, 0.05, 0.50, 0.567},
	{0.01, ONE_OPERATOR, 0.10, 0.95, 0.972},
	{0.01, ONE_OPERATOR, 0.15, 0.95, 0.997},
	{0.02, ONE_OPERATOR, 0.10, 0.75, 0.807},
	{0.02, ONE_OPERATOR, 0.15, 0.90, 0.966},
	{0.02, ONE_OPERATOR, 0.30, 0.95, 0.999},
	{0.05, ONE_OPERATOR, 0.15, 0.40, 0.425},
	{0.05, ONE_OPERATOR, 0.30, 0.85, 0.888},
	{0.01, ALL_OPERATORS, 0.10, 0.95, 1.00},
	{0.01, TAIL, 0.30, 0.50, 0.60},
	{0.02, ALL_OPERATORS, 0.10, 0.95, 1.00},
	{0.02, TAIL, 0.30, 0.50, 0.57},
};
#define TARGETS (sizeof(targets) / sizeof(targets[0]))

struct tally {
	size_t hits, tries;
};

/* A gate, and its rows while the tail of one operator is slower. */
struct gate {
	size_t index;
	size_t picks;
	double x[RUNS * SAMPLES];
	double y[CELLS * RUNS];
	double tick[OPERATORS];
	double tail[PICKS][WEIR_LOG_ROWS * CANDIDATE];
	double tail_by;
	double pooled_p[OPERATORS];
	struct weir_gate_cell cells[CELLS];
	struct weir_gate_cell all[WEIR_LOG_ROWS];
};

static size_t picked(const struct gate *gate, size_t pick)
{
	return (gate->index + pick * (OPERATORS / gate->picks)) % OPERATORS;
}

static double *run_rows(double *y, size_t row, size_t operator)
{
	return y + (row * OPERATORS + operator) * RUNS;
}

static void reduce(struct gate *gate, size_t operator)
{
	double copy[SAMPLES];
	double rows[WEIR_LOG_ROWS];

	for (size_t r = 0; r < RUNS; r++) {
		memcpy(copy, gate->x + r * SAMPLES, sizeof(copy));
		weir_log_rows(copy, SAMPLES, gate->tick[operator], rows);
		for (size_t k = 0; k < WEIR_LOG_ROWS; k++)
			run_rows(gate->y, k, operator)[r] = rows[k];
	}
}

static void reduce_tail(struct gate *gate, size_t operator, size_t pick)
{
	const double prob = TAIL_FROM;
	double copy[SAMPLES];
	double rows[WEIR_LOG_ROWS];
	double from;

	for (size_t c = 0; c < CANDIDATE; c++) {
		memcpy(copy, gate->x + (BASELINE + c) * SAMPLES, sizeof(copy));
		weir_quantiles(copy, SAMPLES, &prob, 1, &from);
		for (size_t i = 0; i < SAMPLES; i++)
			copy[i] *= copy[i] > from ? 1 + gate->tail_by : 1;
		weir_log_rows(copy, SAMPLES, gate->tick[operator], rows);
		for (size_t k = 0; k < WEIR_LOG_ROWS; k++)
			gate->tail[pick][k * CANDIDATE + c] = rows[k];
	}
}

/*
 * Returns the p-value of Mann and Whitney that the candidate is larger, from the normal
 * distribution, corrected for ties and continuity. Both lists are sorted.
 */
static double mann_whitney(const double *baseline, size_t b, const double *candidate, size_t c)
{
	double n = (double)(b + c), pairs = (double)b * (double)c;
	double u = 0, ties = 0; /* sum of t^3 - t over ties of t values */
	size_t i = 0, j = 0;

	while (i < b || j < c) {
		double value =
			fmin(i < b ? baseline[i] : INFINITY, j < c ? candidate[j] : INFINITY);
		size_t below = i, first = j;
		double length;

		while (i < b && baseline[i] == value)
			i++;
		while (j < c && candidate[j] == value)
			j++;
		u += (double)(j - first) * (double)(below + i) / 2;
		length = (double)(i - below + j - first);
		ties += length * length * length - length;
	}
	return gsl_cdf_ugaussian_Q((u - pairs / 2 - 0.5) /
	                           sqrt(pairs / 12 * (n + 1 - ties / (n * (n - 1)))));
}

static void pool(struct gate *gate, size_t operator)
{
	double sorted[RUNS * SAMPLES];

	memcpy(sorted, gate->x, sizeof(sorted));
	weir_sort_values(sorted, BASELINE * SAMPLES);
	weir_sort_values(sorted + BASELINE * SAMPLES, CANDIDATE * SAMPLES);
	gate->pooled_p[operator] = mann_whitney(sorted, BASELINE * SAMPLES,
	                                        sorted + BASELINE * SAMPLES, CANDIDATE * SAMPLES);
}

/* Draws a gate and reduces its runs; the number of the gate is its seed. */
static void draw(struct gate *gate, double sigma, bool pooled)
{
	struct simulation *simulation =
		simulation_new(weir_splitmix64(SEED + gate->index), RUNS, SAMPLES, sigma);

	for (size_t m = 0; m < OPERATORS; m++) {
		gate->tick[m] = simulation_next(simulation, gate->x);
		reduce(gate, m);
		if (pooled)
			pool(gate, m);
		for (size_t i = 0; gate->tail_by > 0 && i < gate->picks; i++) {
			if (picked(gate, i) == m)
				reduce_tail(gate, m, i);
		}
	}
	simulation_free(simulation);
}

/* Judges y, which may differ from the values of the gate, and decides the selected rows of
 * cells. */
static void judge(struct gate *gate, const double *y)
{
	struct weir_gate_input in = {
		.rows = WEIR_LOG_ROWS,
		.subjects = OPERATORS,
		.baseline_runs = BASELINE,
		.candidate_runs = CANDIDATE,
		.y = y,
		.tick = gate->tick,
		.margins = margins,
	};
	struct weir_gate_family operators = {{{gate->cells, CELLS}}, 1};
	struct weir_gate_family stages = {{{gate->all, WEIR_LOG_ROWS}}, 1};
	struct weir_error err = {0};

	if (weir_gate_operators(&in, gate->cells, gate->all, &err)) {
		fprintf(stderr, "%s\n", err.message);
		exit(EXIT_FAILURE);
	}
	weir_gate_adjust(&operators);
	weir_gate_adjust(&stages);
	weir_gate_decide(&stages, ALPHA);
}

static bool operator_is_red(struct gate *gate, size_t operator)
{
	bool red = false;

	for (size_t k = 0; k < WEIR_LOG_ROWS; k++) {
		struct weir_gate_cell *cell = &gate->cells[k * OPERATORS + operator];
		struct weir_gate_family one = {{{cell, 1}}, 1};

		weir_gate_decide(&one, ALPHA);
		red = red || cell->regression;
	}
	return red;
}

static bool gate_is_red(struct gate *gate)
{
	bool red = false;

	for (size_t k = 0; k < WEIR_LOG_ROWS; k++)
		red = red || gate->all[k].regression;
	for (size_t m = 0; m < OPERATORS; m++)
		red = operator_is_red(gate, m) || red;
	return red;
}

/* Adds to the logarithms of one operator of the candidate; adding the negative undoes it. */
static void shift(double *y, size_t operator, double by)
{
	for (size_t k = 0; k < WEIR_LOG_ROWS; k++) {
		for (size_t r = BASELINE; r < RUNS; r++)
			run_rows(y, k, operator)[r] += by;
	}
}

static void put_tail(double *y, const struct gate *gate, size_t pick)
{
	for (size_t k = 0; k < WEIR_LOG_ROWS; k++)
		memcpy(run_rows(y, k, picked(gate, pick)) + BASELINE,
		       gate->tail[pick] + k * CANDIDATE, CANDIDATE * sizeof(double));
}

static void count_one(struct gate *gate, const struct target *target, double *y,
                      struct tally *tally)
{
	for (size_t i = 0; i < gate->picks; i++) {
		memcpy(y, gate->y, sizeof(gate->y));
		if (target->change == TAIL)
			put_tail(y, gate, i);
		else
			shift(y, picked(gate, i), log1p(target->by));
		judge(gate, y);
		tally->hits += operator_is_red(gate, picked(gate, i));
		tally->tries++;
	}
}

static void count_gate(struct gate *gate, const struct target *target, double *y,
                       struct tally *tally)
{
	memcpy(y, gate->y, sizeof(gate->y));
	for (size_t m = 0; target->change == ALL_OPERATORS && m < OPERATORS; m++)
		shift(y, m, log1p(target->by));
	judge(gate, y);
	tally->hits += gate_is_red(gate);
	tally->tries++;
}

static void count(struct gate *gate, const struct target *target, double *y, struct tally *tally)
{
	switch (target->change) {
	case NOTHING:
	case ALL_OPERATORS:
		count_gate(gate, target, y, tally);
		return;
	case ONE_OPERATOR:
	case TAIL:
		count_one(gate, target, y, tally);
		return;
	}
}

static bool pooled_is_red(const struct gate *gate)
{
	double adjusted[OPERATORS];
	bool red = false;

	weir_holm(gate->pooled_p, OPERATORS, adjusted);
	for (size_t m = 0; m < OPERATORS; m++)
		red = red || adjusted[m] <= 0.05;
	return red;
}

static double tail_of(double sigma)
{
	for (size_t i = 0; i < TARGETS; i++) {
		if (targets[i].sigma == sigma && targets[i].change == TAIL)
			return targets[i].by;
	}
	return 0;
}

/* Runs all gates of one spread between runs. */
static void measure(size_t number, size_t gates, struct tally *tallies, struct tally *pooled)
{
	struct gate *gate = weir_alloc(sizeof(*gate));
	double *y = weir_alloc(sizeof(gate->y));
	double sigma = sigmas[number];

	gate->picks = gates > 100 ? PICKS / 2 : PICKS;
	gate->tail_by = tail_of(sigma);
	for (size_t i = 0; i < gates; i++) {
		gate->index = number * (size_t)GATES + i;
		draw(gate, sigma, i < POOLED);
		for (size_t j = 0; j < TARGETS; j++) {
			if (targets[j].sigma == sigma)
				count(gate, &targets[j], y, &tallies[j]);
		}
		if (i < POOLED) {
			pooled->hits += pooled_is_red(gate);
			pooled->tries++;
		}
	}
	free(gate);
	free(y);
}

static double share(struct tally tally)
{
	return tally.tries > 0 ? (double)tally.hits / (double)tally.tries : 0;
}

/* Returns the largest number of red gates that a true rate of 5 % explains in 99 of 100 cases:
 * 31 of 400. */
static size_t most_red(size_t gates)
{
	unsigned red = 0;

	while (gsl_cdf_binomial_Q(red, 0.05, (unsigned)gates) > 0.01)
		red++;
	return red;
}

static const char *verdict_of(const struct target *target, struct tally tally)
{
	double found = share(tally);

	if (target->change == NOTHING) {
		if (tally.hits > most_red(tally.tries))
			return "FAILED";
		return found <= target->target ? "met" : "within chance";
	}
	if (found < target->measured - SLACK)
		return "FAILED";
	return found >= target->target ? "met" : "within slack";
}

static void print_what(const struct target *target, char *out, size_t size)
{
	double sigma = 100 * target->sigma;
	double by = 100 * target->by;

	switch (target->change) {
	case NOTHING:
		snprintf(out, size, "sigma %3.1f %%: false alarms", sigma);
		return;
	case ONE_OPERATOR:
		snprintf(out, size, "sigma %3.1f %%: one operator +%.0f %%", sigma, by);
		return;
	case ALL_OPERATORS:
		snprintf(out, size, "sigma %3.1f %%: all operators +%.0f %%", sigma, by);
		return;
	case TAIL:
		snprintf(out, size, "sigma %3.1f %%: tail of one +%.0f %%", sigma, by);
		return;
	}
}

/* Returns the number of broken hard limits. */
static size_t print_table(const struct tally *tallies)
{
	size_t broken = 0;

	printf("%-36s %-9s %-9s %-9s %-8s %s\n", "5 baseline, 3 candidate runs", "target",
	       "reference", "measured", "of", "verdict");
	for (size_t i = 0; i < TARGETS; i++) {
		const char *verdict = verdict_of(&targets[i], tallies[i]);
		char what[64];

		print_what(&targets[i], what, sizeof(what));
		printf("%-36s %s %-6.3f %-9.3f %-9.3f %-8zu %s\n", what,
		       targets[i].change == NOTHING ? "<=" : ">=", targets[i].target,
		       targets[i].measured, share(tallies[i]), tallies[i].tries, verdict);
		broken += strcmp(verdict, "FAILED") == 0;
	}
	return broken;
}

/* Prints how a gate of pooled iterations would judge the same unchanged programs. */
static size_t print_pooled(const struct tally *tallies, const struct tally *pooled)
{
	size_t broken = 0;

	printf("\n%-36s %-19s %s\n", "false alarms of gates", "pooled Mann-Whitney", "this gate");
	for (size_t i = 0; i < SIGMAS; i++) {
		/* The first lines of the table, in the order of the sigmas. */
		bool wrong = sigmas[i] >= 0.01 && share(pooled[i]) < 0.9;

		printf("sigma %3.1f %%%-26s %-19.3f %.3f%s\n", 100 * sigmas[i], ", Holm at 5 %",
		       share(pooled[i]), share(tallies[i]), wrong ? " FAILED" : "");
		broken += wrong;
	}
	return broken;
}

int main(int argc, char **argv)
{
	struct tally tallies[TARGETS] = {{0}};
	struct tally pooled[SIGMAS] = {{0}};
	int64_t gates = GATES;
	clock_t start = clock();
	size_t broken;

	if (argc > 2 || (argc == 2 && !weir_parse_i64(argv[1], strlen(argv[1]), &gates)) ||
	    gates < 1 || gates > GATES) {
		fprintf(stderr, "usage: bench_calibration [GATES]   1 to %d\n", GATES);
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < SIGMAS; i++)
		measure(i, (size_t)gates, tallies, &pooled[i]);
	broken = print_table(tallies);
	broken += print_pooled(tallies, pooled);
	printf("\n%.1f s of one core\n", (double)(clock() - start) / CLOCKS_PER_SEC);
	return broken == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
