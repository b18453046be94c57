/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/server/states.h"
#include "engine/analysis/server/steps.h"
#include "engine/stats/quantile.h"

/* True if the row is a step with prompts or decodes; sets its phase. */
static bool has_phase(const struct weir_server_row *row, enum weir_step_phase *phase)
{
	bool prompts = row->prefill_tokens > 0 || row->prefill_requests > 0;
	bool decodes = row->decode_tokens > 0 || row->decode_requests > 0;

	if (row->kind != WEIR_SERVER_STEP || row->duration_ns < 0 || (!prompts && !decodes))
		return false;
	*phase = !prompts ? WEIR_STEP_DECODE : decodes ? WEIR_STEP_MIXED : WEIR_STEP_PREFILL;
	return true;
}

/* Returns the requests that decode in a step that has decodes. */
static double decodes_of(const struct weir_server_row *row)
{
	return row->decode_requests >= 0 ? row->decode_requests : row->decode_tokens;
}

struct collected {
	size_t rows; /* room */
	double *ns[WEIR_STEP_PHASE_COUNT];
	double tokens[WEIR_STEP_PHASE_COUNT];
	size_t count[WEIR_STEP_PHASE_COUNT];
	double *stalls; /* durations of steps with prompts that running decodes waited for */
	size_t stall_count;
	double added_ns, running_ns; /* by prompts; all time in which decodes run */
};

/* Returns the requests that run beside the prompts of a step without decodes. */
static double stalled_by(const struct weir_server_row *row)
{
	double running = row->running >= 0 ? row->running : 0;

	return running - fmax(row->prefill_requests, 0);
}

static void add_stall(struct collected *all, const struct weir_server_row *row, double alone_ns)
{
	double ns = (double)row->duration_ns;

	all->running_ns += ns;
	all->added_ns += fmax(ns - alone_ns, 0);
	all->stalls[all->stall_count++] = ns;
}

/* Adds a step; line: duration of a step over its decodes, without prompts. */
static void add_step(struct collected *all, const struct weir_server_row *row,
                     const struct weir_line *line)
{
	enum weir_step_phase phase;
	double alone_ns;

	if (!has_phase(row, &phase))
		return;
	all->ns[phase][all->count[phase]++] = (double)row->duration_ns;
	all->tokens[phase] += fmax(row->prefill_tokens, 0) + fmax(row->decode_tokens, 0);
	if (phase == WEIR_STEP_DECODE) {
		all->running_ns += (double)row->duration_ns;
	} else if (phase == WEIR_STEP_MIXED) {
		alone_ns = line->intercept + line->slope * decodes_of(row);
		if (!isnan(alone_ns))
			add_stall(all, row, fmax(alone_ns, 0));
	} else if (stalled_by(row) > 0) {
		add_stall(all, row, 0);
	}
}

/* Collects the durations of steps of decodes over the number of decodes. */
static size_t collect_decodes(const struct weir_engines *engines, struct weir_point *out)
{
	size_t count = 0;

	for (size_t e = 0; e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];

		for (size_t i = 0; i < engine->count; i++) {
			enum weir_step_phase phase;

			if (has_phase(engine->rows[i], &phase) && phase == WEIR_STEP_DECODE)
				out[count++] =
					(struct weir_point){decodes_of(engine->rows[i]),
				                            (double)engine->rows[i]->duration_ns};
		}
	}
	return count;
}

static void fill_phase(const struct collected *all, enum weir_step_phase phase,
                       struct weir_arena *arena, struct weir_phase_figures *out)
{
	static const double levels[] = {0.5, 0.95};
	size_t count = all->count[phase];
	double quantiles[2] = {NAN, NAN};

	*out = (struct weir_phase_figures){
		.count = count, .p50_ns = NAN, .p95_ns = NAN, .tokens = NAN};
	if (!count)
		return;
	out->sample_count = count < WEIR_MAX_STEP_SAMPLES ? count : WEIR_MAX_STEP_SAMPLES;
	out->duration_ns = weir_arena_alloc(arena, (out->sample_count + 1) * sizeof(double));
	for (size_t i = 0; i < out->sample_count; i++)
		out->duration_ns[i] = all->ns[phase][i * count / out->sample_count];
	for (size_t i = 0; i < count; i++)
		out->total_ns += all->ns[phase][i];
	out->tokens = all->tokens[phase] / (double)count;
	weir_quantiles_select(all->ns[phase], count, levels, 2, quantiles);
	out->p50_ns = quantiles[0];
	out->p95_ns = quantiles[1];
}

static void collect(const struct weir_engines *engines, struct weir_arena *arena,
                    const struct weir_line *line, struct collected *all)
{
	for (size_t p = 0; p < WEIR_STEP_PHASE_COUNT; p++)
		all->ns[p] = weir_arena_alloc(arena, (all->rows + 1) * sizeof(double));
	all->stalls = weir_arena_alloc(arena, (all->rows + 1) * sizeof(double));
	for (size_t e = 0; e < engines->count; e++)
		for (size_t i = 0; i < engines->items[e].count; i++)
			add_step(all, engines->items[e].rows[i], line);
}

void weir_server_steps(const struct weir_engines *engines, struct weir_arena *scratch,
                       struct weir_arena *arena, struct weir_server_figures *out)
{
	struct collected all = {.rows = 0};
	struct weir_point *points;
	struct weir_line line;
	size_t count;

	for (size_t e = 0; e < engines->count; e++)
		all.rows += engines->items[e].count;
	points = weir_arena_alloc(scratch, (all.rows + 1) * sizeof *points);
	count = collect_decodes(engines, points);
	line = weir_line_fit(points, count, scratch);
	if (isnan(line.slope) && count >= WEIR_LEAST_ROWS) {
		double *ns = weir_arena_alloc(scratch, count * sizeof *ns);

		for (size_t i = 0; i < count; i++)
			ns[i] = points[i].y;
		line = (struct weir_line){0, weir_quantile_select(ns, count, 0.5)};
	}
	collect(engines, scratch, &line, &all);
	for (size_t p = 0; p < WEIR_STEP_PHASE_COUNT; p++)
		fill_phase(&all, (enum weir_step_phase)p, arena, &out->phases[p]);
	if (all.running_ns > 0 && count >= WEIR_LEAST_ROWS)
		out->prefill_interference = all.added_ns / all.running_ns;
	if (all.stall_count >= WEIR_LEAST_ROWS && count >= WEIR_LEAST_ROWS)
		out->stall_ratio = weir_quantile_select(all.stalls, all.stall_count, 0.95) /
		                   out->phases[WEIR_STEP_DECODE].p50_ns;
	out->step_growth = weir_growth_of(points, count, scratch);
}
