/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncheck.h"
#include "engine/base/jsonmeasure.h"
#include "engine/base/jsonrepair.h"
#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/base/window.h"

#define KEY_SIZE     256   /* longer keys are cut */
#define WALK_DEPTH   16    /* open containers; deeper ones are handed out whole */
#define SUSPECT_SIZE 65536 /* a longer element may be a text that a stray quote left open */
#define MAX_EFFORT   32    /* bytes rewritten or searched for each byte read */
#define MAX_BLANKS   4096  /* between a brace and the key that identifies an element */

enum state {
	STATE_START,
	STATE_OBJECT, /* among the members of the outermost object */
	STATE_ARRAY,  /* among the elements */
	STATE_AFTER,  /* after the outermost value */
	STATE_WALK,   /* anywhere in documents that nest their elements */
	STATE_END,
};

/* A container whose members are handed out one by one. */
struct frame {
	char close;      /* ']' or '}' */
	bool elements;   /* its values are elements */
	const char *key; /* its key in the options; "" for a document */
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
	enum weir_jsonscan_kind kind; /* kind of the value that is measured */
	uint64_t elements;
	uint64_t arrays; /* bare arrays that ended */
	uint64_t effort; /* bytes rewritten or searched so far */
	struct weir_text repair;
	struct weir_jsoncheck check; /* of the value that is measured */
	size_t key_length;
	char key[KEY_SIZE + WEIR_JSONSCAN_PADDING];
	unsigned depth; /* frames in use */
	struct frame frames[WALK_DEPTH];
	struct weir_jsonscan_fault faults[WEIR_JSONSCAN_FAULTS];
};

enum outcome {
	OUTCOME_VALUE, /* the first `used` bytes are a value */
	OUTCOME_NONE,  /* without a value; look for the next one */
	OUTCOME_STOP,  /* the input ended */
};

/* --- the input --- */

static void count_fault(struct weir_jsonscan *scan, enum weir_jsonscan_fault_code code)
{
	if (!scan->faults[code].count++)
		scan->faults[code].first_at = weir_window_position(&scan->window);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Returns the next byte that is not blank, without taking it; -1 at the end. */
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

/* Ends the scan where the input ends too early. */
static enum outcome stop_short(struct weir_jsonscan *scan)
{
	if (scan->state != STATE_END && !scan->window.status)
		count_fault(scan, WEIR_JSONSCAN_TRUNCATED);
	scan->state = STATE_END;
	return OUTCOME_STOP;
}

/* --- the next element after damage --- */

static struct frame *top(struct weir_jsonscan *scan)
{
	return &scan->frames[scan->depth - 1];
}

/* Returns 1 if the brace at `at` begins an element, 0 if not, -1 if more bytes are needed. */
static int is_element(const struct weir_jsonscan *scan, const char *at)
{
	const char *stop = scan->window.stop, *key = scan->options.first_key;
	size_t length = key ? strlen(key) : 0, blanks = 0;

	for (at++; at < stop && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'); at++)
		if (++blanks > MAX_BLANKS)
			return 0;
	if (!key || (at < stop && *at != '"'))
		return 0;
	if ((size_t)(stop - at) < length + 2)
		return -1;
	return !memcmp(at + 1, key, length) && at[length + 1] == '"';
}

/* Continues at a brace that begins an element, in any container that damage left open. */
static bool resume_elements(struct weir_jsonscan *scan)
{
	if (!scan->depth || !top(scan)->elements)
		scan->frames[scan->depth++] =
			(struct frame){.close = ']', .elements = true, .key = scan->options.array};
	return true;
}

static bool resume_documents(struct weir_jsonscan *scan)
{
	scan->depth = 0;
	return true;
}

/*
 * Moves to the next element or document of documents that nest their elements, at least `skip`
 * bytes ahead. All searches together take time proportional to the bytes read.
 */
static bool walk_on(struct weir_jsonscan *scan, size_t skip)
{
	struct weir_window *window = &scan->window;
	size_t left = (size_t)(window->stop - window->at);
	bool line = false; /* the previous byte ends a line */

	scan->effort += left;
	if (scan->effort / MAX_EFFORT > weir_window_position(window) + SUSPECT_SIZE)
		return false;
	window->at += skip < left ? skip : left;
	for (;;) {
		int found;

		while (window->at < window->stop && *window->at != '{') {
			line = *window->at == '\n';
			window->at++;
		}
		if (window->at == window->stop) {
			if (!weir_window_more(window))
				return false;
			continue;
		}
		if (line)
			return resume_documents(scan);
		found = is_element(scan, window->at);
		if (found > 0 && scan->depth < WALK_DEPTH)
			return resume_elements(scan);
		if (found < 0 && weir_window_more(window))
			continue;
		line = false;
		window->at++;
	}
}

/* Returns 1 if the bytes at `at`, after a brace, look like the boundary between two elements or the
 * end of the array; *target is then the next element or the bracket. Returns 0 if they do not, -1
 * if more bytes are needed. */
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

/* Moves to the next place that looks like the start of an element, at least `skip` bytes ahead. */
static bool resynchronise(struct weir_jsonscan *scan, size_t skip)
{
	struct weir_window *window = &scan->window;

	if (scan->options.enter)
		return walk_on(scan, skip);
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

/* Counts the value here as skipped and moves to the next place that looks like an element, at least
 * `skip` bytes ahead. */
static enum outcome leave_out(struct weir_jsonscan *scan, size_t skip)
{
	count_fault(scan, WEIR_JSONSCAN_SKIPPED);
	scan->used = 0;
	if (scan->state == STATE_OBJECT)
		scan->state = STATE_ARRAY; /* after damage, look for events only */
	return resynchronise(scan, skip) ? OUTCOME_NONE : stop_short(scan);
}

/* Rewrites the value at the window's start. All rewriting together takes time proportional to the
 * bytes read. */
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

/* Accepts a rewritten value, or leaves it out. */
static enum outcome take_repair(struct weir_jsonscan *scan, enum weir_jsonrepair result,
                                size_t used)
{
	if (result != WEIR_JSONREPAIR_DONE)
		return leave_out(scan, used ? used - 1 : 0);
	count_fault(scan, WEIR_JSONSCAN_REPAIRED);
	scan->repaired = true;
	scan->used = used;
	return OUTCOME_VALUE;
}

/* Rewrites the value at the window's start into scan->repair, and reads all of it. */
static enum outcome rewrite_value(struct weir_jsonscan *scan)
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

/* Handles an end of the input inside a value: a stray quote may have hidden the value's end,
 * otherwise the file was cut off. */
static enum outcome end_inside(struct weir_jsonscan *scan)
{
	struct weir_slice in = {scan->window.at, available(scan)};
	enum weir_jsonrepair result = WEIR_JSONREPAIR_MORE;
	uint64_t at = weir_window_position(&scan->window);
	size_t used = 0;

	if (scan->window.status)
		return stop_short(scan);
	if (*in.data == '{' || *in.data == '[')
		result = rewrite(scan, true, &used);
	if (result != WEIR_JSONREPAIR_MORE)
		return take_repair(scan, result, used);
	scan->used = 0;
	if (!resynchronise(scan, 1))
		return stop_short(scan);
	if (!scan->faults[WEIR_JSONSCAN_SKIPPED].count++)
		scan->faults[WEIR_JSONSCAN_SKIPPED].first_at = at;
	return OUTCOME_NONE;
}

/* Skips the rest of a value that is too large or too deep, without keeping it. */
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
	count_fault(scan, measure->too_deep ? WEIR_JSONSCAN_TOO_DEEP : WEIR_JSONSCAN_SKIPPED);
	if (!complete)
		return drop_container(scan, measure, done);
	scan->window.at += done;
	return OUTCOME_NONE;
}

/* Returns true if a rewrite ends a long value earlier: a stray quote may have joined it with its
 * successors. *outcome is then set. A rewrite takes about eight times as long as the check that
 * spares most values of it. */
static bool is_runaway(struct weir_jsonscan *scan, enum outcome *outcome)
{
	struct weir_slice start = {scan->window.at, available(scan)};
	enum weir_jsonrepair result;
	size_t used = 0;

	if (weir_jsoncheck_feed(&scan->check, start))
		return false;
	result = rewrite(scan, false, &used);
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

	weir_jsoncheck_start(&scan->check);
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
		count_fault(scan, WEIR_JSONSCAN_REPAIRED);
	scan->plain = !measure.control && !measure.escapes;
	scan->used = done;
	return OUTCOME_VALUE;
}

/* Returns the size in bytes of the text at the window's start, with both quotes; 0 if it does not
 * end within the limit. */
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

/* Returns the size in bytes of a number or a literal; 0 for anything else. */
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

/* Returns true if a word or text among the elements is a fragment of one: no comma or bracket
 * follows it. */
static bool is_fragment(struct weir_jsonscan *scan)
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

/* Measures the value at the window's start, whose first byte is `first`, into scan->used. */
static enum outcome measure_value(struct weir_jsonscan *scan, int first)
{
	if (first == '{' || first == '[')
		return measure_container(scan);
	scan->plain = false;
	scan->used = first == '"' ? measure_text(scan) : measure_word(scan);
	if (scan->used && is_fragment(scan))
		return leave_out(scan, scan->used);
	if (scan->used)
		return OUTCOME_VALUE;
	if (first == '"' && scan->window.ended)
		return end_inside(scan);
	return leave_out(scan, 1);
}

/* --- items --- */

/* Describes the measured or repaired value in *item. */
static enum outcome fill_item(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	item->at = weir_window_position(&scan->window);
	item->kind = scan->kind;
	item->array = scan->arrays;
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

/* Measures the value at the window's start and makes it an item. */
static enum outcome hand_out(struct weir_jsonscan *scan, enum weir_jsonscan_kind kind, int first,
                             struct weir_jsonscan_item *item)
{
	enum outcome outcome;

	scan->kind = kind;
	outcome = measure_value(scan, first);
	return outcome == OUTCOME_VALUE ? fill_item(scan, item) : outcome;
}

/* Returns true if the last key names the array of elements. */
static bool is_at_array(const struct weir_jsonscan *scan)
{
	return scan->options.array && scan->key_length == strlen(scan->options.array) &&
	       !memcmp(scan->key, scan->options.array, scan->key_length);
}

/* Copies the key at a quote to scan->key and moves past its colon. */
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

/* --- documents that nest their elements: objects in arrays in objects --- */

/* Enters the container at its opening bracket. */
static void push(struct weir_jsonscan *scan, int bracket, const char *key, bool elements)
{
	scan->window.at++;
	scan->frames[scan->depth++] = (struct frame){
		.close = bracket == '{' ? '}' : ']', .elements = elements, .key = key};
}

/* Closes the innermost container of this kind, with the containers in it that damage left open. */
static enum outcome pop(struct weir_jsonscan *scan, int close)
{
	unsigned depth = scan->depth;

	while (depth && scan->frames[depth - 1].close != close)
		depth--;
	if (!depth || depth != scan->depth)
		count_fault(scan, WEIR_JSONSCAN_SKIPPED);
	if (depth)
		scan->depth = depth - 1;
	scan->window.at++;
	return OUTCOME_NONE;
}

static enum outcome open_object(struct weir_jsonscan *scan, const char *key,
                                struct weir_jsonscan_item *item)
{
	*item = (struct weir_jsonscan_item){.kind = WEIR_JSONSCAN_OBJECT,
	                                    .key = weir_slice_of(key),
	                                    .text = {scan->window.at, 0},
	                                    .at = weir_window_position(&scan->window)};
	push(scan, '{', key, false);
	return OUTCOME_VALUE;
}

/* Returns the key of the options that equals the last key; NULL if its value is handed out whole.
 */
static const char *find_entered(const struct weir_jsonscan *scan)
{
	const struct weir_slice key = {scan->key, scan->key_length};

	for (const char *const *enter = scan->options.enter; *enter; enter++)
		if (weir_slice_equals(key, *enter))
			return *enter;
	return NULL;
}

/* Returns true if one more container may be entered; resume_elements() needs the last frame. */
static bool has_room(const struct weir_jsonscan *scan)
{
	return scan->depth < WALK_DEPTH - 1;
}

static enum outcome walk_value(struct weir_jsonscan *scan, int first,
                               struct weir_jsonscan_item *item)
{
	const char *key = first == '[' || first == '{' ? find_entered(scan) : NULL;

	if (first == ',' || first == '}') /* "rank": , */
		return OUTCOME_NONE;
	if (first == '[' && has_room(scan) && is_at_array(scan)) {
		push(scan, first, scan->options.array, true);
		return OUTCOME_NONE;
	}
	if (key && has_room(scan)) {
		if (first == '{')
			return open_object(scan, key, item);
		push(scan, first, key, false);
		return OUTCOME_NONE;
	}
	return hand_out(scan, WEIR_JSONSCAN_MEMBER, first, item);
}

static enum outcome walk_member(struct weir_jsonscan *scan, int first,
                                struct weir_jsonscan_item *item)
{
	enum outcome outcome;

	if (first != '"')
		return leave_out(scan, 0);
	outcome = take_key(scan);
	if (outcome != OUTCOME_VALUE)
		return outcome;
	first = peek(scan);
	return first < 0 ? stop_short(scan) : walk_value(scan, first, item);
}

/* Takes the next object of an array; other values are counted as skipped. */
static enum outcome walk_array(struct weir_jsonscan *scan, int first,
                               struct weir_jsonscan_item *item)
{
	enum outcome outcome;

	if (first == '{' && has_room(scan))
		return open_object(scan, top(scan)->key, item);
	outcome = hand_out(scan, WEIR_JSONSCAN_ELEMENT, first, item);
	if (outcome != OUTCOME_VALUE)
		return outcome;
	count_fault(scan, WEIR_JSONSCAN_SKIPPED);
	return OUTCOME_NONE;
}

static enum outcome walk_documents(struct weir_jsonscan *scan, int first,
                                   struct weir_jsonscan_item *item)
{
	if (first == '{')
		return open_object(scan, "", item);
	if (first == '[') {
		push(scan, first, "", false);
		return OUTCOME_NONE;
	}
	count_fault(scan, WEIR_JSONSCAN_TRAILING);
	if (walk_on(scan, 0))
		return OUTCOME_NONE;
	scan->state = STATE_END;
	return OUTCOME_STOP;
}

/* Takes one step through documents that nest their elements. */
static enum outcome walk(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	int first = peek(scan);

	if (first < 0 && !scan->depth) {
		scan->state = STATE_END;
		return OUTCOME_STOP;
	}
	if (first < 0)
		return stop_short(scan);
	if (first == ',') {
		scan->window.at++;
		return OUTCOME_NONE;
	}
	if (first == ']' || first == '}')
		return pop(scan, first);
	if (!scan->depth)
		return walk_documents(scan, first, item);
	if (top(scan)->close == '}')
		return walk_member(scan, first, item);
	if (top(scan)->elements)
		return hand_out(scan, WEIR_JSONSCAN_ELEMENT, first, item);
	return walk_array(scan, first, item);
}

/* --- other documents --- */

/* Enters another bare array at its bracket. */
static enum outcome begin_array(struct weir_jsonscan *scan)
{
	scan->window.at++;
	scan->arrays++;
	scan->state = STATE_ARRAY;
	return OUTCOME_NONE;
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
	if (first == '[' && scan->options.arrays) { /* the previous array has lost its end */
		count_fault(scan, WEIR_JSONSCAN_TRUNCATED);
		return begin_array(scan);
	}
	return hand_out(scan, WEIR_JSONSCAN_ELEMENT, first, item);
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
	if (first == '[' && is_at_array(scan)) {
		scan->window.at++;
		scan->state = STATE_ARRAY;
		return OUTCOME_NONE;
	}
	if (first == ',' || first == '}') /* "rank": , */
		return OUTCOME_NONE;
	return first < 0 ? stop_short(scan) : hand_out(scan, WEIR_JSONSCAN_MEMBER, first, item);
}

/* Checks the bytes after the document: blanks, another array if the options allow it, or more
 * elements if damage closed the document too early. */
static enum outcome finish(struct weir_jsonscan *scan)
{
	int first = peek(scan);

	scan->state = STATE_END;
	if (first < 0)
		return OUTCOME_STOP;
	if (first == '[' && scan->bare && scan->options.arrays)
		return begin_array(scan);
	if (first == ',' && scan->faults[WEIR_JSONSCAN_SKIPPED].count) {
		scan->state = STATE_ARRAY;
		return OUTCOME_NONE;
	}
	count_fault(scan, WEIR_JSONSCAN_TRAILING);
	return OUTCOME_STOP;
}

/* Enters the document, which must be an object or an array. The source skips a byte order mark. */
static enum outcome begin(struct weir_jsonscan *scan)
{
	int first = peek(scan);

	if (scan->options.enter) {
		scan->state = first == '{' || first == '[' ? STATE_WALK : STATE_START;
		return first == '{' || first == '[' ? OUTCOME_NONE : OUTCOME_STOP;
	}
	if (scan->options.lines || first == '[')
		scan->state = STATE_ARRAY;
	else if (first == '{')
		scan->state = STATE_OBJECT;
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
	case STATE_WALK:
		return walk(scan, item);
	case STATE_END:
		return OUTCOME_STOP;
	}
	return OUTCOME_STOP;
}

/* Hands out a rejected item once more, rewritten; leaves it out if it is rejected again. */
static enum outcome retry(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	enum outcome outcome;

	if (scan->repaired) {
		scan->repaired = false;
		scan->rejected = false;
		return leave_out(scan, scan->used ? scan->used - 1 : 0);
	}
	outcome = rewrite_value(scan);
	if (outcome != OUTCOME_VALUE)
		scan->rejected = false;
	return outcome == OUTCOME_VALUE ? fill_item(scan, item) : outcome;
}

/* Moves past the last item. */
static void pass(struct weir_jsonscan *scan)
{
	scan->window.at += scan->used;
	scan->used = 0;
	scan->repaired = false;
	weir_window_settle(&scan->window);
}

static enum outcome advance(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	if (scan->rejected)
		return retry(scan, item);
	pass(scan);
	return step(scan, item);
}

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

bool weir_jsonscan_is_between(struct weir_jsonscan *scan)
{
	if (scan->rejected || scan->state != STATE_ARRAY)
		return false;
	pass(scan);
	return scan->window.at == scan->window.stop && weir_window_is_drained(&scan->window);
}

void weir_jsonscan_skip(struct weir_jsonscan *scan, uint64_t elements)
{
	scan->elements += elements;
}

void weir_jsonscan_reject(struct weir_jsonscan *scan)
{
	scan->rejected = true;
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

enum weir_status weir_jsonscan_each(struct weir_jsonscan *scan, weir_jsonscan_taker take,
                                    void *context, struct weir_error *err)
{
	struct weir_jsonscan_item item = {.kind = WEIR_JSONSCAN_END};
	enum weir_status status;

	while (!(status = weir_jsonscan_next(scan, &item, err)) && item.kind != WEIR_JSONSCAN_END) {
		status = take(context, scan, &item, err);
		if (status)
			return status;
	}
	return status;
}
