/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents that nest their elements: objects in arrays in objects, one document or many. */
#include <string.h>

#include "engine/base/jsonscan_impl.h"

#define MAX_WASTE  32 /* bytes looked at in vain for each byte read */
#define WASTE_FREE 65536
#define MAX_BLANKS 4096 /* between a brace and the key that tells an element */

static struct weir_jsonscan_frame *top(struct weir_jsonscan *scan)
{
	return &scan->frames[scan->depth - 1];
}

/* Behind the opening bracket. */
static void push(struct weir_jsonscan *scan, int bracket, const char *key, bool elements)
{
	scan->window.at++;
	scan->frames[scan->depth++] = (struct weir_jsonscan_frame){
		.close = bracket == '{' ? '}' : ']', .elements = elements, .key = key};
}

/* A closing bracket closes the innermost container of its kind, and what damage left open in it. */
static enum weir_jsonscan_outcome pop(struct weir_jsonscan *scan, int close)
{
	unsigned depth = scan->depth;

	while (depth && scan->frames[depth - 1].close != close)
		depth--;
	if (!depth || depth != scan->depth)
		weir_jsonscan_count(scan, WEIR_JSONSCAN_SKIPPED);
	if (depth)
		scan->depth = depth - 1;
	scan->window.at++;
	return OUTCOME_NONE;
}

static enum weir_jsonscan_outcome open_object(struct weir_jsonscan *scan, const char *key,
                                              struct weir_jsonscan_item *item)
{
	*item = (struct weir_jsonscan_item){.kind = WEIR_JSONSCAN_OBJECT,
	                                    .key = weir_slice_of(key),
	                                    .text = {scan->window.at, 0},
	                                    .at = weir_window_position(&scan->window)};
	push(scan, '{', key, false);
	return OUTCOME_VALUE;
}

/* The key of the options that the key just taken is; NULL: it is not stepped into. */
static const char *find_entered(const struct weir_jsonscan *scan)
{
	const struct weir_slice key = {scan->key, scan->key_length};

	for (const char *const *enter = scan->options.enter; *enter; enter++)
		if (weir_slice_equals(key, *enter))
			return *enter;
	return NULL;
}

/* Whether a container may be stepped into; one place is kept for what walk_on() pushes. */
static bool has_room(const struct weir_jsonscan *scan)
{
	return scan->depth < WALK_DEPTH - 1;
}

static enum weir_jsonscan_outcome walk_value(struct weir_jsonscan *scan, int first,
                                             struct weir_jsonscan_item *item)
{
	const char *key = first == '[' || first == '{' ? find_entered(scan) : NULL;

	if (first == ',' || first == '}') /* "rank": , */
		return OUTCOME_NONE;
	if (first == '[' && has_room(scan) && weir_jsonscan_at_array(scan)) {
		push(scan, first, scan->options.array, true);
		return OUTCOME_NONE;
	}
	if (key && has_room(scan)) {
		if (first == '{')
			return open_object(scan, key, item);
		push(scan, first, key, false);
		return OUTCOME_NONE;
	}
	return weir_jsonscan_hand_out(scan, WEIR_JSONSCAN_MEMBER, first, item);
}

static enum weir_jsonscan_outcome walk_member(struct weir_jsonscan *scan, int first,
                                              struct weir_jsonscan_item *item)
{
	enum weir_jsonscan_outcome outcome;

	if (first != '"')
		return weir_jsonscan_leave_out(scan, 0);
	outcome = weir_jsonscan_take_key(scan);
	if (outcome != OUTCOME_VALUE)
		return outcome;
	first = weir_jsonscan_peek(scan);
	return first < 0 ? weir_jsonscan_stop_short(scan) : walk_value(scan, first, item);
}

/* Among the objects of an array that is stepped into; what else is there is passed over. */
static enum weir_jsonscan_outcome walk_array(struct weir_jsonscan *scan, int first,
                                             struct weir_jsonscan_item *item)
{
	enum weir_jsonscan_outcome outcome;

	if (first == '{' && has_room(scan))
		return open_object(scan, top(scan)->key, item);
	outcome = weir_jsonscan_hand_out(scan, WEIR_JSONSCAN_ELEMENT, first, item);
	if (outcome != OUTCOME_VALUE)
		return outcome;
	weir_jsonscan_count(scan, WEIR_JSONSCAN_SKIPPED);
	return OUTCOME_NONE;
}

static enum weir_jsonscan_outcome walk_documents(struct weir_jsonscan *scan, int first,
                                                 struct weir_jsonscan_item *item)
{
	if (first == '{')
		return open_object(scan, "", item);
	if (first == '[') {
		push(scan, first, "", false);
		return OUTCOME_NONE;
	}
	weir_jsonscan_count(scan, WEIR_JSONSCAN_TRAILING);
	if (weir_jsonscan_walk_on(scan, 0))
		return OUTCOME_NONE;
	scan->state = STATE_END;
	return OUTCOME_STOP;
}

enum weir_jsonscan_outcome weir_jsonscan_walk(struct weir_jsonscan *scan,
                                              struct weir_jsonscan_item *item)
{
	int first = weir_jsonscan_peek(scan);

	if (first < 0 && !scan->depth) {
		scan->state = STATE_END;
		return OUTCOME_STOP;
	}
	if (first < 0)
		return weir_jsonscan_stop_short(scan);
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
		return weir_jsonscan_hand_out(scan, WEIR_JSONSCAN_ELEMENT, first, item);
	return walk_array(scan, first, item);
}

/* What a brace begins: 1: an element, 0: something else, -1: cannot tell before more is there. */
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

/* At a brace that begins an element, whatever container damage left the scan in. */
static bool resume_elements(struct weir_jsonscan *scan)
{
	if (!scan->depth || !top(scan)->elements)
		scan->frames[scan->depth++] = (struct weir_jsonscan_frame){
			.close = ']', .elements = true, .key = scan->options.array};
	return true;
}

static bool resume_documents(struct weir_jsonscan *scan)
{
	scan->depth = 0;
	return true;
}

/*
 * All looking in vain together is bounded by a multiple of what was read, so that no input can make
 * it take longer than that.
 */
bool weir_jsonscan_walk_on(struct weir_jsonscan *scan, size_t skip)
{
	struct weir_window *window = &scan->window;
	size_t left = (size_t)(window->stop - window->at);
	bool line = false; /* the byte before is the end of a line */

	scan->effort += left;
	if (scan->effort / MAX_WASTE > weir_window_position(window) + WASTE_FREE)
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
