/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option --max-memory, and its default. */
#ifndef WEIR_CLI_MEMORY_LIMIT_H
#define WEIR_CLI_MEMORY_LIMIT_H

#include "engine/cli/options.h"

/* Limits the memory of the process to --max-memory, or to that of the machine or its control group.
 * Call it before other threads run. */
enum weir_status weir_memory_limit(const struct weir_arguments *arguments, struct weir_error *err);

#endif
