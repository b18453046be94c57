/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the tables of text-generation-benchmark of Text Generation Inference: its parameters, the
 * latencies and the throughputs of each step for each size of the batch.
 *
 *	| Step           | Batch Size | Average  | Lowest   | Highest  | p50      | p90      | p99 |
 *	|----------------|------------|----------|----------|----------|----------|----------|----------|
 *	| Prefill        | 1          | 30.50 ms | 30.10 ms | 31.00 ms | 30.50 ms | 31.00 ms | 31.00
 *ms | |                | 2          | 34.20 ms | 34.00 ms | 34.60 ms | 34.20 ms | 34.60 ms | 34.60
 *ms | | Decode (token) | 1          | 29.00 ms | 28.90 ms | 29.20 ms | 29.00 ms | 29.10 ms | 29.10
 *ms |
 *
 * A row without a step goes on with the step above. The throughput of the prefill is one token for
 * each sequence over the latency, not the tokens of the prompts. Some versions take percentiles of
 * unsorted times, so that a p90 may be below the median. Each size of the batch is a load.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/result_text.h"
#include "engine/readers/parts/bars.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define STEP       0 /* columns */
#define BATCH_SIZE 1
#define FIRST      2 /* column of a statistic */
#define COLUMNS    8

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"| Step ", "| Batch Size ", "| Average ", "| Lowest ", "| Highest "},
                   .all = 5}},
	{0},
};

struct tables {
	size_t first;       /* result of the report that is being read */
	size_t columns;     /* of the table; 0: none yet */
	const char *figure; /* of the step; NULL: not known */
	const char *unit;   /* of its figure */
	const char *statistics[COLUMNS];
	bool has_rates;
};

static const struct {
	const char *parameter, *label;
} parameters[] = {
	{"Model", "tokenizer"}, /* the benchmark knows the tokenizer alone */
	{"Sequence Length", "input_len"},
	{"Decode Length", "output_len"},
	{"N Runs", "runs"},
	{"Warmups", "warmups"},
	{"Temperature", "temperature"},
	{"Top K", "top_k"},
	{"Top P", "top_p"},
};

/* Statistics in headers. That of a mean has no name in front of a rate. */
static const struct {
	const char *title, *of_time, *of_rate;
} statistics[] = {
	{"Average", "mean_", ""}, {"Lowest", "min_", "min_"}, {"Highest", "max_", "max_"},
	{"p50", "median_", NULL}, {"p90", "p90_", NULL},      {"p99", "p99_", NULL},
};

/* Steps by the unit of their cells. */
static const struct {
	const char *step, *unit, *figure;
} steps[] = {
	{"Prefill", "ms", "prefill_latency_ms"},
	{"Decode (token)", "ms", "decode_token_latency_ms"},
	{"Decode (total)", "ms", "decode_latency_ms"},
	{"Prefill", "tokens/s", "first_token_throughput"},
	{"Decode", "tokens/s", "decode_throughput"},
};

/* ---- tables ---- */

static const char *statistic_of(struct weir_slice title, bool rates)
{
	for (size_t i = 0; i < COUNT(statistics); i++)
		if (weir_slice_equals(title, statistics[i].title))
			return rates ? statistics[i].of_rate : statistics[i].of_time;
	return NULL;
}

/* Ends the report: its results get the labels of its parameters. */
static enum weir_status end_report(struct weir_result_text *text, void *state,
                                   struct weir_error *err)
{
	struct tables *tables = state;

	(void)err;
	for (size_t i = tables->first; i < text->join.count; i++)
		for (size_t j = 0; j < text->run->label_count; j++)
			weir_run_set_label(text->join.runs[i], text->run->labels[j].key,
			                   text->run->labels[j].value);
	if (tables->first < text->join.count) {
		weir_run_free(text->run);
		text->run = weir_run_new();
	}
	*tables = (struct tables){.first = text->join.count};
	return WEIR_OK;
}

/* Begins a table. Latencies, or throughputs after others, begin a report. */
static void begin_table(struct weir_result_text *text, struct tables *tables,
                        const struct weir_slice *cells, size_t count)
{
	bool rates = count < COLUMNS;

	if (!rates || tables->has_rates)
		end_report(text, tables, NULL);
	tables->columns = count;
	tables->has_rates |= rates;
	tables->figure = NULL;
	for (size_t i = FIRST; i < count; i++)
		tables->statistics[i] = statistic_of(cells[i], rates);
}

/* Returns the run of a size of the batch in this report, which may be new; NULL with an error if
 * there are too many. */
static struct weir_run *run_of(struct weir_result_text *text, const struct tables *tables,
                               struct weir_slice size, struct weir_error *err)
{
	struct weir_load_join *join = &text->join;
	struct weir_run *run;

	for (size_t i = tables->first; i < join->count; i++)
		if (weir_slice_equals(size, weir_run_label(join->runs[i], "batch_size")))
			return join->runs[i];
	run = weir_run_new();
	weir_figure_label(run, "batch_size", size);
	if (weir_load_join_add(join, run, err))
		return NULL;
	weir_load_join_head(join, &text->heading);
	return run;
}

/* Finds the figure of a step, or keeps that of the row above if the cell is blank. */
static void take_step(struct tables *tables, struct weir_slice cell)
{
	const char *unit = tables->columns == COLUMNS ? "ms" : "tokens/s";

	if (!cell.length)
		return;
	tables->figure = NULL;
	for (size_t i = 0; i < COUNT(steps); i++)
		if (weir_slice_equals(cell, steps[i].step) && strcmp(unit, steps[i].unit) == 0) {
			tables->figure = steps[i].figure;
			tables->unit = steps[i].unit;
		}
}

static void add_figure(struct weir_run *run, const struct tables *tables, size_t column,
                       double value)
{
	struct weir_text name = {0};

	weir_text_printf(&name, "%s%s", tables->statistics[column], tables->figure);
	weir_figure_add(run, name.data, tables->unit, tables->columns < COLUMNS, value);
	weir_text_release(&name);
}

/* Warns if a higher percentile is below the median. */
static void check_percentiles(struct weir_result_text *text, const struct tables *tables,
                              const double *values)
{
	struct weir_text detail = {0};

	if (tables->columns < COLUMNS || !(values[6] < values[5] || values[7] < values[5]))
		return;
	weir_text_printf(&detail, "%s: p90 or p99 below the median", tables->figure);
	weir_input_warn(text->input, WEIR_WARN_CONTRADICTION, text->row->at, detail.data);
	weir_text_release(&detail);
}

static enum weir_status take_row(struct weir_result_text *text, struct tables *tables,
                                 struct weir_slice *cells, struct weir_error *err)
{
	struct weir_slice size = cells[BATCH_SIZE];
	double values[COLUMNS];
	struct weir_run *run;

	take_step(tables, cells[STEP]);
	if (!tables->figure || !weir_result_text_number(text, &size, &values[BATCH_SIZE]) ||
	    size.length || cells[BATCH_SIZE].length > WEIR_FIGURE_LABEL_TEXT)
		return WEIR_OK;
	run = run_of(text, tables, cells[BATCH_SIZE], err);
	if (!run)
		return err->status;
	for (size_t i = FIRST; i < tables->columns; i++) {
		values[i] = NAN;
		if (!weir_result_text_number(text, &cells[i], &values[i]) || !(values[i] > 0) ||
		    !weir_slice_starts(weir_slice_trim(cells[i]), tables->unit))
			weir_input_warn(text->input, WEIR_WARN_BAD_NUMBER, text->row->at, NULL);
		else if (tables->statistics[i])
			add_figure(run, tables, i, values[i]);
	}
	check_percentiles(text, tables, values);
	return WEIR_OK;
}

/* Takes a row of the parameters. */
static void take_parameter(struct weir_result_text *text, const struct weir_slice *cells)
{
	for (size_t i = 0; i < COUNT(parameters); i++)
		if (weir_slice_equals(cells[0], parameters[i].parameter))
			weir_figure_label(text->run, parameters[i].label, cells[1]);
}

static enum weir_status take_line(struct weir_result_text *text, void *state,
                                  struct weir_slice line, struct weir_error *err)
{
	struct tables *tables = state;
	struct weir_slice cells[COLUMNS + 1];
	size_t count = weir_bars_split(line, cells, COLUMNS + 1);

	if (count == 2 && weir_slice_equals(cells[0], "Parameter"))
		return end_report(text, tables, err);
	if (count == 2)
		take_parameter(text, cells);
	if (count < FIRST + 1)
		return WEIR_OK;
	if (weir_slice_equals(cells[STEP], "Step") &&
	    weir_slice_equals(cells[BATCH_SIZE], "Batch Size") && count <= COLUMNS) {
		begin_table(text, tables, cells, count);
		return WEIR_OK;
	}
	if (!tables->columns || weir_slice_starts(cells[STEP], "-"))
		return WEIR_OK;
	if (count == tables->columns)
		return take_row(text, tables, cells, err);
	weir_input_warn(text->input, text->row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
	                text->row->at, NULL);
	return WEIR_OK;
}

/* ---- the reader ---- */

static enum weir_status read_tgi_benchmark(struct weir_source *source, struct weir_input *input,
                                           struct weir_error *err)
{
	static const struct weir_result_form form = {
		.take = take_line,
		.end = end_report,
		.tool = "text-generation-benchmark",
		.expected = "rows such as \"| Prefill | 1 | 30.50 ms | ...\" below \"| Step | "
			    "Batch Size |\"",
	};
	struct tables tables = {0};

	return weir_result_text_read(&form, &tables, source, input, err);
}

const struct weir_reader weir_reader_tgi_benchmark = {
	.name = "tgi-benchmark",
	.title = "tables of text-generation-benchmark of TGI, latencies and throughputs by batch",
	.gives = "native run",
	.tool = "text-generation-benchmark",
	.whole_run = true,
	.marks = marks,
	.read = read_tgi_benchmark,
};
