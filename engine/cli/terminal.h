/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Determines whether output goes to a terminal, its width, and whether it can show colour. */
#ifndef WEIR_CLI_TERMINAL_H
#define WEIR_CLI_TERMINAL_H

#include <stdbool.h>

#define WEIR_TERMINAL_DEFAULT_COLUMNS 80
#define WEIR_TERMINAL_MAX_COLUMNS     1000

/* Properties of an output and variables of the environment, which are borrowed or NULL. */
struct weir_terminal {
	bool is_terminal;
	int reported_columns; /* width that the terminal reports; 0: unknown */
	const char *columns;  /* value of COLUMNS */
	const char *no_color; /* value of NO_COLOR */
	const char *term;     /* value of TERM */
};

/* Returns the properties of a file descriptor in this process. */
struct weir_terminal weir_terminal_of(int fd);

/* Returns true if text is coloured. choice is the value of --color; NULL or "auto": yes on a
 * terminal that is not dumb, unless NO_COLOR is set. */
bool weir_terminal_color(const struct weir_terminal *terminal, const char *choice);
/* Returns the width: COLUMNS if it is from 1 to WEIR_TERMINAL_MAX_COLUMNS, else the width that the
 * terminal reports, else 80. */
int weir_terminal_columns(const struct weir_terminal *terminal);
/* Returns true if a program can rewrite the last line. */
bool weir_terminal_moves_cursor(const struct weir_terminal *terminal);

#endif
