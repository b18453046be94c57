/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the tables that inference-benchmarker of Hugging Face prints at its end: its parameters,
 * and a row of means for each benchmark.
 *
 *	│ Benchmark          │ QPS        │ E2E Latency (avg) │ TTFT (avg) │ ... │ Successful
 *Requests │ │ warmup             │ 1.10 req/s │ 0.90 sec          │ 40.12 ms   │ ... │ 5/5 │ │
 *throughput         │ 8.40 req/s │ 2.10 sec          │ 81.06 ms   │ ... │ 84/84               │ │
 *constant@4.00req/s │ 3.90 req/s │ 1.20 sec          │ 52.40 ms   │ ... │ 39/40               │
 *
 * The warm-up is left out. The rate of requests counts successful ones, and the throughput their
 * tokens of output.
 */
#include <string.h>

#include "engine/readers/loadgen/result_text.h"
#include "engine/readers/parts/bars.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 32
#define RATE        "constant@"
#define ROUNDING    0.005 /* of numbers with two digits */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"Benchmark ", " QPS ", " E2E Latency (avg) ", " TTFT (avg) ", " ITL (avg) ",
                    " Successful Requests "},
                   .all = 6}},
	{0},
};

/* Columns with a number and its unit. */
static const struct column {
	const char *title;
	size_t slot;
	struct {
		const char *unit;
		double scale;
	} units[2]; /* "": any text may follow the number */
} columns[] = {
	{"QPS", WEIR_CLIENT_SLOT(request_throughput), {{"req/s", 1}}},
	{"E2E Latency (avg)", WEIR_CLIENT_SLOT(e2e.mean), {{"sec", 1e3}, {"ms", 1}}},
	{"TTFT (avg)", WEIR_CLIENT_SLOT(ttft.mean), {{"ms", 1}, {"sec", 1e3}}},
	{"ITL (avg)", WEIR_CLIENT_SLOT(itl.mean), {{"ms", 1}, {"sec", 1e3}}},
	{"Throughput", WEIR_CLIENT_SLOT(output_throughput), {{"tokens/sec", 1}}},
	{"Prompt tokens per req (avg)", WEIR_CLIENT_SLOT(input_tokens), {{"", 1}}},
	{"Decoded tokens per req (avg)", WEIR_CLIENT_SLOT(output_tokens), {{"", 1}}},
};

static const struct {
	const char *parameter, *label;
} parameters[] = {
	{"Tokenizer", "tokenizer"},
	{"Max VUs", "max_vus"},
	{"Prompt Options", "prompt_options"},
	{"Decode Options", "decode_options"},
};

struct tables {
	size_t count;                              /* columns of the table; 0: none yet */
	const struct column *columns[MAX_COLUMNS]; /* NULL: another column */
	size_t requests;                           /* column "Successful Requests" */
	struct weir_run *labels;                   /* holds the parameters; owned */
};

static void take_header(struct tables *tables, const struct weir_slice *cells, size_t count)
{
	tables->count = count;
	tables->requests = 0;
	for (size_t i = 0; i < count; i++) {
		tables->columns[i] = NULL;
		for (size_t j = 0; j < COUNT(columns); j++)
			if (weir_slice_equals(cells[i], columns[j].title))
				tables->columns[i] = &columns[j];
		if (weir_slice_equals(cells[i], "Successful Requests"))
			tables->requests = i;
	}
}

/* Takes "39/40": requests that were answered, and all. */
static void take_requests(struct weir_result_text *text, struct weir_slice cell)
{
	double completed, all;

	if (!weir_result_text_number(text, &cell, &completed) || !weir_slice_take(&cell, "/") ||
	    !weir_result_text_number(text, &cell, &all) || all < completed)
		return;
	text->summary.completed = completed;
	text->summary.failed = all - completed;
}

static void take_cell(struct weir_result_text *text, const struct column *column,
                      struct weir_slice cell)
{
	double value;

	if (!weir_result_text_number(text, &cell, &value)) {
		weir_input_warn(text->input, WEIR_WARN_BAD_NUMBER, text->row->at, column->title);
		return;
	}
	cell = weir_slice_trim(cell);
	for (size_t i = 0; i < COUNT(column->units); i++)
		if (column->units[i].unit && weir_slice_equals(cell, column->units[i].unit))
			weir_client_summary_set(&text->summary, column->slot,
			                        value * column->units[i].scale);
}

/* Labels the result with its load: "throughput" has none, "constant@4.00req/s" a rate. */
static void take_name(struct weir_result_text *text, struct weir_slice name)
{
	struct weir_slice rest = name;
	double rate;

	if (weir_slice_take(&rest, RATE)) {
		struct weir_slice number = rest;

		if (!weir_result_text_number(text, &rest, &rate))
			return;
		number.length = (size_t)(rest.data - number.data);
		weir_figure_label(text->run, "request_rate", number);
		name = weir_slice_of("constant");
	} else if (weir_slice_equals(name, "throughput")) {
		weir_run_set_label(text->run, "request_rate", "inf");
	}
	weir_figure_label(text->run, "strategy", name);
}

static enum weir_status take_row(struct weir_result_text *text, struct tables *tables,
                                 const struct weir_slice *cells, struct weir_error *err)
{
	if (!cells[0].length || weir_slice_starts(cells[0], "-") ||
	    weir_slice_equals(cells[0], "warmup"))
		return WEIR_OK;
	weir_result_text_begin(text);
	text->summary.rounding = ROUNDING;
	take_name(text, cells[0]);
	for (size_t i = 0; i < tables->labels->label_count; i++)
		weir_run_set_label(text->run, tables->labels->labels[i].key,
		                   tables->labels->labels[i].value);
	for (size_t i = 1; i < tables->count; i++)
		if (tables->columns[i])
			take_cell(text, tables->columns[i], cells[i]);
	if (tables->requests)
		take_requests(text, cells[tables->requests]);
	return weir_result_text_end(text, err);
}

/* Takes a row of the parameters, whose header begins a report. */
static void take_parameter(struct tables *tables, const struct weir_slice *cells)
{
	if (weir_slice_equals(cells[0], "Parameter")) {
		weir_run_free(tables->labels);
		tables->labels = weir_run_new();
	}
	for (size_t i = 0; i < COUNT(parameters); i++)
		if (weir_slice_equals(cells[0], parameters[i].parameter) &&
		    !weir_slice_equals(cells[1], "N/A"))
			weir_figure_label(tables->labels, parameters[i].label, cells[1]);
}

static enum weir_status take_line(struct weir_result_text *text, void *state,
                                  struct weir_slice line, struct weir_error *err)
{
	struct tables *tables = state;
	struct weir_slice cells[MAX_COLUMNS];
	size_t count = weir_bars_split(line, cells, MAX_COLUMNS);

	if (count == 2) {
		take_parameter(tables, cells);
	} else if (count > 2 && weir_slice_equals(cells[0], "Benchmark") &&
	           weir_slice_equals(cells[1], "QPS")) {
		take_header(tables, cells, count);
	} else if (count && count == tables->count) {
		return take_row(text, tables, cells, err);
	} else if (count && tables->count) {
		weir_input_warn(text->input,
		                text->row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		                text->row->at, NULL);
	}
	return WEIR_OK;
}

static enum weir_status read_inference_benchmarker(struct weir_source *source,
                                                   struct weir_input *input, struct weir_error *err)
{
	static const struct weir_result_form form = {
		.take = take_line,
		.tool = "inference-benchmarker",
		.expected = "a row such as \"throughput\" or \"constant@4.00req/s\" besides that "
			    "of the warm-up",
	};
	struct tables tables = {.labels = weir_run_new()};
	enum weir_status status = weir_result_text_read(&form, &tables, source, input, err);

	weir_run_free(tables.labels);
	return status;
}

const struct weir_reader weir_reader_inference_benchmarker = {
	.name = "inference-benchmarker",
	.title = "tables that inference-benchmarker of Hugging Face prints",
	.gives = "native run",
	.tool = "inference-benchmarker",
	.whole_run = true,
	.marks = marks,
	.read = read_inference_benchmarker,
};
