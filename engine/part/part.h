/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part file: inputs of a run in the form in which they travel from the machine that recorded them
 * to the one that judges them. A member is an input: a trace packed without loss (trace_pack.h), or
 * any other file as it is. Parts merge by putting their members together, so a merged part is a
 * part, in any order and in any tree of merges.
 *
 *	"weirpart", version, number of members, length of the rest and its SHA-256
 *	for each member: a zstd frame with its head, a zstd frame with its content
 *
 * Integers are little-endian. Bytes depend on the members only, not on the order in which they were
 * put together.
 */
#ifndef WEIR_PART_PART_H
#define WEIR_PART_PART_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"

#define WEIR_PART_MAGIC "weirpart"
/* The version of the format. A change of the columns of a trace, of enum weir_warning_code or of an
 * enum in a column needs a new one. */
#define WEIR_PART_VERSION 1
/* Limits of one part and of the content of one member, in bytes. */
#define WEIR_PART_MOST_BYTES    (UINT64_C(4) << 30)
#define WEIR_PART_MOST_UNPACKED (UINT64_C(16) << 30)
/* Most bytes of the path, format or node of a member. */
#define WEIR_PART_MOST_TEXT 65536
/* Bytes of a warning's detail with its NUL; the rest is left out. */
#define WEIR_PART_DETAIL 96

enum weir_part_content {
	WEIR_PART_TRACE, /* columns of a trace */
	WEIR_PART_FILE,  /* the bytes of a file, decompressed */
};

struct weir_part_member {
	char *path;                    /* of the input, as it was given */
	char *node;                    /* machine on which the part was made; "": not stated */
	char *format;                  /* name of the reader */
	uint8_t content;               /* enum weir_part_content */
	struct weir_trace_facts facts; /* of a trace */
	uint64_t bytes, events;        /* as in struct weir_input */
	struct weir_warning warnings[WEIR_WARN_COUNT];
	struct weir_packed packed;
};

/* {0} is an empty part; release with weir_part_release(). */
struct weir_part_file {
	struct weir_part_member *members;
	size_t count, capacity;
};

void weir_part_release(struct weir_part_file *part);

/* Appends an empty member, valid until the next call. Texts are copied. */
struct weir_part_member *weir_part_add(struct weir_part_file *part, const char *path,
                                       const char *format, const char *node);
/* Moves the members of `from` to the end of the part. */
void weir_part_take(struct weir_part_file *part, struct weir_part_file *from);

/* Sorts the members by path (numbers by their value), rank, node and size, and appends the part to
 * `out`. */
void weir_part_write(struct weir_part_file *part, struct weir_text *out);
/* Reads a part; its members own copies. WEIR_E_FORMAT: the file is no part, of another version,
 * truncated or damaged, and the message says which. */
enum weir_status weir_part_read(const void *data, size_t length, struct weir_part_file *out,
                                struct weir_error *err);

/* Compresses the content of a member. */
void weir_packed_fill(struct weir_packed *packed, const void *data, size_t length);
/* Appends the content to `out`. WEIR_E_FORMAT: it is damaged. */
enum weir_status weir_packed_content(const struct weir_packed *packed, struct weir_text *out,
                                     struct weir_error *err);

/* Packs the trace of an input and frees it; does nothing without one. */
void weir_input_pack(struct weir_input *input);
/* Unpacks the trace of an input into *out, which the caller frees; the input keeps the packed one.
 */
enum weir_status weir_input_unpack(const struct weir_input *input, struct weir_trace **out,
                                   struct weir_error *err);

#endif
