/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Creates, recognises and checks the tables of weir on a PostgreSQL server. */
#include "baselines/db_postgresql.h"

/* Hash of every table, column and index, and of the numbers of constraints and rules. Identifiers
 * of built-in types are the same in all versions of the server. */
#define OUTLINE                                                                                    \
	"(SELECT md5(string_agg(concat(c.relname, ' ', c.relkind, c.relchecks, c.relhasrules, ' "  \
	"',"                                                                                       \
	" a.attname, ' ', a.atttypid, a.attnotnull), ' ' ORDER BY c.relname, a.attnum))"           \
	" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"                               \
	" WHERE c.relnamespace = to_regnamespace('weir') AND a.attnum > 0 AND NOT a.attisdropped)"

/* The state of a database in which weir has no tables. */
static enum weir_status look_for_others(struct weir_db *db, struct weir_db_outline *outline,
                                        struct weir_error *err)
{
	int64_t numbers[3];
	enum weir_status status = weir_db_numbers(
		db,
		"SELECT to_regclass('weir.store') IS NOT NULL,"
		" EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('weir')),"
		" CASE WHEN to_regnamespace('weir') IS NULL"
		" THEN has_database_privilege(current_database(), 'CREATE')"
		" ELSE has_schema_privilege('weir', 'CREATE') END",
		0, numbers, 3, err);

	if (status)
		return status;
	outline->is_empty = !numbers[0] && !numbers[1];
	outline->is_foreign = !numbers[0] && numbers[1];
	outline->is_writable = numbers[2] != 0;
	return WEIR_OK;
}

static enum weir_status read_version(struct weir_db *db, struct weir_db_outline *outline,
                                     bool *intact, struct weir_error *err)
{
	int64_t numbers[3] = {0};
	enum weir_status status =
		weir_db_numbers(db,
	                        "SELECT version, outline = " OUTLINE
	                        ", pg_has_role(c.relowner, 'USAGE') FROM weir.store"
	                        " CROSS JOIN pg_class c WHERE c.oid = to_regclass('weir.store')",
	                        0, numbers, 3, err);

	*outline = (struct weir_db_outline){
		.version = numbers[0],
		.is_foreign = numbers[0] < 1,
		.is_writable = numbers[2] != 0,
	};
	*intact = numbers[1] != 0;
	return status;
}

enum weir_status weir_postgresql_outline(struct weir_db *db, struct weir_db_outline *outline,
                                         bool may_fail, bool *intact, struct weir_error *err)
{
	struct weir_error reason = {0};
	enum weir_status status;

	if (may_fail && read_version(db, outline, intact, &reason) == WEIR_OK)
		return WEIR_OK;
	*outline = (struct weir_db_outline){0};
	status = look_for_others(db, outline, err);
	if (!status && (outline->is_empty || outline->is_foreign))
		return WEIR_OK;
	/* Another process may have created the tables since the first look. */
	if (!status)
		status = read_version(db, outline, intact, err);
	return status && reason.status ? weir_fail(err, reason.status, "%s", reason.message)
	                               : status;
}

enum weir_status weir_postgresql_create(struct weir_db *db, struct weir_error *err)
{
	int64_t exists = 0;
	enum weir_status status = weir_db_numbers(db, "SELECT to_regnamespace('weir') IS NOT NULL",
	                                          0, &exists, 1, err);

	return status || exists ? status : weir_db_exec(db, "CREATE SCHEMA weir", err);
}

enum weir_status weir_postgresql_stamp(struct weir_db *db, int64_t version, struct weir_error *err)
{
	struct weir_db_statement *statement = NULL;
	enum weir_status status =
		weir_db_prepare(db,
	                        "INSERT INTO weir.store (version, outline) VALUES (?1, " OUTLINE ")"
	                        " ON CONFLICT (one) DO UPDATE SET version = excluded.version,"
	                        " outline = excluded.outline",
	                        &statement, err);

	if (status)
		return status;
	weir_db_bind_int(statement, 1, version);
	status = weir_db_run(statement, err);
	weir_db_finalize(statement);
	return status;
}

/* The server checks its pages itself when it has checksums; references can be broken by a
 * superuser. */
enum weir_status weir_postgresql_check(struct weir_db *db, struct weir_error *err)
{
	int64_t broken = 0, triggers = 0;
	enum weir_status status = weir_db_numbers(
		db,
		"SELECT (SELECT count(*) FROM member m LEFT JOIN run r ON r.id = m.run"
		" LEFT JOIN baseline b ON b.id = m.baseline WHERE r.id IS NULL OR b.id IS NULL)"
		" + (SELECT count(*) FROM label l LEFT JOIN run r ON r.id = l.run"
		"  WHERE r.id IS NULL)"
		" + (SELECT count(*) FROM series s LEFT JOIN run r ON r.id = s.run"
		"  WHERE r.id IS NULL)",
		0, &broken, 1, err);
	if (!status)
		status = weir_db_numbers(
			db,
			"SELECT count(*) FROM pg_trigger t CROSS JOIN pg_class c"
			" WHERE c.oid = t.tgrelid AND c.relnamespace = to_regnamespace('weir')"
			" AND NOT t.tgisinternal",
			0, &triggers, 1, err);

	if (!status && broken > 0)
		status = weir_db_damaged(db, "a row refers to one that is not there", err);
	if (!status && triggers > 0)
		status = weir_db_damaged(db, "a trigger changes what is stored", err);
	return status;
}
