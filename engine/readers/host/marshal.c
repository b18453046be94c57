/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/host/marshal.h"

#define FLAG_REF 0x80u
#define NO_REF   SIZE_MAX

void weir_marshal_init(struct weir_marshal *marshal, const void *data, size_t length)
{
	*marshal = (struct weir_marshal){.data = data, .length = length};
}

void weir_marshal_release(struct weir_marshal *marshal)
{
	free(marshal->refs);
	free(marshal->filled);
	free(marshal->interned);
	*marshal = (struct weir_marshal){0};
}

static bool refuse(struct weir_marshal *marshal, const char *problem)
{
	if (!marshal->problem)
		marshal->problem = problem;
	return false;
}

/* ---- bytes ---- */

static bool take_bytes(struct weir_marshal *marshal, size_t count, const uint8_t **out)
{
	if (marshal->length - marshal->at < count) {
		refuse(marshal, "it ends inside an object");
		return false;
	}
	*out = marshal->data + marshal->at;
	marshal->at += count;
	return true;
}

/* An unsigned number of 1, 2, 4 or 8 bytes, the lowest first. */
static bool take_unsigned(struct weir_marshal *marshal, size_t bytes, uint64_t *out)
{
	const uint8_t *data;

	if (!take_bytes(marshal, bytes, &data))
		return false;
	*out = 0;
	for (size_t i = bytes; i-- > 0;)
		*out = *out << 8 | data[i];
	return true;
}

static bool take_length(struct weir_marshal *marshal, size_t bytes, size_t *out)
{
	uint64_t length;

	if (!take_unsigned(marshal, bytes, &length))
		return false;
	if (length > INT32_MAX) {
		refuse(marshal, "a negative length");
		return false;
	}
	*out = (size_t)length;
	return true;
}

/* ---- references ---- */

/* The place is taken before the contents are read, as Python does. */
static bool reserve(struct weir_marshal *marshal, size_t *ref)
{
	if (marshal->ref_count == WEIR_MARSHAL_MAX_REFS)
		return refuse(marshal, "more objects than any profile has");
	marshal->refs = weir_grow(marshal->refs, &marshal->ref_capacity, marshal->ref_count + 1,
	                          sizeof *marshal->refs);
	marshal->filled = weir_grow(marshal->filled, &marshal->filled_capacity,
	                            marshal->ref_count + 1, sizeof *marshal->filled);
	marshal->filled[marshal->ref_count] = false;
	*ref = marshal->ref_count++;
	return true;
}

static bool take_reference(struct weir_marshal *marshal, struct weir_marshal_value *out)
{
	uint64_t index;

	if (!take_unsigned(marshal, 4, &index))
		return false;
	if (index >= marshal->ref_count || !marshal->filled[index])
		return refuse(marshal, "a reference to nothing");
	*out = marshal->refs[index];
	return true;
}

static bool take_interned(struct weir_marshal *marshal, struct weir_marshal_value *out)
{
	uint64_t index;

	if (!take_unsigned(marshal, 4, &index))
		return false;
	if (index >= marshal->interned_count)
		return refuse(marshal, "a reference to nothing");
	out->kind = WEIR_MARSHAL_TEXT;
	out->text = marshal->interned[index];
	return true;
}

/* ---- objects ---- */

static bool take_text(struct weir_marshal *marshal, size_t length_bytes,
                      struct weir_marshal_value *out)
{
	const uint8_t *data;
	size_t length;

	if (!take_length(marshal, length_bytes, &length) || !take_bytes(marshal, length, &data))
		return false;
	out->kind = WEIR_MARSHAL_TEXT;
	out->text = (struct weir_slice){(const char *)data, length};
	return true;
}

static bool take_old_interned(struct weir_marshal *marshal, struct weir_marshal_value *out)
{
	if (!take_text(marshal, 4, out))
		return false;
	marshal->interned = weir_grow(marshal->interned, &marshal->interned_capacity,
	                              marshal->interned_count + 1, sizeof *marshal->interned);
	marshal->interned[marshal->interned_count++] = out->text;
	return true;
}

static bool take_int(struct weir_marshal *marshal, size_t bytes, struct weir_marshal_value *out)
{
	uint64_t raw;

	if (!take_unsigned(marshal, bytes, &raw))
		return false;
	out->kind = WEIR_MARSHAL_INT;
	out->number = bytes == 4 ? (int32_t)(uint32_t)raw : (int64_t)raw;
	return true;
}

/* Digits of 15 bits, the lowest first; the sign is that of their count. */
static bool take_big(struct weir_marshal *marshal, struct weir_marshal_value *out)
{
	uint64_t raw, digit, number = 0;
	int32_t signed_count;
	size_t count;
	bool fits = true;

	if (!take_unsigned(marshal, 4, &raw))
		return false;
	signed_count = (int32_t)(uint32_t)raw;
	count = signed_count < 0 ? (size_t) - (int64_t)signed_count : (size_t)signed_count;
	for (size_t i = 0; i < count; i++) {
		if (!take_unsigned(marshal, 2, &digit))
			return false;
		fits = fits && (i < 4 || !digit);
		if (i < 4)
			number |= (digit & 0x7fff) << (15 * i);
	}
	out->kind = WEIR_MARSHAL_INT;
	out->number = fits ? (int64_t)number : INT64_MAX;
	if (signed_count < 0)
		out->number = -out->number;
	return true;
}

static bool take_real(struct weir_marshal *marshal, struct weir_marshal_value *out)
{
	uint64_t raw;

	if (!take_unsigned(marshal, 8, &raw))
		return false;
	out->kind = WEIR_MARSHAL_REAL;
	memcpy(&out->real, &raw, sizeof out->real);
	return true;
}

static bool take_printed_real(struct weir_marshal *marshal, struct weir_marshal_value *out)
{
	struct weir_marshal_value text = {.kind = WEIR_MARSHAL_TEXT};

	if (!take_text(marshal, 1, &text))
		return false;
	out->kind = WEIR_MARSHAL_REAL;
	if (!weir_parse_double(text.text.data, text.text.length, &out->real))
		out->real = NAN;
	return true;
}

static bool take_object(struct weir_marshal *marshal, struct weir_marshal_value *out,
                        unsigned depth);

static bool is_key(const struct weir_marshal_value items[3])
{
	return items[0].kind == WEIR_MARSHAL_TEXT && items[1].kind == WEIR_MARSHAL_INT &&
	       items[2].kind == WEIR_MARSHAL_TEXT;
}

static bool take_tuple(struct weir_marshal *marshal, size_t length_bytes,
                       struct weir_marshal_value *out, unsigned depth)
{
	struct weir_marshal_value items[3] = {{.kind = WEIR_MARSHAL_OTHER}};
	size_t length;

	if (!take_length(marshal, length_bytes, &length))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!take_object(marshal, &items[i < 3 ? i : 2], depth))
			return false;
	if (length != 3 || !is_key(items))
		return true;
	out->kind = WEIR_MARSHAL_TRIPLE;
	out->text = items[0].text;
	out->number = items[1].number;
	out->second = items[2].text;
	return true;
}

static bool take_dict(struct weir_marshal *marshal, unsigned depth)
{
	struct weir_marshal_value item;

	for (;;) {
		if (!take_object(marshal, &item, depth))
			return false;
		if (item.kind == WEIR_MARSHAL_END)
			return true;
		if (!take_object(marshal, &item, depth))
			return false;
		if (item.kind == WEIR_MARSHAL_END)
			return refuse(marshal, "a key without a value");
	}
}

static bool take_payload(struct weir_marshal *marshal, uint8_t type, struct weir_marshal_value *out,
                         unsigned depth)
{
	switch (type) {
	case 'i':
		return take_int(marshal, 4, out);
	case 'I':
		return take_int(marshal, 8, out);
	case 'l':
		return take_big(marshal, out);
	case 'g':
		return take_real(marshal, out);
	case 'f':
		return take_printed_real(marshal, out);
	case 'z':
	case 'Z':
		return take_text(marshal, 1, out);
	case 'a':
	case 'A':
	case 'u':
	case 's':
		return take_text(marshal, 4, out);
	case 't':
		return take_old_interned(marshal, out);
	case ')':
		return take_tuple(marshal, 1, out, depth);
	case '(':
		return take_tuple(marshal, 4, out, depth);
	case '{':
		return take_dict(marshal, depth);
	case 'N':
	case 'T':
	case 'F':
	case '.':
		return true;
	default:
		return refuse(marshal, "an object of a type that no profile holds");
	}
}

static bool take_object(struct weir_marshal *marshal, struct weir_marshal_value *out,
                        unsigned depth)
{
	const uint8_t *type;
	size_t ref = NO_REF;

	*out = (struct weir_marshal_value){.kind = WEIR_MARSHAL_OTHER};
	if (depth == WEIR_MARSHAL_MAX_DEPTH)
		return refuse(marshal, "nested deeper than any profile");
	if (!take_bytes(marshal, 1, &type))
		return false;
	switch (*type & ~FLAG_REF) {
	case '0':
		out->kind = WEIR_MARSHAL_END;
		return true;
	case 'r':
		return take_reference(marshal, out);
	case 'R':
		return take_interned(marshal, out);
	default:
		break;
	}
	if (*type & FLAG_REF && !reserve(marshal, &ref))
		return false;
	if (!take_payload(marshal, *type & (uint8_t)~FLAG_REF, out, depth + 1))
		return false;
	if (ref != NO_REF) {
		marshal->refs[ref] = *out;
		marshal->filled[ref] = true;
	}
	return true;
}

bool weir_marshal_take(struct weir_marshal *marshal, struct weir_marshal_value *out)
{
	return take_object(marshal, out, 0);
}

/* Its place among the references stays unfilled: nothing in it may refer to it. */
static bool enter(struct weir_marshal *marshal, const char *types, uint8_t *type)
{
	const uint8_t *byte;
	size_t ref;

	if (!take_bytes(marshal, 1, &byte))
		return false;
	*type = *byte & (uint8_t)~FLAG_REF;
	if (!*type || !strchr(types, *type))
		return refuse(marshal, "another object than a profile has there");
	return !(*byte & FLAG_REF) || reserve(marshal, &ref);
}

bool weir_marshal_enter_dict(struct weir_marshal *marshal)
{
	uint8_t type;

	return enter(marshal, "{", &type);
}

bool weir_marshal_enter_tuple(struct weir_marshal *marshal, size_t *length)
{
	uint8_t type;

	return enter(marshal, "()", &type) && take_length(marshal, type == ')' ? 1 : 4, length);
}
