/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/shelf.h"

#define PATHS           8
#define PATH_MAX_LENGTH 512

static size_t skipped;

const char *shelf_find(const char *name)
{
	static char paths[PATHS][PATH_MAX_LENGTH];
	static size_t next;
	char *path = paths[next++ % PATHS];
	const char *shelf = getenv("WEIR_SHELF");
	int length = snprintf(path, PATH_MAX_LENGTH, "%s/%s", shelf ? shelf : "../shared", name);

	assert_in_range(length, 1, PATH_MAX_LENGTH - 1);
	return access(path, R_OK) == 0 ? path : NULL;
}

const char *shelf_need(const char *name)
{
	const char *path = shelf_find(name);
	char reason[PATH_MAX_LENGTH];

	if (!path) {
		snprintf(reason, sizeof(reason), "no %s on the shelf", name);
		shelf_skip(reason);
	}
	return path;
}

void shelf_skip(const char *reason)
{
	print_message("skipped: %s\n", reason);
	skipped++;
	skip();
}

int shelf_exit_code(int failures, size_t tests)
{
	return skipped == tests ? SHELF_SKIPPED : failures;
}
