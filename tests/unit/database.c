/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/unit/database.h"

static void check(int code, sqlite3 *handle)
{
	if (code != SQLITE_OK)
		fail_msg("SQLite: %s", sqlite3_errmsg(handle));
}

static struct bytes take_image(sqlite3 *handle)
{
	sqlite3_int64 size = 0;
	unsigned char *image = sqlite3_serialize(handle, "main", &size, 0);
	struct bytes bytes;

	assert_non_null(image);
	bytes = plain_bytes(image, (size_t)size);
	sqlite3_free(image);
	sqlite3_close(handle);
	return bytes;
}

struct bytes database_bytes(const char *sql)
{
	sqlite3 *handle = NULL;

	check(sqlite3_open(":memory:", &handle), handle);
	check(sqlite3_exec(handle, "PRAGMA page_size = 512", NULL, NULL, NULL), handle);
	check(sqlite3_exec(handle, sql, NULL, NULL, NULL), handle);
	return take_image(handle);
}

struct bytes database_changed(struct bytes old, const char *sql)
{
	sqlite3_int64 size = (sqlite3_int64)old.len;
	unsigned char *image = sqlite3_malloc64((sqlite3_uint64)old.len);
	sqlite3 *handle = NULL;

	assert_non_null(image);
	memcpy(image, old.data, old.len);
	free(old.data);
	check(sqlite3_open(":memory:", &handle), handle);
	check(sqlite3_deserialize(handle, "main", image, size, size,
	                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
	      handle);
	check(sqlite3_exec(handle, sql, NULL, NULL, NULL), handle);
	return take_image(handle);
}

int64_t database_int(const char *path, const char *sql)
{
	sqlite3 *handle = NULL;
	sqlite3_stmt *statement = NULL;
	int64_t value = 0;

	check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, NULL), handle);
	check(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL), handle);
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(handle);
	return value;
}

struct bytes database_of(const char *path, const char *more)
{
	static char sql[16384];
	FILE *file = fopen(path, "rb");
	size_t length;

	assert_non_null(file);
	length = fread(sql, 1, sizeof(sql) - 1, file);
	assert_true(length > 0 && feof(file));
	fclose(file);
	sql[length] = '\0';
	return *more ? database_changed(database_bytes(sql), more) : database_bytes(sql);
}

struct bytes database_export(const char *more)
{
	return database_of("tests/data/nsys/export.sql", more);
}
