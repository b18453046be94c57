/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a report or the result of a comparison to all outputs of a command: the files of -o, or
 * standard output in the format of --format. */
#ifndef WEIR_CLI_DOCUMENTS_H
#define WEIR_CLI_DOCUMENTS_H

#include "engine/base/error.h"
#include "engine/cli/options.h"
#include "engine/report/writer.h"

#define WEIR_REPORT_TOP_OPTION                                                                     \
	{                                                                                          \
		.name = "top", .kind = WEIR_OPTION_COUNT, .value = "N",                            \
		.help = "number of stages and operators to list (default 10); JSON lists all"      \
	}

/* Checks all outputs, so that a command can refuse them before it reads anything. WEIR_E_USAGE: no
 * writer of the kind has the format or suffix. */
enum weir_status weir_documents_check(const struct weir_arguments *arguments,
                                      enum weir_result_kind kind, struct weir_error *err);

/* Returns the first writer among the outputs of a report that draws the timeline, or NULL. The
 * outputs must have been checked. */
const struct weir_writer *weir_documents_drawing(const struct weir_arguments *arguments);

/* Write every output; reports honour --top, comparisons --all. */
enum weir_status weir_documents_write_report(const struct weir_arguments *arguments,
                                             const struct weir_report *report,
                                             struct weir_error *err);
enum weir_status weir_documents_write_gate(const struct weir_arguments *arguments,
                                           const struct weir_gate_result *result,
                                           struct weir_error *err);

#endif
