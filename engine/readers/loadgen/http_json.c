/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/base/jsonscan.h"
#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/parts/sniff.h"

#define US_PER_MS 1e3
#define NS_PER_MS 1e6

double weir_http_json_number(const struct weir_jsonleaf *leaf, enum weir_http_unit unit)
{
	double value = weir_jsonleaf_number(leaf, NULL);

	switch (unit) {
	case WEIR_HTTP_PLAIN:
		return value;
	case WEIR_HTTP_SECONDS:
		return isnan(value) ? NAN : weir_http_parse_seconds(leaf->text);
	case WEIR_HTTP_US:
		return value / US_PER_MS;
	case WEIR_HTTP_NS:
		return value / NS_PER_MS;
	}
	return NAN;
}

/* A report that is being read. */
struct reading {
	const struct weir_http_json *json;
	struct weir_http_report *report;
};

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;
	const struct weir_http_number *number = reading->json->numbers;
	struct weir_slice path = weir_slice_of(leaf->path);
	bool odd = false;
	double value;

	(void)err;
	while (number->path && !weir_slice_equals(path, number->path))
		number++;
	if (!number->path) {
		if (reading->json->take)
			reading->json->take(reading->report, leaf);
		return WEIR_OK;
	}
	value = weir_jsonleaf_number(leaf, &odd);
	if (isnan(value) && !odd) /* null: the tool does not know it */
		return WEIR_OK;
	weir_http_report_set(reading->report, number->slot,
	                     weir_http_json_number(leaf, number->unit), leaf->at);
	return WEIR_OK;
}

enum weir_status weir_http_json_read(const struct weir_http_json *json, struct weir_source *source,
                                     struct weir_input *input, struct weir_error *err)
{
	struct weir_http_report report;
	struct reading reading = {.json = json, .report = &report};
	const struct weir_jsonleaves leaves = {
		.leaf = take_leaf, .context = &reading, .lists = json->lists};
	enum weir_status status;

	weir_http_report_init(&report, input);
	status = weir_jsonleaves_read(&leaves, source, err);
	if (!status) {
		json->settle(&report);
		status = weir_http_report_conclude(&report, json->expected, err);
	}
	weir_http_report_release(&report);
	return status;
}

enum weir_status weir_http_json_or_text_read(const struct weir_http_json *json,
                                             const struct weir_http_text *text,
                                             struct weir_source *source, struct weir_input *input,
                                             struct weir_error *err)
{
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	return first == '{' ? weir_http_json_read(json, source, input, err)
	                    : weir_http_text_read(text, source, input, err);
}

bool weir_http_json_line(const struct weir_http_json *json, struct weir_http_report *report,
                         const struct weir_csv_row *row)
{
	struct reading reading = {.json = json, .report = report};
	const struct weir_jsonleaves leaves = {
		.leaf = take_leaf, .context = &reading, .lists = json->lists};
	struct weir_slice line = weir_slice_trim(row->line);
	struct weir_text copy = {0};

	if (!weir_slice_starts(line, "{"))
		return false;
	weir_text_add(&copy, line.data, line.length);
	weir_text_repeat(&copy, " ", WEIR_JSONSCAN_PADDING);
	if (weir_jsonleaves_walk(&leaves, (struct weir_slice){0},
	                         (struct weir_slice){copy.data, line.length}, row->at, NULL))
		weir_input_warn(report->input,
		                row->cut ? WEIR_WARN_TRUNCATED : WEIR_WARN_SKIPPED_EVENT, row->at,
		                NULL);
	weir_text_release(&copy);
	return true;
}
