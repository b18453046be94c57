/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the engines of a server, and of its steps by phase. */
#include "engine/report/plain/escape.h"
#include "engine/report/tables/column_macros.h"
#include "engine/report/tables/tables.h"

static size_t engine_rows(const struct weir_report *report)
{
	return report->server && report->server->engine_count > 1 ? report->server->engine_count
	                                                          : 0;
}

static const void *engine_row(const struct weir_report *report, size_t row)
{
	return &report->server->engines[row];
}

static void engine_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const char *name = report->server->engines[row].name;

	weir_text_puts(out, "engine ");
	if (*name)
		weir_escape_name(out, name);
	else
		weir_text_printf(out, "#%zu", row + 1);
}

static size_t phase_rows(const struct weir_report *report)
{
	return report->server ? WEIR_STEP_PHASE_COUNT : 0;
}

static const void *phase_row(const struct weir_report *report, size_t row)
{
	return &report->server->phases[row];
}

static bool phase_holds(const struct weir_report *report, size_t row)
{
	return report->server->phases[row].count > 0;
}

static void phase_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	static const char *const names[WEIR_STEP_PHASE_COUNT] = {
		[WEIR_STEP_DECODE] = "decodes only",
		[WEIR_STEP_MIXED] = "prompts and decodes",
		[WEIR_STEP_PREFILL] = "prompts only",
	};

	(void)report;
	weir_text_puts(out, names[row]);
}

/* clang-format off */
#define OF struct weir_engine_figures
const struct weir_table weir_table_engines = {
	.id = "engines", .title = "engines of the server", .limited = true, .rows = engine_rows, .row = engine_row,
	.columns = {
		NAMED("name", "engine", NULL, ALL, WEIR_CELL_NAME, engine_name),
		FIELD("running", "running", "mean number of requests", ALL, 0, RATIO, running),
		FIELD("waiting", "waiting", "mean number of requests", ALL, 0, RATIO, waiting),
		FIELD("load", "load", "running and waiting requests over the median of the other engines", ALL, 0, RATIO,
		      load),
		FIELD("kv", "KV peak", "largest share of the KV cache in use", ALL, 0, SHARE, kv_peak),
		FIELD("tokens", "tokens/s", "prompt and output tokens", ALL, LAST, RATIO, tokens_per_s),
		{ .id = NULL } }
};
#undef OF

#define OF struct weir_phase_figures
const struct weir_table weir_table_phases = {
	.id = "server-steps", .title = "steps of the server", .rows = phase_rows, .row = phase_row, .holds = phase_holds,
	.columns = {
		NAMED("name", "step", NULL, ALL, WEIR_CELL_NAME, phase_name),
		FIELD("count", "count", NULL, ALL, 0, COUNT, count),
		FIELD("p50", "p50", "duration of a step", ALL, 0, NS, p50_ns),
		FIELD("p95", "p95", "duration of a step", ALL, 0, NS, p95_ns),
		FIELD("tokens", "tokens", "mean tokens of a step", ALL, 0, RATIO, tokens),
		{ .id = NULL } }
};
#undef OF
/* clang-format on */
