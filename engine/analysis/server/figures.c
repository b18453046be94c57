/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/analysis/rank/features.h"
#include "engine/analysis/server/figures.h"
#include "engine/analysis/server/states.h"
#include "engine/analysis/server/steps.h"

static const struct weir_gauge_figures unknown_gauge = {NAN, NAN, NAN, NAN};

/* Figures that are one number: pages give those that the log lacks. */
static const size_t scalars[] = {
	offsetof(struct weir_server_figures, max_running),
	offsetof(struct weir_server_figures, max_step_tokens),
	offsetof(struct weir_server_figures, kv_tokens),
	offsetof(struct weir_server_figures, memory_share),
	offsetof(struct weir_server_figures, draft_tokens),
	offsetof(struct weir_server_figures, chunked_prefill),
	offsetof(struct weir_server_figures, waiting_share),
	offsetof(struct weir_server_figures, queue_of_latency),
	offsetof(struct weir_server_figures, queue_limit),
	offsetof(struct weir_server_figures, kv_full_share),
	offsetof(struct weir_server_figures, slots_share),
	offsetof(struct weir_server_figures, slot_limit),
	offsetof(struct weir_server_figures, full_steps),
	offsetof(struct weir_server_figures, transfer_waiting),
	offsetof(struct weir_server_figures, transfer_ns),
	offsetof(struct weir_server_figures, transfer_share),
	offsetof(struct weir_server_figures, transfer_bytes),
	offsetof(struct weir_server_figures, transfers_failed),
	offsetof(struct weir_server_figures, transfers_expired),
	offsetof(struct weir_server_figures, external_hit_rate),
	offsetof(struct weir_server_figures, media_hit_rate),
	offsetof(struct weir_server_figures, adapters_running),
	offsetof(struct weir_server_figures, adapters_waiting),
	offsetof(struct weir_server_figures, adapters_max),
	offsetof(struct weir_server_figures, requests),
	offsetof(struct weir_server_figures, prompt_tokens),
	offsetof(struct weir_server_figures, output_tokens),
	offsetof(struct weir_server_figures, prompt_tokens_per_s),
	offsetof(struct weir_server_figures, output_tokens_per_s),
	offsetof(struct weir_server_figures, preemptions),
	offsetof(struct weir_server_figures, preemptions_per_thousand),
	offsetof(struct weir_server_figures, recomputed_share),
	offsetof(struct weir_server_figures, hit_rate),
	offsetof(struct weir_server_figures, prefill_interference),
	offsetof(struct weir_server_figures, stall_ratio),
	offsetof(struct weir_server_figures, step_growth),
	offsetof(struct weir_server_figures, throughput_plateau),
	offsetof(struct weir_server_figures, waiting_growth),
	offsetof(struct weir_server_figures, imbalance),
	offsetof(struct weir_server_figures, unbalanced_wait),
	offsetof(struct weir_server_figures, joules_per_token),
	offsetof(struct weir_server_figures, speculation.drafted),
	offsetof(struct weir_server_figures, speculation.accepted),
	offsetof(struct weir_server_figures, speculation.acceptance),
	offsetof(struct weir_server_figures, speculation.accepted_length),
	offsetof(struct weir_server_figures, speculation.profit),
	offsetof(struct weir_server_figures, joined.covered),
	offsetof(struct weir_server_figures, joined.in_mixed),
	offsetof(struct weir_server_figures, joined.in_kv_wait),
	offsetof(struct weir_server_figures, joined.in_preemption),
};

static double *scalar_of(struct weir_server_figures *figures, size_t offset)
{
	return (double *)((char *)figures + offset);
}

static void clear(struct weir_server_figures *out)
{
	*out = (struct weir_server_figures){.product = "", .span_ns = -1};
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		*scalar_of(out, scalars[i]) = NAN;
	out->running = out->waiting = out->kv = unknown_gauge;
	for (size_t i = 0; i < WEIR_STEP_PHASE_COUNT; i++)
		out->phases[i] =
			(struct weir_phase_figures){.p50_ns = NAN, .p95_ns = NAN, .tokens = NAN};
}

/* ---- totals ---- */

static double positive(int64_t value)
{
	return value > 0 ? (double)value : NAN;
}

static void take_settings(const struct weir_server_settings *from, struct weir_server_figures *out)
{
	const double values[] = {positive(from->max_running),
	                         positive(from->max_step_tokens),
	                         positive(from->kv_tokens),
	                         positive(from->draft_tokens),
	                         weir_known_count(from->chunked_prefill),
	                         from->memory_share};
	double *const to[] = {&out->max_running,  &out->max_step_tokens, &out->kv_tokens,
	                      &out->draft_tokens, &out->chunked_prefill, &out->memory_share};

	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		if (isnan(*to[i]))
			*to[i] = values[i];
}

static void take_reasons(const struct weir_server_engine *engine, struct weir_arena *arena,
                         struct weir_server_figures *out)
{
	for (size_t i = 0; i < engine->reason_count; i++) {
		const char *name = engine->reasons[i].name;
		size_t at = 0;

		while (at < out->reason_count && strcmp(out->reasons[at].name, name) != 0)
			at++;
		if (at == WEIR_MAX_WAIT_REASONS)
			continue;
		if (at == out->reason_count)
			out->reasons[out->reason_count++] = (struct weir_wait_reason){
				weir_arena_copy(arena, name, strlen(name)), 0};
		out->reasons[at].mean += engine->reasons[i].mean;
	}
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Returns the mean tokens of a running request in the KV cache. */
static double context_of(const struct weir_server_figures *out)
{
	return ratio(out->kv.mean * out->kv_tokens * (double)out->engine_count, out->running.mean);
}

/* Estimates the prompt tokens that preemption computes again: each preempted request has all of its
 * prompt and half of its output, or the mean tokens of a running request. */
static void fill_preemption(struct weir_server_figures *out)
{
	double each = ratio(out->prompt_tokens + out->output_tokens / 2, out->requests), again;

	if (isnan(each))
		each = context_of(out);
	again = out->preemptions * each;
	out->preemptions_per_thousand = 1000 * ratio(out->preemptions, out->requests);
	if (out->prompt_tokens > 0)
		out->recomputed_share = again / (out->prompt_tokens + again);
}

/* Fills what an engine exchanges with others, and its caches beside the prefix cache. */
static void fill_exchange(const double *total, struct weir_server_figures *out)
{
	out->transfer_ns = ratio(total[WEIR_TOTAL_TRANSFER_NS], total[WEIR_TOTAL_TRANSFERS]);
	out->transfer_bytes = ratio(total[WEIR_TOTAL_TRANSFER_BYTES], total[WEIR_TOTAL_TRANSFERS]);
	out->transfers_failed = total[WEIR_TOTAL_TRANSFERS_FAILED];
	out->transfers_expired = total[WEIR_TOTAL_TRANSFERS_EXPIRED];
	out->external_hit_rate =
		ratio(total[WEIR_TOTAL_EXTERNAL_HITS], total[WEIR_TOTAL_EXTERNAL_QUERIES]);
	out->media_hit_rate = ratio(total[WEIR_TOTAL_MEDIA_HITS], total[WEIR_TOTAL_MEDIA_QUERIES]);
}

static void fill_totals(const struct weir_engines *engines, double requests,
                        struct weir_arena *arena, struct weir_server_figures *out)
{
	double total[WEIR_TOTAL_COUNT], span_s = NAN;

	for (size_t i = 0; i < WEIR_TOTAL_COUNT; i++)
		total[i] = NAN;
	for (size_t e = 0; e < engines->count + engines->shared_count; e++)
		for (size_t i = 0; i < WEIR_TOTAL_COUNT; i++)
			weir_add_known(&total[i], engines->items[e].total[i]);
	for (size_t e = 0; e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];

		if (!(engine->span_s <= span_s))
			span_s = isnan(engine->span_s) ? span_s : engine->span_s;
		take_settings(&engine->settings, out);
		take_reasons(engine, arena, out);
		weir_add_known(&out->transfer_waiting, engine->transfer_waiting);
		weir_add_known(&out->adapters_running, engine->adapters_running);
		weir_add_known(&out->adapters_waiting, engine->adapters_waiting);
		weir_add_known(&out->adapters_max, engine->adapters_max);
		out->restarts += engine->restarts;
		out->gaps += engine->gaps;
		out->far_apart |= engine->far_apart;
		if (engine->longest_gap_ns > out->longest_gap_ns)
			out->longest_gap_ns = engine->longest_gap_ns;
	}
	out->requests = isnan(total[WEIR_TOTAL_REQUESTS]) ? requests : total[WEIR_TOTAL_REQUESTS];
	out->prompt_tokens = total[WEIR_TOTAL_PROMPT];
	out->output_tokens = total[WEIR_TOTAL_OUTPUT];
	out->prompt_tokens_per_s = ratio(out->prompt_tokens, span_s);
	out->output_tokens_per_s = ratio(out->output_tokens, span_s);
	out->preemptions = total[WEIR_TOTAL_PREEMPTED];
	out->hit_rate = ratio(total[WEIR_TOTAL_HITS], isnan(total[WEIR_TOTAL_QUERIES])
	                                                      ? total[WEIR_TOTAL_PROMPT]
	                                                      : total[WEIR_TOTAL_QUERIES]);
	fill_exchange(total, out);
}

/* Returns the mean of the hit rates that rows of a log state. */
static double stated_hit_rate(const struct weir_engines *engines)
{
	double sum = 0, weight = 0;

	for (size_t e = 0; e < engines->count; e++)
		for (size_t i = 0; i < engines->items[e].count; i++) {
			double rate = engines->items[e].rows[i]->hit_rate;

			if (!(rate >= 0))
				continue;
			sum += rate * engines->items[e].seconds[i];
			weight += engines->items[e].seconds[i];
		}
	return ratio(sum, weight);
}

/* Fills the share of the requests in the server that wait for a transfer of their KV cache. */
static void fill_transfer_share(struct weir_server_figures *out)
{
	double others = out->running.mean;

	weir_add_known(&others, out->waiting.mean);
	out->transfer_share = ratio(out->transfer_waiting, others + out->transfer_waiting);
}

/* Drops shares of time and means of few moments that are far apart: only their peaks were seen. */
static void forget_time(struct weir_server_figures *out)
{
	struct weir_gauge_figures *const gauges[] = {&out->running, &out->waiting, &out->kv};

	if (!out->far_apart || out->moments >= WEIR_ENOUGH_MOMENTS * out->engine_count)
		return;
	for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
		gauges[i]->mean = gauges[i]->p50 = gauges[i]->p95 = NAN;
	out->waiting_share = out->kv_full_share = out->slots_share = out->unbalanced_wait = NAN;
}

/* Drops interference that only rates show if speculation loses time: the batches in which drafts
 * are expensive to verify are large, and prompts arrive in large numbers at the same time. */
static void forget_rates(struct weir_server_figures *out)
{
	if (!out->interference_estimated || !(out->speculation.profit < 1))
		return;
	out->interference_estimated = false;
	out->prefill_interference = out->stall_ratio = NAN;
}

/* Fills the figures of one source. Returns false if it states no state of the server. */
static bool fill(const struct weir_engines *engines, double requests, struct weir_arena *arena,
                 struct weir_server_figures *out)
{
	struct weir_arena *scratch = engines->arena;

	clear(out);
	out->left_out = engines->left_out;
	if (!engines->count)
		return false;
	out->engines = weir_arena_alloc(arena, (engines->count + 1) * sizeof *out->engines);
	out->engine_count = engines->count;
	out->product = engines->items[0].product;
	fill_totals(engines, requests, arena, out);
	weir_server_states(engines, scratch, out);
	if (isnan(out->kv.max) && out->moments == 0)
		return false;
	weir_server_load(engines, scratch, out);
	fill_transfer_share(out);
	fill_preemption(out);
	if (isnan(out->hit_rate))
		out->hit_rate = stated_hit_rate(engines);
	weir_server_steps(engines, scratch, arena, out);
	weir_server_rates(engines, scratch, out);
	weir_server_speculation(engines, scratch, out);
	forget_rates(out);
	for (size_t e = 0; e < engines->count; e++)
		out->engines[e].name = weir_arena_copy(arena, engines->items[e].name,
		                                       strlen(engines->items[e].name));
	forget_time(out);
	out->single = true;
	for (size_t e = 0; e < engines->count; e++)
		out->single &= engines->items[e].count == 1;
	return true;
}

/* ---- both sources ---- */

static double most(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}

/* Completes the figures of a log by those of pages. */
static void merge(struct weir_server_figures *log, const struct weir_server_figures *pages)
{
	struct weir_server_figures copy = *pages;
	double peaks[] = {most(log->running.max, pages->running.max),
	                  most(log->waiting.max, pages->waiting.max),
	                  most(log->kv.max, pages->kv.max)};

	if (isnan(log->speculation.profit))
		log->speculation = pages->speculation;
	if (isnan(log->prefill_interference))
		log->interference_estimated = pages->interference_estimated;
	if (isnan(log->slot_limit))
		log->slots_inferred = pages->slots_inferred;
	if (isnan(log->queue_of_latency))
		log->queue_of_moments = pages->queue_of_moments;
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		if (isnan(*scalar_of(log, scalars[i])))
			*scalar_of(log, scalars[i]) = *scalar_of(&copy, scalars[i]);
	log->running = isnan(log->running.mean) ? pages->running : log->running;
	log->waiting = isnan(log->waiting.mean) ? pages->waiting : log->waiting;
	log->kv = isnan(log->kv.mean) ? pages->kv : log->kv;
	log->running.max = peaks[0];
	log->waiting.max = peaks[1];
	log->kv.max = peaks[2];
	if (!log->reason_count) {
		memcpy(log->reasons, pages->reasons, sizeof log->reasons);
		log->reason_count = pages->reason_count;
	}
	for (size_t e = 0; log->engine_count == pages->engine_count && e < log->engine_count; e++)
		log->engines[e].preemptions =
			most(log->engines[e].preemptions, pages->engines[e].preemptions);
	if (log->moments < pages->moments)
		log->moments = pages->moments;
	log->restarts = log->restarts > pages->restarts ? log->restarts : pages->restarts;
	log->single &= pages->single;
}

struct weir_server_figures *weir_server_figures_of(const struct weir_profile *profile,
                                                   double requests, struct weir_arena *arena)
{
	struct weir_server_figures *log = weir_arena_alloc(arena, sizeof *log);
	struct weir_server_figures *pages = weir_arena_alloc(arena, sizeof *pages);
	struct weir_arena *scratch = weir_arena_new();
	struct weir_engines of_logs, of_pages;
	bool any_log, any_page;

	weir_engines_of_logs(&of_logs, profile, scratch);
	weir_engines_of_pages(&of_pages, profile, scratch);
	any_page = fill(&of_pages, requests, arena, pages);
	any_log = fill(&of_logs, any_page && !isnan(pages->requests) ? pages->requests : requests,
	               arena, log);
	if (any_log && any_page)
		merge(log, pages);
	if (any_log && isnan(log->preemptions_per_thousand))
		fill_preemption(log);
	weir_engines_release(&of_logs);
	weir_engines_release(&of_pages);
	weir_arena_free(scratch);
	log->from_log = any_log;
	log->from_pages = pages->from_pages = any_page;
	return any_log ? log : any_page ? pages : NULL;
}

/* ---- features ---- */

static double at_most_one(double value)
{
	return value > 1 ? 1 : value;
}

/* Returns the product of two shares, limited to a share; unknown factors are 1. */
static double part_of(double queue, double share)
{
	return at_most_one(queue * (isnan(share) ? 1 : share));
}

/* Returns the larger of two shares, of which the second may be unknown. */
static double larger_of(double value, double other)
{
	return other > value ? other : value;
}

void weir_server_features(const struct weir_server_figures *figures, double *values)
{
	double queue = figures->queue_of_latency, profit = figures->speculation.profit;
	double per_request = figures->preemptions_per_thousand / 1000;
	double preempted =
		at_most_one(isnan(per_request) ? figures->recomputed_share : per_request);
	double by_kv = part_of(queue, figures->kv_full_share);
	double loss = isnan(profit) ? NAN : fmax(1 - profit, 0);
	const struct {
		enum weir_feature_id id;
		double value;
	} rows[] = {
		{WEIR_F_SERVER_MOMENTS, (double)figures->moments / (double)figures->engine_count},
		{WEIR_F_WAITING_SHARE, figures->waiting_share},
		{WEIR_F_QUEUE_OF_LATENCY, queue},
		{WEIR_F_KV_FULL_SHARE, figures->kv_full_share},
		{WEIR_F_SLOTS_SHARE, figures->slots_share},
		{WEIR_F_SLOT_LIMIT, figures->slot_limit},
		{WEIR_F_FULL_STEPS, figures->full_steps},
		{WEIR_F_KV_PEAK, figures->kv.max},
		{WEIR_F_RUNNING_MEAN, figures->running.mean},
		{WEIR_F_WAITING_MEAN, figures->waiting.mean},
		{WEIR_F_TRANSFER_SHARE, figures->transfer_share},
		{WEIR_F_PREEMPTIONS_PER_THOUSAND, figures->preemptions_per_thousand},
		{WEIR_F_RECOMPUTED_SHARE, figures->recomputed_share},
		{WEIR_F_PREFILL_INTERFERENCE, figures->prefill_interference},
		{WEIR_F_INTERFERENCE_ESTIMATED, figures->interference_estimated},
		{WEIR_F_SPECULATION_ESTIMATED, figures->speculation.estimated},
		{WEIR_F_STALL_RATIO, figures->stall_ratio},
		{WEIR_F_STEP_GROWTH, figures->step_growth},
		{WEIR_F_THROUGHPUT_PLATEAU, figures->throughput_plateau},
		{WEIR_F_ENGINES, (double)figures->engine_count},
		{WEIR_F_ENGINE_IMBALANCE, figures->imbalance},
		{WEIR_F_UNBALANCED_WAIT, figures->engine_count == 1 ? 0 : figures->unbalanced_wait},
		{WEIR_F_ACCEPTED_LENGTH, figures->speculation.accepted_length},
		{WEIR_F_ACCEPTANCE, figures->speculation.acceptance},
		{WEIR_F_SPECULATION_PROFIT, profit},
		{WEIR_F_SPECULATION_LOSS, loss},
		/* An estimated profit is too high, so that the loss limits nothing. */
		{WEIR_F_SPECULATION_SAVING, figures->speculation.estimated ? NAN : loss},
		{WEIR_F_WAIT_BY_KV, by_kv},
		{WEIR_F_WAIT_BY_SLOTS, part_of(queue, figures->slots_share)},
		{WEIR_F_PREEMPTED_SHARE, preempted},
		{WEIR_F_LOST_TO_PREEMPTION, larger_of(preempted, by_kv)},
		{WEIR_F_INTERFERENCE_OF_LATENCY,
	         figures->prefill_interference * (1 - (isnan(queue) ? 0 : queue))},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		values[rows[i].id] = rows[i].value;
}
