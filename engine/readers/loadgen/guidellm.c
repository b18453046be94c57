/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of GuideLLM (benchmarks.json of 0.2, 0.3, and of 0.4 and later; guidellm_console.c
 * reads its tables, guidellm_csv.c its benchmarks.csv). A report of one
 * load point gives requests, if it lists them, and figures of the run. A report of several load
 * points, a sweep, is still one run: the figures of its load points stand side by side,
 * "constant@2/mean_ttft_ms", and their requests are samples of separate stages, "constant@2/ttft",
 * because requests under different loads are not one population. Only the model is kept of the
 * configuration, which may hold API keys.
 *
 * Request latency is in seconds, everything else in milliseconds. GuideLLM's "time per output
 * token" includes the first token; other tools call its "inter token latency", a mean
 * over tokens, time per output token. Its percentiles come from a step function.
 *
 * Reports of 0.2 and 0.3 differ: no metadata, other places of the load, and a "time per output
 * token" that is the time after the first token divided by all tokens, which is not read.
 *
 * Requests without a rate are sent as soon as another ends: their targeted start, which is the
 * beginning of the test, means nothing. If a report lists a sample of its requests
 * (sample_requests) and states means of all, the means are read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/guidellm_console.h"
#include "engine/readers/loadgen/guidellm_csv.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

#define MAX_POINTS 256
#define NAME       64
#define MAX_FAILED 1e15 /* requests: exact in a double */
#define DIFFERENCE 0.1  /* between two statements of one figure; a larger one contradicts */

/* One load point: an element of "benchmarks". */
struct point {
	struct weir_client_summary summary;
	double incomplete, duration_s, max_latency_s;
	double measured; /* requests that the metrics are of: all but those of warm-up and cool-down
	                  */
	double listed;   /* requests of a sample that is not read; NAN: none */
	double warmup_s, cooldown_s;          /* left out of the metrics, not of the counts */
	double max_concurrency, input_tokens; /* tokens: mean of a request */
	bool old;                             /* of version 0.2 or 0.3 */
	unsigned counted;                     /* a bit per row of `counts` with a count above 0 */
	char strategy[NAME];                  /* "constant"; "": unknown */
	char name[NAME];                      /* "constant@2"; unique in the report */
	/* The requests that it lists; the table is NULL without requests. Owned. */
	struct weir_client_requests records;
};

struct report {
	struct weir_input *input;
	struct point *points;
	size_t count, capacity;
	size_t documents;
};

enum { CSV }; /* the index of its mark */

static const struct weir_mark marks[] = {
	[CSV] = {.first = "",
                 .cells = {{"Benchmark", "Timings", "Request Counts", "Request Latency",
                            "Time to First Token", "Run Info"},
                           .all = 5}},
	{.first = "{",
         .keys = {{"benchmarks", "metadata", "config"}, .all = 0},
         .within = "metadata",
         .inside = {{"guidellm_version"}, .all = 1}},
	{.first = "{",
         .keys = {{"benchmarks"}, .all = 1},
         .within = "benchmarks",
         .inside = {{"run_stats", "request_loader", "args", "worker"}, .all = 2}},
	/* its tables, or the first lines of its log */
	{.first = "",
         .texts = {{"Request Latency Statistics", "| Benchmark", "| Strategy", "| Request Latency",
                    "Run Summary Info"},
                   .all = 4}},
	{.first = "",
         .texts = {{"Benchmarks Stats:", "Metadata ", "| Request Stats ", "| Req Latency ("},
                   .all = 4}},
	{.first = "",
         .texts = {{" backend validated with model ", "Setup complete, starting benchmarks"},
                   .all = 2}},
	{0},
};

/* ---- the figures of a load point ---- */

static const struct weir_client_row figures[] = {
	WEIR_CLIENT_NUMBER(sent, "scheduler_metrics/requests_made/total"),
	WEIR_CLIENT_NUMBER(completed, "scheduler_metrics/requests_made/successful"),
	WEIR_CLIENT_NUMBER(failed, "scheduler_metrics/requests_made/errored"),
	WEIR_CLIENT_NUMBER(requested_per_s, "config/strategy/rate"),
	WEIR_CLIENT_NUMBER(requested_per_s, "args/strategy/rate"),
	WEIR_CLIENT_TIMES(e2e, "metrics/request_latency/successful", 1e3),
	WEIR_CLIENT_TIMES(ttft, "metrics/time_to_first_token_ms/successful", 1),
	WEIR_CLIENT_TIMES(ntpot, "metrics/time_per_output_token_ms/successful", 1),
	WEIR_CLIENT_TIMES(itl, "metrics/inter_token_latency_ms/successful", 1),
	WEIR_CLIENT_NUMBER(output_tokens, "metrics/output_token_count/successful/mean"),
	/* Rates are weighted by time: only their mean has a meaning. */
	WEIR_CLIENT_NUMBER(request_throughput, "metrics/requests_per_second/successful/mean"),
	WEIR_CLIENT_NUMBER(input_throughput, "metrics/prompt_tokens_per_second/successful/mean"),
	WEIR_CLIENT_NUMBER(output_throughput, "metrics/output_tokens_per_second/successful/mean"),
	WEIR_CLIENT_NUMBER(total_throughput, "metrics/tokens_per_second/successful/mean"),
	{0},
};

static const struct weir_client_label point_labels[] = {
	{"config/backend/model", "model"},
	{"worker/backend_model", "model"},
	{0},
};

#define COUNTS_OF(path)                                                                            \
	{path "/successful", offsetof(struct point, summary.completed), 1},                        \
		{path "/errored", offsetof(struct point, summary.failed), 1},                      \
		{path "/total", offsetof(struct point, summary.sent), 1},                          \
	{                                                                                          \
		path "/incomplete", offsetof(struct point, incomplete), 1                          \
	}

/* Numbers beside the summary. The last of several places in the file counts. */
static const struct {
	const char *path;
	size_t slot;
	double scale;
} numbers[] = {
	{"scheduler_metrics/requests_made/incomplete", offsetof(struct point, incomplete), 1},
	{"duration", offsetof(struct point, duration_s), 1},
	{"warmup_duration", offsetof(struct point, warmup_s), 1},
	{"cooldown_duration", offsetof(struct point, cooldown_s), 1},
	{"config/strategy/max_concurrency", offsetof(struct point, max_concurrency), 1},
	{"config/strategy/streams", offsetof(struct point, max_concurrency), 1},
	{"metrics/request_latency/successful/max", offsetof(struct point, max_latency_s), 1},
	{"metrics/request_latency/successful/count", offsetof(struct point, measured), 1},
	{"scheduler_metrics/request_targeted_start_delay_avg",
         offsetof(struct point, summary.queue.mean), 1e3},
	{"metrics/prompt_token_count/successful/mean", offsetof(struct point, input_tokens), 1},
	{"args/strategy/max_concurrency", offsetof(struct point, max_concurrency), 1},
	{"args/strategy/streams", offsetof(struct point, max_concurrency), 1},
	{"run_stats/request_start_time_targeted_delay_avg",
         offsetof(struct point, summary.queue.mean), 1e3},
	COUNTS_OF("run_stats/requests_made"),
	COUNTS_OF("request_totals"),
	/* 0.5 and later: without those of warm-up and cool-down, as all metrics */
	COUNTS_OF("metrics/request_totals"),
};

/* If one of these counts is 0, the zeros beside it are unknown values. */
#define COUNTED(member, name, size_)                                                               \
	{                                                                                          \
		"metrics/" name "/successful/count", offsetof(struct point, summary.member), size_ \
	}
#define TIMES  (sizeof(struct weir_client_times) / sizeof(double))
#define NUMBER 1

static const struct {
	const char *path;
	size_t slot, doubles;
} counts[] = {
	COUNTED(e2e, "request_latency", TIMES),
	COUNTED(ttft, "time_to_first_token_ms", TIMES),
	COUNTED(ntpot, "time_per_output_token_ms", TIMES),
	COUNTED(itl, "inter_token_latency_ms", TIMES),
	COUNTED(output_tokens, "output_token_count", NUMBER),
	COUNTED(request_throughput, "requests_per_second", NUMBER),
	COUNTED(input_throughput, "prompt_tokens_per_second", NUMBER),
	COUNTED(output_throughput, "output_tokens_per_second", NUMBER),
	COUNTED(total_throughput, "tokens_per_second", NUMBER),
};

#define COUNTS (sizeof(counts) / sizeof(counts[0]))

struct point_reading {
	struct weir_input *input;
	struct point *point;
};

static double *slot_of(struct point *point, size_t slot)
{
	return (double *)(void *)((char *)point + slot);
}

static void take_strategy(struct point *point, struct weir_slice text)
{
	if (text.length >= sizeof(point->strategy) || memchr(text.data, '\\', text.length))
		return;
	memcpy(point->strategy, text.data, text.length);
	point->strategy[text.length] = '\0';
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct point_reading *reading = context;
	struct point *point = reading->point;
	bool odd = false;

	(void)err;
	weir_client_summary_take(&point->summary, figures, leaf, &odd);
	weir_client_summary_label(reading->input->run, point_labels, leaf);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(leaf->path, numbers[i].path) == 0)
			*slot_of(point, numbers[i].slot) =
				weir_jsonleaf_number(leaf, &odd) * numbers[i].scale;
	for (size_t i = 0; i < COUNTS; i++)
		if (strcmp(leaf->path, counts[i].path) == 0)
			point->counted |= (unsigned)(weir_jsonleaf_number(leaf, &odd) > 0) << i;
	if (leaf->quoted && (strcmp(leaf->path, "config/strategy/type_") == 0 ||
	                     strcmp(leaf->path, "args/strategy/type_") == 0))
		take_strategy(point, leaf->text);
	point->old |= !strncmp(leaf->path, "run_stats/", strlen("run_stats/"));
	if (odd)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, leaf->at, NULL);
	return WEIR_OK;
}

static enum weir_status take_figures(struct report *report, const struct weir_jsonscan_item *item,
                                     struct weir_error *err)
{
	struct point_reading reading = {.input = report->input,
	                                .point = &report->points[report->count - 1]};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading};
	enum weir_status status =
		weir_jsonleaves_walk(&leaves, item->key, item->text, item->at, err);

	return status ? weir_fail_in(err, "benchmarks[%zu]", report->count - 1) : WEIR_OK;
}

/* ---- the requests of a load point: seconds of Unix time; prompts and answers are not read ---- */

#define TIMINGS "info/timings/"

static const struct weir_client_field fields[] = {
	WEIR_CLIENT_SECONDS(due_ns, TIMINGS "targeted_start"),
	WEIR_CLIENT_SECONDS(sent_ns, TIMINGS "request_start"),
	WEIR_CLIENT_SECONDS(first_token_ns, TIMINGS "first_token_iteration"),
	WEIR_CLIENT_SECONDS(last_token_ns, TIMINGS "last_token_iteration"),
	WEIR_CLIENT_SECONDS(end_ns, TIMINGS "request_end"),
	WEIR_CLIENT_SECONDS(due_ns, "scheduler_info/targeted_start_time"),
	WEIR_CLIENT_SECONDS(sent_ns, "start_time"),
	WEIR_CLIENT_SECONDS(first_token_ns, "first_token_time"),
	WEIR_CLIENT_SECONDS(last_token_ns, "last_token_time"),
	WEIR_CLIENT_SECONDS(end_ns, "end_time"),
	WEIR_CLIENT_WHOLE(input_tokens, "prompt_tokens"),
	WEIR_CLIENT_WHOLE(input_tokens, "input_metrics/text_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "output_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "output_metrics/text_tokens"),
	{0},
};

/* For a server that does not state its number of tokens. */
static const struct weir_client_field fallback[] = {
	WEIR_CLIENT_WHOLE(output_tokens, TIMINGS "token_iterations"),
	{0},
};

struct request_reading {
	struct weir_input *input;
	struct weir_client_request record, counted;
};

static enum weir_status take_request_leaf(void *context, const struct weir_jsonleaf *leaf,
                                          struct weir_error *err)
{
	struct request_reading *reading = context;

	(void)err;
	weir_client_record_take(reading->input, &reading->record, fields, leaf);
	weir_client_record_take(reading->input, &reading->counted, fallback, leaf);
	return WEIR_OK;
}

/* Adds one request that succeeded. Returns false if it is not valid JSON. */
static bool take_request(struct weir_input *input, const struct weir_jsonscan_item *item,
                         struct point *point)
{
	struct request_reading reading = {
		.input = input,
		.record = weir_client_request_unknown(),
		.counted = weir_client_request_unknown(),
	};
	const struct weir_jsonleaves leaves = {.leaf = take_request_leaf, .context = &reading};

	if (!point->records.requests)
		weir_client_requests_init(&point->records, input);
	if (weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, item->text, item->at, NULL))
		return false;
	if (reading.record.output_tokens == WEIR_CLIENT_UNKNOWN)
		reading.record.output_tokens = reading.counted.output_tokens;
	if (!(point->summary.requested_per_s > 0))
		reading.record.due_ns = WEIR_CLIENT_UNKNOWN;
	input->events++;
	weir_client_requests_add(&point->records, &reading.record, item->at);
	return true;
}

/* ---- load points ---- */

/* Names the point after its load: a rate, or a number of concurrent requests. */
static void name_point(const struct report *report, struct point *point)
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

static void finish_requests(struct point *point)
{
	struct weir_requests *requests = point->records.requests;
	double failed = point->summary.failed;

	/* fmin() ignores NAN */
	requests->sampled =
		(double)requests->count < fmin(point->summary.completed, point->measured);
	requests->failed = failed >= 1 && failed < MAX_FAILED ? (uint64_t)failed : 0;
	requests->requested_per_s = point->summary.requested_per_s;
	requests->duration_s = point->duration_s;
}

/* Forgets figures that versions 0.2 and 0.3 define in another way, and a queue where no request was
 * due at a time. */
static void forget_meaningless(struct point *point)
{
	if (point->old)
		weir_client_summary_forget(&point->summary, WEIR_CLIENT_SLOT(ntpot));
	if (!(point->summary.requested_per_s > 0))
		weir_client_summary_forget(&point->summary, WEIR_CLIENT_SLOT(queue));
}

/* Forgets the rate of requests if the cool-down is negative: GuideLLM 0.5 then takes the rate over
 * more time than the test took. */
static void check_window(struct point *point, struct weir_input *input)
{
	struct weir_text detail = {0};

	if (!(point->cooldown_s < 0) || isnan(point->summary.request_throughput))
		return;
	point->summary.request_throughput = NAN;
	weir_text_printf(&detail, "requests per second: over a cool-down of %.4g s",
	                 point->cooldown_s);
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX, detail.data);
	weir_text_release(&detail);
}

/* Forgets the rate of all tokens if it is not the rate of requests times their tokens: version 0.2
 * counts the output of a request several times. */
static void check_total(struct point *point, struct weir_input *input)
{
	double *total = &point->summary.total_throughput;
	double computed = point->summary.request_throughput *
	                  (point->input_tokens + point->summary.output_tokens);

	if (!(fabs(*total - computed) > DIFFERENCE * computed))
		return;
	*total = NAN;
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
	                "tokens per second: not the requests per second times their tokens");
}

/* Forgets the rate of input if it exceeds that of all tokens: it is weighted by other intervals. */
static void check_input(struct point *point, struct weir_input *input)
{
	if (!(point->summary.input_throughput > point->summary.total_throughput))
		return;
	point->summary.input_throughput = NAN;
	weir_input_warn(input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
	                "input tokens per second: more than those of input and output");
}

/* Gives the summary the totals that the rates are checked against. Versions 0.2 and 0.3 take rates
 * over the time between requests, not over the duration. */
static void set_totals(struct point *point)
{
	struct weir_client_summary *summary = &point->summary;

	if (point->old || fabs(point->warmup_s) > 0 || fabs(point->cooldown_s) > 0)
		return;
	summary->prompts = summary->sent;
	summary->duration_s = point->duration_s;
	summary->total_input_tokens = point->input_tokens * summary->completed;
	summary->total_output_tokens = summary->output_tokens * summary->completed;
	if (strcmp(point->strategy, "concurrent") == 0)
		summary->max_concurrency = point->max_concurrency;
}

static enum weir_status finish_point(struct point *point, struct weir_input *input,
                                     struct weir_error *err)
{
	for (size_t i = 0; i < COUNTS; i++)
		for (size_t j = 0; j < counts[i].doubles && !(point->counted >> i & 1); j++)
			*slot_of(point, counts[i].slot + j * sizeof(double)) = NAN;
	forget_meaningless(point);
	check_window(point, input);
	check_total(point, input);
	check_input(point, input);
	set_totals(point);
	point->summary.achieved_per_s = weir_client_highest_rate(
		point->summary.sent, point->duration_s, point->max_latency_s);
	if (!point->records.requests)
		return WEIR_OK;
	if (!point->records.requests->count) {
		weir_requests_free(point->records.requests);
		point->records.requests = NULL;
		return WEIR_OK;
	}
	finish_requests(point);
	if (point->records.requests->sampled && !isnan(point->summary.e2e.mean)) {
		point->listed = (double)point->records.requests->count;
		weir_requests_free(point->records.requests);
		point->records.requests = NULL;
		return WEIR_OK;
	}
	return weir_client_requests_finish(&point->records, err);
}

/* Ends the load point that is being read, if there is one. */
static enum weir_status end_point(struct report *report, struct weir_error *err)
{
	struct point *point = report->count ? &report->points[report->count - 1] : NULL;

	if (!point)
		return WEIR_OK;
	name_point(report, point);
	if (!finish_point(point, report->input, err))
		return WEIR_OK;
	return weir_fail_in(err, "benchmarks[%zu]", report->count - 1);
}

static enum weir_status begin_point(struct report *report, struct weir_error *err)
{
	enum weir_status status = end_point(report, err);
	struct point *point;

	if (status)
		return status;
	if (report->count == MAX_POINTS)
		return weir_fail(err, WEIR_E_LIMIT, "benchmarks: more than %d load points",
		                 MAX_POINTS);
	report->points = weir_grow(report->points, &report->capacity, report->count + 1,
	                           sizeof(*report->points));
	point = &report->points[report->count++];
	*point = (struct point){.incomplete = NAN,
	                        .duration_s = NAN,
	                        .max_latency_s = NAN,
	                        .measured = NAN,
	                        .listed = NAN,
	                        .warmup_s = NAN,
	                        .cooldown_s = NAN,
	                        .max_concurrency = NAN,
	                        .input_tokens = NAN};
	weir_client_summary_init(&point->summary);
	return WEIR_OK;
}

static enum weir_status begin_object(struct report *report, const struct weir_jsonscan_item *item,
                                     struct weir_error *err)
{
	if (weir_slice_equals(item->key, "benchmarks"))
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

/* Takes a member of the load point, or of the document before its first load point. */
static enum weir_status take_member(struct report *report, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	const struct weir_jsonleaves leaves = {.leaf = take_version, .context = report};

	if (weir_slice_equals(item->key, "metadata"))
		return weir_jsonleaves_walk(&leaves, item->key, item->text, item->at, err);
	return report->count ? take_figures(report, item, err) : WEIR_OK;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct report *report = context;

	if (item->kind == WEIR_JSONSCAN_OBJECT)
		return begin_object(report, item, err);
	if (item->kind == WEIR_JSONSCAN_MEMBER)
		return take_member(report, item, err);
	if (report->count && !take_request(report->input, item, &report->points[report->count - 1]))
		weir_jsonscan_reject(scan);
	return WEIR_OK;
}

/* Drops the means and percentiles if the report lists all requests. */
static void drop_sampled(struct point *point)
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

static void add_only_point(struct report *report, struct point *point)
{
	struct weir_run *run = report->input->run;

	if (*point->strategy)
		weir_run_set_label(run, "strategy", point->strategy);
	add_label(run, "request_rate", point->summary.requested_per_s);
	if (strcmp(point->strategy, "concurrent") == 0)
		add_label(run, "max_concurrency", point->max_concurrency);
	if (!point->records.requests) {
		weir_client_summary_label_load(&point->summary, "", run);
		add_label(run, "listed_requests", point->listed);
	}
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

/* Adds the samples of one request, without its queue at the client, which is a separate figure. */
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

static void add_point(struct report *report, struct point *point)
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

/* True for a load point of a sweep in which no request completed. */
static bool is_nothing(const struct report *report, const struct point *point)
{
	return report->count > 1 && point->summary.completed <= 0;
}

static enum weir_status conclude_point(struct report *report, struct point *point,
                                       struct weir_error *err)
{
	struct weir_text prefix = {0};
	enum weir_status status;

	weir_client_summary_warn(report->input, WEIR_WARN_UNFINISHED, point->incomplete);
	if (report->count > 1) {
		weir_text_printf(&prefix, "%s/", point->name);
		weir_client_summary_label_load(&point->summary, prefix.data, report->input->run);
		weir_text_release(&prefix);
	}
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

/* ---- documents ---- */

/* Reads a report in JSON up to the end of its last load point. */
static enum weir_status read_json(struct report *report, struct weir_source *source,
                                  struct weir_error *err)
{
	static const char *const entered[] = {"benchmarks", "requests", NULL};
	static const struct weir_jsonscan_options options = {.array = "successful",
	                                                     .enter = entered};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status = weir_jsonscan_each(scan, take_item, report, err);

	if (!status)
		status = end_point(report, err);
	if (!status)
		status = weir_wholejson_check(scan, source, err);
	weir_jsonscan_free(scan);
	return status;
}

static enum weir_status begin_row(void *context, struct weir_error *err)
{
	struct report *report = context;
	enum weir_status status = begin_point(report, err);

	if (!status) /* a table has no counts of values */
		report->points[report->count - 1].counted = ~0u;
	return status;
}

static enum weir_status take_row_leaf(void *context, const struct weir_jsonleaf *leaf,
                                      struct weir_error *err)
{
	struct report *report = context;
	struct point_reading reading = {.input = report->input,
	                                .point = &report->points[report->count - 1]};
	enum weir_status status = take_leaf(&reading, leaf, err);

	return status ? status : take_version(report, leaf, err);
}

static enum weir_status read_csv(struct report *report, struct weir_source *source,
                                 struct weir_error *err)
{
	const struct weir_guidellm_rows rows = {
		.begin = begin_row, .leaf = take_row_leaf, .context = report};
	enum weir_status status = weir_guidellm_csv_read(&rows, source, report->input, err);

	return status ? status : end_point(report, err);
}

static enum weir_status read_guidellm(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct report report = {.input = input};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);
	char first;
	bool csv;

	if (status)
		return status;
	csv = weir_mark_bits(&marks[CSV], head, len) > 0;
	first = weir_sniff_first(head, len);
	if (!csv && first != '{' && first != '[')
		return weir_guidellm_console_read(source, input, err);
	input->run = weir_run_new();
	status = csv ? read_csv(&report, source, err) : read_json(&report, source, err);
	if (!status)
		status = conclude(&report, err);
	for (size_t i = 0; i < report.count; i++) {
		weir_requests_free(report.points[i].records.requests);
		weir_client_requests_release(&report.points[i].records);
	}
	free(report.points);
	return status;
}

const struct weir_reader weir_reader_guidellm = {
	.name = "guidellm",
	.title = "reports of GuideLLM (JSON, CSV, its tables), one load point or a sweep",
	.gives = "requests, native run",
	.tool = "GuideLLM",
	.whole_run = true,
	.marks = marks,
	.read = read_guidellm,
};
