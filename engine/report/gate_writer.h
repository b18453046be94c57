/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The writers of a gate's result, as writer.h has them for a report: each is a row of the table in
 * gate_registry.c, formats a finished result and judges nothing.
 */
#ifndef WEIR_REPORT_GATE_WRITER_H
#define WEIR_REPORT_GATE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/comparison.h"

#define WEIR_GATE_BUDGET 60000 /* bytes of Markdown where nobody says otherwise */

struct weir_gate_write_options {
	size_t width;     /* text only: columns; held between 60 and 120, 0: 80 */
	bool colour;      /* text only: escape sequences; nothing needs them to be understood */
	bool all;         /* text only: every row, not only those that stop or warn */
	size_t budget;    /* Markdown only: bytes at most, 0: WEIR_GATE_BUDGET */
	const char *link; /* Markdown only: address of the full report; NULL: none */
};

struct weir_gate_writer {
	const char *name;   /* for --format: "junit" */
	const char *suffix; /* for -o: ".xml"; NULL: by name only */
	const char *title;  /* one line for `weir formats` */
	/* Appends the whole document to out. options may be NULL. */
	void (*write)(const struct weir_gate_result *result,
	              const struct weir_gate_write_options *options, struct weir_text *out);
};

extern const struct weir_gate_writer weir_gate_writer_text, weir_gate_writer_json,
	weir_gate_writer_markdown, weir_gate_writer_html, weir_gate_writer_junit,
	weir_gate_writer_sarif, weir_gate_writer_annotations;

extern const struct weir_gate_writer *const weir_gate_writers[]; /* ends with NULL */

/* By name; unknown: WEIR_E_USAGE with the nearest name and the list. */
enum weir_status weir_gate_writer_find(const char *name, const struct weir_gate_writer **out,
                                       struct weir_error *err);
/* By the suffix of an output path; unknown: WEIR_E_USAGE with the suffixes that exist. */
enum weir_status weir_gate_writer_for_path(const char *path, const struct weir_gate_writer **out,
                                           struct weir_error *err);

/* "weir: verdict=regression exit=1 regressions=2 judged=20", without the line's end: what a gate
 * says last on standard error. */
void weir_gate_last_line(const struct weir_gate_result *result, struct weir_text *out);

#endif
