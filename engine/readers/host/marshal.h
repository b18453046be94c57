/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Python's marshal format as far as statistics of cProfile need it: numbers, texts, tuples and
 * dictionaries, versions 0 to 5. Bytes are read, never executed; code and every other type is
 * refused. Positions are those of an object's first byte.
 */
#ifndef WEIR_READERS_HOST_MARSHAL_H
#define WEIR_READERS_HOST_MARSHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/slice.h"

#define WEIR_MARSHAL_MAX_DEPTH 16         /* of what is passed over */
#define WEIR_MARSHAL_MAX_REFS  (1u << 22) /* objects that others may refer to */

enum weir_marshal_kind {
	WEIR_MARSHAL_OTHER, /* None and booleans, tuples of other lengths, dictionaries */
	WEIR_MARSHAL_INT,
	WEIR_MARSHAL_REAL,
	WEIR_MARSHAL_TEXT,
	WEIR_MARSHAL_TRIPLE, /* (text, number, text): the key of a function */
	WEIR_MARSHAL_END,    /* of a dictionary */
};

/* Texts are borrowed from the bytes. */
struct weir_marshal_value {
	enum weir_marshal_kind kind;
	int64_t number; /* also of a triple; big integers are held at the ends of int64 */
	double real;
	struct weir_slice text, second; /* of a triple: its first and its last */
};

struct weir_marshal {
	const uint8_t *data;
	size_t length, at;
	struct weir_marshal_value *refs;
	bool *filled; /* one a reference: its object is complete */
	size_t ref_count, ref_capacity, filled_capacity;
	struct weir_slice *interned; /* Python 2's own references to texts */
	size_t interned_count, interned_capacity;
	const char *problem; /* NULL: none yet; static */
};

/* Borrows the bytes; release with weir_marshal_release(). */
void weir_marshal_init(struct weir_marshal *marshal, const void *data, size_t length);
void weir_marshal_release(struct weir_marshal *marshal);

/* The next object whole. False with `problem` set where there is none. */
bool weir_marshal_take(struct weir_marshal *marshal, struct weir_marshal_value *out);
/* Steps into a dictionary, whose keys and values weir_marshal_take() then gives, up to END; or into
 * a tuple, whose length is given. */
bool weir_marshal_enter_dict(struct weir_marshal *marshal);
bool weir_marshal_enter_tuple(struct weir_marshal *marshal, size_t *length);

#endif
