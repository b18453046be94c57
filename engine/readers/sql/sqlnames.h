/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of a database that rows refer to by number, each taken into a trace's names when it is
 * first met. */
#ifndef WEIR_READERS_SQLNAMES_H
#define WEIR_READERS_SQLNAMES_H

#include "engine/base/rowmap.h"
#include "engine/readers/sql/sqldb.h"
#include "engine/readers/trace/builder.h"

struct weir_sqlname {
	int64_t id;
	uint32_t name;
};

/* {0} holds nothing; release with weir_sqlnames_close(). */
struct weir_sqlnames {
	struct weir_sqltexts *texts; /* also for texts that are not to be kept */
	struct weir_sqlname *items;  /* those met */
	size_t count, capacity;
	struct weir_rowmap by_id;
};

/* A table that is not there, or lacks a column, holds no names. Close it also where this fails. */
enum weir_status weir_sqlnames_open(struct weir_sqlnames *names, struct weir_sqldb *db,
                                    const char *table, const char *id, const char *text,
                                    struct weir_error *err);
void weir_sqlnames_close(struct weir_sqlnames *names);
/* *name is that of the empty text where there is no such id. */
enum weir_status weir_sqlnames_find(struct weir_sqlnames *names, int64_t id,
                                    struct weir_builder *builder, uint32_t *name,
                                    struct weir_error *err);

#endif
