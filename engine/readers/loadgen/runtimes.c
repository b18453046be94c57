/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what the benchmark programs of inference runtimes print, anywhere in a log: benchmark_model
 * of TensorFlow Lite, onnxruntime_perf_test, and benchncnn.
 *
 *	INFO: Inference timings in us: Init: 1032, First inference: 23415, Inference (avg): 20701.6
 *	Average inference time cost: 4.8211 ms
 *	          squeezenet  min =    2.66  max =    2.79  avg =    2.71
 *
 * A table says which text comes before each number. Means, extremes and percentiles of the times of
 * an inference become figures; several results of a log become one run with their models or numbers
 * in the names of figures (load_join.h).
 */
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/scan.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

enum use {
	FIGURE, /* a second number of a result begins the next one */
	LAST,   /* a figure: the last number of a result counts */
	COUNT,  /* a label of the result; the last one counts */
	COMMON, /* a label of this result and all that follow */
};

/* A number behind a text. The table ends with a NULL text. */
struct place {
	const char *within; /* text that the line must hold as well; NULL: none */
	const char *before;
	const char *unit; /* that follows the number; "": any text may */
	enum use use;
	const char *name; /* of the figure or label */
	double scale;     /* from the unit of the log to that of the figure */
	bool higher;      /* is better */
};

struct form {
	const struct place *places;
	/* The name of the model: the text between these two, or, if the first one is empty, the
	 * first word of a line that holds the second one. NULL: the log does not name it. */
	const char *model_begin, *model_end;
	const char *expected; /* for the error that finds no result */
};

struct log {
	const struct form *form;
	struct weir_input *input;
	struct weir_run *run;    /* the result that is being read; owned */
	struct weir_run *common; /* holds labels of all further results; owned */
	struct weir_load_join join;
};

/* Adds the result, if it has figures, and begins the next one. */
static enum weir_status end_result(struct log *log, struct weir_error *err)
{
	struct weir_run *run = log->run;

	if (!run->metrics.count)
		return WEIR_OK;
	for (size_t i = 0; i < log->common->label_count; i++)
		weir_run_set_label(run, log->common->labels[i].key, log->common->labels[i].value);
	log->run = weir_run_new();
	return weir_load_join_add(&log->join, run, err);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Finds the number of a place in a line. */
static bool find_number(const struct place *place, struct weir_slice line, double *value)
{
	struct weir_slice rest;

	if (!weir_scan_behind(line, place->before, &rest) ||
	    (place->within && !weir_slice_holds(line, place->within)) ||
	    !weir_scan_number(&rest, value))
		return false;
	rest = weir_slice_trim(rest);
	return weir_slice_take(&rest, place->unit) &&
	       (!*place->unit || !rest.length || !is_letter(*rest.data));
}

static void set_label(struct weir_run *run, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.10g", value);
	weir_run_set_label(run, key, text);
}

static enum weir_status take_figure(struct log *log, const struct place *place, double value,
                                    struct weir_error *err)
{
	const char *unit = weir_figure_unit(place->name);

	if (weir_series_find(&log->run->metrics, place->name)) {
		if (place->use == LAST) {
			weir_series_get(&log->run->metrics, place->name)->value[0] = value;
			return WEIR_OK;
		}
		if (end_result(log, err))
			return err->status;
	}
	weir_figure_add(log->run, place->name, unit ? unit : "1", place->higher, value);
	return WEIR_OK;
}

static enum weir_status take_model(struct log *log, struct weir_slice line, struct weir_error *err)
{
	const char *begin, *end;
	struct weir_slice name;

	if (!log->form->model_end)
		return WEIR_OK;
	begin = *log->form->model_begin ? weir_slice_find(line, log->form->model_begin) : line.data;
	if (!begin)
		return WEIR_OK;
	name.data = begin + strlen(log->form->model_begin);
	name.length = (size_t)(line.data + line.length - name.data);
	end = weir_slice_find(name, log->form->model_end);
	if (!end)
		return WEIR_OK;
	name.length = (size_t)(end - name.data);
	name = weir_slice_trim(name);
	if (end_result(log, err))
		return err->status;
	if (name.length && !memchr(name.data, '\0', name.length))
		weir_figure_label(log->run, "model", name);
	return WEIR_OK;
}

static enum weir_status take_line(struct log *log, struct weir_slice line, struct weir_error *err)
{
	double value;

	if (take_model(log, line, err))
		return err->status;
	for (const struct place *place = log->form->places; place->before; place++) {
		if (!find_number(place, line, &value))
			continue;
		value *= place->scale;
		if (place->use == COUNT)
			set_label(log->run, place->name, value);
		else if (place->use == COMMON)
			set_label(log->common, place->name, value);
		else if (take_figure(log, place, value, err))
			return err->status;
	}
	return WEIR_OK;
}

/* Numbers results that no model distinguishes, and joins them. */
static enum weir_status conclude(struct log *log, struct weir_error *err)
{
	enum weir_status status = end_result(log, err);

	if (status)
		return status;
	if (!log->join.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no result in this log: expected %s; did the "
		                 "program end early?",
		                 log->form->expected);
	if (!log->form->model_end)
		weir_load_join_number(&log->join);
	return weir_load_join_finish_figures(&log->join, log->input, err);
}

static enum weir_status read_log(const struct form *form, struct weir_source *source,
                                 struct weir_input *input, struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\n'};
	struct log log = {.form = form, .input = input};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	log.run = weir_run_new();
	log.common = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (row->cut) /* its last number may be cut */
			weir_input_warn(input, WEIR_WARN_TRUNCATED, row->at, NULL);
		else if (take_line(&log, weir_slice_trim(row->line), err))
			status = err->status;
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(&log, err);
	weir_run_free(log.run);
	weir_run_free(log.common);
	weir_load_join_release(&log.join);
	return status;
}

/* ---- benchmark_model of TensorFlow Lite ---- */

static const struct weir_mark tflite_marks[] = {
	{.first = "", .texts = {{"Inference timings in us: ", "Inference (avg): "}, .all = 2}},
	{.first = "",
         .texts = {{"Graph: [", "Loaded model ", "Initialized session in "}, .all = 3}},
	{0},
};

/* The statistics behind "count=" are first those of the warm-up, then of the benchmark. */
static const struct place tflite_places[] = {
	{NULL, "Num threads: [", "]", COUNT, "threads", 1, false},
	{NULL, "Initialized session in ", "ms", FIGURE, "init_ms", 1, false},
	{"count=", "count=", "", COUNT, "inferences", 1, false},
	{"count=", " min=", "", LAST, "min_latency_ms", 1e-3, false},
	{"count=", " max=", "", LAST, "max_latency_ms", 1e-3, false},
	{"count=", " std=", "", COUNT, "stddev_latency_ms", 1e-3, false},
	{"count=", " median=", "", LAST, "median_latency_ms", 1e-3, false},
	{"count=", " p95=", "", LAST, "p95_latency_ms", 1e-3, false},
	{NULL, "First inference: ", "", FIGURE, "first_inference_ms", 1e-3, false},
	{NULL, "Warmup (avg): ", "", FIGURE, "warmup_mean_latency_ms", 1e-3, false},
	{NULL, "Inference (avg): ", "", FIGURE, "mean_latency_ms", 1e-3, false},
	{"Memory footprint delta", " overall=", "", FIGURE, "memory_growth_mb", 1, false},
	{0},
};

static const struct form tflite_form = {
	.places = tflite_places,
	.model_begin = "Graph: [",
	.model_end = "]",
	.expected = "\"Inference timings in us: ... Inference (avg): 20701.6\"",
};

static enum weir_status read_tflite(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	return read_log(&tflite_form, source, input, err);
}

const struct weir_reader weir_reader_tflite = {
	.name = "tflite",
	.title = "logs of TensorFlow Lite's benchmark_model, one or more results",
	.gives = "native run",
	.tool = "TensorFlow Lite's benchmark_model",
	.whole_run = true,
	.marks = tflite_marks,
	.read = read_tflite,
};

/* ---- onnxruntime_perf_test ---- */

static const struct weir_mark ort_marks[] = {
	{.first = "",
         .texts = {{"Average inference time cost", "Total inference requests: ",
                    "Session creation time cost: ", "Number of inferences per second: "},
                   .all = 2}},
	{0},
};

static const struct place ort_places[] = {
	{NULL, "Session creation time cost: ", "s", FIGURE, "session_creation_s", 1, false},
	{NULL, "First inference time cost: ", "ms", FIGURE, "first_inference_ms", 1, false},
	{NULL, "Total inference requests: ", "", COUNT, WEIR_LOAD_COMPLETED, 1, false},
	{NULL, "Total inference run time: ", "s", COUNT, WEIR_LOAD_DURATION, 1, false},
	{NULL, "Average inference time cost: ", "ms", FIGURE, "mean_latency_ms", 1, false},
	{NULL, "Average inference time cost total: ", "ms", FIGURE, "mean_latency_ms", 1, false},
	{NULL, "Number of inferences per second: ", "", FIGURE, "inferences_per_s", 1, true},
	{NULL, "Avg CPU usage: ", "%", COUNT, "cpu_usage_pct", 1, false},
	{NULL, "Peak working set size: ", "bytes", FIGURE, "peak_working_set_bytes", 1, false},
	{NULL, "Min Latency: ", "s", FIGURE, "min_latency_ms", 1e3, false},
	{NULL, "Max Latency: ", "s", FIGURE, "max_latency_ms", 1e3, false},
	{NULL, "P50 Latency: ", "s", FIGURE, "median_latency_ms", 1e3, false},
	{NULL, "P90 Latency: ", "s", FIGURE, "p90_latency_ms", 1e3, false},
	{NULL, "P95 Latency: ", "s", FIGURE, "p95_latency_ms", 1e3, false},
	{NULL, "P99 Latency: ", "s", FIGURE, "p99_latency_ms", 1e3, false},
	{NULL, "P999 Latency: ", "s", FIGURE, "p99.9_latency_ms", 1e3, false},
	{0},
};

static const struct form ort_form = {
	.places = ort_places,
	.expected = "\"Average inference time cost: 4.8 ms\"",
};

static enum weir_status read_ort(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	return read_log(&ort_form, source, input, err);
}

const struct weir_reader weir_reader_onnxruntime_perf = {
	.name = "onnxruntime-perf",
	.title = "what onnxruntime_perf_test prints, one or more results",
	.gives = "native run",
	.tool = "onnxruntime_perf_test",
	.whole_run = true,
	.marks = ort_marks,
	.read = read_ort,
};

/* ---- benchncnn ---- */

static const struct weir_mark ncnn_marks[] = {
	{.first = "",
         .texts = {{"loop_count = ", "num_threads = ", "powersave = ", "gpu_device = "}, .all = 4}},
	{0},
};

static const struct place ncnn_places[] = {
	{NULL, "loop_count = ", "", COMMON, "loop_count", 1, false},
	{NULL, "num_threads = ", "", COMMON, "threads", 1, false},
	{NULL, "powersave = ", "", COMMON, "powersave", 1, false},
	{" avg =", "min =", "", FIGURE, "min_latency_ms", 1, false},
	{" avg =", "max =", "", FIGURE, "max_latency_ms", 1, false},
	{" avg =", "avg =", "", FIGURE, "mean_latency_ms", 1, false},
	{0},
};

static const struct form ncnn_form = {
	.places = ncnn_places,
	.model_begin = "",
	.model_end = " min =",
	.expected = "\"squeezenet min = 2.66 max = 2.79 avg = 2.71\"",
};

static enum weir_status read_ncnn(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	return read_log(&ncnn_form, source, input, err);
}

const struct weir_reader weir_reader_ncnn = {
	.name = "ncnn",
	.title = "what benchncnn prints, a result for each model",
	.gives = "native run",
	.tool = "benchncnn",
	.whole_run = true,
	.marks = ncnn_marks,
	.read = read_ncnn,
};
