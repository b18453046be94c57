/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interned strings: equal texts get equal ids, so names compare as integers. Id 0 is the empty
 * string. Texts may hold any byte but NUL (readers replace it). One table belongs to one trace, so
 * that traces can be read in parallel.
 */
#ifndef WEIR_BASE_NAMES_H
#define WEIR_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct weir_names;

struct weir_names *weir_names_new(void);
void weir_names_free(struct weir_names *names);

uint32_t weir_names_add(struct weir_names *names, const char *text, size_t len);
/* The id of a text that is there, else UINT32_MAX. */
uint32_t weir_names_find(const struct weir_names *names, const char *text, size_t len);
const char *weir_names_text(const struct weir_names *names,
                            uint32_t id); /* borrowed; NUL-terminated */
size_t weir_names_length(const struct weir_names *names, uint32_t id);
size_t weir_names_count(const struct weir_names *names);

#endif
