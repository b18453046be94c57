/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of LMDeploy's benchmarks, profile_restful_api.py and profile_throughput.py: a table
 * of a header and a row, under any file name. Each run appends a row, some also a header. Early
 * versions of the second, and profile_generation.py, print a block of lines "NAME: VALUE" instead.
 * Several rows or blocks become one run with the load in the names of figures (load_join.h).
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 64
#define MAX_NAME    64

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

/* Columns of both programs; the first four identify the format, unless there are other statistics
 * than means: LMDeploy writes none, results of SGLang have these columns as well. */
static const struct weir_mark table_mark = {
	.first = "",
	.cells = {{"completed", "request_throughput", "output_throughput", "mean_ttft_ms",
                   "input_throughput", "mean_tpot_ms", "mean_itl_ms", "mean_e2e_latency_ms",
                   "total_input_tokens"},
                  .all = 4}};

static const struct weir_client_row rows[] = {
	WEIR_CLIENT_NUMBER(completed, "completed"),
	WEIR_CLIENT_NUMBER(output_tokens,
                           "total_output_tokens"), /* of all requests; divided in conclude() */
	WEIR_CLIENT_NUMBER(request_throughput, "request_throughput"),
	WEIR_CLIENT_NUMBER(input_throughput, "input_throughput"),
	WEIR_CLIENT_NUMBER(output_throughput, "output_throughput"),
	WEIR_CLIENT_NUMBER(e2e.mean, "mean_e2e_latency_ms"),
	WEIR_CLIENT_NUMBER(ttft.mean, "mean_ttft_ms"),
	WEIR_CLIENT_NUMBER(tpot.mean, "mean_tpot_ms"),
	WEIR_CLIENT_NUMBER(itl.mean, "mean_itl_ms"),
	{0},
};

/* Results that do not become figures. */
static const char *const passed_over[] = {"total_input_tokens", "duration", NULL};

static bool is_result(const char *name)
{
	for (size_t i = 0; rows[i].path; i++)
		if (strcmp(rows[i].path, name) == 0)
			return true;
	for (size_t i = 0; passed_over[i]; i++)
		if (strcmp(passed_over[i], name) == 0)
			return true;
	return false;
}

/* True for a value that is not available, in the words of Python. */
static bool is_unknown(struct weir_slice cell)
{
	return !cell.length || weir_slice_equals(cell, "-") || weir_slice_equals(cell, "nan") ||
	       weir_slice_equals(cell, "None");
}

struct table {
	struct weir_input *input;
	struct weir_run *run; /* of the row that is being read */
	struct weir_client_summary summary;
	struct weir_load_join join;
	char names[MAX_COLUMNS][MAX_NAME]; /* of the columns; "": not read */
	size_t columns, rows;
};

static void take_header(struct table *table, const struct weir_csv_row *row)
{
	table->columns = row->count < MAX_COLUMNS ? row->count : MAX_COLUMNS;
	for (size_t i = 0; i < table->columns; i++) {
		struct weir_slice cell = row->cells[i];

		table->names[i][0] = '\0';
		if (cell.length < MAX_NAME) {
			memcpy(table->names[i], cell.data, cell.length);
			table->names[i][cell.length] = '\0';
		}
	}
}

/* Takes a result as a figure, and any other column as a label: it is a condition of the run. */
static void take_cell(struct table *table, const char *name, struct weir_slice cell, uint64_t at)
{
	const struct weir_jsonleaf leaf = {.path = name, .text = cell, .at = at};
	bool odd = false;

	if (!*name || is_unknown(cell))
		return;
	weir_client_summary_take(&table->summary, rows, &leaf, &odd);
	if (odd)
		weir_input_warn(table->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	if (!is_result(name))
		weir_figure_label(table->run, name, cell);
}

/* Takes the row of a result as a run of the join. */
static enum weir_status take_result(struct table *table, const struct weir_csv_row *row,
                                    struct weir_error *err)
{
	struct weir_client_summary *summary = &table->summary;
	struct weir_run *run = table->run = weir_run_new();
	enum weir_status status = WEIR_OK;

	weir_client_summary_init(summary);
	summary->tpot_by_request = true;
	for (size_t i = 0; i + row->cut < table->columns; i++)
		take_cell(table, table->names[i], row->cells[i], row->at);
	summary->output_tokens /= summary->completed;
	if (summary->completed <= 0)
		weir_load_join_skip(&table->join, summary);
	else
		status = weir_client_summary_check(summary, table->input, err);
	if (!status && !(summary->completed <= 0)) /* may be unknown */
		weir_client_summary_add(summary, "", run);
	if (run->metrics.count)
		return weir_load_join_add(&table->join, run, err);
	weir_run_free(run);
	return status;
}

static enum weir_status take_row(struct table *table, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	if (!row->count)
		return WEIR_OK;
	if (weir_csv_find(row, "completed") != WEIR_CSV_NO_COLUMN) {
		take_header(table, row);
		return WEIR_OK;
	}
	if (!table->columns)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: expected a header with \"completed\" and "
		                 "\"mean_ttft_ms\"",
		                 (unsigned long long)row->number);
	if (row->count != table->columns)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: %zu columns, but its header has %zu: copy the file "
		                 "again",
		                 (unsigned long long)row->number, row->count, table->columns);
	/* The last number of a line without an end may be cut. */
	if (row->cut)
		weir_input_warn(table->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	table->rows++;
	return take_result(table, row, err);
}

static enum weir_status conclude(struct table *table, struct weir_error *err)
{
	struct weir_input *input = table->input;
	enum weir_status status;

	if (!table->rows)
		return weir_fail(err, WEIR_E_EMPTY, "no result after its header");
	if (!table->join.count && !table->join.empty)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no timing in this report: expected a time or a rate in its row");
	status = weir_load_join_finish(&table->join, input, err);
	if (status)
		return status;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

/*
 * ---- text ----
 *
 *	concurrency: 8
 *	first token latency(s)(min, max, ave): 0.068, 4.066, 0.285
 *	per-token latency(s) percentile(50, 75, 95, 99): [0.01, 0.09, 0.16, 0.22]
 *	token throughput (completion token): 516.892 token/s
 *	RPS (request per second): 25.016 req/s
 *
 * Times are seconds.
 */

/* A line by the begin of its name: a list of the least, the largest and the mean time, a list of
 * percentiles, or a number. */
static const struct line {
	const char *start;
	size_t slot; /* of times, or of a number in the summary */
	enum { LIST_MEAN, LIST_PERCENTILES, NUMBER } kind;
} lines[] = {
	{"first token latency", WEIR_CLIENT_SLOT(ttft), LIST_MEAN},
	{"first_token latency", WEIR_CLIENT_SLOT(ttft), LIST_MEAN},
	{"total_token latency", WEIR_CLIENT_SLOT(e2e), LIST_MEAN},
	{"per-token latency", WEIR_CLIENT_SLOT(itl), LIST_PERCENTILES},
	{"token_latency percentiles", WEIR_CLIENT_SLOT(itl), LIST_PERCENTILES},
	{"token throughput (completion token)", WEIR_CLIENT_SLOT(output_throughput), NUMBER},
	{"throughput(output)", WEIR_CLIENT_SLOT(output_throughput), NUMBER},
	{"token throughput (prompt + completion token)", WEIR_CLIENT_SLOT(total_throughput),
         NUMBER},
	{"throughput(total)", WEIR_CLIENT_SLOT(total_throughput), NUMBER},
	{"RPS (request per second)", WEIR_CLIENT_SLOT(request_throughput), NUMBER},
	{"elapsed_time", WEIR_CLIENT_SLOT(duration_s), NUMBER},
	{"number of prompt tokens", WEIR_CLIENT_SLOT(total_input_tokens), NUMBER},
	{"number of completion tokens", WEIR_CLIENT_SLOT(total_output_tokens), NUMBER},
};

static const struct weir_mark text_mark = {
	.first = "",
	.texts = {
		{"concurrency: ", "token throughput (completion token): ", "throughput(output): "},
		.all = 1,
		.any = 2}};

/* Takes the next number of a list off the text, without brackets and a unit behind it. Returns NAN
 * for anything else. */
static double take_list_number(struct weir_slice *text)
{
	const char *comma = text->length ? memchr(text->data, ',', text->length) : NULL;
	size_t length = comma ? (size_t)(comma - text->data) : text->length, start = 0, end;
	struct weir_slice item = {text->data, length};
	double value;

	*text = (struct weir_slice){text->data + length + (comma != NULL),
	                            text->length - length - (comma != NULL)};
	while (start < length && strchr(" [", item.data[start]))
		start++;
	for (end = start; end < length && strchr("0123456789.", item.data[end]);)
		end++;
	return weir_parse_double(item.data + start, end - start, &value) ? value : NAN;
}

/* Takes a time of a list, in seconds, under the name of its statistic. A percentile of 0 is of
 * tokens that came with those before: it is kept as a figure, with a warning. */
static void take_time(struct table *table, const struct line *line, const char *statistic, double s)
{
	struct weir_client_summary *summary = &table->summary;
	struct weir_slice name = weir_slice_of(statistic);
	bool is_zero = s == 0 && line->kind == LIST_PERCENTILES;

	if (is_zero)
		weir_input_warn(table->input, WEIR_WARN_ZERO_TIME, UINT64_MAX,
		                "between tokens: several arrive at a time");
	if (is_zero && weir_slice_equals(name, "p50"))
		name = weir_slice_of("median");
	if (!(s > 0) && !is_zero)
		return;
	if (!is_zero && weir_client_is_statistic(name))
		weir_client_summary_set_statistic(summary, line->slot, name, s * 1e3);
	else if (summary->other_count < WEIR_CLIENT_MAX_PERCENTILES)
		weir_client_summary_add_percentile(summary, line->slot, name, s * 1e3);
}

/* Takes the values of a line. */
static void take_values(struct table *table, const struct line *line, struct weir_slice text)
{
	static const char *const names[][4] = {[LIST_MEAN] = {"min", "max", "mean", NULL},
	                                       [LIST_PERCENTILES] = {"p50", "p75", "p95", "p99"}};

	for (size_t i = 0; line->kind != NUMBER && text.length && i < 4 && names[line->kind][i];
	     i++)
		take_time(table, line, names[line->kind][i], take_list_number(&text));
	if (line->kind == NUMBER) {
		double value = take_list_number(&text);

		if (value > 0)
			weir_client_summary_set(&table->summary, line->slot, value);
	}
}

/* Ends the block that is being read, if there is one. */
static enum weir_status end_block(struct table *table, struct weir_error *err)
{
	struct weir_run *run = table->run;
	enum weir_status status;

	table->run = NULL;
	if (!run)
		return WEIR_OK;
	status = weir_client_summary_check(&table->summary, table->input, err);
	if (!status) {
		weir_client_summary_add(&table->summary, "", run);
		weir_client_summary_label_totals(&table->summary, run);
	}
	if (!status && run->metrics.count)
		return weir_load_join_add(&table->join, run, err);
	weir_run_free(run);
	return status;
}

/* Takes "concurrency: 1" or "input_tokens: 256, output_tokens: 128" as labels. */
static void take_condition(struct table *table, struct weir_slice line, const char *name,
                           const char *key)
{
	const char *at = table->run ? weir_slice_find(line, name) : NULL;
	size_t length = 0, left;

	if (!at)
		return;
	at += strlen(name);
	left = (size_t)(line.data + line.length - at);
	while (length < left && at[length] >= '0' && at[length] <= '9')
		length++;
	weir_figure_label(table->run, key, (struct weir_slice){at, length});
}

static enum weir_status take_text(struct table *table, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	static const char load[] = "concurrency: ";
	struct weir_slice text = row->line;
	const char *colon = text.length ? memchr(text.data, ':', text.length) : NULL;
	enum weir_status status;

	if (!colon)
		return WEIR_OK;
	text = (struct weir_slice){colon + 1, text.length - (size_t)(colon + 1 - text.data)};
	if (weir_slice_starts(row->line, load)) {
		status = end_block(table, err);
		table->run = weir_run_new();
		weir_client_summary_init(&table->summary);
		table->rows++;
		take_condition(table, row->line, load, "concurrency");
		return status;
	}
	take_condition(table, row->line, "input_tokens: ", "input_tokens");
	take_condition(table, row->line, "output_tokens: ", "output_tokens");
	/* The number in a line without an end may be cut. */
	if (row->cut && table->run)
		weir_input_warn(table->input, WEIR_WARN_TRUNCATED, row->at, NULL);
	for (size_t i = 0; table->run && !row->cut && i < sizeof(lines) / sizeof(lines[0]); i++)
		if (weir_slice_starts(row->line, lines[i].start))
			take_values(table, &lines[i], text);
	return WEIR_OK;
}

static enum weir_status read_text(struct weir_source *source, struct table *table,
                                  struct weir_error *err)
{
	static const struct weir_csv_options whole_lines = {.separator = '\0'};
	struct weir_csv *csv = weir_csv_new(source, &whole_lines);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_text(table, row, err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_damage_of_source(table->input, source);
	if (!status)
		status = end_block(table, err);
	weir_run_free(table->run);
	return status;
}

/* ---- the reader ---- */

static enum weir_status read_rows(struct weir_source *source, struct table *table,
                                  struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_row(table, row, err);
		if (status)
			break;
	}
	if (!status && weir_source_damage(source))
		status =
			weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	weir_csv_free(csv);
	return status;
}

/* True if the header has a median, a percentile or a deviation. */
static bool has_other_statistics(const char *head, size_t len)
{
	static const char *const starts[] = {"median_", "p99_", "p95_", "p90_", "p50_", "std_"};
	struct weir_slice rest = {head, len}, line, cells[MAX_COLUMNS];
	size_t count = 0;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &options, cells, MAX_COLUMNS);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof(starts) / sizeof(starts[0]); j++)
			if (weir_slice_starts(cells[i], starts[j]))
				return true;
	return false;
}

static int sniff(const char *head, size_t len)
{
	int bits = weir_mark_bits(&text_mark, head, len);

	return bits || has_other_statistics(head, len) ? bits
	                                               : weir_mark_bits(&table_mark, head, len);
}

static enum weir_status read_lmdeploy(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct table table = {.input = input};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	status = weir_mark_bits(&text_mark, head, len) ? read_text(source, &table, err)
	                                               : read_rows(source, &table, err);
	if (!status)
		status = conclude(&table, err);
	weir_load_join_release(&table.join);
	return status;
}

const struct weir_reader weir_reader_lmdeploy = {
	.name = "lmdeploy",
	.title = "results of LMDeploy's benchmarks (profile_restful_api, profile_throughput), as "
		 "CSV or text",
	.gives = "native run",
	.tool = "LMDeploy's benchmark",
	.whole_run = true,
	.sniff = sniff,
	.read = read_lmdeploy,
};
