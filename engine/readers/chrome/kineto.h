/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to the readers of Chrome's trace events. kineto.c reads a document and the members beside
 * its events; kineto_event.c takes an event apart and adds it to the builder as PyTorch's profiler
 * means it. Other writers (chrome.c, onnxruntime.c, xla.c) bring a dialect with their own emit().
 */
#ifndef WEIR_READERS_CHROME_KINETO_H
#define WEIR_READERS_CHROME_KINETO_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/jsonscan.h"
#include "engine/base/keyindex.h"
#include "engine/base/text.h"
#include "engine/readers/trace/builder.h"

enum kineto_key {
	/* keys of the event */
	KEY_PH,
	KEY_CAT,
	KEY_NAME,
	KEY_PID,
	KEY_TID,
	KEY_TS,
	KEY_DUR,
	KEY_ID,
	KEY_ID2,
	KEY_SCOPE,
	KEY_ARGS,
	/* keys of its args */
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
	/* keys of the args of other writers */
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
	ARG_PROVIDER,
	ARG_BEGIN_NS,
	ARG_END_NS,
	KINETO_KEYS
};

/* An event, with values borrowed from the scanned item: texts without quotes and with escapes
 * unresolved, arrays and objects as written. */
struct kineto_event {
	uint64_t present; /* a bit for each key */
	bool plain;       /* the event has no escapes and no control bytes */
	bool sloppy;      /* empty members were skipped */
	uint64_t at;      /* byte of the event in the file */
	uint64_t number;  /* of the event in the list, from 1 */
	struct weir_slice value[KINETO_KEYS];
};

struct kineto_keys {
	struct weir_keyindex fields, args;
};

struct kineto_reader;

/* Differences between the writers of Chrome's trace events. */
struct kineto_dialect {
	const struct weir_keyindex_entry *args;     /* keys of an event's args; NULL: Kineto's */
	void (*emit)(struct kineto_reader *reader); /* adds reader->event to the builder */
	/* Called after the last event to check and finish the trace; NULL: weir_kineto_conclude().
	 */
	enum weir_status (*conclude)(struct kineto_reader *reader, struct weir_error *err);
	bool arrays; /* a file may hold several bare arrays, one after another */
	bool ranges; /* complete events of unknown categories are ranges on the host */
	/* emit() uses no state but the reader's: several threads may read parts of one file. */
	bool divides;
};

struct kineto_rows;
struct kineto_pattern_sets;

struct kineto_reader {
	const struct kineto_dialect *dialect;
	void *context; /* state of the dialect */
	struct weir_input *input;
	struct weir_builder *builder;
	struct kineto_keys keys;
	struct weir_keyindex categories, members;
	struct kineto_event event;
	struct weir_text scratch;
	struct kineto_rows *rows;
	struct kineto_pattern_sets *patterns; /* of the threads that read blocks */
	uint64_t expected_bytes;              /* see weir_source_expected_bytes() */
	uint64_t sample_bytes;     /* read before the number of rows is extrapolated again */
	uint64_t usual_bytes;      /* the most that a trace of this stored size decodes to */
	uint64_t timed;            /* events of a known category with usable times */
	uint64_t known;            /* events of a known category */
	uint64_t unpadded, padded; /* time stamps with fewer than 3 decimals; with 3, the last 0 */
	bool legacy;               /* written by PyTorch's profiler before Kineto */
	bool agents;               /* ROCm: device ids may be those of HSA agents */
	bool head;                 /* has members that only PyTorch's profiler writes */
	char first_problem[160];   /* describes the first event that could not be used */
};

/* kineto.c */

/* Reads a document of trace events: an object with traceEvents, or a bare array of events. */
enum weir_status weir_kineto_read(const struct kineto_dialect *dialect, void *context,
                                  struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err);
/* Finishes the trace. Fails, saying why, if the document has no event with a time. */
enum weir_status weir_kineto_conclude(struct kineto_reader *reader, struct weir_error *err);
/* Fails if PyTorch's profiler before Kineto wrote the trace. */
enum weir_status weir_kineto_check_legacy(const struct kineto_reader *reader,
                                          struct weir_error *err);

/* kineto_blocks.c: blocks of a file that other threads read ahead */

struct weir_blocks;

/* Divides the source; see weir_source_division(). Borrows both until weir_kineto_blocks_free(). */
struct weir_blocks *weir_kineto_blocks_new(struct kineto_reader *reader,
                                           struct weir_source *source);
void weir_kineto_blocks_free(struct kineto_reader *reader, struct weir_blocks *blocks);
/* Adds the next blocks as far as other threads have read them without any doubt. The scan, which
 * reads `fed`, must be between elements: weir_jsonscan_is_between(). */
void weir_kineto_blocks_add(struct kineto_reader *reader, struct weir_blocks *blocks,
                            struct weir_jsonscan *scan, struct weir_source *fed);

/* kineto_event.c */

/* Creates a reader whose builder fills the input; borrows all three. `members` is not set. */
struct kineto_reader *weir_kineto_reader_new(const struct kineto_dialect *dialect, void *context,
                                             struct weir_input *input);
void weir_kineto_reader_free(struct kineto_reader *reader);

enum kineto_read {
	KINETO_READ_EVENT,
	KINETO_READ_OTHER,  /* the item is not an object */
	KINETO_READ_BROKEN, /* the item is not JSON; the scanner must repair or skip it */
};

/* Parses an item into the event, which it overwrites. */
enum kineto_read weir_kineto_event_read(const struct kineto_keys *keys,
                                        const struct weir_jsonscan_item *item,
                                        struct kineto_event *event);

static inline bool weir_kineto_has(const struct kineto_event *event, enum kineto_key key)
{
	return event->present >> key & 1;
}

/* Returns the value of a key; empty if the event lacks it. */
static inline struct weir_slice weir_kineto_value(const struct kineto_event *event,
                                                  enum kineto_key key)
{
	return weir_kineto_has(event, key) ? event->value[key] : (struct weir_slice){0};
}

/* Returns the strides of an operator's arguments; empty if no stride is 0 and no
 * tensor has gaps between its elements. */
struct weir_slice weir_kineto_used_strides(const struct kineto_event *event);

/* Returns the value of a key; the fallback if it is missing or not a whole number. */
int64_t weir_kineto_int(const struct kineto_event *event, enum kineto_key key, int64_t fallback);
/* Returns an id, which is positive; 0 if there is no id. */
uint64_t weir_kineto_id(const struct kineto_event *event, enum kineto_key key);
/* Returns the product of the sizes of a grid or block, at most UINT32_MAX; 0: unknown. */
uint32_t weir_kineto_product(const struct kineto_event *event, enum kineto_key key);
/* Returns an id of a process, thread, device or stream: the number at the end of a text such as
 * "stream 7"; for texts without one a negative hash of the text; -1 if the key is missing. */
int64_t weir_kineto_place(const struct kineto_event *event, enum kineto_key key);

/* Returns the text of a key with its escapes resolved; borrowed until the next call. */
struct weir_slice weir_kineto_text(struct kineto_reader *reader, enum kineto_key key);

/* Adds reader->event to the builder, as an event of PyTorch's profiler. */
void weir_kineto_emit(struct kineto_reader *reader);

/* Returns true if the event's category is one of Kineto's. */
bool weir_kineto_knows(const struct kineto_reader *reader);
/* Read the start, or start and end, of the event in nanoseconds. They return false, and count the
 * event, if it cannot be used. */
bool weir_kineto_start(struct kineto_reader *reader, int64_t *start_ns);
bool weir_kineto_times(struct kineto_reader *reader, int64_t *start_ns, int64_t *end_ns);
/* Counts an event that cannot be used. The first one is described with `expected`. */
void weir_kineto_refuse(struct kineto_reader *reader, enum weir_warning_code code,
                        const char *expected);
/* Warns of an event whose category is unknown. */
void weir_kineto_warn_unknown(struct kineto_reader *reader, struct weir_slice category,
                              uint64_t at);
/* Names a process or a thread, if the event does so. */
void weir_kineto_metadata(struct kineto_reader *reader);
/* Returns the number of bits in the head that only PyTorch's profiler writes: a category, or a name
 * of a process from before Kineto; 0 if there is no such text. */
int weir_kineto_sniff(const char *head, size_t len);

/* rows.c */

/*
 * Holds events of unknown categories until all processes are named. Those in the process of a
 * device ("GPU0" and "COPY" of ROCm's tools, "Ascend Hardware", "MTIA 17") then become device work.
 * Others become ranges of the host, or a warning: see `ranges`.
 */
struct kineto_rows *weir_kineto_rows_new(void);
void weir_kineto_rows_free(struct kineto_rows *rows);
/* Forgets all events, arrows and processes. Returns true if there were any. */
bool weir_kineto_rows_clear(struct kineto_rows *rows);
/* Keeps the name of a process; the first one counts. */
void weir_kineto_rows_name(struct kineto_reader *reader);
/* Holds the current event, which is complete ("X"). */
void weir_kineto_rows_hold(struct kineto_reader *reader);
/* Holds one end of an arrow from a launch to its work: 's', 't' or 'f'. */
void weir_kineto_rows_hold_flow(struct kineto_reader *reader);
/* Adds all held events to the builder. */
void weir_kineto_rows_place(struct kineto_reader *reader);

#endif
