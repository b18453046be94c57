/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"

#define TOLERANCE   0.05 /* relative; a larger difference is no rounding */
#define SHORT_SHARE 0.5  /* of the output that was asked for; less is no chance */

/* Contradictions of one summary. */
struct findings {
	struct weir_text texts; /* of all, with ';' between them */
	size_t count;
};

static void warn(struct findings *found, struct weir_text *detail)
{
	weir_text_printf(&found->texts, "%s%s", found->count ? "; " : "", detail->data);
	found->count++;
	weir_text_release(detail);
}

static void check_count(const struct weir_client_summary *summary, struct findings *found)
{
	struct weir_text detail = {0};

	if (!(summary->prompts > 0 && summary->completed > summary->prompts))
		return;
	weir_text_printf(&detail, "%.15g requests completed, %.15g were to be sent",
	                 summary->completed, summary->prompts);
	warn(found, &detail);
}

static void check_good(const struct weir_client_summary *summary, struct findings *found)
{
	struct weir_text detail = {0};

	if (!(summary->good > summary->completed))
		return;
	weir_text_printf(&detail, "%.15g requests met their targets, %.15g completed",
	                 summary->good, summary->completed);
	warn(found, &detail);
}

/* Answers that end early, such as those of prompts that are too long, have short times, which look
 * like a fast server. */
static void check_answers(const struct weir_client_summary *summary, struct findings *found)
{
	struct weir_text detail = {0};

	if (summary->total_output_tokens < SHORT_SHARE * summary->asked_tokens)
		weir_text_printf(&detail, "requests ended early: %.15g of %.15g output tokens came",
		                 summary->total_output_tokens, round(summary->asked_tokens));
	if (summary->retokenized > 0 && summary->retokenized < summary->completed)
		weir_text_printf(&detail, "%s%.15g tokens of text in %.15g answers",
		                 detail.length ? ", " : "", summary->retokenized,
		                 summary->completed);
	if (detail.length)
		warn(found, &detail);
	weir_text_release(&detail);
}

/* Requests in flight take at most the concurrency times the duration, all together. */
static void check_concurrency(const struct weir_client_summary *summary, struct findings *found,
                              double rounding)
{
	double mean_ms = isnan(summary->e2e.mean) ? summary->sampled_e2e : summary->e2e.mean;
	double taken_s = summary->completed * mean_ms * 1e-3;
	double room_s = summary->max_concurrency * (summary->duration_s + rounding);
	struct weir_text detail = {0};

	if (!(room_s > 0 && taken_s > (1 + TOLERANCE) * room_s))
		return;
	weir_text_printf(&detail, "%.15g requests of ", summary->completed);
	weir_text_duration(&detail, mean_ms * 1e6);
	weir_text_puts(&detail, " take ");
	weir_text_duration(&detail, taken_s * 1e9);
	weir_text_printf(&detail, ", more than %.6g at a time in ", summary->max_concurrency);
	weir_text_duration(&detail, summary->duration_s * 1e9);
	warn(found, &detail);
}

/* A throughput, and the total that it is per second of. */
struct rate {
	const char *name, *unit;
	double stated, total;
};

static void check_rate(const struct rate *rate, double duration_s, double rounding,
                       struct findings *found)
{
	double least = rate->total / (duration_s + rounding) - rounding;
	double most =
		duration_s > rounding ? rate->total / (duration_s - rounding) + rounding : INFINITY;
	struct weir_text detail = {0};

	if (!(rate->stated > 0 && rate->total > 0 && duration_s > 0) ||
	    (rate->stated >= (1 - TOLERANCE) * least && rate->stated <= (1 + TOLERANCE) * most))
		return;
	weir_text_printf(&detail, "%s: stated %.4g/s, %.4g/s by %.15g %s in ", rate->name,
	                 rate->stated, rate->total / duration_s, rate->total, rate->unit);
	weir_text_duration(&detail, duration_s * 1e9);
	warn(found, &detail);
}

/* A throughput of tokens, and what it follows from. */
struct token_rate {
	const char *name;
	double stated, total, tokens; /* of all requests, of one */
};

/* Compares a throughput of tokens with that of requests, for tools that do not state the duration
 * and all tokens. */
static void check_tokens(const struct weir_client_summary *summary, const struct token_rate *rate,
                         double rounding, struct findings *found)
{
	double stated = rate->stated, requests = summary->request_throughput;
	double tokens = rate->tokens;
	double least = (requests - rounding) * (tokens - rounding) - rounding;
	double most = (requests + rounding) * (tokens + rounding) + rounding;
	struct weir_text detail = {0};

	if ((summary->duration_s > 0 && rate->total > 0) ||
	    !(stated > 0 && requests > 0 && tokens > 0) ||
	    (stated >= (1 - TOLERANCE) * least && stated <= (1 + TOLERANCE) * most))
		return;
	weir_text_printf(&detail, "%s: stated %.4g/s, %.4g/s by %.4g requests/s of ", rate->name,
	                 stated, requests * tokens, requests);
	weir_text_printf(&detail, "%.4g tokens", tokens);
	warn(found, &detail);
}

void weir_client_totals_check(const struct weir_client_summary *summary, struct weir_input *input)
{
	double rounding = summary->rounding > 0 ? summary->rounding : 0;
	double in = summary->total_input_tokens, out = summary->total_output_tokens;
	const struct rate rates[] = {
		{"request throughput", "requests", summary->request_throughput, summary->completed},
		{"input throughput", "tokens", summary->input_throughput, in},
		{"output throughput", "tokens", summary->output_throughput, out},
		{"total throughput", "tokens", summary->total_throughput, in + out},
		{"goodput", "requests", summary->request_goodput, summary->good},
	};
	const struct token_rate tokens[] = {
		{"output throughput", summary->output_throughput, out, summary->output_tokens},
		{"input throughput", summary->input_throughput, in, summary->input_tokens},
	};
	struct findings found = {0};

	check_concurrency(summary, &found, rounding);
	check_count(summary, &found);
	check_good(summary, &found);
	check_answers(summary, &found);
	for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
		check_tokens(summary, &tokens[i], rounding, &found);
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		check_rate(&rates[i], summary->duration_s, rounding, &found);
	for (size_t i = 0; i < found.count; i++)
		weir_input_warn(input, WEIR_WARN_CONTRADICTION, UINT64_MAX, found.texts.data);
	weir_text_release(&found.texts);
}

/* Labels of the totals of a run. */
static const struct {
	const char *key;
	size_t slot;
} totals[] = {
	{WEIR_LOAD_COMPLETED, WEIR_CLIENT_SLOT(completed)},
	{WEIR_LOAD_FAILED, WEIR_CLIENT_SLOT(failed)},
	{WEIR_LOAD_DURATION, WEIR_CLIENT_SLOT(duration_s)},
	{WEIR_LOAD_GOOD, WEIR_CLIENT_SLOT(good)},
	{"total_input_tokens", WEIR_CLIENT_SLOT(total_input_tokens)},
	{"total_output_tokens", WEIR_CLIENT_SLOT(total_output_tokens)},
	{"retokenized_output_tokens", WEIR_CLIENT_SLOT(retokenized)},
	{"mean_concurrency", WEIR_CLIENT_SLOT(concurrency)},
	{"peak_concurrency", WEIR_CLIENT_SLOT(peak_concurrency)},
	{"peak_output_throughput", WEIR_CLIENT_SLOT(peak_output_throughput)},
	{"output_length_missed", WEIR_CLIENT_SLOT(missed_length)},
	{"output_length_difference_pct", WEIR_CLIENT_SLOT(length_difference)},
	/* of a request, for tools that do not state the sums */
	{"mean_input_tokens", WEIR_CLIENT_SLOT(input_tokens)},
	{"mean_output_tokens", WEIR_CLIENT_SLOT(output_tokens)},
};

/* Labels that single readers set, and that differ between repeats as well. */
static const char *const counts[] = {"server_requests", "server_inferences", "server_executions",
                                     "achieved_rate", "total_gpu_compute_s"};

/* Returns the value of a label; NAN: it is unknown, or follows from the sums. */
static double value_of(const struct weir_client_summary *summary, size_t slot)
{
	if ((slot == WEIR_CLIENT_SLOT(input_tokens) && summary->total_input_tokens > 0) ||
	    (slot == WEIR_CLIENT_SLOT(output_tokens) && summary->total_output_tokens > 0))
		return NAN;
	return *(const double *)(const void *)((const char *)summary + slot);
}

static void label_count(struct weir_run *run, const char *prefix, const char *key, double count)
{
	struct weir_text name = {0}, value = {0};

	if (!(count >= 0) || !isfinite(count))
		return;
	weir_text_printf(&name, "%s%s", prefix, key);
	weir_text_printf(&value, "%.15g", count);
	weir_figure_label(run, name.data, (struct weir_slice){value.data, value.length});
	weir_text_release(&name);
	weir_text_release(&value);
}

void weir_client_summary_label_load(const struct weir_client_summary *summary, const char *prefix,
                                    struct weir_run *run)
{
	label_count(run, prefix, WEIR_LOAD_COMPLETED, summary->completed);
	if (summary->failed > 0)
		label_count(run, prefix, WEIR_LOAD_FAILED, summary->failed);
}

bool weir_client_is_total(const char *key)
{
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
		if (strcmp(key, totals[i].key) == 0)
			return true;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (strcmp(key, counts[i]) == 0)
			return true;
	return false;
}

void weir_client_summary_label_totals(const struct weir_client_summary *summary,
                                      struct weir_run *run)
{
	char text[32];

	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
		double value = value_of(summary, totals[i].slot);
		bool is_signed = totals[i].slot == WEIR_CLIENT_SLOT(length_difference);
		bool may_be_0 = totals[i].slot == WEIR_CLIENT_SLOT(failed) ||
		                totals[i].slot == WEIR_CLIENT_SLOT(good);

		if (!(value > 0 || (is_signed && value < 0) || (may_be_0 && value == 0)) ||
		    !isfinite(value))
			continue;
		snprintf(text, sizeof text, value == floor(value) && value < 1e15 ? "%.0f" : "%.6g",
		         value);
		weir_run_set_label(run, totals[i].key, text);
	}
}
