/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsonscan_impl.h"

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

static enum weir_jsonscan_outcome fill_item(struct weir_jsonscan *scan,
                                            struct weir_jsonscan_item *item)
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

enum weir_jsonscan_outcome weir_jsonscan_hand_out(struct weir_jsonscan *scan,
                                                  enum weir_jsonscan_kind kind, int first,
                                                  struct weir_jsonscan_item *item)
{
	enum weir_jsonscan_outcome outcome;

	scan->kind = kind;
	outcome = weir_jsonscan_measure(scan, first);
	return outcome == OUTCOME_VALUE ? fill_item(scan, item) : outcome;
}

/* At the bracket of another array. */
static enum weir_jsonscan_outcome begin_array(struct weir_jsonscan *scan)
{
	scan->window.at++;
	scan->arrays++;
	scan->state = STATE_ARRAY;
	return OUTCOME_NONE;
}

static enum weir_jsonscan_outcome next_element(struct weir_jsonscan *scan,
                                               struct weir_jsonscan_item *item)
{
	int first = weir_jsonscan_peek(scan);

	if (first < 0) {
		if (scan->options.lines)
			scan->state = STATE_END;
		return weir_jsonscan_stop_short(scan);
	}
	if (first == ',' || first == ']')
		scan->window.at++;
	if (first == ']')
		scan->state = scan->bare ? STATE_AFTER : STATE_OBJECT;
	if (first == ',' || first == ']')
		return OUTCOME_NONE;
	if (first == '[' && scan->options.arrays) { /* the array before has lost its end */
		weir_jsonscan_count(scan, WEIR_JSONSCAN_TRUNCATED);
		return begin_array(scan);
	}
	return weir_jsonscan_hand_out(scan, WEIR_JSONSCAN_ELEMENT, first, item);
}

bool weir_jsonscan_at_array(const struct weir_jsonscan *scan)
{
	return scan->options.array && scan->key_length == strlen(scan->options.array) &&
	       !memcmp(scan->key, scan->options.array, scan->key_length);
}

enum weir_jsonscan_outcome weir_jsonscan_take_key(struct weir_jsonscan *scan)
{
	size_t length = weir_jsonscan_measure_text(scan);

	if (!length)
		return scan->window.ended ? weir_jsonscan_end_inside(scan)
		                          : weir_jsonscan_leave_out(scan, 1);
	scan->key_length = length - 2 < KEY_SIZE ? length - 2 : KEY_SIZE;
	memcpy(scan->key, scan->window.at + 1, scan->key_length);
	scan->window.at += length;
	if (weir_jsonscan_peek(scan) != ':')
		return weir_jsonscan_leave_out(scan, 0);
	scan->window.at++;
	return OUTCOME_VALUE;
}

static enum weir_jsonscan_outcome next_member(struct weir_jsonscan *scan,
                                              struct weir_jsonscan_item *item)
{
	enum weir_jsonscan_outcome outcome;
	int first = weir_jsonscan_peek(scan);

	if (first < 0)
		return weir_jsonscan_stop_short(scan);
	if (first == ',' || first == '}')
		scan->window.at++;
	if (first == '}')
		scan->state = STATE_AFTER;
	if (first == ',' || first == '}')
		return OUTCOME_NONE;
	if (first != '"')
		return weir_jsonscan_leave_out(scan, 0);
	outcome = weir_jsonscan_take_key(scan);
	if (outcome != OUTCOME_VALUE)
		return outcome;
	first = weir_jsonscan_peek(scan);
	if (first == '[' && weir_jsonscan_at_array(scan)) {
		scan->window.at++;
		scan->state = STATE_ARRAY;
		return OUTCOME_NONE;
	}
	if (first == ',' || first == '}') /* "rank": , */
		return OUTCOME_NONE;
	return first < 0 ? weir_jsonscan_stop_short(scan)
	                 : weir_jsonscan_hand_out(scan, WEIR_JSONSCAN_MEMBER, first, item);
}

/* Behind the document: nothing but blanks, unless damage closed it too early and elements go on, or
 * more arrays are wanted. */
static enum weir_jsonscan_outcome finish(struct weir_jsonscan *scan)
{
	int first = weir_jsonscan_peek(scan);

	scan->state = STATE_END;
	if (first < 0)
		return OUTCOME_STOP;
	if (first == '[' && scan->bare && scan->options.arrays)
		return begin_array(scan);
	if (first == ',' && scan->faults[WEIR_JSONSCAN_SKIPPED].count) {
		scan->state = STATE_ARRAY;
		return OUTCOME_NONE;
	}
	weir_jsonscan_count(scan, WEIR_JSONSCAN_TRAILING);
	return OUTCOME_STOP;
}

/* A byte order mark is the source's business; what is left must open an object or an array. */
static enum weir_jsonscan_outcome begin(struct weir_jsonscan *scan)
{
	int first = weir_jsonscan_peek(scan);

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

static enum weir_jsonscan_outcome step(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
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
		return weir_jsonscan_walk(scan, item);
	case STATE_END:
		return OUTCOME_STOP;
	}
	return OUTCOME_STOP;
}

/* The caller could not read the last item: once more, rewritten; a second time, without it. */
static enum weir_jsonscan_outcome retry(struct weir_jsonscan *scan, struct weir_jsonscan_item *item)
{
	enum weir_jsonscan_outcome outcome;

	if (scan->repaired) {
		scan->repaired = false;
		scan->rejected = false;
		return weir_jsonscan_leave_out(scan, scan->used ? scan->used - 1 : 0);
	}
	outcome = weir_jsonscan_rewrite(scan);
	if (outcome != OUTCOME_VALUE)
		scan->rejected = false;
	return outcome == OUTCOME_VALUE ? fill_item(scan, item) : outcome;
}

static enum weir_jsonscan_outcome advance(struct weir_jsonscan *scan,
                                          struct weir_jsonscan_item *item)
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
	enum weir_jsonscan_outcome outcome = OUTCOME_NONE;

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
