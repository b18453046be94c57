/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_gate_rates alarms|single|power|follow|sessions GATES SEED [TEXT]: measures how often a gate
 * is wrong and how often it sees a change, on the simulated families of tests/bench/gate_study.py.
 * That study runs the program; this one calls weir_compare() in one process and draws a gate in
 * milliseconds. TEXT selects the cells whose name contains it. Prints the share of gates in per
 * cent with its 95 % interval (Wilson). A gate has its own seed, so that the figures are the same
 * on every machine.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/compare.h"
#include "engine/base/arena.h"
#include "engine/base/splitmix.h"
#include "engine/base/text.h"

#define MOST_RUNS   64 /* of both sides */
#define MOST_STAGES 500
#define TARGET      2 /* index of the stage that gets slower */
#define NONE        (-1.0)
#define PI          3.14159265358979323846

/* ---- random numbers ---- */

struct draws {
	uint64_t state;
};

static double uniform(struct draws *draws)
{
	uint64_t number = weir_splitmix64(draws->state);

	draws->state += UINT64_C(0x9e3779b97f4a7c15);
	return ((double)(number >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct draws *draws)
{
	double radius = sqrt(-2 * log(uniform(draws)));

	return radius * cos(2 * PI * uniform(draws));
}

/* Returns a number of Student's distribution with 3 degrees of freedom. */
static double heavy(struct draws *draws)
{
	double sum = 0, top = normal(draws);

	for (int i = 0; i < 3; i++) {
		double one = normal(draws);

		sum += one * one;
	}
	return top / sqrt(sum / 3);
}

/* ---- runs ---- */

/* A family of runs. 0: the default of a field, by defaults_of(); NONE: really 0. */
struct family {
	double sd; /* between runs, of the log */
	double within, correlation, tail, factor;
	double varying;     /* sd of the log of the rate of the tail */
	double slow;        /* share of runs that are 8 % slower */
	double common;      /* sd between runs that all stages share */
	double drift;       /* sd of a shift of the whole candidate */
	double noisier;     /* factor of the candidate's sd between runs */
	double effect;      /* of the target stage */
	double tail_effect; /* factor of 4 % of the target's iterations */
	bool pareto, heavy, unequal;
	size_t stages, samples, candidate_samples;
};

static struct family defaults_of(struct family family)
{
	family.within = family.within > 0 ? family.within : 0.03;
	family.correlation = family.correlation == 0 ? 0.3 : fmax(family.correlation, 0);
	family.tail = family.tail == 0 ? 0.02 : fmax(family.tail, 0);
	family.factor = family.factor > 0 ? family.factor : 1.5;
	family.noisier = family.noisier > 0 ? family.noisier : 1;
	family.stages = family.stages > 0 ? family.stages : 4;
	family.samples = family.samples > 0 ? family.samples : 300;
	if (family.candidate_samples == 0)
		family.candidate_samples = family.samples;
	return family;
}

static size_t target_of(const struct family *family)
{
	return family->stages > TARGET ? TARGET : family->stages - 1;
}

static void draw_series(struct draws *draws, const struct family *family, bool candidate,
                        double level, struct weir_series *series)
{
	size_t count = candidate ? family->candidate_samples : family->samples;
	double rho = family->correlation, step = normal(draws), rate = family->tail;

	if (family->varying > 0)
		rate *= exp(family->varying * normal(draws));
	for (size_t i = 0; i < count; i++) {
		double value;

		if (i > 0)
			step = rho * step + sqrt(1 - rho * rho) * normal(draws);
		value = level * exp(family->within * step);
		if (uniform(draws) < fmin(rate, 0.5))
			value *= family->pareto ? pow(uniform(draws), -1 / 1.5) : family->factor;
		weir_series_push(series, value);
	}
}

/* Makes the target stage of a candidate slower. */
static void slow_down(struct draws *draws, const struct family *family, struct weir_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		series->value[i] *= 1 + family->effect;
		if (family->tail_effect > 0 && uniform(draws) < 0.04)
			series->value[i] *= family->tail_effect;
	}
}

/* Draws a run. shared: shift of all stages; moved: of each stage, by its session; NULL: none. */
static struct weir_run *draw_run(struct draws *draws, const struct family *family, bool candidate,
                                 double shared, const double *moved)
{
	static const double scale_ns[] = {600e3, 3.4e6, 570e3, 200e3};
	static const double shares[] = {1, 1.0 / 6, 1.0 / 2, 1.0 / 3};
	struct weir_run *run = weir_run_new();

	if (family->slow > 0 && uniform(draws) < family->slow)
		shared += log(1.08);
	shared += family->common * normal(draws);
	for (size_t i = 0; i < family->stages; i++) {
		double noise = family->heavy ? heavy(draws) : normal(draws);
		double sd = family->sd * (family->unequal ? shares[i % 4] : 1) *
		            (candidate ? family->noisier : 1);
		double level = scale_ns[i % 4] * exp(shared + sd * noise + (moved ? moved[i] : 0));
		struct weir_series *series;
		char name[32];

		snprintf(name, sizeof name, "stage%03zu", i);
		series = weir_series_get(&run->stages, name);
		draw_series(draws, family, candidate, level, series);
		if (candidate && i == target_of(family))
			slow_down(draws, family, series);
		for (size_t k = 0; k < series->count; k++)
			series->value[k] = round(series->value[k]);
	}
	return run;
}

/* The runs of a gate, which owns them. */
struct gate {
	struct weir_run *side[2][MOST_RUNS];
	size_t count[2];
};

static void add_runs(struct gate *gate, struct draws *draws, const struct family *family,
                     bool candidate, size_t count)
{
	double shared = candidate && family->drift > 0 ? family->drift * normal(draws) : 0;

	for (size_t i = 0; i < count; i++)
		gate->side[candidate][gate->count[candidate]++] =
			draw_run(draws, family, candidate, shared, NULL);
}

static void drop_runs(struct gate *gate)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < gate->count[side]; i++)
			weir_run_free(gate->side[side][i]);
	*gate = (struct gate){0};
}

/* ---- decisions ---- */

/* The margins and levels of a gate without a configuration. */
static double margin_of(const void *context, const char *scope, enum weir_metric metric)
{
	static const double margins[WEIR_METRIC_COUNT] = {
		[WEIR_METRIC_P50] = 0.03, [WEIR_METRIC_P90] = 0.05,   [WEIR_METRIC_P95] = 0.05,
		[WEIR_METRIC_P99] = 0.10, [WEIR_METRIC_SHIFT] = 0.03, [WEIR_METRIC_VALUE] = 0.05,
	};

	(void)context;
	(void)scope;
	return margins[metric];
}

static enum weir_treatment judge_all(const void *context, const char *scope,
                                     enum weir_metric metric)
{
	(void)context;
	(void)scope;
	(void)metric;
	return WEIR_TREAT_JUDGE;
}

static const struct weir_compare_policy policy = {
	.margin = margin_of,
	.treatment = judge_all,
	.alpha_operators = 0.01,
	.alpha_stages = 0.01,
	.warmup = -1,
};

static struct weir_gate_result *compare(const struct gate *gate)
{
	const struct weir_compare_input input = {
		.baseline = (const struct weir_run *const *)gate->side[0],
		.candidate = (const struct weir_run *const *)gate->side[1],
		.baseline_count = gate->count[0],
		.candidate_count = gate->count[1],
		.policy = &policy,
	};
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_error err = {0};

	if (weir_compare(&input, result, &err)) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	return result;
}

static bool is_target(const struct weir_row *row, const struct family *family)
{
	char scope[32];

	snprintf(scope, sizeof scope, "stage:stage%03zu", target_of(family));
	return strcmp(row->scope, scope) == 0;
}

/* Returns true if a row has the outcome: of any stage, or of the target only. */
static bool has(const struct weir_gate_result *result, enum weir_outcome outcome,
                const struct family *target)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (result->rows[i].outcome == outcome &&
		    (!target || is_target(&result->rows[i], target)))
			return true;
	return false;
}

static bool waits_for_sessions(const struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (result->rows[i].reason &&
		    strcmp(result->rows[i].reason, WEIR_REASON_SESSIONS) == 0)
			return true;
	return false;
}

/* ---- cells of the tables ---- */

struct cell {
	const char *name;
	struct family family;
	size_t baseline, candidate;
	/* With sessions: numbers of jobs, runs a job, sd between jobs. interleaved: each job of the
	 * baseline measures both sides. apart: each stage has its own shift in a job. */
	size_t jobs, candidate_jobs, each;
	double job_sd;
	bool interleaved, apart;
};

/* sides: those that the job measures, the baseline first. */
static void add_job(struct gate *gate, struct draws *draws, const struct cell *cell,
                    const struct family *family, size_t job, const bool sides[2])
{
	double moved[MOST_STAGES], shared = cell->job_sd * normal(draws);
	char name[32];

	snprintf(name, sizeof name, "job%zu", job);
	for (size_t i = 0; i < family->stages; i++)
		moved[i] = cell->apart ? cell->job_sd * normal(draws) : shared;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; sides[side] && i < cell->each; i++) {
			struct weir_run *run = draw_run(draws, family, side > 0, 0, moved);

			weir_run_set_label(run, WEIR_RUN_SESSION, name);
			gate->side[side][gate->count[side]++] = run;
		}
}

static void draw_gate(struct gate *gate, struct draws *draws, const struct cell *cell,
                      const struct family *family)
{
	const bool of_baseline[2] = {true, cell->interleaved}, of_candidate[2] = {false, true};

	for (size_t job = 0; job < cell->jobs; job++)
		add_job(gate, draws, cell, family, job, of_baseline);
	for (size_t job = 0; job < cell->candidate_jobs; job++)
		add_job(gate, draws, cell, family, cell->jobs + job, of_candidate);
	add_runs(gate, draws, family, false, cell->baseline);
	add_runs(gate, draws, family, true, cell->candidate);
}

static struct draws draws_of(uint64_t seed, size_t index)
{
	return (struct draws){weir_splitmix64(weir_splitmix64(seed) ^ (uint64_t)index)};
}

static void show(const char *name, const char *runs, size_t hits, size_t count)
{
	double n = (double)count, share = n > 0 ? (double)hits / n : 0, z = 1.959964;
	double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
	double half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);

	printf("| %s | %s | %zu | %.1f | %.1f to %.1f |", name, runs, count, 100 * share,
	       100 * fmax(middle - half, 0), 100 * (middle + half));
}

static void name_runs(const struct cell *cell, char *out, size_t size)
{
	if (cell->each > 0)
		snprintf(out, size, "%zu a job", cell->each);
	else
		snprintf(out, size, "(%zu, %zu)", cell->baseline, cell->candidate);
}

static void play(const struct cell *cell, enum weir_outcome outcome, size_t gates, uint64_t seed)
{
	const struct family family = defaults_of(cell->family);
	bool slowed = family.effect > 0 || family.tail_effect > 0;
	size_t hits = 0, waits = 0;
	char runs[32];

	for (size_t i = 0; i < gates; i++) {
		struct draws draws = draws_of(seed, i);
		struct weir_gate_result *result;
		struct gate gate = {0};

		draw_gate(&gate, &draws, cell, &family);
		result = compare(&gate);
		hits += has(result, outcome, slowed ? &family : NULL);
		waits += waits_for_sessions(result);
		weir_gate_result_free(result);
		drop_runs(&gate);
	}
	name_runs(cell, runs, sizeof runs);
	show(cell->name, runs, hits, gates);
	if (cell->each > 0)
		printf(" open by sessions: %.1f |", 100 * (double)waits / (double)gates);
	printf("\n");
	fflush(stdout);
}

static const struct cell unchanged[] = {
	{.name = "sd 0 %"},
	{.name = "sd 0.5 %", .family.sd = 0.005},
	{.name = "sd 1 %", .family.sd = 0.01},
	{.name = "sd 2 %", .family.sd = 0.02},
	{.name = "sd 3 %", .family.sd = 0.03},
	{.name = "sd 5 %", .family.sd = 0.05},
	{.name = "correlated iterations",
         .family = {.sd = 0.01, .correlation = 0.98, .within = 0.05}},
	{.name = "Pareto tail 3 %", .family = {.sd = 0.01, .tail = 0.03, .pareto = true}},
	{.name = "tail rate varies", .family = {.sd = 0.01, .varying = 0.7, .factor = 2}},
	{.name = "10 % of runs 8 % slower", .family = {.sd = 0.005, .slow = 0.1}},
	{.name = "30 % of runs 8 % slower", .family = {.sd = 0.005, .slow = 0.3}},
	{.name = "t(3) between runs", .family = {.sd = 0.01, .heavy = true}},
	{.name = "sd 0.5 to 3 %, by stage", .family = {.sd = 0.03, .unequal = true}},
	{.name = "1 %, candidate 2 %", .family = {.sd = 0.01, .noisier = 2}},
	{.name = "1 %, candidate 3 %", .family = {.sd = 0.01, .noisier = 3}},
	{.name = "stages move together", .family = {.sd = 0.005, .common = 0.02}},
	{.name = "tail of 1 %, x 1.5", .family = {.sd = 0.01, .tail = 0.01}},
	{.name = "tail of 1 %, x 3", .family = {.sd = 0.01, .tail = 0.01, .factor = 3}},
	{.name = "1,000 against 200 samples",
         .family = {.sd = 0.01,
                    .samples = 1000,
                    .candidate_samples = 200,
                    .tail = 0.03,
                    .pareto = true}},
	{.name = "drift 1 %", .family = {.sd = 0.005, .drift = 0.01}},
	{.name = "drift 2 %", .family = {.sd = 0.005, .drift = 0.02}},
	{.name = "drift 3 %", .family = {.sd = 0.005, .drift = 0.03}},
	{.name = "1 stage",
         .family = {.sd = 0.01, .stages = 1, .samples = 100, .correlation = NONE}},
	{.name = "20 stages",
         .family = {.sd = 0.01, .stages = 20, .samples = 100, .correlation = NONE}},
	{.name = "100 stages",
         .family = {.sd = 0.01, .stages = 100, .samples = 100, .correlation = NONE}},
	{.name = "500 stages",
         .family = {.sd = 0.01, .stages = 500, .samples = 100, .correlation = NONE}},
};

static const struct cell heavy_tailed[] = {
	{.name = "20 stages, t(3)",
         .family = {.sd = 0.01, .stages = 20, .samples = 100, .correlation = NONE, .heavy = true}},
	{.name = "100 stages, t(3)",
         .family = {.sd = 0.01, .stages = 100, .samples = 100, .correlation = NONE, .heavy = true}},
	{.name = "500 stages, t(3)",
         .family = {.sd = 0.01, .stages = 500, .samples = 100, .correlation = NONE, .heavy = true}},
};

static const struct cell changed[] = {
	{"sd 2 %, +5 %", {.sd = 0.02, .effect = 0.05}, 10, 5, .each = 0},
	{"sd 1 %, +5 %", {.sd = 0.01, .effect = 0.05}, 5, 3, .each = 0},
	{"sd 1 %, +5 %", {.sd = 0.01, .effect = 0.05}, 8, 3, .each = 0},
	{"sd 3 %, +6 %", {.sd = 0.03, .effect = 0.06}, 5, 3, .each = 0},
	{"sd 3 %, +6 %", {.sd = 0.03, .effect = 0.06}, 10, 5, .each = 0},
	{"sd 3 %, +6 %", {.sd = 0.03, .effect = 0.06}, 10, 10, .each = 0},
	{"sd 3 %, +6 %", {.sd = 0.03, .effect = 0.06}, 20, 20, .each = 0},
	{"sd 5 %, +10 %", {.sd = 0.05, .effect = 0.10}, 10, 5, .each = 0},
	{"sd 5 %, +10 %", {.sd = 0.05, .effect = 0.10}, 10, 10, .each = 0},
	{"sd 5 %, +10 %", {.sd = 0.05, .effect = 0.10}, 20, 20, .each = 0},
	{"sd 0.5 %, +2 %", {.sd = 0.005, .effect = 0.02}, 8, 3, .each = 0},
	{"sd 0.5 %, +3 %", {.sd = 0.005, .effect = 0.03}, 8, 3, .each = 0},
	{"sd 0.8 %, +2 %", {.sd = 0.008, .effect = 0.02}, 8, 3, .each = 0},
	{"sd 0.8 %, +3 %", {.sd = 0.008, .effect = 0.03}, 8, 3, .each = 0},
	{"sd 0.5 %, 4 % x 1.5", {.sd = 0.005, .tail_effect = 1.5, .tail = 0.002}, 5, 3, .each = 0},
	{"sd 0.5 %, 4 % x 1.5", {.sd = 0.005, .tail_effect = 1.5, .tail = 0.002}, 10, 5, .each = 0},
	{"sd 2 %, 4 % x 1.5", {.sd = 0.02, .tail_effect = 1.5, .tail = 0.002}, 5, 3, .each = 0},
	{"sd 2 %, 4 % x 1.5", {.sd = 0.02, .tail_effect = 1.5, .tail = 0.002}, 10, 5, .each = 0},
};

/* The families of sessions are short and have no correlation. */
#define QUICK .samples = 100, .correlation = NONE

static const struct cell in_sessions[] = {
	{"1 job against 1, together", {.sd = 0.005, QUICK}, 0, 0, 1, 1, 3, 0.02, false, false},
	{"2 jobs against 1, together", {.sd = 0.005, QUICK}, 0, 0, 2, 1, 3, 0.02, false, false},
	{"4 jobs against 1, together", {.sd = 0.005, QUICK}, 0, 0, 4, 1, 3, 0.02, false, false},
	{"6 jobs against 1, together", {.sd = 0.005, QUICK}, 0, 0, 6, 1, 3, 0.02, false, false},
	{"10 jobs against 1, together", {.sd = 0.005, QUICK}, 0, 0, 10, 1, 3, 0.02, false, false},
	{"2 jobs against 1, apart", {.sd = 0.005, QUICK}, 0, 0, 2, 1, 3, 0.02, false, true},
	{"4 jobs against 1, apart", {.sd = 0.005, QUICK}, 0, 0, 4, 1, 3, 0.02, false, true},
	{"6 jobs against 1, apart", {.sd = 0.005, QUICK}, 0, 0, 6, 1, 3, 0.02, false, true},
	{"10 jobs against 1, apart", {.sd = 0.005, QUICK}, 0, 0, 10, 1, 3, 0.02, false, true},
	{"6 interleaved, unchanged", {.sd = 0.005, QUICK}, 0, 0, 6, 0, 1, 0.02, true, false},
	{"6 interleaved, +5 %",
         {.sd = 0.005, .effect = 0.05, QUICK},
         0,
         0,
         6,
         0,
         1,
         0.02,
         true,
         false},
	{"6 interleaved, run sd 1 %, +5 %",
         {.sd = 0.01, .effect = 0.05, QUICK},
         0,
         0,
         6,
         0,
         1,
         0.02,
         true,
         false},
	{"1 job interleaved, unchanged", {.sd = 0.005, QUICK}, 0, 0, 1, 0, 5, 0.02, true, false},
	{"1 job interleaved, +5 %",
         {.sd = 0.005, .effect = 0.05, QUICK},
         0,
         0,
         1,
         0,
         5,
         0.02,
         true,
         false},
	{"4 jobs against 1, job sd 0 %, +10 %",
         {.sd = 0.01, .effect = 0.10, QUICK},
         0,
         0,
         4,
         1,
         3,
         0,
         false,
         true},
	{"6 jobs against 3, job sd 1 %, +10 %",
         {.sd = 0.005, .effect = 0.10, QUICK},
         0,
         0,
         6,
         3,
         3,
         0.01,
         false,
         true},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- parts ---- */

struct options {
	size_t gates;
	uint64_t seed;
	const char *only;
};

static void play_all(const struct cell *cells, size_t count, enum weir_outcome outcome,
                     const struct options *options)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(cells[i].name, options->only))
			play(&cells[i], outcome, options->gates, options->seed + i);
}

static void alarms(const struct options *options)
{
	static const size_t sizes[][2] = {{5, 3}, {8, 3}, {10, 5}};

	for (size_t i = 0; i < COUNT(unchanged); i++)
		for (size_t s = 0; s < COUNT(sizes); s++) {
			struct cell cell = unchanged[i];

			cell.baseline = sizes[s][0];
			cell.candidate = sizes[s][1];
			if (strstr(cell.name, options->only))
				play(&cell, WEIR_OUTCOME_REGRESSION, options->gates,
				     options->seed + 10 * i + s);
		}
}

static void single(const struct options *options)
{
	for (size_t i = 0; i < COUNT(unchanged) + COUNT(heavy_tailed); i++) {
		struct cell cell =
			i < COUNT(unchanged) ? unchanged[i] : heavy_tailed[i - COUNT(unchanged)];

		cell.baseline = 10;
		cell.candidate = 1;
		if (strstr(cell.name, options->only))
			play(&cell, WEIR_OUTCOME_SUSPECT, options->gates, options->seed + i);
	}
}

static void power(const struct options *options)
{
	play_all(changed, COUNT(changed), WEIR_OUTCOME_REGRESSION, options);
}

static void sessions(const struct options *options)
{
	play_all(in_sessions, COUNT(in_sessions), WEIR_OUTCOME_REGRESSION, options);
}

/* Returns how many runs a gate of 5 against 3 asks for to see twice the margin of the target's
 * p50; 0: it asks for none. */
static size_t asked(const struct weir_gate_result *result, const struct family *family)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (!is_target(row, family) || row->metric != WEIR_METRIC_P50)
			continue;
		if (row->outcome != WEIR_OUTCOME_INCONCLUSIVE || !(row->runs_needed > 3) ||
		    row->mde <= 2 * row->margin)
			return 0;
		return (size_t)row->runs_needed;
	}
	return 0;
}

/* Plays an unchanged gate, and then one of as many runs as it asks for, with the change that it
 * promises to see. Returns -1: it asked for none; else whether it was red. */
static int follow_one(struct draws *draws, const struct family *family)
{
	struct cell cell = {.baseline = 5, .candidate = 3};
	struct family slower = *family;
	struct weir_gate_result *result;
	struct gate gate = {0};
	int red = -1;

	draw_gate(&gate, draws, &cell, family);
	result = compare(&gate);
	cell.candidate = asked(result, family);
	weir_gate_result_free(result);
	drop_runs(&gate);
	if (cell.candidate == 0)
		return red;
	slower.effect = 0.06;
	draw_gate(&gate, draws, &cell, &slower);
	result = compare(&gate);
	red = has(result, WEIR_OUTCOME_REGRESSION, &slower);
	weir_gate_result_free(result);
	drop_runs(&gate);
	return red;
}

static void follow(const struct options *options)
{
	static const double sds[] = {0.015, 0.02, 0.025};

	for (size_t s = 0; s < COUNT(sds); s++) {
		const struct family family = defaults_of((struct family){.sd = sds[s]});
		size_t tried = 0, found = 0;
		char name[64];

		for (size_t i = 0; i < options->gates; i++) {
			struct draws draws = draws_of(options->seed + s, i);
			int red = follow_one(&draws, &family);

			tried += red >= 0;
			found += red > 0;
		}
		snprintf(name, sizeof name, "sd %g %%, promised 80 %%", 100 * sds[s]);
		show(name, "(5, N)", found, tried);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*play)(const struct options *options);
	} parts[] = {{"alarms", alarms},
	             {"single", single},
	             {"power", power},
	             {"follow", follow},
	             {"sessions", sessions}};
	struct options options = {.only = argc == 5 ? argv[4] : ""};
	int64_t gates = 0, seed = 0;

	bool valid = (argc == 4 || argc == 5) && weir_parse_i64(argv[2], strlen(argv[2]), &gates) &&
	             weir_parse_i64(argv[3], strlen(argv[3]), &seed) && gates > 0;

	options.gates = (size_t)gates;
	options.seed = (uint64_t)seed;
	for (size_t i = 0; valid && i < COUNT(parts); i++) {
		if (strcmp(argv[1], parts[i].name) != 0)
			continue;
		printf("| case | runs | gates | %% | 95 %% interval |\n|---|---|--:|--:|---|\n");
		parts[i].play(&options);
		return 0;
	}
	fprintf(stderr, "usage: bench_gate_rates alarms|single|power|follow|sessions GATES SEED "
	                "[TEXT]\n");
	return 2;
}
