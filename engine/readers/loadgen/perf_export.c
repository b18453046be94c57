/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What perf_analyzer and GenAI-Perf sent and got back (--profile-export-file): experiments, each
 * with its requests and the boundaries of its measurement windows. Requests are read one by one,
 * for they hold whole prompts and answers, and kept as times until the boundaries are known.
 */
#include <inttypes.h>

#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/loadgen/perf_export.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define LOAD_TEXT 32 /* a longer figure is none */

struct perf_reader {
	struct weir_input *input;
	struct perf_exchanges exchanges;
	unsigned experiments;
	bool by_rate;              /* the load is requests a second, else requests at a time */
	char load[LOAD_TEXT + 1];  /* as written; "": not given */
	int64_t first_ns, last_ns; /* of the measurement; first > last: not given */
};

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
		/* A rate of 0 stands for another kind of load. */
		if (weir_slice_equals(key, "value") && value.length && value.length <= LOAD_TEXT &&
		    weir_parse_double(value.data, value.length, &load) && load > 0) {
			memcpy(reader->load, value.data, value.length);
			reader->load[value.length] = '\0';
		}
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
	status = weir_perf_exchange_take(&reader->exchanges, &cursor, item->at, &timed, err);
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

/* One input is one run: requests under different load are not one population. */
static enum weir_status begin_experiment(struct perf_reader *reader, struct weir_error *err)
{
	if (reader->experiments++ == 0)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "several experiments, but one input is one run: measure one load at a "
	                 "time (--concurrency-range N, --request-rate-range N), or keep one "
	                 "element of \"experiments\" a file");
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
			weir_perf_bounds(item->text, &reader->first_ns, &reader->last_ns);
		return WEIR_OK;
	case WEIR_JSONSCAN_END:
		return WEIR_OK;
	}
	return WEIR_OK;
}

/* When the last answer came; of a request that failed, when it was sent. */
static int64_t end_of(const struct perf_exchanges *exchanges, const struct perf_exchange *exchange)
{
	if (!exchange->count)
		return exchange->start_ns;
	return exchanges->answer_ns[exchange->first + exchange->count - 1];
}

/* What perf_analyzer counts: requests that end in the measurement. */
static bool is_measured(const struct perf_reader *reader, const struct perf_exchange *exchange)
{
	int64_t end_ns = end_of(&reader->exchanges, exchange);

	return reader->first_ns > reader->last_ns ||
	       (end_ns >= reader->first_ns && end_ns <= reader->last_ns);
}

/* Whether answers came in pieces: where none did, the first piece is the whole answer. */
static bool is_streamed(const struct perf_reader *reader)
{
	for (size_t i = 0; i < reader->exchanges.count; i++)
		if (reader->exchanges.items[i].count > 1)
			return true;
	return false;
}

static void add_request(const struct perf_reader *reader, struct weir_client_requests *client,
                        const struct perf_exchange *exchange, bool streamed)
{
	struct weir_client_request request = weir_client_request_unknown();
	const int64_t *answer_ns;

	if (!exchange->count) {
		weir_client_requests_fail(client, exchange->at);
		return;
	}
	answer_ns = reader->exchanges.answer_ns + exchange->first;
	request.sent_ns = exchange->start_ns;
	request.end_ns = end_of(&reader->exchanges, exchange);
	if (streamed && answer_ns[0] >= request.sent_ns)
		request.first_token_ns = answer_ns[0];
	if (!weir_client_requests_add(client, &request, exchange->at))
		return;
	for (uint32_t i = 1; i < exchange->count; i++)
		weir_client_requests_gap(client, answer_ns[i] - answer_ns[i - 1]);
}

/* What the load generator says of the load. */
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
	const struct perf_exchanges *exchanges = &reader->exchanges;
	struct weir_client_requests client;
	bool streamed = is_streamed(reader);
	size_t measured = 0;
	enum weir_status status;

	if (exchanges->bad) {
		weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, UINT64_MAX, NULL);
		reader->input->warnings[WEIR_WARN_BAD_NUMBER].count = exchanges->bad;
	}
	weir_client_requests_init(&client, reader->input);
	reader->input->requests = client.requests;
	for (size_t i = 0; i < exchanges->count; i++)
		if (is_measured(reader, &exchanges->items[i])) {
			add_request(reader, &client, &exchanges->items[i], streamed);
			measured++;
		}
	if (exchanges->count && !measured)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "none of its %zu requests ends within window_boundaries: was "
		                   "the measurement stopped early?",
		                   exchanges->count);
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
	weir_perf_exchanges_release(&reader.exchanges);
	weir_jsonscan_free(scan);
	return status;
}

static const char *const keys[] = {"experiments", "version", "service_kind", "endpoint", NULL};

/* One key that others may have too, and two inside it. */
static int sniff(const char *head, size_t len)
{
	static const char load[] = "\"experiment\"", requests[] = "\"requests\"";
	unsigned found = weir_sniff_keys(head, len, keys);

	if (weir_sniff_first(head, len) != '{' || !(found & 1) ||
	    !weir_sniff_contains(head, len, requests))
		return 0;
	return weir_sniff_bits(found, keys) + 8 * (int)(sizeof requests - 3) +
	       (weir_sniff_contains(head, len, load) ? 8 * (int)(sizeof load - 3) : 0);
}

const struct weir_reader weir_reader_perf_analyzer = {
	.name = "perf_analyzer",
	.title = "exports of perf_analyzer and GenAI-Perf (--profile-export-file)",
	.gives = "requests",
	.sniff = sniff,
	.read = read_export,
};
