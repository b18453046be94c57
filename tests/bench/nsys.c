/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_nsys FOLDER KERNELS [RATIO]: measures how fast an export of Nsight Systems is read. Makes
 * an export with KERNELS kernels and launches, and prints the seconds of a SELECT of the columns
 * that the reader uses, the seconds of reading it into a trace (best of three each), and their
 * ratio. Fails if the ratio exceeds RATIO.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/readers/readers.h"

#define ROUNDS 3

static const char *const schema =
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
	" eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"
	" nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
	" deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
	" demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,"
	" launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL,"
	" gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,"
	" blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,"
	" staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,"
	" localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,"
	" gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER,"
	" sharedMemoryLimitConfig INTEGER);";

static const char *const rows =
	"BEGIN; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)"
	" INSERT INTO StringIds SELECT i, 'void kernel_' || i || '<float, 128>(float const*, int)'"
	" FROM n;"
	"INSERT INTO StringIds VALUES(100, 'cudaLaunchKernel_v7000');"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %ld)"
	" INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10000, i * 10000 + 4000, 0,"
	" 281641842910938, i, 100, 0, NULL FROM n;"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %ld)"
	" INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10000 + 6000, i * 10000 + 14000, 0, 1,"
	" NULL, 7, i, 281641842900992, i %% 100, i %% 100, i %% 100, 1, 0, 64, 132, 2, 1, 256, 1,"
	" 1, 0, 49152, 0, 33554432, i, 65536, NULL, 0 FROM n; COMMIT";

/* The columns that the reader selects: see engine/readers/nvidia/nsys_events.c. */
static const char *const selects[] = {
	"SELECT start, end, deviceId, streamId, correlationId, globalPid, graphNodeId,"
	" demangledName, shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ"
	" FROM CUPTI_ACTIVITY_KIND_KERNEL",
	"SELECT start, end, globalTid, nameId, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME",
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(int code, sqlite3 *handle)
{
	if (code == SQLITE_OK)
		return;
	fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(handle));
	exit(1);
}

static void make_export(const char *path, long kernels)
{
	static char sql[4096];
	sqlite3 *handle = NULL;

	unlink(path);
	snprintf(sql, sizeof(sql), rows, kernels, kernels);
	check(sqlite3_open(path, &handle), handle);
	check(sqlite3_exec(handle, schema, NULL, NULL, NULL), handle);
	check(sqlite3_exec(handle, sql, NULL, NULL, NULL), handle);
	sqlite3_close(handle);
}

static long long sum_rows(sqlite3 *handle, const char *select)
{
	sqlite3_stmt *statement = NULL;
	long long sum = 0;
	int columns;

	check(sqlite3_prepare_v2(handle, select, -1, &statement, NULL), handle);
	columns = sqlite3_column_count(statement);
	while (sqlite3_step(statement) == SQLITE_ROW)
		for (int i = 0; i < columns; i++)
			sum += sqlite3_column_int64(statement, i);
	sqlite3_finalize(statement);
	return sum;
}

static double select_once(const char *path)
{
	volatile long long sum = 0;
	sqlite3 *handle = NULL;
	double start = now();

	check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, NULL), handle);
	for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++)
		sum += sum_rows(handle, selects[i]);
	(void)sum;
	sqlite3_close(handle);
	return now() - start;
}

static double read_once(const char *path)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	double start = now(), seconds;

	if (weir_read_path(profile, path, NULL, &err)) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	seconds = now() - start;
	weir_profile_free(profile);
	return seconds;
}

int main(int argc, char **argv)
{
	double selected = 1e9, read = 1e9, limit = argc > 3 ? strtod(argv[3], NULL) : 0;
	char path[1024];

	if (argc < 3) {
		fprintf(stderr, "usage: bench_nsys FOLDER KERNELS [RATIO]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/bench_nsys.sqlite", argv[1]);
	make_export(path, strtol(argv[2], NULL, 10));
	for (int round = 0; round < ROUNDS; round++) {
		double seconds = select_once(path);

		selected = seconds < selected ? seconds : selected;
		seconds = read_once(path);
		read = seconds < read ? seconds : read;
	}
	unlink(path);
	printf("SELECT %.3f s, read %.3f s, ratio %.2f\n", selected, read, read / selected);
	return limit > 0 && read > limit * selected;
}
