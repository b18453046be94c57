/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writers: rows of the table in registry.c. A writer formats a finished report, a finished gate
 * result, or both, and computes nothing that is not in them. To add one, see
 * docs/adding-a-writer.md.
 */
#ifndef WEIR_REPORT_WRITER_H
#define WEIR_REPORT_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/comparison.h"
#include "engine/model/report.h"

#define WEIR_WRITE_WIDTH  80
#define WEIR_WRITE_TOP    10
#define WEIR_WRITE_BUDGET 60000

/* Documents that weir writes and reads back. */
enum weir_result_kind {
	WEIR_RESULT_GATE,   /* weir.gate/1 */
	WEIR_RESULT_REPORT, /* weir.report/1 */
};

struct weir_write_options {
	size_t width;  /* text: columns, limited to 60 to 120; 0: WEIR_WRITE_WIDTH */
	bool colour;   /* text: escape sequences; the text is complete without them */
	size_t top;    /* report: rows of stages and operators, 0: WEIR_WRITE_TOP; JSON has all */
	bool all;      /* text of a gate: all rows, not only failures and suspects */
	size_t budget; /* Markdown of a gate: maximum bytes, 0: WEIR_WRITE_BUDGET */
	/* Markdown of a gate. NULL: not known */
	const char *link;   /* URL of the job that measured */
	const char *page;   /* URL of the HTML page */
	const char *commit; /* commit that was measured, in hexadecimal */
};

/* Append a complete document to the text. The options may be NULL. */
typedef void weir_write_report(const struct weir_report *report,
                               const struct weir_write_options *options, struct weir_text *out);
typedef void weir_write_gate(const struct weir_gate_result *result,
                             const struct weir_write_options *options, struct weir_text *out);

struct weir_writer {
	const char *name;          /* for --format: "markdown" */
	const char *suffix;        /* for -o: ".md"; NULL: chosen by name only */
	const char *other_suffix;  /* a second one; NULL: none */
	const char *title;         /* one line for `weir formats` */
	bool detail;               /* draws report->detail, which stored reports lack */
	weir_write_report *report; /* NULL: cannot write a report */
	weir_write_gate *gate;     /* NULL: cannot write a gate result */
};

extern const struct weir_writer weir_writers[]; /* the last one has no name */

/* Returns true if the writer can write results of this kind. */
bool weir_writer_takes(const struct weir_writer *writer, enum weir_result_kind kind);
/* Finds a writer by name. WEIR_E_USAGE for an unknown name, with the nearest name and a list. */
enum weir_status weir_writer_find(enum weir_result_kind kind, const char *name,
                                  const struct weir_writer **out, struct weir_error *err);
/* Finds the writer with the longest suffix of the path, before which ".gz" may be appended.
 * WEIR_E_USAGE without one, with a list. */
enum weir_status weir_writer_for_path(enum weir_result_kind kind, const char *path,
                                      const struct weir_writer **out, struct weir_error *err);
/* Returns true if a file with this path is compressed with gzip. */
bool weir_writer_compresses(const char *path);
/* Chooses the writer of one output. A path is matched by its suffix; for standard output, a path of
 * NULL or "-", `format` names the writer (NULL: "text"). Fails like the two functions above. */
enum weir_status weir_writer_choose(enum weir_result_kind kind, const char *format,
                                    const char *path, const struct weir_writer **out,
                                    struct weir_error *err);

weir_write_report weir_write_report_text, weir_write_report_json, weir_write_report_markdown,
	weir_write_report_html, weir_write_flame, weir_write_folded, weir_write_speedscope,
	weir_write_annotated;
weir_write_gate weir_write_gate_text, weir_write_gate_json, weir_write_gate_markdown,
	weir_write_gate_html, weir_write_junit, weir_write_sarif, weir_write_annotations;

/* Appends the last line of a gate on standard error, without a line break: "weir:
 * verdict=regression exit=1 regressions=2 judged=20". */
void weir_gate_last_line(const struct weir_gate_result *result, struct weir_text *out);

#endif
