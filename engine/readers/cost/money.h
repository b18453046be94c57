/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tables about money, for billing exports and price lists: named columns, and cells that are
 * parsed whole or refused with their line and column. A wrong sum would be worse than none, so no
 * row is dropped and no damage is repaired.
 */
#ifndef WEIR_READERS_COST_MONEY_H
#define WEIR_READERS_COST_MONEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"
#include "engine/readers/parts/csv.h"

#define WEIR_MONEY_MAX_COLUMNS 16

/* Columns by name, in the order of the list that opened the table. */
struct weir_money {
	struct weir_source *source;
	struct weir_csv *csv;
	const char *const *names;             /* NULL-terminated; static */
	size_t place[WEIR_MONEY_MAX_COLUMNS]; /* WEIR_CSV_NO_COLUMN: not in the table */
	size_t width;                         /* cells of the header */
	const struct weir_csv_row *row;       /* borrowed until the next one; NULL: at the end */
};

/* The form of the tables, also for sniffers. */
extern const struct weir_csv_options weir_money_csv;

/* Reads the header; WEIR_E_FORMAT if a column repeats. Release in any case. */
enum weir_status weir_money_open(struct weir_money *money, struct weir_source *source,
                                 const char *const *names, struct weir_error *err);
void weir_money_release(struct weir_money *money);

bool weir_money_has(const struct weir_money *money, size_t column);
/* Fails with WEIR_E_FORMAT if the table does not have the column. */
enum weir_status weir_money_need(const struct weir_money *money, size_t column,
                                 struct weir_error *err);

/* Reads the next row that is not blank. Fails unless it is as wide as the header. money->row is
 * NULL at the end. */
enum weir_status weir_money_next(struct weir_money *money, struct weir_error *err);

/* Returns the cell; empty if the table has no such column, and for "NULL" and "null". */
struct weir_slice weir_money_cell(const struct weir_money *money, size_t column);

/* Fails with WEIR_E_FORMAT; the message has line, column, cell, and what was expected. */
enum weir_status weir_money_refuse(const struct weir_money *money, size_t column,
                                   const char *expected, struct weir_error *err);

/* Parses a finite decimal number; NAN for an empty cell. */
enum weir_status weir_money_number(const struct weir_money *money, size_t column, double *out,
                                   struct weir_error *err);
/* Parses ISO 8601 into Unix time; refuses an empty cell. */
enum weir_status weir_money_time(const struct weir_money *money, size_t column, int64_t *out_ns,
                                 struct weir_error *err);
/* Adds the cell, cut after `max` bytes, to the names; 0 for an empty cell. */
uint32_t weir_money_name(const struct weir_money *money, size_t column, struct weir_names *names,
                         size_t max);

#endif
