/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the place that text goes to can show. Decided once by the caller; nothing below engine/cli
 * asks. */
#ifndef WEIR_CLI_TERMINAL_H
#define WEIR_CLI_TERMINAL_H

#include <stdbool.h>

#define WEIR_TERMINAL_DEFAULT_COLUMNS 80
#define WEIR_TERMINAL_MAX_COLUMNS     1000

/* The environment as far as it matters; weir_terminal_of() fills it from the process. Texts are
 * borrowed or NULL. */
struct weir_terminal {
	bool is_terminal;
	int reported_columns; /* by the terminal driver; 0: unknown */
	const char *columns;  /* COLUMNS */
	const char *no_color; /* NO_COLOR */
	const char *term;     /* TERM */
};

struct weir_terminal weir_terminal_of(int fd);

/* choice is --color's value, NULL means "auto": a terminal that is not dumb, and NO_COLOR not set.
 */
bool weir_terminal_color(const struct weir_terminal *terminal, const char *choice);
/* COLUMNS where it is a number, else what the driver says, else 80; at most
 * WEIR_TERMINAL_MAX_COLUMNS. */
int weir_terminal_columns(const struct weir_terminal *terminal);
bool weir_terminal_moves_cursor(
	const struct weir_terminal *terminal); /* can rewrite its last line */

#endif
