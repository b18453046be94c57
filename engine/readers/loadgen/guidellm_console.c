/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the tables that GuideLLM prints at its end, of 0.2 and 0.3 ("Benchmarks Info", "Benchmarks
 * Stats") and of 0.4 and later ("Run Summary Info", "Request Latency Statistics", ...):
 *
 *	|=============|=========|========|======|======|
 *	| Benchmark   | Request Latency || TTFT       ||
 *	| Strategy    | Sec             || ms         ||
 *	|             | Mdn     | p95    | Mdn  | p95  |
 *	|-------------|---------|--------|------|------|
 *	| synchronous | 30.6    | 30.9   | 47.7 | 57.8 |
 *	|=============|=========|========|======|======|
 *
 * A cell of the header may span columns, as the signs "||" behind it show. The cells above a column
 * are its path, "TTFT/ms/p95". All tables list the load points in the same order. The numbers have
 * one or two digits; the report benchmarks.json is exact and lists the requests.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/guidellm_console.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"

#define MAX_POINTS  256
#define MAX_COLUMNS 64
#define MAX_LEVELS  3    /* lines of a header */
#define NAME        64   /* bytes of a load point's name */
#define PATH        96   /* bytes of a column's path; a longer one is not known */
#define RULE        10   /* signs of the shortest line around a table */
#define ROUNDING    0.05 /* of rates with one digit */
#define MS_OF_S     1e3

/* One load point: a row in each table. */
struct point {
	struct weir_client_summary summary;
	double incomplete;
	double left_out_s;     /* warm-up and cool-down: in the totals, not in the rates */
	bool old;              /* of version 0.2 or 0.3 */
	char name[NAME];       /* "constant@2" */
	char unique[NAME + 8]; /* "constant@2#2" */
};

struct console {
	struct weir_input *input;
	struct point *points;
	size_t count, capacity;
	size_t base; /* first load point of the report that is being read */
	enum { NO_TABLE, HEADER, ROWS } state;
	char path[MAX_COLUMNS][PATH]; /* of the columns of this table */
	size_t columns, levels, row;
	bool bad_header; /* its lines have different numbers of columns */
};

/* ---- columns ---- */

/* Columns with one number. */
static const struct {
	const char *path;
	size_t slot; /* offsetof() in the point */
} numbers[] = {
	{"Timings/Dur/Sec", offsetof(struct point, summary.duration_s)},
	{"Input Tokens/Comp/Tot", offsetof(struct point, summary.total_input_tokens)},
	{"Output Tokens/Comp/Tot", offsetof(struct point, summary.total_output_tokens)},
	/* Rates are weighted by time: only their mean has a meaning. */
	{"Requests/Per Sec/Mean", offsetof(struct point, summary.request_throughput)},
	{"Requests/Concurrency/Mean", offsetof(struct point, summary.concurrency)},
	{"Input Tokens/Per Sec/Mean", offsetof(struct point, summary.input_throughput)},
	{"Output Tokens/Per Sec/Mean", offsetof(struct point, summary.output_throughput)},
	{"Total Tokens/Per Sec/Mean", offsetof(struct point, summary.total_throughput)},
	/* 0.2 and 0.3 */
	{"Metadata/Duration (s)", offsetof(struct point, summary.duration_s)},
	{"Requests Made/Comp", offsetof(struct point, summary.completed)},
	{"Requests Made/Inc", offsetof(struct point, incomplete)},
	{"Requests Made/Err", offsetof(struct point, summary.failed)},
	{"Prompt Tok Total/Comp", offsetof(struct point, summary.total_input_tokens)},
	{"Output Tok Total/Comp", offsetof(struct point, summary.total_output_tokens)},
	{"Request Stats/Per Second", offsetof(struct point, summary.request_throughput)},
	{"Request Stats/Concurrency", offsetof(struct point, summary.concurrency)},
	{"Out Tok/sec/mean", offsetof(struct point, summary.output_throughput)},
	{"Tot Tok/sec/mean", offsetof(struct point, summary.total_throughput)},
};

/* Columns of statistics: the path ends with the name of one. */
static const struct {
	const char *path;
	size_t slot; /* of the times in the summary */
	double scale;
} times[] = {
	{"Request Latency/Sec/", WEIR_CLIENT_SLOT(e2e), MS_OF_S},
	{"TTFT/ms/", WEIR_CLIENT_SLOT(ttft), 1},
	{"ITL/ms/", WEIR_CLIENT_SLOT(itl), 1},
	{"TPOT/ms/", WEIR_CLIENT_SLOT(ntpot), 1}, /* from the start of the request */
	/* 0.2 and 0.3. The first is in seconds, although some titles say ms. Their time per output
         * token has another definition and is not read. */
	{"Req Latency (ms)/", WEIR_CLIENT_SLOT(e2e), MS_OF_S},
	{"Req Latency (sec)/", WEIR_CLIENT_SLOT(e2e), MS_OF_S},
	{"TTFT (ms)/", WEIR_CLIENT_SLOT(ttft), 1},
	{"ITL (ms)/", WEIR_CLIENT_SLOT(itl), 1},
};

static const struct {
	const char *title, *name;
} statistics[] = {{"Mean", "mean"}, {"Mdn", "median"}, {"mean", "mean"}, {"median", "median"},
                  {"p50", "p50"},   {"p90", "p90"},    {"p95", "p95"},   {"p99", "p99"}};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static double *slot_of(struct point *point, size_t slot)
{
	return (double *)(void *)((char *)point + slot);
}

/* Returns the statistic of a column of times, and its row in `*row`; NULL: it is no such column. */
static const char *find_times(const char *path, size_t *row)
{
	for (size_t i = 0; i < COUNT(times); i++) {
		size_t length = strlen(times[i].path);

		if (strncmp(path, times[i].path, length) != 0)
			continue;
		*row = i;
		for (size_t s = 0; s < COUNT(statistics); s++)
			if (strcmp(path + length, statistics[s].title) == 0)
				return statistics[s].name;
	}
	return NULL;
}

/* Takes the number of a column. Returns false if the load point had one already. */
static bool take_number(struct point *point, const char *path, double value)
{
	size_t row = 0;
	const char *statistic = find_times(path, &row);

	if (strcmp(path, "Timings/Warm/Sec") == 0 || strcmp(path, "Timings/Cool/Sec") == 0)
		point->left_out_s += value;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		double *slot = slot_of(point, numbers[i].slot);

		if (strcmp(path, numbers[i].path) != 0)
			continue;
		if (!isnan(*slot))
			return false;
		*slot = value;
	}
	/* 0 stands for a load point without a completed request. */
	return !statistic || !(value > 0) ||
	       weir_client_summary_set_statistic(&point->summary, times[row].slot,
	                                         weir_slice_of(statistic),
	                                         value * times[row].scale);
}

/* ---- lines of a table ---- */

/* Takes the next cell off a line. Returns false at its end. */
static bool take_cell(struct weir_slice *line, struct weir_slice *cell)
{
	const char *bar;

	if (!line->data)
		return false;
	bar = memchr(line->data, '|', line->length);
	*cell = (struct weir_slice){line->data, bar ? (size_t)(bar - line->data) : line->length};
	if (bar)
		*line = (struct weir_slice){bar + 1, line->length - cell->length - 1};
	else
		*line = (struct weir_slice){0};
	return true;
}

/* Returns the line without the signs "|" at its ends, which tables of 0.4 and later have. */
static struct weir_slice without_frame(struct weir_slice line)
{
	if (!weir_slice_starts(line, "|"))
		return line;
	line = (struct weir_slice){line.data + 1, line.length - 1};
	if (weir_slice_ends(line, "|"))
		line.length--;
	return line;
}

/* Adds a line of the header to the paths. A cell without any character belongs to the one before.
 */
static void take_header(struct console *console, struct weir_slice line)
{
	struct weir_slice cell, span = {0};
	size_t column = 0;

	line = without_frame(line);
	while (take_cell(&line, &cell) && column < MAX_COLUMNS) {
		char *path = console->path[column];
		size_t used = console->levels ? strlen(path) : 0;

		span = cell.length ? weir_slice_trim(cell) : span;
		if (used + span.length + 2 <= PATH) {
			if (console->levels && span.length)
				path[used++] = '/';
			memcpy(path + used, span.data ? span.data : "", span.length);
			path[used + span.length] = '\0';
		}
		column++;
	}
	console->bad_header |= console->levels && column != console->columns;
	console->columns = column;
	console->levels++;
}

/* Returns the load point of a row; NULL: there are too many. */
static struct point *point_of_row(struct console *console)
{
	struct point *point;

	if (console->base + console->row < console->count)
		return &console->points[console->base + console->row];
	if (console->count == MAX_POINTS)
		return NULL;
	console->points = weir_grow(console->points, &console->capacity, console->count + 1,
	                            sizeof(*console->points));
	point = &console->points[console->count++];
	*point = (struct point){.incomplete = NAN};
	weir_client_summary_init(&point->summary);
	point->summary.rounding = ROUNDING;
	return point;
}

static void take_name(struct point *point, struct weir_slice cell)
{
	if (*point->name || cell.length >= sizeof(point->name))
		return;
	memcpy(point->name, cell.data, cell.length);
	point->name[cell.length] = '\0';
}

/* Takes the numbers of a row, from its second cell on. */
static bool take_numbers(struct console *console, struct point *point, struct weir_slice line)
{
	struct weir_slice cell;
	bool is_new = true;
	double value;

	for (size_t column = 1; column < console->columns && take_cell(&line, &cell); column++) {
		cell = weir_slice_trim(cell);
		if (weir_parse_double(cell.data, cell.length, &value) && isfinite(value) &&
		    value >= 0)
			is_new &= take_number(point, console->path[column], value);
	}
	return is_new;
}

static size_t count_cells(struct weir_slice line)
{
	struct weir_slice cell;
	size_t count = 0;

	while (take_cell(&line, &cell))
		count++;
	return count;
}

/* Takes a row. A table whose numbers are known already begins a further report. */
static enum weir_status take_row(struct console *console, const struct weir_csv_row *row,
                                 struct weir_slice line, struct weir_error *err)
{
	struct weir_slice rest = without_frame(line), name = {0};
	struct point *point;

	if (console->bad_header || count_cells(rest) != console->columns || row->cut) {
		weir_input_warn(console->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, row->at,
		                NULL);
		return WEIR_OK;
	}
	take_cell(&rest, &name);
	point = point_of_row(console);
	if (point && !take_numbers(console, point, rest) && console->row == 0) {
		console->base = console->count;
		point = point_of_row(console);
		if (point)
			take_numbers(console, point, rest);
	}
	if (!point)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d load points: split the log",
		                 MAX_POINTS);
	take_name(point, weir_slice_trim(name));
	point->old |= strncmp(console->path[0], "Metadata/", strlen("Metadata/")) == 0;
	console->row++;
	return WEIR_OK;
}

/* Returns true for a line of these signs and "|" alone. */
static bool is_rule(struct weir_slice line, char sign)
{
	size_t signs = 0;

	for (size_t i = 0; i < line.length; i++) {
		if (line.data[i] != sign && line.data[i] != '|')
			return false;
		signs += line.data[i] == sign;
	}
	return signs >= RULE;
}

/* Labels the run with the model: "OpenAIHTTPBackend backend validated with model org/m". */
static void take_model(struct console *console, struct weir_slice line)
{
	static const char before[] = " backend validated with model ";
	const char *at = weir_slice_find(line, before);

	if (!at || weir_run_label(console->input->run, "model"))
		return;
	at += sizeof(before) - 1;
	weir_figure_label(
		console->input->run, "model",
		weir_slice_trim((struct weir_slice){at, line.length - (size_t)(at - line.data)}));
}

static enum weir_status take_line(struct console *console, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	struct weir_slice line = weir_slice_trim(row->line);

	if (is_rule(line, '=')) {
		console->state = HEADER;
		console->levels = console->columns = console->row = 0;
		console->bad_header = false;
	} else if (console->state == HEADER && is_rule(line, '-')) {
		console->state = console->levels ? ROWS : NO_TABLE;
	} else if (!weir_slice_holds(line, "|")) {
		console->state = NO_TABLE;
		take_model(console, line);
	} else if (console->state == HEADER && console->levels < MAX_LEVELS) {
		take_header(console, line);
	} else if (console->state == ROWS) {
		return take_row(console, row, line, err);
	}
	return WEIR_OK;
}

/* ---- the run ---- */

/* Names the load points after their strategies, with a number if there are several of a name. */
static void name_points(struct console *console)
{
	for (size_t i = 0; i < console->count; i++) {
		struct point *point = &console->points[i];
		struct weir_text unique = {0};
		size_t same = 0;

		if (!*point->name)
			memcpy(point->name, "load", sizeof("load"));
		for (size_t j = 0; j < i; j++)
			same += strcmp(console->points[j].name, point->name) == 0;
		weir_text_puts(&unique, point->name);
		if (same)
			weir_text_printf(&unique, "#%zu", same + 1);
		memcpy(point->unique, unique.data, unique.length + 1);
		weir_text_release(&unique);
	}
}

/* Labels the run of one load point with its load: "constant@2", "concurrent@16". */
static void label_load(struct weir_run *run, const struct point *point)
{
	const char *at = strchr(point->name, '@');
	size_t length = at ? (size_t)(at - point->name) : strlen(point->name);
	bool is_rate = strncmp(point->name, "concurrent", length) != 0;

	weir_figure_label(run, "strategy", (struct weir_slice){point->name, length});
	if (at)
		weir_figure_label(run, is_rate ? "request_rate" : "max_concurrency",
		                  weir_slice_of(at + 1));
}

/* Returns the rate in the name of a load point, "constant@2"; NAN: it has none. */
static double requested_rate(const struct point *point)
{
	const char *at = strchr(point->name, '@');
	double rate;

	return at && strncmp(point->name, "concurrent", (size_t)(at - point->name)) != 0 &&
	                       weir_parse_double(at + 1, strlen(at + 1), &rate)
	               ? rate
	               : NAN;
}

/* Checks a load point. Versions 0.2 and 0.3 take rates over the time between requests, and later
 * ones leave out the warm-up, so that such rates are not those of the totals. */
static enum weir_status check_point(struct console *console, struct point *point,
                                    struct weir_error *err)
{
	struct weir_client_summary *summary = &point->summary;
	double duration_s = summary->duration_s;
	enum weir_status status;

	summary->requested_per_s = requested_rate(point);
	if (point->old || point->left_out_s > 0)
		summary->duration_s = NAN;
	status = weir_client_summary_check(summary, console->input, err);
	summary->duration_s = duration_s;
	return status;
}

/* Adds a load point to the run. One of several without a completed request has no figures, but
 * labels, so that nobody takes the others for all loads. */
static enum weir_status add_point(struct console *console, struct point *point,
                                  struct weir_error *err)
{
	struct weir_run *run = console->input->run;
	struct weir_text prefix = {0};
	enum weir_status status;

	weir_client_summary_warn(console->input, WEIR_WARN_UNFINISHED, point->incomplete);
	weir_text_printf(&prefix, "%s/", point->unique);
	if (console->count > 1)
		weir_client_summary_label_load(&point->summary, prefix.data, run);
	if (console->count > 1 && point->summary.completed <= 0) {
		weir_client_summary_warn(console->input, WEIR_WARN_FAILED_REQUEST,
		                         point->summary.failed);
		weir_text_release(&prefix);
		return WEIR_OK;
	}
	status = check_point(console, point, err);
	if (!status && console->count > 1) {
		weir_client_summary_add(&point->summary, prefix.data, run);
	} else if (!status) {
		label_load(run, point);
		weir_client_summary_add(&point->summary, "", run);
		weir_client_summary_label_totals(&point->summary, run);
	}
	weir_text_release(&prefix);
	return status;
}

static enum weir_status conclude(struct console *console, struct weir_error *err)
{
	struct weir_input *input = console->input;
	enum weir_status status = WEIR_OK;

	name_points(console);
	for (size_t i = 0; !status && i < console->count; i++)
		status = add_point(console, &console->points[i], err);
	if (status)
		return status;
	if (!input->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a log of GuideLLM without a figure: expected the tables that it "
		                 "prints at its end (\"Request Latency Statistics\"); pass the log "
		                 "up to its end, or benchmarks.json");
	input->events = input->run->metrics.count;
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

enum weir_status weir_guidellm_console_read(struct weir_source *source, struct weir_input *input,
                                            struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct console *console = weir_alloc(sizeof(*console));
	const struct weir_csv_row *row;
	enum weir_status status = WEIR_OK;

	console->input = input;
	input->gives = "native run";
	input->run = weir_run_new();
	while (!status && !(status = weir_csv_next(csv, &row, err)) && row)
		status = take_line(console, row, err);
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (!status)
		status = conclude(console, err);
	free(console->points);
	free(console);
	return status;
}
