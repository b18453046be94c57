/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of serving benchmarks as a native run: `vllm bench serve` (benchmark_serving.py)
 * with and without --save-detailed, SGLang's bench_serving, `vllm bench latency` and `vllm bench
 * throughput`; also a result that a job printed into its log between two markers, as the container
 * images of vllm-bench do. A result has labels, figures over all requests, and lists with one value
 * per request. Lists become samples of stages. Figures stand only for stages without samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

#define MAX_REQUESTS (1u << 22) /* the store takes this number of values of one series */
#define MAX_GAPS     (1u << 25)
/* 104 days: exact in a double; a longer time is a damaged one. */
#define MAX_NS    (INT64_C(1) << 53)
#define LABEL_KEY 64 /* bytes; a text under a longer key is not a label */
#define UNKNOWN   (-1)

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

struct list {
	int64_t *value; /* UNKNOWN: the file has no usable one */
	size_t count, capacity;
	bool given;
};

struct reader {
	struct weir_input *input;
	struct weir_run *run; /* the input's */
	struct list lists[LISTS];
	struct weir_client_summary summary;
	double duration_s, output_tokens; /* of all requests; NAN: unknown */
	size_t requests;                  /* values of each parallel list */
	bool whole;                       /* each answer came in one piece */
	bool chunked;                     /* gaps are those between chunks of several tokens */
};

static void warn_odd(struct reader *reader, uint64_t at)
{
	weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, at, NULL);
}

static void contradict(struct reader *reader, const char *what)
{
	weir_input_warn(reader->input, WEIR_WARN_INCONSISTENT, UINT64_MAX, what);
}

/* ---- lists ---- */

static void push(struct list *list, int64_t value)
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
	[GAP_ENDS] = {"itls", NULL, 0}, /* handed out by the scanner, see take_gaps() */
	[GAPS] = {NULL, weir_parse_s_as_ns, MAX_NS},
	[LATENCIES] = {"latencies", weir_parse_s_as_ns, MAX_NS},
};

/* Takes a value of a list. Errors: "" and null mean success, another text is a reason of failure.
 * Others: numbers from 0 to `most`; anything else is unknown, and counted as a warning. */
static int64_t take_value(struct reader *reader, enum list_id id, struct weir_jsoncursor *cursor,
                          uint64_t at)
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
	warn_odd(reader, at);
	return UNKNOWN;
}

/* Appends the values of one array to a list. */
static enum weir_status take_values(struct reader *reader, enum list_id id, size_t most,
                                    const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct list *list = &reader->lists[id];

	if (!weir_jsoncursor_enter(&cursor, '['))
		return weir_fail(err, WEIR_E_FORMAT, "expected a list");
	while (weir_jsoncursor_item(&cursor)) {
		if (list->count == most)
			return weir_fail(err, WEIR_E_LIMIT, "more than %zu values", most);
		push(list, take_value(reader, id, &cursor, item->at));
	}
	return cursor.bad ? weir_fail(err, WEIR_E_FORMAT, "the list is damaged") : WEIR_OK;
}

static enum weir_status take_list(struct reader *reader, enum list_id id,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	if (weir_slice_equals(item->text, "null"))
		return WEIR_OK;
	/* The scanner hands out gaps per request; a member of this key is not a list. */
	if (id == GAP_ENDS)
		return weir_fail(err, WEIR_E_FORMAT, "expected a list of lists");
	if (reader->lists[id].given)
		return weir_fail(err, WEIR_E_FORMAT, "given twice");
	reader->lists[id].given = true;
	return take_values(reader, id, MAX_REQUESTS, item, err);
}

/* Takes the gaps of one request. */
static enum weir_status take_gaps(struct reader *reader, const struct weir_jsonscan_item *item,
                                  struct weir_error *err)
{
	struct list *ends = &reader->lists[GAP_ENDS];
	enum weir_status status;

	if (ends->count == MAX_REQUESTS)
		return weir_fail(err, WEIR_E_LIMIT, "itls: more than %u requests", MAX_REQUESTS);
	status = take_values(reader, GAPS, MAX_GAPS, item, err);
	if (status)
		return weir_fail_in(err, "itls[%zu]", ends->count);
	ends->given = true;
	push(ends, (int64_t)reader->lists[GAPS].count);
	return WEIR_OK;
}

/* ---- members of the result ---- */

/* The load and other conditions: runs under different loads are not one population, and weir.json
 * can make any label a condition. */
static const struct weir_client_label labels[] = {
	{"model_id", "model"},
	{"tokenizer_id", "tokenizer"},
	{"num_prompts", "num_prompts"},
	{"request_rate", "request_rate"},
	{"burstiness", "burstiness"},
	{"max_concurrency", "max_concurrency"},
	{"sharegpt_output_len", "sharegpt_output_len"},
	{"random_input_len", "random_input_len"},
	{"random_output_len", "random_output_len"},
	{"random_range_ratio", "random_range_ratio"},
};

/* Numbers of the whole run: the last of several counts. */
static const struct {
	const char *key;
	size_t slot; /* offsetof() in the reader */
} totals[] = {
	{"completed", offsetof(struct reader, summary.completed)},
	{"failed", offsetof(struct reader, summary.failed)},
	{"duration", offsetof(struct reader, duration_s)},
	{"total_output_tokens", offsetof(struct reader, output_tokens)},
};

static const struct weir_client_row rates[] = {
	WEIR_CLIENT_NUMBER(request_throughput, "request_throughput"),
	WEIR_CLIENT_NUMBER(request_throughput, "requests_per_second"),
	WEIR_CLIENT_NUMBER(request_goodput, "request_goodput"),
	/* Older writers misspelt the key. */
	WEIR_CLIENT_NUMBER(request_goodput, "request_goodput:"),
	WEIR_CLIENT_NUMBER(input_throughput, "input_throughput"),
	WEIR_CLIENT_NUMBER(output_throughput, "output_throughput"),
	WEIR_CLIENT_NUMBER(total_throughput, "total_throughput"),
	WEIR_CLIENT_NUMBER(total_throughput, "total_token_throughput"),
	WEIR_CLIENT_NUMBER(total_throughput, "tokens_per_second"),
	{0},
};

/* The endings of keys of means and percentiles, and the stages that take their place. */
static const struct subject {
	const char *ending, *stage;
	size_t slot;
} subjects[] = {
	{"_ttft_ms", "ttft", WEIR_CLIENT_SLOT(ttft)},
	{"_tpot_ms", "tpot", WEIR_CLIENT_SLOT(tpot)},
	{"_itl_ms", "itl", WEIR_CLIENT_SLOT(itl)},
	{"_e2el_ms", "e2e", WEIR_CLIENT_SLOT(e2e)},
	{"_e2e_latency_ms", "e2e", WEIR_CLIENT_SLOT(e2e)},
	{"_latency_s", "latency", WEIR_CLIENT_SLOT(latency)}, /* `vllm bench latency` */
};

static double number_of(struct reader *reader, struct weir_slice text, uint64_t at)
{
	const struct weir_jsonleaf leaf = {.text = text};
	bool odd = false;
	double value = weir_jsonleaf_number(&leaf, &odd);

	if (odd)
		warn_odd(reader, at);
	return value;
}

static void take_label(struct reader *reader, const char *key, struct weir_slice text)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(text);
	struct weir_slice value = weir_jsoncursor_scalar(&cursor);

	/* One engine writes the text "inf", the other one the number. */
	if (weir_slice_equals(text, "Infinity"))
		value = weir_slice_of("inf");
	weir_figure_label(reader->run, key, value);
	/* The rate is a number, a number as text (--metadata), or "inf", which is not a rate. */
	if (strcmp(key, "request_rate") == 0 && value.length &&
	    !weir_parse_double(value.data, value.length, &reader->summary.requested_per_s))
		reader->summary.requested_per_s = NAN;
}

/* Takes the model from the arguments of the server, if no other member names it. */
static void take_server(struct reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key)) {
		bool quoted = weir_jsoncursor_peek(&cursor) == '"';
		struct weir_slice value = weir_jsoncursor_take(&cursor);

		if (quoted && weir_slice_equals(key, "model_path") &&
		    !weir_run_label(reader->run, "model"))
			weir_figure_label(reader->run, "model", value);
	}
}

/* True for "50", "99", "99.9". */
static bool is_rank(struct weir_slice text)
{
	double value;

	for (size_t i = 0; i < text.length; i++)
		if ((text.data[i] < '0' || text.data[i] > '9') && text.data[i] != '.')
			return false;
	return text.length && text.length < WEIR_CLIENT_PERCENTILE - 1 &&
	       weir_parse_double(text.data, text.length, &value) && value <= 100;
}

/* Takes "mean", "median", "p99.9" of a subject. These programs write 0 if they had nothing to take
 * a mean of. p50 stays beside the median because one file may have both. */
static enum weir_status take_figure(struct reader *reader, size_t slot, struct weir_slice name,
                                    double ms, struct weir_error *err)
{
	struct weir_client_summary *summary = &reader->summary;
	bool is_new;

	if (!(ms > 0))
		return WEIR_OK;
	if (weir_client_is_statistic(name) && !weir_slice_equals(name, "p50"))
		is_new = weir_client_summary_set_statistic(summary, slot, name, ms);
	else if (summary->other_count == WEIR_CLIENT_MAX_PERCENTILES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d percentiles",
		                 WEIR_CLIENT_MAX_PERCENTILES);
	else
		is_new = weir_client_summary_add_percentile(summary, slot, name, ms);
	if (!is_new)
		weir_input_warn(reader->input, WEIR_WARN_DUPLICATE, UINT64_MAX, NULL);
	return WEIR_OK;
}

/* Takes {"50": 0.15, "99": 0.2}, seconds. */
static enum weir_status take_latencies(struct reader *reader, const struct weir_jsonscan_item *item,
                                       struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_text name = {0};
	struct weir_slice key;
	enum weir_status status = WEIR_OK;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return WEIR_OK;
	while (!status && weir_jsoncursor_key(&cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_take(&cursor);

		if (cursor.bad || !is_rank(key))
			continue;
		weir_text_clear(&name);
		weir_text_printf(&name, "p%.*s", (int)key.length, key.data);
		status = take_figure(reader, WEIR_CLIENT_SLOT(latency),
		                     (struct weir_slice){name.data, name.length},
		                     number_of(reader, value, item->at) * 1e3, err);
	}
	weir_text_release(&name);
	return status;
}

/* Finds the subject of "mean_ttft_ms", "median_itl_ms", "p99.9_e2el_ms" and its statistic. NULL for
 * other keys, and for a spread (std), which is neither better nor worse. */
static const struct subject *find_subject(struct weir_slice key, struct weir_slice *statistic)
{
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
		size_t length = strlen(subjects[i].ending);

		*statistic = (struct weir_slice){key.data, key.length - length};
		if (key.length <= length ||
		    memcmp(key.data + statistic->length, subjects[i].ending, length) != 0)
			continue;
		if (weir_slice_equals(*statistic, "mean") ||
		    weir_slice_equals(*statistic, "median") ||
		    (*statistic->data == 'p' &&
		     is_rank((struct weir_slice){statistic->data + 1, statistic->length - 1})))
			return &subjects[i];
	}
	return NULL;
}

/* Keeps any other text as a label: --metadata adds texts under any name. */
static void take_text(struct reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_text scratch = {0}, key = {0};
	struct weir_slice name = weir_jsoncursor_decode(item->key, &scratch, NULL);

	if (item->text.data[0] == '"' && name.length && name.length <= LABEL_KEY) {
		weir_text_add(&key, name.data, name.length);
		take_label(reader, key.data, item->text);
	}
	weir_text_release(&scratch);
	weir_text_release(&key);
}

static bool take_number(struct reader *reader, const struct weir_jsonscan_item *item)
{
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
		if (weir_slice_equals(item->key, totals[i].key)) {
			*(double *)(void *)((char *)reader + totals[i].slot) =
				number_of(reader, item->text, item->at);
			return true;
		}
	for (size_t i = 0; rates[i].path; i++)
		if (weir_slice_equals(item->key, rates[i].path)) {
			weir_client_summary_set(&reader->summary, rates[i].slot,
			                        number_of(reader, item->text, item->at));
			return true;
		}
	return false;
}

static enum weir_status take_member(struct reader *reader, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	struct weir_slice key = item->key, statistic;
	const struct subject *subject = find_subject(key, &statistic);

	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		if (weir_slice_equals(key, labels[i].path)) {
			take_label(reader, labels[i].key, item->text);
			return WEIR_OK;
		}
	for (enum list_id id = 0; id < LISTS; id++)
		if (lists[id].key && weir_slice_equals(key, lists[id].key))
			return take_list(reader, id, item, err);
	if (take_number(reader, item))
		return WEIR_OK;
	if (weir_slice_equals(key, "avg_latency"))
		return take_figure(reader, WEIR_CLIENT_SLOT(latency), weir_slice_of("mean"),
		                   number_of(reader, item->text, item->at) * 1e3, err);
	if (weir_slice_equals(key, "percentiles"))
		return take_latencies(reader, item, err);
	if (subject)
		return take_figure(reader, subject->slot, statistic,
		                   number_of(reader, item->text, item->at), err);
	if (weir_slice_equals(key, "server_info"))
		take_server(reader, item);
	else
		take_text(reader, item);
	return WEIR_OK;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	enum weir_status status;

	if (weir_jsonscan_is_bare(scan))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "a list, expected one result object: pass the file of "
		                 "--save-result");
	if (item->kind != WEIR_JSONSCAN_MEMBER)
		return take_gaps(context, item, err);
	status = take_member(context, item, err);
	return status ? weir_fail_in(err, "%.*s", (int)item->key.length, item->key.data) : WEIR_OK;
}

/* ---- requests ---- */

/* Counts the requests. Lists are parallel, so a list of another length would give values to the
 * wrong request. */
static enum weir_status count_requests(struct reader *reader, struct weir_error *err)
{
	int first = -1;

	for (int id = 0; id < PARALLELS; id++) {
		const struct list *list = &reader->lists[id];

		if (!list->given)
			continue;
		if (first >= 0 && list->count != reader->requests)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "%s: %zu requests, but %s holds %zu: expected one value "
			                 "per request in both",
			                 lists[id].key, list->count, lists[first].key,
			                 reader->requests);
		first = first < 0 ? id : first;
		reader->requests = list->count;
	}
	return WEIR_OK;
}

/* Returns UNKNOWN if the result has no such list. */
static int64_t value_of(const struct reader *reader, enum list_id id, size_t request)
{
	const struct list *list = &reader->lists[id];

	return list->given ? list->value[request] : UNKNOWN;
}

/* A failed request has 0 in every list. Its error text marks it, or its lack of output. */
static bool has_failed(const struct reader *reader, size_t request)
{
	if (reader->lists[ERRORS].given)
		return value_of(reader, ERRORS, request) != 0;
	return value_of(reader, OUTPUTS, request) == 0;
}

/* The gaps of a request; NULL, and *count is 0, without a list of gaps. */
static const int64_t *gaps_of(const struct reader *reader, size_t request, size_t *count)
{
	const struct list *ends = &reader->lists[GAP_ENDS];
	size_t first;

	*count = 0;
	if (!ends->given || !reader->lists[GAPS].count)
		return NULL;
	first = request ? (size_t)ends->value[request - 1] : 0;
	*count = (size_t)ends->value[request] - first;
	return reader->lists[GAPS].value + first;
}

/* Returns the time from the first token to the last, UNKNOWN if a gap is. */
static int64_t decode_time(const struct reader *reader, size_t request)
{
	size_t count;
	const int64_t *gaps = gaps_of(reader, request, &count);
	int64_t sum = 0;

	if (!reader->lists[GAP_ENDS].given)
		return UNKNOWN;
	for (size_t i = 0; i < count; i++) {
		if (gaps[i] < 0 || sum > MAX_NS - gaps[i])
			return UNKNOWN;
		sum += gaps[i];
	}
	return sum;
}

/* True if the endpoint does not stream: answers have several tokens, and each came at once. */
static bool answers_are_whole(const struct reader *reader)
{
	size_t whole = 0;

	if (!reader->lists[OUTPUTS].given || !reader->lists[TTFTS].given)
		return false;
	for (size_t i = 0; i < reader->requests; i++) {
		if (has_failed(reader, i) || value_of(reader, OUTPUTS, i) <= 1)
			continue;
		if (value_of(reader, TTFTS, i) <= 0 || decode_time(reader, i) != 0)
			return false;
		whole++;
	}
	return whole > 0;
}

/* True if the median gap is far below the mean one. Does not sort: there may be millions. */
static bool gaps_are_of_chunks(const struct list *gaps)
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
static double sending_rate(const struct list *starts)
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

static double highest_rate(const struct reader *reader)
{
	double longest_s = 0;

	if (!reader->lists[TTFTS].given)
		return NAN;
	for (size_t i = 0; i < reader->requests; i++) {
		int64_t decode_ns = decode_time(reader, i);

		if (has_failed(reader, i))
			continue;
		if (decode_ns < 0)
			return NAN;
		longest_s = fmax(longest_s, (double)(value_of(reader, TTFTS, i) + decode_ns) / 1e9);
	}
	return weir_client_highest_rate((double)reader->requests, reader->duration_s, longest_s);
}

/* Checks the lists, and removes the figures that they contradict. */
static void check_lists(struct reader *reader)
{
	struct weir_client_summary *summary = &reader->summary;

	reader->whole = answers_are_whole(reader);
	reader->chunked = gaps_are_of_chunks(&reader->lists[GAPS]);
	if (reader->whole) {
		contradict(reader, "ttfts: answers came as a whole");
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(ttft));
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(tpot));
	}
	if (reader->chunked)
		contradict(reader, "itls: chunks hold several tokens");
	if (reader->whole || reader->chunked)
		weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(itl));
	summary->achieved_per_s = reader->lists[STARTS].given ? sending_rate(&reader->lists[STARTS])
	                                                      : highest_rate(reader);
	summary->failed = 0;
	for (size_t i = 0; i < reader->requests; i++)
		summary->failed += has_failed(reader, i);
}

/* Adds a sample. The client could not take a time of 0: the endpoint does not stream, or chunks
 * arrived together. */
static void add_sample(struct weir_run *run, const char *stage, int64_t ns)
{
	if (ns > 0)
		weir_series_push(weir_series_get(&run->stages, stage), (double)ns);
}

static void add_request(struct reader *reader, size_t request)
{
	int64_t ttft_ns = value_of(reader, TTFTS, request);
	int64_t tokens = value_of(reader, OUTPUTS, request);
	int64_t decode_ns = decode_time(reader, request);

	if (!reader->whole)
		add_sample(reader->run, "ttft", ttft_ns);
	/* Divided by tokens, because a gap is one of a chunk. Rounded half up. */
	if (decode_ns > 0 && tokens > 1)
		add_sample(reader->run, "tpot",
		           decode_ns / (tokens - 1) + (decode_ns % (tokens - 1) >= tokens / 2));
	if (ttft_ns > 0 && decode_ns >= 0)
		add_sample(reader->run, "e2e", ttft_ns + decode_ns);
}

static void add_gaps(struct reader *reader)
{
	struct weir_thin kept;
	const int64_t *gaps;
	size_t count;

	weir_thin_init(&kept, WEIR_CLIENT_MAX_GAPS);
	for (size_t i = 0; i < reader->requests; i++) {
		gaps = gaps_of(reader, i, &count);
		for (size_t j = 0; j < count && !has_failed(reader, i); j++)
			if (gaps[j] > 0)
				weir_thin_add(&kept, gaps[j]);
	}
	if (kept.seen)
		weir_thin_finish(&kept, weir_series_get(&reader->run->stages, "itl"));
	if (weir_thin_dropped(&kept))
		weir_input_warn(reader->input, WEIR_WARN_THINNED, UINT64_MAX,
		                "gaps between tokens");
	weir_thin_release(&kept);
}

static void add_samples(struct reader *reader)
{
	const struct list *latencies = &reader->lists[LATENCIES];

	for (size_t i = 0; i < reader->requests; i++)
		if (!has_failed(reader, i))
			add_request(reader, i);
	if (!reader->chunked)
		add_gaps(reader);
	for (size_t i = 0; i < latencies->count; i++)
		add_sample(reader->run, "latency", latencies->value[i]);
}

/* ---- the result ---- */

/* Returns the mean of a stage's samples in milliseconds, NAN without samples. */
static double sample_mean_ms(const struct weir_run *run, const char *stage)
{
	const struct weir_series *series = weir_series_find(&run->stages, stage);
	double sum = 0;

	for (size_t i = 0; series && i < series->count; i++)
		sum += series->value[i];
	return series ? sum / (double)series->count / 1e6 : NAN;
}

static uint64_t count_values(const struct weir_series_table *table)
{
	uint64_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->items[i].count;
	return count;
}

static enum weir_status conclude(struct reader *reader, struct weir_error *err)
{
	struct weir_client_summary *summary = &reader->summary;
	struct weir_run *run = reader->run;
	enum weir_status status = count_requests(reader, err);

	if (status)
		return status;
	if (reader->requests)
		check_lists(reader);
	add_samples(reader);
	summary->output_tokens = reader->output_tokens / summary->completed;
	summary->sampled_tpot = sample_mean_ms(run, "tpot");
	status = weir_client_summary_check(summary, reader->input, err);
	if (status)
		return status;
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (weir_series_find(&run->stages, subjects[i].stage))
			weir_client_summary_forget(summary, subjects[i].slot);
	weir_client_summary_add(summary, "", run);
	if (!run->stages.count && !run->metrics.count)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "no timing in this result: expected ttfts, latencies, "
		                 "mean_ttft_ms, request_throughput or the like; write it with "
		                 "--save-result");
	if (!weir_run_label(run, "backend") && weir_run_label(run, "endpoint_type"))
		weir_run_set_label(run, "backend", weir_run_label(run, "endpoint_type"));
	reader->input->events = count_values(&run->stages) + count_values(&run->metrics);
	return WEIR_OK;
}

/*
 * Refuses damage and further results. One input is one run, but --append-result and SGLang write
 * several runs under different loads into one file; their samples taken together would hide how
 * much runs differ. A value lost from one of the parallel lists would shift the others to the wrong
 * requests.
 */
static enum weir_status check_whole(const struct weir_jsonscan *scan,
                                    const struct weir_source *source, struct weir_error *err)
{
	if (weir_jsonscan_faults(scan)[WEIR_JSONSCAN_TRAILING].count && !weir_source_damage(source))
		return weir_fail(
			err, WEIR_E_FORMAT,
			"more follows the first result (--append-result, JSON lines), but "
			"one input is one run: keep one result per file, as split -l 1 does");
	return weir_wholejson_check(scan, source, err);
}

static enum weir_status read_result(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {.array = "itls"};
	struct reader *reader = weir_alloc(sizeof(*reader));
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status;

	reader->input = input;
	reader->run = input->run = weir_run_new();
	reader->output_tokens = reader->duration_s = NAN;
	weir_client_summary_init(&reader->summary);
	status = weir_jsonscan_each(scan, take_item, reader, err);
	if (!status)
		status = check_whole(scan, source, err);
	if (!status)
		status = conclude(reader, err);
	weir_jsonscan_free(scan);
	for (size_t i = 0; i < LISTS; i++)
		free(reader->lists[i].value);
	free(reader);
	return status;
}

/* ---- a result in the log of a job ---- */

#define LOG_BEGIN    "<<<RESULT_START>>>"
#define LOG_END      "<<<RESULT_END>>>"
#define MAX_LOG_SIZE ((size_t)256 << 20)

static enum weir_status read_text(struct weir_source *source, struct weir_text *log,
                                  struct weir_error *err)
{
	const char *data;
	size_t len;
	enum weir_status status;

	while (!(status = weir_source_next(source, &data, &len, err)) && len) {
		if (len > MAX_LOG_SIZE - log->length)
			return weir_fail(err, WEIR_E_LIMIT,
			                 "a log of more than %zu MiB: keep what is between %s "
			                 "and %s",
			                 MAX_LOG_SIZE >> 20, LOG_BEGIN, LOG_END);
		weir_text_add(log, data, len);
	}
	if (!status && weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	return status;
}

/* Finds the text between the markers; fails unless there is exactly one. */
static enum weir_status find_result(struct weir_slice log, struct weir_slice *result,
                                    struct weir_error *err)
{
	const char *end = log.data + log.length;
	const char *begin = weir_slice_find(log, LOG_BEGIN), *close;

	if (!begin)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected a JSON object, or one between " LOG_BEGIN " and " LOG_END
		                 " in a log");
	begin += strlen(LOG_BEGIN);
	*result = (struct weir_slice){begin, (size_t)(end - begin)};
	close = weir_slice_find(*result, LOG_END);
	if (!close)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the result in it ends in the middle: there is no " LOG_END);
	if (weir_slice_holds((struct weir_slice){close, (size_t)(end - close)}, LOG_BEGIN))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "several results in one log, but one input is one run: keep one "
		                 "result per file");
	result->length = (size_t)(close - begin);
	return WEIR_OK;
}

static enum weir_status read_log(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct weir_source *inner = NULL;
	struct weir_slice result = {0};
	struct weir_text log = {0};
	enum weir_status status = read_text(source, &log, err);

	if (!status)
		status = find_result((struct weir_slice){log.data ? log.data : "", log.length},
		                     &result, err);
	if (!status)
		status = weir_source_open_memory(weir_source_name(source), result.data,
		                                 result.length, &inner, err);
	if (!status)
		status = read_result(inner, input, err);
	weir_source_free(inner);
	weir_text_release(&log);
	return status;
}

/* ---- the reader ---- */

#define RESULTS 3 /* the first marks */

/* The kinds of results; a log with a result; a file beside results that is not read. */
static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"completed", "request_throughput", "total_input_tokens", "output_throughput",
                   "mean_ttft_ms"},
                  .all = 2}},
	{.first = "{", .keys = {{"avg_latency", "latencies", "percentiles"}, .all = 2}},
	{.first = "{",
         .keys = {{"elapsed_time", "requests_per_second", "num_requests", "total_num_tokens",
                   "tokens_per_second"},
                  .all = 2}},
	{.first = "", .texts = {{LOG_BEGIN}, .all = 1}},
	{.first = "{[",
         .keys = {{"benchmark", "model", "metric"}, .all = 3},
         .refusal = "it is a list for the dashboard of a benchmark (*.pytorch.json): pass the "
                    "result beside it"},
	{0},
};

static bool is_result(const char *head, size_t len)
{
	for (size_t i = 0; i < RESULTS; i++)
		if (weir_mark_bits(&marks[i], head, len))
			return true;
	return false;
}

static enum weir_status read_bench(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);
	char first;

	if (status)
		return status;
	first = weir_sniff_first(head, len);
	if (is_result(head, len) ||
	    ((first == '{' || first == '[') && !weir_sniff_contains(head, len, LOG_BEGIN)))
		return read_result(source, input, err);
	return read_log(source, input, err);
}

const struct weir_reader weir_reader_bench = {
	.name = "bench",
	.title = "results of serving benchmarks (vLLM, SGLang), also inside a log",
	.gives = "native run",
	.marks = marks,
	.read = read_bench,
};
