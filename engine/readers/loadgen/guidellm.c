/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of GuideLLM (benchmarks.json, version 2). A report of one load point is requests, where
 * it lists them, and per-run figures. A report of several, a sweep, is still one run: its load
 * points are figures side by side, "constant@2/mean_ttft_ms", and the requests of each are samples
 * of stages of its own, "constant@2/ttft", for requests under different load are not one
 * population. Of the configuration, which may hold keys of an interface, only the model is kept.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/guidellm.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

static const char *const keys[] = {"benchmarks", "metadata", "config", NULL};
static const char *const version_key[] = {"guidellm_version", NULL};

static int sniff(const char *head, size_t len)
{
	unsigned found = weir_sniff_keys(head, len, keys);
	size_t left = 0;
	const char *metadata = weir_sniff_member(head, len, keys[1], &left);

	if (!metadata || !weir_sniff_keys(metadata, left, version_key))
		return 0;
	return weir_sniff_bits(found, keys) + weir_sniff_bits(1, version_key);
}

struct report {
	struct weir_input *input;
	struct guidellm_point *points;
	size_t count, capacity;
	size_t documents;
};

/* Names begin with what the load was: a rate, or how many at a time. */
static void name_point(const struct report *report, struct guidellm_point *point)
{
	const char *strategy = *point->strategy ? point->strategy : "load";
	struct weir_text name = {0};
	size_t same = 0;

	weir_text_puts(&name, strategy);
	if (point->summary.requested_per_s > 0)
		weir_text_printf(&name, "@%.6g", point->summary.requested_per_s);
	else if (strcmp(strategy, "concurrent") == 0 && point->max_concurrency > 0)
		weir_text_printf(&name, "@%.6g", point->max_concurrency);
	for (size_t i = 0; i < report->count; i++)
		same += !strncmp(report->points[i].name, name.data, name.length) &&
		        (!report->points[i].name[name.length] ||
		         report->points[i].name[name.length] == '#');
	if (same)
		weir_text_printf(&name, "#%zu", same + 1);
	if (name.length >= sizeof(point->name)) {
		weir_text_clear(&name);
		weir_text_printf(&name, "load#%zu", report->count + 1);
	}
	memcpy(point->name, name.data, name.length + 1);
	weir_text_release(&name);
}

/* A load point ends where the next one begins. */
static enum weir_status end_point(struct report *report, struct weir_error *err)
{
	struct guidellm_point *point = report->count ? &report->points[report->count - 1] : NULL;

	if (!point)
		return WEIR_OK;
	name_point(report, point);
	if (!weir_guidellm_point_finish(point, err))
		return WEIR_OK;
	return weir_fail_in(err, "benchmarks[%zu]", report->count - 1);
}

static enum weir_status begin_point(struct report *report, struct weir_error *err)
{
	enum weir_status status = end_point(report, err);

	if (status)
		return status;
	if (report->count == GUIDELLM_MAX_POINTS)
		return weir_fail(err, WEIR_E_LIMIT, "benchmarks: more than %d load points",
		                 GUIDELLM_MAX_POINTS);
	report->points = weir_grow(report->points, &report->capacity, report->count + 1,
	                           sizeof(*report->points));
	weir_guidellm_point_init(&report->points[report->count++]);
	return WEIR_OK;
}

static enum weir_status begin_object(struct report *report, const struct weir_jsonscan_item *item,
                                     struct weir_error *err)
{
	if (weir_slice_equals(item->key, keys[0]))
		return begin_point(report, err);
	if (!item->key.length && report->documents++)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "more follows the first report, but one input is one run: keep "
		                 "one report a file");
	return WEIR_OK;
}

static enum weir_status take_version(void *context, const struct weir_jsonleaf *leaf,
                                     struct weir_error *err)
{
	static const struct weir_client_label labels[] = {{"metadata/guidellm_version", "guidellm"},
	                                                  {0}};
	struct report *report = context;

	(void)err;
	weir_client_summary_label(report->input->run, labels, leaf);
	return WEIR_OK;
}

/* Of the document before its first load point, else of the load point. */
static enum weir_status take_member(struct report *report, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	const struct weir_jsonleaves leaves = {.leaf = take_version, .context = report};
	enum weir_status status;

	if (weir_slice_equals(item->key, keys[1]))
		return weir_jsonleaves_walk(&leaves, item->key, item->text, item->at, err);
	if (!report->count)
		return WEIR_OK;
	status = weir_guidellm_member(report->input, item, &report->points[report->count - 1], err);
	return status ? weir_fail_in(err, "benchmarks[%zu]", report->count - 1) : WEIR_OK;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct report *report = context;

	if (item->kind == WEIR_JSONSCAN_OBJECT)
		return begin_object(report, item, err);
	if (item->kind == WEIR_JSONSCAN_MEMBER)
		return take_member(report, item, err);
	if (report->count &&
	    !weir_guidellm_request(report->input, item, &report->points[report->count - 1]))
		weir_jsonscan_reject(scan);
	return WEIR_OK;
}

/* Means and percentiles stand for samples only where there are not all of them. */
static void drop_sampled(struct guidellm_point *point)
{
	struct weir_client_summary summary = point->summary;

	if (!point->records.requests || point->records.requests->sampled)
		return;
	weir_client_summary_init(&point->summary);
	point->summary.request_throughput = summary.request_throughput;
	point->summary.input_throughput = summary.input_throughput;
	point->summary.output_throughput = summary.output_throughput;
	point->summary.total_throughput = summary.total_throughput;
}

static void add_label(struct weir_run *run, const char *key, double value)
{
	struct weir_text text = {0};

	if (!(value > 0))
		return;
	weir_text_printf(&text, "%.15g", value);
	weir_run_set_label(run, key, text.data);
	weir_text_release(&text);
}

static void add_only_point(struct report *report, struct guidellm_point *point)
{
	struct weir_run *run = report->input->run;

	if (*point->strategy)
		weir_run_set_label(run, "strategy", point->strategy);
	add_label(run, "request_rate", point->summary.requested_per_s);
	if (strcmp(point->strategy, "concurrent") == 0)
		add_label(run, "max_concurrency", point->max_concurrency);
	report->input->events = point->records.requests ? point->records.requests->count : 0;
	drop_sampled(point);
	weir_client_summary_add(&point->summary, "", run);
	report->input->requests = point->records.requests;
	point->records.requests = NULL;
}

static void push_sample(struct weir_run *run, const char *prefix, const char *stage, double ns)
{
	struct weir_text name = {0};

	if (!(ns > 0))
		return;
	weir_text_printf(&name, "%s%s", prefix, stage);
	weir_series_push(weir_series_get(&run->stages, name.data), ns);
	weir_text_release(&name);
}

/* What a request waited at the client is part of neither: it is a figure of its own. */
static void add_samples(struct weir_run *run, const char *prefix,
                        const struct weir_requests *requests, size_t i)
{
	int64_t total = requests->end_ns[i] - requests->start_ns[i];
	int64_t first = requests->first_token_ns[i], tokens = requests->output_tokens[i];
	int64_t queue = 0;

	if (requests->part_count[i] &&
	    strcmp(weir_requests_stage_name(requests,
	                                    requests->part_stage[requests->part_first[i]]),
	           "client_queue") == 0)
		queue = requests->part_ns[requests->part_first[i]];
	push_sample(run, prefix, "e2e", (double)(total - queue));
	if (first >= 0)
		push_sample(run, prefix, "ttft", (double)(first - queue));
	if (first >= 0 && tokens > 1)
		push_sample(run, prefix, "tpot",
		            floor((double)(total - first) / (double)(tokens - 1)));
}

static void add_point(struct report *report, struct guidellm_point *point)
{
	struct weir_run *run = report->input->run;
	struct weir_text prefix = {0};

	weir_text_printf(&prefix, "%s/", point->name);
	for (size_t i = 0; point->records.requests && i < point->records.requests->count; i++)
		add_samples(run, prefix.data, point->records.requests, i);
	drop_sampled(point);
	weir_client_summary_add(&point->summary, prefix.data, run);
	weir_text_release(&prefix);
}

/* A load point of a sweep in which nothing completed says nothing; its requests are counted. */
static bool is_nothing(const struct report *report, const struct guidellm_point *point)
{
	return report->count > 1 && point->summary.completed <= 0;
}

static enum weir_status conclude_point(struct report *report, struct guidellm_point *point,
                                       struct weir_error *err)
{
	enum weir_status status;

	weir_client_summary_warn(report->input, WEIR_WARN_UNFINISHED, point->incomplete);
	if (is_nothing(report, point)) {
		weir_client_summary_warn(report->input, WEIR_WARN_FAILED_REQUEST,
		                         point->summary.failed);
		return WEIR_OK;
	}
	status = weir_client_summary_check(&point->summary, report->input, err);
	if (status)
		return status;
	if (report->count == 1)
		add_only_point(report, point);
	else
		add_point(report, point);
	return WEIR_OK;
}

static enum weir_status conclude(struct report *report, struct weir_error *err)
{
	struct weir_input *input = report->input;
	enum weir_status status = WEIR_OK;
	bool sampled = false;

	for (size_t i = 0; !status && i < report->count; i++) {
		sampled |= report->points[i].records.requests != NULL;
		status = conclude_point(report, &report->points[i], err);
	}
	if (status)
		return status;
	if (!input->requests && !input->run->stages.count && !input->run->metrics.count)
		return weir_fail(
			err, WEIR_E_EMPTY,
			"no timing in this report: expected \"benchmarks\" with metrics of "
			"successful requests");
	if (!sampled)
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	if (!input->events)
		input->events = input->run->metrics.count;
	return WEIR_OK;
}

static enum weir_status read_guidellm(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	static const char *const entered[] = {"benchmarks", "requests", NULL};
	static const struct weir_jsonscan_options options = {.array = "successful",
	                                                     .enter = entered};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	struct report report = {.input = input};
	enum weir_status status;

	input->run = weir_run_new();
	status = weir_jsonscan_each(scan, take_item, &report, err);
	if (!status)
		status = end_point(&report, err);
	if (!status)
		status = weir_wholejson_check(scan, source, err);
	if (!status)
		status = conclude(&report, err);
	for (size_t i = 0; i < report.count; i++) {
		weir_requests_free(report.points[i].records.requests);
		weir_client_requests_release(&report.points[i].records);
	}
	free(report.points);
	weir_jsonscan_free(scan);
	return status;
}

const struct weir_reader weir_reader_guidellm = {
	.name = "guidellm",
	.title = "reports of GuideLLM, one load point or a sweep",
	.gives = "requests, native run",
	.sniff = sniff,
	.read = read_guidellm,
};
