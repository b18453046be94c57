/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"

#define NS_PER_MS   1e6
#define MOST_COUNT  9007199254740992.0 /* 2^53: the numbers below are exact */
#define SPECTRUM_PC 95.0               /* the percentile that is taken from a spectrum */
#define GROUP       3                  /* digits between commas */
#define NUMBER_TEXT 32                 /* bytes of a number with commas */

/* Figure in ms or label that each number becomes, or the reason why requests failed. Late figures
 * come behind the others. */
static const struct {
	const char *figure, *label, *failure;
	bool is_count, is_late;
} slots[WEIR_HTTP_SLOTS] = {
	[WEIR_HTTP_REQUESTS] = {.is_count = true},
	[WEIR_HTTP_CONCURRENCY] = {.label = "concurrency", .is_count = true},
	[WEIR_HTTP_THREADS] = {.label = "threads", .is_count = true},
	[WEIR_HTTP_MIN] = {.figure = "min_latency_ms"},
	[WEIR_HTTP_MEAN] = {.figure = "mean_latency_ms"},
	[WEIR_HTTP_STDEV] = {.figure = "stdev_latency_ms"},
	[WEIR_HTTP_MAX] = {.figure = "max_latency_ms"},
	[WEIR_HTTP_MEDIAN] = {.figure = "median_latency_ms"},
	[WEIR_HTTP_P75] = {.figure = "p75_latency_ms"},
	[WEIR_HTTP_P90] = {.figure = "p90_latency_ms"},
	[WEIR_HTTP_P95] = {.figure = "p95_latency_ms"},
	[WEIR_HTTP_P97_5] = {.figure = "p97.5_latency_ms"},
	[WEIR_HTTP_P99] = {.figure = "p99_latency_ms"},
	[WEIR_HTTP_MEAN_CONNECT] = {.figure = "mean_connect_ms", .is_late = true},
	[WEIR_HTTP_MEDIAN_CONNECT] = {.figure = "median_connect_ms", .is_late = true},
	[WEIR_HTTP_MEAN_WAITING] = {.figure = "mean_waiting_ms", .is_late = true},
	[WEIR_HTTP_MEDIAN_WAITING] = {.figure = "median_waiting_ms", .is_late = true},
	[WEIR_HTTP_MEAN_FIRST_BYTE] = {.figure = "mean_first_byte_ms", .is_late = true},
	[WEIR_HTTP_SENT_RATE] = {.label = "achieved_rate"},
	[WEIR_HTTP_NO_ANSWER] = {.failure = "no answer", .is_count = true},
	[WEIR_HTTP_BAD_STATUS] = {.failure = "bad status", .is_count = true},
	[WEIR_HTTP_CONNECT_ERRORS] = {.failure = "connect errors", .is_count = true},
	[WEIR_HTTP_READ_ERRORS] = {.failure = "read errors", .is_count = true},
	[WEIR_HTTP_WRITE_ERRORS] = {.failure = "write errors", .is_count = true},
	[WEIR_HTTP_TIMEOUTS] = {.failure = "timeouts", .is_count = true},
	[WEIR_HTTP_EXCEPTIONS] = {.failure = "other errors", .is_count = true},
	[WEIR_HTTP_OTHER_FAILURES] = {.failure = "", .is_count = true},
	[WEIR_HTTP_STATED_FAILURES] = {.is_count = true},
	[WEIR_HTTP_ODD_LENGTHS] = {.is_count = true},
	[WEIR_HTTP_UNFINISHED] = {.is_count = true},
	[WEIR_HTTP_SENT] = {.is_count = true},
	[WEIR_HTTP_SUCCESSES] = {.is_count = true},
	[WEIR_HTTP_PIPELINE] = {.is_count = true},
};

/* ---- a report ---- */

void weir_http_report_init(struct weir_http_report *report, struct weir_input *input)
{
	*report =
		(struct weir_http_report){.input = input, .run = weir_run_new(), .completed = NAN};
	for (size_t i = 0; i < WEIR_HTTP_SLOTS; i++)
		report->value[i] = NAN;
}

void weir_http_report_release(struct weir_http_report *report)
{
	weir_run_free(report->run);
	report->run = NULL;
}

static bool is_possible(struct weir_http_report *report, enum weir_http_slot slot, double value,
                        uint64_t at)
{
	if (isfinite(value) && value >= 0 && !(slots[slot].is_count && value > MOST_COUNT))
		return true;
	weir_input_warn(report->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return false;
}

static void label_number(struct weir_run *run, const char *key, double number)
{
	char value[32];

	snprintf(value, sizeof(value), "%.10g", number);
	if (isfinite(number))
		weir_run_set_label(run, key, value);
}

bool weir_http_report_set(struct weir_http_report *report, enum weir_http_slot slot, double value,
                          uint64_t at)
{
	if (slot == WEIR_HTTP_NOTHING)
		return true;
	if (!is_possible(report, slot, value, at))
		return false;
	report->has_values = true;
	if (!isnan(report->value[slot]))
		return true;
	report->value[slot] = value;
	if (slots[slot].figure && !slots[slot].is_late)
		weir_figure_add(report->run, slots[slot].figure, "ms", false, value);
	if (slots[slot].label)
		label_number(report->run, slots[slot].label, value);
	return true;
}

void weir_http_report_count(struct weir_http_report *report, enum weir_http_slot slot, double value,
                            uint64_t at)
{
	double sum = weir_http_report_counted(report, slot) + value;

	if (is_possible(report, slot, value, at) && is_possible(report, slot, sum, at))
		report->value[slot] = sum;
}

void weir_http_report_percentile(struct weir_http_report *report, const char *of, double percent,
                                 double ms, uint64_t at)
{
	struct weir_text name = {0};

	if (!(percent > 0) || !(percent < 100) || !is_possible(report, WEIR_HTTP_AT_TIME, ms, at))
		return;
	report->has_values = true;
	if (percent == 50)
		weir_text_puts(&name, "median");
	else
		weir_text_printf(&name, "p%.6g", percent);
	weir_text_printf(&name, "_%s_ms", of);
	weir_figure_add(report->run, name.data, "ms", false, ms);
	weir_text_release(&name);
}

void weir_http_report_status(struct weir_http_report *report, int64_t status, double count,
                             uint64_t at)
{
	bool is_failure = status <= 0 || status >= WEIR_HTTP_FIRST_FAILURE;

	if (!is_possible(report, WEIR_HTTP_REQUESTS, count, at))
		return;
	report->has_values = true;
	report->completed =
		(report->completed > 0 ? report->completed : 0) + (is_failure ? 0 : count);
	if (is_failure)
		weir_http_report_count(report, WEIR_HTTP_BAD_STATUS, count, at);
}

void weir_http_report_unanswered(struct weir_http_report *report, double count, uint64_t at)
{
	if (!is_possible(report, WEIR_HTTP_NO_ANSWER, count, at))
		return;
	report->has_values = true;
	report->completed = report->completed > 0 ? report->completed : 0;
	weir_http_report_count(report, WEIR_HTTP_NO_ANSWER, count, at);
}

/* Texts in errors of requests without an answer, and their reasons. Rows of one reason are next to
 * each other. */
static const struct {
	const char *text, *reason;
} errors[] = {
	{"connection refused", "refused connections"},
	{"no such host", "unknown hosts"},
	{"connection reset", "reset connections"},
	{"broken pipe", "reset connections"},
	{"too many open files", "too many open files"},
	{"imeout", "timeouts"}, /* "Timeout" as well */
	{"deadline exceeded", "timeouts"},
	{"timed out", "timeouts"},
	{"EOF", "closed connections"},
};

void weir_http_report_error(struct weir_http_report *report, struct weir_slice text)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (weir_slice_holds(text, errors[i].text))
			report->unanswered |= 1u << i;
}

/* Appends " (timeouts, refused connections)", the reasons why requests have no answer. */
static void put_reasons(const struct weir_http_report *report, struct weir_text *out)
{
	const char *before = " (", *last = "";

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (!(report->unanswered >> i & 1) || strcmp(errors[i].reason, last) == 0)
			continue;
		last = errors[i].reason;
		weir_text_printf(out, "%s%s", before, last);
		before = ", ";
	}
	weir_text_puts(out, *last ? ")" : "");
}

double weir_http_report_counted(const struct weir_http_report *report, enum weir_http_slot slot)
{
	return report->value[slot] > 0 ? report->value[slot] : 0;
}

double weir_http_report_failed(const struct weir_http_report *report)
{
	double failed = 0;

	for (size_t i = 0; i < WEIR_HTTP_SLOTS; i++)
		if (slots[i].failure)
			failed += weir_http_report_counted(report, (enum weir_http_slot)i);
	return failed;
}

/* Two rates of the same requests differ by the decimals of the stated time. */
#define SAME_RATE 0.005

/* Returns requests that completed per second. The stated rate counts those that did not as well: if
 * it fits the stated number of requests, their share of it is taken, else their number and the time
 * of the test. */
static double find_rate(const struct weir_http_report *report, double failed, double duration_s)
{
	double stated = report->value[WEIR_HTTP_RATE], all = report->value[WEIR_HTTP_REQUESTS];
	bool all_counted = failed > 0 || report->value[WEIR_HTTP_UNFINISHED] > 0;

	if (!all_counted && !isnan(stated))
		return stated;
	if (report->completed <= all && fabs(all / duration_s - stated) <= SAME_RATE * stated)
		return stated * report->completed / all;
	return duration_s > 0 ? report->completed / duration_s : NAN;
}

/* Appends "23 of 319 requests failed: bad status 11, timeouts 12". Returns false if the report
 * states no reasons. */
static bool put_failures(const struct weir_http_report *report, double failed,
                         struct weir_text *out)
{
	const char *before = ": ";
	bool has_reasons = false;

	weir_text_printf(out, "%.0f of %.0f requests failed", failed, report->completed + failed);
	for (size_t i = 0; i < WEIR_HTTP_SLOTS; i++) {
		double count = weir_http_report_counted(report, (enum weir_http_slot)i);

		if (!slots[i].failure || !*slots[i].failure || !(count > 0))
			continue;
		weir_text_printf(out, "%s%s %.0f", before, slots[i].failure, count);
		if (i == WEIR_HTTP_NO_ANSWER)
			put_reasons(report, out);
		before = ", ";
		has_reasons = true;
	}
	return has_reasons;
}

/* Warns of failed requests in one short text: an input keeps only one, and a part of a long one. */
static void warn(struct weir_http_report *report, double failed)
{
	struct weir_text text = {0};

	if (failed > 0) {
		bool has_reasons = put_failures(report, failed, &text);

		if (!*report->remark && !report->times_of_completed)
			weir_text_puts(&text, has_reasons
			                              ? "; times may include theirs"
			                              : "; their times may be among the others");
	}
	if (*report->remark)
		weir_text_printf(&text, "%s%s", text.length ? "; " : "", report->remark);
	if (text.length)
		weir_input_warn(report->input,
		                failed > 0 ? WEIR_WARN_FAILED_COUNTED : WEIR_WARN_OF_TOOL,
		                UINT64_MAX, text.data);
	weir_text_release(&text);
	weir_client_summary_warn(report->input, WEIR_WARN_UNFINISHED,
	                         report->value[WEIR_HTTP_UNFINISHED]);
}

enum weir_status weir_http_report_settle(struct weir_http_report *report, const char *expected,
                                         struct weir_error *err)
{
	double failed = weir_http_report_failed(report);
	double duration_s = isnan(report->value[WEIR_HTTP_DURATION_S])
	                            ? report->value[WEIR_HTTP_DURATION_MS] / 1e3
	                            : report->value[WEIR_HTTP_DURATION_S];

	if (report->completed <= 0)
		return weir_client_fail_none_completed(err);
	weir_figure_add(report->run, "request_throughput", "1/s", true,
	                find_rate(report, failed, duration_s));
	for (size_t i = 0; i < WEIR_HTTP_SLOTS; i++)
		if (slots[i].is_late)
			weir_figure_add(report->run, slots[i].figure, "ms", false,
			                report->value[i]);
	if (!report->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no times and no rate in this report: expected %s", expected);
	label_number(report->run, WEIR_LOAD_COMPLETED, report->completed);
	label_number(report->run, WEIR_LOAD_DURATION, duration_s);
	if (failed > 0 && !isnan(report->completed)) {
		weir_figure_add(report->run, "failed_pct", "%", false,
		                100 * failed / (report->completed + failed));
		label_number(report->run, WEIR_LOAD_FAILED, failed);
	}
	if (!report->quiet)
		warn(report, isnan(report->completed) ? 0 : failed);
	return WEIR_OK;
}

enum weir_status weir_http_report_conclude(struct weir_http_report *report, const char *expected,
                                           struct weir_error *err)
{
	struct weir_input *input = report->input;
	enum weir_status status = weir_http_report_settle(report, expected, err);

	input->run = report->run;
	report->run = NULL;
	if (status)
		return status;
	input->events = input->run->metrics.count;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

/* ---- numbers of a text ---- */

/* Units of a time: nanoseconds as `factor` times a power of ten, so that decimals stay exact. */
static const struct {
	const char *name;
	int places;
	double factor;
} units[] = {
	{"ms", 6, 1},        {"secs", 9, 1},      {"sec", 9, 1}, {"s", 9, 1},  {"us", 3, 1},
	{"\xc2\xb5s", 3, 1}, {"\xce\xbcs", 3, 1}, {"ns", 0, 1},  {"m", 9, 60}, {"h", 9, 3600},
};

/* Takes "1.5ms" off a text and returns it in ns; NAN: it begins with another text. */
static double take_time(struct weir_slice *text)
{
	size_t length = 0, end;
	struct weir_slice unit;
	int64_t ns;

	while (length < text->length && text->data[length] &&
	       strchr("0123456789.", text->data[length]))
		length++;
	for (end = length; end < text->length && !strchr("0123456789.", text->data[end]);)
		end++;
	unit = weir_slice_trim((struct weir_slice){text->data + length, end - length});
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (weir_slice_equals(unit, units[i].name) &&
		    weir_parse_scaled(text->data, length, units[i].places, &ns)) {
			*text = (struct weir_slice){text->data + end, text->length - end};
			return (double)ns * units[i].factor;
		}
	return NAN;
}

double weir_http_parse_ms(struct weir_slice text)
{
	double ns = take_time(&text);

	while (text.length && !isnan(ns))
		ns += take_time(&text);
	return ns / NS_PER_MS;
}

double weir_http_parse_seconds(struct weir_slice text)
{
	int64_t ns;

	return weir_parse_scaled(text.data, text.length, 9, &ns) ? (double)ns / NS_PER_MS : NAN;
}

/* Removes the commas of "1,119.75" into a buffer. Returns the length; 0 if they do not separate
 * groups of three digits, or the text is too long. */
static size_t remove_commas(struct weir_slice text, char *out, size_t size)
{
	size_t length = 0, group = 0;
	bool in_groups = false, in_fraction = false;

	for (size_t i = 0; i <= text.length && length < size; i++) {
		char c = '\0';

		if (i < text.length)
			c = text.data[i];
		if (c >= '0' && c <= '9') {
			group++;
		} else {
			if (in_groups && !in_fraction && group != GROUP)
				return 0;
			if (c == ',' && (in_fraction || !group || group > GROUP))
				return 0;
			in_groups |= c == ',';
			in_fraction |= c != ',';
			group = 0;
		}
		if (c != ',' && i < text.length)
			out[length++] = c;
	}
	return length < size ? length : 0;
}

/* Removes what may stand around a number. */
static struct weir_slice without_brackets(struct weir_slice text)
{
	weir_slice_take(&text, "(");
	while (text.length && strchr(",;)]", text.data[text.length - 1]))
		text.length--;
	return text;
}

double weir_http_parse_number(struct weir_slice text)
{
	char plain[NUMBER_TEXT];
	double value;

	text = without_brackets(text);
	if (text.length && memchr(text.data, ',', text.length)) {
		size_t length = remove_commas(text, plain, sizeof(plain));

		return weir_parse_double(plain, length, &value) ? value : NAN;
	}
	return weir_parse_double(text.data, text.length, &value) ? value : NAN;
}

/* Parses a cell that stands for a sign of a pattern: a number, seconds, a share in per cent or a
 * time. */
static double parse_cell(char sign, struct weir_slice cell)
{
	cell = without_brackets(cell);
	if (sign == '@')
		return weir_http_parse_ms(cell);
	if (sign == '$')
		return weir_http_parse_seconds(cell);
	if (sign == '%') {
		if (!weir_slice_ends(cell, "%"))
			return NAN;
		cell.length--;
	}
	return weir_http_parse_number(cell);
}

/* ---- lines ---- */

/* True if the cell may be one that the sign stands for: it begins as a number does. */
static bool may_be_number(char sign, struct weir_slice cell)
{
	weir_slice_take(&cell, "(");
	return cell.length && cell.data[0] && strchr("0123456789.+-", cell.data[0]) &&
	       (sign != '%' || memchr(cell.data, '%', cell.length));
}

/* Takes the next word of a pattern. Returns an empty one at its end. */
static struct weir_slice take_word(const char **pattern)
{
	size_t length = strcspn(*pattern, " ");
	struct weir_slice word = {*pattern, length};

	*pattern += length + ((*pattern)[length] == ' ');
	return word;
}

/* Returns the sign that a word of a pattern is; '\0': it stands for itself. */
static char sign_of(struct weir_slice word)
{
	return word.length == 1 && strchr("#$%@*", *word.data) ? *word.data : '\0';
}

/* True if the row has the pattern. Parses its numbers, NAN if malformed, and gives the number of
 * cells up to and with the last of them. */
static bool match(const char *pattern, const struct weir_csv_row *row, double *values,
                  size_t *numbers_end)
{
	struct weir_slice word = take_word(&pattern);
	size_t cell = 0, numbers = 0;

	*numbers_end = 0;
	for (; word.length; word = take_word(&pattern), cell++) {
		struct weir_slice text = weir_csv_cell(row, cell);
		char sign = sign_of(word);

		if (weir_slice_equals(word, "..."))
			return true;
		weir_slice_take(&word, "\\");
		if (!sign && !weir_slice_same(word, text))
			return false;
		if (!sign || (sign == '*' && text.length))
			continue;
		if (!may_be_number(sign, text) || numbers == WEIR_HTTP_LINE_SLOTS)
			return false;
		values[numbers++] = parse_cell(sign, text);
		*numbers_end = cell + 1;
	}
	return cell == row->count;
}

/* Takes the percentile of a line, which its slots hold; nothing if they hold none. */
static void take_percentile(struct weir_http_report *report, const struct weir_http_line *line,
                            const double *values, uint64_t at)
{
	double percent = NAN, ms = NAN;

	for (size_t i = 0; i < WEIR_HTTP_LINE_SLOTS; i++) {
		if (line->slots[i] == WEIR_HTTP_AT_PERCENT)
			percent = values[i];
		else if (line->slots[i] == WEIR_HTTP_AT_SHARE)
			percent = fabs(100 * values[i] - SPECTRUM_PC) < 1e-6 ? SPECTRUM_PC : NAN;
		else if (line->slots[i] == WEIR_HTTP_AT_TIME)
			ms = values[i];
	}
	if (isnan(percent))
		return;
	if (!line->of && percent == 100)
		weir_http_report_set(report, WEIR_HTTP_MAX, ms, at);
	else
		weir_http_report_percentile(report, line->of ? line->of : WEIR_HTTP_LATENCY,
		                            percent, ms, at);
}

static void take_values(struct weir_http_report *report, const struct weir_http_line *line,
                        const double *values, uint64_t at)
{
	take_percentile(report, line, values, at);
	for (size_t i = 0; i < WEIR_HTTP_LINE_SLOTS; i++)
		if (line->slots[i] < WEIR_HTTP_AT_PERCENT)
			weir_http_report_set(report, line->slots[i], values[i], at);
}

/* ---- texts ---- */

struct texts {
	const struct weir_http_text *text;
	struct weir_http_report report;
	struct weir_load_join join;
};

/* Adds the report to those of the file, unless it has no values. One without a completed request is
 * counted and left out, and so is one that ends before its times. */
static enum weir_status end_report(struct texts *texts, struct weir_error *err)
{
	struct weir_http_report *report = &texts->report;
	struct weir_client_summary none;
	struct weir_run *run = report->run;

	if (!report->has_values)
		return WEIR_OK;
	texts->text->settle(report);
	if (report->completed <= 0) {
		weir_client_summary_init(&none);
		none.failed = weir_http_report_failed(report);
		weir_load_join_skip(&texts->join, &none);
		return WEIR_OK;
	}
	if (weir_http_report_settle(report, texts->text->expected, NULL)) {
		weir_input_warn(report->input, WEIR_WARN_SKIPPED_EVENT, UINT64_MAX,
		                "a report without times");
		return WEIR_OK;
	}
	report->run = NULL;
	texts->join.unlike |= !weir_run_label(run, slots[WEIR_HTTP_CONCURRENCY].label);
	return weir_load_join_add(&texts->join, run, err);
}

static enum weir_status begin_report(struct texts *texts, struct weir_error *err)
{
	struct weir_input *input = texts->report.input;
	enum weir_status status = end_report(texts, err);

	weir_http_report_release(&texts->report);
	weir_http_report_init(&texts->report, input);
	return status;
}

/* Returns a row of the log of several containers, "vegeta_1 | Requests ...", without its name. */
static struct weir_csv_row without_name(const struct weir_csv_row *row)
{
	struct weir_csv_row rest = *row;

	if (row->count > 2 && weir_slice_equals(row->cells[1], "|")) {
		rest.cells += 2;
		rest.count -= 2;
	}
	return rest;
}

static enum weir_status take_row(struct texts *texts, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	double values[WEIR_HTTP_LINE_SLOTS] = {0};
	const struct weir_http_line *line = texts->text->lines;
	enum weir_status status = WEIR_OK;
	size_t numbers_end = 0;

	if (texts->text->take && texts->text->take(&texts->report, row))
		return WEIR_OK;
	while (line->pattern && ((line->in && line->in != texts->report.section) ||
	                         !match(line->pattern, row, values, &numbers_end)))
		line++;
	if (!line->pattern)
		return WEIR_OK;
	if (row->cut && numbers_end == row->count) { /* a number that is cut is another number */
		weir_input_warn(texts->report.input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	if (line->begins || (line->again && !isnan(texts->report.value[line->slots[0]])))
		status = begin_report(texts, err);
	if (line->enter)
		texts->report.section = line->enter;
	if (!status)
		take_values(&texts->report, line, values, row->at);
	return status;
}

static enum weir_status finish(struct texts *texts, struct weir_source *source,
                               struct weir_error *err)
{
	struct weir_input *input = texts->report.input;
	enum weir_status status = end_report(texts, err);

	weir_damage_of_source(input, source);
	if (!status && !texts->join.count && !texts->join.empty)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no times and no rate in this report: expected %s",
		                   texts->text->expected);
	if (!status)
		status = weir_load_join_finish(&texts->join, input, err);
	if (status)
		return status;
	input->events = input->run->metrics.count;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

enum weir_status weir_http_text_read(const struct weir_http_text *text, struct weir_source *source,
                                     struct weir_input *input, struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ' '};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct texts texts = {.text = text};
	const struct weir_csv_row *row;
	enum weir_status status;

	weir_http_report_init(&texts.report, input);
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		const struct weir_csv_row line = without_name(row);

		status = row->count ? take_row(&texts, &line, err) : WEIR_OK;
		if (status)
			break;
	}
	weir_csv_free(csv);
	if (!status)
		status = finish(&texts, source, err);
	weir_http_report_release(&texts.report);
	weir_load_join_release(&texts.join);
	return status;
}

int weir_http_text_sniff(const char *head, size_t len, const char *const *texts)
{
	int bits = 0;

	if (weir_sniff_first(head, len) == '<' || weir_sniff_is_json(head, len))
		return 0;
	for (; *texts; texts++) {
		if (!weir_sniff_contains(head, len, *texts))
			return 0;
		bits += 8 * (int)strlen(*texts);
	}
	return bits;
}
