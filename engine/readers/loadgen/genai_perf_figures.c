/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which figures of a summary are kept, under which names and in which units. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/genai_perf.h"
#include "engine/readers/parts/figures.h"

enum kind {
	KIND_TIME, /* all statistics, in ms */
	KIND_RATE, /* its mean, a second */
	KIND_REQUESTS,
	KIND_FAILED,
};

/*
 * What both programs call inter token latency is the time an output token after the first, which
 * other load generators call tpot; the gaps themselves are AIPerf's inter chunk latency. Lengths of
 * inputs and outputs are what was asked for, not how well it went.
 */
struct genai_metric {
	const char *name;
	enum kind kind;
	const char *figure, *unit;
};

static const struct genai_metric metrics[] = {
	{"request_latency", KIND_TIME, "e2el", "ms"},
	{"time_to_first_token", KIND_TIME, "ttft", "ms"},
	{"time_to_second_token", KIND_TIME, "ttst", "ms"},
	{"inter_token_latency", KIND_TIME, "tpot", "ms"},
	{"inter_chunk_latency", KIND_TIME, "itl", "ms"},
	{"request_throughput", KIND_RATE, "request_throughput", "1/s"},
	{"request_goodput", KIND_RATE, "request_goodput", "1/s"},
	{"goodput", KIND_RATE, "request_goodput", "1/s"},
	{"output_token_throughput", KIND_RATE, "output_throughput", "tokens/s"},
	{"total_token_throughput", KIND_RATE, "total_token_throughput", "tokens/s"},
	{"output_token_throughput_per_user", KIND_RATE, "output_throughput_per_user", "tokens/s"},
	{"request_count", KIND_REQUESTS, NULL, NULL},
	{"error_request_count", KIND_FAILED, NULL, NULL},
};

/* Low percentiles of a time say nothing about who waits; a spread is neither better nor worse. */
static const struct {
	const char *name, *figure;
} statistics[] = {
	{"avg", "mean"}, {"p50", "median"}, {"p75", "p75"}, {"p90", "p90"}, {"p95", "p95"},
	{"p99", "p99"},  {"min", NULL},     {"max", NULL},  {"std", NULL},  {"p1", NULL},
	{"p5", NULL},    {"p10", NULL},     {"p25", NULL},
};

static const struct {
	const char *unit;
	double multiplier, divisor; /* to ms; two, for no power of ten below 1 is exact */
} time_units[] = {
	{"ns", 1, 1e6},           {"nanoseconds", 1, 1e6},
	{"us", 1, 1e3},           {"\xc2\xb5s", 1, 1e3},
	{"microseconds", 1, 1e3}, {"ms", 1, 1},
	{"milliseconds", 1, 1},   {"s", 1e3, 1},
	{"sec", 1e3, 1},          {"seconds", 1e3, 1},
};

/* Blanks stand for underscores, and any case of letters will do. */
static bool is_name(struct weir_slice text, const char *name)
{
	for (size_t i = 0; i < text.length; i++) {
		char c = text.data[i] == ' ' ? '_' : text.data[i];

		if (!name[i] || tolower((unsigned char)c) != name[i])
			return false;
	}
	return !name[text.length];
}

const struct genai_metric *weir_genai_metric(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		if (is_name(name, metrics[i].name))
			return &metrics[i];
	return NULL;
}

/* -1: none */
static int find_statistic(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
		if (is_name(name, statistics[i].name))
			return (int)i;
	return -1;
}

bool weir_genai_is_statistic(struct weir_slice name)
{
	return find_statistic(name) >= 0;
}

/* The value in our unit; NAN where the metric cannot be in this one. */
static double convert(const struct genai_value *value)
{
	enum kind kind = value->metric->kind;

	if (kind == KIND_RATE)
		return weir_slice_holds(value->unit, "sec") || weir_slice_holds(value->unit, "/s")
		               ? value->value
		               : NAN;
	if (kind != KIND_TIME)
		return value->value;
	for (size_t i = 0; i < sizeof time_units / sizeof *time_units; i++)
		if (weir_slice_equals(value->unit, time_units[i].unit))
			return value->value * time_units[i].multiplier / time_units[i].divisor;
	return NAN;
}

static void add_figure(struct genai_summary *summary, const struct genai_value *value,
                       const char *name, double figure)
{
	struct weir_run *run = summary->input->run;

	if (weir_series_find(&run->metrics, name))
		weir_input_warn(summary->input, WEIR_WARN_DUPLICATE, value->at, name);
	weir_figure_add(run, name, value->metric->unit, value->metric->kind == KIND_RATE, figure);
}

static void take_time(struct genai_summary *summary, const struct genai_value *value,
                      const char *statistic, double ms)
{
	struct weir_text name = {0};

	weir_text_printf(&name, "%s_%s_ms", statistic, value->metric->figure);
	add_figure(summary, value, name.data, ms);
	weir_text_release(&name);
}

/* A goodput of -1 is what both programs print where its targets made no sense. */
static bool is_usable(struct genai_summary *summary, const struct genai_value *value, double scaled)
{
	const char *wrong = isnan(scaled) ? "unit" : "below 0";
	struct weir_text detail = {0};

	if (scaled >= 0)
		return true;
	weir_text_printf(&detail, "%s: %s", value->metric->name, wrong);
	weir_input_warn(summary->input, WEIR_WARN_BAD_NUMBER, value->at, detail.data);
	weir_text_release(&detail);
	return false;
}

void weir_genai_take(struct genai_summary *summary, const struct genai_value *value)
{
	enum kind kind = value->metric->kind;
	int statistic = find_statistic(value->statistic);
	double scaled = convert(value);

	if (isnan(value->value) || statistic < 0 || !statistics[statistic].figure ||
	    (kind != KIND_TIME && statistic > 0) || !is_usable(summary, value, scaled))
		return;
	switch (kind) {
	case KIND_TIME:
		take_time(summary, value, statistics[statistic].figure, scaled);
		break;
	case KIND_RATE:
		add_figure(summary, value, value->metric->figure, scaled);
		break;
	case KIND_REQUESTS:
		summary->requests = scaled;
		break;
	case KIND_FAILED:
		summary->failed = fmax(summary->failed, scaled);
		break;
	}
}
