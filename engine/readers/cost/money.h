/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables about money, for the readers of billing exports and price lists: named columns, and cells
 * that are understood whole or refused with their line and column. A guess would be worse than no
 * figure, so nothing is left out in silence and no damage is repaired.
 */
#ifndef WEIR_READERS_MONEY_H
#define WEIR_READERS_MONEY_H

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
	size_t place[WEIR_MONEY_MAX_COLUMNS]; /* WEIR_CSV_NO_COLUMN: the table has none */
	size_t width;                         /* cells of the header */
	const struct weir_csv_row *row;       /* borrowed until the next one; NULL: at the end */
};

/* How such a table is split, for sniffers as well. */
extern const struct weir_csv_options weir_money_csv;

/* Reads the header; WEIR_E_FORMAT where a column comes twice. Release in any case. */
enum weir_status weir_money_open(struct weir_money *money, struct weir_source *source,
                                 const char *const *names, struct weir_error *err);
void weir_money_release(struct weir_money *money);

bool weir_money_has(const struct weir_money *money, size_t column);
/* WEIR_E_FORMAT where the table does not have the column. */
enum weir_status weir_money_need(const struct weir_money *money, size_t column,
                                 struct weir_error *err);

/* The next row that is not blank, as wide as the header; money->row is NULL at the end. */
enum weir_status weir_money_next(struct weir_money *money, struct weir_error *err);

/* The cell; empty where the table has no such column, and for "NULL" and "null". */
struct weir_slice weir_money_cell(const struct weir_money *money, size_t column);

/* WEIR_E_FORMAT that names line and column, shows the cell and says what belongs there. */
enum weir_status weir_money_refuse(const struct weir_money *money, size_t column,
                                   const char *expected, struct weir_error *err);

/* A plain decimal, finite; NAN for an empty cell. */
enum weir_status weir_money_number(const struct weir_money *money, size_t column, double *out,
                                   struct weir_error *err);
/* ISO 8601 as Unix time; an empty cell is refused. */
enum weir_status weir_money_time(const struct weir_money *money, size_t column, int64_t *out_ns,
                                 struct weir_error *err);
/* A name in the table of names, cut after `max` bytes; 0 for an empty cell. */
uint32_t weir_money_name(const struct weir_money *money, size_t column, struct weir_names *names,
                         size_t max);

#endif
