/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the statistics of Gatling's HTML report: js/global_stats.json, which is over all requests,
 * and js/stats.json, which has those of each request as well:
 *
 *	{"type": "GROUP", "name": "All Requests", "path": "",
 *	 "stats": {"numberOfRequests": {"total": "400", "ok": "398", "ko": "2"},
 *	           "meanResponseTime": {"total": "45", "ok": "44", "ko": "130"},
 *	           "percentiles1": {...}, ...},
 *	 "contents": {"req_a-9f3c0": {"type": "REQUEST", "path": "a", "stats": {...}}}}
 *
 * Times are milliseconds, and the column "ok" holds those of the requests that completed. The
 * percentiles are 50, 75, 95 and 99, unless gatling.conf sets others, which the file does not
 * state. Groups are left out: their times are sums over requests.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/loadgen/http_json.h"
#include "engine/readers/loadgen/http_names.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define EXPECTED "\"meanResponseTime\" with a number as \"ok\""

static const struct weir_mark marks[] = {
	{.first = "{",
         .texts = {{"\"numberOfRequests\"", "\"meanResponseTime\"", "\"percentiles1\"", "\"ko\""},
                   .all = 4}},
	{.first = "v",
         .texts = {{"var stats = {", "\"numberOfRequests\"", "\"meanResponseTime\"", "\"ko\""},
                   .all = 4},
         .refusal = "it is a script of Gatling's report: pass stats.json or global_stats.json "
                    "beside it"},
	{0},
};

static const struct weir_http_number numbers[] = {
	{"numberOfRequests/ok", WEIR_HTTP_REQUESTS, WEIR_HTTP_PLAIN},
	{"numberOfRequests/ko", WEIR_HTTP_OTHER_FAILURES, WEIR_HTTP_PLAIN},
	{"minResponseTime/ok", WEIR_HTTP_MIN, WEIR_HTTP_PLAIN},
	{"maxResponseTime/ok", WEIR_HTTP_MAX, WEIR_HTTP_PLAIN},
	{"meanResponseTime/ok", WEIR_HTTP_MEAN, WEIR_HTTP_PLAIN},
	{"standardDeviation/ok", WEIR_HTTP_STDEV, WEIR_HTTP_PLAIN},
	{"percentiles1/ok", WEIR_HTTP_MEDIAN, WEIR_HTTP_PLAIN},
	{"percentiles2/ok", WEIR_HTTP_P75, WEIR_HTTP_PLAIN},
	{"percentiles3/ok", WEIR_HTTP_P95, WEIR_HTTP_PLAIN},
	{"percentiles4/ok", WEIR_HTTP_P99, WEIR_HTTP_PLAIN},
	{"meanNumberOfRequestsPerSecond/ok", WEIR_HTTP_RATE, WEIR_HTTP_PLAIN},
	{0},
};

struct document {
	struct weir_http_names names;
	struct weir_text owner; /* path of the object that is being read: of a request or a group */
	bool left_out;          /* it is a group */
};

static void settle(struct weir_http_report *report)
{
	double requests = report->value[WEIR_HTTP_REQUESTS];

	if (report->value[WEIR_HTTP_RATE] > 0)
		report->value[WEIR_HTTP_DURATION_S] = requests / report->value[WEIR_HTTP_RATE];
	report->completed = requests;
	report->times_of_completed = true;
}

/* Begins the report of an object; the outermost one is over all. */
static void enter(struct document *document, struct weir_slice owner)
{
	if (document->owner.data &&
	    weir_slice_same(owner,
	                    (struct weir_slice){document->owner.data, document->owner.length}))
		return;
	weir_http_names_begin(&document->names);
	weir_http_names_call(&document->names, owner);
	document->left_out = false;
	weir_text_clear(&document->owner);
	weir_text_add(&document->owner, owner.data, owner.length);
}

/* Returns the path before a key; NULL data if the path does not end with the key. */
static struct weir_slice before(const char *path, const char *key)
{
	struct weir_slice none = {NULL, 0}, owner = {path, strlen(path)};

	if (!weir_slice_ends(owner, key))
		return none;
	owner.length -= strlen(key);
	if (!owner.length)
		return owner;
	if (owner.data[owner.length - 1] != '/')
		return none;
	owner.length--;
	if (weir_slice_equals(owner, "stats"))
		owner.length = 0;
	else if (weir_slice_ends(owner, "/stats"))
		owner.length -= strlen("/stats");
	return owner;
}

/* Takes a number, which may be a text; "-" is unknown. */
static void take_number(struct document *document, const struct weir_jsonleaf *leaf,
                        enum weir_http_slot slot)
{
	double value;

	if (document->left_out || weir_slice_equals(leaf->text, "-"))
		return;
	if (!weir_parse_double(leaf->text.data, leaf->text.length, &value))
		value = NAN;
	weir_http_report_set(&document->names.report, slot, value, leaf->at);
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct document *document = context;
	struct weir_slice type = before(leaf->path, "type"), path = before(leaf->path, "path");

	(void)err;
	if (type.data) {
		enter(document, type);
		document->left_out = type.length && !weir_slice_equals(leaf->text, "REQUEST");
	}
	if (path.length && leaf->text.length) {
		enter(document, path);
		weir_http_names_call(&document->names, leaf->text);
	}
	for (const struct weir_http_number *number = numbers; number->path; number++) {
		struct weir_slice owner = before(leaf->path, number->path);

		if (!owner.data)
			continue;
		enter(document, owner);
		take_number(document, leaf, number->slot);
	}
	return WEIR_OK;
}

static enum weir_status read_gatling(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct document document = {.left_out = false};
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

const struct weir_reader weir_reader_gatling = {
	.name = "gatling",
	.title = "statistics of Gatling's report (global_stats.json, stats.json)",
	.gives = "native run",
	.tool = "Gatling",
	.whole_run = true,
	.marks = marks,
	.read = read_gatling,
};
