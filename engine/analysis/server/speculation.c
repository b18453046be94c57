/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Speculative decoding. A step of accepted length L is profitable if it takes less than L times a
 * plain step. Steps without drafts give the time of a plain step, if there are any; else the
 * line of step time over tokens gives it at one token for each request, which leaves the time of
 * drafting out: the profit is then too high.
 *
 * Without step times the profit is L / (1 + c k), for k drafted tokens that cost c of a step each
 * (Y. Leviathan, M. Kalman, Y. Matias, Fast inference from transformers via speculative decoding,
 * ICML 2023, theorem 3.8; c is below 0.05 for their small draft models). It is then too high as
 * well, because verifying takes longer than a plain step in large batches.
 */
#include <math.h>

#include "engine/analysis/server/steps.h"

#define DRAFT_COST 0.05 /* time of drafting a token over that of a plain step */
/* Tokens that SGLang drafts for a step at least, unless another number is set, which its pages
 * do not state (srt/server_args.py, auto_choose_speculative_params). */
#define SGLANG_DRAFT 3

struct timing {
	struct weir_point *plain, *all; /* steps of decodes without drafts; all of them */
	size_t plain_count, all_count;
	double speculative_ns; /* sum */
};

static bool is_decode(const struct weir_server_row *row)
{
	return row->kind == WEIR_SERVER_STEP && row->duration_ns > 0 && row->decode_requests > 0 &&
	       row->prefill_tokens <= 0 && row->prefill_requests <= 0;
}

static double tokens_of(const struct weir_server_row *row)
{
	double tokens = row->decode_tokens;

	/* Versions differ in whether decoded tokens include drafts. */
	return fmax(tokens, (double)row->decode_requests + fmax(row->drafted, 0));
}

static void collect(const struct weir_engines *engines, struct timing *timing)
{
	for (size_t e = 0; e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];

		for (size_t i = 0; i < engine->count; i++) {
			const struct weir_server_row *row = engine->rows[i];
			double ns = (double)row->duration_ns;

			if (!is_decode(row))
				continue;
			timing->all[timing->all_count++] = (struct weir_point){tokens_of(row), ns};
			if (row->drafted > 0)
				timing->speculative_ns += ns;
			else if (row->drafted == 0)
				timing->plain[timing->plain_count++] =
					(struct weir_point){row->decode_requests, ns};
		}
	}
}

/* Returns the time of the speculative steps if they had been plain. */
static double plain_ns(const struct weir_engines *engines, const struct weir_line *line)
{
	double sum = 0;

	for (size_t e = 0; e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];

		for (size_t i = 0; i < engine->count; i++)
			if (is_decode(engine->rows[i]) && engine->rows[i]->drafted > 0)
				sum += line->intercept +
				       line->slope * engine->rows[i]->decode_requests;
	}
	return sum;
}

/* Returns the time of a plain step over that of a speculative one; NAN: steps do not show it. */
static double time_ratio(const struct weir_engines *engines, struct weir_arena *arena)
{
	struct timing timing = {.plain = NULL};
	struct weir_line line;
	size_t rows = 0;

	for (size_t e = 0; e < engines->count; e++)
		rows += engines->items[e].count;
	timing.plain = weir_arena_alloc(arena, (rows + 1) * sizeof *timing.plain);
	timing.all = weir_arena_alloc(arena, (rows + 1) * sizeof *timing.all);
	collect(engines, &timing);
	if (!(timing.speculative_ns > 0))
		return NAN;
	line = weir_line_fit(timing.plain, timing.plain_count, arena);
	if (isnan(line.slope))
		line = weir_line_fit(timing.all, timing.all_count, arena);
	if (isnan(line.slope) || line.slope < 0)
		return NAN;
	return fmin(fmax(plain_ns(engines, &line), 0) / timing.speculative_ns, 1);
}

/* Returns the mean accepted length that rows state, each weighted by its time. */
static double stated_length(const struct weir_engines *engines)
{
	double sum = 0, weight = 0;

	for (size_t e = 0; e < engines->count; e++)
		for (size_t i = 0; i < engines->items[e].count; i++) {
			double length = engines->items[e].rows[i]->accept_length;

			if (!(length >= 1))
				continue;
			sum += length * engines->items[e].seconds[i];
			weight += engines->items[e].seconds[i];
		}
	return weight > 0 ? sum / weight : NAN;
}

/* Fills the acceptance by position: the share of drafts whose token there was accepted. */
static void fill_positions(const struct weir_engines *engines, double drafts,
                           struct weir_speculation_figures *out)
{
	for (size_t e = 0; e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];

		for (size_t p = 0; p < engine->positions; p++)
			out->at[p].accepted += engine->position[p];
		if (engine->positions > out->positions)
			out->positions = engine->positions;
	}
	if (!(drafts > 0))
		out->positions = 0;
	for (size_t p = 0; p < out->positions; p++)
		out->at[p].accepted = fmin(out->at[p].accepted / drafts, 1);
}

/* Returns the drafted tokens of a step that are certain, or usual, if no input states them. */
static double least_drafted(const struct weir_engines *engines)
{
	for (size_t e = 0; e < engines->count; e++)
		if (!engines->items[e].sglang)
			return 1;
	return SGLANG_DRAFT;
}

void weir_server_speculation(const struct weir_engines *engines, struct weir_arena *arena,
                             struct weir_server_figures *figures)
{
	struct weir_speculation_figures *out = &figures->speculation;
	double drafts = NAN, each, ratio;

	for (size_t e = 0; e < engines->count; e++) {
		const double *total = engines->items[e].total;

		weir_add_known(&drafts, total[WEIR_TOTAL_DRAFTS]);
		weir_add_known(&out->drafted, total[WEIR_TOTAL_DRAFTED]);
		weir_add_known(&out->accepted, total[WEIR_TOTAL_ACCEPTED]);
	}
	if (out->drafted > 0 && out->accepted >= 0)
		out->acceptance = fmin(out->accepted / out->drafted, 1);
	each = drafts > 0 ? out->drafted / drafts : figures->draft_tokens;
	out->accepted_length = drafts > 0 && out->accepted >= 0 ? 1 + out->accepted / drafts
	                                                        : stated_length(engines);
	if (isnan(out->accepted_length))
		out->accepted_length = 1 + out->acceptance * each;
	if (isnan(each) && out->acceptance > 0)
		each = (out->accepted_length - 1) / out->acceptance;
	if (!(each >= 1))
		each = least_drafted(engines);
	fill_positions(engines, drafts, out);
	if (isnan(out->accepted_length) || !(out->drafted > 0 || out->accepted_length > 1))
		return;
	if ((drafts > 0 ? drafts : out->drafted / each) < WEIR_SPECULATION_LEAST_DRAFTS)
		return;
	ratio = time_ratio(engines, arena);
	out->estimated = isnan(ratio);
	out->profit = isnan(ratio) ? out->accepted_length / (1 + DRAFT_COST * each)
	                           : out->accepted_length * ratio;
}
