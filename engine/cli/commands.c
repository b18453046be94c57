/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of all commands. Only main.c and tests use it. Help receives it as an argument, so that
 * no command depends on all others. */
#include "engine/cli/command.h"

const struct weir_command *const weir_commands[] = {
	&weir_command_classify,   &weir_command_advise,   &weir_command_baseline,
	&weir_command_gate,       &weir_command_compare,  &weir_command_record,
	&weir_command_bisect,     &weir_command_report,   &weir_command_query,
	&weir_command_history,    &weir_command_doctor,   &weir_command_comment,
	&weir_command_convert,    &weir_command_part,     &weir_command_merge,
	&weir_command_rules,      &weir_command_formats,  &weir_command_help,
	&weir_command_completion, &weir_command_complete, NULL,
};
