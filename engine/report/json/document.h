/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes a JSON document once for both directions: a table of members for each struct, which
 * weir_document_write() writes and weir_document_read() fills. Keys are written in the order of the
 * table. Reading takes them in any order and skips unknown keys, since a later version may have
 * written them. document_tables.h has the macros of the tables.
 *
 * A document that is read is hostile input. Every list and text has a limit, every value a type,
 * and an error names the place: "rows[3]: baseline: expected a number or null". A missing key means
 * the same as null: NAN, NULL, an empty list, 0 or false.
 */
#ifndef WEIR_REPORT_JSON_DOCUMENT_H
#define WEIR_REPORT_JSON_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/jsonout.h"

#define WEIR_DOCUMENT_MAX_TEXT 65536 /* bytes of one text or key */
#define WEIR_DOCUMENT_MAX_COUNT                                                                    \
	9007199254740991 /* 2^53 - 1: doubles hold all integers up to it                           \
	                  */

/* The type of a member in C and its form in JSON. */
enum weir_member_kind {
	WEIR_MEMBER_TEXT,    /* const char *; NULL: null */
	WEIR_MEMBER_BOOL,    /* bool */
	WEIR_MEMBER_INTEGER, /* integer of `size` bytes, from `least` to `most` */
	WEIR_MEMBER_SHARE,   /* double, at most six decimals; NAN: null, as in the next two */
	WEIR_MEMBER_WHOLE,   /* double, rounded to an integer: nanoseconds, bytes */
	WEIR_MEMBER_EXACT,   /* double, shortest text that reads back equal */
	WEIR_MEMBER_OPEN,    /* double, rounded: the upper end of an interval; INFINITY: null */
	WEIR_MEMBER_ENUM,    /* enum; its name in `texts` */
	WEIR_MEMBER_NAMED, /* array that is indexed by the enum of `texts`: an object with a key for
	                      each value; `element` describes the elements */
	WEIR_MEMBER_OBJECT,  /* struct of `schema` inside the struct, or the struct itself */
	WEIR_MEMBER_POINTER, /* pointer to a struct of `schema`, of `size` bytes; NULL: null */
	WEIR_MEMBER_LIST,    /* rows of `schema`, of `size` bytes, and their number as a size_t at
	                        `count`: pointed to, or `inside` the struct */
	WEIR_MEMBER_MAP,     /* rows as an object: each begins with a const char *, its key */
	WEIR_MEMBER_LITERAL, /* `literal`; not read */
	WEIR_MEMBER_SPECIAL, /* `put` and `take` do everything, including the place in an error */
};

/* Condition for a value; without one the member is null, or left out with `omit`. */
enum weir_presence {
	WEIR_ALWAYS,
	WEIR_IF_FLAG,     /* the bool at `when`; reading sets it */
	WEIR_IF_COUNT,    /* the uint64_t or size_t at `when` is not 0 */
	WEIR_IF_POINTER,  /* the pointer at `when` is not NULL */
	WEIR_IF_KNOWN,    /* the double at `when` is not NAN */
	WEIR_IF_POSITIVE, /* the double at `when` is above 0 */
};

struct weir_document_writer {
	struct weir_jsonout *json;
	const void *root; /* the struct of the whole document */
	size_t row;       /* index of the row that is written, in the innermost list */
};

struct weir_document_reader {
	struct weir_arena *arena; /* holds every text and row that is read */
	void *root;               /* the struct of the whole document */
	void *context;            /* for special members */
	double max_figure;        /* largest absolute value of a number */
	struct weir_error *err;
};

struct weir_member {
	const char *key; /* NULL: entry of a tuple, or the value of a bare row or of a map */
	enum weir_member_kind kind;
	enum weir_presence present;
	bool required; /* null or missing is an error if the object exists */
	bool omit;     /* left out if it has no value */
	bool fallback; /* BOOL: the value of a missing key */
	bool nullable; /* INTEGER, ENUM: `none` is null */
	bool inside;   /* LIST, MAP: the array is part of the struct */
	bool on_line;  /* LIST, NAMED: all on one line */
	size_t when, offset, size, count, limit;
	int64_t least, most;
	int64_t none; /* INTEGER, ENUM: the value of a missing key */
	const char *literal;
	const struct weir_enum *texts;
	const struct weir_schema *schema;
	const struct weir_member *element; /* NAMED: its elements; SPECIAL: the form of its JSON */
	const char *label;                 /* name of an entry of a tuple, where it needs one */
	/* If set, they replace the action of the kind. `object` is the struct that has the member;
	 * `item` is NULL for null and for a missing key. */
	void (*put)(struct weir_document_writer *out, const struct weir_member *member,
	            const void *object);
	enum weir_status (*take)(struct weir_document_reader *in, const cJSON *item, void *object);
};

enum weir_form {
	WEIR_FORM_BLOCK, /* an object, one member a line */
	WEIR_FORM_LINE,  /* an object on one line */
	WEIR_FORM_TUPLE, /* a list on one line: the values of the members */
	WEIR_FORM_BARE,  /* value of the only member */
};

struct weir_schema {
	enum weir_form form;
	const struct weir_member *members;
	size_t count;
	/* Called after an object was read; NULL: nothing to do. */
	void (*complete)(void *object);
	enum weir_status (*check)(struct weir_document_reader *in, const cJSON *item, void *object);
};

/* Appends the root as a document with one member per line, and a final line break. */
void weir_document_write(const struct weir_schema *schema, const void *root, struct weir_text *out);
/* Fills the root. WEIR_E_FORMAT: wrong type or value; WEIR_E_LIMIT: beyond a limit. */
enum weir_status weir_document_read(struct weir_document_reader *in,
                                    const struct weir_schema *schema, const cJSON *document);

/* Write and read the members of an object without its brackets, for special members. */
void weir_document_put(struct weir_document_writer *out, const struct weir_schema *schema,
                       const void *object);
enum weir_status weir_document_take(struct weir_document_reader *in,
                                    const struct weir_schema *schema, const cJSON *item,
                                    void *object);
/* Calls `take` for each object of a list; NULL is an empty list. The key is for errors. */
enum weir_status weir_document_take_each(struct weir_document_reader *in, const char *key,
                                         const cJSON *list, size_t limit,
                                         enum weir_status (*take)(struct weir_document_reader *in,
                                                                  const cJSON *item, void *context),
                                         void *context);

#endif
