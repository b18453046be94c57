/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/analysis/rows/rows.h"
#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/analysis/server/figures.h"
#include "engine/analysis/server/joined.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/stats/quantile.h"

static double requests_of(const struct weir_analysis *analysis)
{
	return analysis->serving ? (double)analysis->serving->requests->count : NAN;
}

/* Returns the share of the latency around the percentile in the queue of the client. */
static double client_queue_of(const struct weir_serving *serving)
{
	for (size_t s = 0; serving && s < serving->requests->stage_count; s++)
		if (strcmp(weir_requests_stage_name(serving->requests, s), "client_queue") == 0)
			return weir_band_stage_share(&serving->band[WEIR_AT_ASKED], s);
	return NAN;
}

/* Divides the power of the devices by the rate of tokens, if the monitor's samples are of the same
 * time, or nothing tells another time. */
static double joules_of(const struct weir_report *report, const struct weir_server_figures *server)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;
	double tokens_per_s = server->prompt_tokens_per_s + server->output_tokens_per_s;

	if (!report->has_telemetry || !(tokens_per_s > 0) || server->far_apart ||
	    (!telemetry->aligned && report->has_requests))
		return NAN;
	return telemetry->power_w * (double)telemetry->devices / tokens_per_s;
}

/* Gaps between tokens that preemption causes are no interference. */
#define FEW_PREEMPTED 10 /* of 1,000 requests */
/* Fewer gaps have no 99th percentile, and a histogram with fewer occupied buckets does not separate
 * long gaps from the usual ones. */
#define LEAST_GAPS    100
#define LEAST_BUCKETS 3

/* True if the stage has enough gaps, in enough buckets, to estimate interference. */
static bool shows_gaps(const struct weir_scrape_stage *stage)
{
	return strcmp(stage->name, "itl") == 0 && stage->count >= LEAST_GAPS &&
	       stage->occupied >= LEAST_BUCKETS && stage->usual_ns > 0 && !isnan(stage->stalled);
}

/*
 * Estimates interference from the histogram of the gaps between tokens (ITL), if steps and rates do
 * not show it: the share of time that long gaps add to the usual one, and the least value of p99
 * over the usual gap, because a step with prompts is at least as long as the 99th percentile. Both
 * are low estimates, because buckets are often wider than a step. They are also too low if prompts
 * are in more than half of the steps, because the usual gap has them as well, or if a server
 * observes the mean of several gaps, which hides the long ones.
 */
static void estimate_by_gaps(const struct weir_analysis *analysis,
                             struct weir_server_figures *server)
{
	struct weir_scrape_figures scraped;

	if (!isnan(server->prefill_interference) ||
	    server->preemptions_per_thousand >= FEW_PREEMPTED ||
	    !weir_scrape_figures_collect(analysis->profile, &analysis->options.settings->aliases,
	                                 &scraped))
		return;
	for (size_t i = 0; i < scraped.stage_count; i++) {
		const struct weir_scrape_stage *stage = &scraped.stages[i];

		if (!shows_gaps(stage))
			continue;
		server->prefill_interference = stage->stalled;
		server->stall_ratio =
			stage->long_ns > stage->usual_ns ? stage->long_ns / stage->usual_ns : NAN;
		server->interference_estimated = true;
	}
	weir_scrape_figures_release(&scraped);
}

static void note_times(const struct weir_server_figures *server, struct weir_report *report)
{
	struct weir_text gap = {0};

	if (server->restarts > 0)
		weir_report_note(report, "restarted",
		                 "restarts of engines: %" PRIu64
		                 "; counters are summed over the segments between them",
		                 server->restarts);
	if (server->gaps == 0)
		return;
	weir_text_duration(&gap, (double)server->longest_gap_ns);
	weir_report_note(report, "gaps",
	                 "the record of the server has gaps, the longest of %s%s: its state in "
	                 "between is not known",
	                 gap.data,
	                 server->far_apart ? "; gauges of moments more than an hour apart show "
	                                     "these moments only"
	                                   : "");
	weir_text_release(&gap);
}

/* A rate of tokens as the lines of logs state it. */
struct stated_rate {
	double sum, most;
	size_t lines;
};

static void take_rate(struct stated_rate *rate, double value)
{
	if (isnan(value))
		return;
	rate->sum += value;
	rate->most = fmax(rate->most, value);
	rate->lines++;
}

static void put_rate(struct weir_text *text, const struct stated_rate *rate, const char *what)
{
	if (!(rate->most > 0))
		return;
	weir_text_printf(text, "%s%.4g %s tokens/s on average over %zu line%s, %.4g at most",
	                 text->length ? "; " : "", rate->sum / (double)rate->lines, what,
	                 rate->lines, rate->lines == 1 ? "" : "s", rate->most);
}

/* Returns the engine whose lines add up all others; WEIR_MAX_SERVER_ENGINES: none. */
static size_t summing_engine(const struct weir_server_log *log)
{
	for (size_t i = 0; i < log->engine_count; i++)
		if (strcmp(weir_server_log_engine_name(log, i), "all") == 0)
			return i;
	return WEIR_MAX_SERVER_ENGINES;
}

/* Notes the rates of tokens that the lines of logs state. A line states the rate of an engine in an
 * interval; the figures of the server come from all lines and their times. */
static void note_rates(const struct weir_profile *profile, struct weir_report *report)
{
	struct stated_rate generated = {0}, prompts = {0};
	struct weir_text text = {0};
	size_t engines = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_server_log *log = profile->inputs[i].server;
		size_t all = log ? summing_engine(log) : 0;

		engines += log && all == WEIR_MAX_SERVER_ENGINES ? log->engine_count : log != NULL;
		for (size_t r = 0; log && r < log->count; r++) {
			if (all != WEIR_MAX_SERVER_ENGINES && log->rows[r].engine != all)
				continue;
			take_rate(&generated, log->rows[r].decode_rate);
			take_rate(&prompts, log->rows[r].prompt_rate);
		}
	}
	put_rate(&text, &generated, "generated");
	put_rate(&text, &prompts, "prompt");
	if (text.length)
		weir_report_note(report, "throughput", "the log states %s%s", text.data,
		                 engines > 1 ? ", a line for one engine" : "");
	weir_text_release(&text);
}

static void note_quality(const struct weir_server_figures *server, struct weir_report *report)
{
	if (server->single && server->from_log)
		weir_report_note(report, "one_moment",
		                 "the log holds one interval: it shows one moment of the server");
	else if (server->single)
		weir_report_note(report, "one_moment",
		                 "a metrics page shows one moment of the server");
	if (server->hit_rate > 0 && server->preemptions > 0)
		weir_report_note(report, "hit_rate",
		                 "the hit rate of the prefix cache includes preempted requests, "
		                 "which find their own prompts there");
	if (server->speculation.profit > 0 && server->speculation.estimated)
		weir_report_note(report, "speculation",
		                 "the profit of speculative decoding is an upper estimate without "
		                 "step times: a drafted token is taken to cost 5 %% of a step");
	if (server->speculation.drafted > 0 && isnan(server->speculation.profit))
		weir_report_note(report, "speculation",
		                 "%.0f drafted tokens are too few to judge speculative decoding: "
		                 "expected at least %d speculative steps",
		                 server->speculation.drafted, WEIR_SPECULATION_LEAST_DRAFTS);
	if (server->left_out > 0)
		weir_report_note(report, "left_out",
		                 "rows, pages and engines of the server beyond the limits of "
		                 "weir: %" PRIu64 " are left out",
		                 server->left_out);
}

/* Adds the size, speed and failures of transfers, behind a comma. */
static void add_transfers(const struct weir_server_figures *server, struct weir_text *text)
{
	const char *comma = text->length ? ", " : "";

	if (server->transfer_bytes > 0) {
		weir_text_puts(text, comma);
		weir_text_bytes(text, server->transfer_bytes);
		weir_text_puts(text, " on average");
		comma = ", ";
	}
	if (server->transfers_failed > 0) {
		weir_text_printf(text, "%s%.0f failed", comma, server->transfers_failed);
		comma = ", ";
	}
	if (server->transfers_expired > 0)
		weir_text_printf(text, "%s%.0f expired before they were fetched", comma,
		                 server->transfers_expired);
}

static void note_reasons(const struct weir_server_figures *server, struct weir_report *report)
{
	struct weir_text text = {0};

	for (size_t i = 0; i < server->reason_count; i++)
		if (server->reasons[i].mean > 0)
			weir_text_printf(&text, "%s%.3g for %s", text.length ? ", " : "",
			                 server->reasons[i].mean, server->reasons[i].name);
	if (text.length)
		weir_report_note(report, "waiting_for",
		                 "mean requests that wait, by the server's reasons: %s", text.data);
	weir_text_clear(&text);
	if (server->transfer_waiting > 0)
		weir_text_printf(&text, "%.3g requests wait for it on average",
		                 server->transfer_waiting);
	if (server->transfer_ns > 0) {
		weir_text_puts(&text, text.length ? ", " : "");
		weir_text_puts(&text, "a transfer takes ");
		weir_text_duration(&text, server->transfer_ns);
	}
	add_transfers(server, &text);
	if (text.length)
		weir_report_note(report, "transfer", "transfer of KV caches between engines: %s",
		                 text.data);
	weir_text_release(&text);
}

/* Notes the caches beside the prefix cache, and the LoRA adapters. */
static void note_caches(const struct weir_server_figures *server, struct weir_report *report)
{
	if (server->external_hit_rate >= 0)
		weir_report_note(report, "external_cache",
		                 "%.3g %% of the tokens that were looked up in caches of other "
		                 "engines were found there",
		                 100 * server->external_hit_rate);
	if (server->media_hit_rate >= 0)
		weir_report_note(report, "media_cache",
		                 "%.3g %% of the images and other media were found in their cache",
		                 100 * server->media_hit_rate);
	if (server->adapters_waiting > 0 && server->adapters_max > 0)
		weir_report_note(report, "adapters",
		                 "LoRA adapters with requests: %.0f run and %.0f wait, at most "
		                 "%.0f at once (--max-loras)",
		                 server->adapters_running, server->adapters_waiting,
		                 server->adapters_max);
}

#define BAND 0.025 /* points to both sides of the percentile, as struct weir_band has them */

/* Places the requests around the percentile on the time axis of the server. */
static void join_requests(const struct weir_analysis *analysis, struct weir_report *report,
                          struct weir_server_figures *server)
{
	const struct weir_serving *serving = analysis->serving;
	double half = fmin(BAND, (1 - analysis->options.percentile) / 2), low, high;
	struct weir_joined_span *spans;
	size_t count = 0, all = serving ? serving->requests->count : 0;

	if (!all || serving->requests->time_base != WEIR_TIME_UNIX)
		return;
	low = weir_quantile_sorted(serving->sorted_ns, all, analysis->options.percentile - half);
	high = weir_quantile_sorted(serving->sorted_ns, all, analysis->options.percentile + half);
	spans = weir_arena_alloc(report->arena, (all + 1) * sizeof *spans);
	for (size_t i = 0; i < all; i++)
		if (serving->latency_ns[i] >= low && serving->latency_ns[i] <= high)
			spans[count++] = (struct weir_joined_span){serving->requests->start_ns[i],
			                                           serving->requests->end_ns[i]};
	weir_server_join(analysis->profile, spans, count, server);
	if (isnan(server->joined.in_kv_wait) && !isnan(server->joined.covered))
		weir_report_note(report, "other_time",
		                 "the record of the server covers %.0f %% of the time of the slow "
		                 "requests: their figures stand side by side",
		                 100 * server->joined.covered);
}

void weir_fill_server(const struct weir_analysis *analysis, struct weir_report *report)
{
	struct weir_server_figures *server =
		weir_server_figures_of(analysis->profile, requests_of(analysis), report->arena);

	if (!server)
		return;
	estimate_by_gaps(analysis, server);
	server->joules_per_token = joules_of(report, server);
	report->server = server;
	weir_server_features(server, report->features);
	report->features[WEIR_F_CLIENT_QUEUE_SHARE] = client_queue_of(analysis->serving);
	if (analysis->options.verdict_only)
		return;
	join_requests(analysis, report, server);
	note_rates(analysis->profile, report);
	note_times(server, report);
	note_quality(server, report);
	note_reasons(server, report);
	note_caches(server, report);
}

/* ---- a run ---- */

static void add_phases(const struct weir_server_figures *server, struct weir_run *run)
{
	static const char *const names[WEIR_STEP_PHASE_COUNT] = {
		[WEIR_STEP_DECODE] = "step decode",
		[WEIR_STEP_MIXED] = "step mixed",
		[WEIR_STEP_PREFILL] = "step prefill",
	};

	for (size_t p = 0; p < WEIR_STEP_PHASE_COUNT; p++) {
		const struct weir_phase_figures *phase = &server->phases[p];
		struct weir_series *series;

		if (!phase->sample_count)
			continue;
		series = weir_series_get(&run->stages, names[p]);
		for (size_t i = 0; i < phase->sample_count; i++)
			weir_series_push(series, phase->duration_ns[i]);
	}
}

void weir_run_add_server(const struct weir_analysis *analysis, struct weir_run *run)
{
	struct weir_arena *arena = weir_arena_new();
	const struct weir_server_figures *server =
		weir_server_figures_of(analysis->profile, requests_of(analysis), arena);

	if (server) {
		add_phases(server, run);
		weir_run_add_metric(run, "kv_cache_peak", server->kv.max, "ratio", false);
		weir_run_add_metric(run, "waiting_p95", server->waiting.p95, "requests", false);
		weir_run_add_metric(run, "preemptions_per_thousand",
		                    server->preemptions_per_thousand, "requests", false);
		weir_run_add_metric(run, "acceptance", server->speculation.acceptance, "ratio",
		                    true);
	}
	weir_arena_free(arena);
}
