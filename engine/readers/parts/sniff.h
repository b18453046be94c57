/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file looks like from its head: which keys a JSON document has, and what to say about files
 * nobody reads. */
#ifndef WEIR_READERS_SNIFF_H
#define WEIR_READERS_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/source.h"

/* The first byte that is not blank; '\0' where there is none. */
char weir_sniff_first(const char *head, size_t len);
/* The same of a source. Fails where the source fails. */
enum weir_status weir_sniff_source(struct weir_source *source, char *first, struct weir_error *err);

/*
 * Which of a NULL-terminated list of keys the outermost object has in its head, a bit a key in the
 * list's order. For an array: the keys of its first object.
 */
unsigned weir_sniff_keys(const char *head, size_t len, const char *const *keys);
/* The value of a member of the outermost object in the head (NULL: of its first member), *left
 * bytes of the head from there on; NULL where it has none. For weir_sniff_keys() on what is inside.
 */
const char *weir_sniff_member(const char *head, size_t len, const char *key, size_t *left);
/* Bits that a reader has verified where it found these keys: eight a byte. */
int weir_sniff_bits(unsigned found, const char *const *keys);

/* Whether the text stands anywhere in the head: for what lies deeper than its outermost keys. */
bool weir_sniff_contains(const char *head, size_t len, const char *text);

/* One line about a file that no reader claims: what it looks like and what to do. Never NULL. */
const char *weir_sniff_hint(const char *head, size_t len);

#endif
