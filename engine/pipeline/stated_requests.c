/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/stated_requests.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"

#define NS_OF_MS 1e6
/* A first token later than this share of the request is its whole answer: clients that do not
 * stream see both at once, and state no time between tokens. */
#define NOT_STREAMED 0.98
#define BEYOND_LIMIT 1.02 /* times the stated number of concurrent requests */

/* Returns the value of a figure, "mean_ttft_ms" for "mean", "_ttft_ms"; NAN: not stated. */
static double figure(const struct weir_run *run, const char *statistic, const char *of)
{
	const struct weir_series *series;
	char name[64];

	snprintf(name, sizeof name, "%s%s", statistic, of);
	series = weir_series_find(&run->metrics, name);
	return series && series->count == 1 && series->value ? series->value[0] : NAN;
}

/* Returns the mean time from one token to the next, in ms; NAN: not stated. */
static double token_ms(const struct weir_run *run)
{
	double per_token = figure(run, "mean", "_tpot_ms");

	return per_token > 0 ? per_token : figure(run, "mean", "_itl_ms");
}

/* Returns the mean time of a request by its first token and its number of tokens, in ms; NAN: not
 * known. An interval may hold several tokens, as with speculative decoding: it stands for the time
 * per token only where that is missing. */
static double derived_ms(const struct weir_run *run)
{
	double requests = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	double tokens = weir_figure_label_number(run, "total_output_tokens") / requests;

	if (!(requests > 0) || !(tokens > 1))
		return NAN;
	return figure(run, "mean", "_ttft_ms") + token_ms(run) * (tokens - 1);
}

/* Returns the mean time of a request, in ms; NAN: not known. */
static double request_ms(const struct weir_run *run)
{
	double stated = figure(run, "mean", "_e2el_ms");

	return stated > 0 ? stated : derived_ms(run);
}

static bool is_derived(const struct weir_run *run)
{
	return !(figure(run, "mean", "_e2el_ms") > 0);
}

/* Returns the only run with a mean time of a request; NULL: there is not exactly one. */
static const struct weir_run *run_of(const struct weir_report *report)
{
	const struct weir_run *found = NULL;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		if (!run || !(request_ms(run) > 0))
			continue;
		if (found || run->next)
			return NULL;
		found = run;
	}
	return found;
}

static void put_ms(struct weir_text *out, double ms)
{
	weir_text_duration(out, ms * NS_OF_MS);
}

/* Appends "the first token takes 71 % of a mean request of 4.14 s". */
static void put_part(const struct weir_run *run, const char *takes, double share,
                     struct weir_text *out)
{
	weir_text_puts(out, takes);
	weir_text_part(out, share);
	weir_text_puts(out, " of a mean request of ");
	weir_text_puts(out, is_derived(run) ? "about " : "");
	put_ms(out, request_ms(run));
}

const char *weir_describe_stated_requests(struct weir_report *report)
{
	const struct weir_run *run = run_of(report);
	double request, first, token;
	struct weir_text text = {0};

	if (!run)
		return NULL;
	request = request_ms(run);
	first = figure(run, "mean", "_ttft_ms");
	token = token_ms(run);
	if (!(first > 0) || !(first < request) || (!(token > 0) && first >= NOT_STREAMED * request))
		return NULL;
	if (first >= request / 2)
		put_part(run, "the first token takes ", first / request, &text);
	else
		put_part(run, "tokens after the first take ", 1 - first / request, &text);
	if (first < request / 2 && token > 0) {
		weir_text_puts(&text, ", one every ");
		put_ms(&text, token);
	}
	weir_text_puts(&text, first < request / 2
	                              ? "; the result does not show what bounds them"
	                              : "; the result does not show whether requests queue or "
	                                "prompts take long");
	return weir_keep_line(report, &text);
}

/* Appends "first token 1.58 s (median 1.43 s, p99 3.81 s)", as far as it is stated. */
static void put_times(const struct weir_run *run, const char *words, const char *of,
                      struct weir_text *out)
{
	static const struct {
		const char *statistic, *words;
	} others[] = {{"median", "median "}, {"p90", "p90 "}, {"p99", "p99 "}};
	double mean = figure(run, "mean", of);
	size_t listed = 0;

	if (!(mean > 0))
		return;
	weir_text_printf(out, "%s%s ", out->length ? ", " : "", words);
	put_ms(out, mean);
	for (size_t i = 0; i < WEIR_COUNT_OF(others); i++) {
		double value = figure(run, others[i].statistic, of);

		if (!(value > 0))
			continue;
		weir_text_printf(out, "%s%s", listed++ ? ", " : " (", others[i].words);
		put_ms(out, value);
	}
	weir_text_puts(out, listed ? ")" : "");
}

/* Appends the stated rates, and the mean number of requests under way: the product of rate and mean
 * time (Little 1961, "A proof for the queuing formula L = lambda W"). */
static void put_rates(const struct weir_run *run, struct weir_text *out)
{
	static const struct {
		const char *name, *unit;
	} rates[] = {{"request_throughput", "requests/s"},
	             {"output_throughput", "output tokens/s"},
	             {"total_token_throughput", "tokens/s of input and output"}};
	double under_way = figure(run, rates[0].name, "") * request_ms(run) / 1e3;
	double limit = weir_figure_label_number(run, "max_concurrency");

	for (size_t i = 0; i < WEIR_COUNT_OF(rates); i++) {
		double rate = figure(run, rates[i].name, "");

		if (!(rate > 0))
			continue;
		weir_text_puts(out, out->length ? ", " : "");
		weir_text_rounded(out, rate);
		weir_text_printf(out, " %s", rates[i].unit);
	}
	/* More than the limit: rate and time are of different requests or windows. */
	if (under_way > 0 && !(under_way > BEYOND_LIMIT * limit)) {
		weir_text_puts(out, "; on average ");
		weir_text_rounded(out, under_way);
		weir_text_puts(out, under_way >= 0.995 && under_way < 1.005
		                            ? " request under way"
		                            : " requests under way");
	}
}

bool weir_note_stated_requests(struct weir_report *report)
{
	const struct weir_run *run = run_of(report);
	struct weir_text text = {0};

	if (!run)
		return false;
	if (is_derived(run)) {
		weir_text_puts(&text, "request about ");
		put_ms(&text, request_ms(run));
		weir_text_puts(&text, " by its tokens");
	} else {
		put_times(run, "request", "_e2el_ms", &text);
	}
	put_times(run, "first token", "_ttft_ms", &text);
	put_times(run, "each further token",
	          figure(run, "mean", "_tpot_ms") > 0 ? "_tpot_ms" : "_itl_ms", &text);
	weir_report_note(report, "request_times", "means: %s (weir convert prints all figures)",
	                 text.data);
	weir_text_clear(&text);
	put_rates(run, &text);
	if (text.length)
		weir_report_note(report, "throughput", "%s", text.data);
	weir_text_release(&text);
	return true;
}
