/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/loadgen/perf_export.h"

#define NO_START INT64_MIN

/* What is read of one request. */
struct taken {
	int64_t start_ns;
	size_t first_answer;    /* in the list of all */
	size_t outputs, spoken; /* outputs, and the place behind the last one that says something */
	bool has_answers;       /* its list was read */
};

void weir_perf_exchanges_release(struct perf_exchanges *exchanges)
{
	free(exchanges->items);
	free(exchanges->answer_ns);
	*exchanges = (struct perf_exchanges){0};
}

static bool parse_instant(struct weir_slice text, int64_t *ns)
{
	return text.length && weir_parse_scaled(text.data, text.length, 0, ns) && *ns >= 0;
}

void weir_perf_bounds(struct weir_slice list, int64_t *lowest, int64_t *highest)
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

static enum weir_status take_answers(struct perf_exchanges *exchanges,
                                     struct weir_jsoncursor *cursor, struct weir_error *err)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return WEIR_OK;
	while (weir_jsoncursor_item(cursor)) {
		int64_t ns;

		if (!parse_instant(weir_jsoncursor_scalar(cursor), &ns)) {
			exchanges->bad += !cursor->bad;
			continue;
		}
		if (exchanges->answers == PERF_MAX_ANSWERS)
			return weir_fail(err, WEIR_E_LIMIT,
			                 "more than %u answers: export a shorter measurement",
			                 PERF_MAX_ANSWERS);
		exchanges->answer_ns =
			weir_grow(exchanges->answer_ns, &exchanges->answer_capacity,
		                  exchanges->answers + 1, sizeof *exchanges->answer_ns);
		exchanges->answer_ns[exchanges->answers++] = ns;
	}
	return WEIR_OK;
}

/* Bytes of a blank at the text's beginning, as written in JSON; 0: none is there. */
static size_t leading_blank(struct weir_slice text)
{
	static const char *const blanks[] = {" ", "\\n", "\\r", "\\t"};

	for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++)
		if (weir_slice_starts(text, blanks[i]))
			return strlen(blanks[i]);
	return 0;
}

/* Empty, or the mark that ends a stream of server-sent events. */
static bool says_nothing(struct weir_slice text)
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

/* One answer: tensors or texts by name, of which one at least says something. */
static bool is_spoken(struct weir_jsoncursor *cursor)
{
	bool spoken = false;
	struct weir_slice key;

	if (weir_jsoncursor_peek(cursor) != '{')
		return !says_nothing(weir_jsoncursor_take(cursor));
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_take(cursor);

		spoken |= !says_nothing(value) && !weir_slice_equals(value, "null");
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

static enum weir_status take_members(struct perf_exchanges *exchanges, struct taken *taken,
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
			status = take_answers(exchanges, cursor, err);
		} else if (weir_slice_equals(key, "response_outputs") && !taken->outputs) {
			take_outputs(taken, cursor);
		} else {
			weir_jsoncursor_take(cursor);
		}
	}
	return status;
}

enum weir_status weir_perf_exchange_take(struct perf_exchanges *exchanges,
                                         struct weir_jsoncursor *cursor, uint64_t at, bool *timed,
                                         struct weir_error *err)
{
	struct taken taken = {.start_ns = NO_START, .first_answer = exchanges->answers};
	enum weir_status status = take_members(exchanges, &taken, cursor, err);
	size_t count = exchanges->answers - taken.first_answer;

	*timed = taken.start_ns != NO_START;
	if (status)
		return status;
	if (cursor->bad || !*timed) {
		exchanges->answers = taken.first_answer;
		return WEIR_OK;
	}
	if (exchanges->count == PERF_MAX_REQUESTS)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "more than %u requests: export a shorter measurement",
		                 PERF_MAX_REQUESTS);
	/* Where outputs were not recorded all are empty, and where lists differ in length nobody
	 * knows which is whose. */
	if (taken.spoken && taken.outputs == count)
		count = taken.spoken;
	exchanges->answers = taken.first_answer + count;
	exchanges->items = weir_grow(exchanges->items, &exchanges->capacity, exchanges->count + 1,
	                             sizeof *exchanges->items);
	exchanges->items[exchanges->count++] = (struct perf_exchange){
		taken.start_ns, at, (uint32_t)taken.first_answer, (uint32_t)count};
	return WEIR_OK;
}
