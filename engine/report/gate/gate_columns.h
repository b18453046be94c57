/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gate's rows as columns, for Markdown and HTML; text has its own, which fit 80 columns. */
#ifndef WEIR_REPORT_GATE_COLUMNS_H
#define WEIR_REPORT_GATE_COLUMNS_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"
#include "engine/report/tables/tables.h"

struct weir_gate_column {
	const char *id; /* class of its cells in HTML */
	const char *header;
	enum weir_align align;
	/* Appends one cell as a plain text, safe on a terminal; names are not cut. */
	void (*print)(const struct weir_row *row, struct weir_text *out);
};

extern const struct weir_gate_column weir_gate_columns[]; /* the names first; ends with a NULL id */

#endif
