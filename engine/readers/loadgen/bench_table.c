/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tables (CSV) of results of serving benchmarks, as people and sweeps collect them: a row for
 * each configuration. The columns are keys of the results of vLLM and SGLang ("mean_ttft_ms") or
 * the labels that these print ("Mean TTFT (ms)"), beside columns of conditions, under any name and
 * in any order. All rows are one run, with their load and each condition that differs in the names
 * of their figures (load_join.h). A table with the means of LMDeploy alone is of lmdeploy.c.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/readers.h"

#define MAX_COLUMNS 128
#define MAX_NAME    64
#define NOWHERE     SIZE_MAX /* slot of a result that is passed over */
#define MIN_RESULTS 4        /* known columns of results that make a table of this format */

static const struct weir_csv_options options = {.separator = ',', .quotes = true, .trim = true};

/* Results by their names in lower case, with "_" for a blank and without brackets. */
static const struct result {
	const char *name;
	size_t slot; /* of the summary */
} results[] = {
	{"completed", WEIR_CLIENT_SLOT(completed)},
	{"successful_requests", WEIR_CLIENT_SLOT(completed)},
	{"failed", WEIR_CLIENT_SLOT(failed)},
	{"failed_requests", WEIR_CLIENT_SLOT(failed)},
	{"duration", WEIR_CLIENT_SLOT(duration_s)},
	{"benchmark_duration_s", WEIR_CLIENT_SLOT(duration_s)},
	{"total_input_tokens", WEIR_CLIENT_SLOT(total_input_tokens)},
	{"total_output_tokens", WEIR_CLIENT_SLOT(total_output_tokens)},
	{"total_generated_tokens", WEIR_CLIENT_SLOT(total_output_tokens)},
	{"total_output_tokens_retokenized", NOWHERE},
	{"total_generated_tokens_retokenized", NOWHERE},
	{"request_throughput", WEIR_CLIENT_SLOT(request_throughput)},
	{"request_throughput_req/s", WEIR_CLIENT_SLOT(request_throughput)},
	{"request_goodput", WEIR_CLIENT_SLOT(request_goodput)},
	{"request_goodput_req/s", WEIR_CLIENT_SLOT(request_goodput)},
	{"input_throughput", WEIR_CLIENT_SLOT(input_throughput)},
	{"input_token_throughput_tok/s", WEIR_CLIENT_SLOT(input_throughput)},
	{"output_throughput", WEIR_CLIENT_SLOT(output_throughput)},
	{"output_token_throughput_tok/s", WEIR_CLIENT_SLOT(output_throughput)},
	{"total_throughput", WEIR_CLIENT_SLOT(total_throughput)},
	{"total_token_throughput", WEIR_CLIENT_SLOT(total_throughput)},
	{"total_token_throughput_tok/s", WEIR_CLIENT_SLOT(total_throughput)},
	{"peak_output_token_throughput_tok/s", WEIR_CLIENT_SLOT(peak_output_throughput)},
	{"max_output_tokens_per_s", WEIR_CLIENT_SLOT(peak_output_throughput)},
	{"peak_concurrent_requests", WEIR_CLIENT_SLOT(peak_concurrency)},
	{"max_concurrent_requests", WEIR_CLIENT_SLOT(peak_concurrency)},
	{"accept_length", WEIR_CLIENT_SLOT(acceptance_length)},
};

/* Times, behind the name of a statistic: "mean_ttft_ms". */
static const struct subject {
	const char *ending;
	size_t slot; /* of times in the summary */
} subjects[] = {
	{"_ttft_ms", WEIR_CLIENT_SLOT(ttft)},       {"_tpot_ms", WEIR_CLIENT_SLOT(tpot)},
	{"_itl_ms", WEIR_CLIENT_SLOT(itl)},         {"_e2el_ms", WEIR_CLIENT_SLOT(e2e)},
	{"_e2e_latency_ms", WEIR_CLIENT_SLOT(e2e)},
};

/* Conditions with another name as a label. */
static const struct weir_client_label conditions[] = {
	{"qps", "request_rate"},
	{"traffic_request_rate", "request_rate"},
	{"max_request_concurrency", "max_concurrency"},
	{"maximum_request_concurrency", "max_concurrency"},
	{"model_id", "model"},
	{"timestamp", "date"}, /* differs between repeats */
	{0},
};

/* Parts of the names of further results, which are no conditions. */
static const char *const of_results[] = {
	"_ms",    "throughput", "latency", "goodput",         "ttft",    "tpot",    "_itl", "/s",
	"_per_s", "_util",      "errors",  "generated_texts", "accept_", "unnamed", NULL};

struct column {
	enum {
		IGNORED,
		RESULT,    /* a number */
		STATISTIC, /* of times */
		CONDITION,
	} kind;
	size_t slot;                            /* of a result, or of times */
	char statistic[WEIR_CLIENT_PERCENTILE]; /* "p99"; "": not read */
	char name[MAX_NAME];                    /* of a condition, as it stands in the table */
};

struct table {
	struct weir_input *input;
	struct column columns[MAX_COLUMNS];
	size_t count, rows;
	struct weir_load_join join;
};

/* ---- header ---- */

/* Writes "Mean TTFT (ms)" as "mean_ttft_ms". Returns false if the cell is empty or too long. */
static bool normalize(struct weir_slice cell, char name[MAX_NAME])
{
	size_t length = 0;

	if (!cell.length || cell.length >= MAX_NAME)
		return false;
	for (size_t i = 0; i < cell.length; i++)
		if (cell.data[i] != '(' && cell.data[i] != ')' && cell.data[i] != ':')
			name[length++] = cell.data[i] == ' '
			                         ? '_'
			                         : (char)tolower((unsigned char)cell.data[i]);
	name[length] = '\0';
	return length > 0;
}

static bool ends_with(const char *text, const char *ending, size_t *before)
{
	size_t length = strlen(text), most = strlen(ending);

	*before = length - most;
	return length > most && strcmp(text + length - most, ending) == 0;
}

/* True for "p50", "p99.9". */
static bool is_percentile(const char *name, size_t length)
{
	double value;

	return length > 1 && *name == 'p' && weir_parse_double(name + 1, length - 1, &value) &&
	       value > 0 && value < 100;
}

/* Describes the column of a time. Returns false for any other name. */
static bool describe_time(const char *name, struct column *column)
{
	size_t before;

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		struct weir_slice statistic;

		if (!ends_with(name, subjects[i].ending, &before))
			continue;
		statistic = (struct weir_slice){name, before};
		if (!weir_client_is_statistic(statistic) && !is_percentile(name, before))
			return false;
		if (before >= sizeof(column->statistic))
			return false;
		column->kind = STATISTIC;
		column->slot = subjects[i].slot;
		memcpy(column->statistic, name, before);
		return true;
	}
	return false;
}

/* Describes a column by its header. `measured`: a column "concurrency" holds the mean number of
 * requests in flight, because another one holds the limit. */
static struct column describe(struct weir_slice cell, bool measured)
{
	struct column column = {.kind = IGNORED};
	char name[MAX_NAME];

	if (!normalize(cell, name) || describe_time(name, &column))
		return column;
	if (measured && strcmp(name, "concurrency") == 0)
		return (struct column){.kind = RESULT, .slot = WEIR_CLIENT_SLOT(concurrency)};
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (strcmp(name, results[i].name) == 0)
			return (struct column){.kind = RESULT, .slot = results[i].slot};
	for (size_t i = 0; of_results[i]; i++)
		if (strstr(name, of_results[i]))
			return column;
	column.kind = CONDITION;
	memcpy(column.name, cell.data, cell.length);
	for (size_t i = 0; conditions[i].path; i++)
		if (strcmp(name, conditions[i].path) == 0)
			strncpy(column.name, conditions[i].key, MAX_NAME - 1);
	return column;
}

/* Describes the columns of a header. Returns the number of those with results. */
static size_t describe_all(const struct weir_slice *cells, size_t count, struct column *columns)
{
	bool measured = false;
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		measured |= strcmp(describe(cells[i], false).name, "max_concurrency") == 0;
	for (size_t i = 0; i < count; i++) {
		columns[i] = describe(cells[i], measured);
		found += columns[i].kind == RESULT || columns[i].kind == STATISTIC;
	}
	return found;
}

/* True for columns with a time and, unless they are printed labels, with one that is no mean. */
static bool has_times(const struct weir_slice *cells, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (columns[i].kind == STATISTIC && (strcmp(columns[i].statistic, "mean") != 0 ||
		                                     isupper((unsigned char)cells[i].data[0])))
			return true;
	return false;
}

/* Returns 8 for each byte of the known columns; 0: not a table of this format. */
static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[MAX_COLUMNS];
	struct column columns[MAX_COLUMNS];
	size_t count = 0;
	int bits = 0;
	bool rate = false;

	while (!count && weir_csv_take_line(&rest, &line))
		count = weir_csv_split(line, &options, cells, MAX_COLUMNS);
	if (describe_all(cells, count, columns) < MIN_RESULTS || !has_times(cells, columns, count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (columns[i].kind != RESULT && columns[i].kind != STATISTIC)
			continue;
		bits += 8 * (int)cells[i].length;
		rate |= columns[i].kind == RESULT &&
		        (columns[i].slot == WEIR_CLIENT_SLOT(request_throughput) ||
		         columns[i].slot == WEIR_CLIENT_SLOT(output_throughput));
	}
	return rate ? bits : 0;
}

/* ---- rows ---- */

/* True for a value that is not available. */
static bool is_unknown(struct weir_slice cell)
{
	static const char *const none[] = {"", "-", "nan", "NaN", "None", "null", "N/A", NULL};

	for (size_t i = 0; none[i]; i++)
		if (weir_slice_equals(cell, none[i]))
			return true;
	return false;
}

static void take_cell(struct table *table, const struct column *column, struct weir_slice cell,
                      struct weir_client_summary *summary, struct weir_run *run, uint64_t at)
{
	struct weir_slice statistic = weir_slice_of(column->statistic);
	double value;

	if (column->kind == IGNORED || column->slot == NOWHERE || is_unknown(cell))
		return;
	if (column->kind == CONDITION) {
		if (*cell.data != '[' && *cell.data != '{')
			weir_figure_label(run, column->name, cell);
		return;
	}
	if (!weir_parse_double(cell.data, cell.length, &value) || !isfinite(value) || value < 0) {
		weir_input_warn(table->input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	if (column->kind == RESULT)
		weir_client_summary_set(summary, column->slot, value);
	else if (value > 0 && weir_client_is_statistic(statistic))
		weir_client_summary_set_statistic(summary, column->slot, statistic, value);
	else if (value > 0 && summary->other_count < WEIR_CLIENT_MAX_PERCENTILES)
		weir_client_summary_add_percentile(summary, column->slot, statistic, value);
}

/* Labels a row with its number, which tells rows of unknown loads apart: they are no repeats. */
static void number_row(const struct table *table, struct weir_run *run)
{
	struct weir_text number = {0};

	weir_text_printf(&number, "%zu", table->rows);
	weir_run_set_label(run, "row", number.data);
	weir_text_release(&number);
}

/* True if the table has a column of conditions other than the date. */
static bool has_conditions(const struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->columns[i].kind == CONDITION &&
		    strcmp(table->columns[i].name, "date") != 0)
			return true;
	return false;
}

/* True unless the row is as long as the header; empty cells at the end may be missing or more. */
static bool is_ragged(const struct table *table, const struct weir_csv_row *row)
{
	for (size_t i = table->count; i < row->count; i++)
		if (row->cells[i].length)
			return true;
	for (size_t i = row->count; i < table->count; i++)
		if (table->columns[i].kind != IGNORED)
			return true;
	return row->excess;
}

static enum weir_status take_row(struct table *table, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct column columns[MAX_COLUMNS];
	struct weir_client_summary summary;
	struct weir_run *run;
	size_t count = row->count < MAX_COLUMNS ? row->count : MAX_COLUMNS;

	if (!row->count)
		return WEIR_OK;
	if (describe_all(row->cells, count, columns) >= MIN_RESULTS) {
		memcpy(table->columns, columns, count * sizeof(*columns));
		table->count = count;
		return WEIR_OK;
	}
	if (!table->count)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: expected a header with request_throughput, "
		                 "mean_ttft_ms, p99_ttft_ms and the like",
		                 (unsigned long long)row->number);
	if (row->cut || is_ragged(table, row)) {
		weir_input_warn(table->input, row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW,
		                row->at, NULL);
		if (is_ragged(table, row))
			return WEIR_OK;
	}
	table->rows++;
	run = weir_run_new();
	weir_client_summary_init(&summary);
	summary.tpot_by_request = true;
	/* The last number of a row without an end may be cut. */
	for (size_t i = 0; i < table->count && i + row->cut < row->count; i++)
		take_cell(table, &table->columns[i], row->cells[i], &summary, run, row->at);
	if (!has_conditions(table))
		number_row(table, run);
	return weir_load_join_end(&table->join, &summary, run, table->input, err);
}

static enum weir_status conclude(struct table *table, struct weir_error *err)
{
	struct weir_input *input = table->input;
	enum weir_status status;

	if (!table->join.count && !table->join.empty)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no result in this table: expected rows with numbers under "
		                 "request_throughput, mean_ttft_ms and the like");
	table->join.all_labels = true;
	status = weir_load_join_finish(&table->join, input, err);
	if (status)
		return status;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

static enum weir_status read_table(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct table table = {.input = input};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_skipped *skipped = weir_csv_skipped(csv);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_row(&table, row, err);
		if (status)
			break;
	}
	if (skipped->count)
		weir_input_warn(input, WEIR_WARN_RAGGED_ROW, skipped->first_at, "too long");
	weir_damage_of_source(input, source);
	weir_csv_free(csv);
	if (!status)
		status = conclude(&table, err);
	weir_load_join_release(&table.join);
	return status;
}

const struct weir_reader weir_reader_bench_table = {
	.name = "bench-table",
	.title = "tables (CSV) of results of serving benchmarks, one run of many configurations",
	.gives = "native run",
	.tool = "a serving benchmark",
	.whole_run = true,
	.sniff = sniff,
	.read = read_table,
};
