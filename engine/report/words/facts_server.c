/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/words/facts.h"

/* Adds a number between two texts, if it is known: "12.4 requests run". */
static void add_number(struct weir_items *items, const char *before, double value,
                       const char *behind)
{
	struct weir_text *out;

	if (isnan(value))
		return;
	value = weir_as_stored_share(value);
	out = weir_items_add(items);
	weir_text_puts(out, before);
	if (value >= 99.95 && value < 1e15)
		weir_text_count(out, (uint64_t)llround(value));
	else
		weir_text_printf(out, "%.3g", value);
	weir_text_puts(out, behind);
}

/* Adds the share of the time of requests in the queue. The counts of few moments give no mean: the
 * time to the first token, if it is known, then limits the share. */
static void add_queue(const struct weir_server_figures *server, struct weir_items *items)
{
	if (!server->queue_of_moments)
		weir_items_share(items, "requests spend", server->queue_of_latency,
		                 " of their time in the queue");
	else if (server->waiting.max > 0)
		weir_items_share(items, "requests spend at most", server->queue_limit,
		                 " of their time in the queue (mean TTFT over mean latency)");
}

void weir_fill_server_state(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_server_figures *server = report->server;

	if (!server)
		return;
	add_number(items, "running ", server->running.mean, server->single ? "" : " (mean)");
	if (!server->single)
		add_number(items, "", server->running.max, " (max)");
	if (!server->slots_inferred)
		add_number(items, "", server->slot_limit,
		           server->engine_count > 1 ? " slots an engine" : " slots");
	else
		add_number(items, "at most ", server->slot_limit, " seen to run at once");
	add_number(items, "waiting ", server->waiting.mean, server->single ? "" : " (mean)");
	if (!server->single) {
		add_number(items, "", server->waiting.p95, " (p95)");
		weir_items_share(items, "requests wait", server->waiting_share, " of the time");
	}
	add_queue(server, items);
	weir_items_share(items, "slots taken for", server->slots_share, " of the waiting");
	weir_items_share(items, "steps full for", server->full_steps, " of the waiting");
	add_number(items, "", server->imbalance, "x the load on the busiest engine");
	add_number(items, "", server->joules_per_token, " J per token");
}

void weir_fill_kv_cache(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_server_figures *server = report->server;

	if (!server)
		return;
	if (server->single) {
		weir_items_share(items, "", server->kv.max, "");
	} else {
		weir_items_share(items, "p50", server->kv.p50, "");
		weir_items_share(items, "p95", server->kv.p95, "");
		weir_items_share(items, "peak", server->kv.max, "");
	}
	weir_items_share(items, "full for", server->kv_full_share, " of the waiting");
	if (server->preemptions > 0) {
		add_number(items, "", server->preemptions, " preemptions");
		add_number(items, "", server->preemptions_per_thousand, " per 1,000 requests");
		weir_items_share(items, "", server->recomputed_share,
		                 " of computed prompt tokens again");
	}
	weir_items_share(items, "prefix hits", server->hit_rate, "");
}

void weir_fill_server_steps(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_server_figures *server = report->server;

	if (!server)
		return;
	weir_items_share(items, "prompts add", server->prefill_interference,
	                 server->interference_estimated ? " of the time of decodes (estimated)"
	                                                : " of the time of decodes");
	add_number(items,
	           server->interference_estimated ? "a step with prompts takes about "
	                                          : "a step with prompts takes ",
	           server->stall_ratio, "x a decode step");
	add_number(items, "twice the requests take ", server->step_growth, "x the step");
	weir_items_share(items, "throughput while requests wait", server->throughput_plateau,
	                 " of the highest");
}

void weir_fill_speculation(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_speculation_figures *speculation;

	if (!report->server)
		return;
	speculation = &report->server->speculation;
	if (isnan(speculation->accepted_length))
		return;
	add_number(items, "", speculation->accepted_length, " tokens a step");
	weir_items_share(items, "accepted", speculation->acceptance, " of drafted tokens");
	for (size_t i = 0; i < speculation->positions && i < 4; i++)
		weir_items_share(items, i ? "then" : "first position", speculation->at[i].accepted,
		                 "");
	add_number(items, "", speculation->profit,
	           speculation->estimated ? "x the speed without it, at most"
	                                  : "x the speed without it");
}

void weir_fill_slow_requests(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_server_figures *server = report->server;

	if (!server || isnan(server->joined.in_kv_wait))
		return;
	weir_items_share(items, "", server->joined.in_mixed,
	                 " of their time in steps with prompts");
	weir_items_share(items, "", server->joined.in_kv_wait, " while others wait for KV cache");
	weir_items_share(items, "", server->joined.in_preemption, " during preemptions");
}
