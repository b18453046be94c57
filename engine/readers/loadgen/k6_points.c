/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the points of k6's metrics: the JSON lines of --out json=FILE and the table of --out
 * csv=FILE. Durations of requests become samples, in the order of the file:
 *
 *	{"metric":"http_req_duration","type":"Point","data":{"time":"2026-01-06T10:00:00.5Z",
 *	 "value":347.639,"tags":{"expected_response":"true","status":"200"}}}
 *
 * Requests that failed are counted, and their times are left out: those with a response that the
 * script does not expect or, without that tag, with an error or a status of failure. Connecting and
 * waiting for a connection are no part of the duration, as in k6's own summary.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define FIRST_FAILURE 400 /* least status of HTTP that is a failure */
#define MOST_SAMPLES  WEIR_CLIENT_MAX_GAPS

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"type", "data", "metric"}, .all = 3},
         .texts = {{"\"Metric\"", "\"Point\""}, .any = 2}},
	{.first = "m", .cells = {{"metric_name", "timestamp", "metric_value"}, .all = 3}},
	{0},
};

/* Metrics whose points are samples, and the names of their stages. */
static const struct {
	const char *metric, *stage;
	bool grpc;
} stages[] = {{"http_req_duration", "latency", false}, {"grpc_req_duration", "grpc_latency", true}};

#define STAGES (sizeof(stages) / sizeof(stages[0]))

struct points {
	struct weir_input *input;
	struct weir_thin samples[STAGES];
	uint64_t completed, failed;
	double users; /* the most virtual users at a time; NAN: not stated */
};

/* A point. Texts are borrowed. */
struct point {
	struct weir_slice type, metric, value;
	struct weir_slice expected, error, error_code, status; /* tags; empty: it has none */
};

static void warn_of_number(struct points *points, uint64_t at)
{
	weir_input_warn(points->input, WEIR_WARN_BAD_NUMBER, at, NULL);
}

static bool is_failure(const struct point *point, bool grpc)
{
	int64_t status;

	if (point->expected.length)
		return !weir_slice_equals(point->expected, "true");
	if (point->error.length || point->error_code.length)
		return true;
	if (!weir_parse_i64(point->status.data, point->status.length, &status))
		return false;
	return grpc ? status != 0 : status == 0 || status >= FIRST_FAILURE;
}

/* Adds a request to the samples of its stage, or counts it as failed. */
static void take_request(struct points *points, size_t stage, const struct point *point,
                         uint64_t at)
{
	int64_t ns;

	if (is_failure(point, stages[stage].grpc)) {
		weir_input_warn(points->input, WEIR_WARN_FAILED_REQUEST, at, NULL);
		points->failed++;
	} else if (!weir_parse_scaled(point->value.data, point->value.length, 6, &ns) || ns <= 0 ||
	           ns > WEIR_CLIENT_MAX_NS) {
		warn_of_number(points, at);
	} else {
		weir_thin_add(&points->samples[stage], ns);
		points->completed++;
	}
}

static void take_users(struct points *points, const struct point *point, uint64_t at)
{
	double users;

	if (weir_parse_double(point->value.data, point->value.length, &users) && users >= 0 &&
	    isfinite(users))
		points->users = fmax(points->users, users);
	else
		warn_of_number(points, at);
}

static void take_point(struct points *points, const struct point *point, uint64_t at)
{
	for (size_t i = 0; i < STAGES; i++)
		if (weir_slice_equals(point->metric, stages[i].metric))
			take_request(points, i, point, at);
	if (weir_slice_equals(point->metric, "vus"))
		take_users(points, point, at);
}

/* ---- JSON lines ---- */

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	static const struct {
		const char *path;
		size_t slot;
	} leaves[] = {
		{"type", offsetof(struct point, type)},
		{"metric", offsetof(struct point, metric)},
		{"data/value", offsetof(struct point, value)},
		{"data/tags/expected_response", offsetof(struct point, expected)},
		{"data/tags/error", offsetof(struct point, error)},
		{"data/tags/error_code", offsetof(struct point, error_code)},
		{"data/tags/status", offsetof(struct point, status)},
	};

	(void)err;
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (strcmp(leaf->path, leaves[i].path) == 0)
			*(struct weir_slice *)(void *)((char *)context + leaves[i].slot) =
				leaf->text;
	return WEIR_OK;
}

/* Takes the object at the cursor, which is marked as bad if it is not valid JSON. */
static void take_record(struct points *points, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct point point = {0};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &point};
	struct weir_slice object = weir_jsoncursor_take(cursor);

	if (cursor->bad ||
	    weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, object, at, NULL)) {
		cursor->bad = true;
		return;
	}
	if (weir_slice_equals(point.type, "Point")) {
		points->input->events++;
		take_point(points, &point, at);
	}
}

static enum weir_status read_json(struct points *points, struct weir_source *source,
                                  struct weir_error *err)
{
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, points->input, &records, err);

	if (status)
		return status;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		take_record(points, &cursor, record.at);
		weir_records_done(records, &cursor);
	}
	if (!status)
		weir_records_finish(records);
	weir_records_free(records);
	return status;
}

/* ---- the table ---- */

enum column { METRIC, VALUE, EXPECTED, ERROR, ERROR_CODE, STATUS, COLUMNS };

static const char *const names[COLUMNS] = {
	[METRIC] = "metric_name", [VALUE] = "metric_value",    [EXPECTED] = "expected_response",
	[ERROR] = "error",        [ERROR_CODE] = "error_code", [STATUS] = "status",
};

static void take_row(struct points *points, const size_t columns[COLUMNS], size_t width,
                     const struct weir_csv_row *row)
{
	const struct point point = {
		.metric = weir_csv_cell(row, columns[METRIC]),
		.value = weir_csv_cell(row, columns[VALUE]),
		.expected = weir_csv_cell(row, columns[EXPECTED]),
		.error = weir_csv_cell(row, columns[ERROR]),
		.error_code = weir_csv_cell(row, columns[ERROR_CODE]),
		.status = weir_csv_cell(row, columns[STATUS]),
	};

	if (row->count != width) {
		weir_input_warn(points->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_RAGGED_ROW, row->at,
		                NULL);
		return;
	}
	points->input->events++;
	take_point(points, &point, row->at);
}

static enum weir_status read_table(struct points *points, struct weir_source *source,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ',', .quotes = true};
	struct weir_csv *csv = weir_csv_new(source, &options);
	size_t columns[COLUMNS] = {0}, width = 0;
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		if (row->count && weir_slice_equals(row->cells[0], names[METRIC])) {
			for (size_t i = 0; i < COLUMNS; i++)
				columns[i] = weir_csv_find(row, names[i]);
			width = row->count;
		} else if (row->count && width) {
			take_row(points, columns, width, row);
		}
	}
	weir_csv_free(csv);
	weir_damage_of_source(points->input, source);
	return status;
}

/* ---- the reader ---- */

static void label_number(struct weir_run *run, const char *key, double number)
{
	char value[32];

	snprintf(value, sizeof(value), "%.0f", number);
	weir_run_set_label(run, key, value);
}

static enum weir_status conclude(struct points *points, struct weir_error *err)
{
	struct weir_run *run = points->input->run;

	if (!points->completed && points->failed)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "none of the %llu requests in this list of k6's metrics succeeded",
		                 (unsigned long long)points->failed);
	if (!points->completed)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no times of requests in this list of k6's metrics: expected "
		                 "points of http_req_duration; pass the list of the whole test, or "
		                 "its summary (k6 run --summary-export FILE)");
	for (size_t i = 0; i < STAGES; i++) {
		if (!points->samples[i].seen)
			continue;
		weir_thin_finish(&points->samples[i],
		                 weir_series_get(&run->stages, stages[i].stage));
		if (weir_thin_dropped(&points->samples[i]))
			weir_input_warn(points->input, WEIR_WARN_THINNED, UINT64_MAX,
			                "times of requests");
	}
	label_number(run, WEIR_LOAD_COMPLETED, (double)points->completed);
	if (points->failed)
		label_number(run, WEIR_LOAD_FAILED, (double)points->failed);
	if (!isnan(points->users))
		label_number(run, "vus", points->users);
	return WEIR_OK;
}

static enum weir_status read_points(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct points points = {.input = input, .users = NAN};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	input->run = weir_run_new();
	for (size_t i = 0; i < STAGES; i++)
		weir_thin_init(&points.samples[i], MOST_SAMPLES);
	if (!status)
		status = first == 'm' ? read_table(&points, source, err)
		                      : read_json(&points, source, err);
	if (!status)
		status = conclude(&points, err);
	for (size_t i = 0; i < STAGES; i++)
		weir_thin_release(&points.samples[i]);
	return status;
}

const struct weir_reader weir_reader_k6_points = {
	.name = "k6-points",
	.title = "metrics of k6 point by point (--out json=FILE, --out csv=FILE)",
	.gives = "native run",
	.tool = "k6",
	.whole_run = true,
	.marks = marks,
	.read = read_points,
};
