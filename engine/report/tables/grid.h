/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of the report in fixed columns. */
#ifndef WEIR_REPORT_GRID_H
#define WEIR_REPORT_GRID_H

#include "engine/report/plain/layout.h"
#include "engine/report/tables/tables.h"

/*
 * The table's title and headers on one line, then these rows. The names get the width
 * that the figures leave; columns that can be spared go first where that is too little.
 */
void weir_grid_write(const struct weir_layout *layout, const struct weir_table *table,
                     const struct weir_report *report, const struct weir_rows *rows);

/* The same for cells that are printed already: plain texts, row by row, one for each column that is
 * shown in text. `columns` ends with a NULL id; its first holds the names. */
void weir_grid_write_cells(const struct weir_layout *layout, const char *title,
                           const struct weir_column *columns, const struct weir_text *cells,
                           size_t rows);

#endif
