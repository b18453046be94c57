/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What classify and report share: a report goes to standard output or to files, in the formats that
 * are asked for. */
#ifndef WEIR_CLI_REPORTING_H
#define WEIR_CLI_REPORTING_H

#include "engine/base/error.h"
#include "engine/cli/options.h"
#include "engine/model/report.h"
#include "engine/report/writer.h"

#define WEIR_REPORT_TOP_OPTION                                                                     \
	{                                                                                          \
		.name = "top", .kind = WEIR_OPTION_COUNT, .value = "N",                            \
		.help = "operators to list (10); JSON always holds all of them"                    \
	}

/* --format and -o of the command: WEIR_E_USAGE for a format or a suffix that no writer of reports
 * has. */
enum weir_status weir_reporting_check_outputs(const struct weir_arguments *arguments,
                                              struct weir_error *err);
/* The first writer that is asked for and draws stacks or tracks, which take a detailed report;
 * NULL: none. The outputs are checked. */
const struct weir_writer *weir_reporting_detailed(const struct weir_arguments *arguments);
/* Writes every document; --top is read as well. */
enum weir_status weir_reporting_write(const struct weir_arguments *arguments,
                                      const struct weir_report *report, struct weir_error *err);

#endif
