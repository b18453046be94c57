/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values: where they end, what to do where they do not, and where the next one may begin. */
#include <string.h>

#include "engine/base/jsonmeasure.h"
#include "engine/base/jsonrepair.h"
#include "engine/base/jsonscan_impl.h"

#define SUSPECT_SIZE 65536 /* an element this long may be a text that a stray quote left open */
#define MAX_EFFORT   32    /* bytes rewritten for each byte read */

void weir_jsonscan_count(struct weir_jsonscan *scan, enum weir_jsonscan_fault_code code)
{
	if (!scan->faults[code].count++)
		scan->faults[code].first_at = weir_window_position(&scan->window);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next byte that is not blank, without taking it; -1: the end. */
int weir_jsonscan_peek(struct weir_jsonscan *scan)
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

enum weir_jsonscan_outcome weir_jsonscan_stop_short(struct weir_jsonscan *scan)
{
	if (scan->state != STATE_END && !scan->window.status)
		weir_jsonscan_count(scan, WEIR_JSONSCAN_TRUNCATED);
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

	if (scan->options.enter)
		return weir_jsonscan_walk_on(scan, skip);
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

enum weir_jsonscan_outcome weir_jsonscan_leave_out(struct weir_jsonscan *scan, size_t skip)
{
	weir_jsonscan_count(scan, WEIR_JSONSCAN_SKIPPED);
	scan->used = 0;
	if (scan->state == STATE_OBJECT)
		scan->state = STATE_ARRAY; /* where a document is damaged, events are what is worth
		                              finding */
	return resynchronise(scan, skip) ? OUTCOME_NONE : weir_jsonscan_stop_short(scan);
}

/*
 * The value at the window's beginning, rewritten. All rewriting together is bounded by a multiple
 * of what was read, so that no input can make it take longer than that.
 */
static enum weir_jsonrepair rewrite(struct weir_jsonscan *scan, bool at_end, size_t *used)
{
	struct weir_slice in = {scan->window.at, available(scan)};
	enum weir_jsonrepair result;

	*used = 0;
	if (scan->effort / MAX_EFFORT >
	    weir_window_position(&scan->window) + in.length + SUSPECT_SIZE)
		return WEIR_JSONREPAIR_BAD;
	result = weir_jsonrepair(in, at_end, &scan->repair, used);
	scan->effort += scan->repair.length;
	return result;
}

/* What rewriting the value at the window's beginning came to. */
static enum weir_jsonscan_outcome take_repair(struct weir_jsonscan *scan,
                                              enum weir_jsonrepair result, size_t used)
{
	if (result != WEIR_JSONREPAIR_DONE)
		return weir_jsonscan_leave_out(scan, used ? used - 1 : 0);
	weir_jsonscan_count(scan, WEIR_JSONSCAN_REPAIRED);
	scan->repaired = true;
	scan->used = used;
	return OUTCOME_VALUE;
}

/* Rewrites the value at the window's beginning; asks for as much of it as it takes. */
enum weir_jsonscan_outcome weir_jsonscan_rewrite(struct weir_jsonscan *scan)
{
	enum weir_jsonrepair result;
	size_t used = 0;
	bool at_end = false;

	for (;;) {
		struct weir_slice in = {scan->window.at, available(scan)};

		result = rewrite(scan, at_end, &used);
		if (result != WEIR_JSONREPAIR_MORE || at_end || in.length > WEIR_JSONSCAN_MAX_VALUE)
			break;
		at_end = !weir_window_more(&scan->window);
	}
	return take_repair(scan, result, used);
}

/* The input ended inside a value: a stray quote may have hidden its end, else it is the file that
 * was cut off. */
enum weir_jsonscan_outcome weir_jsonscan_end_inside(struct weir_jsonscan *scan)
{
	struct weir_slice in = {scan->window.at, available(scan)};
	enum weir_jsonrepair result = WEIR_JSONREPAIR_MORE;
	uint64_t at = weir_window_position(&scan->window);
	size_t used = 0;

	if (scan->window.status)
		return weir_jsonscan_stop_short(scan);
	if (*in.data == '{' || *in.data == '[')
		result = rewrite(scan, true, &used);
	if (result != WEIR_JSONREPAIR_MORE)
		return take_repair(scan, result, used);
	scan->used = 0;
	if (!resynchronise(scan, 1))
		return weir_jsonscan_stop_short(scan);
	if (!scan->faults[WEIR_JSONSCAN_SKIPPED].count++)
		scan->faults[WEIR_JSONSCAN_SKIPPED].first_at = at;
	return OUTCOME_NONE;
}

/* Passes over the rest of a value that is too large or too deep, without keeping it. */
static enum weir_jsonscan_outcome drop_container(struct weir_jsonscan *scan,
                                                 struct weir_jsonmeasure *measure, size_t done)
{
	struct weir_window *window = &scan->window;
	const char *end = NULL;

	window->at += done;
	while (!end) {
		if (window->at == window->stop && !weir_window_more(window))
			return weir_jsonscan_stop_short(scan);
		end = weir_jsonmeasure_feed(measure, window->at, window->stop);
		window->at = end ? end : window->stop;
	}
	return OUTCOME_NONE;
}

static enum weir_jsonscan_outcome refuse_container(struct weir_jsonscan *scan,
                                                   struct weir_jsonmeasure *measure, size_t done,
                                                   bool complete)
{
	weir_jsonscan_count(scan,
	                    measure->too_deep ? WEIR_JSONSCAN_TOO_DEEP : WEIR_JSONSCAN_SKIPPED);
	if (!complete)
		return drop_container(scan, measure, done);
	scan->window.at += done;
	return OUTCOME_NONE;
}

/* A value this long may have swallowed its successors: does reading it with care end it earlier? */
static bool is_runaway(struct weir_jsonscan *scan, enum weir_jsonscan_outcome *outcome)
{
	size_t used = 0;
	enum weir_jsonrepair result = rewrite(scan, false, &used);

	if (result == WEIR_JSONREPAIR_MORE)
		return false;
	*outcome = take_repair(scan, result, used);
	return true;
}

static enum weir_jsonscan_outcome measure_container(struct weir_jsonscan *scan)
{
	struct weir_window *window = &scan->window;
	struct weir_jsonmeasure measure = {0};
	size_t done = 0, suspect = SUSPECT_SIZE;
	const char *end = NULL;
	enum weir_jsonscan_outcome outcome;

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
			return weir_jsonscan_end_inside(scan);
	}
	if (measure.control)
		weir_jsonscan_count(scan, WEIR_JSONSCAN_REPAIRED);
	scan->plain = !measure.control && !measure.escapes;
	scan->used = done;
	return OUTCOME_VALUE;
}

/* Bytes of the text at the window's beginning, both quotes included; 0: it does not end, or not
 * within the limit. */
size_t weir_jsonscan_measure_text(struct weir_jsonscan *scan)
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

/* Whether a word or text among the elements is the debris of one: nothing separates it from what
 * follows. */
static bool is_debris(struct weir_jsonscan *scan)
{
	struct weir_window *window = &scan->window;
	size_t after = scan->used;

	if (scan->kind != WEIR_JSONSCAN_ELEMENT || scan->options.lines)
		return false;
	for (;; after++) {
		if (after == available(scan) && !weir_window_more(window))
			return false;
		if (!is_blank(window->at[after]))
			return window->at[after] != ',' && window->at[after] != ']';
	}
}

enum weir_jsonscan_outcome weir_jsonscan_measure(struct weir_jsonscan *scan, int first)
{
	if (first == '{' || first == '[')
		return measure_container(scan);
	scan->plain = false;
	scan->used = first == '"' ? weir_jsonscan_measure_text(scan) : measure_word(scan);
	if (scan->used && is_debris(scan))
		return weir_jsonscan_leave_out(scan, scan->used);
	if (scan->used)
		return OUTCOME_VALUE;
	if (first == '"' && scan->window.ended)
		return weir_jsonscan_end_inside(scan);
	return weir_jsonscan_leave_out(scan, 1);
}
