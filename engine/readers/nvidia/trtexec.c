/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of TensorRT's trtexec: JSON with the times of queries (--exportTimes), JSON with
 * the times of layers (--exportProfile), and the log, which holds a summary of the queries and,
 * with --dumpProfile, a table of the layers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/keyindex.h"
#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

enum { TIMES, LAYERS, LOG };

static const struct weir_mark marks[] = {
	[TIMES] = {.first = "[", .keys = {{"computeMs", "latencyMs"}, .all = 2}},
	/* The first object may hold only the number of iterations. */
	[LAYERS] = {.first = "[",
                    .keys = {{"count", "name", "timeMs", "averageMs"}, .any = 4},
                    .texts = {{"\"averageMs\"", "\"timeMs\""}, .all = 2}},
	[LOG] = {.first = "",
                 .texts = {{"[I] === Performance summary ===", "[I] === Trace details ===",
                            "[I] TensorRT version:", "[I] GPU Compute Time: ", "[I] Throughput: ",
                            "[I] === Profile (", "&&&& RUNNING TensorRT.trtexec",
                            "[I] Host Latency", "[I] GPU Compute"},
                           .any = 9}},
	{.first = "{[",
         .keys = {{"Layers", "Bindings"}, .all = 1}, /* "Bindings" stands behind all layers */
         .refusal = "it lists the layers of a TensorRT engine, which have no times: pass what "
                    "trtexec writes with --exportProfile or --exportTimes"},
	{0},
};

/* ---- times of layers ---- */

struct layer {
	struct weir_text name;
	double average_ms;
	int64_t iterations; /* of the first object; 0: not stated */
};

static double number(struct weir_slice text)
{
	double value;

	return text.length && weir_parse_double(text.data, text.length, &value) ? value : NAN;
}

static void read_layer(struct weir_jsoncursor *cursor, struct weir_text *scratch,
                       struct layer *layer)
{
	struct weir_slice key;

	weir_text_clear(&layer->name);
	layer->average_ms = NAN;
	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice text = weir_jsoncursor_scalar(cursor);

		if (weir_slice_equals(key, "name")) {
			text = weir_jsoncursor_decode(text, scratch, NULL);
			weir_text_add(&layer->name, text.data, text.length);
		} else if (weir_slice_equals(key, "averageMs")) {
			layer->average_ms = number(text);
		} else if (weir_slice_equals(key, "count")) {
			if (!weir_parse_i64(text.data, text.length, &layer->iterations))
				layer->iterations = 0;
		}
	}
}

/* Adds the time of a layer in one iteration to the operators of the run. Layers of one name are one
 * operator. */
static void add_layer(struct weir_input *input, struct weir_slice name, double average_ms,
                      uint64_t at)
{
	struct weir_series_table *operators = &input->run->operators;
	struct weir_series *series;
	struct weir_text text = {0};

	if (!isfinite(average_ms) || average_ms < 0) {
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, at, NULL);
		return;
	}
	if (operators->count >= WEIR_FIGURE_MAX)
		return;
	weir_text_add(&text, name.data, name.length);
	series = weir_series_get(operators, text.data);
	if (!series->count)
		weir_series_push(series, 0);
	series->value[0] += average_ms * 1e6;
	weir_text_release(&text);
}

static enum weir_status read_layers(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct weir_text scratch = {0};
	struct layer layer = {0};
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	input->run = weir_run_new();
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		read_layer(&cursor, &scratch, &layer);
		weir_records_done(records, &cursor);
		if (cursor.bad || !layer.name.length) /* the number of iterations */
			continue;
		input->events++;
		add_layer(input, (struct weir_slice){layer.name.data, layer.name.length},
		          layer.average_ms, record.at);
	}
	if (!status)
		weir_records_finish(records);
	weir_records_free(records);
	if (layer.iterations > 0) {
		char digits[24];

		snprintf(digits, sizeof(digits), "%lld", (long long)layer.iterations);
		weir_run_set_label(input->run, "iterations", digits);
	}
	weir_text_release(&layer.name);
	weir_text_release(&scratch);
	if (!status && !input->run->operators.count)
		return weir_fail(
			err, WEIR_E_EMPTY,
			"no layer has a time: expected objects with \"name\" and \"averageMs\"");
	return status;
}

/*
 * ---- times of queries ----
 *
 * Times are milliseconds since the first query, printed with six digits: after some minutes only
 * the durations are exact. A query consists of its copies and its computation, end to end.
 */

#define WARM_UP_NS INT64_C(200000000) /* the default of --warmUp */
#define MAX_NS     (INT64_C(1) << 50) /* 13 days; longer times are damage */

enum field {
	FIELD_START_ENQUEUE,
	FIELD_END_ENQUEUE,
	FIELD_START_UPLOAD,
	FIELD_END_UPLOAD,
	FIELD_START_COMPUTE,
	FIELD_UPLOAD,
	FIELD_COMPUTE,
	FIELD_DOWNLOAD,
	FIELD_END_TO_END, /* up to TensorRT 8.2 */
	FIELDS
};

static const struct weir_keyindex_entry names[] = {
	{"startEnqMs", FIELD_START_ENQUEUE},
	{"endEnqMs", FIELD_END_ENQUEUE},
	{"startH2dMs", FIELD_START_UPLOAD},
	{"endH2dMs", FIELD_END_UPLOAD},
	{"startInMs", FIELD_START_UPLOAD},
	{"endInMs", FIELD_END_UPLOAD},
	{"startComputeMs", FIELD_START_COMPUTE},
	{"h2dMs", FIELD_UPLOAD},
	{"inMs", FIELD_UPLOAD},
	{"computeMs", FIELD_COMPUTE},
	{"d2hMs", FIELD_DOWNLOAD},
	{"outMs", FIELD_DOWNLOAD},
	{"endToEndMs", FIELD_END_TO_END},
	{0},
};

struct query {
	uint64_t present; /* a bit for each field */
	int64_t ns[FIELDS];
	bool old_names; /* has "inMs", as written up to TensorRT 7.2 */
	uint64_t at;
};

struct times {
	struct weir_input *input;
	struct weir_keyindex fields;
	struct query *queries;
	size_t count, capacity;
};

static bool has(const struct query *query, enum field field)
{
	return query->present >> field & 1;
}

static void take_field(struct times *times, struct query *query, enum field field,
                       struct weir_slice text)
{
	int64_t ns;

	if (!text.length || !weir_parse_scaled(text.data, text.length, 6, &ns) || ns < 0 ||
	    ns > MAX_NS) {
		weir_input_warn(times->input, WEIR_WARN_BAD_NUMBER, query->at, NULL);
		return;
	}
	query->ns[field] = ns;
	query->present |= (uint64_t)1 << field;
}

/* Swaps the times of the input copy and of the enqueue call, which TensorRT 7.1 and 7.2 write under
 * each other's names. */
static void swap_mislabelled(struct query *query)
{
	if (!query->old_names || !has(query, FIELD_START_ENQUEUE))
		return;
	for (int end = 0; end < 2; end++) {
		int64_t ns = query->ns[FIELD_START_ENQUEUE + end];

		query->ns[FIELD_START_ENQUEUE + end] = query->ns[FIELD_START_UPLOAD + end];
		query->ns[FIELD_START_UPLOAD + end] = ns;
	}
}

static bool read_query(struct times *times, struct weir_records *records,
                       const struct weir_record *record)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(record->text);
	struct query query = {.at = record->at};
	struct weir_slice key;

	if (weir_jsoncursor_enter(&cursor, '{'))
		while (weir_jsoncursor_key(&cursor, &key)) {
			int field = weir_keyindex_find(&times->fields, key);
			struct weir_slice text = weir_jsoncursor_scalar(&cursor);

			query.old_names |= weir_slice_equals(key, "inMs");
			if (field >= 0)
				take_field(times, &query, (enum field)field, text);
		}
	weir_records_done(records, &cursor);
	if (cursor.bad || !has(&query, FIELD_COMPUTE))
		return false;
	swap_mislabelled(&query);
	times->queries = weir_grow(times->queries, &times->capacity, times->count + 1,
	                           sizeof(*times->queries));
	times->queries[times->count++] = query;
	return true;
}

/* Returns the number of warm-up queries at the beginning. Versions before 8.5 write them, but only
 * versions up to 8.2 can be recognised, by "endToEndMs". */
static size_t skip_warm_up(const struct times *times)
{
	size_t first = 0;

	while (first < times->count && has(&times->queries[first], FIELD_END_TO_END) &&
	       times->queries[first].ns[FIELD_START_COMPUTE] < WARM_UP_NS)
		first++;
	if (first == times->count)
		return 0;
	if (first) {
		weir_input_warn(times->input, WEIR_WARN_MERGED_STEPS, UINT64_MAX,
		                "queries of the first 200 ms, the warm-up");
		times->input->warnings[WEIR_WARN_MERGED_STEPS].count = first;
	}
	return first;
}

static void add_query(struct times *times, const struct query *query)
{
	static const struct {
		enum field field;
		const char *stage;
	} parts[] = {{FIELD_UPLOAD, "h2d"}, {FIELD_COMPUTE, "compute"}, {FIELD_DOWNLOAD, "d2h"}};
	struct weir_requests *requests = times->input->requests;
	struct weir_request request = weir_request_unknown();

	request.start_ns = has(query, FIELD_START_UPLOAD) ? query->ns[FIELD_START_UPLOAD]
	                                                  : query->ns[FIELD_START_COMPUTE];
	request.end_ns = request.start_ns;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int64_t ns = query->ns[parts[i].field];

		weir_requests_add_part(
			requests,
			weir_requests_stage(requests, parts[i].stage, strlen(parts[i].stage)), ns);
		request.end_ns += ns;
	}
	weir_requests_add(requests, &request);
	if (has(query, FIELD_START_ENQUEUE) && has(query, FIELD_END_ENQUEUE) &&
	    query->ns[FIELD_END_ENQUEUE] > query->ns[FIELD_START_ENQUEUE])
		weir_series_push(
			weir_series_get(&times->input->run->stages, "enqueue"),
			(double)(query->ns[FIELD_END_ENQUEUE] - query->ns[FIELD_START_ENQUEUE]));
}

static enum weir_status finish_times(struct times *times, struct weir_error *err)
{
	struct weir_input *input = times->input;
	size_t first = skip_warm_up(times);

	if (!times->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no query: expected objects with \"computeMs\"");
	input->requests = weir_requests_new();
	input->requests->time_base = WEIR_TIME_MONOTONIC;
	input->run = weir_run_new();
	for (size_t i = first; i < times->count; i++)
		add_query(times, &times->queries[i]);
	weir_requests_finish(input->requests);
	return WEIR_OK;
}

static enum weir_status read_times(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct times times = {.input = input};
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	weir_keyindex_init(&times.fields, names);
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		input->events++;
		if (!read_query(&times, records, &record))
			weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, record.at,
			                "a query without \"computeMs\"");
	}
	if (!status) {
		weir_records_finish(records);
		status = finish_times(&times, err);
	}
	weir_records_free(records);
	free(times.queries);
	return status;
}

/*
 * ---- log ----
 *
 *	[01/02/2025-10:11:12] [I] Throughput: 801.5 qps
 *	[01/02/2025-10:11:12] [I] Latency: min = 1.1 ms, max = 1.6 ms, mean = 1.2 ms, ...
 *
 * TensorRT 7 writes a block for each distribution:
 *
 *	[02/21/2021-22:49:52] [I] Host Latency
 *	[02/21/2021-22:49:52] [I] mean: 2.05 ms (end to end 2.07 ms)
 *	[02/21/2021-22:49:52] [I] percentile: 2.5 ms at 99% (end to end 2.6 ms at 99%)
 *	[02/21/2021-22:49:52] [I] throughput: 479.4 qps
 *
 * The table of layers looks as follows; up to TensorRT 8.5 the name comes first:
 *
 *	[01/02/2025-10:11:12] [I] === Profile (100 iterations ) ===
 *	[01/02/2025-10:11:12] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer
 *	[01/02/2025-10:11:12] [I]       12.50       0.1250       0.1240      62.5   conv1 + relu1
 */

static const struct {
	const char *start, *name;
} distributions[] = {
	{"Latency", "latency"},
	{"End-to-End Host Latency", "end_to_end"},
	{"Enqueue Time", "enqueue"},
	{"H2D Latency", "h2d"},
	{"GPU Compute Time", "gpu_compute"},
	{"D2H Latency", "d2h"},
};

static const struct {
	const char *label, *suffix;
} statistics[] = {
	{"min", "min"},
	{"max", "max"},
	{"mean", "mean"},
	{"median", "median"},
	{"percentile(90%)", "p90"},
	{"percentile(95%)", "p95"},
	{"percentile(99%)", "p99"},
};

/* Takes the text before the separator off the rest. Returns false if there is no separator. */
static bool take_until(struct weir_slice *rest, char separator, struct weir_slice *part)
{
	const char *at = rest->length ? memchr(rest->data, separator, rest->length) : NULL;

	if (!at)
		return false;
	*part = weir_slice_trim((struct weir_slice){rest->data, (size_t)(at - rest->data)});
	rest->length -= (size_t)(at - rest->data) + 1;
	rest->data = at + 1;
	return true;
}

/* Reads "1.2 ms" as 1.2. Returns false if the text is not a number in this unit. */
static bool read_value(struct weir_slice text, const char *unit, double *value)
{
	size_t length = strlen(unit);

	text = weir_slice_trim(text);
	if (text.length <= length || memcmp(text.data + text.length - length, unit, length) != 0)
		return false;
	text = weir_slice_trim((struct weir_slice){text.data, text.length - length});
	return weir_parse_double(text.data, text.length, value);
}

/* Adds one statistic such as "min = 1.1 ms"; ignores any other text. */
static void take_statistic(struct weir_run *run, const char *name, struct weir_slice item)
{
	struct weir_text figure = {0};
	struct weir_slice label;
	double value;

	if (!take_until(&item, '=', &label) || !read_value(item, "ms", &value))
		return;
	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++) {
		if (!weir_slice_equals(label, statistics[i].label))
			continue;
		weir_text_printf(&figure, "%s_%s_ms", name, statistics[i].suffix);
		weir_figure_add(run, figure.data, "ms", false, value);
	}
	weir_text_release(&figure);
}

/* Adds the statistics of a list such as "min = 1.1 ms, max = 1.6 ms, percentile(99%) = 1.3 ms". */
static void take_statistics(struct weir_run *run, const char *name, struct weir_slice text)
{
	struct weir_slice item;

	while (take_until(&text, ',', &item))
		take_statistic(run, name, item);
	take_statistic(run, name, text);
}

/* Takes "[date] [I] " off the line, and what a container or a listing puts before it. Returns false
 * if the line is not an information message. */
static bool take_message(struct weir_slice *line)
{
	static const char level[] = "[I] ";
	const char *at = weir_slice_find(*line, level);

	if (!at)
		return false;
	at += sizeof(level) - 1;
	*line = (struct weir_slice){at, line->length - (size_t)(at - line->data)};
	return true;
}

/* Titles of the blocks of TensorRT 7. `end_to_end`: the name of the times in brackets. */
static const struct block {
	const char *title, *name, *end_to_end;
} blocks[] = {
	{"Host Latency", "latency", "end_to_end"},
	{"Host latency", "latency", "end_to_end"}, /* 7.0 */
	{"Enqueue Time", "enqueue", NULL},
	{"GPU Compute", "gpu_compute", NULL},
};

/* Adds a time such as "2.05 ms" or, of a percentile, "2.5 ms at 99%". */
static void take_time(struct weir_run *run, const char *name, const char *suffix,
                      struct weir_slice text)
{
	struct weir_text figure = {0};
	struct weir_slice unit;
	double value, percent = NAN;

	text = weir_slice_trim(text);
	if (!take_until(&text, ' ', &unit) || !weir_parse_double(unit.data, unit.length, &value))
		return;
	text = weir_slice_trim(text);
	if (suffix && weir_slice_equals(text, "ms"))
		weir_text_printf(&figure, "%s_%s_ms", name, suffix);
	else if (!suffix && weir_slice_starts(text, "ms at ") &&
	         read_value((struct weir_slice){text.data + 6, text.length - 6}, "%", &percent) &&
	         percent > 0 && percent < 100)
		weir_text_printf(&figure, "%s_p%g_ms", name, percent);
	if (figure.length)
		weir_figure_add(run, figure.data, "ms", false, value);
	weir_text_release(&figure);
}

/* Adds a line of a block: a statistic, and that of the end-to-end times in brackets. */
static void take_block_line(struct weir_run *run, const struct block *block,
                            struct weir_slice label, struct weir_slice line)
{
	static const char brackets[] = "(end to end ";
	const char *suffix = NULL;
	struct weir_slice time;

	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++)
		if (weir_slice_equals(label, statistics[i].label))
			suffix = statistics[i].suffix;
	if (!suffix && !weir_slice_equals(label, "percentile"))
		return;
	if (!take_until(&line, '(', &time)) {
		take_time(run, block->name, suffix, line);
		return;
	}
	take_time(run, block->name, suffix, time);
	line = (struct weir_slice){line.data - 1, line.length + 1};
	if (!block->end_to_end || !weir_slice_starts(line, brackets))
		return;
	line = (struct weir_slice){line.data + sizeof(brackets) - 1,
	                           line.length - (sizeof(brackets) - 1)};
	if (take_until(&line, ')', &time))
		take_time(run, block->end_to_end, suffix, time);
}

/* Returns the block whose title the line is; NULL if it is no title. */
static const struct block *find_block(struct weir_slice line)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (weir_slice_equals(line, blocks[i].title))
			return &blocks[i];
	return NULL;
}

static void take_summary(struct weir_run *run, const struct block *block, struct weir_slice line)
{
	struct weir_slice label;
	double value;

	if (!take_until(&line, ':', &label))
		return;
	if ((weir_slice_equals(label, "Throughput") || weir_slice_equals(label, "throughput")) &&
	    read_value(line, "qps", &value) && value > 0) /* 7: 0 if it was not counted */
		weir_figure_add(run, "throughput_qps", "1/s", true, value);
	if (block)
		take_block_line(run, block, label, line);
	for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
		if (weir_slice_equals(label, distributions[i].start))
			take_statistics(run, distributions[i].name, line);
}

/* Returns the name of the distribution whose list of statistics goes on in the next line, as pages
 * and terminals wrap it; NULL: no list is open. */
static const char *find_open_list(struct weir_slice line)
{
	struct weir_slice label;

	if (!line.length || line.data[line.length - 1] != ',' || !take_until(&line, ':', &label))
		return NULL;
	for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
		if (weir_slice_equals(label, distributions[i].start))
			return distributions[i].name;
	return NULL;
}

/* State of the parser of the table of layers. */
struct layer_table {
	enum {
		TABLE_NONE,
		TABLE_TITLE, /* the header is on the next line */
		TABLE_ROWS,
	} state;
	bool name_first;
	size_t numbers; /* in a row: total, average, median (8.4 and later), percentage */
	const struct block *block; /* of TensorRT 7, in which the line is; NULL: none */
	const char *list;          /* distribution of a list that goes on; NULL: none */
};

/* Takes a word off the front or the back of the text. */
static struct weir_slice take_word(struct weir_slice *text, bool front)
{
	struct weir_slice word = *text;
	size_t length = 0;

	if (front) {
		while (length < text->length && text->data[length] != ' ')
			length++;
		word.length = length;
		text->data += length;
	} else {
		while (length < text->length && text->data[text->length - length - 1] != ' ')
			length++;
		word.data += text->length - length;
		word.length = length;
	}
	text->length -= length;
	*text = weir_slice_trim(*text);
	return word;
}

static bool is_table(struct weir_slice line)
{
	return weir_slice_starts(line, "=== Profile (");
}

static void take_header(struct layer_table *table, struct weir_slice line)
{
	table->name_first = weir_slice_starts(line, "Layer");
	table->numbers = weir_slice_holds(line, "Median") ? 4 : 3;
	table->state =
		table->name_first || weir_slice_starts(line, "Time") ? TABLE_ROWS : TABLE_NONE;
}

/* Adds a layer. Returns false if the line is not a layer: the total of all, or a line after it. */
static bool take_row(struct weir_input *input, const struct layer_table *table,
                     struct weir_slice line, uint64_t at)
{
	size_t average = table->name_first ? table->numbers - 2 : 1;
	double value, average_ms = NAN;

	for (size_t i = 0; i < table->numbers; i++) {
		struct weir_slice word = take_word(&line, !table->name_first);

		if (!weir_parse_double(word.data, word.length, &value))
			return false;
		if (i == average)
			average_ms = value;
	}
	if (!line.length || weir_slice_equals(line, "Total"))
		return false;
	add_layer(input, line, average_ms, at);
	input->events++;
	return true;
}

/* Passes on a warning that belongs to the summary: "[W] * GPU compute time is unstable, ...". */
static void take_warning(struct weir_input *input, const struct weir_csv_row *row)
{
	static const char mark[] = "[W] * ";
	const char *at = weir_slice_find(row->line, mark);
	struct weir_text text = {0};

	if (!at)
		return;
	at += sizeof(mark) - 1;
	weir_text_add(&text, at, row->line.length - (size_t)(at - row->line.data));
	weir_input_warn(input, WEIR_WARN_OF_TOOL, row->at, text.data);
	weir_text_release(&text);
}

static void take_line(struct weir_input *input, struct layer_table *table,
                      const struct weir_csv_row *row)
{
	struct weir_slice line = row->line;

	take_warning(input, row);
	if (!take_message(&line)) {
		if (table->list)
			take_statistics(input->run, table->list, weir_slice_trim(line));
		return;
	}
	line = weir_slice_trim(line);
	table->list = find_open_list(line);
	if (find_block(line))
		table->block = find_block(line);
	else if (is_table(line)) /* later tables repeat the first or belong to another engine */
		table->state = input->run->operators.count ? TABLE_NONE : TABLE_TITLE;
	else if (table->state == TABLE_TITLE)
		take_header(table, line);
	else if (table->state == TABLE_ROWS && row->cut)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, row->at, "the file ends in this row");
	else if (table->state != TABLE_ROWS || !take_row(input, table, line, row->at))
		take_summary(input->run, table->block, line);
}

/*
 * A log that ends before the summary has averages alone, and the number of queries:
 *
 *	[01/02/2025-10:11:12] [I] Average on 10 runs - GPU latency: 0.07 ms - Host latency: ...
 *	[01/02/2025-10:11:12] [I] Timing trace has 31807 queries over 3.00015 s
 */
struct remains {
	size_t averages;
	double runs;   /* of each average */
	double gpu_ms; /* sum of the averages */
	char text[64]; /* "31807 queries over 3.00015 s"; empty: not stated */
};

static void take_remains(struct remains *remains, struct weir_slice line)
{
	static const char trace[] = "Timing trace has ", average[] = "Average on ";
	struct weir_slice part = {0}, number;
	double value;

	if (!take_message(&line))
		return;
	line = weir_slice_trim(line);
	if (weir_slice_starts(line, trace) && line.length - strlen(trace) < sizeof(remains->text)) {
		memcpy(remains->text, line.data + strlen(trace), line.length - strlen(trace));
		remains->text[line.length - strlen(trace)] = '\0';
	}
	if (!weir_slice_starts(line, average) || !take_until(&line, ':', &part))
		return;
	line = weir_slice_trim(line);
	if (weir_slice_holds(part, "GPU latency") && take_until(&line, ' ', &number) &&
	    weir_parse_double(number.data, number.length, &value)) {
		remains->averages++;
		remains->gpu_ms += value;
		part = (struct weir_slice){part.data + strlen(average),
		                           part.length - strlen(average)};
		if (take_until(&part, ' ', &number) &&
		    weir_parse_double(number.data, number.length, &value))
			remains->runs = value;
	}
}

/* Fails because of a log without a summary, and says what it still holds. */
static enum weir_status fail_without_summary(const struct remains *remains, struct weir_error *err)
{
	if (!remains->averages)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a log of trtexec without a summary and without times of layers: "
		                 "did trtexec end early? Run it to its end, or pass the file that "
		                 "--exportTimes=FILE writes");
	return weir_fail(err, WEIR_E_EMPTY,
	                 "a log of trtexec that ends before the summary; it holds %zu averages of "
	                 "%g runs each (mean of the GPU latency %.4g ms)%s%s, which state no "
	                 "percentile: pass the log up to its end, or the file that "
	                 "--exportTimes=FILE writes",
	                 remains->averages, remains->runs,
	                 remains->gpu_ms / (double)remains->averages, *remains->text ? " of " : "",
	                 remains->text);
}

/* Returns true if the line begins another run of trtexec, by the line with its arguments, by a
 * further title or, in an excerpt, by a further throughput. Each run may have another model or
 * batch, so that only the first one is read. */
static bool begins_next(const struct weir_input *input, struct weir_slice line)
{
	const struct weir_series_table *metrics = &input->run->metrics;

	if (weir_slice_starts(line, "&&&& RUNNING TensorRT.trtexec"))
		return metrics->count + input->run->operators.count > 0;
	if (!metrics->count || !take_message(&line))
		return false;
	line = weir_slice_trim(line);
	if (weir_slice_starts(line, "=== Performance summary ==="))
		return true;
	return metrics->count > 1 && weir_series_find(metrics, "throughput_qps") &&
	       (weir_slice_starts(line, "Throughput:") || weir_slice_starts(line, "throughput:"));
}

/* Lines that a run of trtexec prints once; an excerpt may lack one kind of them. */
struct run_lines {
	size_t arguments, titles, throughputs;
};

static void count_run(struct run_lines *lines, struct weir_slice line)
{
	lines->arguments += weir_slice_starts(line, "&&&& RUNNING TensorRT.trtexec");
	if (!take_message(&line))
		return;
	line = weir_slice_trim(line);
	lines->titles += weir_slice_starts(line, "=== Performance summary ===");
	lines->throughputs +=
		weir_slice_starts(line, "Throughput:") || weir_slice_starts(line, "throughput:");
}

/* Warns that all runs but the first are left out. `at`: the byte of the second one. */
static void warn_others(struct weir_input *input, const struct run_lines *lines, uint64_t at)
{
	size_t most = lines->arguments > lines->titles ? lines->arguments : lines->titles;
	struct weir_text text = {0};

	most = lines->throughputs > most ? lines->throughputs : most;
	weir_text_printf(&text,
	                 "the log holds %zu runs of trtexec, and the first is shown: split the log "
	                 "to read the others",
	                 most > 2 ? most : 2);
	weir_input_warn(input, WEIR_WARN_TRAILING, at, text.data);
	weir_text_release(&text);
}

static enum weir_status read_log(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = '\t'};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	struct layer_table table = {TABLE_NONE, false, 0, NULL, NULL};
	struct run_lines lines = {0};
	struct remains remains = {0};
	uint64_t next_at = 0; /* byte of the second run; 0: none */
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		count_run(&lines, row->line);
		take_remains(&remains, row->line);
		if (!next_at && begins_next(input, row->line))
			next_at = row->at;
		if (!next_at)
			take_line(input, &table, row);
	}
	weir_csv_free(csv);
	if (status)
		return status;
	if (next_at)
		warn_others(input, &lines, next_at);
	weir_damage_of_source(input, source);
	input->events += input->run->metrics.count;
	if (!input->events)
		return fail_without_summary(&remains, err);
	weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

/* ---- any of the three ---- */

static enum weir_status read_trtexec(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	if (weir_mark_bits(&marks[TIMES], head, len)) {
		input->gives = "requests, native run";
		return read_times(source, input, err);
	}
	if (weir_sniff_first(head, len) == '[' && !weir_mark_bits(&marks[LOG], head, len))
		return read_layers(source, input, err);
	return read_log(source, input, err);
}

const struct weir_reader weir_reader_trtexec = {
	.name = "trtexec",
	.title = "results of TensorRT's trtexec: times of queries, of layers, its log",
	.gives = "native run",
	.marks = marks,
	.read = read_trtexec,
};
