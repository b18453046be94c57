/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What trtexec prints when it is done, often all that is kept of it:
 *
 *	[01/02/2025-10:11:12] [I] Throughput: 801.5 qps
 *	[01/02/2025-10:11:12] [I] Latency: min = 1.1 ms, max = 1.6 ms, mean = 1.2 ms, ...
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/csv.h"
#include "engine/readers/damage.h"
#include "engine/readers/figures.h"
#include "engine/readers/trtexec.h"

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

static void take_line(struct weir_run *run, struct weir_slice line)
{
	struct weir_slice label;
	double value;

	if (!take_message(&line) || !take_until(&line, ':', &label))
		return;
	if (weir_slice_equals(label, "Throughput") && read_value(line, "qps", &value))
		weir_figure_add(run, "throughput_qps", "1/s", true, value);
	for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
		if (weir_slice_equals(label, distributions[i].start))
			take_statistics(run, distributions[i].name, line);
}

enum weir_status weir_trtexec_log(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row)
		take_line(input->run, row->line);
	weir_csv_free(csv);
	if (status)
		return status;
	weir_damage_of_source(input, source);
	input->events = input->run->metrics.count;
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a log of trtexec without its summary: did it end early?");
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}
