/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ci/policy/causes.h"
#include "tests/unit/fixture_gate.h"

static const struct weir_waiver valid = {.reason = "fp8 fallback",
                                         .issue = "https://example.org/7",
                                         .expires = "2027-01-31",
                                         .up_to = 0.12};
static const struct weir_waiver expired = {
	.reason = "old driver", .expires = "2026-01-31", .up_to = 0.10, .expired = true};

#define UNKNOWN_REST                                                                               \
	.runs_needed = NAN, .contributed_ns = NAN, .baseline_calls = NAN, .candidate_calls = NAN,  \
	.spread = NAN

static const struct weir_row decode_p50 = {.kind = WEIR_SCOPE_STAGE,
                                           .scope = "stage:decode_graph",
                                           .name = "decode_graph",
                                           .metric = WEIR_METRIC_P50,
                                           .baseline = 571632.25,
                                           .candidate = 598500.125,
                                           .unit = "ns",
                                           .change = 0.047002,
                                           .low = 0.0418,
                                           .high = 0.0523,
                                           .p = 3.1e-9,
                                           .p_adjusted = 1.2e-7,
                                           .margin = 0.03,
                                           .outcome = WEIR_OUTCOME_REGRESSION,
                                           .mde = 0.03,
                                           .runs_needed = 3,
                                           .baseline_samples = 300,
                                           .candidate_samples = 300,
                                           .contributed_ns = 26867.875,
                                           .baseline_calls = NAN,
                                           .candidate_calls = NAN,
                                           .spread = 0.02};
static const struct weir_row decode_p95 = {.kind = WEIR_SCOPE_STAGE,
                                           .scope = "stage:decode_graph",
                                           .name = "decode_graph",
                                           .metric = WEIR_METRIC_P95,
                                           .baseline = 580100,
                                           .candidate = 609700,
                                           .unit = "ns",
                                           .change = 0.0510257,
                                           .low = 0.0412,
                                           .high = 0.0615,
                                           .p = 1.1e-6,
                                           .p_adjusted = 4.2e-5,
                                           .margin = 0.05,
                                           .outcome = WEIR_OUTCOME_REGRESSION,
                                           .mde = 0.05,
                                           .runs_needed = 3,
                                           .baseline_samples = 300,
                                           .candidate_samples = 300,
                                           .contributed_ns = 29600,
                                           .baseline_calls = NAN,
                                           .candidate_calls = NAN,
                                           .spread = 0.02};
static const struct weir_row copy_shift = {.kind = WEIR_SCOPE_OPERATOR,
                                           .scope = "operator:decode_graph/aten::copy_",
                                           .stage = "decode_graph",
                                           .name = "aten::copy_",
                                           .metric = WEIR_METRIC_SHIFT,
                                           .baseline = 81200,
                                           .candidate = 118400,
                                           .unit = "ns",
                                           .change = 0.458128,
                                           .low = 0.41,
                                           .high = 0.51,
                                           .p = 2e-7,
                                           .p_adjusted = 0.00012,
                                           .margin = 0.03,
                                           .outcome = WEIR_OUTCOME_REGRESSION,
                                           .mde = 0.041,
                                           .runs_needed = 3,
                                           .waiver = &expired,
                                           .baseline_samples = 300,
                                           .candidate_samples = 300,
                                           .contributed_ns = 37200,
                                           .baseline_calls = 26,
                                           .candidate_calls = 58,
                                           .spread = NAN};
static const struct weir_row prefill_waived = {.kind = WEIR_SCOPE_STAGE,
                                               .scope = "stage:prefill",
                                               .name = "prefill",
                                               .metric = WEIR_METRIC_P99,
                                               .baseline = 8.2e6,
                                               .candidate = 8.856e6,
                                               .unit = "ns",
                                               .change = 0.08,
                                               .low = 0.06,
                                               .high = 0.1,
                                               .p = 1e-5,
                                               .p_adjusted = 0.002,
                                               .margin = 0.07,
                                               .outcome = WEIR_OUTCOME_WAIVED,
                                               .mde = 0.07,
                                               .waiver = &valid,
                                               .baseline_samples = 300,
                                               .candidate_samples = 300,
                                               UNKNOWN_REST};
static const struct weir_row tokenize_open = {.kind = WEIR_SCOPE_STAGE,
                                              .scope = "stage:tokenize",
                                              .name = "tokenize",
                                              .metric = WEIR_METRIC_P50,
                                              .baseline = 71200,
                                              .candidate = 75800,
                                              .unit = "ns",
                                              .change = 0.0646,
                                              .low = -0.09,
                                              .high = 0.246,
                                              .p = 0.2,
                                              .p_adjusted = 1,
                                              .margin = 0.10,
                                              .outcome = WEIR_OUTCOME_INCONCLUSIVE,
                                              .mde = 0.31,
                                              .runs_needed = 8,
                                              .baseline_samples = 300,
                                              .candidate_samples = 300,
                                              .contributed_ns = 4600,
                                              .baseline_calls = NAN,
                                              .candidate_calls = NAN,
                                              .spread = 0.02};
static const struct weir_row tokenize_p99 = {.kind = WEIR_SCOPE_STAGE,
                                             .scope = "stage:tokenize",
                                             .name = "tokenize",
                                             .metric = WEIR_METRIC_P99,
                                             .baseline = 99000,
                                             .candidate = 98000,
                                             .unit = "ns",
                                             .change = -0.0101,
                                             .low = -0.4,
                                             .high = 0.6,
                                             .p = 0.6,
                                             .p_adjusted = 1,
                                             .margin = 0.10,
                                             .outcome = WEIR_OUTCOME_INCONCLUSIVE,
                                             .mde = 0.8,
                                             .baseline_samples = 300,
                                             .candidate_samples = 300,
                                             UNKNOWN_REST};
static const struct weir_row prefill_same = {.kind = WEIR_SCOPE_DEVICE,
                                             .scope = "device:prefill",
                                             .name = "prefill",
                                             .metric = WEIR_METRIC_P50,
                                             .baseline = 3.41e6,
                                             .candidate = 3.4e6,
                                             .unit = "ns",
                                             .change = -0.0029,
                                             .low = -0.01,
                                             .high = 0.004,
                                             .p = 0.7,
                                             .p_adjusted = 1,
                                             .margin = 0.03,
                                             .outcome = WEIR_OUTCOME_NO_CHANGE,
                                             .mde = 0.03,
                                             .baseline_samples = 300,
                                             .candidate_samples = 300,
                                             UNKNOWN_REST};
static const struct weir_row tokens_better = {.kind = WEIR_SCOPE_METRIC,
                                              .scope = "metric:tokens_per_s",
                                              .name = "tokens_per_s",
                                              .metric = WEIR_METRIC_VALUE,
                                              .baseline = 1743.4,
                                              .candidate = 1901.2,
                                              .unit = "1/s",
                                              .change = 0.0905,
                                              .low = 0.07,
                                              .high = 0.11,
                                              .p = 1,
                                              .p_adjusted = 1,
                                              .margin = 0.05,
                                              .outcome = WEIR_OUTCOME_IMPROVEMENT,
                                              .mde = 0.05,
                                              .baseline_samples = 1,
                                              .candidate_samples = 1,
                                              UNKNOWN_REST};
#define ABSENT(what, stage_, name_, how)                                                           \
	{                                                                                          \
		.kind = (what), .scope = "operator:" stage_ "/" name_, .stage = (stage_),          \
		.name = (name_), .metric = WEIR_METRIC_P50, .baseline = NAN, .candidate = NAN,     \
		.unit = "ns", .change = NAN, .low = NAN, .high = NAN, .p = NAN, .p_adjusted = NAN, \
		.margin = NAN, .outcome = (how), .mde = NAN, UNKNOWN_REST                          \
	}
static const struct weir_row rms_missing =
	ABSENT(WEIR_SCOPE_OPERATOR, "decode_graph", "aten::rms_norm", WEIR_OUTCOME_MISSING);
static const struct weir_row norm_new =
	ABSENT(WEIR_SCOPE_OPERATOR, "decode_graph", "aten::native_norm", WEIR_OUTCOME_NEW);
static const struct weir_row stage_missing = {.kind = WEIR_SCOPE_STAGE,
                                              .scope = "stage:tokenize",
                                              .name = "tokenize",
                                              .metric = WEIR_METRIC_P50,
                                              .baseline = NAN,
                                              .candidate = NAN,
                                              .unit = "ns",
                                              .change = NAN,
                                              .low = NAN,
                                              .high = NAN,
                                              .p = NAN,
                                              .p_adjusted = NAN,
                                              .margin = NAN,
                                              .outcome = WEIR_OUTCOME_MISSING,
                                              .mde = NAN,
                                              UNKNOWN_REST};

static struct weir_gate_label labels[] = {{"gpu", "NVIDIA H200"}, {"torch", "2.11.0"}};

static void push_row(struct weir_gate_result *result, struct weir_row row)
{
	struct weir_row *rows =
		weir_arena_alloc(result->arena, (result->row_count + 1) * sizeof(*rows));

	if (result->row_count)
		memcpy(rows, result->rows, result->row_count * sizeof(*rows));
	rows[result->row_count++] = row;
	result->rows = rows;
}

/* Returns a result of eight baseline runs and three candidate runs, without judged rows. */
static struct weir_gate_result *comparison(enum weir_gate_verdict verdict, int code)
{
	struct weir_gate_result *result = weir_gate_result_new();

	result->verdict = verdict;
	result->exit_code = code;
	result->codes[0] = code;
	result->code_count = code ? 1 : 0;
	result->method = WEIR_METHOD_FULL;
	result->alpha_operators = 0.01;
	result->alpha_stages = 0.01;
	result->baseline_name = "main-h200";
	result->recorded_first = "2026-11-18T09:30:00Z";
	result->recorded_last = "2026-11-20T14:00:00Z";
	result->baseline = (struct weir_side){.runs = 8, .labels = labels, .label_count = 2};
	result->candidate = (struct weir_side){.runs = 3, .labels = labels, .label_count = 2};
	result->environment_match = true;
	return result;
}

static void set_difference(struct weir_gate_result *result, struct weir_difference difference)
{
	result->differences = weir_arena_alloc(result->arena, sizeof(difference));
	result->differences[0] = difference;
	result->difference_count = 1;
}

static void add_contributions(struct weir_gate_result *result)
{
	static const struct weir_contribution parts[] = {
		{"decode_graph", "aten::copy_", 37200, 26, 58, NULL},
		{"decode_graph", "aten::mm", -9800.5, 112, 112, NULL},
	};

	result->contributions = weir_arena_alloc(result->arena, sizeof(parts));
	memcpy(result->contributions, parts, sizeof(parts));
	result->contribution_count = 2;
}

static void add_remark(struct weir_gate_result *result, const char *remark)
{
	result->remarks = weir_arena_alloc(result->arena, sizeof(*result->remarks));
	result->remarks[0] = remark;
	result->remark_count = 1;
}

/* Four recorded runs and a candidate; the last but one begins a level. */
static struct weir_drawn_history *make_history(struct weir_arena *arena)
{
	static const struct weir_drawn_point points[] = {
		{"0a1b2c3d4e5f", "2026-11-16T14:00:00Z", "c0ffee1", false, 571000},
		{"1a1b2c3d4e5f", "2026-11-17T14:00:00Z", NULL, false, NAN},
		{"2a1b2c3d4e5f", "2026-11-18T14:00:00Z", "c0ffee2", false, 572000},
		{NULL, NULL, NULL, false, 598000},
		{"head-1.json", NULL, "c0ffee3", true, 599000}};
	static const struct weir_drawn_step steps[] = {{3, 0.0473, "driver 560.35 -> 570.12"}};
	struct weir_drawn_history *history = weir_arena_alloc(arena, sizeof(*history));

	*history = (struct weir_drawn_history){
		.row = 0,
		.older = 7,
		.points = (struct weir_drawn_point *)weir_arena_copy(arena, (const char *)points,
	                                                             sizeof points),
		.point_count = WEIR_COUNT_OF(points),
		.steps = (struct weir_drawn_step *)weir_arena_copy(arena, (const char *)steps,
	                                                           sizeof steps),
		.step_count = WEIR_COUNT_OF(steps),
	};
	return history;
}

/* A stage of four parts, of which the last is negative on both sides. */
static struct weir_drawn_stage *make_stage(struct weir_arena *arena)
{
	static const struct weir_drawn_part parts[] = {
		{WEIR_DRAWN_OPERATOR, "aten::copy_", "aten::clone", "copy", 1, 81200, 118400, 26,
	         58},
		{WEIR_DRAWN_OPERATOR, "aten::mm", NULL, "gemm", 1, 420000, 410000, 96, NAN},
		{WEIR_DRAWN_OPERATORS, NULL, NULL, NULL, 7, 90000, 90000, NAN, NAN},
		{WEIR_DRAWN_REST, NULL, NULL, NULL, 0, -19200, -18400, NAN, NAN}};
	struct weir_drawn_stage *stage = weir_arena_alloc(arena, sizeof(*stage));

	*stage = (struct weir_drawn_stage){
		.name = "decode_graph",
		.baseline_ns = 572000,
		.candidate_ns = 600000,
		.parts = (struct weir_drawn_part *)weir_arena_copy(arena, (const char *)parts,
	                                                           sizeof parts),
		.part_count = WEIR_COUNT_OF(parts),
	};
	return stage;
}

/* Five runs in two sessions, the third one odd; the first row and a figure of whole runs. */
static struct weir_gate_pictures *make_pictures(struct weir_gate_result *result)
{
	static const struct weir_drawn_run runs[] = {{false, "base-1.json", 1},
	                                             {false, "base-2.json", 1},
	                                             {false, NULL, 0},
	                                             {true, "head-1.json", 2},
	                                             {true, "head-2.json", 2}};
	static const double values[2][5] = {{571000, 572000, 640000, 598000, 599000},
	                                    {61.2, NAN, 61.4, 62.5, 62.7}};
	static const struct weir_drawn_percentile points[] = {
		{5, 560000, 559000, 561000, 581000, 580000, 582000},
		{50, 571632.25, 571000, 572000, 598500.125, 598000, 599000},
		{95, 580100, 580000, 581000, 609700, 600000, 620000},
		{99, NAN, NAN, NAN, 640000, 630000, 650000}};
	struct weir_gate_pictures *pictures = weir_arena_alloc(result->arena, sizeof(*pictures));
	struct weir_arena *arena = result->arena;

	*pictures = (struct weir_gate_pictures){
		.runs = (struct weir_drawn_run *)weir_arena_copy(arena, (const char *)runs,
	                                                         sizeof runs),
		.run_count = WEIR_COUNT_OF(runs),
		.older_baseline = 2,
		.rows = weir_arena_alloc(arena, 2 * sizeof(struct weir_drawn_row)),
		.row_count = 2,
		.curves = weir_arena_alloc(arena, sizeof(struct weir_drawn_curve)),
		.curve_count = 1,
	};
	for (size_t i = 0; i < 2; i++)
		pictures->rows[i] = (struct weir_drawn_row){
			.row = i * 7,
			.values = (double *)weir_arena_copy(arena, (const char *)values[i],
		                                            sizeof values[i]),
			.value_count = WEIR_COUNT_OF(runs),
			.odd = weir_arena_alloc(arena, sizeof(uint64_t)),
			.odd_count = i == 0,
		};
	pictures->rows[0].odd[0] = 2;
	pictures->stages = make_stage(arena);
	pictures->stage_count = 1;
	pictures->histories = make_history(arena);
	pictures->history_count = 1;
	pictures->curves[0] =
		(struct weir_drawn_curve){.scope = decode_p50.scope,
	                                  .points = (struct weir_drawn_percentile *)weir_arena_copy(
						  arena, (const char *)points, sizeof points),
	                                  .point_count = WEIR_COUNT_OF(points)};
	return pictures;
}

struct weir_gate_result *fixture_gate_regression(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_REGRESSION, 1);

	push_row(result, decode_p50);
	push_row(result, decode_p95);
	push_row(result, copy_shift);
	push_row(result, prefill_waived);
	push_row(result, tokenize_open);
	push_row(result, tokenize_p99);
	push_row(result, prefill_same);
	push_row(result, tokens_better);
	push_row(result, rms_missing);
	push_row(result, norm_new);
	result->counts = (struct weir_gate_counts){.judged = 8,
	                                           .regressions = 3,
	                                           .improvements = 1,
	                                           .no_change = 1,
	                                           .inconclusive = 2,
	                                           .waived = 1,
	                                           .missing = 1,
	                                           .added = 1};
	result->has_baseline_bound = result->has_candidate_bound = true;
	result->baseline_bound = WEIR_BOUND_MEMORY;
	result->candidate_bound = WEIR_BOUND_MEMORY;
	result->bound_stage = "decode_graph";
	result->since = "run-2026-11-19";
	add_contributions(result);
	add_remark(result, "weir.json: rules[1] (operator:*/aten::gone) matches nothing");
	set_difference(result, (struct weir_difference){"driver", "560.35", "570.12",
	                                                WEIR_ENVIRONMENT_WARN});
	result->pictures = make_pictures(result);
	return result;
}

struct weir_gate_result *fixture_gate_pass(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_PASS, 0);

	push_row(result, tokenize_open);
	push_row(result, prefill_same);
	result->counts = (struct weir_gate_counts){.judged = 2, .no_change = 1, .inconclusive = 1};
	return result;
}

struct weir_gate_result *fixture_gate_improvement(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_IMPROVEMENT, 0);

	push_row(result, tokens_better);
	push_row(result, prefill_same);
	result->counts = (struct weir_gate_counts){.judged = 2, .improvements = 1, .no_change = 1};
	return result;
}

static void advise(struct weir_gate_result *result, const char *label, const char *text)
{
	result->advice = weir_arena_alloc(result->arena, sizeof *result->advice);
	result->advice[0] = (struct weir_gate_advice){.id = "step", .label = label, .text = text};
	result->advice_count = 1;
}

struct weir_gate_result *fixture_gate_suspect(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_SUSPECT, 0);

	push_row(result, decode_p50);
	push_row(result, prefill_same);
	result->rows[0].outcome = WEIR_OUTCOME_SUSPECT;
	result->method = WEIR_METHOD_SINGLE_RUN;
	result->candidate.runs = 1;
	result->counts = (struct weir_gate_counts){.judged = 2, .suspect = 1, .no_change = 1};
	return result;
}

struct weir_gate_result *fixture_gate_inconclusive(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_INCONCLUSIVE, 3);

	push_row(result, tokenize_open);
	push_row(result, tokenize_p99);
	result->counts = (struct weir_gate_counts){.judged = 2, .inconclusive = 2};
	return result;
}

struct weir_gate_result *fixture_gate_environment(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_ENVIRONMENT, 5);

	result->method = WEIR_METHOD_NONE;
	result->environment_match = false;
	set_difference(result, (struct weir_difference){"gpu", "NVIDIA H200", "NVIDIA A100",
	                                                WEIR_ENVIRONMENT_MUST});
	return result;
}

struct weir_gate_result *fixture_gate_coverage(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_COVERAGE, 6);

	push_row(result, prefill_same);
	push_row(result, rms_missing);
	push_row(result, stage_missing);
	result->counts = (struct weir_gate_counts){.judged = 1, .no_change = 1, .missing = 2};
	return result;
}

struct weir_gate_result *fixture_gate_no_baseline(void)
{
	struct weir_gate_result *result = comparison(WEIR_GATE_NO_BASELINE, 4);

	result->method = WEIR_METHOD_NONE;
	result->baseline = (struct weir_side){0};
	result->recorded_first = result->recorded_last = NULL;
	advise(result, "to begin",
	       "record them: weir baseline record RUN... --name main-h200 (or weir gate "
	       "--bootstrap, which records these runs)");
	return result;
}

/* Returns a name of `count` bytes without a place to break. */
static const char *long_name(struct weir_gate_result *result, size_t count)
{
	char *name = weir_arena_alloc(result->arena, count + 1);

	memset(name, 'k', count);
	return name;
}

static const char outbreak[] =
	"a|b`c`<script>alert(1)</script> @octocat #123 --> \033[2J\033]0;owned\007 \xe2\x80\xae "
	"% ::error::x\r\n::error::y ]]> \"q\" 'q' [x](http://y) </code></details> $(id)";

static void break_rows(struct weir_gate_result *result)
{
	struct weir_waiver *waiver = weir_arena_alloc(result->arena, sizeof(*waiver));

	*waiver = (struct weir_waiver){outbreak, "\xff\xfe", "\033[31m", NAN, true, true};
	for (size_t i = 0; i < result->row_count; i++) {
		result->rows[i].note = outbreak;
		result->rows[i].unit = i % 2 ? outbreak : result->rows[i].unit;
	}
	result->rows[0].name = outbreak;
	result->rows[0].scope = weir_arena_format(result->arena, "stage:%s", outbreak);
	result->rows[1].name = long_name(result, 10000);
	result->rows[1].scope = weir_arena_format(result->arena, "stage:%s", result->rows[1].name);
	result->rows[1].baseline = 1e300;
	result->rows[1].change = -1e300;
	result->rows[1].margin = 1e300;
	result->rows[2].name = "";
	result->rows[2].stage = outbreak;
	result->rows[2].waiver = waiver;
	result->rows[3].name = "\xff\xfe\xc0\xaf\xed\xa0\x80";
	result->rows[4].mde = 1e300;
	result->rows[4].runs_needed = 1e300;
	result->rows[5].name = NULL;
	result->rows[8].name = outbreak;
}

static void break_pictures(struct weir_gate_result *result)
{
	struct weir_gate_pictures *pictures = make_pictures(result);

	pictures->older_candidate = (UINT64_C(1) << 53) - 1;
	pictures->runs[0].name = outbreak;
	pictures->runs[1].name = "\xff\xfe";
	pictures->runs[3].session = (UINT64_C(1) << 53) - 1;
	pictures->rows[0].values[0] = -1e300;
	pictures->rows[0].values[1] = 1e300;
	pictures->rows[1].values[0] = 0;
	pictures->curves[0].scope = result->rows[0].scope;
	pictures->curves[0].points[0].baseline_low = 1e-300;
	pictures->curves[0].points[1].candidate = -1;
	pictures->curves[0].points[2].candidate_high = 1e300;
	pictures->histories[0].points[0].name = outbreak;
	pictures->histories[0].points[0].recorded = outbreak;
	pictures->histories[0].points[2].recorded = "\xff";
	pictures->histories[0].points[2].commit = outbreak;
	pictures->histories[0].points[3].value = -1e300;
	pictures->histories[0].steps[0].labels = outbreak;
	pictures->stages[0].name = outbreak;
	pictures->stages[0].parts[0].name = outbreak;
	pictures->stages[0].parts[1].name = NULL;
	pictures->stages[0].parts[1].family = outbreak;
	pictures->stages[0].parts[2].candidate_ns += (INT64_C(1) << 52);
	pictures->stages[0].candidate_ns += (INT64_C(1) << 52);
	result->pictures = pictures;
}

struct weir_gate_result *fixture_gate_hostile(void)
{
	struct weir_gate_result *result = fixture_gate_regression();
	static struct weir_gate_label hostile[] = {{"gpu", outbreak}, {outbreak, outbreak}};

	break_rows(result);
	break_pictures(result);
	result->baseline_name = outbreak;
	result->recorded_first = outbreak;
	result->candidate.labels = hostile;
	result->differences[0] =
		(struct weir_difference){outbreak, outbreak, NULL, WEIR_ENVIRONMENT_MUST};
	result->contributions[0].operator= outbreak;
	result->contributions[0].delta_ns = -1e300;
	result->contributions[1].stage = NULL;
	result->remarks[0] = outbreak;
	result->since = outbreak;
	result->bound_stage = long_name(result, 3000);
	result->baseline_cause = outbreak;
	return result;
}

struct weir_gate_result *fixture_gate_many(size_t rows)
{
	struct weir_gate_result *result = fixture_gate_regression();
	struct weir_row *many = weir_arena_alloc(result->arena, rows * sizeof(*many));

	for (size_t i = 0; i < rows; i++) {
		many[i] = i % 3 == 2 ? tokenize_open : decode_p50;
		many[i].waiver = i % 3 == 1 ? &valid : NULL;
		many[i].outcome = i % 3 == 1 ? WEIR_OUTCOME_WAIVED : many[i].outcome;
		many[i].name = weir_arena_format(result->arena, "stage %zu of |<@#`|<@#`|<@#`", i);
		many[i].scope = weir_arena_format(result->arena, "stage:%s", many[i].name);
		many[i].change *= 1 + (double)(i % 64); /* no common factor */
		many[i].note = "|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`|<@#`";
	}
	result->rows = many;
	result->row_count = rows;
	result->pictures = NULL;
	return result;
}

const fixture_gate_maker fixture_gates[] = {
	fixture_gate_regression,   fixture_gate_pass,
	fixture_gate_improvement,  fixture_gate_suspect,
	fixture_gate_inconclusive, fixture_gate_environment,
	fixture_gate_coverage,     fixture_gate_no_baseline,
	fixture_gate_hostile,      NULL,
};

struct weir_text fixture_gate_write(const char *format, struct weir_gate_result *result,
                                    const struct weir_write_options *options)
{
	const struct weir_writer *writer = NULL;
	struct weir_text out = {0};

	assert_int_equal(weir_writer_find(WEIR_RESULT_GATE, format, &writer, NULL), WEIR_OK);
	weir_gate_find_causes(result);
	writer->gate(result, options, &out);
	return out;
}
