/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/query/answer.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/layout.h"

#define CELL_COLUMNS 60             /* longer texts are cut for people */
#define END_BYTES    ((size_t)1024) /* of a text at each end, of which CELL_COLUMNS are shown */
#define GAP          2              /* blanks between columns */

static const struct weir_query_cell *cell_at(const struct weir_query_result *result, size_t row,
                                             size_t column)
{
	return &result->cells[row * result->column_count + column];
}

/* Appends a number as JSON writes it. */
static void add_number(const struct weir_query_cell *cell, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, false);
	if (cell->kind == WEIR_QUERY_IS_INTEGER)
		weir_jsonout_int(&json, NULL, cell->as.integer);
	else
		weir_jsonout_double(&json, NULL, cell->as.real);
}

/* ---- text ---- */

/* Appends a text without control characters; of a long one only its ends, since its middle is cut
 * anyway. */
static void add_ends(const char *value, struct weir_text *plain)
{
	size_t len = strlen(value);
	struct weir_text ends = {0};

	if (len > 2 * END_BYTES) {
		weir_text_add(&ends, value, END_BYTES);
		weir_text_puts(&ends, value + len - END_BYTES);
		value = ends.data;
	}
	weir_escape_plain(plain, value);
	weir_text_release(&ends);
}

static void add_plain(const struct weir_query_cell *cell, struct weir_text *out)
{
	struct weir_text plain = {0};

	switch (cell->kind) {
	case WEIR_QUERY_NULL:
		weir_text_puts(out, "-");
		break;
	case WEIR_QUERY_IS_INTEGER:
	case WEIR_QUERY_IS_REAL:
		add_number(cell, out);
		break;
	case WEIR_QUERY_IS_TEXT:
		add_ends(cell->as.text, &plain);
		weir_cut(out, plain.length ? plain.data : "", CELL_COLUMNS);
		weir_text_release(&plain);
		break;
	}
}

/* Measures the columns; *numeric tells which hold no text. The caller frees both. */
static size_t *measure(const struct weir_query_result *result, bool **numeric)
{
	size_t *widths = weir_alloc((result->column_count + 1) * sizeof *widths);
	struct weir_text text = {0};

	*numeric = weir_alloc(result->column_count + 1);
	for (size_t c = 0; c < result->column_count; c++) {
		widths[c] = weir_text_columns(result->names[c]);
		(*numeric)[c] = true;
		for (size_t r = 0; r < result->row_count; r++) {
			const struct weir_query_cell *cell = cell_at(result, r, c);
			size_t width;

			(*numeric)[c] &= cell->kind != WEIR_QUERY_IS_TEXT;
			weir_text_clear(&text);
			add_plain(cell, &text);
			width = weir_text_columns(text.length ? text.data : "");
			widths[c] = width > widths[c] ? width : widths[c];
		}
	}
	weir_text_release(&text);
	return widths;
}

static void add_line(const struct weir_layout *layout, const struct weir_query_result *result,
                     size_t row, const size_t *widths, const bool *numeric)
{
	struct weir_text text = {0};

	for (size_t c = 0; c < result->column_count; c++) {
		bool last = c + 1 == result->column_count;

		weir_text_clear(&text);
		if (row == SIZE_MAX)
			weir_escape_plain(&text, result->names[c]);
		else
			add_plain(cell_at(result, row, c), &text);
		if (last && !numeric[c])
			weir_text_puts(layout->out, text.length ? text.data : "");
		else
			weir_layout_padded(layout, text.length ? text.data : "", widths[c],
			                   numeric[c]);
		if (!last)
			weir_text_repeat(layout->out, " ", GAP);
	}
	weir_text_puts(layout->out, "\n");
	weir_text_release(&text);
}

static void add_text(const struct weir_query_result *result, struct weir_text *out)
{
	struct weir_layout layout = {.out = out};
	bool *numeric;
	size_t *widths = measure(result, &numeric);

	add_line(&layout, result, SIZE_MAX, widths, numeric);
	for (size_t r = 0; r < result->row_count; r++)
		add_line(&layout, result, r, widths, numeric);
	free(widths);
	free(numeric);
}

/* ---- CSV ---- */

static void add_field(const char *field, struct weir_text *out)
{
	if (!strpbrk(field, ",\"\r\n")) {
		weir_text_puts(out, field);
		return;
	}
	weir_text_puts(out, "\"");
	for (const char *at = field; *at; at++) {
		weir_text_puts(out, *at == '"' ? "\"" : "");
		weir_text_add(out, at, 1);
	}
	weir_text_puts(out, "\"");
}

/* CSV has no word for unknown and infinite numbers: the field is empty. */
static bool is_known_number(const struct weir_query_cell *cell)
{
	return cell->kind == WEIR_QUERY_IS_INTEGER ||
	       (cell->kind == WEIR_QUERY_IS_REAL && isfinite(cell->as.real));
}

static void add_csv(const struct weir_query_result *result, struct weir_text *out)
{
	for (size_t c = 0; c < result->column_count; c++) {
		weir_text_puts(out, c ? "," : "");
		add_field(result->names[c], out);
	}
	weir_text_puts(out, "\n");
	for (size_t r = 0; r < result->row_count; r++) {
		for (size_t c = 0; c < result->column_count; c++) {
			const struct weir_query_cell *cell = cell_at(result, r, c);

			weir_text_puts(out, c ? "," : "");
			if (cell->kind == WEIR_QUERY_IS_TEXT)
				add_field(cell->as.text, out);
			else if (is_known_number(cell))
				add_number(cell, out);
		}
		weir_text_puts(out, "\n");
	}
}

/* ---- JSON ---- */

static enum weir_status check_names(const struct weir_query_result *result, struct weir_error *err)
{
	for (size_t i = 0; i < result->column_count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(result->names[i], result->names[j]) == 0)
				return weir_fail(err, WEIR_E_USAGE,
				                 "two columns are named %s: rename one with AS",
				                 result->names[i]);
	return WEIR_OK;
}

static void add_member(struct weir_jsonout *json, const char *name,
                       const struct weir_query_cell *cell)
{
	switch (cell->kind) {
	case WEIR_QUERY_NULL:
		weir_jsonout_null(json, name);
		break;
	case WEIR_QUERY_IS_INTEGER:
		weir_jsonout_int(json, name, cell->as.integer);
		break;
	case WEIR_QUERY_IS_REAL:
		weir_jsonout_double(json, name, cell->as.real);
		break;
	case WEIR_QUERY_IS_TEXT:
		weir_jsonout_text(json, name, cell->as.text);
		break;
	}
}

static void add_json(const struct weir_query_result *result, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_array(&json, NULL);
	for (size_t r = 0; r < result->row_count; r++) {
		weir_jsonout_begin_object_inline(&json, NULL);
		for (size_t c = 0; c < result->column_count; c++)
			add_member(&json, result->names[c], cell_at(result, r, c));
		weir_jsonout_end(&json);
	}
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}

enum weir_status weir_query_answer(const struct weir_query_result *result,
                                   enum weir_query_form form, struct weir_text *out,
                                   struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	switch (form) {
	case WEIR_QUERY_AS_TEXT:
		add_text(result, out);
		break;
	case WEIR_QUERY_AS_JSON:
		status = check_names(result, err);
		if (!status)
			add_json(result, out);
		break;
	case WEIR_QUERY_AS_CSV:
		add_csv(result, out);
		break;
	}
	return status;
}

/* ---- the tables ---- */

/* Appends "stages: a row for each entry of stages". */
static void add_title(const struct weir_query_table *table, struct weir_text *out)
{
	weir_text_puts(out, table->name);
	switch (table->shape) {
	case WEIR_QUERY_OBJECT:
		weir_text_puts(out, " (one row, or none)");
		break;
	case WEIR_QUERY_LIST:
		weir_text_puts(out, " (a row for each entry)");
		break;
	case WEIR_QUERY_MAP:
		weir_text_puts(out, " (a row for each name)");
		break;
	}
	if (table->parent)
		weir_text_printf(out, ", parent_id is row_id of %s", table->parent->name);
	weir_text_puts(out, "\n");
}

void weir_query_list_text(const struct weir_query_tables *tables, struct weir_text *out)
{
	struct weir_layout layout = {.out = out};
	size_t name_columns = 0, unit_columns = 0;

	for (size_t t = 0; t < tables->count; t++)
		for (size_t c = 0; c < tables->items[t]->column_count; c++) {
			const struct weir_query_column *column = &tables->items[t]->columns[c];
			size_t name = strlen(column->name), unit = strlen(column->unit);

			name_columns = name > name_columns ? name : name_columns;
			unit_columns = unit > unit_columns ? unit : unit_columns;
		}
	for (size_t t = 0; t < tables->count; t++) {
		const struct weir_query_table *table = tables->items[t];

		weir_text_puts(out, t ? "\n" : "");
		add_title(table, out);
		for (size_t c = table->own; c < table->column_count; c++) {
			const struct weir_query_column *column = &table->columns[c];

			weir_text_puts(out, "  ");
			weir_layout_padded(&layout, column->name, name_columns + GAP, false);
			weir_layout_padded(&layout, weir_query_type_name(column->type), 9, false);
			weir_layout_padded(&layout, column->unit, unit_columns + GAP, false);
			weir_text_printf(out, "%s\n", column->meaning);
		}
	}
}

static void add_steps(const struct weir_query_path *path, struct weir_text *out)
{
	for (size_t i = 0; i < path->count; i++)
		if (path->steps[i].key)
			weir_text_printf(out, "%s%s", out->length ? "." : "", path->steps[i].key);
		else
			weir_text_printf(out, "[%zu]", path->steps[i].index);
}

/* Appends the path from the document to a row: "operators[].kernels[]". */
static void add_row_path(const struct weir_query_table *table, struct weir_text *out)
{
	if (table->parent)
		add_row_path(table->parent, out);
	add_steps(&table->path, out);
	if (table->shape == WEIR_QUERY_LIST)
		weir_text_puts(out, "[]");
	else if (table->shape == WEIR_QUERY_MAP)
		weir_text_puts(out, ".*");
}

/* Returns the path to the values of a column; "" for those that the JSON does not hold. */
static const char *path_of(const struct weir_query_table *table, size_t column,
                           struct weir_arena *arena)
{
	bool is_key = table->shape == WEIR_QUERY_MAP && column == table->own;
	struct weir_text text = {0};
	const char *path = "";

	if (column < table->own || is_key)
		return path;
	add_row_path(table, &text);
	add_steps(&table->columns[column].path, &text);
	path = weir_arena_copy(arena, text.data, text.length);
	weir_text_release(&text);
	return path;
}

static void add_row(struct weir_query_result *result, const char *const *texts)
{
	size_t at = result->row_count++ * result->column_count;

	result->cells = weir_grow(result->cells, &result->room, at + result->column_count,
	                          sizeof *result->cells);
	for (size_t i = 0; i < result->column_count; i++)
		result->cells[at + i] =
			(struct weir_query_cell){.kind = WEIR_QUERY_IS_TEXT, .as.text = texts[i]};
}

struct weir_query_result *weir_query_list(const struct weir_query_tables *const *tables,
                                          size_t count)
{
	static const char *const names[] = {"document", "table_name", "column_name", "type",
	                                    "unit",     "path",       "meaning"};
	struct weir_query_result *result = weir_alloc(sizeof *result);

	result->arena = weir_arena_new();
	result->column_count = WEIR_COUNT_OF(names);
	result->names = weir_arena_alloc(result->arena, sizeof names);
	memcpy(result->names, names, sizeof names);
	for (size_t d = 0; d < count; d++)
		for (size_t t = 0; t < tables[d]->count; t++) {
			const struct weir_query_table *table = tables[d]->items[t];

			for (size_t c = 0; c < table->column_count; c++) {
				const struct weir_query_column *column = &table->columns[c];
				const char *texts[] = {tables[d]->items[0]->name,
				                       table->name,
				                       column->name,
				                       weir_query_type_name(column->type),
				                       column->unit,
				                       path_of(table, c, result->arena),
				                       column->meaning};

				add_row(result, texts);
			}
		}
	return result;
}
