/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recognises formats by the head of a file: its first decompressed bytes, at most WEIR_HEAD_SIZE. A
 * reader states the marks of its format in a table that ends with {0}:
 *
 *	static const struct weir_mark marks[] = {
 *		{.first = "{", .keys = {{"engine", "performance", "world_info"}, .all = 2}},
 *		{.first = "[", .keys = {{"start_timestamp", "end_timestamp"}, .all = 2}},
 *		{.first = "{", .keys = {{"layers"}, .all = 1}, .refusal = "it has no times"},
 *		{0},
 *	};
 *
 * Readers of formats that such a table cannot describe have a function instead, or as well.
 */
#ifndef WEIR_READERS_PARTS_SNIFF_H
#define WEIR_READERS_PARTS_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/source.h"

struct weir_reader;

#define WEIR_MARK_NAMES 10

/* Names to look for. The first `all` are required, and at least one of the `any` that follow them;
 * the others only raise the number of verified bits. */
struct weir_mark_names {
	const char *names[WEIR_MARK_NAMES]; /* ends with NULL */
	unsigned all, any;
};

/* One form of a format. Parts that are empty are not checked. */
struct weir_mark {
	const char *first; /* bytes that may be the first non-blank one: "{", "[", "{["; "": any */
	struct weir_mark_names keys;   /* of the outermost object; of a list: of its first object */
	const char *within;            /* a member of the outermost object */
	struct weir_mark_names inside; /* keys of that member's object */
	struct weir_mark_names cells;  /* of the first line that is not blank, as a row of CSV */
	struct weir_mark_names texts;  /* anywhere in the head */
	/* NULL: the reader reads such files. Else what such a file is and what to pass instead. */
	const char *refusal;
};

/* Returns the number of bits that verify the mark: eight for each byte of a name that was found; 0
 * if the head does not have the mark. */
int weir_mark_bits(const struct weir_mark *mark, const char *head, size_t len);

/* Returns the number of bits that verify the format of the reader by its best mark or its function;
 * 0: not its format. */
int weir_sniff_reader(const struct weir_reader *reader, const char *head, size_t len);
/* Describes a file that the reader knows but cannot read, and states what to pass instead; NULL if
 * the reader does not know it. Static. */
const char *weir_sniff_refusal(const struct weir_reader *reader, const char *head, size_t len);
/* Describes a file by what any program can see: a web page, an archive, text. Never NULL; static.
 */
const char *weir_sniff_hint(const char *head, size_t len);

/* Returns the first byte that is not blank; '\0' if all are blank. */
char weir_sniff_first(const char *head, size_t len);
/* Gives the first byte of a source that is not blank. Fails if the source fails. */
enum weir_status weir_sniff_source(struct weir_source *source, char *first, struct weir_error *err);

/* Returns which of the keys (NULL-terminated) the outermost object has in its head, as a bit for
 * each key; of a list: which keys its first object has. */
unsigned weir_sniff_keys(const char *head, size_t len, const char *const *keys);
/* Returns the value of a member of the outermost object (key NULL: of its first member), and in
 * *left the bytes from there to the end of the head; NULL if there is no such member. */
const char *weir_sniff_member(const char *head, size_t len, const char *key, size_t *left);
/* Returns the number of bits of the keys that were found: eight for each byte. */
int weir_sniff_bits(unsigned found, const char *const *keys);
/* Returns true if the head may be the start of a JSON object or array: not for a log whose lines
 * begin with "[07/11/2025-07:56:42]" or "[E]". */
bool weir_sniff_is_json(const char *head, size_t len);
/* Returns true if the text is anywhere in the head. */
bool weir_sniff_contains(const char *head, size_t len, const char *text);

#endif
