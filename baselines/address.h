/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells the address of a PostgreSQL server from the path of a file, and shows it without secrets.
 */
#ifndef WEIR_BASELINES_ADDRESS_H
#define WEIR_BASELINES_ADDRESS_H

#include <stdbool.h>

/* Returns true for "postgresql://...", "postgres://..." and texts that begin with a parameter of
 * libpq: "service=weir", "host=db dbname=weir". A file of such a name is "./service=weir". */
bool weir_address_is_server(const char *path);

/* Returns the text that names a store in messages and documents: the path of a file, or the address
 * of a server by host, port, database and user alone. The caller frees it. */
char *weir_address_label(const char *path);

#endif
