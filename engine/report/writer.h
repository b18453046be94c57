/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a writer is: a row of the table in registry.c. A writer formats a finished report and
 * computes nothing that a reader of the report could not read there. To add one, see
 * docs/adding-a-writer.md.
 */
#ifndef WEIR_REPORT_WRITER_H
#define WEIR_REPORT_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/report.h"

#define WEIR_WRITE_WIDTH 80 /* columns where nobody says otherwise */
#define WEIR_WRITE_TOP   10 /* operators where nobody says otherwise */

struct weir_write_options {
	size_t width; /* text only: columns of the terminal; held between 60 and 120, 0:
	                 WEIR_WRITE_WIDTH */
	bool colour;  /* text only: escape sequences; nothing needs them to be understood */
	size_t top;   /* operators to list, 0: WEIR_WRITE_TOP; JSON always holds all of them */
};

struct weir_writer {
	const char *name;   /* for --format: "markdown" */
	const char *suffix; /* for -o: ".md" */
	const char *title;  /* one line for `weir formats` */
	bool detail;        /* draws report->detail, which stored reports do not have */
	/* Appends the whole document to out. */
	void (*write)(const struct weir_report *report, const struct weir_write_options *options,
	              struct weir_text *out);
};

extern const struct weir_writer weir_writer_text, weir_writer_json, weir_writer_markdown,
	weir_writer_html, weir_writer_flame, weir_writer_folded, weir_writer_speedscope,
	weir_writer_annotated;

extern const struct weir_writer *const weir_writers[]; /* ends with NULL */

/* By name; unknown: WEIR_E_USAGE with the nearest name and the list. */
enum weir_status weir_writer_find(const char *name, const struct weir_writer **out,
                                  struct weir_error *err);
/* By the suffix of an output path; unknown: WEIR_E_USAGE with the suffixes that exist. */
enum weir_status weir_writer_for_path(const char *path, const struct weir_writer **out,
                                      struct weir_error *err);

#endif
