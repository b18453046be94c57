/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <time.h>

#include "engine/base/text.h"
#include "engine/cli/output.h"
#include "engine/cli/progress.h"
#include "engine/cli/terminal.h"
#include "engine/report/plain/escape.h"

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
	line->quiet = quiet;
	line->columns = terminal.reported_columns > 0 ? terminal.reported_columns
	                                              : WEIR_TERMINAL_DEFAULT_COLUMNS;
	if (!quiet && weir_terminal_moves_cursor(&terminal))
		line->stream = stream;
}

/* Returns the end of a path that fits into the columns. It begins at a whole UTF-8 character. */
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

/* Appends the time that the rest takes at the speed so far: "20 s left". Nothing while that is not
 * known. */
static void add_time_left(struct weir_text *text, const struct weir_progress_line *line,
                          int64_t now_ns)
{
	const struct weir_progress_whole *whole = &line->whole;
	double elapsed_s = (double)(now_ns - line->whole_ns) / 1e9, left_s;

	if (now_ns - line->whole_ns < WEIR_PROGRESS_LEFT_NS || whole->done == 0 ||
	    whole->total < whole->done)
		return;
	left_s = elapsed_s * (double)(whole->total - whole->done) / (double)whole->done;
	if (left_s < 60)
		weir_text_printf(text, ", %.0f s left", left_s);
	else if (left_s < 3600)
		weir_text_printf(text, ", %.0f min left", left_s / 60);
	else
		weir_text_printf(text, ", %.1f h left", left_s / 3600);
}

/* Appends the progress behind the name of the file. */
static void add_progress(struct weir_text *text, const struct weir_progress_line *line,
                         int64_t now_ns)
{
	const struct weir_progress_whole *whole = &line->whole;

	if (whole->files > 1)
		weir_text_printf(text, "%zu of %zu files, ", whole->files_done, whole->files);
	if (whole->total && whole->done <= whole->total) {
		weir_text_share(text, (double)whole->done / (double)whole->total);
		weir_text_puts(text, " of ");
		weir_text_bytes(text, (double)whole->total);
		add_time_left(text, line, now_ns);
	} else {
		weir_text_bytes(text, (double)whole->done);
	}
}

void weir_progress_whole_at(struct weir_progress_line *line, int64_t now_ns,
                            const struct weir_progress_whole *whole)
{
	if (line->whole.files == 0 || whole->done < line->whole.done)
		line->whole_ns = now_ns; /* the first files, or those of another run */
	line->whole = *whole;
}

void weir_progress_report_at(struct weir_progress_line *line, int64_t now_ns, const char *path,
                             unsigned long long done, unsigned long long total)
{
	struct weir_text progress = {0}, text = {0}, shown = {0};
	int room;

	if (!line->stream || now_ns - line->started_ns < WEIR_PROGRESS_DELAY_NS)
		return;
	if (line->visible && now_ns - line->shown_ns < WEIR_PROGRESS_INTERVAL_NS)
		return;
	if (line->whole.files <= 1)
		line->whole = (struct weir_progress_whole){done, total, 0, line->whole.files};
	add_progress(&progress, line, now_ns);
	weir_text_puts(&text, "weir: reading ");
	room = line->columns - 1 - (int)(weir_text_columns(text.data) + 2);
	room -= (int)weir_text_columns(progress.data);
	weir_escape_plain(&shown, path); /* a folder may hold files of any name */
	weir_text_printf(&text, "%s  %s", tail(shown.data ? shown.data : "", room), progress.data);
	/* A line that wraps could not be erased. */
	room = line->columns > 1 ? line->columns - 1 : 0;
	fprintf(line->stream, "\r\033[K%.*s", (int)weir_text_prefix(text.data, (size_t)room),
	        text.data);
	fflush(line->stream);
	weir_text_release(&progress);
	weir_text_release(&shown);
	weir_text_release(&text);
	line->visible = true;
	line->shown_ns = now_ns;
}

void weir_progress_report(void *context, const char *path, unsigned long long done,
                          unsigned long long total)
{
	weir_progress_report_at(context, now(), path, done, total);
}

static void tell(void *context, const char *remark)
{
	struct weir_progress_line *line = context;

	if (line->quiet)
		return;
	weir_progress_clear(line);
	weir_say(remark);
}

static void keep_whole(void *context, const struct weir_progress_whole *whole)
{
	weir_progress_whole_at(context, now(), whole);
}

struct weir_progress weir_progress_of(struct weir_progress_line *line)
{
	return (struct weir_progress){weir_progress_report, line, tell, keep_whole};
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
