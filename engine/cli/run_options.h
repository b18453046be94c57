/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options about runs, baselines and comparisons that several commands share. */
#ifndef WEIR_CLI_RUN_OPTIONS_H
#define WEIR_CLI_RUN_OPTIONS_H

#include "ci/policy/policy.h"
#include "engine/base/text.h"
#include "engine/cli/options.h"
#include "engine/cli/progress.h"
#include "engine/model/settings.h"
#include "engine/pipeline/measure_runs.h"

#define WEIR_DEFAULT_DB ".weir/baselines.db"

/* Names of the writers of gate results, in the order of weir_writers; a test compares them. */
extern const char *const weir_gate_formats[];

#define WEIR_DB_OPTION                                                                             \
	{                                                                                          \
		.name = "db", .kind = WEIR_OPTION_FILE, .value = "STORE",                          \
		.help = "the store: a file, or postgresql://USER@HOST/DATABASE (default: "         \
			"$WEIR_DB, else " WEIR_DEFAULT_DB ")"                                      \
	}

#define WEIR_CONFIG_OPTION                                                                         \
	{                                                                                          \
		.name = "config", .kind = WEIR_OPTION_FILE, .value = "FILE",                       \
		.help = "file with margins, rules, ceilings and waivers (default: weir.json, if "  \
			"present)"                                                                 \
	}

/* Configuration of a command that does not use its margins. prefix is "", or the action that reads
 * it: "record: ". */
#define WEIR_SETTINGS_OPTION(prefix)                                                               \
	{                                                                                          \
		.name = "config", .kind = WEIR_OPTION_FILE, .value = "FILE",                       \
		.help = prefix "file with names of stages, service levels and the price of a GPU " \
			       "(default: weir.json, if present)"                                  \
	}

#define WEIR_COST_OPTION(prefix)                                                                   \
	{                                                                                          \
		.name = "cost-per-gpu-hour", .kind = WEIR_OPTION_PRICE, .value = "USD",            \
		.help = prefix "price of one GPU for an hour, to compute the cost of requests "    \
			       "(default: from the configuration, else from a billing export "     \
			       "among the inputs)"                                                 \
	}

/* prefix is "", or the runs that get the label: "candidate runs: ". */
#define WEIR_LABEL_OPTION(prefix)                                                                  \
	{                                                                                          \
		.name = "label", .kind = WEIR_OPTION_TEXT, .value = "KEY=VALUE",                   \
		.repeatable = true,                                                                \
		.help = prefix                                                                     \
			"set this label, even if the file has another value; the label "           \
			"session names the job that measured a run (default: found by itself)"     \
	}

#define WEIR_GATE_FORMAT_OPTION                                                                    \
	{                                                                                          \
		.name = "format", .letter = 'f', .kind = WEIR_OPTION_CHOICE, .value = "FORMAT",    \
		.choices = weir_gate_formats,                                                      \
		.help = "format of standard output: text, json, markdown, html, junit, sarif or "  \
			"annotations (see: weir formats)"                                          \
	}

#define WEIR_GATE_OUTPUT_OPTION                                                                    \
	{                                                                                          \
		.name = "output", .letter = 'o', .kind = WEIR_OPTION_FILE, .value = "FILE",        \
		.repeatable = true,                                                                \
		.help = "write to FILE, in the format that its suffix names; - is standard output" \
	}

#define WEIR_GATE_ALL_OPTION                                                                       \
	{                                                                                          \
		.name = "all", .help = "show every row, not only failures and warnings"            \
	}

/* Returns --db, else $WEIR_DB, else the default, for a command with WEIR_DB_OPTION. */
const char *weir_db_path(const struct weir_arguments *arguments);
/* Returns it as it may be printed, without a password. The caller frees it. */
char *weir_db_label(const struct weir_arguments *arguments);

/* Returns the settings of a command with WEIR_COST_OPTION, which overrides the policy. Borrows from
 * both. */
struct weir_settings weir_settings_given(const struct weir_arguments *arguments,
                                         const struct weir_policy *policy);

/* Labels and session of the runs that a command reads. {0} is empty; release it with
 * weir_labels_release(). */
struct weir_labels {
	const char **given; /* owned list, ends with NULL, of borrowed texts */
	struct weir_text session;
};

/* Reads --label. derive: also find the session of this process. WEIR_E_USAGE: a value is not
 * KEY=VALUE. */
enum weir_status weir_labels_given(struct weir_labels *out, const struct weir_arguments *arguments,
                                   bool derive, struct weir_error *err);
void weir_labels_release(struct weir_labels *labels);

/* Fills *out and starts the progress line, on which runs and failures are shown; the caller ends
 * it, and sets the members `recorded` and `consequence`. All arguments are borrowed. */
void weir_measuring_given(struct weir_measuring *out, const struct weir_arguments *arguments,
                          const struct weir_settings *settings, struct weir_progress_line *line,
                          struct weir_progress *progress);

/* Stores the command line in the result, without the options of the output: "weir gate RUN
 * --baseline main". A command line of more than WEIR_LONGEST_COMMAND bytes is left out. */
#define WEIR_LONGEST_COMMAND 4000
void weir_note_command(struct weir_gate_result *result, const char *name,
                       const struct weir_option *options, const struct weir_arguments *arguments);

#endif
