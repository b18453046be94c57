/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of Kineto's events, old and new spellings, and one event taken apart. Shared by the
 * files of the reader. */
#ifndef WEIR_READERS_CHROME_KINETO_EVENT_H
#define WEIR_READERS_CHROME_KINETO_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/jsonscan.h"
#include "engine/base/keyindex.h"

enum kineto_key {
	/* of the event itself */
	KEY_PH,
	KEY_CAT,
	KEY_NAME,
	KEY_PID,
	KEY_TID,
	KEY_TS,
	KEY_DUR,
	KEY_ID,
	KEY_ARGS,
	/* of its args */
	ARG_CORRELATION,
	ARG_EXTERNAL,
	ARG_DEVICE,
	ARG_STREAM,
	ARG_GRID,
	ARG_BLOCK,
	ARG_BYTES,
	ARG_GRAPH,
	ARG_GRAPH_NODE,
	ARG_DIMS,
	ARG_TYPES,
	ARG_SCALARS,
	ARG_STRIDES,
	ARG_COLLECTIVE,
	ARG_GROUP,
	ARG_GROUP_RANKS,
	ARG_DTYPE,
	ARG_ELEMENTS_IN,
	ARG_ELEMENTS_OUT,
	ARG_GROUP_SIZE,
	ARG_SEQUENCE,
	ARG_MEMORY_BYTES,
	ARG_ALLOCATED,
	ARG_RESERVED,
	ARG_MEMORY_DEVICE,
	ARG_DEVICE_TYPE,
	ARG_SYNC_KIND,
	ARG_WAIT_STREAM,
	ARG_WAIT_CORRELATION,
	ARG_NAME,
	/* of the args of other writers */
	ARG_OP_NAME,
	ARG_KERNEL_DETAILS,
	ARG_COPY_DETAILS,
	ARG_STEP,
	ARG_GRID_X,
	ARG_GRID_Y,
	ARG_GRID_Z,
	ARG_BLOCK_X,
	ARG_BLOCK_Y,
	ARG_BLOCK_Z,
	KINETO_KEYS
};

/* Values borrowed from the scanned item: texts without quotes and with their escapes, arrays and
 * objects as they stand. */
struct kineto_event {
	uint64_t present; /* a bit a key */
	bool plain;       /* no escapes, no control bytes */
	bool sloppy;      /* empty members were passed over */
	uint64_t at, number;
	struct weir_slice value[KINETO_KEYS];
};

struct kineto_keys {
	struct weir_keyindex fields, args;
};

/* args: which keys of an event's args are kept as what; NULL: Kineto's. */
void weir_kineto_keys_init(struct kineto_keys *keys, const struct weir_keyindex_entry *args);

enum kineto_read {
	KINETO_READ_EVENT,
	KINETO_READ_OTHER,  /* no object */
	KINETO_READ_BROKEN, /* no JSON: to be rejected */
};

/* Takes an element apart; the event is overwritten. */
enum kineto_read weir_kineto_event_read(const struct kineto_keys *keys,
                                        const struct weir_jsonscan_item *item,
                                        struct kineto_event *event);

static inline bool weir_kineto_has(const struct kineto_event *event, enum kineto_key key)
{
	return event->present >> key & 1;
}

/* Empty where the event does not have the key. */
static inline struct weir_slice weir_kineto_value(const struct kineto_event *event,
                                                  enum kineto_key key)
{
	return weir_kineto_has(event, key) ? event->value[key] : (struct weir_slice){0};
}

/* The strides of an operator's arguments, empty where none of them is 0. */
struct weir_slice weir_kineto_zero_strides(const struct kineto_event *event);

/* The fallback where the key is missing or no whole number. */
int64_t weir_kineto_int(const struct kineto_event *event, enum kineto_key key, int64_t fallback);
/* The same for ids, which are positive: 0 is none. */
uint64_t weir_kineto_id(const struct kineto_event *event, enum kineto_key key);
/* Product of a grid or block; 0: unknown, UINT32_MAX: that or more. */
uint32_t weir_kineto_product(const struct kineto_event *event, enum kineto_key key);
/* "stream 7" is 7; texts without a number at their end give a negative number that is theirs. */
int64_t weir_kineto_place(const struct kineto_event *event, enum kineto_key key);

#endif
