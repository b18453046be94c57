/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the statistics of JMeter's HTML report (jmeter -g FILE -o FOLDER, the file
 * FOLDER/statistics.json), which have an object for each name of a request and one over all:
 *
 *	{"POST /generate": {"transaction": "POST /generate", "sampleCount": 400, "errorCount": 2,
 *	                    "meanResTime": 16.3, "medianResTime": 9.0, "pct1ResTime": 17.0,
 *	                    "pct2ResTime": 21.0, "pct3ResTime": 74.0, "throughput": 40.1, ...},
 *	 "Total": {...}}
 *
 * Times are milliseconds and include those of failed requests, which the throughput counts as well:
 * with failures, the rate is computed from the requests that completed and their time. The
 * percentiles are 90, 95 and 99, unless JMeter's properties set others, which the file does not
 * state.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/loadgen/http_names.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define EXPECTED "\"meanResTime\" of \"Total\" or of a request"

static const struct weir_mark marks[] = {
	{.first = "{",
         .texts = {{"\"sampleCount\"", "\"errorCount\"", "\"meanResTime\"", "\"pct1ResTime\""},
                   .all = 4}},
	{0},
};

static const struct weir_http_number numbers[] = {
	{"sampleCount", WEIR_HTTP_REQUESTS, WEIR_HTTP_PLAIN},
	{"errorCount", WEIR_HTTP_OTHER_FAILURES, WEIR_HTTP_PLAIN},
	{"meanResTime", WEIR_HTTP_MEAN, WEIR_HTTP_PLAIN},
	{"medianResTime", WEIR_HTTP_MEDIAN, WEIR_HTTP_PLAIN},
	{"minResTime", WEIR_HTTP_MIN, WEIR_HTTP_PLAIN},
	{"maxResTime", WEIR_HTTP_MAX, WEIR_HTTP_PLAIN},
	{"pct1ResTime", WEIR_HTTP_P90, WEIR_HTTP_PLAIN},
	{"pct2ResTime", WEIR_HTTP_P95, WEIR_HTTP_PLAIN},
	{"pct3ResTime", WEIR_HTTP_P99, WEIR_HTTP_PLAIN},
	{"throughput", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{0},
};

struct document {
	struct weir_http_names names;
	struct weir_text owner; /* key of the object that is being read */
};

static void settle(struct weir_http_report *report)
{
	double requests = report->value[WEIR_HTTP_REQUESTS];
	double failed = weir_http_report_counted(report, WEIR_HTTP_OTHER_FAILURES);

	if (report->value[WEIR_HTTP_RATE] > 0)
		report->value[WEIR_HTTP_DURATION_S] = requests / report->value[WEIR_HTTP_RATE];
	report->completed = requests > failed ? requests - failed : 0;
	if (isnan(requests))
		report->completed = NAN;
}

/* Begins the report of an object, whose key is a name that may have slashes. */
static void enter(struct document *document, struct weir_slice owner)
{
	if (document->owner.data &&
	    weir_slice_same(owner,
	                    (struct weir_slice){document->owner.data, document->owner.length}))
		return;
	weir_http_names_begin(&document->names);
	if (!weir_slice_equals(owner, "Total"))
		weir_http_names_call(&document->names, owner);
	weir_text_clear(&document->owner);
	weir_text_add(&document->owner, owner.data, owner.length);
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct document *document = context;
	const char *slash = strrchr(leaf->path, '/');

	(void)err;
	if (!slash)
		return WEIR_OK;
	enter(document, (struct weir_slice){leaf->path, (size_t)(slash - leaf->path)});
	for (const struct weir_http_number *number = numbers; number->path; number++)
		if (strcmp(slash + 1, number->path) == 0)
			weir_http_report_set(&document->names.report, number->slot,
			                     weir_http_json_number(leaf, number->unit), leaf->at);
	return WEIR_OK;
}

static enum weir_status read_jmeter(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct document document = {.owner = {0}};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &document};
	enum weir_status status;

	weir_http_names_init(&document.names, input, settle);
	status = weir_jsonleaves_read(&leaves, source, err);
	if (!status)
		status = weir_http_names_conclude(&document.names, EXPECTED, err);
	weir_http_names_release(&document.names);
	weir_text_release(&document.owner);
	return status;
}

const struct weir_reader weir_reader_jmeter_stats = {
	.name = "jmeter-stats",
	.title = "statistics of JMeter's report (statistics.json)",
	.gives = "native run",
	.tool = "JMeter",
	.whole_run = true,
	.marks = marks,
	.read = read_jmeter,
};
