/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "baselines/db.h"

void weir_db_close(struct weir_db *db)
{
	if (db)
		db->driver->close(db);
}

enum weir_status weir_db_exec(struct weir_db *db, const char *sql, struct weir_error *err)
{
	return db->driver->exec(db, sql, err);
}

enum weir_status weir_db_begin(struct weir_db *db, bool writes, struct weir_error *err)
{
	return db->driver->begin(db, writes, err);
}

enum weir_status weir_db_commit(struct weir_db *db, struct weir_error *err)
{
	return db->driver->commit(db, err);
}

void weir_db_rollback(struct weir_db *db)
{
	db->driver->rollback(db);
}

bool weir_db_again(struct weir_db *db, unsigned tried)
{
	return tried < WEIR_DB_MAX_TRIES && db->driver->again(db, tried);
}

int64_t weir_db_changes(const struct weir_db *db)
{
	return db->driver->changes(db);
}

int64_t weir_db_total_changes(const struct weir_db *db)
{
	return db->driver->total_changes(db);
}

enum weir_status weir_db_prepare(struct weir_db *db, const char *sql,
                                 struct weir_db_statement **out, struct weir_error *err)
{
	return db->driver->prepare(db, sql, out, err);
}

void weir_db_finalize(struct weir_db_statement *statement)
{
	if (statement)
		statement->db->driver->finalize(statement);
}

void weir_db_bind_int(struct weir_db_statement *statement, int index, int64_t value)
{
	statement->db->driver->bind_int(statement, index, value);
}

void weir_db_bind_double(struct weir_db_statement *statement, int index, double value)
{
	if (isnan(value))
		statement->db->driver->bind_text(statement, index, NULL);
	else
		statement->db->driver->bind_double(statement, index, value);
}

void weir_db_bind_text(struct weir_db_statement *statement, int index, const char *text)
{
	statement->db->driver->bind_text(statement, index, text);
}

void weir_db_bind_blob(struct weir_db_statement *statement, int index, const void *data,
                       size_t size)
{
	statement->db->driver->bind_blob(statement, index, data, size);
}

enum weir_status weir_db_send(struct weir_db_statement *statement, struct weir_error *err)
{
	return statement->db->driver->send(statement, err);
}

enum weir_status weir_db_queue(struct weir_db_statement *statement, struct weir_error *err)
{
	return statement->db->driver->queue(statement, err);
}

enum weir_status weir_db_step(struct weir_db_statement *statement, bool *row,
                              struct weir_error *err)
{
	return statement->db->driver->step(statement, row, err);
}

enum weir_status weir_db_run(struct weir_db_statement *statement, struct weir_error *err)
{
	bool row = true;
	enum weir_status status = WEIR_OK;

	while (!status && row)
		status = weir_db_step(statement, &row, err);
	return status;
}

bool weir_db_is_null(struct weir_db_statement *row, int column)
{
	return row->db->driver->is_null(row, column);
}

int64_t weir_db_int(struct weir_db_statement *row, int column)
{
	return row->db->driver->int_at(row, column);
}

double weir_db_double(struct weir_db_statement *row, int column)
{
	return weir_db_is_null(row, column) ? NAN : row->db->driver->double_at(row, column);
}

const char *weir_db_text(struct weir_db_statement *row, int column)
{
	return row->db->driver->text_at(row, column);
}

const void *weir_db_blob(struct weir_db_statement *row, int column)
{
	return row->db->driver->blob_at(row, column);
}

size_t weir_db_size(struct weir_db_statement *row, int column)
{
	return row->db->driver->size_at(row, column);
}

enum weir_status weir_db_numbers(struct weir_db *db, const char *sql, int64_t parameter,
                                 int64_t *numbers, int count, struct weir_error *err)
{
	struct weir_db_statement *statement = NULL;
	bool row = false;
	enum weir_status status = weir_db_prepare(db, sql, &statement, err);

	if (status)
		return status;
	weir_db_bind_int(statement, 1, parameter);
	status = weir_db_step(statement, &row, err);
	for (int i = 0; i < count; i++)
		numbers[i] = !status && row ? weir_db_int(statement, i) : 0;
	weir_db_finalize(statement);
	return status;
}

enum weir_status weir_db_damaged(const struct weir_db *db, const char *what, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_STORE, "%s is damaged: %s", db->label, what);
}
