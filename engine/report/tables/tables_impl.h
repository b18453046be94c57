/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of tables share. One column a line reads as the table it describes. */
#ifndef WEIR_REPORT_TABLES_IMPL_H
#define WEIR_REPORT_TABLES_IMPL_H

#include "engine/report/tables/tables.h"

/* "runtime"; "-" where nothing is known. */
void weir_print_bound(const struct weir_verdict *verdict, struct weir_text *out);

/* "64 % DRAM"; "-" where the class says nothing to people. */
void weir_print_limit(enum weir_roofline roofline, double efficiency, struct weir_text *out);

/* clang-format off */
#define NAMED(i, h, m, where, how, p) \
	{ .id = (i), .header = (h), .meaning = (m), .in = (where), .flags = (how), .print = (p) }
#define NUMBER(i, h, m, where, u, n) \
	{ .id = (i), .header = (h), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .unit = (u), .number = (n) }
#define SPARED(i, h, m, where, how, u, n) \
	{ .id = (i), .header = (h), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .flags = (how), .unit = (u), .number = (n) }

#define HEADED(i, f, m, where, how, u, n) \
	{ .id = (i), .header = "", .head = (f), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .flags = (how), .unit = (u), .number = (n) }

#define ALL   WEIR_IN_ALL
#define PAGES (WEIR_IN_MARKDOWN | WEIR_IN_HTML)
#define HTML  WEIR_IN_HTML
#define FIRST WEIR_CELL_SPARE
#define LAST  WEIR_CELL_SPARE_LAST
#define DRAWN (WEIR_IN_TEXT | WEIR_IN_HTML)

#define COUNT WEIR_UNIT_COUNT
#define BYTES WEIR_UNIT_BYTES
#define NS    WEIR_UNIT_NS
#define SHARE WEIR_UNIT_SHARE
#define RATIO WEIR_UNIT_RATIO
/* clang-format on */

#endif
