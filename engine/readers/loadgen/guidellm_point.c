/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The figures of one load point of a GuideLLM report. Its request latency is in seconds, all else
 * in milliseconds. Its "time per output token" holds the first token; what others call so is its
 * "inter token latency", the mean of which is by token. Percentiles are of a step function.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/loadgen/guidellm.h"
#include "engine/readers/parts/figures.h"

static const struct weir_client_row rows[] = {
	WEIR_CLIENT_NUMBER(sent, "scheduler_metrics/requests_made/total"),
	WEIR_CLIENT_NUMBER(completed, "scheduler_metrics/requests_made/successful"),
	WEIR_CLIENT_NUMBER(failed, "scheduler_metrics/requests_made/errored"),
	WEIR_CLIENT_NUMBER(requested_per_s, "config/strategy/rate"),
	WEIR_CLIENT_TIMES(e2e, "metrics/request_latency/successful", 1e3),
	WEIR_CLIENT_TIMES(ttft, "metrics/time_to_first_token_ms/successful", 1),
	WEIR_CLIENT_TIMES(ntpot, "metrics/time_per_output_token_ms/successful", 1),
	WEIR_CLIENT_TIMES(itl, "metrics/inter_token_latency_ms/successful", 1),
	WEIR_CLIENT_NUMBER(output_tokens, "metrics/output_token_count/successful/mean"),
	/* Rates are weighted by time: all but their mean says nothing. */
	WEIR_CLIENT_NUMBER(request_throughput, "metrics/requests_per_second/successful/mean"),
	WEIR_CLIENT_NUMBER(input_throughput, "metrics/prompt_tokens_per_second/successful/mean"),
	WEIR_CLIENT_NUMBER(output_throughput, "metrics/output_tokens_per_second/successful/mean"),
	WEIR_CLIENT_NUMBER(total_throughput, "metrics/tokens_per_second/successful/mean"),
	{0},
};

static const struct weir_client_label labels[] = {
	{"config/backend/model", "model"},
	{0},
};

#define MAX_FAILED 1e15 /* requests: exact in a double */

/* Numbers that are no part of a summary. */
static const struct {
	const char *path;
	size_t slot;
	double scale;
} numbers[] = {
	{"scheduler_metrics/requests_made/incomplete", offsetof(struct guidellm_point, incomplete),
         1},
	{"duration", offsetof(struct guidellm_point, duration_s), 1},
	{"config/strategy/max_concurrency", offsetof(struct guidellm_point, max_concurrency), 1},
	{"config/strategy/streams", offsetof(struct guidellm_point, max_concurrency), 1},
	{"metrics/request_latency/successful/max", offsetof(struct guidellm_point, max_latency_s),
         1},
	{"scheduler_metrics/request_targeted_start_delay_avg",
         offsetof(struct guidellm_point, summary.queue.mean), 1e3},
};

/* Where a count of 0 says that all zeros beside it are unknown. */
#define COUNTED(member, name, size_)                                                               \
	{                                                                                          \
		"metrics/" name "/successful/count",                                               \
			offsetof(struct guidellm_point, summary.member), size_                     \
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

struct reading {
	struct weir_input *input;
	struct guidellm_point *point;
};

static double *slot_of(struct guidellm_point *point, size_t slot)
{
	return (double *)(void *)((char *)point + slot);
}

static void take_strategy(struct guidellm_point *point, struct weir_slice text)
{
	if (text.length >= sizeof(point->strategy) || memchr(text.data, '\\', text.length))
		return;
	memcpy(point->strategy, text.data, text.length);
	point->strategy[text.length] = '\0';
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;
	struct guidellm_point *point = reading->point;
	bool odd = false;

	(void)err;
	weir_client_summary_take(&point->summary, rows, leaf, &odd);
	weir_client_summary_label(reading->input->run, labels, leaf);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(leaf->path, numbers[i].path) == 0)
			*slot_of(point, numbers[i].slot) =
				weir_jsonleaf_number(leaf, &odd) * numbers[i].scale;
	for (size_t i = 0; i < COUNTS; i++)
		if (strcmp(leaf->path, counts[i].path) == 0)
			point->counted |= (unsigned)(weir_jsonleaf_number(leaf, &odd) > 0) << i;
	if (leaf->quoted && strcmp(leaf->path, "config/strategy/type_") == 0)
		take_strategy(point, leaf->text);
	if (odd)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, leaf->at, NULL);
	return WEIR_OK;
}

/* All requests were sent by the time that the longest one began, at the latest; twice the spread of
 * random gaps on top of their number. */
static double highest_rate(const struct guidellm_point *point)
{
	double window_s = point->duration_s - point->max_latency_s, sent = point->summary.sent;

	return window_s > 0 ? (sent + 2 * sqrt(sent)) / window_s : NAN;
}

void weir_guidellm_point_init(struct guidellm_point *point)
{
	*point = (struct guidellm_point){
		.incomplete = NAN, .duration_s = NAN, .max_latency_s = NAN, .max_concurrency = NAN};
	weir_client_summary_init(&point->summary);
}

enum weir_status weir_guidellm_member(struct weir_input *input,
                                      const struct weir_jsonscan_item *item,
                                      struct guidellm_point *point, struct weir_error *err)
{
	struct reading reading = {.input = input, .point = point};
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = &reading};

	return weir_jsonleaves_walk(&leaves, item->key, item->text, item->at, err);
}

static void finish_requests(struct guidellm_point *point)
{
	struct weir_requests *requests = point->records.requests;
	double failed = point->summary.failed;

	requests->sampled = (double)requests->count < point->summary.completed;
	requests->failed = failed >= 1 && failed < MAX_FAILED ? (uint64_t)failed : 0;
	requests->requested_per_s = point->summary.requested_per_s;
	requests->duration_s = point->duration_s;
}

enum weir_status weir_guidellm_point_finish(struct guidellm_point *point, struct weir_error *err)
{
	for (size_t i = 0; i < COUNTS; i++)
		for (size_t j = 0; j < counts[i].doubles && !(point->counted >> i & 1); j++)
			*slot_of(point, counts[i].slot + j * sizeof(double)) = NAN;
	point->summary.achieved_per_s = highest_rate(point);
	if (!point->records.requests)
		return WEIR_OK;
	if (!point->records.requests->count) {
		weir_requests_free(point->records.requests);
		point->records.requests = NULL;
		return WEIR_OK;
	}
	finish_requests(point);
	return weir_client_requests_finish(&point->records, err);
}
