/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "baselines/address.h"
#include "baselines/db_postgresql.h"
#include "engine/base/arena.h"

bool weir_address_is_server(const char *path)
{
	static const char *const begins[] = {"postgresql://", "postgres://", "service=", "host=",
	                                     "hostaddr=",     "port=",       "dbname=",  "user="};

	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (strncmp(path, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

char *weir_address_label(const char *path)
{
	return weir_address_is_server(path) ? weir_postgresql_label(path) : weir_alloc_text(path);
}
