/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the scanner share: jsonscan.c knows the document, jsonscan_value.c its values,
 * jsonscan_walk.c documents that nest their elements. */
#ifndef WEIR_BASE_JSONSCAN_IMPL_H
#define WEIR_BASE_JSONSCAN_IMPL_H

#include "engine/base/jsonscan.h"
#include "engine/base/text.h"
#include "engine/base/window.h"

#define KEY_SIZE 256 /* longer keys of the outermost object are cut */

enum weir_jsonscan_state {
	STATE_START,
	STATE_OBJECT, /* among the members of the outermost object */
	STATE_ARRAY,  /* among the elements */
	STATE_AFTER,  /* behind the outermost value */
	STATE_WALK,   /* anywhere in documents that nest their elements */
	STATE_END,
};

#define WALK_DEPTH 16 /* containers stepped into; what lies deeper is handed out whole */

/* A container that was stepped into. */
struct weir_jsonscan_frame {
	char close;      /* ']' or '}' */
	bool elements;   /* its values are what is looked for */
	const char *key; /* what it lies under, from the options; "" for a document */
};

struct weir_jsonscan {
	struct weir_window window;
	struct weir_jsonscan_options options;
	enum weir_jsonscan_state state;
	bool bare;                    /* the outermost value is the array */
	bool rejected;                /* the caller could not read the last item */
	bool repaired;                /* the last item is a repaired one */
	bool plain;                   /* see struct weir_jsonscan_item */
	size_t used;                  /* bytes of the window that the last item takes */
	enum weir_jsonscan_kind kind; /* of the value that is measured */
	uint64_t elements;
	uint64_t arrays; /* bare ones that ended */
	uint64_t effort; /* bytes rewritten so far */
	struct weir_text repair;
	size_t key_length;
	char key[KEY_SIZE + WEIR_JSONSCAN_PADDING];
	unsigned depth; /* frames in use */
	struct weir_jsonscan_frame frames[WALK_DEPTH];
	struct weir_jsonscan_fault faults[WEIR_JSONSCAN_FAULTS];
};

enum weir_jsonscan_outcome {
	OUTCOME_VALUE, /* used bytes are a value */
	OUTCOME_NONE,  /* left out; look for the next one */
	OUTCOME_STOP,  /* the input ended */
};

/* The next byte that is not blank, without taking it; -1: the end. */
int weir_jsonscan_peek(struct weir_jsonscan *scan);
void weir_jsonscan_count(struct weir_jsonscan *scan, enum weir_jsonscan_fault_code code);

/* Bytes of the text at the window's beginning, quotes included; 0: it does not end, or not within
 * the limit. */
size_t weir_jsonscan_measure_text(struct weir_jsonscan *scan);
/* Measures the value at the window's beginning, which starts with `first`, into scan->used. */
enum weir_jsonscan_outcome weir_jsonscan_measure(struct weir_jsonscan *scan, int first);
/* Rewrites the value at the window's beginning into scan->repair. */
enum weir_jsonscan_outcome weir_jsonscan_rewrite(struct weir_jsonscan *scan);

/* Gives up on what is here: moves to the next thing that looks like an element, `skip` bytes on at
 * least. */
enum weir_jsonscan_outcome weir_jsonscan_leave_out(struct weir_jsonscan *scan, size_t skip);
/* Measures the value at the window's beginning, which starts with `first`, and makes it an item. */
enum weir_jsonscan_outcome weir_jsonscan_hand_out(struct weir_jsonscan *scan,
                                                  enum weir_jsonscan_kind kind, int first,
                                                  struct weir_jsonscan_item *item);
/* At a quote: the key goes to scan->key, the window behind the colon. */
enum weir_jsonscan_outcome weir_jsonscan_take_key(struct weir_jsonscan *scan);
/* Whether that key names the array of elements. */
bool weir_jsonscan_at_array(const struct weir_jsonscan *scan);

/* One step through documents that nest their elements. */
enum weir_jsonscan_outcome weir_jsonscan_walk(struct weir_jsonscan *scan,
                                              struct weir_jsonscan_item *item);
/* The same as moving to the next element, for them. */
bool weir_jsonscan_walk_on(struct weir_jsonscan *scan, size_t skip);

/* The input ended early: between values, or inside one that may yet be rewritten. */
enum weir_jsonscan_outcome weir_jsonscan_stop_short(struct weir_jsonscan *scan);
enum weir_jsonscan_outcome weir_jsonscan_end_inside(struct weir_jsonscan *scan);

#endif
