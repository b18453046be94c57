/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connects to a PostgreSQL server through libpq, for the driver in db_postgresql.c. Addresses are
 * libpq's: a URL or "key=value" pairs; the environment, the service file and the password file of
 * libpq complete them.
 */
#ifndef WEIR_BASELINES_DB_POSTGRESQL_H
#define WEIR_BASELINES_DB_POSTGRESQL_H

#include <stdbool.h>

#include "baselines/db.h"

struct pg_conn; /* of libpq */

/* Returns the address with host, port, database and user only. The caller frees it. */
char *weir_postgresql_label(const char *address);

/*
 * Connects, and waits up to `patience_ms` for a server that is starting; with `persistent` also for
 * one that does not answer. The caller frees *out with PQfinish(). The message says why no
 * connection was made and what to do.
 */
enum weir_status weir_postgresql_connect(const char *address, const char *label, int patience_ms,
                                         bool persistent, struct pg_conn **out,
                                         struct weir_error *err);

/* Parts of the driver: see struct weir_db_driver. `may_fail` saves a query where a statement that
 * fails ends no transaction. *intact becomes false if somebody changed the tables since the last
 * migration.
 */
enum weir_status weir_postgresql_outline(struct weir_db *db, struct weir_db_outline *outline,
                                         bool may_fail, bool *intact, struct weir_error *err);
enum weir_status weir_postgresql_create(struct weir_db *db, struct weir_error *err);
enum weir_status weir_postgresql_stamp(struct weir_db *db, int64_t version, struct weir_error *err);
/* The server checks its pages itself when it has checksums; a superuser can break references. */
enum weir_status weir_postgresql_check(struct weir_db *db, struct weir_error *err);

/* Returns milliseconds of a clock that only moves forward. */
long long weir_postgresql_now_ms(void);
void weir_postgresql_sleep_ms(int ms);

#endif
