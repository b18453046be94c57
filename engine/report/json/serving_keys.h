/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures about requests, their cost and the monitor in weir.report/1: one table, by which
 * json_serving.c writes them and report_read_serving.c reads them again. */
#ifndef WEIR_REPORT_SERVING_KEYS_H
#define WEIR_REPORT_SERVING_KEYS_H

#include <stddef.h>

/* How a double is written. */
enum weir_figure_form {
	WEIR_FIGURE_SHARE,  /* at most six decimals */
	WEIR_FIGURE_WHOLE,  /* nearest integer: nanoseconds, bytes */
	WEIR_FIGURE_DOUBLE, /* shortest that reads back equal: money */
};

struct weir_figure_key {
	const char *key; /* NULL ends a table */
	size_t offset;   /* of the double in its struct */
	enum weir_figure_form form;
};

extern const struct weir_figure_key weir_batch_size_keys[]; /* struct weir_batch_sizes */
extern const struct weir_figure_key weir_wait_keys[];       /* struct weir_request_figures */
extern const struct weir_figure_key weir_request_keys[];    /* the same, behind the contract's */
extern const struct weir_figure_key weir_cost_keys[];       /* struct weir_cost */
extern const struct weir_figure_key weir_telemetry_keys[];  /* struct weir_telemetry_figures */
extern const struct weir_figure_key weir_quantile_keys[];   /* struct weir_distribution */

#endif
