/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/analysis/rows/rows.h"
#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

static struct weir_quantile_bounds bounds_of(const struct weir_quantile_estimate *at)
{
	return (struct weir_quantile_bounds){at->low, at->high};
}

static uint64_t whole(double count)
{
	return count > 0 && count < 0x1p63 ? (uint64_t)llround(count) : 0;
}

static struct weir_distribution distribution_of(const struct weir_scrape_stage *stage)
{
	return (struct weir_distribution){
		.count = whole(stage->count),
		.total_ns = stage->total_ns,
		.p50_ns = stage->at[WEIR_LEVEL_P50].estimate,
		.p90_ns = stage->at[WEIR_LEVEL_P90].estimate,
		.p95_ns = stage->at[WEIR_LEVEL_P95].estimate,
		.p99_ns = stage->at[WEIR_LEVEL_P99].estimate,
	};
}

static const struct weir_stage_counted *counted_of(const struct weir_scrape_stage *stage,
                                                   struct weir_arena *arena)
{
	struct weir_stage_counted *counted = weir_arena_alloc(arena, sizeof *counted);

	*counted = (struct weir_stage_counted){
		.mean_ns = stage->mean_ns,
		.p50 = bounds_of(&stage->at[WEIR_LEVEL_P50]),
		.p90 = bounds_of(&stage->at[WEIR_LEVEL_P90]),
		.p95 = bounds_of(&stage->at[WEIR_LEVEL_P95]),
		.p99 = bounds_of(&stage->at[WEIR_LEVEL_P99]),
		.resolution_limited = stage->resolution_limited,
	};
	return counted;
}

static void fill_row(const struct weir_scrape_stage *stage, struct weir_arena *arena,
                     struct weir_stage_row *row)
{
	row->name = weir_arena_copy(arena, stage->name, strlen(stage->name));
	row->kind = stage->kind;
	row->view = WEIR_VIEW_COUNTED;
	row->duration = distribution_of(stage);
	row->share = row->p50_share = row->p95_share = row->p99_share = row->cost_usd = NAN;
	row->counted = counted_of(stage, arena);
	row->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
}

static void append_rows(const struct weir_scrape_figures *figures, struct weir_report *report)
{
	size_t count = report->stage_count + figures->stage_count;
	struct weir_stage_row *rows = weir_arena_alloc(report->arena, (count + 1) * sizeof *rows);

	if (report->stage_count)
		memcpy(rows, report->stages, report->stage_count * sizeof *rows);
	for (size_t i = 0; i < figures->stage_count; i++)
		fill_row(&figures->stages[i], report->arena, &rows[report->stage_count + i]);
	report->stages = rows;
	report->stage_count = count;
}

static double per_second(const struct weir_scrape_figures *figures, double amount)
{
	return figures->wall_ns > 0 ? amount / ((double)figures->wall_ns / 1e9) : NAN;
}

/* Returns the rate of tokens per second; NAN: the time is not known, or 0. */
static double rate(double tokens, double ns)
{
	return ns > 0 ? tokens / (ns / 1e9) : NAN;
}

static double all_tokens(const struct weir_scrape_figures *figures)
{
	return figures->prompt_tokens + figures->generation_tokens;
}

/* Returns the stage of whole requests or of first tokens; NULL: no such stage, or one per model. */
static const struct weir_scrape_stage *only_stage(const struct weir_scrape_figures *figures,
                                                  bool first_token)
{
	const struct weir_scrape_stage *found = NULL;

	for (size_t i = 0; i < figures->stage_count; i++) {
		const struct weir_scrape_stage *stage = &figures->stages[i];

		if (first_token ? !stage->first_token : !stage->whole_request)
			continue;
		if (found)
			return NULL;
		found = stage;
	}
	return found;
}

static void fill_requests(const struct weir_scrape_figures *figures, struct weir_report *report)
{
	const struct weir_scrape_stage *request = only_stage(figures, false);
	const struct weir_scrape_stage *first_token = only_stage(figures, true);
	struct weir_request_figures *out = &report->requests;

	if (!(figures->requests > 0))
		return;
	report->has_requests = true;
	out->count = whole(figures->requests);
	out->failed = whole(figures->failed);
	if (request) {
		out->latency = distribution_of(request);
		out->latency_counted = counted_of(request, report->arena);
	}
	if (first_token) {
		out->first_token = distribution_of(first_token);
		out->first_token_counted = counted_of(first_token, report->arena);
	}
	out->batch.mean = figures->batch_size;
	out->throughput_per_s = per_second(figures, figures->requests);
	out->tokens_per_s = per_second(figures, all_tokens(figures));
	out->output_tokens_per_s = per_second(figures, figures->generation_tokens);
	/* Little's law: concurrency = total time in the server / elapsed time */
	if (request)
		out->concurrency = per_second(figures, request->total_ns / 1e9);
}

/* Notes a finding if its count is not 0. The count follows the noun, so that the sentence needs no
 * plural form. */
static void note_count(struct weir_report *report, const char *code, size_t count, const char *what,
                       const char *then)
{
	if (count)
		weir_report_note(report, code, "%s: %zu%s%s", what, count, *then ? "; " : "", then);
}

static void note_findings(const struct weir_scrape_findings *findings, struct weir_report *report)
{
	if (findings->one_page)
		weir_report_note(
			report, "one_scrape",
			"counters of a single metrics page are those since the start of its "
			"server: also pass a page from before the load");
	note_count(report, "counter_reset", findings->resets,
	           "series that decreased between the pages or restarted",
	           "only the values of the later page count");
	note_count(report, "new_series", findings->new_series,
	           "series that only the later page has", "they count from 0");
	if (findings->forced)
		weir_report_note(report, "forced_monotonic",
		                 "histograms whose buckets are not cumulative: %zu, by at most "
		                 "%.0f; they changed during the scrape and were corrected",
		                 findings->forced, findings->largest_dip);
	note_count(report, "unaligned_buckets", findings->unaligned,
	           "histograms without a common bucket on the two pages",
	           "only their means are known");
	note_count(report, "inconsistent", findings->inconsistent,
	           "histograms with a sum that contradicts their buckets", "");
	note_count(report, "inconsistent", findings->absurd_summaries,
	           "summaries with quantiles that their sums contradict",
	           "no quantile of a summary is used");
	note_count(report, "inconsistent", findings->broken_sums,
	           "models whose prefill and decode times do not add up to the inference time",
	           "the page mixes requests, or was edited");
	note_count(report, "smoothed", findings->smoothed,
	           "histograms whose values are means of several gaps between tokens",
	           "percentiles of single gaps do not follow from them");
	note_count(report, "resolution_limited", findings->limited,
	           "histograms with buckets too wide to locate p95", "use their means");
	note_count(report, "left_out", findings->left_out,
	           "metrics pages, series and stages beyond the limits of weir",
	           "they are left out, or counted with another model");
}

static void add_number(struct weir_text *text, double value)
{
	if (value >= 99.95 && value < 1e15)
		weir_text_count(text, (uint64_t)llround(value));
	else
		weir_text_printf(text, "%.3g", value);
}

/* Notes the known gauges of the server in one sentence: "0 then 64 requests running, ...". The two
 * values are of the first and of the last page; no mean of them ever held. */
static void note_moments(const struct weir_scrape_figures *figures, struct weir_report *report)
{
	const struct {
		double first, last, scale;
		const char *words;
	} moments[] = {
		{figures->running_at.first, figures->running_at.last, 1, "requests running"},
		{figures->waiting_at.first, figures->waiting_at.last, 1, "waiting"},
		{figures->cache_usage_at.first, figures->cache_usage_at.last, 100,
	         "% of the KV cache in use"},
		{figures->cache_tokens_at.first, figures->cache_tokens_at.last, 1,
	         "tokens in the KV cache"},
		{figures->cache_hit_rate, figures->cache_hit_rate, 100,
	         "% of prompt tokens from the prefix cache"},
		{figures->step_tokens, figures->step_tokens, 1, "tokens per step"},
		{figures->generation_rate_at.first, figures->generation_rate_at.last, 1,
	         "tokens/s generated (the server's gauge of one instant, not a mean)"},
	};
	struct weir_text text = {0};

	for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
		if (isnan(moments[i].last))
			continue;
		weir_text_puts(&text, text.length ? ", " : "");
		if (moments[i].first != moments[i].last) {
			add_number(&text, moments[i].scale * moments[i].first);
			weir_text_puts(&text, " then ");
		}
		add_number(&text, moments[i].scale * moments[i].last);
		weir_text_printf(&text, " %s", moments[i].words);
	}
	if (text.length)
		weir_report_note(report, "server", "server metrics: %s", text.data);
	weir_text_release(&text);
}

/* Appends "16,135 tokens of prompts in 22.5 s (718 tokens/s of prefill)". Without a time there is
 * no rate. */
static void add_tokens(struct weir_text *text, double tokens, double ns, const char *kind,
                       const char *phase)
{
	if (isnan(tokens))
		return;
	weir_text_puts(text, text->length ? ", " : "");
	add_number(text, tokens);
	weir_text_printf(text, tokens == 1 ? " token of %s" : " tokens of %s", kind);
	if (!(ns > 0))
		return;
	weir_text_puts(text, " in ");
	weir_text_duration(text, ns);
	weir_text_puts(text, " (");
	add_number(text, rate(tokens, ns));
	weir_text_printf(text, " tokens/s of %s)", phase);
}

/* Notes the tokens that the server counts and, if it counts their time, the rates that follow. */
static void note_tokens(const struct weir_scrape_figures *figures, struct weir_report *report)
{
	struct weir_text text = {0};

	if (!(figures->prompt_tokens > 0) && !(figures->generation_tokens > 0))
		return;
	add_tokens(&text, figures->prompt_tokens, figures->prompt_ns, "prompts", "prefill");
	add_tokens(&text, figures->generation_tokens, figures->generation_ns, "answers", "decode");
	if (text.length)
		weir_report_note(report, "server_tokens", "the server counts %s", text.data);
	weir_text_release(&text);
}

/* Notes the requests that were aborted. A server counts one when its client gives it up; it may be
 * counted again when it ends, so that no total of both follows. */
static void note_aborted(const struct weir_scrape_figures *figures, struct weir_report *report)
{
	struct weir_text text = {0};

	if (!(figures->aborted > 0))
		return;
	weir_text_count(&text, whole(figures->aborted));
	weir_text_puts(&text,
	               figures->aborted == 1 ? " request was aborted" : " requests were aborted");
	if (figures->requests > 0) {
		weir_text_puts(&text, "; the page does not say if the ");
		weir_text_count(&text, whole(figures->requests));
		weir_text_puts(&text, " counted requests include them");
	}
	weir_report_note(report, "aborted_requests", "%s", text.data);
	weir_text_release(&text);
}

/* Returns true if the batches of each model are figures: no mean holds for all models, or the pages
 * do not count requests. */
static bool has_batches(const struct weir_scrape_figures *figures)
{
	return figures->batch_count > 0 && (isnan(figures->batch_size) || figures->inferences > 0);
}

/* Notes the inferences of a page that does not count requests, and the batches of its models. */
static void note_inferences(const struct weir_scrape_figures *figures, struct weir_report *report)
{
	struct weir_text text = {0};

	if (figures->inferences > 0) {
		add_number(&text, figures->inferences);
		weir_report_note(report, "inferences",
		                 "%s inferences; the metrics pages do not count requests: times of "
		                 "stages are means per inference",
		                 text.data);
		weir_text_clear(&text);
	}
	for (size_t i = 0; has_batches(figures) && i < figures->batch_count; i++)
		weir_text_printf(&text, "%s%s %.4g", text.length ? ", " : "",
		                 *figures->batches[i].model ? figures->batches[i].model
		                                            : "a model without a name",
		                 figures->batches[i].size);
	if (has_batches(figures))
		weir_report_note(report, "batches", "mean batch size by model: %s", text.data);
	weir_text_release(&text);
}

/* Notes what the engine of TensorRT-LLM behind Triton states of its work. */
static void note_engine(const struct weir_scrape_figures *figures, struct weir_report *report)
{
	struct weir_text text = {0};

	if (!figures->engine_batches)
		return;
	if (figures->engine_steps > 0) {
		weir_text_puts(&text, ": ");
		add_number(&text, figures->engine_steps);
		weir_text_puts(&text, " iterations");
		if (figures->generation_tokens > 0) {
			weir_text_puts(&text, " of ");
			add_number(&text, figures->generation_tokens / figures->engine_steps);
			weir_text_puts(&text, " tokens of answers each");
		}
	}
	if (figures->cache_blocks > 0) {
		weir_text_puts(&text, "; its KV cache has ");
		add_number(&text, figures->cache_blocks);
		weir_text_puts(&text, " blocks");
	}
	weir_report_note(report, "engine_batches",
	                 "TensorRT-LLM forms batches in its engine, which the batch size of Triton "
	                 "does not show%s",
	                 text.length ? text.data : "");
	weir_text_release(&text);
}

/* Adds the mean batch of each model, or of the only one: "MODEL/batch_size_mean". */
static void add_batches(const struct weir_scrape_figures *figures, struct weir_run *run)
{
	for (size_t i = 0; has_batches(figures) && i < figures->batch_count; i++) {
		struct weir_text name = {0};

		if (figures->batch_count > 1)
			weir_text_printf(&name, "%s/", figures->batches[i].model);
		weir_text_puts(&name, "batch_size_mean");
		weir_run_add_metric(run, name.data, figures->batches[i].size, NULL, true);
		weir_text_release(&name);
	}
}

/* Notes that no metric of the pages is known; pages that gave samples of devices were of use. */
static void note_unknown(const struct weir_profile *profile, struct weir_report *report)
{
	bool any = false, telemetry = false;

	for (size_t i = 0; i < profile->input_count; i++) {
		any |= profile->inputs[i].scrape != NULL;
		telemetry |= profile->inputs[i].scrape && profile->inputs[i].telemetry;
	}
	if (any && !telemetry)
		weir_report_note(report, "unknown_server",
		                 "no metric of " WEIR_KNOWN_SERVERS " is on "
		                 "the metrics page: pass the page of the inference server");
}

/* True if the server counts its requests, and the count is 0. */
static bool served_nothing(const struct weir_scrape_figures *figures)
{
	return figures->requests == 0 && !(figures->failed > 0) && !(figures->aborted > 0) &&
	       !(figures->prompt_tokens > 0) && !(figures->generation_tokens > 0);
}

void weir_fill_scrapes(const struct weir_analysis *analysis, struct weir_report *report)
{
	struct weir_scrape_figures figures;

	if (!weir_scrape_figures_collect(analysis->profile, &analysis->options.settings->aliases,
	                                 &figures)) {
		note_unknown(analysis->profile, report);
		return;
	}
	append_rows(&figures, report);
	report->scraped_server = figures.server;
	if (!analysis->serving)
		fill_requests(&figures, report);
	note_findings(&figures.findings, report);
	if (figures.ensembles)
		weir_report_note(report, "ensembles",
		                 "a request of an ensemble counts once, not again at each of its "
		                 "steps");
	note_inferences(&figures, report);
	note_engine(&figures, report);
	note_moments(&figures, report);
	note_tokens(&figures, report);
	note_aborted(&figures, report);
	report->served_nothing = served_nothing(&figures);
	report->scraped_once = figures.findings.one_page;
	/* After a restart, only the figures of the server count all of them. */
	if (!figures.findings.resets)
		note_count(report, "preempted", (size_t)whole(figures.preemptions), "preemptions",
		           "prefill and decode include the time those requests lost, and queue "
		           "time covers their last wait only");
	weir_scrape_figures_release(&figures);
}

void weir_run_add_scrapes(const struct weir_analysis *analysis, struct weir_run *run)
{
	struct weir_scrape_figures figures;
	struct weir_text name = {0};

	if (!weir_scrape_figures_collect(analysis->profile, &analysis->options.settings->aliases,
	                                 &figures))
		return;
	for (size_t i = 0; i < figures.stage_count; i++) {
		if (figures.stages[i].approximate)
			continue; /* may be missing in the next run */
		weir_text_clear(&name);
		weir_text_printf(&name, "%s_mean_ms", figures.stages[i].name);
		weir_run_add_metric(run, name.data, figures.stages[i].mean_ns / 1e6, "ms", false);
	}
	weir_text_release(&name);
	weir_run_add_metric(run, "requests_per_s", per_second(&figures, figures.requests), "1/s",
	                    true);
	weir_run_add_metric(run, "tokens_per_s", per_second(&figures, all_tokens(&figures)), "1/s",
	                    true);
	weir_run_add_metric(run, "output_tokens_per_s",
	                    per_second(&figures, figures.generation_tokens), "1/s", true);
	weir_run_add_metric(run, "prefill_tokens_per_s",
	                    rate(figures.prompt_tokens, figures.prompt_ns), "1/s", true);
	weir_run_add_metric(run, "decode_tokens_per_s",
	                    rate(figures.generation_tokens, figures.generation_ns), "1/s", true);
	weir_run_add_metric(run, "prefix_hit_rate", figures.cache_hit_rate, "ratio", true);
	add_batches(&figures, run);
	weir_scrape_figures_release(&figures);
}
