/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/slice.h"
#include "engine/readers/parts/closed.h"

/* ---- protocol buffers ---- */

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct field {
	uint64_t number;
	enum wire wire;
	struct weir_slice bytes; /* of a WIRE_BYTES; it may be cut by the end of the head */
	bool cut;
};

static bool take_varint(struct weir_slice *rest, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 64 && rest->length > 0; shift += 7) {
		uint64_t byte = (unsigned char)*rest->data;

		rest->data++;
		rest->length--;
		*out |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Takes a field from the front of a message; false at its end and for bytes that are no field. */
static bool take_field(struct weir_slice *rest, struct field *field)
{
	uint64_t tag, length = 0;

	if (!take_varint(rest, &tag) || tag >> 3 == 0)
		return false;
	*field = (struct field){.number = tag >> 3};
	switch (tag & 7) {
	case WIRE_VARINT:
		field->wire = WIRE_VARINT;
		return take_varint(rest, &length);
	case WIRE_FIXED64:
		field->wire = WIRE_FIXED64;
		length = 8;
		break;
	case WIRE_FIXED32:
		field->wire = WIRE_FIXED32;
		length = 4;
		break;
	case WIRE_BYTES:
		field->wire = WIRE_BYTES;
		if (!take_varint(rest, &length))
			return false;
		break;
	default:
		return false;
	}
	field->cut = length > rest->length;
	field->bytes = (struct weir_slice){rest->data, field->cut ? rest->length : (size_t)length};
	rest->data += field->bytes.length;
	rest->length -= field->bytes.length;
	return true;
}

/* Returns true if a message is a TracePacket of Perfetto: it states the process that wrote it, or
 * holds compressed packets. All its fields must be well-formed. */
static bool is_packet(const struct field *message)
{
	enum { TRUSTED_UID = 3, TRUSTED_SEQUENCE = 10, COMPRESSED_PACKETS = 50 };
	struct weir_slice rest = message->bytes;
	struct field field;
	bool known = false;

	while (take_field(&rest, &field)) {
		known |= field.wire == WIRE_VARINT &&
		         (field.number == TRUSTED_UID || field.number == TRUSTED_SEQUENCE);
		known |= field.wire == WIRE_BYTES && field.number == COMPRESSED_PACKETS;
		if (field.cut)
			return known && message->cut;
	}
	return known && (rest.length == 0 || message->cut);
}

/* Returns true if a message is an XPlane: it bears the name of a host or a device. */
static bool is_plane(const struct field *message)
{
	enum { NAME = 2 };
	struct weir_slice rest = message->bytes;
	struct field field;

	while (take_field(&rest, &field))
		if (field.wire == WIRE_BYTES && field.number == NAME)
			return weir_slice_starts(field.bytes, "/host:") ||
			       weir_slice_starts(field.bytes, "/device:") ||
			       weir_slice_starts(field.bytes, "Task Environment");
	return false;
}

/* Returns true if one of the messages in field 1, which a trace begins with, is as expected. */
static bool holds(const char *head, size_t len, bool (*expected)(const struct field *message))
{
	struct weir_slice rest = {head, len};
	struct field field;

	while (take_field(&rest, &field) && field.number == 1 && field.wire == WIRE_BYTES)
		if (expected(&field))
			return true;
	return false;
}

static bool is_perfetto(const char *head, size_t len)
{
	return holds(head, len, is_packet);
}

static bool is_xspace(const char *head, size_t len)
{
	return holds(head, len, is_plane);
}

static bool is_ncu(const char *head, size_t len)
{
	return len >= sizeof("NVR") && memcmp(head, "NVR", sizeof("NVR")) == 0;
}

/* ---- the table ---- */

static const struct {
	bool (*begins)(const char *head, size_t len); /* NULL: its content has no known mark */
	const char *endings[4];                       /* of its name; ends with NULL */
	const char *text;
} files[] = {
	{NULL,
         {".nsys-rep", ".qdrep", NULL},
         "it is a report of Nsight Systems in its own format: run nsys export --type sqlite FILE, "
         "and pass the .sqlite file that it writes"},
	{NULL,
         {".qdstrm", NULL},
         "it is a recording that Nsight Systems did not finish: run QdstrmImporter -i FILE, then "
         "nsys export --type sqlite on the .nsys-rep file, and pass the .sqlite file"},
	{is_ncu,
         {".ncu-rep", NULL},
         "it is a report of Nsight Compute in its own format: run ncu --import FILE --csv --page "
         "raw "
         "> counters.csv, and pass that file"},
	{is_perfetto,
         {".pftrace", ".perfetto-trace", NULL},
         "it is a Perfetto trace in protobuf: run traceconv json FILE trace.json and pass "
         "trace.json "
         "(rocprofv3 writes JSON itself with --output-format json)"},
	{is_xspace,
         {".xplane.pb", NULL},
         "it is an XSpace of JAX or XLA (xplane.pb): pass the .trace.json.gz of the same folder; "
         "docs/formats.md says how to write one with xprof"},
};

static bool ends_with(const char *name, size_t length, const char *ending)
{
	size_t wanted = strlen(ending);

	return length >= wanted && memcmp(name + length - wanted, ending, wanted) == 0;
}

/* Returns the length of the name without the suffix of a compression. */
static size_t plain_length(const char *name)
{
	static const char *const suffixes[] = {".gz", ".zst", ".xz", ".bz2"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (ends_with(name, length, suffixes[i]))
			return length - strlen(suffixes[i]);
	return length;
}

const char *weir_closed_describe(const char *head, size_t len, const char *name)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].begins && files[i].begins(head, len))
			return files[i].text;
	for (size_t i = 0; name && i < sizeof(files) / sizeof(files[0]); i++)
		for (size_t e = 0; files[i].endings[e]; e++)
			if (ends_with(name, plain_length(name), files[i].endings[e]))
				return files[i].text;
	return NULL;
}
