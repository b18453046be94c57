/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interned strings: equal texts get equal ids, so that names compare as integers. Id 0 is the empty
 * string. Texts may hold any byte but NUL, which readers replace. Each trace has its own table, so
 * that traces can be read in parallel.
 */
#ifndef WEIR_BASE_NAMES_H
#define WEIR_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct weir_names;

struct weir_names *weir_names_new(void);
void weir_names_free(struct weir_names *names);

/* Removes all texts but the empty one, and keeps the memory of most. */
void weir_names_clear(struct weir_names *names);
/* Makes room for `count` texts, so that adding them moves nothing. */
void weir_names_reserve(struct weir_names *names, size_t count);
/* Returns the id of the text; adds a copy if it is new. */
uint32_t weir_names_add(struct weir_names *names, const char *text, size_t len);
/* Returns the id of the text, UINT32_MAX if it was not added. */
uint32_t weir_names_find(const struct weir_names *names, const char *text, size_t len);
/* Returns the text, borrowed and NUL-terminated; "" for an unknown id. */
const char *weir_names_text(const struct weir_names *names, uint32_t id);
size_t weir_names_length(const struct weir_names *names, uint32_t id);
size_t weir_names_count(const struct weir_names *names);

#endif
