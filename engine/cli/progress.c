/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <time.h>

#include "engine/base/text.h"
#include "engine/cli/progress.h"
#include "engine/cli/terminal.h"

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void weir_progress_start(struct weir_progress_line *line, FILE *stream, bool quiet)
{
	struct weir_terminal terminal = weir_terminal_of(fileno(stream));

	*line = (struct weir_progress_line){.started_ns = now()};
	line->columns = terminal.reported_columns > 0 ? terminal.reported_columns
	                                              : WEIR_TERMINAL_DEFAULT_COLUMNS;
	if (!quiet && weir_terminal_moves_cursor(&terminal))
		line->stream = stream;
}

/* Returns the end of a path that fits into the columns: a line that wraps could not be erased. It
 * begins at a whole UTF-8 character. */
static const char *tail(const char *path, int columns)
{
	size_t len = strlen(path);
	size_t room = columns > 0 ? (size_t)columns : 0;

	if (len > room)
		path += len - room;
	while ((*path & 0xC0) == 0x80)
		path++;
	return path;
}

#define WEIR_PROGRESS_WORDS 30 /* columns of the line without the path */

void weir_progress_report_at(struct weir_progress_line *line, int64_t now_ns, const char *path,
                             unsigned long long done, unsigned long long total)
{
	struct weir_text text = {0};

	if (!line->stream || now_ns - line->started_ns < WEIR_PROGRESS_DELAY_NS)
		return;
	if (line->visible && now_ns - line->shown_ns < WEIR_PROGRESS_INTERVAL_NS)
		return;
	if (total && done <= total)
		weir_text_share(&text, (double)done / (double)total);
	else
		weir_text_bytes(&text, (double)done);
	fprintf(line->stream, "\r\033[Kweir: reading %s  %s",
	        tail(path, line->columns - WEIR_PROGRESS_WORDS), text.data);
	fflush(line->stream);
	weir_text_release(&text);
	line->visible = true;
	line->shown_ns = now_ns;
}

void weir_progress_report(void *context, const char *path, unsigned long long done,
                          unsigned long long total)
{
	weir_progress_report_at(context, now(), path, done, total);
}

void weir_progress_clear(struct weir_progress_line *line)
{
	if (line->visible) {
		fputs("\r\033[K", line->stream);
		fflush(line->stream);
	}
	line->visible = false;
}

void weir_progress_end(struct weir_progress_line *line)
{
	weir_progress_clear(line);
	line->stream = NULL;
}
