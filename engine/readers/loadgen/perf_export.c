/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profile exports of perf_analyzer and GenAI-Perf (--profile-export-file): experiments, each
 * with its requests, their answers and the boundaries of its measurement windows. Requests hold
 * whole prompts and answers, so they are read one by one and kept as times until the boundaries are
 * known.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_REQUESTS (1u << 22)
#define MAX_ANSWERS  (1u << 25) /* of all requests together: a quarter of a gigabyte */
#define LOAD_TEXT    32         /* bytes; a longer load is damaged */
#define NO_START     INT64_MIN

/* A request and its answers, which lie in one list for all requests. */
struct exchange {
	int64_t start_ns;
	uint64_t at;           /* byte of its record */
	uint32_t first, count; /* answers; 0: it failed */
};

struct perf_reader {
	struct weir_input *input;
	struct exchange *exchanges;
	size_t count, capacity;
	int64_t *answer_ns;
	size_t answers, answer_capacity;
	uint64_t bad; /* malformed times of answers */
	unsigned experiments;
	bool by_rate;             /* the load is a request rate, else a number of concurrent ones */
	char load[LOAD_TEXT + 1]; /* as written; "": not given */
	int64_t first_ns, last_ns; /* of the measurement; first > last: not given */
};

/* ---- one request ---- */

/* Members of a request as they are read. */
struct taken {
	int64_t start_ns;
	size_t first_answer;    /* in the list of all */
	size_t outputs, spoken; /* outputs; index after the last output that is not empty */
	bool has_answers;       /* its list was read */
};

static bool parse_instant(struct weir_slice text, int64_t *ns)
{
	return text.length && weir_parse_scaled(text.data, text.length, 0, ns) && *ns >= 0;
}

static enum weir_status take_answers(struct perf_reader *reader, struct weir_jsoncursor *cursor,
                                     struct weir_error *err)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return WEIR_OK;
	while (weir_jsoncursor_item(cursor)) {
		int64_t ns;

		if (!parse_instant(weir_jsoncursor_scalar(cursor), &ns)) {
			reader->bad += !cursor->bad;
			continue;
		}
		if (reader->answers == MAX_ANSWERS)
			return weir_fail(err, WEIR_E_LIMIT,
			                 "more than %u answers: export a shorter measurement",
			                 MAX_ANSWERS);
		reader->answer_ns = weir_grow(reader->answer_ns, &reader->answer_capacity,
		                              reader->answers + 1, sizeof *reader->answer_ns);
		reader->answer_ns[reader->answers++] = ns;
	}
	return WEIR_OK;
}

/* Returns the bytes of a blank at the text's start, as written in JSON; 0: no blank. */
static size_t leading_blank(struct weir_slice text)
{
	static const char *const blanks[] = {" ", "\\n", "\\r", "\\t"};

	for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++)
		if (weir_slice_starts(text, blanks[i]))
			return strlen(blanks[i]);
	return 0;
}

/* True for an empty text, and for the mark that ends a stream of server-sent events. */
static bool is_empty(struct weir_slice text)
{
	static const char *const marks[] = {"data:", "[DONE]"};
	size_t blank;

	for (size_t i = 0; i <= sizeof marks / sizeof marks[0]; i++) {
		while ((blank = leading_blank(text)) > 0)
			text = (struct weir_slice){text.data + blank, text.length - blank};
		if (i < sizeof marks / sizeof marks[0] && weir_slice_starts(text, marks[i]))
			text = (struct weir_slice){text.data + strlen(marks[i]),
			                           text.length - strlen(marks[i])};
	}
	return !text.length;
}

/* True if one of the tensors or texts of an answer is not empty. */
static bool is_spoken(struct weir_jsoncursor *cursor)
{
	bool spoken = false;
	struct weir_slice key;

	if (weir_jsoncursor_peek(cursor) != '{')
		return !is_empty(weir_jsoncursor_take(cursor));
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_take(cursor);

		spoken |= !is_empty(value) && !weir_slice_equals(value, "null");
	}
	return spoken;
}

static void take_outputs(struct taken *taken, struct weir_jsoncursor *cursor)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor)) {
		taken->outputs++;
		if (is_spoken(cursor))
			taken->spoken = taken->outputs;
	}
}

static enum weir_status take_members(struct perf_reader *reader, struct taken *taken,
                                     struct weir_jsoncursor *cursor, struct weir_error *err)
{
	struct weir_slice key;
	enum weir_status status = WEIR_OK;

	weir_jsoncursor_enter(cursor, '{');
	while (!status && weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "timestamp")) {
			int64_t ns;

			if (parse_instant(weir_jsoncursor_scalar(cursor), &ns))
				taken->start_ns = ns;
		} else if (weir_slice_equals(key, "response_timestamps") && !taken->has_answers) {
			taken->has_answers = true;
			status = take_answers(reader, cursor, err);
		} else if (weir_slice_equals(key, "response_outputs") && !taken->outputs) {
			take_outputs(taken, cursor);
		} else {
			weir_jsoncursor_take(cursor);
		}
	}
	return status;
}

/*
 * Walks the request under the cursor and adds it, unless cursor->bad; *timed is false if it has no
 * start. Drops answers after the last one that is not empty: servers end a stream with an empty
 * answer or with "data: [DONE]". Fails at a limit.
 */
static enum weir_status take_exchange(struct perf_reader *reader, struct weir_jsoncursor *cursor,
                                      uint64_t at, bool *timed, struct weir_error *err)
{
	struct taken taken = {.start_ns = NO_START, .first_answer = reader->answers};
	enum weir_status status = take_members(reader, &taken, cursor, err);
	size_t count = reader->answers - taken.first_answer;

	*timed = taken.start_ns != NO_START;
	if (status)
		return status;
	if (cursor->bad || !*timed) {
		reader->answers = taken.first_answer;
		return WEIR_OK;
	}
	if (reader->count == MAX_REQUESTS)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %u requests: export a shorter measurement",
		                 MAX_REQUESTS);
	/* All outputs are empty if they were not recorded. If the lists differ in length, it is
	 * unknown which output belongs to which time. */
	if (taken.spoken && taken.outputs == count)
		count = taken.spoken;
	reader->answers = taken.first_answer + count;
	reader->exchanges = weir_grow(reader->exchanges, &reader->capacity, reader->count + 1,
	                              sizeof *reader->exchanges);
	reader->exchanges[reader->count++] = (struct exchange){
		taken.start_ns, at, (uint32_t)taken.first_answer, (uint32_t)count};
	return WEIR_OK;
}

/* ---- experiments ---- */

static void take_load(struct perf_reader *reader, struct weir_slice text)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_scalar(&cursor);
		double load;

		if (weir_slice_equals(key, "mode"))
			reader->by_rate = weir_slice_equals(value, "request_rate");
		/* A rate of 0 means another kind of load. */
		if (weir_slice_equals(key, "value") && value.length && value.length <= LOAD_TEXT &&
		    weir_parse_double(value.data, value.length, &load) && load > 0) {
			memcpy(reader->load, value.data, value.length);
			reader->load[value.length] = '\0';
		}
	}
}

/* Widens [*lowest, *highest] to the whole numbers of a list. */
static void take_boundaries(struct weir_slice list, int64_t *lowest, int64_t *highest)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(list);
	int64_t ns;

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor)) {
		if (!parse_instant(weir_jsoncursor_scalar(&cursor), &ns))
			continue;
		*lowest = ns < *lowest ? ns : *lowest;
		*highest = ns > *highest ? ns : *highest;
	}
}

static enum weir_status take_request(struct perf_reader *reader, struct weir_jsonscan *scan,
                                     const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	enum weir_status status;
	bool timed;

	if (weir_jsoncursor_peek(&cursor) != '{') {
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, item->at, NULL);
		return WEIR_OK;
	}
	status = take_exchange(reader, &cursor, item->at, &timed, err);
	if (status)
		return status;
	if (cursor.bad) {
		weir_jsonscan_reject(scan);
		return WEIR_OK;
	}
	reader->input->events++;
	if (!timed)
		weir_input_warn(reader->input, WEIR_WARN_NO_TIME, item->at, NULL);
	return WEIR_OK;
}

/* Refuses a second experiment: requests under different loads are not one population. */
static enum weir_status begin_experiment(struct perf_reader *reader, struct weir_error *err)
{
	if (reader->experiments++ == 0)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "several experiments, but one input is one run: measure one load at a "
	                 "time (--concurrency-range N, --request-rate-range N), or keep one "
	                 "element of \"experiments\" per file");
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct perf_reader *reader = context;

	switch (item->kind) {
	case WEIR_JSONSCAN_OBJECT:
		return item->key.length ? begin_experiment(reader, err) : WEIR_OK;
	case WEIR_JSONSCAN_ELEMENT:
		return take_request(reader, scan, item, err);
	case WEIR_JSONSCAN_MEMBER:
		if (weir_slice_equals(item->key, "experiment"))
			take_load(reader, item->text);
		if (weir_slice_equals(item->key, "window_boundaries"))
			take_boundaries(item->text, &reader->first_ns, &reader->last_ns);
		return WEIR_OK;
	case WEIR_JSONSCAN_END:
		return WEIR_OK;
	}
	return WEIR_OK;
}

/* Returns the time of the last answer; of a failed request, the time it was sent. */
static int64_t end_of(const struct perf_reader *reader, const struct exchange *exchange)
{
	if (!exchange->count)
		return exchange->start_ns;
	return reader->answer_ns[exchange->first + exchange->count - 1];
}

/* True if the request ends in the measurement: perf_analyzer counts these. */
static bool is_measured(const struct perf_reader *reader, const struct exchange *exchange)
{
	int64_t end_ns = end_of(reader, exchange);

	return reader->first_ns > reader->last_ns ||
	       (end_ns >= reader->first_ns && end_ns <= reader->last_ns);
}

/* True if answers came in pieces; otherwise the first piece is the whole answer. */
static bool is_streamed(const struct perf_reader *reader)
{
	for (size_t i = 0; i < reader->count; i++)
		if (reader->exchanges[i].count > 1)
			return true;
	return false;
}

static void add_request(const struct perf_reader *reader, struct weir_client_requests *client,
                        const struct exchange *exchange, bool streamed)
{
	struct weir_client_request request = weir_client_request_unknown();
	const int64_t *answer_ns;

	if (!exchange->count) {
		weir_client_requests_fail(client, exchange->at);
		return;
	}
	answer_ns = reader->answer_ns + exchange->first;
	request.sent_ns = exchange->start_ns;
	request.end_ns = end_of(reader, exchange);
	if (streamed && answer_ns[0] >= request.sent_ns)
		request.first_token_ns = answer_ns[0];
	if (!weir_client_requests_add(client, &request, exchange->at))
		return;
	for (uint32_t i = 1; i < exchange->count; i++)
		weir_client_requests_gap(client, answer_ns[i] - answer_ns[i - 1]);
}

/* Keeps the load that the load generator states. */
static void add_load(const struct perf_reader *reader)
{
	struct weir_input *input = reader->input;

	if (reader->first_ns < reader->last_ns)
		input->requests->duration_s = (double)(reader->last_ns - reader->first_ns) / 1e9;
	if (!reader->load[0])
		return;
	if (reader->by_rate)
		weir_parse_double(reader->load, strlen(reader->load),
		                  &input->requests->requested_per_s);
	if (input->run)
		weir_run_set_label(input->run, reader->by_rate ? "request_rate" : "max_concurrency",
		                   reader->load);
}

static enum weir_status conclude(struct perf_reader *reader, struct weir_error *err)
{
	struct weir_client_requests client;
	bool streamed = is_streamed(reader);
	size_t measured = 0;
	enum weir_status status;

	if (reader->bad) {
		weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, UINT64_MAX, NULL);
		reader->input->warnings[WEIR_WARN_BAD_NUMBER].count = reader->bad;
	}
	weir_client_requests_init(&client, reader->input);
	reader->input->requests = client.requests;
	for (size_t i = 0; i < reader->count; i++)
		if (is_measured(reader, &reader->exchanges[i])) {
			add_request(reader, &client, &reader->exchanges[i], streamed);
			measured++;
		}
	if (reader->count && !measured)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "none of its %zu requests ends within window_boundaries: was "
		                   "the measurement stopped early?",
		                   reader->count);
	else
		status = weir_client_requests_finish(&client, err);
	weir_client_requests_release(&client);
	if (!status)
		add_load(reader);
	return status;
}

static enum weir_status read_export(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const char *const enter[] = {"experiments", NULL};
	static const struct weir_jsonscan_options options = {
		.array = "requests", .enter = enter, .first_key = "timestamp"};
	struct perf_reader reader = {.input = input, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status = weir_jsonscan_each(scan, take_item, &reader, err);

	if (!status) {
		weir_damage_of_scan(input, scan, source);
		status = conclude(&reader, err);
	}
	free(reader.exchanges);
	free(reader.answer_ns);
	weir_jsonscan_free(scan);
	return status;
}

/* Other formats may have the needed outermost key, so texts inside it are looked for as well. */
static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"experiments", "version", "service_kind", "endpoint"}, .all = 1},
         .texts = {{"\"requests\"", "\"experiment\""}, .all = 1}},
	{0},
};

const struct weir_reader weir_reader_perf_analyzer = {
	.name = "perf_analyzer",
	.title = "exports of perf_analyzer and GenAI-Perf (--profile-export-file)",
	.gives = "requests",
	.marks = marks,
	.read = read_export,
};
