/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps bytes that can be read only once: small ones in memory, more in a temporary file without a
 * name, which disappears with the spool. The file lies in $TMPDIR, or in /tmp.
 *
 *	struct weir_spool spool = WEIR_SPOOL_EMPTY;
 *	status = weir_spool_add(&spool, data, len, err);
 *	status = weir_spool_bytes(&spool, &bytes, &len, err);
 *	weir_spool_release(&spool);
 */
#ifndef WEIR_BASE_SPOOL_H
#define WEIR_BASE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

#define WEIR_SPOOL_IN_MEMORY ((size_t)16 << 20) /* bytes; more are kept in a file */

struct weir_spool {
	struct weir_text memory; /* all bytes, unless there is a file */
	int fd;                  /* -1: no file */
	uint64_t length;         /* bytes */
	char *map;               /* the file in memory; NULL: not mapped */
};

#define WEIR_SPOOL_EMPTY                                                                           \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Appends bytes. Fails with WEIR_E_IO if there is no room for a temporary file. */
enum weir_status weir_spool_add(struct weir_spool *spool, const char *data, size_t len,
                                struct weir_error *err);
/* Gives all bytes; they may be changed, and last until the next call for the spool. *data is never
 * NULL. */
enum weir_status weir_spool_bytes(struct weir_spool *spool, char **data, size_t *len,
                                  struct weir_error *err);
/* Forgets all bytes; the spool is empty again. */
void weir_spool_release(struct weir_spool *spool);

#endif
