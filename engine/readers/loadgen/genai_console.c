/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the table that GenAI-Perf and AIPerf print. The columns are separated by lines or, where
 * those were lost, by blanks. A name that is too long for its column goes on in the next row, whose
 * other cells are blank:
 *
 *	┃            Statistic ┃    avg ┃    min ┃    max ┃    p99 ┃    p90 ┃    p75 ┃
 *	│  Time To First Token │  80.88 │  50.25 │ 124.29 │ 123.21 │ 113.50 │  97.31 │
 *	│                 (ms) │        │        │        │        │        │        │
 *	Request throughput (per sec): 4.03
 *
 * On a narrow terminal, an ellipsis stands for the end of a number. The command before a table
 * states its load; so do the paths of the files that the programs name behind it, and the command
 * that AIPerf repeats there. Early versions print the throughput behind the table.
 */
#include <math.h>
#include <string.h>

#include "engine/base/enums.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/genai_console.h"
#include "engine/readers/loadgen/genai_metrics.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/bars.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"

#define LOAD_TEXT 32 /* bytes; a longer load is left out */

static const struct weir_csv_options whole_lines = {.separator = '\0'};
static const struct weir_csv_options by_blanks = {.separator = ' '};

struct console {
	struct weir_genai_reading reading;
	struct weir_load_join join;
	struct weir_genai_table table;
	bool lines;            /* columns are separated by lines */
	struct weir_text name; /* of the row that is not taken yet; empty: none */
	double values[WEIR_GENAI_COLUMNS];
	bool cut[WEIR_GENAI_COLUMNS]; /* the value ends with an ellipsis */
	bool odd;                     /* one of its values is malformed */
	uint64_t at;                  /* byte of that row */
	bool begun;                   /* the result that is being read has a row */
	bool behind; /* the lines belong to a command that AIPerf repeats behind its table */
	/* of the command before the table; NULL, "": not stated */
	const char *load_label, *service;
	char load[LOAD_TEXT];
};

/* Gives the cells of a row of which all but the first are single words. Returns their number; 0:
 * it has fewer words. */
static size_t split_at_blanks(struct weir_slice line, size_t columns, struct weir_slice *cells)
{
	struct weir_slice words[WEIR_GENAI_COLUMNS];
	size_t count = weir_csv_split(line, &by_blanks, words, WEIR_GENAI_COLUMNS), first;

	if (!columns || count < columns || count == WEIR_GENAI_COLUMNS)
		return 0;
	first = count - columns; /* last word of the name */
	cells[0] = (struct weir_slice){
		words[0].data, (size_t)(words[first].data + words[first].length - words[0].data)};
	for (size_t i = 1; i < columns; i++)
		cells[i] = words[first + i];
	return columns;
}

/* Reads the header of a printed table. Returns false if the line is not one. */
static bool read_console_header(struct weir_slice line, struct weir_genai_table *table, bool *lines)
{
	struct weir_slice cells[WEIR_GENAI_COLUMNS] = {{"", 0}};
	size_t count = weir_bars_split(line, cells, WEIR_GENAI_COLUMNS), found = 0;
	bool mean = false;

	*lines = count > 0;
	if (!count)
		count = weir_csv_split(line, &by_blanks, cells, WEIR_GENAI_COLUMNS);
	if (count < 4 ||
	    (!weir_slice_equals(cells[0], "Statistic") && !weir_slice_equals(cells[0], "Metric")))
		return false;
	*table = (struct weir_genai_table){.columns = count};
	for (size_t i = 1; i < count; i++) {
		if (!weir_genai_is_statistic(cells[i]) || cells[i].length >= WEIR_GENAI_COLUMN_NAME)
			continue;
		memcpy(table->statistics[i], cells[i].data, cells[i].length);
		mean |= weir_slice_equals(cells[i], "avg");
		found++;
	}
	return mean && found >= 3;
}

/* Labels a result with what the command before its table states, and forgets that command. */
static void label_by_command(struct console *console, struct weir_run *run)
{
	if (console->load_label)
		weir_run_set_label(run, console->load_label, console->load);
	if (console->service)
		weir_run_set_label(run, "service_kind", console->service);
	console->load_label = console->service = NULL;
}

/* Ends the result that is being read, if it has a figure. */
static enum weir_status end_result(struct console *console, struct weir_error *err)
{
	struct weir_client_summary *summary = &console->reading.summary;
	struct weir_run *run = weir_run_new();
	enum weir_status status = WEIR_OK;

	weir_client_summary_add(summary, "", run);
	if (run->metrics.count) {
		status = weir_client_summary_check(summary, console->reading.input, err);
		weir_run_free(run);
		run = weir_run_new();
		weir_client_summary_add(summary, "", run);
		weir_client_summary_label_totals(summary, run);
	}
	weir_client_summary_init(summary);
	summary->tpot_by_request = true;
	summary->rounding = WEIR_GENAI_ROUNDING;
	console->begun = false;
	if (!status && run->metrics.count) {
		label_by_command(console, run);
		return weir_load_join_add(&console->join, run, err);
	}
	weir_run_free(run);
	return status;
}

/* Returns true if the summary has a statistic of the metric. */
static bool has_metric(const struct weir_client_summary *summary,
                       const struct weir_genai_metric *metric)
{
	size_t size = metric->kind == WEIR_GENAI_TIMES ? sizeof(struct weir_client_times)
	                                               : sizeof(double);

	for (size_t at = metric->slot; at < metric->slot + size; at += sizeof(double))
		if (!isnan(*(const double *)(const void *)((const char *)summary + at)))
			return true;
	return false;
}

/* Takes the row whose name is complete. A metric that the result has already begins the next one.
 */
static enum weir_status take_console_row(struct console *console, struct weir_error *err)
{
	struct weir_slice name = {console->name.data, console->name.length};
	struct weir_genai_statistic statistic = {.at = console->at};
	enum weir_status status = WEIR_OK;

	if (!name.length)
		return WEIR_OK;
	statistic.unit = weir_genai_split_unit(&name);
	statistic.metric = weir_genai_metric_find(name);
	if (statistic.metric && has_metric(&console->reading.summary, statistic.metric))
		status = end_result(console, err);
	if (statistic.metric && console->odd)
		weir_input_warn(console->reading.input, WEIR_WARN_BAD_NUMBER, console->at, NULL);
	console->begun |= statistic.metric != NULL;
	for (size_t i = 1; statistic.metric && i < console->table.columns; i++) {
		if (console->cut[i] &&
		    weir_client_is_statistic(weir_slice_of(console->table.statistics[i])))
			weir_input_warn(console->reading.input, WEIR_WARN_CUT_VALUE, console->at,
			                statistic.metric->name);
		statistic.value = console->values[i];
		statistic.name = weir_slice_of(console->table.statistics[i]);
		weir_genai_take_statistic(&console->reading, &statistic);
	}
	weir_text_clear(&console->name);
	return status;
}

/* True for the rest of a name: a row without a value. */
static bool is_rest_of_name(const struct weir_slice *cells, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (cells[i].length)
			return false;
	return cells[0].length > 0;
}

/* Begins a row; its name may go on in the next one. */
static void begin_console_row(struct console *console, const struct weir_slice *cells, uint64_t at)
{
	bool odd;

	console->odd = false;
	weir_text_add(&console->name, cells[0].data, cells[0].length);
	for (size_t i = 1; i < console->table.columns; i++) {
		console->cut[i] = weir_slice_ends(cells[i], "\xe2\x80\xa6") ||
		                  weir_slice_ends(cells[i], "...");
		console->values[i] = weir_genai_parse_number(cells[i], &odd);
		console->odd |= odd && !console->cut[i];
	}
	console->at = at;
}

/* Takes "Request throughput (per sec): 4.03", which early versions print behind the table. Returns
 * false for any other line. */
static bool take_rate(struct console *console, const struct weir_csv_row *row)
{
	const char *colon = weir_slice_find(row->line, "):");
	struct weir_slice name = {row->line.data, colon ? (size_t)(colon + 1 - row->line.data) : 0};
	struct weir_genai_statistic rate = {.name = weir_slice_of("avg"), .at = row->at};
	bool odd;

	name = weir_slice_trim(name);
	rate.unit = weir_genai_split_unit(&name);
	rate.metric = weir_genai_metric_find(name);
	if (!colon || !console->begun || !rate.metric || rate.metric->kind != WEIR_GENAI_RATE)
		return false;
	name = (struct weir_slice){colon + 2,
	                           (size_t)(row->line.data + row->line.length - (colon + 2))};
	rate.value = weir_genai_parse_number(weir_slice_trim(name), &odd);
	if (row->cut)
		weir_input_warn(console->reading.input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else if (odd)
		weir_input_warn(console->reading.input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
	else
		weir_genai_take_statistic(&console->reading, &rate);
	return true;
}

/* Finds the load in the path of a file, "our-model-openai-chat-concurrency10/profile_export.json".
 */
static bool find_path_load(struct weir_slice line, const char **label, struct weir_slice *value)
{
	static const struct {
		const char *text, *label;
	} loads[] = {{"-concurrency", "concurrency"}, {"-request_rate", "request_rate"}};
	const char *end = line.data + line.length;

	for (size_t i = 0; i < WEIR_COUNT_OF(loads); i++) {
		const char *at = weir_slice_find(line, loads[i].text), *start;

		if (!at || !weir_slice_holds(line, "profile_export"))
			continue;
		start = at += strlen(loads[i].text);
		while (at < end && ((*at >= '0' && *at <= '9') || *at == '.'))
			at++;
		*label = loads[i].label;
		*value = (struct weir_slice){start, (size_t)(at - start)};
		if (value->length)
			return true;
	}
	return false;
}

/* Returns the kind of the service that a command or the path of a file states, or NULL. */
static const char *find_service(struct weir_slice line)
{
	static const struct {
		const char *text, *service;
	} services[] = {
		{"--service-kind triton", "triton"},
		{"--service-kind=triton", "triton"},
		{"--service-kind openai", "openai"},
		{"--service-kind=openai", "openai"},
		{"-triton-", "triton"},
		{"-openai-", "openai"},
	};
	bool path = weir_slice_holds(line, "profile_export");

	for (size_t i = 0; i < WEIR_COUNT_OF(services); i++)
		if ((path || weir_slice_starts(weir_slice_of(services[i].text), "--")) &&
		    weir_slice_holds(line, services[i].text))
			return services[i].service;
	return NULL;
}

/* Labels the result that was read last with what stands behind its table. */
static void label_behind(struct console *console, struct weir_slice line)
{
	struct weir_load_join *join = &console->join;
	struct weir_run *run = join->count ? join->runs[join->count - 1] : NULL;
	const char *label, *service = find_service(line);
	struct weir_slice value;

	if (!run)
		return;
	if ((weir_genai_find_load(line, &label, &value) || find_path_load(line, &label, &value)) &&
	    !weir_run_label(run, label))
		weir_figure_label(run, label, value);
	if (service && !weir_run_label(run, "service_kind"))
		weir_run_set_label(run, "service_kind", service);
}

/* Keeps what a command states for the table behind it. */
static void take_command(struct console *console, struct weir_slice line, bool begins)
{
	const char *label, *service = find_service(line);
	struct weir_slice value;

	if (begins)
		console->load_label = console->service = NULL;
	if (service)
		console->service = service;
	if ((weir_genai_find_load(line, &label, &value) || find_path_load(line, &label, &value)) &&
	    value.length < sizeof(console->load)) {
		console->load_label = label;
		memcpy(console->load, value.data, value.length);
		console->load[value.length] = '\0';
	}
}

/* True if the line is the start of a command of one of the programs. */
static bool begins_command(struct weir_slice line)
{
	static const char *const programs[] = {"genai-perf -", "genai-perf profile",
	                                       "aiperf profile", "perf_analyzer -"};

	for (size_t i = 0; i < WEIR_COUNT_OF(programs); i++)
		if (weir_slice_holds(line, programs[i]))
			return true;
	return false;
}

/* Takes a line that is no row of a table. */
static enum weir_status take_text(struct console *console, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	struct weir_slice line = weir_slice_trim(row->line), value;
	bool begins = begins_command(line), repeated = weir_slice_holds(line, "CLI Command:");
	bool options = weir_slice_starts(line, "--") || weir_slice_holds(line, " --");
	enum weir_status status = WEIR_OK;
	const char *label;

	if (take_rate(console, row))
		return WEIR_OK;
	console->behind = repeated || (console->behind && line.length && !begins &&
	                               !weir_slice_holds(line, ": "));
	begins &= !console->behind;
	if (!begins && !weir_genai_find_load(line, &label, &value) &&
	    !weir_slice_holds(line, "--service-kind") && !weir_slice_holds(line, "profile_export"))
		return WEIR_OK;
	status = end_result(console, err);
	if (console->behind || (!begins && !options))
		label_behind(console, line);
	else
		take_command(console, line, begins);
	return status;
}

static enum weir_status take_console_line(struct console *console, const struct weir_csv_row *row,
                                          struct weir_error *err)
{
	struct weir_slice cells[WEIR_GENAI_COLUMNS] = {{"", 0}};
	struct weir_genai_table table;
	bool lines;
	size_t columns = console->table.columns, count;
	enum weir_status status;

	if (read_console_header(row->line, &table, &lines)) {
		status = take_console_row(console, err);
		console->table = table;
		console->lines = lines;
		return status;
	}
	count = console->lines ? weir_bars_split(row->line, cells, WEIR_GENAI_COLUMNS)
	                       : split_at_blanks(row->line, columns, cells);
	if (!columns || count < columns) {
		status = take_console_row(console, err);
		if (columns && row->cut && count)
			weir_input_warn(console->reading.input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return status ? status : take_text(console, row, err);
	}
	if (console->lines && console->name.length && is_rest_of_name(cells, columns)) {
		weir_text_puts(&console->name, " ");
		weir_text_add(&console->name, cells[0].data, cells[0].length);
		return WEIR_OK;
	}
	status = take_console_row(console, err);
	if (row->cut && !console->lines)
		weir_input_warn(console->reading.input, WEIR_WARN_TRUNCATED, row->at, NULL);
	else
		begin_console_row(console, cells, row->at);
	return status;
}

/* Numbers the results if the load of one of them is unknown: they are no repeats of one load. */
static void number_results(const struct weir_load_join *join)
{
	bool known = true;

	for (size_t i = 0; i < join->count; i++)
		known &= weir_run_label(join->runs[i], "concurrency") ||
		         weir_run_label(join->runs[i], "request_rate");
	for (size_t i = 0; !known && join->count > 1 && i < join->count; i++) {
		struct weir_text number = {0};

		weir_text_printf(&number, "%zu", i + 1);
		weir_run_set_label(join->runs[i], "table", number.data);
		weir_text_release(&number);
	}
}

static enum weir_status conclude_console(struct console *console, struct weir_error *err)
{
	struct weir_input *input = console->reading.input;
	enum weir_status status;

	if (!console->join.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no timing in this table: expected a row such as "
		                 "Request Latency (ms) with a number: pass "
		                 "profile_export_genai_perf.json or "
		                 "profile_export_aiperf.json");
	number_results(&console->join);
	status = weir_load_join_finish(&console->join, input, err);
	if (status)
		return status;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	input->events = input->run->metrics.count;
	return WEIR_OK;
}

enum weir_status weir_genai_console_read(struct weir_input *input, struct weir_source *source,
                                         struct weir_error *err)
{
	struct console console = {.reading = {.input = input}};
	struct weir_csv *csv = weir_csv_new(source, &whole_lines);
	const struct weir_csv_row *row;
	enum weir_status status;

	weir_client_summary_init(&console.reading.summary);
	console.reading.summary.tpot_by_request = true;
	console.reading.summary.rounding = WEIR_GENAI_ROUNDING;
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_console_line(&console, row, err);
		if (status)
			break;
	}
	if (!status)
		status = take_console_row(&console, err);
	if (!status)
		status = end_result(&console, err);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude_console(&console, err);
	weir_load_join_release(&console.join);
	weir_text_release(&console.name);
	return status;
}

int weir_genai_console_sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, cells[WEIR_GENAI_COLUMNS];
	struct weir_genai_table table = {0};
	bool lines = false;
	int bits = 0;

	while (weir_csv_take_line(&rest, &line)) {
		if (read_console_header(line, &table, &lines)) {
			bits = 0;
			for (size_t i = 1; i < table.columns; i++)
				bits += 8 * (int)strlen(table.statistics[i]);
			continue;
		}
		if (!bits || (lines ? weir_bars_split(line, cells, WEIR_GENAI_COLUMNS)
		                    : split_at_blanks(line, table.columns, cells)) < table.columns)
			continue;
		weir_genai_split_unit(&cells[0]);
		if (weir_genai_metric_find(cells[0]))
			return bits + 8 * (int)cells[0].length;
	}
	return 0;
}
