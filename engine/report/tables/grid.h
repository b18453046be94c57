/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a report in fixed columns. */
#ifndef WEIR_REPORT_TABLES_GRID_H
#define WEIR_REPORT_TABLES_GRID_H

#include "engine/report/plain/layout.h"
#include "engine/report/tables/tables.h"

/*
 * Writes the title and the headers on one line, then the rows. Names take the width that the
 * figures leave; if it is too small, optional columns are left out.
 */
void weir_grid_write(const struct weir_layout *layout, const struct weir_table *table,
                     const struct weir_report *report, const struct weir_rows *rows);

/* Writes cells that are plain texts already, row by row, one for each column that text shows.
 * `columns` ends with a NULL id; its first one holds the names. */
void weir_grid_write_cells(const struct weir_layout *layout, const char *title,
                           const struct weir_column *columns, const struct weir_text *cells,
                           size_t rows);

#endif
