/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/gate/gate_columns.h"
#include "engine/report/gate/gate_figures.h"

static void print_metric(const struct weir_row *row, struct weir_text *out)
{
	weir_text_puts(out, weir_metric_name(row->metric));
}

static void print_change(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_change(row->change, out);
}

static void print_p(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_p(row->p_adjusted, out);
}

static void print_margin(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_print_limit(row->margin, out);
}

const struct weir_gate_column weir_gate_columns[] = {
	{"scope", "scope", WEIR_ALIGN_LEFT, weir_gate_print_subject},
	{"metric", "metric", WEIR_ALIGN_LEFT, print_metric},
	{"baseline", "baseline", WEIR_ALIGN_RIGHT, weir_gate_print_baseline},
	{"candidate", "candidate", WEIR_ALIGN_RIGHT, weir_gate_print_candidate},
	{"change", "change", WEIR_ALIGN_RIGHT, print_change},
	{"interval", "90 % interval", WEIR_ALIGN_LEFT, weir_gate_print_interval},
	{"p", "adjusted p", WEIR_ALIGN_RIGHT, print_p},
	{"margin", "margin", WEIR_ALIGN_RIGHT, print_margin},
	{.id = NULL},
};
