/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call states about its runs beside their files: options first, then the configuration. */
#ifndef WEIR_CLI_SETTINGS_H
#define WEIR_CLI_SETTINGS_H

#include "ci/policy/policy.h"
#include "engine/cli/options.h"
#include "engine/model/settings.h"

/* "" or "record: ", for the one word of a command that reads it. */
#define WEIR_COST_OPTION(prefix)                                                                   \
	{                                                                                          \
		.name = "cost-per-gpu-hour", .kind = WEIR_OPTION_PRICE, .value = "USD",            \
		.help = prefix "price of one GPU for an hour, for the cost of requests (the "      \
			       "configuration's, else that of a billing export among the inputs)"  \
	}

/* The configuration of a command that judges nothing by it. */
#define WEIR_SETTINGS_OPTION(prefix)                                                               \
	{                                                                                          \
		.name = "config", .kind = WEIR_OPTION_FILE, .value = "FILE",                       \
		.help = prefix "names of stages, service levels and the price of a GPU "           \
			       "(weir.json where it is present)"                                   \
	}

/*
 * The arguments of a command that has WEIR_COST_OPTION over the policy. Borrows from both: they
 * outlive every use of it.
 */
struct weir_settings weir_settings_of(const struct weir_arguments *arguments,
                                      const struct weir_policy *policy);

#endif
