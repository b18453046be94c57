/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads statistics of cProfile (pstats): a dictionary from (file, line, function) to (primitive
 * calls, calls, own seconds, seconds including callees, callers). There are functions only, no
 * stacks and no threads.
 *
 * The file is in Python's marshal format, versions 0 to 5. Numbers, texts, tuples and dictionaries
 * are read, every other type is refused, and nothing is executed. The decoder is our own because
 * CPython's is unsafe for untrusted data (docs/decisions/0012).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define MAX_BYTES        (64u << 20) /* a larger file is refused */
#define MAX_DEPTH        16          /* of nested objects */
#define MAX_REFS         (1u << 22)  /* objects that others may refer to */
#define STATS            5           /* entries of a function's tuple */
#define BYTES_A_FUNCTION 96          /* about: its name, its figures and one caller */
#define NS_PER_S         1e9

#define FLAG_REF 0x80u
#define NO_REF   SIZE_MAX

/* ---- marshal ---- */

enum kind {
	KIND_OTHER, /* None, a boolean, any other tuple, a dictionary */
	KIND_INT,
	KIND_REAL,
	KIND_TEXT,
	KIND_TRIPLE, /* (text, number, text): the key of a function */
	KIND_END,    /* end of a dictionary */
};

/* Texts are borrowed from the file. */
struct value {
	enum kind kind;
	int64_t number; /* also of a triple; integers out of range become the nearest int64_t */
	double real;
	struct weir_slice text, second; /* a triple: first and last item */
};

struct marshal {
	const uint8_t *data; /* borrowed */
	size_t length, at;
	struct value *refs;
	bool *filled; /* per reference: its object is complete */
	size_t ref_count, ref_capacity, filled_capacity;
	struct weir_slice *interned; /* texts that Python 2 refers to by 'R' */
	size_t interned_count, interned_capacity;
	const char *problem; /* the first problem; static; NULL: no problem */
};

static void marshal_release(struct marshal *marshal)
{
	free(marshal->refs);
	free(marshal->filled);
	free(marshal->interned);
	*marshal = (struct marshal){0};
}

static bool refuse(struct marshal *marshal, const char *problem)
{
	if (!marshal->problem)
		marshal->problem = problem;
	return false;
}

/* ---- bytes ---- */

static bool take_bytes(struct marshal *marshal, size_t count, const uint8_t **out)
{
	if (marshal->length - marshal->at < count) {
		refuse(marshal, "it ends inside an object");
		return false;
	}
	*out = marshal->data + marshal->at;
	marshal->at += count;
	return true;
}

/* Takes a little-endian number of 1, 2, 4 or 8 bytes. */
static bool take_unsigned(struct marshal *marshal, size_t bytes, uint64_t *out)
{
	const uint8_t *data;

	if (!take_bytes(marshal, bytes, &data))
		return false;
	*out = 0;
	for (size_t i = bytes; i-- > 0;)
		*out = *out << 8 | data[i];
	return true;
}

static bool take_length(struct marshal *marshal, size_t bytes, size_t *out)
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

/* Reserves the reference of an object. As in Python, this comes before its contents are read. */
static bool reserve(struct marshal *marshal, size_t *ref)
{
	if (marshal->ref_count == MAX_REFS)
		return refuse(marshal, "more than 4194304 objects");
	marshal->refs = weir_grow(marshal->refs, &marshal->ref_capacity, marshal->ref_count + 1,
	                          sizeof *marshal->refs);
	marshal->filled = weir_grow(marshal->filled, &marshal->filled_capacity,
	                            marshal->ref_count + 1, sizeof *marshal->filled);
	marshal->filled[marshal->ref_count] = false;
	*ref = marshal->ref_count++;
	return true;
}

static bool take_reference(struct marshal *marshal, struct value *out)
{
	uint64_t index;

	if (!take_unsigned(marshal, 4, &index))
		return false;
	if (index >= marshal->ref_count || !marshal->filled[index])
		return refuse(marshal, "a reference to a missing object");
	*out = marshal->refs[index];
	return true;
}

static bool take_interned(struct marshal *marshal, struct value *out)
{
	uint64_t index;

	if (!take_unsigned(marshal, 4, &index))
		return false;
	if (index >= marshal->interned_count)
		return refuse(marshal, "a reference to a missing text");
	out->kind = KIND_TEXT;
	out->text = marshal->interned[index];
	return true;
}

/* ---- objects ---- */

static bool take_text(struct marshal *marshal, size_t length_bytes, struct value *out)
{
	const uint8_t *data;
	size_t length;

	if (!take_length(marshal, length_bytes, &length) || !take_bytes(marshal, length, &data))
		return false;
	out->kind = KIND_TEXT;
	out->text = (struct weir_slice){(const char *)data, length};
	return true;
}

static bool take_old_interned(struct marshal *marshal, struct value *out)
{
	if (!take_text(marshal, 4, out))
		return false;
	marshal->interned = weir_grow(marshal->interned, &marshal->interned_capacity,
	                              marshal->interned_count + 1, sizeof *marshal->interned);
	marshal->interned[marshal->interned_count++] = out->text;
	return true;
}

static bool take_int(struct marshal *marshal, size_t bytes, struct value *out)
{
	uint64_t raw;

	if (!take_unsigned(marshal, bytes, &raw))
		return false;
	out->kind = KIND_INT;
	out->number = bytes == 4 ? (int32_t)(uint32_t)raw : (int64_t)raw;
	return true;
}

/* Takes a big integer: digits of 15 bits, lowest first. Their count has the sign of the number. */
static bool take_big(struct marshal *marshal, struct value *out)
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
	out->kind = KIND_INT;
	out->number = fits ? (int64_t)number : INT64_MAX;
	if (signed_count < 0)
		out->number = -out->number;
	return true;
}

static bool take_real(struct marshal *marshal, struct value *out)
{
	uint64_t raw;

	if (!take_unsigned(marshal, 8, &raw))
		return false;
	out->kind = KIND_REAL;
	memcpy(&out->real, &raw, sizeof out->real);
	return true;
}

static bool take_printed_real(struct marshal *marshal, struct value *out)
{
	struct value text = {.kind = KIND_TEXT};

	if (!take_text(marshal, 1, &text))
		return false;
	out->kind = KIND_REAL;
	if (!weir_parse_double(text.text.data, text.text.length, &out->real))
		out->real = NAN;
	return true;
}

static bool take_object(struct marshal *marshal, struct value *out, unsigned depth);

static bool is_key(const struct value items[3])
{
	return items[0].kind == KIND_TEXT && items[1].kind == KIND_INT &&
	       items[2].kind == KIND_TEXT;
}

static bool take_tuple(struct marshal *marshal, size_t length_bytes, struct value *out,
                       unsigned depth)
{
	struct value items[3] = {{.kind = KIND_OTHER}};
	size_t length;

	if (!take_length(marshal, length_bytes, &length))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!take_object(marshal, &items[i < 3 ? i : 2], depth))
			return false;
	if (length != 3 || !is_key(items))
		return true;
	out->kind = KIND_TRIPLE;
	out->text = items[0].text;
	out->number = items[1].number;
	out->second = items[2].text;
	return true;
}

static bool take_dict(struct marshal *marshal, unsigned depth)
{
	struct value item;

	for (;;) {
		if (!take_object(marshal, &item, depth))
			return false;
		if (item.kind == KIND_END)
			return true;
		if (!take_object(marshal, &item, depth))
			return false;
		if (item.kind == KIND_END)
			return refuse(marshal, "a key without a value");
	}
}

static bool take_payload(struct marshal *marshal, uint8_t type, struct value *out, unsigned depth)
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
		return refuse(marshal, "an object of a type that statistics do not hold");
	}
}

static bool take_object(struct marshal *marshal, struct value *out, unsigned depth)
{
	const uint8_t *type;
	size_t ref = NO_REF;

	*out = (struct value){.kind = KIND_OTHER};
	if (depth == MAX_DEPTH)
		return refuse(marshal, "objects nested more than 16 deep");
	if (!take_bytes(marshal, 1, &type))
		return false;
	switch (*type & ~FLAG_REF) {
	case '0':
		out->kind = KIND_END;
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

/* Takes the next object. Returns false, with `problem` set, if it is damaged or missing. */
static bool take_value(struct marshal *marshal, struct value *out)
{
	return take_object(marshal, out, 0);
}

/* Enters an object of one of the types. Its reference stays unfilled: its contents may not refer to
 * it. */
static bool enter(struct marshal *marshal, const char *types, uint8_t *type)
{
	const uint8_t *byte;
	size_t ref;

	if (!take_bytes(marshal, 1, &byte))
		return false;
	*type = *byte & (uint8_t)~FLAG_REF;
	if (!*type || !strchr(types, *type))
		return refuse(marshal, "expected a dictionary or a tuple");
	return !(*byte & FLAG_REF) || reserve(marshal, &ref);
}

/* Enters a dictionary: take_value() then gives keys and values, then KIND_END. */
static bool enter_dict(struct marshal *marshal)
{
	uint8_t type;

	return enter(marshal, "{", &type);
}

static bool enter_tuple(struct marshal *marshal, size_t *length)
{
	uint8_t type;

	return enter(marshal, "()", &type) && take_length(marshal, type == ')' ? 1 : 4, length);
}

/* ---- statistics ---- */

static enum weir_status read_whole(struct weir_source *source, struct weir_text *out,
                                   struct weir_error *err)
{
	const char *data;
	size_t length;
	enum weir_status status;

	while (!(status = weir_source_next(source, &data, &length, err)) && length) {
		if (out->length + length > MAX_BYTES)
			return weir_fail(err, WEIR_E_LIMIT, "more than %u MiB of cProfile data",
			                 MAX_BYTES >> 20);
		weir_text_add(out, data, length);
	}
	return status;
}

/* Takes seconds; clears *usable if they are not a time. Returns false if the file is damaged. */
static bool take_seconds(struct marshal *marshal, int64_t *out_ns, bool *usable)
{
	struct value value;
	double seconds;

	if (!take_value(marshal, &value))
		return false;
	seconds = value.kind == KIND_INT ? (double)value.number : value.real;
	*usable &= (value.kind == KIND_INT || value.kind == KIND_REAL) && seconds >= 0 &&
	           seconds < (double)INT64_MAX / NS_PER_S;
	*out_ns = *usable ? (int64_t)llround(seconds * NS_PER_S) : 0;
	return true;
}

/* Takes the tuple of a function; *usable: it holds times. Returns false if the file is damaged. */
static bool take_stats(struct marshal *marshal, struct weir_host_function *function, bool *usable)
{
	struct value value;
	size_t length;

	*usable = true;
	if (!enter_tuple(marshal, &length))
		return false;
	if (length != STATS) {
		marshal->problem = "a function without cProfile's five figures";
		return false;
	}
	return take_value(marshal, &value) && take_value(marshal, &value) &&
	       take_seconds(marshal, &function->self, usable) &&
	       take_seconds(marshal, &function->total, usable) && take_value(marshal, &value);
}

/* Returns the frame of a function. The file of built-in functions is "~". */
static uint32_t frame_of(struct weir_host_profile *profile, const struct value *key)
{
	struct weir_slice file = key->text;

	if (weir_slice_equals(file, "~"))
		file.length = 0;
	return weir_host_frame_at(
		profile, key->second, file,
		key->number > 0 && key->number < UINT32_MAX ? (uint32_t)key->number : 0);
}

static void take_functions(struct marshal *marshal, struct weir_host_profile *profile,
                           struct weir_input *input)
{
	struct value key;

	while (take_value(marshal, &key) && key.kind != KIND_END) {
		struct weir_host_function function = {0};
		uint64_t at = marshal->at;
		bool usable;

		if (!take_stats(marshal, &function, &usable))
			break;
		function.frame = key.kind == KIND_TRIPLE ? frame_of(profile, &key) : UINT32_MAX;
		if (function.frame == UINT32_MAX || !usable) {
			weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, at, NULL);
			continue;
		}
		weir_host_add_function(profile, &function);
		input->events++;
	}
}

/* Makes room for the functions of a file of that size in bytes, so that the tables do not move. */
static void reserve_functions(struct weir_host_profile *profile, size_t bytes)
{
	size_t count = bytes / BYTES_A_FUNCTION;

	weir_names_reserve(profile->names, count);
	weir_rowmap_reserve(&profile->frame_map, count);
	profile->frames = weir_grow(profile->frames, &profile->frame_capacity, count,
	                            sizeof *profile->frames);
	profile->functions = weir_grow(profile->functions, &profile->function_capacity, count,
	                               sizeof *profile->functions);
}

static enum weir_status read_statistics(const struct weir_text *text, struct weir_input *input,
                                        struct weir_error *err)
{
	struct weir_host_profile *profile = weir_host_profile_new(WEIR_HOST_NS);
	enum weir_status status = WEIR_OK;
	struct marshal marshal = {.data = (const uint8_t *)text->data, .length = text->length};

	reserve_functions(profile, text->length);
	if (enter_dict(&marshal))
		take_functions(&marshal, profile, input);
	if (marshal.problem && !profile->function_count)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "byte %zu: %s; expected statistics of cProfile", marshal.at,
		                   marshal.problem);
	else if (marshal.problem)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, marshal.at, marshal.problem);
	else if (marshal.at < marshal.length)
		weir_input_warn(input, WEIR_WARN_TRAILING, marshal.at, NULL);
	marshal_release(&marshal);
	return weir_host_settle(profile, input, status, err);
}

static enum weir_status read_cprofile(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = read_whole(source, &text, err);

	if (!status) {
		weir_damage_of_source(input, source);
		status = read_statistics(&text, input, err);
	}
	weir_text_release(&text);
	return status;
}

/* Looks for a dictionary whose first key is a tuple of three. No JSON begins with "{(" or "{)". */
static int sniff(const char *head, size_t len)
{
	const uint8_t *byte = (const uint8_t *)head;
	bool small;

	if (len < 6 || (byte[0] & 0x7fu) != '{')
		return 0;
	small = (byte[1] & 0x7fu) == ')';
	if (!small && (byte[1] & 0x7fu) != '(')
		return 0;
	if (byte[2] != 3 || (!small && (byte[3] || byte[4] || byte[5])))
		return 0;
	return small ? 24 : 48;
}

const struct weir_reader weir_reader_cprofile = {
	.name = "cprofile",
	.title = "cProfile: statistics by function (python -m cProfile -o FILE)",
	.gives = "host profile",
	.sniff = sniff,
	.read = read_cprofile,
};
