/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the summaries that evalscope perf prints, a block for each load: as lines (2024), as a
 * table with a table of percentiles (2025), and with units in other words (2026).
 *
 *	Benchmarking summary:                     | Time taken for tests (s)        | 50.0 |
 *	 Time taken for tests: 50.000 seconds     | Number of concurrency           | 4    |
 *	 Number of concurrency: 4                 | Average time to first token (s) | 0.08 |
 *	 Average time to first token: 0.080
 *	 Percentile of time to first token:       | Percentiles | TTFT (s) | Latency (s) |
 *	     p50: 0.0751                          | 50%         | 0.0751   | 0.9310      |
 *
 *	│ TTFT (ms)                │       80.00 │ │ Metric      │    50% │    99% │
 *	│ Total / Success / Failed │ 100 / 100 / 0 │ TTFT (ms)   │  75.10 │  99.10 │
 *
 * Times without a unit are seconds. Early versions state one second over the throughput as the
 * "time per output token", which is left out.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/result_text.h"
#include "engine/readers/parts/bars.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define TITLE       "Benchmarking summary:"
#define OUTCOMES    "Total / Success / Failed"
#define MAX_COLUMNS 32
#define PERCENT     5     /* bytes of "99.9%" */
#define ROUNDING    0.005 /* of numbers with two digits */
#define SAME        0.05  /* largest relative difference between two statements of one figure */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{"Number of concurrency", "Succeed requests", "Average latency", TITLE,
                    "Average time to first token"},
                   .all = 2,
                   .any = 3}},
	{.first = "", .texts = {{OUTCOMES, "Req Throughput (req/s)", TITLE}, .all = 2}},
	{.first = "",
         .texts = {{"| Percentiles ", "TTFT (s)", "ITL (s)", "TPOT (s)", "Latency (s)"}, .all = 5}},
	{.first = "",
         .texts = {{"Percentile results:", " TTFT (ms) ", " TPOT (ms) ", " Decode (tok/s) "},
                   .all = 4}},
	{0},
};

enum table { NO_TABLE, VALUES, BY_ROW, BY_COLUMN };

struct summary {
	enum table table;
	size_t count; /* columns of the table */
	/* of the columns of a table with a percentile in each row: slots of times, SIZE_MAX for
	 * others; and their scales */
	size_t slots[MAX_COLUMNS];
	double scales[MAX_COLUMNS];
	/* of a table with a percentile in each column: their names */
	char percents[MAX_COLUMNS][PERCENT + 1];
	size_t listed; /* slot of the times whose percentiles follow in lines; SIZE_MAX: none */
};

/* ---- names ---- */

/* A number of the summary by its name, without its unit. */
static const struct name {
	const char *name;
	size_t slot;
	enum { TIME, NUMBER } kind;
} names[] = {
	{"Time taken for tests", WEIR_CLIENT_SLOT(duration_s), NUMBER},
	{"Test Duration", WEIR_CLIENT_SLOT(duration_s), NUMBER},
	{"Number of concurrency", WEIR_CLIENT_SLOT(max_concurrency), NUMBER},
	{"Concurrency", WEIR_CLIENT_SLOT(max_concurrency), NUMBER},
	{"Total requests", WEIR_CLIENT_SLOT(prompts), NUMBER},
	{"Succeed requests", WEIR_CLIENT_SLOT(completed), NUMBER},
	{"Failed requests", WEIR_CLIENT_SLOT(failed), NUMBER},
	{"Average QPS", WEIR_CLIENT_SLOT(request_throughput), NUMBER},
	{"Request throughput", WEIR_CLIENT_SLOT(request_throughput), NUMBER},
	{"Req Throughput", WEIR_CLIENT_SLOT(request_throughput), NUMBER},
	{"Throughput", WEIR_CLIENT_SLOT(output_throughput), NUMBER},
	{"Output token throughput", WEIR_CLIENT_SLOT(output_throughput), NUMBER},
	{"Output Throughput", WEIR_CLIENT_SLOT(output_throughput), NUMBER},
	{"Total token throughput", WEIR_CLIENT_SLOT(total_throughput), NUMBER},
	{"Total Throughput", WEIR_CLIENT_SLOT(total_throughput), NUMBER},
	{"Average input tokens per request", WEIR_CLIENT_SLOT(input_tokens), NUMBER},
	{"Avg Input Tokens", WEIR_CLIENT_SLOT(input_tokens), NUMBER},
	{"Average output tokens per request", WEIR_CLIENT_SLOT(output_tokens), NUMBER},
	{"Avg Output Tokens", WEIR_CLIENT_SLOT(output_tokens), NUMBER},
	{"Average latency", WEIR_CLIENT_SLOT(e2e), TIME},
	{"Avg Latency", WEIR_CLIENT_SLOT(e2e), TIME},
	{"Average time to first token", WEIR_CLIENT_SLOT(ttft), TIME},
	{"Average time per output token", WEIR_CLIENT_SLOT(tpot), TIME},
	{"Average inter-token latency", WEIR_CLIENT_SLOT(itl), TIME},
	{"TTFT", WEIR_CLIENT_SLOT(ttft), TIME},
	{"TPOT", WEIR_CLIENT_SLOT(tpot), TIME},
	{"ITL", WEIR_CLIENT_SLOT(itl), TIME},
};

/* Times in headers of percentiles. */
static const struct {
	const char *name;
	size_t slot;
} percentiles[] = {
	{"Latency", WEIR_CLIENT_SLOT(e2e)},
	{"TTFT", WEIR_CLIENT_SLOT(ttft)},
	{"First Chunk Latency", WEIR_CLIENT_SLOT(ttft)},
	{"TPOT", WEIR_CLIENT_SLOT(tpot)},
	{"ITL", WEIR_CLIENT_SLOT(itl)},
	/* above lines, behind "Percentile of " */
	{"time to first token", WEIR_CLIENT_SLOT(ttft)},
	{"request latency", WEIR_CLIENT_SLOT(e2e)},
};

/* Takes the unit in parentheses off a name. Returns the scale from it to milliseconds. */
static double take_unit(struct weir_slice *name)
{
	const char *open = name->length ? memchr(name->data, '(', name->length) : NULL;
	bool is_ms = weir_slice_ends(*name, "(ms)");

	if (open)
		*name = weir_slice_trim(
			(struct weir_slice){name->data, (size_t)(open - name->data)});
	return is_ms ? 1 : 1e3;
}

/* Returns the slot of times with percentiles; SIZE_MAX: it is another name. */
static size_t find_percentiles(struct weir_slice name)
{
	for (size_t i = 0; i < COUNT(percentiles); i++)
		if (weir_slice_equals(name, percentiles[i].name))
			return percentiles[i].slot;
	return SIZE_MAX;
}

/* ---- numbers ---- */

/* Begins the result of a first number. */
static void begin(struct weir_result_text *text)
{
	if (text->begun)
		return;
	weir_result_text_begin(text);
	text->summary.tpot_by_request = true;
	text->summary.rounding = ROUNDING;
}

/* Sets the times per output token to unknown if they are the inverse of the throughput, in a load
 * of several requests at a time. */
static void drop_inverse(struct weir_client_summary *summary)
{
	double share = summary->tpot.mean * 1e-3 * summary->output_throughput;

	if (summary->max_concurrency > 1 && fabs(share - 1) < SAME)
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(tpot));
}

/* Early versions state throughputs of output that are not those of their requests and tokens. Keeps
 * such a figure under another name, with a warning: it is not to be compared with other loads. */
static void check_throughput(struct weir_result_text *text)
{
	struct weir_client_summary *summary = &text->summary;
	double stated = summary->output_throughput;
	double computed = summary->request_throughput * summary->output_tokens;
	struct weir_text detail = {0};

	if (!(fabs(stated - computed) > SAME * computed))
		return;
	weir_text_printf(&detail, "output throughput: stated %.4g/s, %.4g/s by %.4g requests/s ",
	                 stated, computed, summary->request_throughput);
	weir_text_printf(&detail, "of %.4g tokens", summary->output_tokens);
	weir_input_warn(text->input, WEIR_WARN_CONTRADICTION, UINT64_MAX, detail.data);
	weir_text_release(&detail);
	weir_figure_add(text->run, "stated_output_throughput", "tokens/s", true, stated);
	summary->output_throughput = NAN;
}

static enum weir_status end_result(struct weir_result_text *text, void *state,
                                   struct weir_error *err)
{
	struct summary *summary = state;

	*summary = (struct summary){.listed = SIZE_MAX};
	drop_inverse(&text->summary);
	check_throughput(text);
	return weir_result_text_end(text, err);
}

/* Takes "400 / 399 / 1": all requests, those that were answered, and those that failed. */
static void take_outcomes(struct weir_result_text *text, struct weir_slice value)
{
	double all, completed, failed;

	if (!weir_result_text_number(text, &value, &all))
		return;
	value = weir_slice_trim(value);
	if (!weir_slice_take(&value, "/") || !weir_result_text_number(text, &value, &completed))
		return;
	value = weir_slice_trim(value);
	if (!weir_slice_take(&value, "/") || !weir_result_text_number(text, &value, &failed))
		return;
	begin(text);
	weir_client_summary_set(&text->summary, WEIR_CLIENT_SLOT(prompts), all);
	weir_client_summary_set(&text->summary, WEIR_CLIENT_SLOT(completed), completed);
	weir_client_summary_set(&text->summary, WEIR_CLIENT_SLOT(failed), failed);
}

/* Takes the rate at which requests were sent; below 0: as the concurrency permits. */
static void take_rate(struct weir_result_text *text, struct weir_slice value)
{
	struct weir_slice rest = value;
	double rate;

	if (!weir_result_text_number(text, &rest, &rate) || !(rate > 0))
		return;
	begin(text);
	value.length -= rest.length;
	weir_figure_label(text->run, "request_rate", value);
}

/* Takes a number of the summary by its name. */
static void take_value(struct weir_result_text *text, struct weir_slice name,
                       struct weir_slice value)
{
	double scale = take_unit(&name), number;
	struct weir_slice rest = value;

	if (weir_slice_equals(name, OUTCOMES))
		take_outcomes(text, value);
	else if (weir_slice_equals(name, "Request Rate") || weir_slice_equals(name, "Request rate"))
		take_rate(text, value);
	for (size_t i = 0; i < COUNT(names); i++) {
		if (!weir_slice_equals(name, names[i].name) ||
		    !weir_result_text_number(text, &rest, &number))
			continue;
		begin(text);
		if (names[i].kind == TIME)
			weir_result_text_time(text, names[i].slot, weir_slice_of("mean"),
			                      number * scale);
		else
			weir_client_summary_set(&text->summary, names[i].slot, number);
		value.length -= rest.length;
		if (names[i].slot == WEIR_CLIENT_SLOT(max_concurrency))
			weir_figure_label(text->run, "concurrency", value);
		return;
	}
}

/* Takes a percentile, "50%" or "p50", of the times at a slot. */
static void take_percentile(struct weir_result_text *text, size_t slot, struct weir_slice percent,
                            double ms)
{
	char name[PERCENT + 2] = "p";

	if (weir_slice_ends(percent, "%"))
		percent.length--;
	weir_slice_take(&percent, "p");
	if (!percent.length || percent.length > PERCENT)
		return;
	memcpy(name + 1, percent.data, percent.length);
	begin(text);
	weir_result_text_time(text, slot, weir_slice_of(name), ms);
}

/* ---- tables ---- */

/* True for "50%" and "99.9%". */
static bool is_percent(struct weir_slice cell)
{
	if (cell.length < 2 || cell.length > PERCENT || !weir_slice_ends(cell, "%"))
		return false;
	for (size_t i = 0; i + 1 < cell.length; i++)
		if (!strchr("0123456789.", cell.data[i]) || !cell.data[i])
			return false;
	return true;
}

/* Takes the header of a table with a percentile in each row. */
static void begin_rows(struct summary *summary, struct weir_slice *cells, size_t count)
{
	summary->table = BY_ROW;
	summary->count = count;
	for (size_t i = 1; i < count; i++) {
		summary->scales[i] = take_unit(&cells[i]);
		summary->slots[i] = find_percentiles(cells[i]);
	}
}

/* Takes the header of a table with a percentile in each column. */
static void begin_columns(struct summary *summary, const struct weir_slice *cells, size_t count)
{
	summary->table = BY_COLUMN;
	summary->count = count;
	for (size_t i = 1; i < count; i++) {
		size_t length = is_percent(cells[i]) ? cells[i].length : 0;

		memcpy(summary->percents[i], cells[i].data, length);
		summary->percents[i][length] = '\0';
	}
}

/* Takes a header. Returns false for another row. */
static bool take_header(struct summary *summary, struct weir_slice *cells, size_t count)
{
	bool is_metric = weir_slice_equals(cells[0], "Metric");

	if (count == 2 && weir_slice_equals(cells[1], "Value") &&
	    (is_metric || weir_slice_equals(cells[0], "Key")))
		summary->table = VALUES;
	else if (weir_slice_equals(cells[0], "Percentiles") ||
	         weir_slice_equals(cells[0], "Percentile"))
		begin_rows(summary, cells, count);
	else if (is_metric && is_percent(cells[1]))
		begin_columns(summary, cells, count);
	else
		return false;
	summary->count = count;
	return true;
}

static void take_percentile_row(struct weir_result_text *text, const struct summary *summary,
                                struct weir_slice *cells)
{
	double value;

	if (!is_percent(cells[0]))
		return;
	for (size_t i = 1; i < summary->count; i++)
		if (summary->slots[i] != SIZE_MAX &&
		    weir_result_text_number(text, &cells[i], &value))
			take_percentile(text, summary->slots[i], cells[0],
			                value * summary->scales[i]);
}

static void take_percentile_column(struct weir_result_text *text, const struct summary *summary,
                                   struct weir_slice *cells)
{
	double scale = take_unit(&cells[0]), value;
	size_t slot = find_percentiles(cells[0]);

	for (size_t i = 1; slot != SIZE_MAX && i < summary->count; i++)
		if (*summary->percents[i] && weir_result_text_number(text, &cells[i], &value))
			take_percentile(text, slot, weir_slice_of(summary->percents[i]),
			                value * scale);
}

static void take_row(struct weir_result_text *text, struct summary *summary,
                     struct weir_slice *cells, size_t count)
{
	if (take_header(summary, cells, count) || summary->table == NO_TABLE)
		return;
	if (count != summary->count)
		weir_input_warn(text->input,
		                text->row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		                text->row->at, NULL);
	else if (summary->table == VALUES)
		take_value(text, cells[0], cells[1]);
	else if (summary->table == BY_ROW)
		take_percentile_row(text, summary, cells);
	else
		take_percentile_column(text, summary, cells);
}

/* ---- lines ---- */

/* Returns a line of a page without the sign of a list or quotation before it. */
static struct weir_slice without_sign(struct weir_slice line)
{
	if (weir_slice_take(&line, "- ") || weir_slice_take(&line, "* ") ||
	    weir_slice_take(&line, "> "))
		line = weir_slice_trim(line);
	return line;
}

/* Takes "NAME: VALUE", "Percentile of NAME:" or "p50: VALUE". */
static void take_text(struct weir_result_text *text, struct summary *summary,
                      struct weir_slice line)
{
	const char *colon = line.length ? memchr(line.data, ':', line.length) : NULL;
	struct weir_slice name = {line.data, colon ? (size_t)(colon - line.data) : 0}, rest;
	double value;

	if (!colon)
		return;
	rest = (struct weir_slice){colon + 1, line.length - name.length - 1};
	rest = weir_slice_trim(rest);
	if (weir_slice_take(&name, "Percentile of ")) {
		summary->listed = find_percentiles(name);
	} else if (weir_slice_starts(name, "p") && summary->listed != SIZE_MAX) {
		if (weir_result_text_number(text, &rest, &value))
			take_percentile(text, summary->listed, name, value * 1e3);
	} else {
		take_value(text, name, rest);
	}
}

static enum weir_status take_line(struct weir_result_text *text, void *state,
                                  struct weir_slice line, struct weir_error *err)
{
	struct weir_slice cells[MAX_COLUMNS];
	size_t count = weir_bars_split(line, cells, MAX_COLUMNS);

	if (weir_slice_holds(line, TITLE))
		return end_result(text, state, err);
	if (count > 1)
		take_row(text, state, cells, count);
	else if (!count)
		take_text(text, state, without_sign(line));
	return WEIR_OK;
}

/* ---- the reader ---- */

static enum weir_status read_evalscope(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	static const struct weir_result_form form = {
		.take = take_line,
		.end = end_result,
		.tool = "evalscope perf",
		.expected = "lines or a table below \"" TITLE "\", such as \"Average latency\"",
	};
	struct summary summary = {.listed = SIZE_MAX};

	return weir_result_text_read(&form, &summary, source, input, err);
}

const struct weir_reader weir_reader_evalscope = {
	.name = "evalscope",
	.title = "summaries and percentiles that evalscope perf prints",
	.gives = "native run",
	.tool = "evalscope perf",
	.whole_run = true,
	.marks = marks,
	.read = read_evalscope,
};
