/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/pipeline/measurement.h"

#define MOST_SETTINGS 8

static char *with_path(struct weir_arena *arena, const char *word, const char *path)
{
	struct weir_text text = {0};
	const char *at;
	char *copy;

	for (; (at = strstr(word, "{}")); word = at + 2) {
		weir_text_add(&text, word, (size_t)(at - word));
		weir_text_puts(&text, path);
	}
	weir_text_puts(&text, word);
	copy = weir_arena_copy(arena, text.data ? text.data : "", text.length);
	weir_text_release(&text);
	return copy;
}

static const char *const *words_of(struct weir_arena *arena,
                                   const struct weir_measurement *measurement)
{
	const char **words;
	size_t count = 0;

	while (measurement->words[count])
		count++;
	words = weir_arena_alloc(arena, (count + 1) * sizeof(*words));
	for (size_t i = 0; i < count; i++)
		words[i] = with_path(arena, measurement->words[i], measurement->path);
	return words;
}

static const char *const *settings_of(struct weir_arena *arena,
                                      const struct weir_measurement *measurement)
{
	const char **settings = weir_arena_alloc(arena, (MOST_SETTINGS + 2) * sizeof(*settings));
	size_t count = 0;

	while (measurement->settings && count < MOST_SETTINGS && measurement->settings[count]) {
		settings[count] = measurement->settings[count];
		count++;
	}
	settings[count] = weir_arena_format(arena, "WEIR_RUN=%s", measurement->path);
	return settings;
}

/* Passes the last lines of the command's output on, each with the name of the measurement. */
static void say_output(const struct weir_measurement *measurement, const struct weir_text *output)
{
	const char *at = weir_child_last_lines(output, WEIR_MEASUREMENT_LINES);
	struct weir_text line = {0};

	while (measurement->say && *at) {
		size_t length = strcspn(at, "\n");

		weir_text_clear(&line);
		weir_text_printf(&line, "%s: ", measurement->name);
		weir_text_add(&line, at, length);
		measurement->say(measurement->context, line.data);
		at += length + (at[length] == '\n');
	}
	weir_text_release(&line);
}

/* Returns true if the path is a folder or a file that is not empty. */
static bool is_written(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && (S_ISDIR(info.st_mode) || info.st_size > 0);
}

/* Returns true if the folder holds an entry that is not hidden. */
static bool holds_entry(const char *folder)
{
	DIR *stream = opendir(folder);
	const struct dirent *entry;
	bool holds = false;

	while (stream && !holds && (entry = readdir(stream)) != NULL)
		holds = entry->d_name[0] != '.';
	if (stream)
		closedir(stream);
	return holds;
}

static bool was_written(const struct weir_measurement *measurement)
{
	return measurement->may_write_nothing || is_written(measurement->path) ||
	       (measurement->place && holds_entry(measurement->place));
}

static enum weir_status judge(const struct weir_measurement *measurement,
                              const struct weir_child_end *end, bool *skipped,
                              struct weir_error *err)
{
	if (skipped && end->code == WEIR_MEASUREMENT_SKIP) {
		*skipped = true;
		return WEIR_OK;
	}
	if (end->code == 0 && was_written(measurement))
		return WEIR_OK;
	say_output(measurement, &end->output);
	if (end->code == 0)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "%s: the command wrote no run; it has to write the path in the "
		                 "variable WEIR_RUN, which was %s",
		                 measurement->name, measurement->path);
	if (end->code > 128)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "%s: the command was ended by signal %d; its output is above",
		                 measurement->name, end->code - 128);
	return weir_fail(err, WEIR_E_FORMAT,
	                 "%s: the command exits with %d, expected 0%s; its output is above",
	                 measurement->name, end->code,
	                 skipped ? ", or 125 for a version that cannot be measured" : "");
}

enum weir_status weir_measurement_run(const struct weir_measurement *measurement,
                                      struct weir_signals *signals, bool *skipped,
                                      struct weir_error *err)
{
	struct weir_arena *arena = weir_arena_new();
	const struct weir_child child = {
		.words = words_of(arena, measurement),
		.settings = settings_of(arena, measurement),
		.folder = measurement->folder,
	};
	struct weir_child_end end;
	enum weir_status status = weir_child_run(&child, signals, &end, err);

	if (status)
		weir_fail_in(err, "%s", measurement->name);
	else
		status = judge(measurement, &end, skipped, err);
	weir_child_end_release(&end);
	weir_arena_free(arena);
	return status;
}
