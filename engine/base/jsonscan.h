/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pulls a JSON document of any size through a fixed buffer: an object's members one by one, one
 * array of it element by element. For files of events; small documents go through engine/base/json.
 *
 *	while (!(status = weir_jsonscan_next(scan, &item, err)) && item.kind != WEIR_JSONSCAN_END)
 *		... walk item.text with a struct weir_jsoncursor ...
 *		if (cursor.bad) weir_jsonscan_reject(scan);
 *
 * Damaged files are expected. What cannot be read is repaired or left out, and counted by kind in
 *`faults`: an element that the caller rejects is rewritten with stray quotes and backslashes
 * escaped and handed out once more, and when that does not help the scan goes on at the next place
 * that looks like the start of an element. Memory is bounded by the largest element, at most
 * WEIR_JSONSCAN_MAX_VALUE.
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
#define WEIR_JSONSCAN_PADDING                                                                      \
	64 /* bytes that may be read, not used, after every text handed out                        \
	    */

enum weir_jsonscan_fault_code {
	WEIR_JSONSCAN_TRUNCATED, /* the document does not end */
	WEIR_JSONSCAN_REPAIRED, /* an element with stray quotes, backslashes or raw control bytes */
	WEIR_JSONSCAN_SKIPPED,  /* an element beyond repair or beyond the size limit */
	WEIR_JSONSCAN_TOO_DEEP, /* nested beyond WEIR_JSON_MAX_DEPTH; left out */
	WEIR_JSONSCAN_TRAILING, /* bytes after the document */
	WEIR_JSONSCAN_FAULTS
};

struct weir_jsonscan_fault {
	uint64_t count;
	uint64_t first_at; /* byte after decompression; valid where count > 0 */
};

enum weir_jsonscan_kind {
	WEIR_JSONSCAN_END,
	WEIR_JSONSCAN_MEMBER,  /* of the outermost object */
	WEIR_JSONSCAN_ELEMENT, /* of the array of events */
	WEIR_JSONSCAN_OBJECT, /* the beginning of an object that is stepped into; `text` is empty */
};

/* Borrowed until the next call. */
struct weir_jsonscan_item {
	enum weir_jsonscan_kind kind;
	struct weir_slice
		key; /* of a member, escapes as written; of an object: what it lies under */
	struct weir_slice text; /* the value, complete */
	uint64_t at;            /* its byte after decompression */
	uint64_t number;        /* of an element, from 1 */
	uint64_t array;         /* of an element: how many bare arrays came before its own */
	bool plain;             /* no text in it holds a backslash or a control byte */
};

struct weir_jsonscan_options {
	const char *array; /* the member whose value is handed out element by element; NULL: none */
	bool lines;        /* documents one after another: each is an element */
	/* Bare arrays of objects one after another, as `cat` makes them: the elements of all. */
	bool arrays;
	/*
	 * NULL, or the keys of members that are stepped into at any depth, for documents that nest
	 * their elements: a NULL-terminated list. The objects in such a member are handed out as
	 * WEIR_JSONSCAN_OBJECT and then member by member, and `array` counts in each of them.
	 * Documents may follow each other and may be arrays of documents; `lines` is not used. A
	 * damaged document costs as much of it as lies before the next line that begins with a
	 * brace, or before the next object whose first key is `first_key`.
	 */
	const char *const *enter;
	const char *first_key; /* what elements usually begin with; may be NULL */
};

struct weir_jsonscan;

/* Borrows the source and the texts of the options until weir_jsonscan_free(). */
struct weir_jsonscan *weir_jsonscan_new(struct weir_source *source,
                                        const struct weir_jsonscan_options *options);
void weir_jsonscan_free(struct weir_jsonscan *scan);

/* Fails where the source fails, and on a document that is neither an object nor an array. */
enum weir_status weir_jsonscan_next(struct weir_jsonscan *scan, struct weir_jsonscan_item *item,
                                    struct weir_error *err);
/* The last item is no JSON: it comes back repaired, or not at all. */
void weir_jsonscan_reject(struct weir_jsonscan *scan);

/* Takes one item, which it may reject; what it returns other than WEIR_OK ends the reading. */
typedef enum weir_status (*weir_jsonscan_taker)(void *context, struct weir_jsonscan *scan,
                                                const struct weir_jsonscan_item *item,
                                                struct weir_error *err);
/* Hands out every item up to the end, which is not handed out. */
enum weir_status weir_jsonscan_each(struct weir_jsonscan *scan, weir_jsonscan_taker take,
                                    void *context, struct weir_error *err);

const struct weir_jsonscan_fault *
weir_jsonscan_faults(const struct weir_jsonscan *scan);       /* one a code */
bool weir_jsonscan_is_bare(const struct weir_jsonscan *scan); /* the document is an array */

#endif
