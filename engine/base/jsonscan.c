/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsonmeasure.h"
#include "engine/base/jsonrepair.h"
#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/base/window.h"

#define KEY_SIZE     256   /* longer keys of the outermost object are cut */
#define SUSPECT_SIZE 65536 /* an element this long may be a text that a stray quote left open */

enum state {
	STATE_START,
	STATE_OBJECT, /* among the members of the outermost object */
	STATE_ARRAY,  /* among the elements */
	STATE_AFTER,  /* behind the outermost value */
	STATE_END,
};

struct weir_jsonscan {
	struct weir_window window;
	struct weir_jsonscan_options options;
	enum state state;
	bool bare;                    /* the outermost value is the array */
	bool rejected;                /* the caller could not read the last item */
	bool repaired;                /* the last item is a repaired one */
	bool plain;                   /* see struct weir_jsonscan_item */
	size_t used;                  /* bytes of the window that the last item takes */
	enum weir_jsonscan_kind kind; /* of the value that is measured */
	uint64_t elements;
	struct weir_text repair;
	size_t key_length;
	char key[KEY_SIZE + WEIR_JSONSCAN_PADDING];
	struct weir_jsonscan_fault faults[WEIR_JSONSCAN_FAULTS];
};

enum outcome {
	OUTCOME_VALUE, /* used bytes are a value */
	OUTCOME_NONE,  /* left out; look for the next one */
	OUTCOME_STOP,  /* the input ended */
};

struct weir_jsonscan *weir_jsonscan_new(struct weir_source *source,
                                        const struct weir_jsonscan_options *options)
{
	struct weir_jsonscan *scan = weir_alloc(sizeof(*scan));

	weir_window_init(&scan->window, source);
	scan->options = *options;
	return scan;
}

void weir_jsonscan_free(struct weir_jsonscan *scan)
{
	if (!scan)
		return;
	weir_window_release(&scan->window);
	weir_text_release(&scan->repair);
	free(scan);
}

const struct weir_jsonscan_fault *weir_jsonscan_faults(const struct weir_jsonscan *scan)
{
	return scan->faults;
}

bool weir_jsonscan_is_bare(const struct weir_jsonscan *scan)
{
	return scan->bare;
}

void weir_jsonscan_reject(struct weir_jsonscan *scan)
{
	scan->rejected = true;
}

static void count(struct weir_jsonscan *scan, enum weir_jsonscan_fault_code code)
{
	if (!scan->faults[code].count++)
		scan->faults[code].first_at = weir_window_position(&scan->window);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next byte that is not blank, without taking it; -1: the end. */
static int peek(struct weir_jsonscan *scan)
{
	struct weir_window *window = &scan->window;

	for (;;) {
		while (window->at < window->stop && is_blank(*window->at))
			window->at++;
		if (window->at < window->stop)
			return (unsigned char)*window->at;
		if (!weir_window_more(window))
			return -1;
	}
}

static size_t available(const struct weir_jsonscan *scan)
{
	return (size_t)(scan->window.stop - scan->window.at);
}

static enum outcome stop_short(struct weir_jsonscan *scan)
{
	if (scan->state != STATE_END && !scan->window.status)
		count(scan, WEIR_JSONSCAN_TRUNCATED);
	scan->state = STATE_END;
	return OUTCOME_STOP;
}

/* Whether `at`, behind a brace, looks like the way from one element to the next, or to the end of
 * the array: 1 with *target on the next element or the bracket, 0: no, -1: cannot tell before more
 * bytes are there. */
static int find_boundary(const char *at, const char *stop, const char **target)
{
	char first;

	while (at < stop && is_blank(*at))
		at++;
	if (at == stop)
		return -1;
	first = *at;
	if (first != ',' && first != ']')
		return 0;
	*target = at++;
	while (at < stop && is_blank(*at))
		at++;
	if (at == stop)
		return -1;
	if (first == ']')
		return *at == '}' || *at == ',';
	if (*at != '{')
		return 0;
	*target = at++;
	while (at < stop && is_blank(*at))
		at++;
	return at == stop ? -1 : *at == '"';
}

/* Moves to the next thing that looks like an element's start, `skip` bytes on at least. */
static bool resynchronise(struct weir_jsonscan *scan, size_t skip)
{
	struct weir_window *window = &scan->window;

	window->at += skip < available(scan) ? skip : available(scan);
	for (;;) {
		const char *target, *brace = NULL;
		int found = -1;

		if (window->at < window->stop)
			brace = memchr(window->at, '}', available(scan));
		window->at = brace ? brace : window->stop;
		if (brace)
			found = find_boundary(brace + 1, window->stop, &target);
		if (found > 0) {
			window->at = target;
			return true;
		}
		if (!found)
			window->at++;
		else if (!weir_window_more(window))
			return false;
	}
}

static enum outcome leave_out(struct weir_jsonscan *scan, size_t skip)
{
	count(scan, WEIR_JSONSCAN_SKIPPED);
	if (scan->state == STATE_OBJECT)
		scan->state = STATE_ARRAY; /* where a document is damaged, events are what is worth
		                              finding */
	return resynchronise(scan, skip) ? OUTCOME_NONE : stop_short(scan);
}

/* What rewriting the value at the window's beginning came to. */
static enum outcome take_repair(struct weir_jsonscan *scan, enum weir_jsonrepair result,
                                size_t used)
{
	if (result != WEIR_JSONREPAIR_DONE)
		return leave_out(scan, used ? used - 1 : 0);
	count(scan, WEIR_JSONSCAN_REPAIRED);
	scan->repaired = true;
	scan->used = used;
	return OUTCOME_VALUE;
}

/* Rewrites the value at the window's beginning; asks for as much of it as it takes. */
static enum outcome repair(struct weir_jsonscan *scan)
{
	enum weir_jsonrepair result;
	size_t used = 0;
	bool at_end = false;

	for (;;) {
		struct weir_slice in = {scan->window.at, available(scan)};

		result = weir_jsonrepair(in, at_end, &scan->repair, &used);
		if (result != WEIR_JSONREPAIR_MORE || at_end || in.length > WEIR_JSONSCAN_MAX_VALUE)
			break;
		at_end = !weir_window_more(&scan->window);
	}
	return take_repair(scan, result, used);
}

/* The input ended inside a value: a stray quote may have hidden its end, else it is the file that
 * was cut off. */
static enum outcome end_inside(struct weir_jsonscan *scan)
{
	struct weir_slice in = {scan->window.at, available(scan)};
	enum weir_jsonrepair result;
	uint64_t at = weir_window_position(&scan->window);
	size_t used = 0;

	if (scan->window.status)
		return stop_short(scan);
	result = weir_jsonrepair(in, true, &scan->repair, &used);
	if (result != WEIR_JSONREPAIR_MORE)
		return take_repair(scan, result, used);
	if (!resynchronise(scan, 1))
		return stop_short(scan);
	if (!scan->faults[WEIR_JSONSCAN_SKIPPED].count++)
		scan->faults[WEIR_JSONSCAN_SKIPPED].first_at = at;
	return OUTCOME_NONE;
}

/* Passes over the rest of a value that is too large or too deep, without keeping it. */
static enum outcome drop_container(struct weir_jsonscan *scan, struct weir_jsonmeasure *measure,
                                   size_t done)
{
	struct weir_window *window = &scan->window;
	const char *end = NULL;

	window->at += done;
	while (!end) {
		if (window->at == window->stop && !weir_window_more(window))
			return stop_short(scan);
		end = weir_jsonmeasure_feed(measure, window->at, window->stop);
		window->at = end ? end : window->stop;
	}
	return OUTCOME_NONE;
}

static enum outcome refuse_container(struct weir_jsonscan *scan, struct weir_jsonmeasure *measure,
                                     size_t done, bool complete)
{
	count(scan, measure->too_deep ? WEIR_JSONSCAN_TOO_DEEP : WEIR_JSONSCAN_SKIPPED);
	if (!complete)
		return drop_container(scan, measure, done);
	scan->window.at += done;
	return OUTCOME_NONE;
}

/* A value this long may have swallowed its successors: does reading it with care end it earlier? */
static bool is_runaway(struct weir_jsonscan *scan, enum outcome *outcome)
{
	struct weir_slice in = {scan->window.at, available(scan)};
	size_t used = 0;
	enum weir_jsonrepair result = weir_jsonrepair(in, false, &scan->repair, &used);

	if (result == WEIR_JSONREPAIR_MORE)
		return false;
	*outcome = take_repair(scan, result, used);
	return true;
}

static enum outcome measure_container(struct weir_jsonscan *scan)
{
	struct weir_window *window = &scan->window;
	struct weir_jsonmeasure measure = {0};
	size_t done = 0, suspect = SUSPECT_SIZE;
	const char *end = NULL;
	enum outcome outcome;

	while (!end) {
		end = weir_jsonmeasure_feed(&measure, window->at + done, window->stop);
		done = end ? (size_t)(end - window->at) : available(scan);
		if (measure.too_deep || done > WEIR_JSONSCAN_MAX_VALUE)
			return refuse_container(scan, &measure, done, end != NULL);
		if (end)
			break;
		if (done >= suspect && is_runaway(scan, &outcome))
			return outcome;
		while (suspect <= done)
			suspect *= 2;
		if (!weir_window_more(window))
			return end_inside(scan);
	}
	if (measure.control)
		count(scan, WEIR_JSONSCAN_REPAIRED);
	scan->plain = !measure.control && !measure.escapes;
	scan->used = done;
	return OUTCOME_VALUE;
}

/* Bytes of the text at the window's beginning, both quotes included; 0: it does not end, or not
 * within the limit. */
static size_t measure_text(struct weir_jsonscan *scan)
{
	struct weir_window *window = &scan->window;
	bool escaped = false;

	for (size_t i = 1;; i++) {
		if (i == available(scan) && !weir_window_more(window))
			return 0;
		if (escaped)
			escaped = false;
		else if (window->at[i] == '\\')
			escaped = true;
		else if (window->at[i] == '"')
			return i + 1;
		if (i > WEIR_JSONSCAN_MAX_VALUE)
			return 0;
	}
}

/* Bytes of a number or a literal; 0 where something else stands there. */
static size_t measure_word(struct weir_jsonscan *scan)
{
	struct weir_window *window = &scan->window;
	size_t length = 0;

	for (;; length++) {
		if (length == available(scan) && !weir_window_more(window))
			return length;
		if (is_blank(window->at[length]) || strchr(",:[]{}\"", window->at[length]) ||
		    length > WEIR_JSONSCAN_MAX_VALUE)
			return length;
	}
}

/* Measures the value at the window's beginning into scan->used. */
static enum outcome measure_value(struct weir_jsonscan *scan, int first)
{
	if (first == '{' || first == '[')
		return measure_container(scan);
	scan->plain = false;
	scan->used = first == '"' ? measure_text(scan) : measure_word(scan);
	if (scan->used)
		return OUTCOME_VALUE;
	if (first == '"' && scan->window.ended)
		return end_inside(scan);
	return leave_out(scan, 1);
}

static enum outcome fill_item(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	item->at = weir_window_position(&scan->window);
	item->kind = scan->kind;
	if (scan->kind == WEIR_JSONSCAN_ELEMENT)
		item->number = scan->elements += !scan->rejected;
	item->key = scan->kind == WEIR_JSONSCAN_MEMBER
	                    ? (struct weir_slice){scan->key, scan->key_length}
	                    : (struct weir_slice){0};
	if (scan->repaired) {
		weir_text_repeat(&scan->repair, " ", WEIR_JSONSCAN_PADDING);
		item->text.data = scan->repair.data;
		item->text.length = scan->repair.length - WEIR_JSONSCAN_PADDING;
	} else {
		weir_window_pad(&scan->window, scan->used);
		item->text = (struct weir_slice){scan->window.at, scan->used};
	}
	item->plain = scan->plain && !scan->repaired;
	scan->rejected = false;
	return OUTCOME_VALUE;
}

static enum outcome hand_out(struct weir_jsonscan *scan, enum weir_jsonscan_kind kind, int first,
                             struct weir_jsonscan_item *item)
{
	enum outcome outcome;

	scan->kind = kind;
	outcome = measure_value(scan, first);
	return outcome == OUTCOME_VALUE ? fill_item(scan, item) : outcome;
}

static enum outcome next_element(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	int first = peek(scan);

	if (first < 0) {
		if (scan->options.lines)
			scan->state = STATE_END;
		return stop_short(scan);
	}
	if (first == ',' || first == ']')
		scan->window.at++;
	if (first == ']')
		scan->state = scan->bare ? STATE_AFTER : STATE_OBJECT;
	if (first == ',' || first == ']')
		return OUTCOME_NONE;
	return hand_out(scan, WEIR_JSONSCAN_ELEMENT, first, item);
}

static bool is_event_array(const struct weir_jsonscan *scan)
{
	return scan->options.array && scan->key_length == strlen(scan->options.array) &&
	       !memcmp(scan->key, scan->options.array, scan->key_length);
}

/* At a quote: the key goes to scan->key, the window behind the colon. */
static enum outcome take_key(struct weir_jsonscan *scan)
{
	size_t length = measure_text(scan);

	if (!length)
		return scan->window.ended ? end_inside(scan) : leave_out(scan, 1);
	scan->key_length = length - 2 < KEY_SIZE ? length - 2 : KEY_SIZE;
	memcpy(scan->key, scan->window.at + 1, scan->key_length);
	scan->window.at += length;
	if (peek(scan) != ':')
		return leave_out(scan, 0);
	scan->window.at++;
	return OUTCOME_VALUE;
}

static enum outcome next_member(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	enum outcome outcome;
	int first = peek(scan);

	if (first < 0)
		return stop_short(scan);
	if (first == ',' || first == '}')
		scan->window.at++;
	if (first == '}')
		scan->state = STATE_AFTER;
	if (first == ',' || first == '}')
		return OUTCOME_NONE;
	if (first != '"')
		return leave_out(scan, 0);
	outcome = take_key(scan);
	if (outcome != OUTCOME_VALUE)
		return outcome;
	first = peek(scan);
	if (first == '[' && is_event_array(scan)) {
		scan->window.at++;
		scan->state = STATE_ARRAY;
		return OUTCOME_NONE;
	}
	if (first == ',' || first == '}') /* "rank": , */
		return OUTCOME_NONE;
	return first < 0 ? stop_short(scan) : hand_out(scan, WEIR_JSONSCAN_MEMBER, first, item);
}

/* Behind the document: nothing but blanks, unless damage closed it too early and elements go on. */
static enum outcome finish(struct weir_jsonscan *scan)
{
	int first = peek(scan);

	scan->state = STATE_END;
	if (first < 0)
		return OUTCOME_STOP;
	if (first == ',' && scan->faults[WEIR_JSONSCAN_SKIPPED].count) {
		scan->state = STATE_ARRAY;
		return OUTCOME_NONE;
	}
	count(scan, WEIR_JSONSCAN_TRAILING);
	return OUTCOME_STOP;
}

/* A byte order mark is the source's business; what is left must open an object or an array. */
static enum outcome begin(struct weir_jsonscan *scan)
{
	int first = peek(scan);

	if (scan->options.lines)
		scan->state = STATE_ARRAY;
	else if (first == '{')
		scan->state = STATE_OBJECT;
	else if (first == '[')
		scan->state = STATE_ARRAY;
	else
		return OUTCOME_STOP;
	scan->bare = first == '[' && !scan->options.lines;
	scan->window.at += !scan->options.lines;
	return OUTCOME_NONE;
}

static enum outcome step(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	switch (scan->state) {
	case STATE_START:
		return begin(scan);
	case STATE_OBJECT:
		return next_member(scan, item);
	case STATE_ARRAY:
		return next_element(scan, item);
	case STATE_AFTER:
		return finish(scan);
	case STATE_END:
		return OUTCOME_STOP;
	}
	return OUTCOME_STOP;
}

/* The caller could not read the last item: once more, rewritten; a second time, without it. */
static enum outcome retry(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	enum outcome outcome;

	if (scan->repaired) {
		scan->repaired = false;
		scan->rejected = false;
		return leave_out(scan, scan->used ? scan->used - 1 : 0);
	}
	outcome = repair(scan);
	if (outcome != OUTCOME_VALUE)
		scan->rejected = false;
	return outcome == OUTCOME_VALUE ? fill_item(scan, item) : outcome;
}

static enum outcome advance(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	if (scan->rejected)
		return retry(scan, item);
	scan->window.at += scan->used;
	scan->used = 0;
	scan->repaired = false;
	weir_window_settle(&scan->window);
	return step(scan, item);
}

enum weir_status weir_jsonscan_next(struct weir_jsonscan *scan, struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	enum outcome outcome = OUTCOME_NONE;

	scan->window.err = err;
	while (outcome == OUTCOME_NONE)
		outcome = advance(scan, item);
	if (scan->window.status)
		return scan->window.status;
	if (outcome == OUTCOME_VALUE)
		return WEIR_OK;
	if (scan->state == STATE_START)
		return weir_fail(err, WEIR_E_FORMAT, "expected a JSON object or array");
	*item = (struct weir_jsonscan_item){.kind = WEIR_JSONSCAN_END};
	return WEIR_OK;
}
