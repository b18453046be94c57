/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that several commands around baselines and comparisons share. */
#ifndef WEIR_CLI_GATE_OPTIONS_H
#define WEIR_CLI_GATE_OPTIONS_H

#include "ci/policy/policy.h"
#include "engine/cli/options.h"

/* The names of weir_gate_writers, in their order; a test holds the two together. */
extern const char *const weir_gate_formats[];

#define WEIR_DB_OPTION                                                                             \
	{                                                                                          \
		.name = "db", .kind = WEIR_OPTION_FILE, .value = "FILE",                           \
		.help = "the store ($WEIR_DB, else .weir/baselines.db)"                            \
	}

#define WEIR_CONFIG_OPTION                                                                         \
	{                                                                                          \
		.name = "config", .kind = WEIR_OPTION_FILE, .value = "FILE",                       \
		.help = "margins, rules, ceilings and waivers (weir.json where it is present)"     \
	}

#define WEIR_GATE_FORMAT_OPTION                                                                    \
	{                                                                                          \
		.name = "format", .letter = 'f', .kind = WEIR_OPTION_CHOICE, .value = "FORMAT",    \
		.choices = weir_gate_formats,                                                      \
		.help = "of standard output: text, json, markdown, html, junit, sarif or "         \
			"annotations (see: weir formats)"                                          \
	}

#define WEIR_GATE_OUTPUT_OPTION                                                                    \
	{                                                                                          \
		.name = "output", .letter = 'o', .kind = WEIR_OPTION_FILE, .value = "FILE",        \
		.repeatable = true,                                                                \
		.help = "write to a file instead, its suffix picks the format; - is standard "     \
			"output"                                                                   \
	}

#define WEIR_GATE_ALL_OPTION                                                                       \
	{                                                                                          \
		.name = "all", .help = "show every row, not only those that stop or warn"          \
	}

/* The policy of --config, with today's date applied; the caller frees it. */
enum weir_status weir_gate_policy(const struct weir_arguments *arguments, struct weir_policy **out,
                                  struct weir_error *err);

#endif
