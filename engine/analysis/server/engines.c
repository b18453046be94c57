/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/server/engines.h"
#include "engine/model/telemetry.h"
#include "engine/stats/quantile.h"

static const char *const products[] = {
	[WEIR_PRODUCT_VLLM] = "vLLM",
	[WEIR_PRODUCT_SGLANG] = "SGLang",
	[WEIR_PRODUCT_TRTLLM] = "TensorRT-LLM",
};

double weir_known_count(int64_t value)
{
	return value >= 0 ? (double)value : (double)NAN;
}

void weir_add_known(double *sum, double value)
{
	if (isfinite(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

struct weir_server_engine *weir_engines_add(struct weir_engines *engines)
{
	struct weir_server_engine *engine;

	if (engines->count == WEIR_MAX_ENGINES) {
		engines->left_out++;
		return NULL;
	}
	engines->items = weir_grow(engines->items, &engines->capacity, engines->count + 1,
	                           sizeof *engines->items);
	engine = &engines->items[engines->count++];
	*engine = (struct weir_server_engine){
		.name = "",
		.product = "",
		.settings = {-1, -1, -1, -1, -1, NAN},
		.span_s = NAN,
		.transfer_waiting = NAN,
		.adapters_running = NAN,
		.adapters_waiting = NAN,
		.adapters_max = NAN,
		.accept_length = NAN,
	};
	for (size_t i = 0; i < WEIR_TOTAL_COUNT; i++)
		engine->total[i] = NAN;
	return engine;
}

void weir_engines_release(struct weir_engines *engines)
{
	free(engines->items);
	*engines = (struct weir_engines){0};
}

/* ---- time ---- */

static int64_t interval_of(const struct weir_server_engine *engine, size_t row)
{
	int64_t from = engine->rows[row - 1]->at_ns, to = engine->rows[row]->at_ns;

	return from < 0 && to > INT64_MAX + from ? INT64_MAX : to - from;
}

/* Returns the median interval between rows, without gaps of hours; NAN: no interval is known. */
static double usual_interval(const struct weir_server_engine *engine, struct weir_arena *arena)
{
	double *ns = weir_arena_alloc(arena, (engine->count + 1) * sizeof *ns);
	size_t count = 0;

	for (size_t i = 1; i < engine->count; i++) {
		int64_t interval = interval_of(engine, i);

		if (interval > 0 && interval <= WEIR_FAR_APART_NS)
			ns[count++] = (double)interval;
	}
	return count ? weir_quantile_select(ns, count, 0.5) : NAN;
}

static void note_gap(struct weir_server_engine *engine, int64_t interval)
{
	engine->gaps++;
	engine->far_apart |= interval > WEIR_FAR_APART_NS;
	if (interval > engine->longest_gap_ns)
		engine->longest_gap_ns = interval;
}

/* Lets the intervals of a log that also holds steps reach back to the previous interval: the steps
 * between them state no gauges. The intervals then cover the time without steps, too. */
static void weigh_intervals_among_steps(struct weir_server_engine *engine)
{
	size_t last = SIZE_MAX, steps = 0, intervals = 0;

	for (size_t i = 0; i < engine->count; i++)
		if (engine->rows[i]->kind == WEIR_SERVER_STEP)
			steps++;
		else
			intervals++;
	if (!engine->timed || steps == 0 || intervals < 2)
		return;
	for (size_t i = 0; i < engine->count; i++) {
		double ns;

		if (engine->rows[i]->kind == WEIR_SERVER_STEP)
			continue;
		ns = last == SIZE_MAX
		             ? 0
		             : (double)engine->rows[i]->at_ns - (double)engine->rows[last]->at_ns;
		if (ns > 0 && ns <= (double)WEIR_FAR_APART_NS)
			engine->seconds[i] = ns / 1e9;
		last = i;
	}
	engine->idle_s = 0;
}

void weir_engine_weigh(struct weir_server_engine *engine, struct weir_arena *arena)
{
	double usual, sum = 0;

	engine->seconds = weir_arena_alloc(arena, (engine->count + 1) * sizeof(double));
	engine->timed = engine->count > 0;
	for (size_t i = 0; i < engine->count; i++)
		engine->timed &= engine->rows[i]->at_ns != WEIR_NO_TIME;
	usual = engine->timed ? usual_interval(engine, arena) : NAN;
	for (size_t i = 0; i < engine->count; i++) {
		const struct weir_server_row *row = engine->rows[i];
		int64_t interval = engine->timed && i > 0 ? interval_of(engine, i) : -1;
		bool gap = interval > WEIR_FAR_APART_NS ||
		           (double)interval > WEIR_GAP_INTERVALS * usual;

		if (gap)
			note_gap(engine, interval);
		if (row->kind == WEIR_SERVER_STEP && row->duration_ns >= 0)
			engine->seconds[i] = (double)row->duration_ns / 1e9;
		else if (interval >= 0 && !gap)
			engine->seconds[i] = (double)interval / 1e9;
		else
			engine->seconds[i] = isnan(usual) ? 1 : usual / 1e9;
		if (interval >= 0 && !gap)
			engine->idle_s += fmax((double)interval / 1e9 - engine->seconds[i], 0);
		/* Totals of pages count from the first page, over gaps. */
		if (!engine->pages)
			sum += engine->seconds[i];
		else if (interval > 0)
			sum += (double)interval / 1e9;
	}
	engine->span_s = engine->timed && sum > 0 ? sum + engine->idle_s : NAN;
	weigh_intervals_among_steps(engine);
}

static int by_time(const void *left, const void *right)
{
	const struct weir_server_row *a = *(const struct weir_server_row *const *)left;
	const struct weir_server_row *b = *(const struct weir_server_row *const *)right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a > b) - (a < b); /* rows of one log stay in its order */
}

/* ---- logs ---- */

static int64_t first_time(const struct weir_server_engine *engine)
{
	return engine->count ? engine->rows[0]->at_ns : WEIR_NO_TIME;
}

static int64_t last_time(const struct weir_server_engine *engine)
{
	return engine->count ? engine->rows[engine->count - 1]->at_ns : WEIR_NO_TIME;
}

static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

/* Tells rows of engines apart that have the same name and begin at the same time. */
static int compare_rows(const struct weir_server_row *a, const struct weir_server_row *b)
{
	int order = compare_numbers(a->running, b->running);

	order = order ? order : compare_numbers(a->waiting, b->waiting);
	order = order ? order : compare_numbers(a->kv_usage, b->kv_usage);
	order = order ? order : compare_numbers(a->prompt_rate, b->prompt_rate);
	order = order ? order : compare_numbers(a->decode_rate, b->decode_rate);
	order = order ? order : compare_numbers((double)a->duration_ns, (double)b->duration_ns);
	return order ? order : compare_numbers((double)a->at_ns, (double)b->at_ns);
}

static int by_name(const void *left, const void *right)
{
	const struct weir_server_engine *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = strcmp(a->product, b->product);
	if (order != 0)
		return order;
	if (first_time(a) != first_time(b))
		return first_time(a) < first_time(b) ? -1 : 1;
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (size_t i = 0; i < a->count && order == 0; i++)
		order = compare_rows(a->rows[i], b->rows[i]);
	return order;
}

void weir_engines_sort(struct weir_engines *engines)
{
	if (engines->count > 1)
		qsort(engines->items, engines->count, sizeof *engines->items, by_name);
}

static void take_row(struct weir_server_engine *engine, const struct weir_server_row *row)
{
	engine->rows[engine->count++] = row;
	if (row->preempted >= 0)
		weir_add_known(&engine->total[WEIR_TOTAL_PREEMPTED], row->preempted);
	if (row->drafted >= 0)
		weir_add_known(&engine->total[WEIR_TOTAL_DRAFTED], row->drafted);
	if (row->accepted >= 0)
		weir_add_known(&engine->total[WEIR_TOTAL_ACCEPTED], row->accepted);
}

/* Adds the engines of one log, with their rows in order of time. */
static void add_log(struct weir_engines *engines, const struct weir_server_log *log)
{
	size_t *counts = weir_arena_alloc(engines->arena, (log->engine_count + 1) * sizeof *counts);
	size_t first = engines->count;

	for (size_t i = 0; i < log->count; i++)
		if (log->rows[i].engine < log->engine_count)
			counts[log->rows[i].engine]++;
	for (size_t e = 0; e < log->engine_count; e++) {
		struct weir_server_engine *engine = weir_engines_add(engines);

		if (!engine)
			break;
		engine->name = weir_server_log_engine_name(log, e);
		engine->product = products[log->product];
		engine->sglang = log->product == WEIR_PRODUCT_SGLANG;
		engine->clock = log->clock;
		engine->settings = log->settings;
		engine->restarts = e == 0 && log->starts > 1 ? log->starts - 1 : 0;
		engine->rows = (const struct weir_server_row **)weir_arena_alloc(
			engines->arena, (counts[e] + 1) * sizeof(struct weir_server_row *));
	}
	for (size_t i = 0; i < log->count; i++) {
		const struct weir_server_row *row = &log->rows[i];

		if (row->engine < log->engine_count && first + row->engine < engines->count)
			take_row(&engines->items[first + row->engine], row);
	}
	for (size_t e = first; e < engines->count; e++)
		qsort(engines->items[e].rows, engines->items[e].count,
		      sizeof(struct weir_server_row *), by_time);
	engines->left_out += log->left_out;
}

/* True if the second engine goes on with the first: a log that was rotated. */
static bool continues(const struct weir_server_engine *first,
                      const struct weir_server_engine *second)
{
	return first->count && second->count && strcmp(first->name, second->name) == 0 &&
	       strcmp(first->product, second->product) == 0 && first_time(first) != WEIR_NO_TIME &&
	       first_time(second) != WEIR_NO_TIME && last_time(first) <= first_time(second);
}

static void append(struct weir_engines *engines, struct weir_server_engine *to,
                   const struct weir_server_engine *from)
{
	const struct weir_server_row **rows = (const struct weir_server_row **)weir_arena_alloc(
		engines->arena, (to->count + from->count + 1) * sizeof(struct weir_server_row *));

	memcpy((void *)rows, (const void *)to->rows, to->count * sizeof(*rows));
	memcpy((void *)(rows + to->count), (const void *)from->rows, from->count * sizeof(*rows));
	to->rows = rows;
	to->count += from->count;
	to->restarts += from->restarts;
	if (to->settings.max_running < 0)
		to->settings = from->settings;
	for (size_t i = 0; i < WEIR_TOTAL_COUNT; i++)
		weir_add_known(&to->total[i], from->total[i]);
}

/* Joins the files of one engine that follow each other, and drops engines without rows. */
static void join_files(struct weir_engines *engines)
{
	size_t kept = 0;

	for (size_t i = 0; i < engines->count; i++) {
		struct weir_server_engine *engine = &engines->items[i];

		if (!engine->count)
			continue;
		if (kept && continues(&engines->items[kept - 1], engine))
			append(engines, &engines->items[kept - 1], engine);
		else
			engines->items[kept++] = *engine;
	}
	engines->count = kept;
}

double weir_engine_rate_seconds(const struct weir_server_engine *engine, size_t row, size_t *last)
{
	size_t from = *last;
	double ns;

	if (isnan(engine->rows[row]->decode_rate))
		return NAN;
	*last = row;
	if (from == SIZE_MAX || !engine->timed)
		return engine->seconds[row];
	ns = (double)engine->rows[row]->at_ns - (double)engine->rows[from]->at_ns;
	return ns > 0 && ns <= (double)WEIR_FAR_APART_NS ? ns / 1e9 : engine->seconds[row];
}

/* Sums what the rows state as rates, which needs the time that they stand for. */
static void sum_tokens(struct weir_server_engine *engine)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < engine->count; i++) {
		const struct weir_server_row *row = engine->rows[i];
		double prompt = row->prompt_rate * engine->seconds[i];
		double output = row->decode_rate * weir_engine_rate_seconds(engine, i, &last);

		if (row->kind == WEIR_SERVER_STEP || engine->sglang) {
			prompt = weir_known_count(row->prefill_tokens);
			if (row->kind == WEIR_SERVER_STEP)
				output = weir_known_count(row->decode_tokens);
		}
		weir_add_known(&engine->total[WEIR_TOTAL_PROMPT], prompt);
		weir_add_known(&engine->total[WEIR_TOTAL_OUTPUT], output);
		if (row->cached_tokens >= 0 && row->prefill_tokens >= 0) {
			weir_add_known(&engine->total[WEIR_TOTAL_HITS], row->cached_tokens);
			weir_add_known(&engine->total[WEIR_TOTAL_QUERIES],
			               (double)row->cached_tokens + row->prefill_tokens);
		}
	}
}

void weir_engines_of_logs(struct weir_engines *engines, const struct weir_profile *profile,
                          struct weir_arena *arena)
{
	*engines = (struct weir_engines){.arena = arena};
	for (size_t i = 0; i < profile->input_count; i++)
		if (profile->inputs[i].server)
			add_log(engines, profile->inputs[i].server);
	weir_engines_sort(engines);
	join_files(engines);
	for (size_t i = 0; i < engines->count; i++) {
		weir_engine_weigh(&engines->items[i], arena);
		sum_tokens(&engines->items[i]);
	}
}
