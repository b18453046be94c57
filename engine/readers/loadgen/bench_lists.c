/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/bench_lists.h"
#include "engine/readers/parts/thin.h"

#define MAX_REQUESTS (1u << 22) /* the store takes this number of values of one series */
#define MAX_GAPS     (1u << 25)
/* 104 days: exact in a double; a longer time is a damaged one. */
#define MAX_NS  (INT64_C(1) << 53)
#define UNKNOWN WEIR_BENCH_UNKNOWN

enum list_id {
	TTFTS,     /* ns */
	OUTPUTS,   /* tokens */
	ERRORS,    /* 1: failed */
	STARTS,    /* ns on the client's clock */
	GAP_ENDS,  /* index in GAPS after the last gap of the request */
	PARALLELS, /* the lists above have one value per request, in the order of submission */
	GAPS = PARALLELS,
	LATENCIES, /* ns, one per iteration of `vllm bench latency` */
	LISTS
};

_Static_assert((int)LISTS == WEIR_BENCH_LISTS, "the header states the number of lists");

static void contradict(struct weir_bench_lists *all, const char *what)
{
	weir_input_warn(all->input, WEIR_WARN_INCONSISTENT, UINT64_MAX, what);
}

static void push(struct weir_bench_list *list, int64_t value)
{
	list->value =
		weir_grow(list->value, &list->capacity, list->count + 1, sizeof(*list->value));
	list->value[list->count++] = value;
}

/* json.dump writes NaN and Infinity for unknown numbers, other programs write null. */
static bool is_unknown(struct weir_slice word)
{
	return weir_slice_equals(word, "null") || weir_slice_equals(word, "NaN") ||
	       weir_slice_equals(word, "Infinity") || weir_slice_equals(word, "-Infinity");
}

/* Starts may count from the machine's boot, which can be longer ago than a benchmark lasts. */
static const struct {
	const char *key;
	bool (*parse)(const char *text, size_t len, int64_t *out); /* NULL: texts of errors */
	int64_t most;
} lists[LISTS] = {
	[TTFTS] = {"ttfts", weir_parse_s_as_ns, MAX_NS},
	[OUTPUTS] = {"output_lens", weir_parse_i64, INT64_MAX},
	[ERRORS] = {"errors", NULL, 1},
	[STARTS] = {"start_times", weir_parse_s_as_ns, INT64_MAX},
	[GAP_ENDS] = {WEIR_BENCH_GAPS, NULL, 0}, /* handed out by the scanner */
	[GAPS] = {NULL, weir_parse_s_as_ns, MAX_NS},
	[LATENCIES] = {"latencies", weir_parse_s_as_ns, MAX_NS},
};

/* Takes a value of a list. Errors: "" and null mean success, another text is a reason of failure.
 * Others: numbers from 0 to `most`; anything else is unknown, and counted as a warning. */
static int64_t take_value(struct weir_bench_lists *all, enum list_id id,
                          struct weir_jsoncursor *cursor, uint64_t at)
{
	bool quoted = weir_jsoncursor_peek(cursor) == '"';
	struct weir_slice text;
	int64_t value;

	if (id == ERRORS) {
		text = weir_jsoncursor_take(cursor);
		return quoted ? text.length > 0 : !weir_slice_equals(text, "null");
	}
	text = weir_jsoncursor_scalar(cursor);
	if (!quoted && is_unknown(text))
		return UNKNOWN;
	if (!quoted && text.length && lists[id].parse(text.data, text.length, &value) &&
	    value >= 0 && value <= lists[id].most)
		return value;
	weir_input_warn(all->input, WEIR_WARN_BAD_NUMBER, at, NULL);
	return UNKNOWN;
}

/* Appends the values of one array to a list. */
static enum weir_status take_values(struct weir_bench_lists *all, enum list_id id, size_t most,
                                    const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_bench_list *list = &all->list[id];

	if (!weir_jsoncursor_enter(&cursor, '['))
		return weir_fail(err, WEIR_E_FORMAT, "expected a list");
	while (weir_jsoncursor_item(&cursor)) {
		if (list->count == most)
			return weir_fail(err, WEIR_E_LIMIT, "more than %zu values", most);
		push(list, take_value(all, id, &cursor, item->at));
	}
	return cursor.bad ? weir_fail(err, WEIR_E_FORMAT, "the list is damaged") : WEIR_OK;
}

static enum weir_status take_list(struct weir_bench_lists *all, enum list_id id,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	if (weir_slice_equals(item->text, "null"))
		return WEIR_OK;
	/* The scanner hands out gaps per request; a member of this key is not a list. */
	if (id == GAP_ENDS)
		return weir_fail(err, WEIR_E_FORMAT, "expected a list of lists");
	if (all->list[id].given)
		return weir_fail(err, WEIR_E_FORMAT, "given twice");
	all->list[id].given = true;
	return take_values(all, id, MAX_REQUESTS, item, err);
}

bool weir_bench_lists_take(struct weir_bench_lists *all, const struct weir_jsonscan_item *item,
                           enum weir_status *status, struct weir_error *err)
{
	for (enum list_id id = 0; id < LISTS; id++)
		if (lists[id].key && weir_slice_equals(item->key, lists[id].key)) {
			*status = take_list(all, id, item, err);
			return true;
		}
	return false;
}

enum weir_status weir_bench_lists_take_gaps(struct weir_bench_lists *all,
                                            const struct weir_jsonscan_item *item,
                                            struct weir_error *err)
{
	struct weir_bench_list *ends = &all->list[GAP_ENDS];
	enum weir_status status;

	if (ends->count == MAX_REQUESTS)
		return weir_fail(err, WEIR_E_LIMIT, "itls: more than %u requests", MAX_REQUESTS);
	status = take_values(all, GAPS, MAX_GAPS, item, err);
	if (status)
		return weir_fail_in(err, "itls[%zu]", ends->count);
	ends->given = true;
	push(ends, (int64_t)all->list[GAPS].count);
	return WEIR_OK;
}

/* ---- requests ---- */

/* Counts the requests. Lists are parallel, so a list of another length would give values to the
 * wrong request. */
static enum weir_status count_requests(struct weir_bench_lists *all, struct weir_error *err)
{
	int first = -1;

	for (int id = 0; id < PARALLELS; id++) {
		const struct weir_bench_list *list = &all->list[id];

		if (!list->given)
			continue;
		if (first >= 0 && list->count != all->requests)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "%s: %zu requests, but %s holds %zu: expected one value "
			                 "per request in both",
			                 lists[id].key, list->count, lists[first].key,
			                 all->requests);
		first = first < 0 ? id : first;
		all->requests = list->count;
	}
	return WEIR_OK;
}

/* Returns UNKNOWN if the result has no such list. */
static int64_t value_of(const struct weir_bench_lists *all, enum list_id id, size_t request)
{
	const struct weir_bench_list *list = &all->list[id];

	return list->given ? list->value[request] : UNKNOWN;
}

/* A failed request has 0 in every list. Its error text marks it or, unless all completed, its lack
 * of output. */
static bool has_failed(const struct weir_bench_lists *all, size_t request)
{
	if (all->list[ERRORS].given)
		return value_of(all, ERRORS, request) != 0;
	return !all->completed && value_of(all, OUTPUTS, request) == 0;
}

/* True if the request was answered without a token, which the tool counts as completed; it states 0
 * for the times of such a request. */
static bool is_empty(const struct weir_bench_lists *all, size_t request)
{
	return !has_failed(all, request) && value_of(all, OUTPUTS, request) == 0;
}

/* The gaps of a request; NULL, and *count is 0, without a list of gaps. */
static const int64_t *gaps_of(const struct weir_bench_lists *all, size_t request, size_t *count)
{
	const struct weir_bench_list *ends = &all->list[GAP_ENDS];
	size_t first;

	*count = 0;
	if (!ends->given || !all->list[GAPS].count)
		return NULL;
	first = request ? (size_t)ends->value[request - 1] : 0;
	*count = (size_t)ends->value[request] - first;
	return all->list[GAPS].value + first;
}

/* Returns the time from the first token to the last, UNKNOWN if a gap is. */
static int64_t decode_time(const struct weir_bench_lists *all, size_t request)
{
	size_t count;
	const int64_t *gaps = gaps_of(all, request, &count);
	int64_t sum = 0;

	if (!all->list[GAP_ENDS].given)
		return UNKNOWN;
	for (size_t i = 0; i < count; i++) {
		if (gaps[i] < 0 || sum > MAX_NS - gaps[i])
			return UNKNOWN;
		sum += gaps[i];
	}
	return sum;
}

/* True if the endpoint does not stream: answers have several tokens, and each came at once. */
static bool answers_are_whole(const struct weir_bench_lists *all)
{
	size_t whole = 0;

	if (!all->list[OUTPUTS].given || !all->list[TTFTS].given)
		return false;
	for (size_t i = 0; i < all->requests; i++) {
		if (has_failed(all, i) || value_of(all, OUTPUTS, i) <= 1)
			continue;
		if (value_of(all, TTFTS, i) <= 0 || decode_time(all, i) != 0)
			return false;
		whole++;
	}
	return whole > 0;
}

/* True if the median gap is far below the mean one. Does not sort: there may be millions. */
static bool gaps_are_of_chunks(const struct weir_bench_list *gaps)
{
	double sum = 0, mean;
	size_t count = 0, low = 0;

	for (size_t i = 0; i < gaps->count; i++)
		if (gaps->value[i] >= 0) {
			sum += (double)gaps->value[i];
			count++;
		}
	mean = count ? sum / (double)count : 0;
	for (size_t i = 0; i < gaps->count; i++)
		low += gaps->value[i] >= 0 && weir_client_coalesced((double)gaps->value[i], mean);
	return low > count / 2;
}

/* Returns requests per second between the first and the last start. */
static double sending_rate(const struct weir_bench_list *starts)
{
	int64_t first = INT64_MAX, last = -1;
	size_t count = 0;

	for (size_t i = 0; i < starts->count; i++) {
		if (starts->value[i] < 0)
			continue;
		first = starts->value[i] < first ? starts->value[i] : first;
		last = starts->value[i] > last ? starts->value[i] : last;
		count++;
	}
	return count > 1 && last > first ? (double)(count - 1) / ((double)(last - first) / 1e9)
	                                 : NAN;
}

static double highest_rate(const struct weir_bench_lists *all, double duration_s)
{
	double longest_s = 0;

	if (!all->list[TTFTS].given)
		return NAN;
	for (size_t i = 0; i < all->requests; i++) {
		int64_t decode_ns = decode_time(all, i);

		if (has_failed(all, i))
			continue;
		if (decode_ns < 0)
			return NAN;
		longest_s = fmax(longest_s, (double)(value_of(all, TTFTS, i) + decode_ns) / 1e9);
	}
	return weir_client_highest_rate((double)all->requests, duration_s, longest_s);
}

static void check_answers(struct weir_bench_lists *all, struct weir_client_summary *summary)
{
	all->whole = answers_are_whole(all);
	all->chunked = gaps_are_of_chunks(&all->list[GAPS]);
	if (all->whole) {
		contradict(all, "ttfts: answers came as a whole");
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(ttft));
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(tpot));
	}
	if (all->chunked)
		contradict(all, "itls: chunks hold several tokens");
	if (all->whole || all->chunked)
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(itl));
}

enum weir_status weir_bench_lists_check(struct weir_bench_lists *all, double duration_s,
                                        struct weir_client_summary *summary, struct weir_error *err)
{
	enum weir_status status = count_requests(all, err);
	double empty = 0;

	if (status || !all->requests)
		return status;
	all->completed = summary->completed >= (double)all->requests;
	check_answers(all, summary);
	summary->achieved_per_s = all->list[STARTS].given ? sending_rate(&all->list[STARTS])
	                                                  : highest_rate(all, duration_s);
	summary->failed = 0;
	for (size_t i = 0; i < all->requests; i++) {
		summary->failed += has_failed(all, i);
		empty += is_empty(all, i);
	}
	weir_client_summary_warn(all->input, WEIR_WARN_EMPTY_ANSWER, empty);
	return WEIR_OK;
}

/* Adds a sample. The client could not take a time of 0: the endpoint does not stream, or chunks
 * arrived together. */
static void add_sample(struct weir_run *run, const char *stage, int64_t ns)
{
	if (ns > 0)
		weir_series_push(weir_series_get(&run->stages, stage), (double)ns);
}

static void add_request(const struct weir_bench_lists *all, struct weir_run *run, size_t request)
{
	int64_t ttft_ns = value_of(all, TTFTS, request);
	int64_t tokens = value_of(all, OUTPUTS, request);
	int64_t decode_ns = decode_time(all, request);

	if (!all->whole)
		add_sample(run, "ttft", ttft_ns);
	/* Divided by tokens, because a gap is one of a chunk. Rounded half up. */
	if (decode_ns > 0 && tokens > 1)
		add_sample(run, "tpot",
		           decode_ns / (tokens - 1) + (decode_ns % (tokens - 1) >= tokens / 2));
	if (ttft_ns > 0 && decode_ns >= 0)
		add_sample(run, "e2e", ttft_ns + decode_ns);
}

static void add_gaps(struct weir_bench_lists *all, struct weir_run *run)
{
	struct weir_thin kept;
	const int64_t *gaps;
	size_t count;

	weir_thin_init(&kept, WEIR_CLIENT_MAX_GAPS);
	for (size_t i = 0; i < all->requests; i++) {
		gaps = gaps_of(all, i, &count);
		for (size_t j = 0; j < count && !has_failed(all, i); j++)
			if (gaps[j] > 0)
				weir_thin_add(&kept, gaps[j]);
	}
	if (kept.seen)
		weir_thin_finish(&kept, weir_series_get(&run->stages, "itl"));
	if (weir_thin_dropped(&kept))
		weir_input_warn(all->input, WEIR_WARN_THINNED, UINT64_MAX, "gaps between tokens");
	weir_thin_release(&kept);
}

void weir_bench_lists_add(struct weir_bench_lists *all, struct weir_run *run)
{
	const struct weir_bench_list *latencies = &all->list[LATENCIES];

	for (size_t i = 0; i < all->requests; i++)
		if (!has_failed(all, i) && !is_empty(all, i))
			add_request(all, run, i);
	if (!all->chunked)
		add_gaps(all, run);
	for (size_t i = 0; i < latencies->count; i++)
		add_sample(run, "latency", latencies->value[i]);
}

void weir_bench_lists_release(struct weir_bench_lists *all)
{
	for (size_t i = 0; i < LISTS; i++)
		free(all->list[i].value);
	memset(all->list, 0, sizeof(all->list));
}
