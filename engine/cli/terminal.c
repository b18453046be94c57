/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "engine/cli/terminal.h"

struct weir_terminal weir_terminal_of(int fd)
{
	struct weir_terminal terminal = {
		.is_terminal = isatty(fd) == 1,
		.columns = getenv("COLUMNS"),
		.no_color = getenv("NO_COLOR"),
		.term = getenv("TERM"),
	};
	struct winsize size;

	if (terminal.is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0)
		terminal.reported_columns = size.ws_col;
	return terminal;
}

bool weir_terminal_moves_cursor(const struct weir_terminal *terminal)
{
	return terminal->is_terminal && terminal->term && *terminal->term &&
	       strcmp(terminal->term, "dumb") != 0;
}

bool weir_terminal_color(const struct weir_terminal *terminal, const char *choice)
{
	if (choice && strcmp(choice, "always") == 0)
		return true;
	if (choice && strcmp(choice, "never") == 0)
		return false;
	if (terminal->no_color && *terminal->no_color) /* no-color.org: set and not empty */
		return false;
	return weir_terminal_moves_cursor(terminal);
}

int weir_terminal_columns(const struct weir_terminal *terminal)
{
	int64_t columns;

	if (terminal->columns &&
	    weir_parse_i64(terminal->columns, strlen(terminal->columns), &columns) && columns > 0 &&
	    columns <= WEIR_TERMINAL_MAX_COLUMNS)
		return (int)columns;
	if (terminal->reported_columns > 0)
		return terminal->reported_columns;
	return WEIR_TERMINAL_DEFAULT_COLUMNS;
}
