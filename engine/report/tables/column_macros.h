/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short names for the columns of a table in tables.h. */
#ifndef WEIR_REPORT_TABLES_COLUMN_MACROS_H
#define WEIR_REPORT_TABLES_COLUMN_MACROS_H

#include "engine/report/tables/tables.h"

/* One column per line, so that a table here looks like the table in a report. OF is the struct of a
 * row: FIELD() names a double in it, or a uint64_t if the unit is COUNT. */
/* clang-format off */
#define NAMED(i, h, m, where, how, p) \
	{ .id = (i), .header = (h), .meaning = (m), .in = (where), .flags = (how), .print = (p) }
#define RANGED(i, where, how, p) \
	{ .id = (i), .header = (i), .meaning = "bounds from the buckets of the histogram", .align = WEIR_ALIGN_RIGHT, \
	  .in = (where), .flags = (how), .print = (p) }
#define NUMBER(i, h, m, where, how, u, n) \
	{ .id = (i), .header = (h), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .flags = (how), .unit = (u), .number = (n) }
#define HEADED(i, f, m, where, how, u, n) \
	{ .id = (i), .header = "", .head = (f), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .flags = (how), .unit = (u), .number = (n) }
#define FIELD(i, h, m, where, how, u, field) \
	{ .id = (i), .header = (h), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .flags = (how), .unit = (u), .offset = AT_##u(field) }
/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names of members and types */
#define AT(field, type) _Generic(&((OF *)0)->field, type *: offsetof(OF, field))
/* NOLINTEND(bugprone-macro-parentheses) */
#define AT_COUNT(field) AT(field, uint64_t)
#define AT_NS(field)    AT(field, double)
#define AT_SHARE(field) AT(field, double)
#define AT_RATIO(field) AT(field, double)

#define ALL   WEIR_IN_ALL
#define PAGES (WEIR_IN_MARKDOWN | WEIR_IN_HTML)
#define HTML  WEIR_IN_HTML
#define DRAWN (WEIR_IN_TEXT | WEIR_IN_HTML)
#define FIRST WEIR_CELL_SPARE
#define LAST  WEIR_CELL_SPARE_LAST
#define ANY   WEIR_CELL_IF_ANY

#define COUNT WEIR_UNIT_COUNT
#define BYTES WEIR_UNIT_BYTES
#define NS    WEIR_UNIT_NS
#define SHARE WEIR_UNIT_SHARE
#define RATIO WEIR_UNIT_RATIO
/* clang-format on */

#endif
