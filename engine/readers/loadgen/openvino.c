/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the statistics that OpenVINO's benchmark_app prints at its end, anywhere in a log:
 *
 *	[Step 11/11] Dumping statistics report
 *	[ INFO ] Count:            16872 iterations
 *	[ INFO ] Duration:         120117.37 ms
 *	[ INFO ] Latency:
 *	[ INFO ]    Median:        85.10 ms
 *	[ INFO ]    Average:       85.27 ms
 *	[ INFO ] Throughput:   140.46 FPS
 *
 * Versions before 2022 have neither "[ INFO ]" nor several latencies: "Latency: 22.02 ms" is the
 * median. Several results in a log become one run with their numbers, or the conditions that
 * distinguish them, in the names of figures (load_join.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define PERCENTILE 12 /* bytes of "99.99" and more; longer ones are not read */

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"Dumping statistics report", "Throughput:", " FPS", "Count:"}, .all = 3}},
	{.first = "", .texts = {{"Count:", " iterations", "Throughput:", " FPS"}, .all = 4}},
	{0},
};

struct log {
	struct weir_input *input;
	struct weir_run *run; /* of the result that is being read or comes next; owned */
	bool in_statistics;   /* "Count:" was read, but not yet "Throughput:" */
	struct weir_load_join join;
};

/* ---- figures ---- */

static const struct {
	const char *label, *name;
} latencies[] = {
	{"Latency", "median_latency_ms"}, {"Median", "median_latency_ms"},
	{"Average", "mean_latency_ms"},   {"AVG", "mean_latency_ms"}, /* 2022.1 */
	{"Min", "min_latency_ms"},        {"MIN", "min_latency_ms"},
	{"Max", "max_latency_ms"},        {"MAX", "max_latency_ms"},
};

/* Parses a number with its unit. Returns false for any other text. */
static bool read_value(struct weir_slice text, const char *unit, double *value)
{
	size_t length = strlen(unit);

	if (text.length <= length || memcmp(text.data + text.length - length, unit, length) != 0)
		return false;
	text = weir_slice_trim((struct weir_slice){text.data, text.length - length});
	return weir_parse_double(text.data, text.length, value) && isfinite(*value) && *value >= 0;
}

/* Takes "Median: 85.10 ms" or, of -latency_percentile, "99 percentile: 90.25 ms". */
static void take_latency(struct log *log, struct weir_slice label, struct weir_slice text)
{
	static const char ending[] = " percentile";
	size_t length = sizeof(ending) - 1;
	char name[PERCENTILE + sizeof("p_latency_ms")];
	double ms, percent;

	if (!read_value(text, "ms", &ms))
		return;
	for (size_t i = 0; i < sizeof(latencies) / sizeof(latencies[0]); i++)
		if (weir_slice_equals(label, latencies[i].label))
			weir_figure_add(log->run, latencies[i].name, "ms", false, ms);
	if (label.length <= length || label.length - length > PERCENTILE ||
	    memcmp(label.data + label.length - length, ending, length) != 0 ||
	    !weir_parse_double(label.data, label.length - length, &percent) || !(percent > 0) ||
	    !(percent < 100))
		return;
	snprintf(name, sizeof(name), "p%.5g_latency_ms", percent);
	weir_figure_add(log->run, name, "ms", false, ms);
}

/* ---- conditions ---- */

/* Takes the devices, of "['GPU.0']" or "NPU.3720", without the brackets and quotes. */
static void take_devices(struct log *log, struct weir_slice text)
{
	struct weir_text devices = {0};

	for (size_t i = 0; i < text.length; i++)
		if (!strchr("[]'\"", text.data[i]))
			weir_text_add(&devices, &text.data[i], 1);
	if (devices.length)
		weir_figure_label(log->run, "devices", weir_slice_of(devices.data));
	weir_text_release(&devices);
}

/* Takes "Model batch size: 1" or "Network batch size: 1, precision: MIXED", and the devices. */
static void take_condition(struct log *log, struct weir_slice label, struct weir_slice text)
{
	const char *comma = text.length ? memchr(text.data, ',', text.length) : NULL;

	if (weir_slice_equals(label, "Execution Devices"))
		take_devices(log, text);
	if (!weir_slice_equals(label, "Model batch size") &&
	    !weir_slice_equals(label, "Network batch size"))
		return;
	if (comma)
		text.length = (size_t)(comma - text.data);
	weir_figure_label(log->run, "batch_size", text);
}

/* Takes the number before " inference requests" in the line of step 10. */
static void take_requests(struct log *log, struct weir_slice line)
{
	static const char mark[] = " inference requests";
	const char *found = weir_slice_find(line, mark), *at = found;

	if (!found || !weir_slice_holds(line, "Measuring performance"))
		return;
	while (at > line.data && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at < found)
		weir_figure_label(log->run, "inference_requests",
		                  (struct weir_slice){at, (size_t)(found - at)});
}

/* Labels the result with the number in "1668 iterations" or "10042.46 ms", times `scale`. */
static void label_number(struct log *log, const char *key, struct weir_slice text, const char *unit,
                         double scale)
{
	char number[32];
	double value;

	if (!read_value(text, unit, &value))
		return;
	snprintf(number, sizeof(number), "%.10g", value * scale);
	weir_figure_label(log->run, key, weir_slice_of(number));
}

/* Takes the text behind "Compile model took " or, before 2022, "Load network took ". */
static void take_compile(struct log *log, struct weir_slice line)
{
	if (weir_slice_take(&line, "Compile model took ") ||
	    weir_slice_take(&line, "Load network took "))
		label_number(log, WEIR_LOAD_COMPILE, line, "ms", 1);
}

/* ---- results ---- */

/* Adds the result, if it has figures, and begins the next one. */
static enum weir_status end_result(struct log *log, struct weir_error *err)
{
	struct weir_run *run = log->run;

	if (!log->in_statistics || !run->metrics.count)
		return WEIR_OK;
	log->in_statistics = false;
	log->run = weir_run_new();
	return weir_load_join_add(&log->join, run, err);
}

/* Takes "[ INFO ] " and anything in front of it off the line. */
static struct weir_slice message_of(struct weir_slice line)
{
	static const char level[] = "[ INFO ]";
	const char *at = weir_slice_find(line, level);

	if (!at)
		return weir_slice_trim(line);
	at += sizeof(level) - 1;
	return weir_slice_trim((struct weir_slice){at, line.length - (size_t)(at - line.data)});
}

/* Takes a line of the statistics. Throughput is their last one. */
static enum weir_status take_statistic(struct log *log, struct weir_slice label,
                                       struct weir_slice text, struct weir_error *err)
{
	double fps;

	if (weir_slice_equals(label, "Duration"))
		label_number(log, WEIR_LOAD_DURATION, text, "ms", 1e-3);
	if (!weir_slice_equals(label, "Throughput")) {
		take_latency(log, label, text);
		return WEIR_OK;
	}
	if (read_value(text, "FPS", &fps))
		weir_figure_add(log->run, "throughput_fps", "1/s", true, fps);
	return end_result(log, err);
}

/* Forgets what a run without statistics has left. */
static void forget_run(struct log *log)
{
	if (log->in_statistics)
		return;
	weir_run_free(log->run);
	log->run = weir_run_new();
}

static enum weir_status take_line(struct log *log, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	static const char first[] = "First inference took ";
	struct weir_slice line = message_of(row->line), label, text;
	const char *colon = line.length ? memchr(line.data, ':', line.length) : NULL;
	enum weir_status status = WEIR_OK;
	double ms;

	if (weir_slice_starts(line, "[Step 1/")) /* a run before it that ended early */
		forget_run(log);
	take_requests(log, line);
	take_compile(log, line);
	if (weir_slice_starts(line, first)) {
		line.data += sizeof(first) - 1;
		line.length -= sizeof(first) - 1;
		if (read_value(line, "ms", &ms))
			weir_figure_add(log->run, "first_inference_ms", "ms", false, ms);
	}
	if (!colon)
		return WEIR_OK;
	label = weir_slice_trim((struct weir_slice){line.data, (size_t)(colon - line.data)});
	text = weir_slice_trim(
		(struct weir_slice){colon + 1, line.length - (size_t)(colon - line.data) - 1});
	if (weir_slice_equals(label, "Count")) {
		if (log->in_statistics) /* the one before has no throughput */
			status = end_result(log, err);
		log->in_statistics = true;
		if (!status)
			label_number(log, WEIR_LOAD_ITERATIONS, text, "iterations", 1);
		return status;
	}
	take_condition(log, label, text);
	return log->in_statistics ? take_statistic(log, label, text, err) : WEIR_OK;
}

static enum weir_status conclude(struct log *log, struct weir_error *err)
{
	enum weir_status status = end_result(log, err);

	if (status)
		return status;
	if (!log->join.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no statistics in this log of benchmark_app: expected Count, "
		                 "Latency and Throughput; did it end early?");
	weir_load_join_number(&log->join);
	return weir_load_join_finish_figures(&log->join, log->input, err);
}

static enum weir_status read_openvino(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct log log = {.input = input, .run = weir_run_new()};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_line(&log, row, err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&log, err);
	weir_run_free(log.run);
	weir_load_join_release(&log.join);
	return status;
}

const struct weir_reader weir_reader_openvino = {
	.name = "openvino",
	.title = "logs of OpenVINO's benchmark_app, one or more results",
	.gives = "native run",
	.tool = "OpenVINO's benchmark_app",
	.whole_run = true,
	.marks = marks,
	.read = read_openvino,
};
