/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/cost/money.h"

#define SHOWN 40 /* bytes of a cell in a message */

const struct weir_csv_options weir_money_csv = {.separator = ',', .quotes = true};

static enum weir_status find_columns(struct weir_money *money, struct weir_error *err)
{
	const struct weir_csv_row *header = money->row;

	money->width = header->count;
	for (size_t i = 0; money->names[i]; i++) {
		assert(i < WEIR_MONEY_MAX_COLUMNS);
		money->place[i] = weir_csv_find(header, money->names[i]);
		if (money->place[i] == WEIR_CSV_NO_COLUMN)
			continue;
		for (size_t c = money->place[i] + 1; c < header->count; c++)
			if (weir_slice_equals(header->cells[c], money->names[i]))
				return weir_fail(
					err, WEIR_E_FORMAT, "line %llu: two columns %s: keep one",
					(unsigned long long)header->number, money->names[i]);
	}
	return WEIR_OK;
}

enum weir_status weir_money_open(struct weir_money *money, struct weir_source *source,
                                 const char *const *names, struct weir_error *err)
{
	enum weir_status status;

	*money = (struct weir_money){.source = source, .names = names};
	money->csv = weir_csv_new(source, &weir_money_csv);
	do {
		status = weir_csv_next(money->csv, &money->row, err);
	} while (!status && money->row && !money->row->count);
	if (status)
		return status;
	if (!money->row)
		return weir_fail(err, WEIR_E_FORMAT, "no header with the names of columns");
	return find_columns(money, err);
}

void weir_money_release(struct weir_money *money)
{
	weir_csv_free(money->csv);
	*money = (struct weir_money){0};
}

bool weir_money_has(const struct weir_money *money, size_t column)
{
	return money->place[column] != WEIR_CSV_NO_COLUMN;
}

enum weir_status weir_money_need(const struct weir_money *money, size_t column,
                                 struct weir_error *err)
{
	if (weir_money_has(money, column))
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT, "no column %s: write the file again with it",
	                 money->names[column]);
}

/* Fails if the table is cut: its sum would be too small. */
static enum weir_status check_end(const struct weir_money *money, struct weir_error *err)
{
	const char *damage = weir_source_damage(money->source);

	if (damage)
		return weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", damage);
	if (weir_csv_skipped(money->csv)->count)
		return weir_fail(err, WEIR_E_LIMIT, "a row at byte %llu is longer than %u bytes",
		                 (unsigned long long)weir_csv_skipped(money->csv)->first_at,
		                 WEIR_CSV_MAX_LINE);
	return WEIR_OK;
}

static enum weir_status check_row(const struct weir_money *money, struct weir_error *err)
{
	const struct weir_csv_row *row = money->row;
	unsigned long long line = row->number;

	if (row->odd)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "line %llu: quotes that do not close, or text after them: write "
		                 "the file again",
		                 line);
	if (row->count != money->width)
		return weir_fail(
			err, WEIR_E_FORMAT, "line %llu: %zu cells, but the header names %zu: %s",
			line, row->count, money->width,
			row->cut ? "the file ends in it, copy it again" : "write the file again");
	return WEIR_OK;
}

enum weir_status weir_money_next(struct weir_money *money, struct weir_error *err)
{
	enum weir_status status;

	do {
		status = weir_csv_next(money->csv, &money->row, err);
	} while (!status && money->row && !money->row->count);
	if (status)
		return status;
	return money->row ? check_row(money, err) : check_end(money, err);
}

struct weir_slice weir_money_cell(const struct weir_money *money, size_t column)
{
	struct weir_slice cell = weir_csv_cell(money->row, money->place[column]);

	if (weir_slice_equals(cell, "NULL") || weir_slice_equals(cell, "null"))
		cell.length = 0;
	return cell;
}

enum weir_status weir_money_refuse(const struct weir_money *money, size_t column,
                                   const char *expected, struct weir_error *err)
{
	struct weir_slice cell = weir_money_cell(money, column);
	unsigned long long line = money->row->number;

	if (!cell.length)
		return weir_fail(err, WEIR_E_FORMAT, "line %llu, column %s: empty, expected %s",
		                 line, money->names[column], expected);
	return weir_fail(err, WEIR_E_FORMAT, "line %llu, column %s: \"%.*s%s\", expected %s", line,
	                 money->names[column], (int)(cell.length < SHOWN ? cell.length : SHOWN),
	                 cell.data, cell.length > SHOWN ? "..." : "", expected);
}

enum weir_status weir_money_number(const struct weir_money *money, size_t column, double *out,
                                   struct weir_error *err)
{
	struct weir_slice cell = weir_money_cell(money, column);

	*out = NAN;
	if (!cell.length)
		return WEIR_OK;
	if (!weir_parse_double(cell.data, cell.length, out) || !isfinite(*out))
		return weir_money_refuse(money, column,
		                         "a plain number as 10000.00, without currency signs and "
		                         "thousands separators",
		                         err);
	return WEIR_OK;
}

enum weir_status weir_money_time(const struct weir_money *money, size_t column, int64_t *out_ns,
                                 struct weir_error *err)
{
	struct weir_slice cell = weir_money_cell(money, column);

	if (weir_parse_iso_ns(cell.data, cell.length, out_ns))
		return WEIR_OK;
	return weir_money_refuse(money, column, "a time such as 2025-05-01T00:00:00Z", err);
}

uint32_t weir_money_name(const struct weir_money *money, size_t column, struct weir_names *names,
                         size_t max)
{
	struct weir_slice cell = weir_money_cell(money, column);
	size_t length = cell.length < max ? cell.length : max;
	const char *nul = memchr(cell.data, '\0', length);

	return weir_names_add(names, cell.data, nul ? (size_t)(nul - cell.data) : length);
}
