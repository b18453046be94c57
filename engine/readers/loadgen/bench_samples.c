/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a benchmark measured request by request, as stages of a run. */
#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/splitmix.h"
#include "engine/readers/loadgen/bench.h"

static void push(struct bench_list *list, int64_t value)
{
	list->value =
		weir_grow(list->value, &list->capacity, list->count + 1, sizeof(*list->value));
	list->value[list->count++] = value;
}

/* json.dump writes NaN and Infinity for what it does not know, others write null. */
static bool is_unknown(struct weir_slice word)
{
	return weir_slice_equals(word, "null") || weir_slice_equals(word, "NaN") ||
	       weir_slice_equals(word, "Infinity") || weir_slice_equals(word, "-Infinity");
}

/* A number from 0 to `most`; what is none is counted. */
static int64_t take_number(struct bench_reader *reader, struct weir_jsoncursor *cursor, uint64_t at,
                           bool (*parse)(const char *text, size_t len, int64_t *out), int64_t most)
{
	bool quoted = weir_jsoncursor_peek(cursor) == '"';
	struct weir_slice text = weir_jsoncursor_scalar(cursor);
	int64_t value;

	if (!quoted && is_unknown(text))
		return BENCH_UNKNOWN;
	if (!quoted && text.length && parse(text.data, text.length, &value) && value >= 0 &&
	    value <= most)
		return value;
	weir_bench_odd(reader, at);
	return BENCH_UNKNOWN;
}

static int64_t take_seconds(struct bench_reader *reader, struct weir_jsoncursor *cursor,
                            uint64_t at)
{
	return take_number(reader, cursor, at, weir_parse_s_as_ns, BENCH_MAX_NS);
}

/* On a clock that began when the machine did: longer ago than a benchmark lasts. */
static int64_t take_start(struct bench_reader *reader, struct weir_jsoncursor *cursor, uint64_t at)
{
	return take_number(reader, cursor, at, weir_parse_s_as_ns, INT64_MAX);
}

static int64_t take_count(struct bench_reader *reader, struct weir_jsoncursor *cursor, uint64_t at)
{
	return take_number(reader, cursor, at, weir_parse_i64, INT64_MAX);
}

/* "" is success, and so is null; anything else says what went wrong. */
static int64_t take_error(struct bench_reader *reader, struct weir_jsoncursor *cursor, uint64_t at)
{
	bool quoted = weir_jsoncursor_peek(cursor) == '"';
	struct weir_slice text = weir_jsoncursor_take(cursor);

	(void)reader;
	(void)at;
	return quoted ? text.length > 0 : !weir_slice_equals(text, "null");
}

static int64_t (*const takers[BENCH_LISTS])(struct bench_reader *, struct weir_jsoncursor *,
                                            uint64_t) = {
	[BENCH_TTFTS] = take_seconds, [BENCH_OUTPUTS] = take_count,     [BENCH_ERRORS] = take_error,
	[BENCH_GAPS] = take_seconds,  [BENCH_LATENCIES] = take_seconds, [BENCH_STARTS] = take_start,
};

/* The values of one array, behind those that the list has. */
static enum weir_status take_values(struct bench_reader *reader, enum bench_list_id id, size_t most,
                                    const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct bench_list *list = &reader->lists[id];

	if (!weir_jsoncursor_enter(&cursor, '['))
		return weir_fail(err, WEIR_E_FORMAT, "expected a list");
	while (weir_jsoncursor_item(&cursor)) {
		if (list->count == most)
			return weir_fail(err, WEIR_E_LIMIT, "more than %zu values", most);
		push(list, takers[id](reader, &cursor, item->at));
	}
	return cursor.bad ? weir_fail(err, WEIR_E_FORMAT, "the list is damaged") : WEIR_OK;
}

enum weir_status weir_bench_list(struct bench_reader *reader, enum bench_list_id id,
                                 const struct weir_jsonscan_item *item, struct weir_error *err)
{
	if (weir_slice_equals(item->text, "null"))
		return WEIR_OK;
	/* The scanner hands gaps out request by request; what comes here is no list. */
	if (id == BENCH_GAPS)
		return weir_fail(err, WEIR_E_FORMAT, "expected a list of lists");
	if (reader->lists[id].given)
		return weir_fail(err, WEIR_E_FORMAT, "given twice");
	reader->lists[id].given = true;
	return take_values(reader, id, BENCH_MAX_REQUESTS, item, err);
}

enum weir_status weir_bench_gaps(struct bench_reader *reader, const struct weir_jsonscan_item *item,
                                 struct weir_error *err)
{
	struct bench_list *ends = &reader->lists[BENCH_GAP_ENDS];
	enum weir_status status;

	if (ends->count == BENCH_MAX_REQUESTS)
		return weir_fail(err, WEIR_E_LIMIT, "itls: more than %u requests",
		                 BENCH_MAX_REQUESTS);
	status = take_values(reader, BENCH_GAPS, BENCH_MAX_GAPS, item, err);
	if (status)
		return weir_fail_in(err, "itls[%zu]", ends->count);
	ends->given = true;
	push(ends, (int64_t)reader->lists[BENCH_GAPS].count);
	return WEIR_OK;
}

/* How many requests there are; lists are parallel, so that one of another length would give values
 * to the wrong request. */
static enum weir_status count_requests(const struct bench_reader *reader, size_t *out,
                                       struct weir_error *err)
{
	static const char *const keys[BENCH_PARALLELS] = {
		[BENCH_TTFTS] = "ttfts",   [BENCH_OUTPUTS] = "output_lens",
		[BENCH_ERRORS] = "errors", [BENCH_STARTS] = "start_times",
		[BENCH_GAP_ENDS] = "itls",
	};
	int first = -1;

	*out = 0;
	for (int id = 0; id < BENCH_PARALLELS; id++) {
		const struct bench_list *list = &reader->lists[id];

		if (!list->given)
			continue;
		if (first >= 0 && list->count != *out)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "%s: %zu requests, but %s holds %zu: expected one value a "
			                 "request in both",
			                 keys[id], list->count, keys[first], *out);
		first = first < 0 ? id : first;
		*out = list->count;
	}
	return WEIR_OK;
}

/* BENCH_UNKNOWN where the result has no such list. */
static int64_t value_of(const struct bench_reader *reader, enum bench_list_id id, size_t request)
{
	const struct bench_list *list = &reader->lists[id];

	return list->given ? list->value[request] : BENCH_UNKNOWN;
}

/* A failed request has 0 in every list: its text says so, else that it gave no token. */
bool weir_bench_has_failed(const struct bench_reader *reader, size_t request)
{
	if (reader->lists[BENCH_ERRORS].given)
		return value_of(reader, BENCH_ERRORS, request) != 0;
	return value_of(reader, BENCH_OUTPUTS, request) == 0;
}

static size_t first_gap(const struct bench_reader *reader, size_t request)
{
	return request ? (size_t)reader->lists[BENCH_GAP_ENDS].value[request - 1] : 0;
}

/* From the first token to the last; unknown where one of the gaps is. */
int64_t weir_bench_decode_time(const struct bench_reader *reader, size_t request)
{
	const struct bench_list *gaps = &reader->lists[BENCH_GAPS];
	int64_t sum = 0;

	if (!reader->lists[BENCH_GAP_ENDS].given)
		return BENCH_UNKNOWN;
	for (size_t i = first_gap(reader, request);
	     i < (size_t)reader->lists[BENCH_GAP_ENDS].value[request]; i++) {
		if (gaps->value[i] < 0 || sum > BENCH_MAX_NS - gaps->value[i])
			return BENCH_UNKNOWN;
		sum += gaps->value[i];
	}
	return sum;
}

/* A time of 0 is one that the client could not take: the endpoint does not stream, or chunks
 * arrived together. */
static void add_sample(struct weir_run *run, const char *stage, int64_t ns)
{
	if (ns > 0)
		weir_series_push(weir_series_get(&run->stages, stage), (double)ns);
}

static void add_request(struct bench_reader *reader, size_t request)
{
	int64_t ttft_ns = value_of(reader, BENCH_TTFTS, request);
	int64_t tokens = value_of(reader, BENCH_OUTPUTS, request);
	int64_t decode_ns = weir_bench_decode_time(reader, request);

	if (!reader->whole)
		add_sample(reader->run, "ttft", ttft_ns);
	/* By tokens: a chunk, and with it a gap, may hold several. Rounded half up. */
	if (decode_ns > 0 && tokens > 1)
		add_sample(reader->run, "tpot",
		           decode_ns / (tokens - 1) + (decode_ns % (tokens - 1) >= tokens / 2));
	if (ttft_ns > 0 && decode_ns >= 0)
		add_sample(reader->run, "e2e", ttft_ns + decode_ns);
}

/* Gaps of the request to the front of the list, without those that are no times. */
static size_t keep_gaps(struct bench_reader *reader, size_t request, size_t kept)
{
	int64_t *gaps = reader->lists[BENCH_GAPS].value;

	if (!reader->lists[BENCH_GAP_ENDS].given)
		return kept;
	for (size_t i = first_gap(reader, request);
	     i < (size_t)reader->lists[BENCH_GAP_ENDS].value[request]; i++)
		if (gaps[i] > 0)
			gaps[kept++] = gaps[i];
	return kept;
}

/*
 * Where there are more gaps than are kept, one of each `step` in order of arrival, so that drift
 * stays in sight. Which one is drawn: gaps often repeat in a rhythm (several tokens a chunk), and
 * every step-th would be in time with it. The draw is the same for the same file.
 */
static void add_gaps(struct bench_reader *reader, size_t kept)
{
	const int64_t *gaps = reader->lists[BENCH_GAPS].value;
	size_t step = (kept + BENCH_MAX_GAP_SAMPLES - 1) / BENCH_MAX_GAP_SAMPLES;

	for (size_t at = 0; at < kept; at += step) {
		size_t left = kept - at < step ? kept - at : step;

		add_sample(reader->run, "itl", gaps[at + (size_t)(weir_splitmix64(at) % left)]);
	}
	if (step > 1)
		weir_input_warn(reader->input, WEIR_WARN_THINNED, UINT64_MAX,
		                "gaps between tokens");
}

static void warn_of_failures(struct bench_reader *reader, uint64_t count)
{
	if (!count)
		return;
	weir_input_warn(reader->input, WEIR_WARN_FAILED_REQUEST, UINT64_MAX, NULL);
	reader->input->warnings[WEIR_WARN_FAILED_REQUEST].count = count;
}

enum weir_status weir_bench_stages(struct bench_reader *reader, struct weir_error *err)
{
	const struct bench_list *latencies = &reader->lists[BENCH_LATENCIES];
	uint64_t failures = 0;
	size_t requests, kept = 0;
	enum weir_status status = count_requests(reader, &requests, err);

	if (status)
		return status;
	weir_bench_check_lists(reader, requests);
	for (size_t i = 0; i < requests; i++)
		if (weir_bench_has_failed(reader, i))
			failures++;
		else
			add_request(reader, i);
	for (size_t i = 0; i < requests; i++)
		if (!weir_bench_has_failed(reader, i))
			kept = keep_gaps(reader, i, kept);
	if (!reader->chunked)
		add_gaps(reader, kept);
	for (size_t i = 0; i < latencies->count; i++)
		add_sample(reader->run, "latency", latencies->value[i]);
	if (!requests && reader->failed > 0)
		failures = reader->failed < BENCH_MAX_REQUESTS ? (uint64_t)reader->failed
		                                               : BENCH_MAX_REQUESTS;
	warn_of_failures(reader, failures);
	return WEIR_OK;
}
