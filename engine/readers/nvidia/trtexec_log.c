/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What trtexec prints when it is done, often all that is kept of it:
 *
 *	[01/02/2025-10:11:12] [I] Throughput: 801.5 qps
 *	[01/02/2025-10:11:12] [I] Latency: min = 1.1 ms, max = 1.6 ms, mean = 1.2 ms, ...
 *
 * and, with --dumpProfile, the times of the engine's layers; up to TensorRT 8.5 the name comes
 * first:
 *
 *	[01/02/2025-10:11:12] [I] === Profile (100 iterations ) ===
 *	[01/02/2025-10:11:12] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer
 *	[01/02/2025-10:11:12] [I]       12.50       0.1250       0.1240      62.5   conv1 + relu1
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/trtexec.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"

static const struct {
	const char *start, *name;
} distributions[] = {
	{"Latency", "latency"},
	{"End-to-End Host Latency", "end_to_end"},
	{"Enqueue Time", "enqueue"},
	{"H2D Latency", "h2d"},
	{"GPU Compute Time", "gpu_compute"},
	{"D2H Latency", "d2h"},
};

static const struct {
	const char *label, *suffix;
} statistics[] = {
	{"min", "min"},
	{"max", "max"},
	{"mean", "mean"},
	{"median", "median"},
	{"percentile(90%)", "p90"},
	{"percentile(95%)", "p95"},
	{"percentile(99%)", "p99"},
};

static struct weir_slice trim(struct weir_slice text)
{
	while (text.length && *text.data == ' ') {
		text.data++;
		text.length--;
	}
	while (text.length && text.data[text.length - 1] == ' ')
		text.length--;
	return text;
}

/* Takes off what comes before the separator; false where there is none. */
static bool take_until(struct weir_slice *rest, char separator, struct weir_slice *part)
{
	const char *at = rest->length ? memchr(rest->data, separator, rest->length) : NULL;

	if (!at)
		return false;
	*part = trim((struct weir_slice){rest->data, (size_t)(at - rest->data)});
	rest->length -= (size_t)(at - rest->data) + 1;
	rest->data = at + 1;
	return true;
}

/* "1.2 ms" with this unit; false where it is something else. */
static bool read_value(struct weir_slice text, const char *unit, double *value)
{
	size_t length = strlen(unit);

	text = trim(text);
	if (text.length <= length || memcmp(text.data + text.length - length, unit, length) != 0)
		return false;
	text = trim((struct weir_slice){text.data, text.length - length});
	return weir_parse_double(text.data, text.length, value);
}

/* One of "min = 1.1 ms"; what is no statistic adds nothing. */
static void take_statistic(struct weir_run *run, const char *name, struct weir_slice item)
{
	struct weir_text figure = {0};
	struct weir_slice label;
	double value;

	if (!take_until(&item, '=', &label) || !read_value(item, "ms", &value))
		return;
	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++) {
		if (!weir_slice_equals(label, statistics[i].label))
			continue;
		weir_text_printf(&figure, "%s_%s_ms", name, statistics[i].suffix);
		weir_figure_add(run, figure.data, "ms", false, value);
	}
	weir_text_release(&figure);
}

/* "min = 1.1 ms, max = 1.6 ms, percentile(99%) = 1.3 ms" */
static void take_statistics(struct weir_run *run, const char *name, struct weir_slice text)
{
	struct weir_slice item;

	while (take_until(&text, ',', &item))
		take_statistic(run, name, item);
	take_statistic(run, name, text);
}

/* What stands behind "[date] [I] "; false for lines of another kind. */
static bool take_message(struct weir_slice *line)
{
	struct weir_slice part;

	for (int i = 0; i < 2; i++) {
		*line = trim(*line);
		if (!line->length || *line->data != '[' || !take_until(line, ']', &part))
			return false;
	}
	return weir_slice_equals(part, "[I");
}

static void take_summary(struct weir_run *run, struct weir_slice line)
{
	struct weir_slice label;
	double value;

	if (!take_until(&line, ':', &label))
		return;
	if (weir_slice_equals(label, "Throughput") && read_value(line, "qps", &value))
		weir_figure_add(run, "throughput_qps", "1/s", true, value);
	for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
		if (weir_slice_equals(label, distributions[i].start))
			take_statistics(run, distributions[i].name, line);
}

/* What is known of the table of layers, line by line. */
struct layer_table {
	enum {
		TABLE_NONE,
		TABLE_TITLE, /* the header comes next */
		TABLE_ROWS,
	} state;
	bool name_first;
	size_t numbers; /* a row: total, average, median from 8.4 on, percentage */
};

/* Takes a word off the front or the back. */
static struct weir_slice take_word(struct weir_slice *text, bool front)
{
	struct weir_slice word = *text;
	size_t length = 0;

	if (front) {
		while (length < text->length && text->data[length] != ' ')
			length++;
		word.length = length;
		text->data += length;
	} else {
		while (length < text->length && text->data[text->length - length - 1] != ' ')
			length++;
		word.data += text->length - length;
		word.length = length;
	}
	text->length -= length;
	*text = trim(*text);
	return word;
}

static bool is_table(struct weir_slice line)
{
	return weir_slice_starts(line, "=== Profile (");
}

static void take_header(struct layer_table *table, struct weir_slice line)
{
	table->name_first = weir_slice_starts(line, "Layer");
	table->numbers = weir_slice_holds(line, "Median") ? 4 : 3;
	table->state =
		table->name_first || weir_slice_starts(line, "Time") ? TABLE_ROWS : TABLE_NONE;
}

/* False behind the last row, which is the total of all. */
static bool take_row(struct weir_input *input, const struct layer_table *table,
                     struct weir_slice line, uint64_t at)
{
	size_t average = table->name_first ? table->numbers - 2 : 1;
	double value, average_ms = NAN;

	for (size_t i = 0; i < table->numbers; i++) {
		struct weir_slice word = take_word(&line, !table->name_first);

		if (!weir_parse_double(word.data, word.length, &value))
			return false;
		if (i == average)
			average_ms = value;
	}
	if (!line.length || weir_slice_equals(line, "Total"))
		return false;
	weir_trtexec_add_layer(input, line, average_ms, at);
	input->events++;
	return true;
}

static void take_line(struct weir_input *input, struct layer_table *table,
                      const struct weir_csv_row *row)
{
	struct weir_slice line = row->line;

	if (!take_message(&line))
		return;
	line = trim(line);
	if (is_table(line)) /* a later table is the same again, or another engine's */
		table->state = input->run->operators.count ? TABLE_NONE : TABLE_TITLE;
	else if (table->state == TABLE_TITLE)
		take_header(table, line);
	else if (table->state == TABLE_ROWS && row->cut)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, row->at, "the file ends in this row");
	else if (table->state != TABLE_ROWS || !take_row(input, table, line, row->at))
		take_summary(input->run, line);
}

enum weir_status weir_trtexec_log(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	struct layer_table table = {TABLE_NONE, false, 0};
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		take_line(input, &table, row);
	weir_csv_free(csv);
	if (status)
		return status;
	weir_damage_of_source(input, source);
	input->events += input->run->metrics.count;
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a log of trtexec without its summary and without the times of "
		                 "layers: did it end early?");
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}
