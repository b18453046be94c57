/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options, the classification and the output that weir classify and weir merge have in common.
 */
#ifndef WEIR_CLI_CLASSIFYING_H
#define WEIR_CLI_CLASSIFYING_H

#include "engine/cli/documents.h"
#include "engine/cli/options.h"
#include "engine/cli/run_options.h"
#include "engine/pipeline/classify.h"

/* Names of the writers of reports, in the order of weir_writers; a test compares them. */
extern const char *const weir_report_formats[];
extern const char *const weir_report_windows[];

#define WEIR_CLASSIFY_OPTIONS                                                                      \
	{.name = "format",                                                                         \
	 .letter = 'f',                                                                            \
	 .kind = WEIR_OPTION_CHOICE,                                                               \
	 .value = "FORMAT",                                                                        \
	 .choices = weir_report_formats,                                                           \
	 .help = "format of standard output: text, json, markdown, html, flame, folded, "          \
	         "speedscope or annotated (see: weir formats)"},                                   \
		{.name = "output",                                                                 \
	         .letter = 'o',                                                                    \
	         .kind = WEIR_OPTION_FILE,                                                         \
	         .value = "FILE",                                                                  \
	         .repeatable = true,                                                               \
	         .help = "write to FILE, in the format that its suffix names; - is standard "      \
	                 "output"},                                                                \
		WEIR_REPORT_TOP_OPTION,                                                            \
		{.name = "window",                                                                 \
	         .kind = WEIR_OPTION_CHOICE,                                                       \
	         .value = "WINDOW",                                                                \
	         .choices = weir_report_windows,                                                   \
	         .help = "steady: exclude warm-up and one-off steps (default); all: analyse "      \
	                 "everything "                                                             \
	                 "from the first to the last device event"},                               \
		{.name = "percentile",                                                             \
	         .kind = WEIR_OPTION_PERCENTILE,                                                   \
	         .value = "P",                                                                     \
	         .help = "percentile of the step time, or of the latency of requests, at which "   \
	                 "the shares "                                                             \
	                 "of stages are read (default 95)"},                                       \
		{.name = "device",                                                                 \
	         .kind = WEIR_OPTION_TEXT,                                                         \
	         .completes = WEIR_COMPLETES_DEVICES,                                              \
	         .value = "NAME",                                                                  \
	         .help = "use the peak figures of this device, not those of the device that the "  \
	                 "input "                                                                  \
	                 "names"},                                                                 \
		{.name = "rules",                                                                  \
	         .kind = WEIR_OPTION_FOLDER,                                                       \
	         .value = "DIR",                                                                   \
	         .help = "judge by the rules in this folder, not by the built-in rules"},          \
		{.name = "what-if",                                                                \
	         .kind = WEIR_OPTION_TEXT,                                                         \
	         .value = "CLASS=FACTOR",                                                          \
	         .repeatable = true,                                                               \
	         .help = "estimate the step time if the time of CLASS, a bound or a cause of "     \
	                 "idle time, "                                                             \
	                 "were multiplied by FACTOR; 0 removes it"},                               \
		WEIR_COST_OPTION(""), WEIR_SETTINGS_OPTION(""),                                    \
	{                                                                                          \
		.name = "input-format", .kind = WEIR_OPTION_TEXT,                                  \
		.completes = WEIR_COMPLETES_READERS, .value = "NAME",                              \
		.help = "read every input as this format (default: recognised by content)"         \
	}

/* Classifies the arguments of the command as one run, with its options. The caller frees *out with
 * weir_classification_free(). */
enum weir_status weir_classify_arguments(const struct weir_arguments *arguments,
                                         const struct weir_settings *settings, bool tolerant,
                                         struct weir_classification **out, struct weir_error *err);

/* Writes the report to all outputs of the command. */
enum weir_status weir_classification_write(const struct weir_arguments *arguments,
                                           const struct weir_classification *classification,
                                           struct weir_error *err);

#endif
