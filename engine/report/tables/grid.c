/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/report/plain/distinct.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/grid.h"

#define INDENT      2
#define GAP         2  /* blank columns between two columns */
#define COMFORTABLE 20 /* columns are left out while the names have less width than this */
#define NARROWEST   12 /* minimum width of the names */

struct grid {
	const struct weir_layout *layout;
	const char *title;
	size_t rows;
	const struct weir_column *column[WEIR_MAX_COLUMNS]; /* columns that are shown */
	const char *header[WEIR_MAX_COLUMNS];
	size_t width[WEIR_MAX_COLUMNS];
	size_t count;
	const struct weir_text *cell; /* rows * count */
	struct weir_text *name;       /* cells of the first column, cut to its width */
};

static const struct weir_text *cell_at(const struct grid *grid, size_t row, size_t column)
{
	return &grid->cell[row * grid->count + column];
}

static const char *shown(const struct weir_text *text)
{
	return text->data ? text->data : "";
}

static void add_column(struct grid *grid, const struct weir_column *column, const char *header)
{
	grid->column[grid->count] = column;
	grid->header[grid->count++] = header;
}

static struct weir_text *print_cells(const struct grid *grid, const struct weir_table *table,
                                     const struct weir_report *report, const size_t *rows)
{
	struct weir_text *cells =
		weir_alloc((grid->rows ? grid->rows : 1) * grid->count * sizeof(*cells));

	for (size_t row = 0; row < grid->rows; row++) {
		for (size_t i = 0; i < grid->count; i++)
			weir_column_print(table, grid->column[i], report, rows[row],
			                  &cells[row * grid->count + i]);
	}
	return cells;
}

static size_t widest(const struct grid *grid, size_t column)
{
	size_t width = 0;

	for (size_t row = 0; row < grid->rows; row++) {
		size_t columns = weir_text_columns(shown(cell_at(grid, row, column)));

		width = columns > width ? columns : width;
	}
	return width;
}

/* Measures the columns. A column without content gets width 0 and is not shown. */
static void measure(struct grid *grid)
{
	for (size_t i = 0; i < grid->count; i++) {
		size_t header = weir_text_columns(i == 0 ? grid->title : grid->header[i]);

		grid->width[i] = widest(grid, i);
		if (grid->width[i] && grid->width[i] < header)
			grid->width[i] = header;
	}
}

static size_t width_of_figures(const struct grid *grid)
{
	size_t total = INDENT;

	for (size_t i = 1; i < grid->count; i++)
		total += grid->width[i] ? grid->width[i] + GAP : 0;
	return total;
}

/* Leaves out columns of one kind, from the right, until names of this width fit. */
static void spare(struct grid *grid, unsigned kind, size_t names)
{
	for (size_t i = grid->count; i-- > 1;) {
		if (width_of_figures(grid) + names <= grid->layout->width)
			return;
		if (grid->column[i]->flags & kind)
			grid->width[i] = 0;
	}
}

/* Returns the minimum width of the names: the title stands above them and begins at the margin. */
static size_t narrowest(const struct grid *grid)
{
	size_t title = weir_text_columns(grid->title);

	return title > INDENT + NARROWEST ? title - INDENT : NARROWEST;
}

/* Leaves out optional columns until the names have a comfortable width, and further ones only until
 * the names fit. */
static void fit(struct grid *grid)
{
	size_t least = narrowest(grid);
	size_t wanted = grid->width[0] < COMFORTABLE ? grid->width[0] : COMFORTABLE;

	spare(grid, WEIR_CELL_SPARE, wanted > least ? wanted : least);
	spare(grid, WEIR_CELL_SPARE_LAST, least);
	grid->width[0] = least;
	if (width_of_figures(grid) + least < grid->layout->width)
		grid->width[0] = grid->layout->width - width_of_figures(grid);
}

/* Writes the blanks before or after a cell; the last column has none after it. */
static void write_padded(const struct grid *grid, size_t index, size_t columns, bool before)
{
	bool right = grid->column[index]->align == WEIR_ALIGN_RIGHT;
	bool last = index + 1 == grid->count;

	if (right == before && !(last && !before) && grid->width[index] > columns)
		weir_text_repeat(grid->layout->out, " ", grid->width[index] - columns);
}

/* Ends a line without trailing blanks, since the last cells of a row may be empty. */
static void end_line(const struct weir_layout *layout)
{
	struct weir_text *out = layout->out;

	while (out->length && out->data[out->length - 1] == ' ')
		out->data[--out->length] = '\0';
	weir_text_puts(out, "\n");
}

static void write_header(const struct grid *grid)
{
	const struct weir_layout *layout = grid->layout;

	weir_layout_title(layout, grid->title, INDENT + grid->width[0]);
	for (size_t i = 1; i < grid->count; i++) {
		const char *header = grid->header[i];

		if (!grid->width[i])
			continue;
		weir_text_repeat(layout->out, " ", GAP);
		write_padded(grid, i, weir_text_columns(header), true);
		weir_text_puts(layout->out, header);
		write_padded(grid, i, weir_text_columns(header), false);
	}
	end_line(layout);
}

static void write_cell(const struct grid *grid, size_t row, size_t index)
{
	const char *text = shown(cell_at(grid, row, index));
	struct weir_text cut = {0};
	enum weir_bound bound;

	if (index == 0)
		weir_text_puts(&cut, shown(&grid->name[row]));
	else
		weir_cut(&cut, text, grid->width[index]);
	write_padded(grid, index, weir_text_columns(shown(&cut)), true);
	if ((grid->column[index]->flags & WEIR_CELL_BOUND) && weir_bound_parse(shown(&cut), &bound))
		weir_layout_in_bound(grid->layout, bound, false, shown(&cut));
	else
		weir_text_puts(grid->layout->out, shown(&cut));
	write_padded(grid, index, weir_text_columns(shown(&cut)), false);
	weir_text_release(&cut);
}

static void write_row(const struct grid *grid, size_t row)
{
	weir_text_repeat(grid->layout->out, " ", INDENT);
	for (size_t i = 0; i < grid->count; i++) {
		if (!grid->width[i])
			continue;
		weir_text_repeat(grid->layout->out, " ", i ? GAP : 0);
		write_cell(grid, row, i);
	}
	end_line(grid->layout);
}

/* Cuts the names to their width so that they stay distinct. The caller frees them. */
static struct weir_text *cut_names(const struct grid *grid)
{
	struct weir_text *names = weir_alloc((grid->rows + 1) * sizeof *names);
	const char **plain = weir_alloc((grid->rows + 1) * sizeof *plain);

	for (size_t row = 0; row < grid->rows; row++)
		plain[row] = shown(cell_at(grid, row, 0));
	weir_cut_distinct(plain, grid->rows, grid->width[0], names);
	free(plain);
	return names;
}

static void write_rows(struct grid *grid)
{
	measure(grid);
	fit(grid);
	grid->name = cut_names(grid);
	write_header(grid);
	for (size_t row = 0; row < grid->rows; row++)
		write_row(grid, row);
	for (size_t row = 0; row < grid->rows; row++)
		weir_text_release(&grid->name[row]);
	free(grid->name);
}

void weir_grid_write(const struct weir_layout *layout, const struct weir_table *table,
                     const struct weir_report *report, const struct weir_rows *rows)
{
	struct grid grid = {.layout = layout, .rows = rows->count};
	struct weir_text title = {0}, headers[WEIR_MAX_COLUMNS] = {{0}}, *cells;

	weir_table_heading(table, report, &title);
	grid.title = title.data;
	for (const struct weir_column *column = table->columns; column->id; column++) {
		struct weir_text *header = &headers[grid.count];

		if (!(column->in & WEIR_IN_TEXT) ||
		    !weir_column_has_content(table, column, report, rows))
			continue;
		weir_column_heading(column, report, header);
		add_column(&grid, column, shown(header));
	}
	cells = print_cells(&grid, table, report, rows->at);
	grid.cell = cells;
	write_rows(&grid);
	for (size_t i = 0; i < rows->count * grid.count; i++)
		weir_text_release(&cells[i]);
	for (size_t i = 0; i < grid.count; i++)
		weir_text_release(&headers[i]);
	weir_text_release(&title);
	free(cells);
}

void weir_grid_write_cells(const struct weir_layout *layout, const char *title,
                           const struct weir_column *columns, const struct weir_text *cells,
                           size_t rows)
{
	struct grid grid = {.layout = layout, .title = title, .rows = rows, .cell = cells};

	for (const struct weir_column *column = columns; column->id; column++)
		if (column->in & WEIR_IN_TEXT)
			add_column(&grid, column, column->header);
	write_rows(&grid);
}
