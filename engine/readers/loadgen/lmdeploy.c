/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of LMDeploy's benchmarks, profile_restful_api.py and profile_throughput.py: a table
 * of a header and a row, under any file name. Each run appends a row, some also a header. Several
 * rows become one run with the load in the names of figures (load_join.h).
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 64
#define MAX_NAME    64

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

/* Columns of both programs; the first four identify the format. */
static const struct weir_mark marks[] = {
	{.first = "",
         .cells = {{"completed", "request_throughput", "output_throughput", "mean_ttft_ms",
                    "input_throughput", "mean_tpot_ms", "mean_itl_ms", "mean_e2e_latency_ms",
                    "total_input_tokens"},
                   .all = 4}},
	{0},
};

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

static enum weir_status read_lmdeploy(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct table table = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_row(&table, row, err);
		if (status)
			break;
	}
	if (!status && weir_source_damage(source))
		status =
			weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	if (!status)
		status = conclude(&table, err);
	weir_csv_free(csv);
	weir_load_join_release(&table.join);
	return status;
}

const struct weir_reader weir_reader_lmdeploy = {
	.name = "lmdeploy",
	.title = "results of LMDeploy's benchmarks (profile_restful_api, profile_throughput)",
	.gives = "native run",
	.whole_run = true,
	.marks = marks,
	.read = read_lmdeploy,
};
