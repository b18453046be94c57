/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/stated_requests.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"

#define NS_OF_MS   1e6
#define MINUTES_MS 600e3 /* times from here on are in minutes */
/* A first token later than this share of the request is its whole answer: clients that do not
 * stream see both at once, and state no time between tokens. */
#define NOT_STREAMED 0.98
#define BEYOND_LIMIT 1.02 /* times the stated number of concurrent requests */
#define AT_LIMIT     0.9  /* times that number; the limit holds back further requests */
#define REACHED      0.95 /* of the offered requests; fewer were not served in time */
#define SKEWED       2    /* times the median; a mean beyond it rests on few requests */
#define FEW_REQUESTS 100  /* below it, p99 lies between the two longest */
#define LATE         0.1  /* of the time of a request; requests sent later are worth a note */

/* Returns the value of a figure, "mean_ttft_ms" for "mean", "_ttft_ms"; NAN: not stated. */
static double figure(const struct weir_run *run, const char *statistic, const char *of)
{
	const struct weir_series *series;
	char name[64];

	snprintf(name, sizeof name, "%s%s", statistic, of);
	series = weir_series_find(&run->metrics, name);
	return series && series->count == 1 && series->value ? series->value[0] : NAN;
}

/* Returns the time from one token to the next, in ms; NAN: not stated. */
static double token_ms(const struct weir_run *run, const char *statistic)
{
	double per_token = figure(run, statistic, "_tpot_ms");

	return per_token > 0 ? per_token : figure(run, statistic, "_itl_ms");
}

/* Returns the time of a request by its first token and its number of tokens, in ms; NAN: not
 * known. An interval may hold several tokens, as with speculative decoding: it stands for the time
 * per token only where that is missing. */
static double derived_ms(const struct weir_run *run, const char *statistic)
{
	double requests = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	double tokens = weir_figure_label_number(run, "total_output_tokens") / requests;

	if (!(requests > 0) || !(tokens > 1))
		return NAN;
	return figure(run, statistic, "_ttft_ms") + token_ms(run, statistic) * (tokens - 1);
}

/* Returns the "mean" or the "median" time of a request, in ms; NAN: not known. */
static double time_ms(const struct weir_run *run, const char *statistic)
{
	double stated = figure(run, statistic, "_e2el_ms");

	return stated > 0 ? stated : derived_ms(run, statistic);
}

/* Returns the mean time of a request, in ms; NAN: not known. */
static double request_ms(const struct weir_run *run)
{
	return time_ms(run, "mean");
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

/* Appends the share of the first token, or of the others, in a median request, if the mean time to
 * the first token is far from its median. */
static void put_median_part(const struct weir_run *run, bool of_first, struct weir_text *out)
{
	double mean = figure(run, "mean", "_ttft_ms"), median = figure(run, "median", "_ttft_ms");
	double share = median / time_ms(run, "median");

	if (!(share > 0 && share < 1) || !(mean > SKEWED * median || median > SKEWED * mean))
		return;
	weir_text_puts(out, " (by medians ");
	weir_text_share(out, of_first ? share : 1 - share);
	weir_text_puts(out, ")");
}

/* ---- the load ---- */

/* The load that a client offered to the server. */
struct load {
	double offered, served; /* requests/s; NAN: not stated */
	double in_flight;       /* mean number of requests */
	double limit;           /* of requests at a time; NAN: none is stated */
	bool behind;            /* fewer requests were served than offered */
};

/* Returns the load of a run. The first answers come after the time of a request, and the last ones
 * so long after the last request was sent: only in the time between can the server keep up. Twice
 * the spread of random arrivals is added. */
static struct load load_of(const struct weir_run *run)
{
	double sent = weir_figure_label_number(run, "achieved_rate");
	double count = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	double time_s = request_ms(run) / 1e3;
	double window_s = weir_figure_label_number(run, WEIR_LOAD_DURATION) - time_s;
	struct load load = {
		.offered = sent > 0 ? sent : weir_figure_label_number(run, "request_rate"),
		.served = figure(run, "request_throughput", ""),
		.limit = weir_figure_label_number(run, "max_concurrency"),
	};

	load.in_flight = load.served * time_s;
	load.behind = isfinite(load.offered) && load.offered > 0 && load.served > 0 &&
	              window_s > 0 && (count + 2 * sqrt(count)) / window_s < REACHED * load.offered;
	return load;
}

/* True if the limit of requests at a time, and not the rate, made the load. */
static bool is_held(const struct load *load)
{
	return load->in_flight >= AT_LIMIT * load->limit;
}

/* True if requests queue at the server: it serves fewer than are offered, no limit of the client
 * holds them back, and most of their time is before the first token. */
static bool is_overloaded(const struct weir_run *run, const struct load *load)
{
	return load->behind && !is_held(load) &&
	       figure(run, "mean", "_ttft_ms") >= request_ms(run) / 2;
}

/* Appends "2 requests/s were offered, 0.263/s served". */
static void put_load(const struct load *load, struct weir_text *out)
{
	weir_text_rounded(out, load->offered);
	weir_text_puts(out, " requests/s were offered, ");
	weir_text_rounded(out, load->served);
	weir_text_puts(out, "/s served");
}

/* Notes a rate of requests that was not served, and what held it back. Without a cause, the time to
 * send must exceed that of a request: else the last answers make the rate low. */
static void note_load(struct weir_report *report, const struct weir_run *run)
{
	struct load load = load_of(run);
	double count = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	bool is_long = count / load.offered > request_ms(run) / 1e3;
	struct weir_text text = {0};

	if (!load.behind || !(is_held(&load) || is_overloaded(run, &load) || is_long))
		return;
	put_load(&load, &text);
	if (is_held(&load)) {
		weir_text_printf(&text, ": held by max_concurrency %.15g (", load.limit);
		weir_text_rounded(&text, load.in_flight);
		weir_text_puts(&text, " in flight on average)");
	} else if (is_overloaded(run, &load)) {
		weir_text_puts(&text, ": the server is overloaded");
	}
	weir_report_note(report, "load", "%s", text.data);
	weir_text_release(&text);
}

/* Notes requests that the client sent later than it should have. */
static void note_delay(struct weir_report *report, const struct weir_run *run)
{
	double late = figure(run, "mean", "_client_queue_ms");
	double p95 = figure(run, "p95", "_client_queue_ms");
	struct weir_text text = {0};

	if (!(late > LATE * request_ms(run)))
		return;
	put_ms(&text, late);
	if (p95 > 0) {
		weir_text_puts(&text, ", p95 ");
		put_ms(&text, p95);
	}
	weir_report_note(report, "load_generator",
	                 "the load generator fell behind: requests were sent late (mean %s)",
	                 text.data);
	weir_text_release(&text);
}

/* Notes that percentiles of few requests are single requests. */
static void note_few(struct weir_report *report, const struct weir_run *run)
{
	static const char *const times[] = {"_e2el_ms", "_ttft_ms", "_tpot_ms"};
	double count = weir_figure_label_number(run, WEIR_LOAD_COMPLETED);
	bool stated = false;

	for (size_t i = 0; i < WEIR_COUNT_OF(times); i++)
		stated |= figure(run, "p99", times[i]) > 0;
	if (stated && count > 1 && count < FEW_REQUESTS)
		weir_report_note(report, "few_requests",
		                 "%.15g requests are too few for a p99: it is near the longest of "
		                 "them",
		                 count);
}

/* Notes that the figures are not those of clients. */
static void note_source(struct weir_report *report, const struct weir_run *run)
{
	const char *by = weir_run_label(run, "measured_by");

	if (by && strcmp(by, "server") == 0)
		weir_report_note(report, "source",
		                 "the figures are the server's own metrics over the window of the "
		                 "report, which may hold requests of other clients");
}

/* ---- the headline and the notes ---- */

const char *weir_describe_stated_requests(struct weir_report *report)
{
	const struct weir_run *run = run_of(report);
	double request, first, token;
	struct weir_text text = {0};
	struct load load;

	if (!run)
		return NULL;
	request = request_ms(run);
	first = figure(run, "mean", "_ttft_ms");
	token = token_ms(run, "mean");
	if (!(first > 0) || !(first < request) || (!(token > 0) && first >= NOT_STREAMED * request))
		return NULL;
	if (first >= request / 2)
		put_part(run, "the first token takes ", first / request, &text);
	else
		put_part(run, "tokens after the first take ", 1 - first / request, &text);
	put_median_part(run, first >= request / 2, &text);
	if (first < request / 2 && token > 0) {
		weir_text_puts(&text, ", one every ");
		put_ms(&text, token);
	}
	load = load_of(run);
	if (is_overloaded(run, &load)) {
		weir_text_puts(&text, "; requests queue: ");
		put_load(&load, &text);
	} else {
		weir_text_puts(&text, first < request / 2
		                              ? "; the result does not show what bounds them"
		                              : "; the result does not show whether requests "
		                                "queue or prompts take long");
	}
	return weir_keep_line(report, &text);
}

const char *weir_describe_stated_rate(struct weir_report *report)
{
	const struct weir_run *run = NULL;
	struct weir_text text = {0};
	double rate;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *next = report->profile->inputs[i].run;

		if (next && (run || next->next))
			return NULL;
		run = next ? next : run;
	}
	rate = run ? figure(run, "request_throughput", "") : NAN;
	if (!(rate > 0))
		return NULL;
	if (request_ms(run) > 0) {
		weir_text_puts(&text, is_derived(run) ? "a mean request takes about "
		                                      : "a mean request takes ");
		put_ms(&text, request_ms(run));
		weir_text_puts(&text, " at ");
	}
	weir_text_rounded(&text, rate);
	weir_text_puts(&text, rate == 1 ? " request/s" : " requests/s");
	weir_text_puts(&text, "; the result does not show where the time goes");
	return weir_keep_line(report, &text);
}

/* Appends "first token 1.58 s (median 1.43 s, p99 3.81 s)", as far as it is stated. */
static void put_times(const struct weir_run *run, const char *words, const char *of,
                      struct weir_text *out)
{
	static const struct {
		const char *statistic, *words;
	} others[] = {{"median", "median "}, {"p90", "p90 "}, {"p99", "p99 "}};
	double mean = figure(run, "mean", of), longest = mean;
	bool in_seconds;
	size_t listed = 0;

	if (!(mean > 0))
		return;
	for (size_t i = 0; i < WEIR_COUNT_OF(others); i++)
		longest = fmax(longest, figure(run, others[i].statistic, of));
	in_seconds = mean >= 1e4 && mean < MINUTES_MS && longest >= MINUTES_MS;
	weir_text_printf(out, "%s%s ", out->length ? ", " : "", words);
	put_ms(out, mean);
	for (size_t i = 0; i < WEIR_COUNT_OF(others); i++) {
		double value = figure(run, others[i].statistic, of);

		if (!(value > 0))
			continue;
		weir_text_printf(out, "%s%s", listed++ ? ", " : " (", others[i].words);
		if (in_seconds && value >= MINUTES_MS)
			weir_text_printf(out, "%.0f s", value / 1e3);
		else
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
	             {"request_goodput", "requests/s within their targets"},
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
		weir_text_puts(&text, " (estimated from its tokens)");
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
	note_load(report, run);
	note_delay(report, run);
	note_few(report, run);
	note_source(report, run);
	return true;
}
