/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads report.txt of MLPerf's load generator for endpoints, alone or within a console log:
 *
 *	----------------- Summary -----------------
 *	Total samples completed: 600
 *	QPS: 31.25
 *	TPS: 4000.5
 *	------------------- Latency Breakdowns -------------------
 *	TTFT:
 *	  Min: 101.08 ms
 *	  Avg.: 212.03 ms
 *
 * Rates and times become figures; numbers of samples, the duration and the target are labels.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"Total samples issued: ", "Total samples completed: ", "QPS: ",
                    "- Latency Breakdowns -", "TTFT:", "TPS: "},
                   .all = 3,
                   .any = 3}},
	{0},
};

struct endpoints {
	struct weir_input *input;
	const char *subject; /* of the times that follow: "ttft"; NULL: others */
	double issued, failed;
};

/* Splits "QPS: 31.25" at its colon. Returns false without one. */
static bool split(struct weir_slice line, struct weir_slice *label, struct weir_slice *value)
{
	const char *colon = line.length ? memchr(line.data, ':', line.length) : NULL;
	size_t length = colon ? (size_t)(colon - line.data) : 0;

	if (!colon)
		return false;
	*label = weir_slice_trim((struct weir_slice){line.data, length});
	*value = weir_slice_trim((struct weir_slice){colon + 1, line.length - length - 1});
	return true;
}

/* Takes a number off a text and leaves its unit, without blanks. Returns NAN without one. */
static double take_number(struct weir_slice *text)
{
	size_t length = 0;
	double value;

	while (length < text->length && text->data[length] != ' ')
		length++;
	if (!weir_parse_double(text->data, length, &value) || !isfinite(value) || value < 0)
		return NAN;
	*text = weir_slice_trim((struct weir_slice){text->data + length, text->length - length});
	return value;
}

/* Writes the name of a statistic, "mean" or "p99.9". Returns false for other labels. */
static bool put_statistic(struct weir_slice label, struct weir_text *name)
{
	static const struct {
		const char *label, *name;
	} statistics[] = {{"Min", "min"},   {"Max", "max"},      {"Median", "median"},
	                  {"Avg.", "mean"}, {"Avg", "mean"},     {"Mean", "mean"},
	                  {"Std", "std"},   {"Std Dev.", "std"}, {"Std Dev", "std"}};
	double percent;

	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
		if (weir_slice_equals(label, statistics[i].label)) {
			weir_text_puts(name, statistics[i].name);
			return true;
		}
	if (!weir_slice_take(&label, "P") && !weir_slice_take(&label, "p") &&
	    !weir_slice_ends(label, "%"))
		return false;
	label.length -= weir_slice_ends(label, "%");
	if (!weir_parse_double(label.data, label.length, &percent) || !(percent > 0) ||
	    !(percent < 100))
		return false;
	weir_text_printf(name, "p%.6g", percent);
	return true;
}

static void take_time(struct endpoints *reading, struct weir_slice label, struct weir_slice value,
                      uint64_t at)
{
	struct weir_text name = {0};
	double time;

	if (reading->subject && put_statistic(label, &name)) {
		time = take_number(&value);
		time *= weir_slice_equals(value, "s")    ? 1e3
		        : weir_slice_equals(value, "us") ? 1e-3
		        : weir_slice_equals(value, "ms") ? 1
		                                         : NAN;
		weir_text_printf(&name, "_%s_ms", reading->subject);
		if (isnan(time))
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, NULL);
		weir_figure_add(reading->input->run, name.data, "ms", false, time);
	}
	weir_text_release(&name);
}

/* Takes a total, which begins its line. Returns false for other labels. */
static bool take_total(struct endpoints *reading, struct weir_slice label, struct weir_slice value,
                       uint64_t at)
{
	static const struct {
		const char *label, *name, *unit; /* no unit: a label of the run */
	} totals[] = {
		{"QPS", "samples_per_s", "1/s"},
		{"TPS", "tokens_per_s", "tokens/s"},
		{"Total samples issued", "issued", NULL},
		{"Total samples completed", "completed", NULL},
		{"Total samples failed", "failed", NULL},
		{"Duration", "duration_s", NULL},
	};
	struct weir_slice rest = value;
	double number = take_number(&rest);

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		if (!weir_slice_equals(label, totals[i].label))
			continue;
		value.length -= rest.length;
		if (isnan(number))
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, NULL);
		else if (totals[i].unit)
			weir_figure_add(reading->input->run, totals[i].name, totals[i].unit, true,
			                number);
		else
			weir_figure_label(reading->input->run, totals[i].name,
			                  weir_slice_trim(value));
		if (strcmp(totals[i].name, "issued") == 0)
			reading->issued = number;
		if (strcmp(totals[i].name, "failed") == 0)
			reading->failed = number;
		return true;
	}
	return false;
}

/* Labels the run with the target in "load_pattern: type=poisson, target_qps=325.0, ...". */
static void take_target(struct endpoints *reading, struct weir_slice value)
{
	static const char key[] = "target_qps=";
	const char *found = weir_slice_find(value, key);
	size_t length = 0;

	if (!found)
		return;
	found += sizeof(key) - 1;
	while (found + length < value.data + value.length && found[length] != ',')
		length++;
	weir_figure_label(reading->input->run, "target_qps", (struct weir_slice){found, length});
}

static void take_line(struct endpoints *reading, const struct weir_csv_row *row)
{
	static const struct {
		const char *label, *subject;
	} subjects[] = {{"TTFT", "ttft"}, {"TPOT", "tpot"}, {"Latency", "latency"}};
	struct weir_slice label, value;

	if (!split(row->line, &label, &value))
		return;
	if (row->cut && value.length) { /* a number that is cut is another number */
		weir_input_warn(reading->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return;
	}
	if (row->line.data[0] == ' ') {
		take_time(reading, label, value, row->at);
		if (weir_slice_equals(label, "load_pattern"))
			take_target(reading, value);
		return;
	}
	reading->subject = NULL;
	for (size_t i = 0; !value.length && i < sizeof(subjects) / sizeof(subjects[0]); i++)
		if (weir_slice_starts(label, subjects[i].label))
			reading->subject = subjects[i].subject;
	take_total(reading, label, value, row->at);
}

/* Warns of samples that failed. */
static void warn_of_failures(struct endpoints *reading)
{
	struct weir_text text = {0};

	if (!(reading->failed > 0))
		return;
	weir_text_printf(&text, "%.0f of %.0f samples failed", reading->failed, reading->issued);
	weir_input_warn(reading->input, WEIR_WARN_FAILED_COUNTED, UINT64_MAX, text.data);
	weir_text_release(&text);
}

static enum weir_status read_endpoints(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct endpoints reading = {.input = input, .issued = NAN, .failed = NAN};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		if (row->line.length)
			take_line(&reading, row);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (status)
		return status;
	input->events = input->run->metrics.count;
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a report of MLPerf's endpoints without a rate and without times: "
		                 "expected lines such as \"QPS: 31.25\"");
	warn_of_failures(&reading);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

const struct weir_reader weir_reader_mlperf_endpoints = {
	.name = "mlperf-endpoints",
	.title = "reports of MLPerf's load generator for endpoints (report.txt)",
	.gives = "native run",
	.tool = "MLPerf's load generator for endpoints",
	.whole_run = true,
	.marks = marks,
	.read = read_endpoints,
};
