/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/server/states.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/abstain.h"
#include "engine/pipeline/server_verdict.h"

enum product { VLLM, SGLANG, TRTLLM, PRODUCTS };

static const char *const product_names[PRODUCTS] = {"vLLM", "SGLang", "TensorRT-LLM"};

/* A change of a setting. `{}` in a text stands for " (now 256)" if the value is known. */
struct change {
	const char *id; /* of the recommendation */
	const char *how[PRODUCTS];
	size_t value; /* offset of the setting's value in the figures; SIZE_MAX: none */
};

#define SETTING(field) offsetof(struct weir_server_figures, field)

static const struct change changes[] = {
	{"more-kv",
         {"--gpu-memory-utilization{}, or more devices per engine (--tensor-parallel-size)",
          "--mem-fraction-static{}, or more devices per engine (--tp-size)",
          "kv_cache_config.free_gpu_memory_fraction{}"},
         SETTING(memory_share)},
	{"smaller-kv",
         {"--kv-cache-dtype fp8", "--kv-cache-dtype fp8_e5m2", "kv_cache_config.dtype: fp8"},
         SIZE_MAX},
	{"fewer-slots",
         {"--max-num-seqs{}", "--max-running-requests{}", "max_batch_size{}"},
         SETTING(max_running)},
	{"more-slots",
         {"--max-num-seqs{}", "--max-running-requests{}", "max_batch_size{}"},
         SETTING(max_running)},
	{"smaller-chunks",
         {"--max-num-batched-tokens{}, with --enable-chunked-prefill",
          "--chunked-prefill-size{}, with --enable-mixed-chunk",
          "max_num_tokens{}, with enable_chunked_prefill: true"},
         SETTING(max_step_tokens)},
	{"more-engines",
         {"--data-parallel-size", "--dp-size", "more instances of the model"},
         SIZE_MAX},
	{"balance-engines",
         {"a router by load in front of --data-parallel-size, or --data-parallel-external-lb",
          "--load-balance-method total_requests, or a router with --policy cache_aware",
          "a router by load in front of the instances"},
         SIZE_MAX},
	{"less-speculation",
         {"--speculative-config with num_speculative_tokens{}", "--speculative-num-draft-tokens{}",
          "speculative_config.max_draft_len{}"},
         SETTING(draft_tokens)},
};

/* Rule and the recommendation whose setting its next step names. */
static const struct {
	const char *cause, *id;
} main_changes[] = {
	{"kv-capacity", "more-kv"},
	{"preemption", "more-kv"},
	{"slots", "more-slots"},
	{"prefill-interference", "smaller-chunks"},
	{"queue-saturated", "more-engines"},
	{"engine-imbalance", "balance-engines"},
	{"speculation-unprofitable", "less-speculation"},
};

static const struct change *find_change(const char *id)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(changes); i++)
		if (strcmp(changes[i].id, id) == 0)
			return &changes[i];
	return NULL;
}

static void add_value(struct weir_text *text, double value)
{
	if (isnan(value))
		return;
	weir_text_puts(text, " (now ");
	if (value == floor(value) && value >= 1 && value < 1e15)
		weir_text_count(text, (uint64_t)value);
	else
		weir_text_printf(text, "%.3g", value);
	weir_text_puts(text, ")");
}

/* Returns the setting in the words of the product, with its value; NULL: the product has none. */
static const char *describe(struct weir_report *report, const struct change *change)
{
	const struct weir_server_figures *server = report->server;
	const char *how = NULL, *mark, *copy;
	struct weir_text text = {0};

	for (size_t i = 0; i < PRODUCTS; i++)
		if (strcmp(server->product, product_names[i]) == 0)
			how = change->how[i];
	if (!how)
		return NULL;
	mark = strstr(how, "{}");
	if (!mark)
		return how;
	weir_text_add(&text, how, (size_t)(mark - how));
	if (change->value != SIZE_MAX)
		add_value(&text, *(const double *)((const char *)server + change->value));
	weir_text_puts(&text, mark + 2);
	copy = weir_arena_copy(report->arena, text.data, text.length);
	weir_text_release(&text);
	return copy;
}

/* SGLang reserves room for outputs to come, by a factor that its guide lowers to about 0.3 if
 * requests wait at a token usage below 0.9. */
#define LESS_CAREFUL "lower --schedule-conservativeness (1 by default) to about 0.3"

static bool is_of_sglang(const struct weir_server_figures *server)
{
	return strcmp(server->product, product_names[SGLANG]) == 0;
}

/* Changes the words about a full KV cache if its use never reaches WEIR_KV_FULL. */
static void soften_capacity(struct weir_report *report)
{
	static const char full[] = "KV cache is full";
	struct weir_verdict *verdict = &report->verdict;
	const char *found = verdict->headline ? strstr(verdict->headline, full) : NULL;

	if (found)
		verdict->headline = weir_arena_format(report->arena, "%.*sKV cache is near full%s",
		                                      (int)(found - verdict->headline),
		                                      verdict->headline, found + sizeof full - 1);
	if (is_of_sglang(report->server))
		verdict->next =
			weir_arena_format(report->arena, LESS_CAREFUL "; then %s", verdict->next);
}

/* Adds to the words about the time of requests that it follows from few moments. */
static void soften_queue(struct weir_report *report)
{
	static const char words[] = " of their time";
	const struct weir_server_figures *server = report->server;
	const char *line = report->verdict.headline, *found = line ? strstr(line, words) : NULL;
	const char *limit = server->queue_limit <= server->queue_of_latency
	                            ? " at most"
	                            : ", by the counts of few moments";

	if (found)
		report->verdict.headline =
			weir_arena_format(report->arena, "%.*s%s%s%s", (int)(found - line), line,
		                          words, limit, found + sizeof words - 1);
}

void weir_name_server_settings(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	const char *how = NULL;

	for (size_t i = 0; verdict->cause && i < WEIR_COUNT_OF(main_changes); i++)
		if (strcmp(main_changes[i].cause, verdict->cause) == 0)
			how = describe(report, find_change(main_changes[i].id));
	if (how)
		verdict->next = weir_arena_format(report->arena, "%s: %s", verdict->next, how);
	if (verdict->cause && strcmp(verdict->cause, "kv-capacity") == 0 && report->server &&
	    report->server->kv.max < WEIR_KV_FULL)
		soften_capacity(report);
	if (verdict->cause && report->server && report->server->queue_of_moments)
		soften_queue(report);
}

void weir_name_server_changes(struct weir_report *report)
{
	for (size_t i = 0; report->server && i < report->recommendation_count; i++) {
		struct weir_recommendation *recommendation = &report->recommendations[i];
		const struct change *change = find_change(recommendation->id);

		if (change && !recommendation->how)
			recommendation->how = describe(report, change);
	}
}

/* ---- no rule holds ---- */

static void add_share(struct weir_text *text, const char *before, double share, const char *behind)
{
	if (isnan(share))
		return;
	weir_text_puts(text, before);
	weir_text_share(text, share);
	weir_text_puts(text, behind);
}

/* True if requests run in most intervals, two at least, without a token. */
static bool is_hung(const struct weir_server_figures *server)
{
	return server->stalled_intervals >= 2 &&
	       2 * server->stalled_intervals > server->busy_intervals;
}

/* True if the server served nothing: its counters are 0, and no request was there. */
static bool served_nothing(const struct weir_server_figures *server)
{
	bool counted = server->requests == 0 || server->output_tokens == 0;

	return counted && !(server->requests > 0) && !(server->output_tokens > 0) &&
	       !(server->prompt_tokens > 0) && !(server->running.max > 0) &&
	       !(server->waiting.max > 0);
}

/* True if SGLang lets requests wait although its KV cache has room, and slots are not the known
 * reason. */
static bool admits_carefully(const struct weir_server_figures *server)
{
	return is_of_sglang(server) && server->waiting_share > 0 && server->kv.max < WEIR_KV_FULL &&
	       isnan(server->slot_limit);
}

/* Returns what to change or look at, or else the input that would say more than those that were
 * given. */
static const char *next_of(const struct weir_server_figures *server)
{
	if (served_nothing(server))
		return "send requests to the server, and pass its log or a page every 15 seconds "
		       "from that time";
	if (is_hung(server))
		return "take the stacks of the engine's process while it hangs (py-spy dump --pid "
		       "PID), and read the log around the first interval without a token";
	if (admits_carefully(server))
		return "if fewer requests run than --max-running-requests permits, " LESS_CAREFUL
		       ", so that the server admits more of them";
	if (server->far_apart && isnan(server->waiting_share))
		return "pass pages of one load, 15 seconds apart, or the server's log";
	if (server->single && server->from_log)
		return "pass a longer part of the server's log, under load: one moment shows no "
		       "state over time";
	if (server->single)
		return "pass the server's log, or a page every 15 seconds under load: one moment "
		       "shows no state over time";
	if (server->phases[WEIR_STEP_DECODE].count == 0)
		return "if latency is too high, pass a log with step times or a timeline of the "
		       "device: the time is spent in computation";
	return "if latency is too high, pass a timeline of the device: the time is spent in "
	       "computation";
}

static const char *opening_of(const struct weir_server_figures *server)
{
	if (served_nothing(server))
		return server->single ? "the server has served no request yet"
		                      : "the server served no request in the recorded time";
	if (isnan(server->waiting_share))
		return "the moments of the server that are known do not show what its requests "
		       "wait for";
	return server->waiting_share > 0 && !(server->queue_of_latency < 0.05)
	               ? "requests wait, but no state of the server explains it"
	               : "no state of the server limits its requests";
}

/* Appends "1 request waits" or "2,826 requests wait"; a mean has decimal places. */
static void add_requests(struct weir_text *text, const char *before, double count, const char *one,
                         const char *many)
{
	weir_text_puts(text, before);
	if (count == floor(count) || (count >= 99.95 && count < 1e15))
		weir_text_count(text, (uint64_t)llround(count));
	else
		weir_text_printf(text, "%.3g", count);
	weir_text_printf(text, " request%s%s", count == 1 ? "" : "s", count == 1 ? one : many);
}

/* Appends what one moment shows of waiting requests and the KV cache: it holds no shares of time.
 */
static void add_moment(struct weir_text *text, const struct weir_server_figures *server)
{
	double waiting = server->waiting.mean;

	if (waiting == 0)
		weir_text_puts(text, ": at this moment no request waits");
	else if (waiting > 0)
		add_requests(text, ": at this moment ", waiting, " waits", " wait");
	add_share(text, waiting >= 0 ? ", the KV cache is " : ": at this moment the KV cache is ",
	          server->kv.max, " full");
}

static void add_span(struct weir_text *text, const struct weir_server_figures *server)
{
	add_share(text, ": requests wait ", server->waiting_share, " of the time");
	add_share(text,
	          isnan(server->waiting_share) ? ": the KV cache peaks at "
	                                       : ", the KV cache peaks at ",
	          server->kv.max, "");
}

/* Appends how much requests wait, how full the KV cache gets, and how many requests run. */
static void add_state(struct weir_text *text, const struct weir_server_figures *server)
{
	if (server->single)
		add_moment(text, server);
	else
		add_span(text, server);
	if (server->running.mean >= 0) {
		add_requests(text, ", ", server->running.mean, " runs", " run");
		weir_text_puts(text, server->single ? "" : " on average");
		if (!isnan(server->slot_limit))
			weir_text_printf(text, " in %.0f slots", server->slot_limit);
	}
}

void weir_explain_server(struct weir_report *report)
{
	const struct weir_server_figures *server = report->server;
	struct weir_verdict *verdict = &report->verdict;
	struct weir_text text = {0}, quoted = {0};

	if (verdict->bound != WEIR_BOUND_UNDETERMINED || verdict->rule || report->has_gpu ||
	    weir_has_timeline(report) || (report->has_requests && report->requests.latency_ns))
		return;
	if (isnan(server->waiting_share) && isnan(server->kv.max))
		return;
	if (is_hung(server))
		weir_text_printf(
			&text,
			"the server hangs, without a token in %llu of the %llu intervals in "
			"which requests run",
			(unsigned long long)server->stalled_intervals,
			(unsigned long long)server->busy_intervals);
	else
		weir_text_puts(&text, opening_of(server));
	if (!served_nothing(server))
		add_state(&text, server);
	weir_template_quote(text.data, &quoted);
	verdict->headline = weir_arena_copy(report->arena, quoted.data, quoted.length);
	verdict->next = next_of(server);
	weir_text_release(&text);
	weir_text_release(&quoted);
}
