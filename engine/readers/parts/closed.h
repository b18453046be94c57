/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises files of profilers that weir does not read, and says which command of the profiler
 * writes one that it does read. */
#ifndef WEIR_READERS_PARTS_CLOSED_H
#define WEIR_READERS_PARTS_CLOSED_H

#include <stddef.h>

/* Describes a file by its head, or by the ending of its name if `name` is not NULL; NULL if it is
 * none of these files. Static. */
const char *weir_closed_describe(const char *head, size_t len, const char *name);

#endif
