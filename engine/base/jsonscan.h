/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a JSON document of any size through a fixed buffer: hands out the members of the outermost
 * object one by one, and the elements of one of its arrays. For files of events; small documents
 * are read with engine/base/json.
 *
 *	while (!(status = weir_jsonscan_next(scan, &item, err)) && item.kind != WEIR_JSONSCAN_END)
 *		... walk item.text with a struct weir_jsoncursor ...
 *		if (cursor.bad) weir_jsonscan_reject(scan);
 *
 * Files may be damaged. Faulty elements are repaired or left out, and counted by kind: an element
 * that the caller rejects is handed out once more with stray quotes and backslashes escaped. If it
 * is rejected again, the scan continues at the next place that looks like the start of an element.
 * Memory is bounded by the largest element, at most WEIR_JSONSCAN_MAX_VALUE.
 */
#ifndef WEIR_BASE_JSONSCAN_H
#define WEIR_BASE_JSONSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"

#define WEIR_JSONSCAN_MAX_VALUE (64u << 20) /* a larger element or member is left out */
#define WEIR_JSONSCAN_PADDING   64          /* readable bytes after every text handed out */

enum weir_jsonscan_fault_code {
	WEIR_JSONSCAN_TRUNCATED, /* the document does not end */
	WEIR_JSONSCAN_REPAIRED, /* an element with stray quotes, backslashes or raw control bytes */
	WEIR_JSONSCAN_SKIPPED,  /* an element beyond repair or beyond the size limit */
	WEIR_JSONSCAN_TOO_DEEP, /* an element nested deeper than WEIR_JSON_MAX_DEPTH; left out */
	WEIR_JSONSCAN_TRAILING, /* bytes after the document */
	WEIR_JSONSCAN_FAULTS
};

struct weir_jsonscan_fault {
	uint64_t count;
	uint64_t first_at; /* offset after decompression; valid if count > 0 */
};

enum weir_jsonscan_kind {
	WEIR_JSONSCAN_END,
	WEIR_JSONSCAN_MEMBER,  /* a member of the outermost object */
	WEIR_JSONSCAN_ELEMENT, /* an element of the array of events */
	WEIR_JSONSCAN_OBJECT,  /* the start of an entered object; `text` is empty */
};

/* Borrowed until the next call. */
struct weir_jsonscan_item {
	enum weir_jsonscan_kind kind;
	/* Key of a member, with its escapes; key of the container that holds an object. */
	struct weir_slice key;
	struct weir_slice text; /* the whole value */
	uint64_t at;            /* offset of the value after decompression */
	uint64_t number;        /* number of an element, from 1 */
	uint64_t array;         /* number of bare arrays before the element's array */
	bool plain;             /* no text in it holds a backslash or a control byte */
};

struct weir_jsonscan_options {
	const char *array; /* key of the array whose elements are handed out; NULL: no array */
	bool lines;        /* a sequence of documents, each an element */
	/* A sequence of bare arrays, as `cat` makes it: the elements of all arrays are handed out.
	 */
	bool arrays;
	/*
	 * For documents that nest their elements: a NULL-terminated list of the keys of members to
	 * enter at any depth; NULL: no such member. An object in such a member is handed out as
	 * WEIR_JSONSCAN_OBJECT, then member by member; `array` applies in each of them. Documents
	 * may follow each other and may be arrays of documents; `lines` is ignored. After damage
	 * the scan continues at the next line that begins with a brace, or at the next object whose
	 * first key is `first_key`.
	 */
	const char *const *enter;
	const char *first_key; /* usual first key of elements; may be NULL */
};

struct weir_jsonscan;

/* Borrows the source and the texts of the options until weir_jsonscan_free(). */
struct weir_jsonscan *weir_jsonscan_new(struct weir_source *source,
                                        const struct weir_jsonscan_options *options);
void weir_jsonscan_free(struct weir_jsonscan *scan);

/* Fails if the source fails, or if the document is neither an object nor an array. */
enum weir_status weir_jsonscan_next(struct weir_jsonscan *scan, struct weir_jsonscan_item *item,
                                    struct weir_error *err);
/* Rejects the last item as invalid JSON: the next call hands it out repaired, or leaves it out. */
void weir_jsonscan_reject(struct weir_jsonscan *scan);

/* Takes one item, which it may reject. A return other than WEIR_OK ends the scan. */
typedef enum weir_status (*weir_jsonscan_taker)(void *context, struct weir_jsonscan *scan,
                                                const struct weir_jsonscan_item *item,
                                                struct weir_error *err);
/* Calls `take` for every item but the end. */
enum weir_status weir_jsonscan_each(struct weir_jsonscan *scan, weir_jsonscan_taker take,
                                    void *context, struct weir_error *err);

/* Returns true if the scan is among the elements of an array and has handed out all bytes that it
 * has taken from the source, so that the elements which begin there may be skipped. */
bool weir_jsonscan_is_between(struct weir_jsonscan *scan);
/* Skips whole elements: `bytes` of the source, which the caller has read itself and skipped in the
 * source with weir_source_skip(). */
void weir_jsonscan_skip(struct weir_jsonscan *scan, uint64_t elements);

/* Returns the faults so far, indexed by enum weir_jsonscan_fault_code. */
const struct weir_jsonscan_fault *weir_jsonscan_faults(const struct weir_jsonscan *scan);
/* Returns true if the document is an array. */
bool weir_jsonscan_is_bare(const struct weir_jsonscan *scan);

#endif
