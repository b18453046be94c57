/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads mlperf_log_summary.txt, the summary of MLPerf's LoadGen, alone or within a console log:
 *
 *	MLPerf Results Summary
 *	Scenario : Server
 *	Scheduled samples per second : 101.5
 *	Result is : INVALID
 *	  Min queries satisfied : NO
 *	Mean latency (ns)               : 5120000
 *	99.00 percentile latency (ns)   : 9876543
 *	target_qps : 100
 *
 * Rates, latencies, the times of tokens and the estimates of early stopping become figures;
 * scenario, mode and the parameters are labels. A percentile that LoadGen has too few queries to
 * estimate is a warning. A result that is not valid is read with a warning that says why. LoadGen
 *of 2019 writes the names of the scenarios with a blank.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define TITLE    "MLPerf Results Summary"
#define ROUNDING 0.999 /* of a mean that is stated in other digits than its limits */

static const struct weir_mark marks[] = {
	{.first = "", .texts = {{TITLE, "Scenario : ", "Result is : "}, .all = 2}},
	{.first = "",
         .texts = {{":::MLLOG {", "loadgen_version"}, .all = 2},
         .refusal = "it is the detailed log of MLPerf's LoadGen: pass mlperf_log_summary.txt of "
                    "the same run"},
	{0},
};

struct summary {
	struct weir_input *input;
	bool titled;               /* the title was read: figures follow */
	bool invalid;              /* the result is not valid */
	struct weir_text reasons;  /* constraints that are not satisfied */
	char needed[21];           /* queries that early stopping needs; "": not stated */
	uint64_t at;               /* of the result */
	struct weir_text incident; /* the first line about warnings or errors of LoadGen */
	size_t incidents;
	uint64_t incident_at;
	bool parameters;          /* the parameters of the test follow */
	const char *stopping;     /* subject of the early stopping that follows: "ttft" */
	struct weir_text lacking; /* percentile without an estimate: "99.0th percentile of ttft" */
	uint64_t lacking_at;
};

/* ---- figures ---- */

/* Rates by their labels. "Completed" samples are those that a server answered; LoadGen judges a
 * server by the rate at which it sent them. */
static const struct {
	const char *label, *name, *unit;
} rates[] = {
	{"Samples per second", "samples_per_s", "1/s"},
	{"Completed samples per second", "samples_per_s", "1/s"},
	{"QPS w/ loadgen overhead", "samples_per_s", "1/s"},
	{"QPS w/o loadgen overhead", "samples_without_overhead_per_s", "1/s"},
	{"Scheduled samples per second", "scheduled_samples_per_s", "1/s"},
	{"Tokens per second", "tokens_per_s", "tokens/s"},
	{"Completed tokens per second", "tokens_per_s", "tokens/s"},
	{"TPS w/ loadgen overhead", "tokens_per_s", "tokens/s"},
	{"TPS w/o loadgen overhead", "tokens_without_overhead_per_s", "tokens/s"},
	/* samples times a constant length */
	{"Tokens per second (inferred)", "inferred_tokens_per_s", "tokens/s"},
	{"Completed tokens per second (inferred)", "inferred_tokens_per_s", "tokens/s"},
	/* streams of the scenario MultiStream before 2021: its result */
	{"Samples per query", "samples_per_query", "1"},
};

/* Subjects of a label, behind "Mean " or "99.00 percentile ". */
static const struct {
	const char *label, *name;
} subjects[] = {
	{"latency (ns)", "latency"},
	{"First Token latency (ns)", "ttft"},
	{"first token latency (ns)", "ttft"},
	{"Time to Output Token (ns)", "tpot"},
	{"time to output token (ns)", "tpot"},
	{"Time per Output Token (ns)", "tpot"},
	{"time per output token (ns)", "tpot"},
};

/* Takes "99.90 percentile" or "90.0th percentile" off the label and writes "p99.9". */
static bool take_percentile(struct weir_slice *label, struct weir_text *name)
{
	const char *blank = label->length ? memchr(label->data, ' ', label->length) : NULL;
	size_t length = blank ? (size_t)(blank - label->data) : 0;
	double percent;

	if (!blank)
		return false;
	if (length > 2 && memcmp(blank - 2, "th", 2) == 0)
		length -= 2;
	if (!weir_parse_double(label->data, length, &percent) || !(percent > 0) || !(percent < 100))
		return false;
	weir_text_printf(name, "p%.6g", percent);
	label->length -= (size_t)(blank - label->data);
	label->data = blank;
	return weir_slice_take(label, " percentile");
}

/* Takes "Mean " or "99.90 percentile " off the label and writes "mean" or "p99.9". Returns false if
 * the label does not begin with a statistic. */
static bool take_statistic(struct weir_slice *label, struct weir_text *name)
{
	static const struct {
		const char *word, *name;
	} words[] = {{"Min ", "min"}, {"Max ", "max"}, {"Mean ", "mean"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_slice_take(label, words[i].word)) {
			weir_text_puts(name, words[i].name);
			return true;
		}
	return take_percentile(label, name) && weir_slice_take(label, " ");
}

/* Parses a number that cannot be negative. Returns false, with a warning, for any other text. */
static bool read_number(struct summary *summary, struct weir_slice value, uint64_t at, double *out)
{
	if (weir_parse_double(value.data, value.length, out) && isfinite(*out) && *out >= 0)
		return true;
	weir_input_warn(summary->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return false;
}

/* Returns the name of the subject that the rest of a label states; "" for any other text. */
static const char *subject_of(struct weir_slice label)
{
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		if (weir_slice_equals(label, subjects[i].label))
			return subjects[i].name;
	return "";
}

static void take_time(struct summary *summary, struct weir_slice label, struct weir_slice value,
                      uint64_t at)
{
	struct weir_text name = {0};
	double ns;

	if (take_statistic(&label, &name))
		weir_text_printf(&name, "_%s_ms", subject_of(label));
	if (name.length && subject_of(label)[0] && read_number(summary, value, at, &ns))
		weir_figure_add(summary->input->run, name.data, "ms", false, ns / 1e6);
	weir_text_release(&name);
}

static bool take_rate(struct summary *summary, struct weir_slice label, struct weir_slice value,
                      uint64_t at)
{
	double rate;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (!weir_slice_equals(label, rates[i].label))
			continue;
		if (read_number(summary, value, at, &rate))
			weir_figure_add(summary->input->run, rates[i].name, rates[i].unit, true,
			                rate);
		return true;
	}
	return false;
}

/* ---- early stopping ---- */

/* Takes "* Early stopping 90.0th percentile estimate: 16124484197". */
static bool take_estimate(struct summary *summary, struct weir_slice label, struct weir_slice value,
                          uint64_t at)
{
	struct weir_text name = {0};
	double ns;

	if (!weir_slice_take(&label, "* Early stopping "))
		return false;
	weir_text_puts(&name, "early_stopping_");
	if (take_percentile(&label, &name) && weir_slice_equals(label, " estimate") &&
	    read_number(summary, value, at, &ns)) {
		weir_text_printf(&name, "_%s_ms",
		                 summary->stopping ? summary->stopping : "latency");
		weir_figure_add(summary->input->run, name.data, "ms", false, ns / 1e6);
	}
	weir_text_release(&name);
	return true;
}

/* Passes on that LoadGen has too few queries for an estimate, and how many it needs ("" or "662").
 */
static void pass_on_lack(struct summary *summary, struct weir_slice needed)
{
	struct weir_text text = {0};

	if (!summary->lacking.length)
		return;
	weir_text_printf(&text, "too few queries for the early stopping estimate of the %s",
	                 summary->lacking.data);
	if (needed.length)
		weir_text_printf(&text, ": it needs %.*s", (int)needed.length, needed.data);
	weir_input_warn(summary->input, WEIR_WARN_OF_TOOL, summary->lacking_at, text.data);
	weir_text_clear(&summary->lacking);
	weir_text_release(&text);
}

/* Returns the digits with which a text begins. */
static struct weir_slice digits_of(struct weir_slice text)
{
	size_t length = 0;

	while (length < text.length && length < 20 && text.data[length] >= '0' &&
	       text.data[length] <= '9')
		length++;
	return (struct weir_slice){text.data, length};
}

/* Takes "* Only processed 10 queries." and "* Need to process at least 64 queries for early
 * stopping." */
static bool take_need(struct summary *summary, struct weir_slice line)
{
	struct weir_slice digits;

	if (weir_slice_take(&line, "* Only processed ")) {
		weir_figure_label(summary->input->run, "queries", digits_of(line));
		return true;
	}
	if (!weir_slice_take(&line, "* Need to process at least "))
		return false;
	digits = digits_of(line);
	if (digits.length < line.length) { /* else the line may be cut */
		memcpy(summary->needed, digits.data, digits.length);
		summary->needed[digits.length] = '\0';
	}
	return true;
}

/* Takes a line of early stopping without a colon: the number of queries, and "* Not enough queries
 * processed for 99.0th percentile", "early stopping estimate (would need to process at", "least 662
 * total queries)." */
static bool take_stopping(struct summary *summary, struct weir_slice line, uint64_t at)
{
	struct weir_text name = {0};
	bool percentile = false;

	if (take_need(summary, line))
		return true;
	if (weir_slice_take(&line, "* Not enough queries processed for ")) {
		struct weir_slice rest = line;

		pass_on_lack(summary, (struct weir_slice){"", 0});
		percentile = take_percentile(&rest, &name);
		if (percentile) {
			weir_text_add(&summary->lacking, line.data, line.length - rest.length);
			summary->lacking_at = at;
		}
		weir_text_release(&name);
		return true;
	}
	if (summary->lacking.length && weir_slice_take(&line, "least ")) {
		pass_on_lack(summary, digits_of(line));
		return true;
	}
	if (weir_slice_starts(line, "* Processed at least ") &&
	    memchr(line.data, '(', line.length)) {
		const char *open = memchr(line.data, '(', line.length);

		weir_figure_label(summary->input->run, "queries",
		                  digits_of((struct weir_slice){
					  open + 1, line.length - (size_t)(open + 1 - line.data)}));
		return true;
	}
	return false;
}

/* ---- conditions and validity ---- */

static const struct {
	const char *label, *key;
} conditions[] = {
	{"SUT name", "sut"},
	{"Scenario", "scenario"},
	{"Mode", "mode"},
	{"samples_per_query", "samples_per_query"},
	{"target_qps", "target_qps"},
	{"target_latency (ns)", "target_latency_ns"},
	{"ttft_latency (ns)", "ttft_latency_ns"},
	{"tpot_latency (ns)", "tpot_latency_ns"},
	{"max_async_queries", "max_async_queries"},
	{"min_duration (ms)", "min_duration_ms"},
	{"min_query_count", "min_query_count"},
	{"performance_sample_count", "performance_sample_count"},
};

/* Takes a parameter of the test that the table lacks: "max_duration (ms)" is the label
 * max_duration_ms. */
static bool take_parameter(struct summary *summary, struct weir_slice label,
                           struct weir_slice value)
{
	struct weir_text key = {0};

	for (size_t i = 0; i < label.length; i++) {
		char c = label.data[i];

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
			weir_text_add(&key, &c, 1);
		else if (c == ' ' && i + 1 < label.length && label.data[i + 1] == '(')
			weir_text_puts(&key, "_");
		else if (c != '(' && c != ')')
			break;
	}
	if (key.length && key.length + 2 >= label.length &&
	    (label.data[label.length - 1] == ')' || key.length == label.length))
		weir_figure_label(summary->input->run, key.data, value);
	weir_text_release(&key);
	return true;
}

static bool take_condition(struct summary *summary, struct weir_slice label,
                           struct weir_slice value)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		if (weir_slice_equals(label, conditions[i].label)) {
			weir_figure_label(summary->input->run, conditions[i].key, value);
			return true;
		}
	return summary->parameters && take_parameter(summary, label, value);
}

/* Takes "Result is : INVALID" and "Min queries satisfied : NO". */
static bool take_validity(struct summary *summary, struct weir_slice label, struct weir_slice value,
                          uint64_t at)
{
	static const char ending[] = " satisfied";
	size_t length = sizeof(ending) - 1;

	if (weir_slice_equals(label, "Result is")) {
		weir_figure_label(summary->input->run, "result", value);
		summary->invalid = !weir_slice_equals(value, "VALID");
		summary->at = at;
		return true;
	}
	if (label.length <= length ||
	    memcmp(label.data + label.length - length, ending, length) != 0)
		return false;
	if (weir_slice_equals(value, "NO"))
		weir_text_printf(&summary->reasons, "%s%.*s: NO",
		                 summary->reasons.length ? ", " : "", (int)label.length,
		                 label.data);
	return true;
}

/* Labels the run with what makes the result invalid. */
static void label_reasons(struct summary *summary)
{
	const char *queries = weir_run_label(summary->input->run, "queries");

	if (summary->reasons.length && queries && *summary->needed)
		weir_text_printf(&summary->reasons, " (%s queries, early stopping needs %s)",
		                 queries, summary->needed);
	if (summary->reasons.length)
		weir_run_set_label(summary->input->run, "invalid_because", summary->reasons.data);
}

/* Passes on that the result is not valid, and why; then what LoadGen itself counted. */
static void pass_on_warnings(struct summary *summary)
{
	struct weir_text text = {0};

	if (summary->invalid) {
		label_reasons(summary);
		weir_text_puts(&text, "the result is not valid");
		if (summary->reasons.length)
			weir_text_printf(&text, ": %s", summary->reasons.data);
		weir_input_warn(summary->input, WEIR_WARN_OF_TOOL, summary->at, text.data);
	}
	for (size_t i = 0; i < summary->incidents; i++)
		weir_input_warn(summary->input, WEIR_WARN_OF_TOOL, summary->incident_at,
		                summary->incident.data);
	weir_text_release(&text);
}

/* ---- lines ---- */

/* Keeps "2 ERRORS encountered. See detailed log." */
static void take_incident(struct summary *summary, struct weir_slice line, uint64_t at)
{
	if (!line.length || line.data[0] < '1' || line.data[0] > '9' ||
	    !weir_slice_holds(line, " encountered. See detailed log") || summary->incidents++ > 0)
		return;
	weir_text_add(&summary->incident, line.data, line.length);
	summary->incident_at = at;
}

static void take_line(struct summary *summary, const struct weir_csv_row *row)
{
	struct weir_slice line = weir_slice_trim(row->line), label, value;
	const char *colon = line.length ? memchr(line.data, ':', line.length) : NULL;

	if (!colon) {
		summary->parameters |= weir_slice_equals(line, "Test Parameters Used");
		if (!take_stopping(summary, line, row->at))
			take_incident(summary, line, row->at);
		return;
	}
	label = weir_slice_trim((struct weir_slice){line.data, (size_t)(colon - line.data)});
	value = weir_slice_trim(
		(struct weir_slice){colon + 1, line.length - (size_t)(colon - line.data) - 1});
	if (!value.length) {
		if (weir_slice_ends(label, "Early Stopping Result"))
			summary->stopping = weir_slice_starts(label, "TTFT ")   ? "ttft"
			                    : weir_slice_starts(label, "TPOT ") ? "tpot"
			                                                        : "latency";
		return;
	}
	if (row->cut) { /* a number that is cut is another number */
		weir_input_warn(summary->input, WEIR_WARN_TRUNCATED, row->at,
		                "the file ends in this line");
		return;
	}
	if (!take_rate(summary, label, value, row->at) &&
	    !take_estimate(summary, label, value, row->at) &&
	    !take_condition(summary, label, value) &&
	    !take_validity(summary, label, value, row->at))
		take_time(summary, label, value, row->at);
}

/* Reads the first summary of the source; a further one is left out with a warning. */
static enum weir_status read_lines(struct summary *summary, struct weir_csv *csv,
                                   struct weir_error *err)
{
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		bool title = weir_slice_equals(weir_slice_trim(row->line), TITLE);

		if (title && summary->titled) {
			weir_input_warn(summary->input, WEIR_WARN_TRAILING, row->at,
			                "another summary of LoadGen: split the file to read it");
			break;
		}
		summary->titled |= title;
		if (summary->titled)
			take_line(summary, row);
	}
	return status;
}

/* Returns a figure of the run, or NAN. */
static double figure_of(const struct summary *summary, const char *statistic, const char *subject)
{
	const struct weir_series *series;
	struct weir_text name = {0};

	weir_text_printf(&name, "%s_%s_ms", statistic, subject);
	series = weir_series_find(&summary->input->run->metrics, name.data);
	weir_text_release(&name);
	return series && series->count > 0 ? series->value[0] : NAN;
}

/* Warns of a mean that no times can have: LoadGen's sum of long times overflows. Half of the times
 * are at least the median and all are at least the smallest. */
static void check_mean(const struct summary *summary, const char *subject)
{
	double mean = figure_of(summary, "mean", subject);
	double least = figure_of(summary, "min", subject),
	       most = figure_of(summary, "max", subject);
	double median = figure_of(summary, "p50", subject);
	struct weir_series_table *metrics = &summary->input->run->metrics;
	struct weir_text text = {0};

	least = isnan(least) ? 0 : least;
	if (!(mean < ROUNDING * least) && !(ROUNDING * mean > most) &&
	    !(mean < ROUNDING * (least + median) / 2))
		return;
	weir_text_printf(&text, "the mean of %s is impossible beside its percentiles", subject);
	weir_input_warn(summary->input, WEIR_WARN_INCONSISTENT, UINT64_MAX, text.data);
	weir_text_release(&text);
	weir_text_printf(&text, "mean_%s_ms", subject);
	for (size_t i = 0; i < metrics->count; i++)
		if (strcmp(metrics->items[i].name, text.data) == 0)
			metrics->items[i].count = 0;
	weir_series_drop_empty(metrics);
	weir_text_release(&text);
}

static enum weir_status conclude(struct summary *summary, struct weir_error *err)
{
	static const char *const checked[] = {"latency", "ttft", "tpot"};
	struct weir_input *input = summary->input;

	input->events = input->run->metrics.count;
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a summary of LoadGen without a rate and without latencies: "
		                 "expected a run in the mode PerformanceOnly");
	for (size_t i = 0; i < sizeof(checked) / sizeof(checked[0]); i++)
		check_mean(summary, checked[i]);
	pass_on_warnings(summary);
	pass_on_lack(summary, (struct weir_slice){"", 0});
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

static enum weir_status read_mlperf(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct summary summary = {.input = input};
	struct weir_csv *csv = weir_csv_new(source, &options);
	enum weir_status status;

	input->run = weir_run_new();
	status = read_lines(&summary, csv, err);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&summary, err);
	weir_text_release(&summary.reasons);
	weir_text_release(&summary.incident);
	weir_text_release(&summary.lacking);
	return status;
}

const struct weir_reader weir_reader_mlperf = {
	.name = "mlperf",
	.title = "summaries of MLPerf's LoadGen (mlperf_log_summary.txt)",
	.gives = "native run",
	.tool = "MLPerf's LoadGen",
	.whole_run = true,
	.marks = marks,
	.read = read_mlperf,
};
