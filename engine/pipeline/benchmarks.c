/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"
#include "engine/pipeline/benchmarks.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"
#include "engine/report/plain/distinct.h"
#include "engine/report/plain/escape.h"
#include "engine/stats/quantile.h"

#define LISTED        3  /* slowest names that a note lists */
#define LISTED_FAILED 8  /* kinds of requests that a note lists */
#define NAME_COLUMNS  48 /* of a name */
#define REQUEST       "request@"
#define MEDIAN        "/median_latency_ms"

/*
 * A benchmark is unsteady from a standard deviation of a third of its mean on: three of them reach
 * the time 0, so that the times are not spread around their mean at all. Quartiles that lie a fifth
 * of the median apart mean a standard deviation of 15 % for a normal distribution (1.35 of them lie
 * between the quartiles); pyperf warns from 10 % on (pyperf check, "may be unstable").
 */
#define UNSTEADY_DEVIATION (1.0 / 3)
#define UNSTEADY_QUARTILES 0.2
#define FEWEST_TIMES       3 /* to tell a spread */

/* A benchmark or a kind of request. */
struct timed {
	const char *name; /* not terminated behind `length` */
	size_t length;
	double median_ns;
	double p99_ns;                 /* NAN: not stated */
	size_t samples;                /* 0: the file states the median alone */
	const char *requests, *failed; /* that the file counts; NULL: not stated */
};

/* The slowest names so far, the slowest first. */
struct slowest {
	struct timed items[LISTED];
	size_t count;   /* all names */
	size_t figures; /* names without samples */
};

bool weir_is_benchmark(const struct weir_input *input)
{
	static const char *const formats[] = {
		"google-benchmark", "pytest-benchmark", "hyperfine", "criterion",
		"cargo-bench",      "go-bench",         "jmh",       "optimum-benchmark"};

	for (size_t i = 0; input->run && input->format && i < WEIR_COUNT_OF(formats); i++)
		if (strcmp(input->format, formats[i]) == 0)
			return true;
	return false;
}

static void add_timed(struct slowest *slowest, const struct timed *timed)
{
	size_t at = slowest->count < LISTED ? slowest->count : LISTED;

	if (!(timed->median_ns > 0))
		return;
	slowest->count++;
	slowest->figures += timed->samples == 0;
	for (; at > 0 && slowest->items[at - 1].median_ns < timed->median_ns; at--)
		if (at < LISTED)
			slowest->items[at] = slowest->items[at - 1];
	if (at < LISTED)
		slowest->items[at] = *timed;
}

static void add_series(struct slowest *slowest, const struct weir_series_table *table, bool samples)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct weir_series *series = &table->items[i];

		if (!series->count || !series->value ||
		    (!samples && (!series->unit || strcmp(series->unit, "ns") != 0)))
			continue;
		add_timed(slowest,
		          &(struct timed){.name = series->name,
		                          .length = strlen(series->name),
		                          .median_ns = weir_median(series->value, series->count),
		                          .p99_ns = NAN,
		                          .samples = samples ? series->count : 0});
	}
}

/* Returns the figure of a kind of request, "request@POST /generate/p99_latency_ms"; NAN: none. */
static double figure_of(const struct weir_run *run, const struct timed *request, const char *figure)
{
	const struct weir_series *series;
	struct weir_text name = {0};

	weir_text_puts(&name, REQUEST);
	weir_text_add(&name, request->name, request->length);
	weir_text_printf(&name, "/%s", figure);
	series = weir_series_find(&run->metrics, name.data);
	weir_text_release(&name);
	return series && series->count ? series->value[0] : NAN;
}

/* Returns a count that the run states as a label, "request@POST /generate/completed", or of all
 * requests "completed"; NULL: none. */
static const char *count_of(const struct weir_run *run, const struct timed *request,
                            const char *count)
{
	struct weir_text key = {0};
	const char *value;

	if (request) {
		weir_text_puts(&key, REQUEST);
		weir_text_add(&key, request->name, request->length);
		weir_text_puts(&key, "/");
	}
	weir_text_puts(&key, count);
	value = weir_run_label(run, key.data);
	weir_text_release(&key);
	return value;
}

/* Adds the kinds of requests that Locust states. */
static void add_requests(struct slowest *slowest, const struct weir_run *run)
{
	size_t before = strlen(REQUEST), behind = strlen(MEDIAN);

	for (size_t i = 0; i < run->metrics.count; i++) {
		const struct weir_series *series = &run->metrics.items[i];
		size_t length = strlen(series->name);
		struct timed request;

		if (!series->count || length <= before + behind ||
		    strncmp(series->name, REQUEST, before) != 0 ||
		    strcmp(series->name + length - behind, MEDIAN) != 0)
			continue;
		request = (struct timed){.name = series->name + before,
		                         .length = length - before - behind,
		                         .median_ns = series->value[0] * 1e6};
		request.p99_ns = figure_of(run, &request, "p99_latency_ms") * 1e6;
		request.requests = count_of(run, &request, "completed");
		request.failed = count_of(run, &request, "failed");
		add_timed(slowest, &request);
	}
}

/* Appends "190 completed, 2 failed". */
static void put_counts(const char *requests, const char *failed, struct weir_text *out)
{
	weir_text_printf(out, "%s completed", requests);
	if (failed)
		weir_text_printf(out, ", %s failed", failed);
}

/* Appends the times of a benchmark or kind of request, shown as `name`. */
static void put_timed(const struct timed *timed, const struct weir_text *name,
                      struct weir_text *out)
{
	weir_text_printf(out, "%s ", name->data ? name->data : "?");
	weir_text_duration(out, timed->median_ns);
	if (timed->p99_ns > 0) {
		weir_text_puts(out, " (p99 ");
		weir_text_duration(out, timed->p99_ns);
		weir_text_puts(out, timed->requests ? ", " : ")");
	}
	if (timed->requests) {
		weir_text_puts(out, timed->p99_ns > 0 ? "" : " (");
		put_counts(timed->requests, timed->failed, out);
		weir_text_puts(out, ")");
	}
	if (timed->samples > 0)
		weir_text_printf(out, " (%zu samples)", timed->samples);
}

/* Notes the slowest names. `times`: the time by which they are sorted, "median". */
static void note(struct weir_report *report, const struct slowest *slowest, const char *code,
                 const char *what, const char *times)
{
	size_t listed = slowest->count < LISTED ? slowest->count : LISTED;
	struct weir_slice names[LISTED] = {{"", 0}};
	struct weir_text list = {0}, cut[LISTED] = {{0}};

	for (size_t i = 0; i < listed; i++)
		names[i] = (struct weir_slice){slowest->items[i].name, slowest->items[i].length};
	weir_cut_names_distinct(names, listed, NAME_COLUMNS, cut);
	for (size_t i = 0; i < listed; i++) {
		weir_text_puts(&list, i ? ", " : "");
		put_timed(&slowest->items[i], &cut[i], &list);
		weir_text_release(&cut[i]);
	}
	if (slowest->count)
		weir_report_note(report, code, "%s in the file: %zu; %s%s%s: %s%s", what,
		                 slowest->count, slowest->count > 1 ? "the slowest by their " : "",
		                 times, slowest->count > 1 ? "s" : "", list.data,
		                 slowest->count > LISTED ? " (weir convert prints all)" : "");
	weir_text_release(&list);
}

/* ---- unsteady benchmarks ---- */

/* Collects the times of a command from a chain of runs, in ns. Returns their number. */
static size_t collect_times(const struct weir_run *run, const char *command, double **times)
{
	size_t count = 0, capacity = 0;

	for (; run; run = run->next) {
		const struct weir_series *series = weir_series_find(&run->metrics, command);

		if (!series || !series->count)
			continue;
		*times = weir_grow(*times, &capacity, count + 1, sizeof(**times));
		(*times)[count++] = series->value[0] * 1e9;
	}
	return count;
}

/* The spread of the times of a benchmark over its mean or median; NAN: unknown. */
struct spread {
	double deviation; /* standard deviation over mean */
	double quartiles; /* distance of the quartiles over the median */
};

static struct spread spread_of_times(const double *times, size_t count)
{
	static const double probs[] = {0.25, 0.5, 0.75};
	double quartiles[3], mean = 0, squares = 0;

	if (count < FEWEST_TIMES)
		return (struct spread){NAN, NAN};
	for (size_t i = 0; i < count; i++)
		mean += times[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (times[i] - mean) * (times[i] - mean);
	weir_quantiles(times, count, probs, 3, quartiles);
	return (struct spread){sqrt(squares / (double)(count - 1)) / mean,
	                       (quartiles[2] - quartiles[0]) / quartiles[1]};
}

/* Returns a statistic that the file states of a benchmark, as the label "NAME/mean_ns"; NAN: it
 * does not. */
static double statistic_of(const struct weir_run *run, const char *name, const char *statistic)
{
	struct weir_text key = {0};
	double value;

	weir_text_printf(&key, "%s/%s", name, statistic);
	value = weir_figure_label_number(run, key.data);
	weir_text_release(&key);
	return value;
}

/* Returns the spread that the file states of a benchmark whose median is a figure. */
static struct spread spread_of_figure(const struct weir_run *run, const struct weir_series *series)
{
	double count = fmin(fmax(statistic_of(run, series->name, "rounds"),
	                         statistic_of(run, series->name, "repetitions")),
	                    FEWEST_TIMES);

	if (!series->count || count < FEWEST_TIMES)
		return (struct spread){NAN, NAN};
	return (struct spread){statistic_of(run, series->name, "stddev_ns") /
	                               statistic_of(run, series->name, "mean_ns"),
	                       statistic_of(run, series->name, "iqr_ns") / series->value[0]};
}

/* The first unsteady benchmarks. */
struct unsteady {
	struct weir_slice names[LISTED];
	struct spread spreads[LISTED];
	size_t count, all; /* unsteady ones, and all with a known spread */
};

static void add_spread(struct unsteady *unsteady, const char *name, struct spread spread)
{
	unsteady->all += !isnan(spread.deviation) || !isnan(spread.quartiles);
	if (!(spread.deviation > UNSTEADY_DEVIATION) && !(spread.quartiles > UNSTEADY_QUARTILES))
		return;
	if (unsteady->count < LISTED) {
		unsteady->names[unsteady->count] = weir_slice_of(name);
		unsteady->spreads[unsteady->count] = spread;
	}
	unsteady->count++;
}

static void add_spreads(struct unsteady *unsteady, const struct weir_run *run, bool one_each)
{
	for (size_t i = 0; one_each && i < run->metrics.count; i++) {
		double *times = NULL;
		size_t count = collect_times(run, run->metrics.items[i].name, &times);

		add_spread(unsteady, run->metrics.items[i].name, spread_of_times(times, count));
		free(times);
	}
	for (size_t i = 0; i < run->stages.count; i++)
		if (run->stages.items[i].value)
			add_spread(unsteady, run->stages.items[i].name,
			           spread_of_times(run->stages.items[i].value,
			                           run->stages.items[i].count));
	for (size_t i = 0; !one_each && i < run->metrics.count; i++)
		add_spread(unsteady, run->metrics.items[i].name,
		           spread_of_figure(run, &run->metrics.items[i]));
}

/* Appends "NAME (standard deviation 45 % of the mean)". */
static void put_spread(const struct weir_text *name, const struct spread *spread,
                       struct weir_text *out)
{
	bool deviation = spread->deviation > UNSTEADY_DEVIATION;

	weir_text_printf(out, "%s (%s ", name->data ? name->data : "?",
	                 deviation ? "standard deviation" : "quartiles");
	weir_text_share(out, deviation ? spread->deviation : spread->quartiles);
	weir_text_puts(out, deviation ? " of the mean)" : " of the median apart)");
}

/* Notes benchmarks with times so far apart that their medians say little. Their names differ from
 * those of the slowest ones, which another note lists. */
static void note_unsteady(struct weir_report *report, const struct unsteady *unsteady,
                          const struct slowest *slowest)
{
	size_t listed = unsteady->count < LISTED ? unsteady->count : LISTED, all = listed;
	struct weir_slice names[2 * LISTED] = {{"", 0}};
	struct weir_text list = {0}, cut[2 * LISTED] = {{0}};

	for (size_t i = 0; i < listed; i++)
		names[i] = unsteady->names[i];
	for (size_t i = 0; i < LISTED && i < slowest->count; i++)
		names[all++] =
			(struct weir_slice){slowest->items[i].name, slowest->items[i].length};
	weir_cut_names_distinct(names, all, NAME_COLUMNS, cut);
	for (size_t i = 0; i < listed; i++) {
		weir_text_puts(&list, i ? ", " : "");
		put_spread(&cut[i], &unsteady->spreads[i], &list);
	}
	for (size_t i = 0; i < all; i++)
		weir_text_release(&cut[i]);
	if (listed)
		weir_report_note(report, "unsteady", "unsteady benchmarks: %zu of %zu: %s%s",
		                 unsteady->count, unsteady->all, list.data,
		                 unsteady->count > LISTED ? ", and others" : "");
	weir_text_release(&list);
}

/* Notes the test of llama-bench whose repetitions differ most from their mean. */
static void note_deviation(struct weir_report *report, const struct weir_run *run)
{
	static const char statistic[] = "/stddev_tokens_per_s";
	struct weir_text name = {0}, text = {0}, worst = {0};
	double most = 0;

	for (size_t i = 0; i < run->label_count; i++) {
		struct weir_slice key = weir_slice_of(run->labels[i].key);
		const struct weir_series *mean;
		double share;

		if (!weir_slice_ends(key, statistic))
			continue;
		key.length -= sizeof(statistic) - 1;
		weir_text_clear(&name);
		weir_text_add(&name, key.data, key.length);
		weir_text_puts(&name, "_tokens_per_s");
		mean = weir_series_find(&run->metrics, name.data);
		share = mean && mean->count
		                ? weir_figure_label_number(run, run->labels[i].key) / mean->value[0]
		                : NAN;
		if (!(share > most))
			continue;
		most = share;
		weir_text_clear(&worst);
		weir_text_add(&worst, key.data, key.length);
	}
	if (most > 0) {
		weir_text_share(&text, most);
		weir_report_note(report, "deviation",
		                 "the standard deviation of the tokens per second of a test is at "
		                 "most %s of their mean (%s)",
		                 text.data, worst.data);
	}
	weir_text_release(&name);
	weir_text_release(&text);
	weir_text_release(&worst);
}

/* ---- times of hyperfine: one a run ---- */

/* Appends "NAME mean 3.93 ms, median 2.80 ms, 1.00 to 9.00 ms (5 times)". */
static void put_times(const struct weir_text *command, const double *times, size_t count,
                      struct weir_text *out)
{
	double sum = 0, least = INFINITY, most = 0;

	for (size_t i = 0; i < count; i++) {
		sum += times[i];
		least = fmin(least, times[i]);
		most = fmax(most, times[i]);
	}
	put_timed(&(struct timed){.median_ns = weir_median(times, count), .p99_ns = NAN}, command,
	          out);
	weir_text_puts(out, " (mean ");
	weir_text_duration(out, sum / (double)count);
	weir_text_puts(out, ", min ");
	weir_text_duration(out, least);
	weir_text_puts(out, ", max ");
	weir_text_duration(out, most);
	weir_text_printf(out, ", %zu time%s)", count, count == 1 ? "" : "s");
}

/* Notes the times of the first commands of a result of hyperfine. A command that failed in the
 * first run is not listed. */
static void note_times(struct weir_report *report, const struct weir_run *run)
{
	const struct weir_series_table *commands = &run->metrics;
	size_t listed = commands->count < LISTED ? commands->count : LISTED;
	struct weir_slice names[LISTED] = {{"", 0}};
	struct weir_text list = {0}, cut[LISTED] = {{0}};

	for (size_t i = 0; i < listed; i++)
		names[i] = weir_slice_of(commands->items[i].name);
	weir_cut_names_distinct(names, listed, NAME_COLUMNS, cut);
	for (size_t i = 0; i < listed; i++) {
		double *times = NULL;
		size_t count = collect_times(run, commands->items[i].name, &times);

		weir_text_puts(&list, i ? "; " : "");
		if (count)
			put_times(&cut[i], times, count, &list);
		weir_text_release(&cut[i]);
		free(times);
	}
	if (commands->count)
		weir_report_note(report, "benchmarks", "commands in the file: %zu; medians: %s%s",
		                 commands->count, list.data,
		                 commands->count > LISTED ? " (weir convert prints all)" : "");
	weir_text_release(&list);
}

/* Returns the value of a figure behind a prefix, "request@GET //p99_latency_ms"; NAN: none. */
static double value_behind(const struct weir_run *run, struct weir_slice prefix, const char *figure)
{
	const struct weir_series *series;
	struct weir_text name = {0};

	weir_text_add(&name, prefix.data, prefix.length);
	weir_text_puts(&name, figure);
	series = weir_series_find(&run->metrics, name.data);
	weir_text_release(&name);
	return series && series->count ? series->value[0] : NAN;
}

/* Appends "POST /generate: p95 170 ms, p99 160 ms" if a percentile of a row of Locust is below a
 * lower one. Returns false if they are in order. */
static bool put_disorder(const struct weir_run *run, struct weir_slice prefix,
                         struct weir_text *out)
{
	static const char *const ranks[] = {"median", "p66", "p75", "p80",   "p90",
	                                    "p95",    "p98", "p99", "p99.9", "p99.99"};
	const char *label = NULL;
	double before = NAN;

	for (size_t i = 0; i < WEIR_COUNT_OF(ranks); i++) {
		char figure[32];
		double value;

		snprintf(figure, sizeof(figure), "%s_latency_ms", ranks[i]);
		value = value_behind(run, prefix, figure);
		if (value < before) {
			weir_text_printf(out, "%s %.4g ms, %s %.4g ms", label, before, ranks[i],
			                 value);
			return true;
		}
		before = isnan(value) ? before : value;
		label = isnan(value) ? label : ranks[i];
	}
	return false;
}

/* Appends "of POST /generate" for the prefix of a row, "over all requests" without one. */
static void put_row(struct weir_slice prefix, struct weir_text *out)
{
	size_t before = strlen(REQUEST);
	struct weir_text name = {0};

	if (!prefix.length) {
		weir_text_puts(out, "over all requests");
		return;
	}
	weir_text_add(&name, prefix.data + before, prefix.length - before - 1);
	weir_text_puts(out, "of ");
	weir_cut_name(out, name.data ? name.data : "?", NAME_COLUMNS);
	weir_text_release(&name);
}

/* Notes the rows of a file of Locust whose percentiles are not in order. */
static void note_disorder(struct weir_report *report, const struct weir_run *run)
{
	struct weir_text example = {0}, row = {0}, other = {0};
	size_t count = 0;

	for (size_t i = 0; i < run->metrics.count; i++) {
		struct weir_slice name = weir_slice_of(run->metrics.items[i].name);

		if (!weir_slice_ends(name, &MEDIAN[1]))
			continue;
		name.length -= strlen(&MEDIAN[1]);
		if (name.length > 0 && !weir_slice_starts(name, REQUEST))
			continue;
		if (put_disorder(run, name, count ? &other : &example) && count++ == 0)
			put_row(name, &row);
	}
	if (count)
		weir_report_note(report, "percentile_order",
		                 "percentiles %s are not in order: %s%s; Locust rounds "
		                 "percentiles to two digits and merges those of its workers, so "
		                 "few requests make them contradict each other",
		                 row.data, example.data,
		                 count > 1 ? ", and other rows are like it" : "");
	weir_text_release(&example);
	weir_text_release(&row);
	weir_text_release(&other);
}

/* Notes the number of requests that a file of Locust states. */
static void note_requests(struct weir_report *report, const struct weir_run *run)
{
	const char *completed = count_of(run, NULL, "completed");
	struct weir_text text = {0};

	if (!completed)
		return;
	put_counts(completed, count_of(run, NULL, "failed"), &text);
	weir_report_note(report, "request_count", "requests in the file: %s", text.data);
	weir_text_release(&text);
}

/* Notes the kinds of requests that all failed, which have no times. Returns their number. */
static size_t note_failed_kinds(struct weir_report *report, const struct weir_run *run)
{
	static const char none[] = "/" WEIR_LOAD_COMPLETED;
	struct weir_slice names[LISTED_FAILED] = {{"", 0}};
	struct weir_text list = {0}, cut[LISTED_FAILED] = {{0}};
	size_t count = 0, listed;

	for (size_t i = 0; i < run->label_count; i++) {
		struct weir_slice key = weir_slice_of(run->labels[i].key);

		if (!weir_slice_take(&key, REQUEST) || !weir_slice_ends(key, none) ||
		    strcmp(run->labels[i].value, "0") != 0)
			continue;
		key.length -= sizeof none - 1;
		if (count < LISTED_FAILED)
			names[count] = key;
		count++;
	}
	listed = count < LISTED_FAILED ? count : LISTED_FAILED;
	weir_cut_names_distinct(names, listed, NAME_COLUMNS, cut);
	for (size_t i = 0; i < listed; i++) {
		weir_text_printf(&list, "%s%s", i ? ", " : "", cut[i].data ? cut[i].data : "?");
		weir_text_release(&cut[i]);
	}
	if (count)
		weir_report_note(report, "failed_requests",
		                 "kinds of requests that all failed: %zu: %s%s", count, list.data,
		                 count > listed ? ", and others (weir convert prints all)" : "");
	weir_text_release(&list);
	return count;
}

void weir_note_benchmarks(struct weir_report *report)
{
	struct slowest benchmarks = {.count = 0}, requests = {.count = 0};
	struct unsteady unsteady = {.count = 0};
	bool medians = true;
	size_t failed = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];

		if (weir_is_benchmark(input)) {
			bool one_each = strcmp(input->format, "hyperfine") == 0;

			if (one_each)
				note_times(report, input->run);
			medians = medians && strcmp(input->format, "cargo-bench") != 0 &&
			          strcmp(input->format, "jmh") != 0;
			add_spreads(&unsteady, input->run, one_each);
			add_series(&benchmarks, &input->run->stages, true);
			if (!one_each)
				add_series(&benchmarks, &input->run->metrics, false);
		} else if (input->run && input->format && strcmp(input->format, "locust") == 0) {
			note_requests(report, input->run);
			failed += note_failed_kinds(report, input->run);
			note_disorder(report, input->run);
			add_requests(&requests, input->run);
		} else if (input->run && input->format &&
		           strcmp(input->format, "llama-bench") == 0) {
			note_deviation(report, input->run);
		}
	}
	if (benchmarks.figures)
		note(report, &benchmarks, "benchmarks", "benchmarks", medians ? "median" : "time");
	note_unsteady(report, &unsteady, &benchmarks);
	note(report, &requests, "requests",
	     failed ? "other kinds of requests" : "kinds of requests", "median");
}
