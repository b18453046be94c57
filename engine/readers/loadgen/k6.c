/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads summaries of k6: the JSON of --summary-export, that of handleSummary(), whose figures are
 * in "values", and the text that k6 prints when a test ends:
 *
 *	http_req_duration..............: avg=16.12ms min=3.11ms med=11.28ms max=478.92ms p(95)=20ms
 *	http_req_failed................: 0.25%  1 out of 400
 *	http_reqs......................: 400    42.59/s
 *
 * Times of requests, their rate and the share that failed are figures. Times include those of
 * failed requests, which is a warning. Thresholds that failed are a label. Checks, metrics of the
 *script and metrics of some requests
 * ("http_req_duration{expected_response:true}") are left out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define METRICS "metrics/"
#define VALUES  "values/"

#define THRESHOLDS     "/thresholds/"
#define MAX_THRESHOLDS 400 /* bytes of those that failed; further ones are left out */
#define CROSS          "\xe2\x9c\x97"
#define FAILED_MARK    CROSS " " /* of a check or a threshold */
#define PASSED_MARK    "\xe2\x9c\x93"
#define CHECKS_PASSED  "checks_passed"
#define CHECKS_FAILED  "checks_failed"

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"metrics"}, .all = 1},
         .within = "metrics",
         .inside = {{"http_req_duration", "http_reqs", "http_req_waiting", "http_req_failed",
                     "grpc_req_duration", "iteration_duration", "data_received", "vus_max"},
                    .any = 8}},
	{.first = "", .texts = {{"http_req_duration.", "http_reqs.", "avg=", "med="}, .all = 4}},
	{.first = "", .texts = {{"grpc_req_duration.", "iterations.", "avg=", "med="}, .all = 4}},
	{0},
};

enum kind {
	TIMES,    /* of requests */
	REQUESTS, /* their number and rate */
	FAILED,   /* the share of requests that failed */
	USERS,    /* virtual users: at most in use, or initialised */
	CHECKS,   /* conditions on answers that the script checked: passed and failed */
	CHECKED,  /* one of both numbers, since version 1 */
	KINDS
};

static const struct metric {
	const char *name;
	enum kind kind;
	const char *prefix; /* of the figures; key of a label */
} metrics[] = {
	{"http_req_duration", TIMES, ""},
	{"grpc_req_duration", TIMES, "grpc_"},
	{"http_reqs", REQUESTS, ""},
	{"http_req_failed", FAILED, ""},
	{"vus", USERS, "vus"},
	{"vus_max", USERS, "vus_max"},
	{"checks", CHECKS, ""},
	{"checks_succeeded", CHECKED, CHECKS_PASSED},
	{"checks_failed", CHECKED, CHECKS_FAILED},
};

#define METRIC_COUNT (sizeof(metrics) / sizeof(metrics[0]))

struct k6 {
	struct weir_input *input;
	double requests, failed;     /* number; share; NAN: unknown */
	bool taken[METRIC_COUNT];    /* metrics of the text */
	bool further;                /* the lines are of a further summary */
	struct weir_text thresholds; /* that failed: "http_req_duration: p(95)<500, ..." */
	struct weir_text subject;    /* metric whose thresholds the lines of the text state */
};

/* ---- figures ---- */

/* Writes the name of a statistic: "mean", "p99.9". Returns false for other names. */
static bool put_statistic(struct weir_slice statistic, struct weir_text *name)
{
	static const struct {
		const char *statistic, *name;
	} names[] = {{"avg", "mean"}, {"med", "median"}, {"min", "min"}, {"max", "max"}};
	double percent;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (weir_slice_equals(statistic, names[i].statistic)) {
			weir_text_puts(name, names[i].name);
			return true;
		}
	if (!weir_slice_take(&statistic, "p(") || !weir_slice_ends(statistic, ")") ||
	    !weir_parse_double(statistic.data, statistic.length - 1, &percent) || !(percent > 0) ||
	    !(percent < 100))
		return false;
	weir_text_printf(name, "p%.6g", percent);
	return true;
}

/* Warns of a value that is no possible figure. */
static bool is_possible(struct k6 *k6, double value, uint64_t at)
{
	if (isfinite(value) && value >= 0)
		return true;
	weir_input_warn(k6->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return false;
}

static void take_time(struct k6 *k6, const struct metric *metric, struct weir_slice statistic,
                      double ms, uint64_t at)
{
	struct weir_text name = {0};

	weir_text_puts(&name, metric->prefix);
	if (put_statistic(statistic, &name) && is_possible(k6, ms, at)) {
		weir_text_puts(&name, "_latency_ms");
		weir_figure_add(k6->input->run, name.data, "ms", false, ms);
	}
	weir_text_release(&name);
}

static void take_rate(struct k6 *k6, double per_s, uint64_t at)
{
	if (is_possible(k6, per_s, at))
		weir_figure_add(k6->input->run, "request_throughput", "1/s", true, per_s);
}

static void take_failed(struct k6 *k6, double share, uint64_t at)
{
	if (!is_possible(k6, share, at) || share > 1)
		return;
	k6->failed = share;
	weir_figure_add(k6->input->run, "failed_pct", "%", false, 100 * share);
}

static void label_number(struct weir_run *run, const char *key, double number)
{
	char value[32];

	snprintf(value, sizeof(value), "%.0f", number);
	weir_run_set_label(run, key, value);
}

/* Keeps a threshold that failed. `expression`: empty if it is not stated. */
static void keep_threshold(struct k6 *k6, struct weir_slice metric, struct weir_slice expression)
{
	if (k6->thresholds.length > MAX_THRESHOLDS)
		return;
	weir_text_puts(&k6->thresholds, k6->thresholds.length ? ", " : "");
	weir_text_add(&k6->thresholds, metric.data, metric.length);
	weir_text_puts(&k6->thresholds, metric.length && expression.length ? ": " : "");
	weir_text_add(&k6->thresholds, expression.data, expression.length);
}

/* ---- JSON ---- */

/* Takes "NAME/thresholds/p(95)<500/ok": false of handleSummary(), or without "/ok" of
 * --summary-export, where true means that the threshold was crossed. Returns false for other
 * members. */
static bool take_threshold(struct k6 *k6, struct weir_slice path, struct weir_slice text)
{
	const char *at = weir_slice_find(path, THRESHOLDS);
	struct weir_slice expression;
	bool is_ok;

	if (!at)
		return false;
	expression =
		(struct weir_slice){at + strlen(THRESHOLDS),
	                            (size_t)(path.data + path.length - at) - strlen(THRESHOLDS)};
	is_ok = weir_slice_ends(expression, "/ok");
	expression.length -= is_ok ? strlen("/ok") : 0;
	if (weir_slice_equals(text, is_ok ? "false" : "true"))
		keep_threshold(k6, (struct weir_slice){path.data, (size_t)(at - path.data)},
		               expression);
	return true;
}

/* Labels a number of checks by the name of the member: "passes" or "fails". */
static void take_checks_member(struct k6 *k6, struct weir_slice name, double value, uint64_t at)
{
	bool passed = weir_slice_equals(name, "passes");

	if ((passed || weir_slice_equals(name, "fails")) && is_possible(k6, value, at))
		label_number(k6->input->run, passed ? CHECKS_PASSED : CHECKS_FAILED, value);
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct k6 *k6 = context;
	struct weir_slice path = weir_slice_of(leaf->path);
	const struct metric *metric = NULL;
	double value = weir_jsonleaf_number(leaf, NULL);

	(void)err;
	if (!weir_slice_take(&path, METRICS) || take_threshold(k6, path, leaf->text))
		return WEIR_OK;
	for (size_t i = 0; !metric && i < METRIC_COUNT; i++) {
		struct weir_slice rest = path;

		if (weir_slice_take(&rest, metrics[i].name) && weir_slice_take(&rest, "/")) {
			metric = &metrics[i];
			path = rest;
		}
	}
	if (!metric)
		return WEIR_OK;
	weir_slice_take(&path, VALUES);
	if (metric->kind == TIMES)
		take_time(k6, metric, path, value, leaf->at);
	else if (metric->kind == REQUESTS && weir_slice_equals(path, "rate"))
		take_rate(k6, value, leaf->at);
	else if (metric->kind == REQUESTS && weir_slice_equals(path, "count"))
		k6->requests = is_possible(k6, value, leaf->at) ? value : NAN;
	else if (metric->kind == FAILED &&
	         (weir_slice_equals(path, "rate") || weir_slice_equals(path, "value")))
		take_failed(k6, value, leaf->at);
	else if (metric->kind == CHECKS)
		take_checks_member(k6, path, value, leaf->at);
	else if (metric->kind == USERS && weir_slice_equals(path, "max") &&
	         is_possible(k6, value, leaf->at))
		label_number(k6->input->run, metric->prefix, value);
	return WEIR_OK;
}

/* ---- text ---- */

static bool is_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.';
}

/* Parses a time of Go, "1m30.5s", into ms; returns NAN for other texts. */
static double parse_duration(struct weir_slice text)
{
	static const struct {
		const char *unit;
		double ms;
	} units[] = {{"ms", 1},           {"ns", 1e-6},  {"us", 1e-3}, {"\xc2\xb5s", 1e-3},
	             {"\xce\xbcs", 1e-3}, {"h", 3600e3}, {"m", 60e3},  {"s", 1e3}};
	double sum = 0, part;

	if (!text.length)
		return NAN;
	while (text.length) {
		size_t length = 0, unit = 0;

		while (length < text.length && is_of_number(text.data[length]))
			length++;
		if (!weir_parse_double(text.data, length, &part))
			return NAN;
		text = (struct weir_slice){text.data + length, text.length - length};
		while (unit < sizeof(units) / sizeof(units[0]) &&
		       !weir_slice_take(&text, units[unit].unit))
			unit++;
		if (unit == sizeof(units) / sizeof(units[0]))
			return NAN;
		sum += part * units[unit].ms;
	}
	return sum;
}

/* Takes a word off a text; empty at its end. */
static struct weir_slice take_word(struct weir_slice *text)
{
	struct weir_slice word = {text->data, 0};

	*text = weir_slice_trim(*text);
	word.data = text->data;
	while (word.length < text->length && text->data[word.length] != ' ')
		word.length++;
	*text = (struct weir_slice){text->data + word.length, text->length - word.length};
	return word;
}

/* Parses the number before an ending such as "/s" or "%"; returns NAN for other words. */
static double number_before(struct weir_slice word, const char *ending)
{
	double value;

	return weir_slice_ends(word, ending) &&
	                       weir_parse_double(word.data, word.length - strlen(ending), &value)
	               ? value
	               : NAN;
}

static void take_times(struct k6 *k6, const struct metric *metric, struct weir_slice values,
                       uint64_t at)
{
	struct weir_slice word;

	while ((word = take_word(&values)).length) {
		const char *equals = memchr(word.data, '=', word.length);
		size_t length = equals ? (size_t)(equals - word.data) : 0;

		if (equals)
			take_time(k6, metric, (struct weir_slice){word.data, length},
			          parse_duration((struct weir_slice){equals + 1,
			                                             word.length - length - 1}),
			          at);
	}
}

/* Labels the numbers behind the marks of "100.00% [PASSED] 158 [FAILED] 0". */
static void take_checks(struct k6 *k6, struct weir_slice values, uint64_t at)
{
	struct weir_slice word, mark = {0};

	while ((word = take_word(&values)).length) {
		bool passed = weir_slice_equals(mark, PASSED_MARK);
		bool failed = weir_slice_equals(mark, CROSS);

		if ((passed || failed) && is_possible(k6, number_before(word, ""), at))
			label_number(k6->input->run, passed ? CHECKS_PASSED : CHECKS_FAILED,
			             number_before(word, ""));
		mark = word;
	}
}

static void take_values(struct k6 *k6, const struct metric *metric, struct weir_slice values,
                        uint64_t at)
{
	struct weir_slice word;

	switch (metric->kind) {
	case TIMES:
		take_times(k6, metric, values, at);
		break;
	case REQUESTS:
		k6->requests = number_before(take_word(&values), "");
		take_rate(k6, number_before(take_word(&values), "/s"), at);
		break;
	case FAILED:
		take_failed(k6, number_before(take_word(&values), "%") / 100, at);
		break;
	case USERS:
		while ((word = take_word(&values)).length)
			if (weir_slice_take(&word, "max=") &&
			    is_possible(k6, number_before(word, ""), at))
				label_number(k6->input->run, metric->prefix,
				             number_before(word, ""));
		break;
	case CHECKS:
		take_checks(k6, values, at);
		break;
	case CHECKED:
		take_word(&values); /* their share */
		word = take_word(&values);
		if (is_possible(k6, number_before(word, ""), at))
			label_number(k6->input->run, metric->prefix, number_before(word, ""));
		break;
	case KINDS:
		break;
	}
}

/* Takes "http_reqs......: 400 42.59/s", which marks of thresholds may precede. */
static void take_line(struct k6 *k6, const struct weir_csv_row *row)
{
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		const char *found = weir_slice_find(row->line, metrics[i].name);
		struct weir_slice rest;

		if (!found || (found > row->line.data && found[-1] != ' '))
			continue;
		found += strlen(metrics[i].name);
		rest = (struct weir_slice){found,
		                           (size_t)(row->line.data + row->line.length - found)};
		while (weir_slice_take(&rest, "."))
			;
		if (!weir_slice_take(&rest, ": "))
			continue;
		if (row->cut) { /* a number that is cut is another number */
			weir_input_warn(k6->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		} else if (k6->taken[i]) {
			weir_input_warn(k6->input, WEIR_WARN_DUPLICATE, row->at,
			                "a further summary of k6; the first is read");
			k6->further = true;
		} else {
			take_values(k6, &metrics[i], rest, row->at);
			k6->taken[i] = true;
		}
	}
}

/* Takes a threshold that failed: a cross before the line of its metric, or, since version 1, before
 * the quoted expression below the name of the metric. A cross before another text is a check. */
static void take_mark(struct k6 *k6, struct weir_slice line)
{
	static const char dots[] = "..", quote = '\'';
	const char *end;

	for (size_t i = 0; weir_slice_holds(line, "THRESHOLDS") && i < METRIC_COUNT; i++)
		k6->further |= k6->taken[i]; /* they come before the metrics */
	if (k6->further)
		return;
	line = weir_slice_trim(line);
	if (!weir_slice_take(&line, FAILED_MARK)) {
		if (line.length && line.length < MAX_THRESHOLDS && !weir_slice_holds(line, " ") &&
		    (unsigned char)*line.data < 0x80) {
			weir_text_clear(&k6->subject);
			weir_text_add(&k6->subject, line.data, line.length);
		}
		return;
	}
	if (line.length > 1 && *line.data == quote) {
		end = memchr(line.data + 1, quote, line.length - 1);
		if (end)
			keep_threshold(
				k6,
				(struct weir_slice){k6->subject.data ? k6->subject.data : "",
			                            k6->subject.length},
				(struct weir_slice){line.data + 1, (size_t)(end - line.data) - 1});
		return;
	}
	end = weir_slice_find(line, dots);
	if (end && weir_slice_holds(line, ".: "))
		keep_threshold(k6, (struct weir_slice){line.data, (size_t)(end - line.data)},
		               (struct weir_slice){0});
}

static enum weir_status read_lines(struct k6 *k6, struct weir_source *source,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row)
		if (row->line.length) {
			take_line(k6, row);
			take_mark(k6, row->line);
		}
	weir_csv_free(csv);
	weir_damage_of_source(k6->input, source);
	return status;
}

/* ---- the reader ---- */

/* Labels the numbers of requests that succeeded and that failed, and warns of the latter. */
static enum weir_status conclude(struct k6 *k6, struct weir_error *err)
{
	struct weir_run *run = k6->input->run;
	double failed = k6->failed > 0 ? round(k6->failed * k6->requests) : 0;
	struct weir_text text = {0};

	k6->input->events = run->metrics.count;
	if (k6->failed >= 1 || k6->requests <= 0)
		return weir_client_fail_none_completed(err);
	if (!k6->input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no times and no rate of requests in this summary of k6: expected "
		                 "http_req_duration and http_reqs");
	if (k6->thresholds.length)
		weir_run_set_label(run, "failed_thresholds", k6->thresholds.data);
	if (!isnan(k6->requests))
		label_number(run, WEIR_LOAD_COMPLETED, k6->requests - failed);
	if (!isnan(k6->requests) && !isnan(k6->failed))
		label_number(run, WEIR_LOAD_FAILED, failed);
	if (failed > 0) {
		weir_text_printf(&text, "%.0f of %.0f requests failed, and their times are counted",
		                 failed, k6->requests);
		weir_input_warn(k6->input, WEIR_WARN_FAILED_COUNTED, UINT64_MAX, text.data);
		weir_text_release(&text);
	}
	weir_input_warn(k6->input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

static enum weir_status read_k6(struct weir_source *source, struct weir_input *input,
                                struct weir_error *err)
{
	struct k6 k6 = {.input = input, .requests = NAN, .failed = NAN};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &k6};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	input->run = weir_run_new();
	if (!status)
		status = first == '{' ? weir_jsonleaves_read(&leaves, source, err)
		                      : read_lines(&k6, source, err);
	if (!status)
		status = conclude(&k6, err);
	weir_text_release(&k6.thresholds);
	weir_text_release(&k6.subject);
	return status;
}

const struct weir_reader weir_reader_k6 = {
	.name = "k6",
	.title = "summaries of k6 (--summary-export FILE, handleSummary, text)",
	.gives = "native run",
	.tool = "k6",
	.whole_run = true,
	.marks = marks,
	.read = read_k6,
};
