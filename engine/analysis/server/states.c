/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/server/states.h"
#include "engine/model/telemetry.h"

/* ---- gauges ---- */

static int by_value(const void *left, const void *right)
{
	const struct weir_weighted *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->weight > b->weight) - (a->weight < b->weight);
}

/* Returns the first value at which the weights reach a share of their sum. */
static double quantile_of(const struct weir_weighted *sorted, size_t count, double goal)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += sorted[i].weight;
		if (sum >= goal * (1 - 1e-12))
			return sorted[i].value;
	}
	return sorted[count - 1].value;
}

struct weir_gauge_figures weir_gauge_of(struct weir_weighted *values, size_t count)
{
	struct weir_gauge_figures out = {NAN, NAN, NAN, NAN};
	double weight = 0, sum = 0;

	if (!count)
		return out;
	qsort(values, count, sizeof *values, by_value);
	for (size_t i = 0; i < count; i++) {
		weight += values[i].weight;
		sum += values[i].weight * values[i].value;
	}
	out.max = values[count - 1].value;
	if (!(weight > 0))
		return out;
	out.mean = sum / weight;
	out.p50 = quantile_of(values, count, 0.5 * weight);
	out.p95 = quantile_of(values, count, 0.95 * weight);
	return out;
}

/* ---- limits ---- */

double weir_row_running(const struct weir_server_engine *engine, const struct weir_server_row *row)
{
	double running = row->running;

	if (row->running < 0)
		return NAN;
	/* SGLang's line about a batch of prompts counts them apart from those that run. */
	if (engine->sglang && !engine->pages && row->prefill_tokens > 0 &&
	    row->prefill_requests > 0)
		running += row->prefill_requests;
	return running;
}

/* Finds the highest number of running requests while others wait and the KV cache has room: it is a
 * limit if it is flat. */
static struct weir_slots flat_maximum(const struct weir_server_engine *engine)
{
	struct weir_slots slots = {.limit = NAN, .inferred = true};
	double most = 0, all_s = 0, flat_s = 0;
	size_t rows = 0, all = 0;

	for (size_t i = 0; i < engine->count; i++)
		if (engine->rows[i]->waiting > 0 && !(engine->rows[i]->kv_usage >= WEIR_KV_FULL))
			most = fmax(most, weir_row_running(engine, engine->rows[i]));
	for (size_t i = 0; i < engine->count; i++) {
		if (engine->rows[i]->waiting <= 0 || engine->rows[i]->kv_usage >= WEIR_KV_FULL)
			continue;
		all_s += engine->seconds[i];
		all++;
		if (weir_row_running(engine, engine->rows[i]) < most)
			continue;
		flat_s += engine->seconds[i];
		rows++;
	}
	if ((most >= WEIR_FLAT_LEAST && rows >= WEIR_FLAT_ROWS_IF_ALL && rows == all) ||
	    (most > 0 && rows >= WEIR_FLAT_ROWS && flat_s >= WEIR_FLAT_SHARE * all_s))
		slots.limit = most;
	slots.varied = isnan(slots.limit) && all >= WEIR_FLAT_ROWS;
	return slots;
}

struct weir_slots weir_engine_slots(const struct weir_server_engine *engine)
{
	if (engine->settings.max_running > 0)
		return (struct weir_slots){.limit = (double)engine->settings.max_running};
	return flat_maximum(engine);
}

static bool reaches(double running, double limit)
{
	return running >= WEIR_SLOTS_TAKEN * limit;
}

static bool are_slots_known(const struct weir_slots *slots)
{
	return !isnan(slots->limit) || slots->varied;
}

bool weir_is_kv_full(double usage, double running, const struct weir_slots *slots)
{
	if (usage >= WEIR_KV_FULL)
		return true;
	if (reaches(running, slots->limit))
		return false;
	return (are_slots_known(slots) && usage >= WEIR_KV_FULL_FREE_SLOTS) ||
	       (running > 0 && usage * (1 + 1 / running) >= 1);
}

bool weir_are_slots_taken(double usage, double running, double limit)
{
	return reaches(running, limit) && !(usage >= WEIR_KV_FULL);
}

bool weir_is_stalled(const struct weir_server_engine *engine, const struct weir_server_row *row)
{
	return !engine->pages && row->kind == WEIR_SERVER_INTERVAL && row->running > 0 &&
	       row->prompt_rate == 0 && row->decode_rate == 0;
}

/* ---- states ---- */

/* Seconds in each state, summed over engines; known: seconds in which the state could be told. */
struct seconds {
	double known, waiting, waiting_stalled;
	double waiting_kv_known, kv_full;
	double waiting_slots_known, slots;
	double waiting_steps_known, full_steps;
};

static void count_row(const struct weir_server_engine *engine, size_t i,
                      const struct weir_slots *slots, struct seconds *seconds)
{
	const struct weir_server_row *row = engine->rows[i];
	double s = engine->seconds[i], running = weir_row_running(engine, row);

	if (row->waiting < 0)
		return;
	seconds->known += s;
	if (row->waiting == 0)
		return;
	seconds->waiting += s;
	if (weir_is_stalled(engine, row)) {
		seconds->waiting_stalled += s;
		return;
	}
	if (weir_is_kv_full(row->kv_usage, running, slots)) {
		seconds->waiting_kv_known += s;
		seconds->kv_full += s;
	} else if (row->kv_usage < WEIR_KV_FULL_FREE_SLOTS || are_slots_known(slots)) {
		seconds->waiting_kv_known += isnan(row->kv_usage) ? 0 : s;
	}
	if (isnan(slots->limit) || isnan(running))
		return;
	seconds->waiting_slots_known += s;
	if (weir_are_slots_taken(row->kv_usage, running, slots->limit))
		seconds->slots += s;
}

/* Counts the time of a step, or of a batch of prompts, while requests wait: *waiting is the number
 * that the engine stated last, which this sets. */
static void count_step(const struct weir_server_engine *engine, size_t i, double *waiting,
                       struct seconds *seconds)
{
	const struct weir_server_row *row = engine->rows[i];
	double limit = (double)engine->settings.max_step_tokens, tokens = NAN;

	if (row->waiting >= 0)
		*waiting = row->waiting;
	weir_add_known(&tokens, weir_known_count(row->prefill_tokens));
	weir_add_known(&tokens, weir_known_count(row->decode_tokens));
	if (!(*waiting > 0) || !(limit > 0) || isnan(tokens))
		return;
	seconds->waiting_steps_known += engine->seconds[i];
	if (tokens >= WEIR_STEP_FULL * limit)
		seconds->full_steps += engine->seconds[i];
}

static double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Collects one gauge of one engine. Returns the number of values. */
static size_t collect_kv(const struct weir_server_engine *engine, struct weir_weighted *out)
{
	size_t count = 0;

	for (size_t i = 0; i < engine->count; i++)
		if (!isnan(engine->rows[i]->kv_usage))
			out[count++] = (struct weir_weighted){engine->rows[i]->kv_usage,
			                                      engine->seconds[i]};
	return count;
}

static double mean_of_rows(const struct weir_server_engine *engine, bool waiting)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < engine->count; i++) {
		const struct weir_server_row *row = engine->rows[i];
		double value =
			waiting ? weir_known_count(row->waiting) : weir_row_running(engine, row);

		if (isnan(value))
			continue;
		sum += value * engine->seconds[i];
		weight += engine->seconds[i];
	}
	return share_of(sum, weight);
}

static void fill_engine(const struct weir_server_engine *engine, struct weir_weighted *scratch,
                        struct weir_engine_figures *out)
{
	struct weir_gauge_figures kv = weir_gauge_of(scratch, collect_kv(engine, scratch));
	double tokens = engine->total[WEIR_TOTAL_PROMPT];

	weir_add_known(&tokens, engine->total[WEIR_TOTAL_OUTPUT]);
	*out = (struct weir_engine_figures){
		.name = engine->name,
		.running = mean_of_rows(engine, false),
		.waiting = mean_of_rows(engine, true),
		.kv_p50 = kv.p50,
		.kv_peak = kv.max,
		.tokens_per_s = share_of(tokens, engine->span_s),
		.load = NAN,
		.preemptions = engine->total[WEIR_TOTAL_PREEMPTED],
		.restarts = engine->restarts,
	};
}

static size_t all_rows(const struct weir_engines *engines)
{
	size_t count = 0;

	for (size_t i = 0; i < engines->count; i++)
		count += engines->items[i].count;
	return count;
}

static void fill_kv(const struct weir_engines *engines, struct weir_weighted *scratch,
                    struct weir_server_figures *out)
{
	size_t count = 0;

	for (size_t i = 0; i < engines->count; i++)
		count += collect_kv(&engines->items[i], scratch + count);
	out->kv = weir_gauge_of(scratch, count);
}

/* Returns a total over all engines; NAN: unknown. */
static double total_of(const struct weir_engines *engines, enum weir_engine_total total)
{
	double sum = NAN;

	for (size_t i = 0; i < engines->count + engines->shared_count; i++)
		weir_add_known(&sum, engines->items[i].total[total]);
	return sum;
}

/* Returns the mean time to the first token over the mean latency, which the share of the queue does
 * not exceed. NAN: unknown. */
static double first_of_latency(const struct weir_engines *engines)
{
	double first = share_of(total_of(engines, WEIR_TOTAL_FIRST_NS),
	                        total_of(engines, WEIR_TOTAL_FIRSTS));
	double whole = share_of(total_of(engines, WEIR_TOTAL_LATENCY_NS),
	                        total_of(engines, WEIR_TOTAL_LATENCIES));

	return first <= whole ? share_of(first, whole) : NAN;
}

/* Fills the share of the time of requests that they wait. Totals of the server are exact; else by
 * Little's law both are proportional to the mean number of requests. Few moments give no mean: the
 * time to the first token then limits the share. */
static void fill_queue(const struct weir_engines *engines, struct weir_server_figures *out)
{
	double queue = total_of(engines, WEIR_TOTAL_QUEUE_NS), running = 0, waiting = 0;
	double latency = total_of(engines, WEIR_TOTAL_LATENCY_NS);
	bool few = out->moments < WEIR_ENOUGH_MOMENTS;

	for (size_t i = 0; i < engines->count; i++) {
		running += out->engines[i].running;
		waiting += out->engines[i].waiting;
	}
	out->queue_of_latency = queue <= latency ? share_of(queue, latency) : NAN;
	/* Requests that still wait are in no total, but a single moment is no mean. */
	out->queue_of_moments = few && isnan(out->queue_of_latency);
	if (isnan(out->queue_of_latency) ||
	    (!few && waiting / (waiting + running) > out->queue_of_latency))
		out->queue_of_latency = share_of(waiting, waiting + running);
	if (!out->queue_of_moments)
		return;
	out->queue_limit = first_of_latency(engines);
	if (out->queue_limit < out->queue_of_latency)
		out->queue_of_latency = out->queue_limit;
}

/* Counts the intervals in which requests run, and the stalled ones of them. */
static void count_stalls(const struct weir_server_engine *engine, struct weir_server_figures *out)
{
	for (size_t i = 0; i < engine->count; i++) {
		const struct weir_server_row *row = engine->rows[i];

		out->busy_intervals += row->kind == WEIR_SERVER_INTERVAL && row->running > 0;
		out->stalled_intervals += weir_is_stalled(engine, row);
	}
}

static void fill_states(const struct seconds *seconds, struct weir_server_figures *out)
{
	/* If stalls are most of the waiting, the rest says nothing about cache and slots. */
	bool stalled =
		seconds->waiting_stalled > 0 && seconds->waiting_stalled >= 0.5 * seconds->waiting;

	out->waiting_share = share_of(seconds->waiting, seconds->known);
	out->kv_full_share = stalled ? NAN : share_of(seconds->kv_full, seconds->waiting_kv_known);
	out->slots_share = stalled ? NAN : share_of(seconds->slots, seconds->waiting_slots_known);
	out->full_steps = share_of(seconds->full_steps, seconds->waiting_steps_known);
}

void weir_server_states(const struct weir_engines *engines, struct weir_arena *arena,
                        struct weir_server_figures *out)
{
	size_t rows = all_rows(engines);
	struct weir_weighted *scratch = weir_arena_alloc(arena, (rows + 1) * sizeof *scratch);
	struct seconds seconds = {0};

	out->slot_limit = NAN;
	for (size_t i = 0; i < engines->count; i++) {
		const struct weir_server_engine *engine = &engines->items[i];
		struct weir_slots slots = weir_engine_slots(engine);
		double waiting = NAN;

		for (size_t r = 0; r < engine->count; r++) {
			count_row(engine, r, &slots, &seconds);
			count_step(engine, r, &waiting, &seconds);
			out->moments +=
				engine->rows[r]->running >= 0 || engine->rows[r]->waiting >= 0;
		}
		seconds.known += engine->idle_s;
		if (!isnan(slots.limit) && !(slots.limit <= out->slot_limit)) {
			out->slot_limit = slots.limit;
			out->slots_inferred = slots.inferred;
		}
		count_stalls(engine, out);
		fill_engine(engine, scratch, &out->engines[i]);
	}
	fill_states(&seconds, out);
	fill_kv(engines, scratch, out);
	fill_queue(engines, out);
}
