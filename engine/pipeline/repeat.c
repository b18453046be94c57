/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "engine/base/arena.h"
#include "engine/base/jsonout.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/repeat.h"
#include "engine/pipeline/run_labels.h"

#define OPEN_FOLDERS 16 /* folders that nftw() keeps open */

/* ---- files that the command writes elsewhere ---- */

/* A file as it was before the command ran. */
struct seen {
	const char *path;
	struct stat about;
};

struct seen_list {
	struct weir_arena *arena;
	struct seen *items;
	size_t count;
};

/* Fills the list with the files that the pattern names now. */
static void note_results(struct seen_list *list, const char *pattern)
{
	glob_t found = {0};

	*list = (struct seen_list){.arena = weir_arena_new()};
	if (pattern && glob(pattern, 0, NULL, &found) == 0) {
		list->items = weir_arena_alloc(list->arena, found.gl_pathc * sizeof *list->items);
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct seen *seen = &list->items[list->count];

			if (stat(found.gl_pathv[i], &seen->about) != 0)
				continue;
			seen->path = weir_arena_copy(list->arena, found.gl_pathv[i],
			                             strlen(found.gl_pathv[i]));
			list->count++;
		}
	}
	globfree(&found);
}

/* Returns true for a file that was there before and was not written since. */
static bool is_old(const struct seen_list *before, const struct seen *now)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct stat *then = &before->items[i].about;

		if (strcmp(before->items[i].path, now->path) == 0)
			return then->st_ino == now->about.st_ino &&
			       then->st_size == now->about.st_size &&
			       then->st_mtim.tv_sec == now->about.st_mtim.tv_sec &&
			       then->st_mtim.tv_nsec == now->about.st_mtim.tv_nsec;
	}
	return false;
}

static enum weir_status move_result(const char *path, const char *folder, struct weir_error *err)
{
	const char *slash = strrchr(path, '/');
	struct weir_text to = {0};
	struct stat about;
	enum weir_status status = WEIR_OK;

	weir_text_printf(&to, "%s/%s", folder, slash ? slash + 1 : path);
	if (lstat(to.data, &about) == 0)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "two results are called %s; expected different names",
		                   slash ? slash + 1 : path);
	else if (rename(path, to.data) != 0)
		status = weir_fail(err, WEIR_E_IO, "cannot move %s to the run: %s%s", path,
		                   strerror(errno),
		                   errno == EXDEV ? "; --output has to be on its file system" : "");
	weir_text_release(&to);
	return status;
}

/* Moves the files that the pattern names and that are new into the folder of the run. */
static enum weir_status take_results(const struct seen_list *before, const char *pattern,
                                     const char *folder, struct weir_error *err)
{
	struct seen_list now;
	enum weir_status status = WEIR_OK;
	size_t moved = 0;

	note_results(&now, pattern);
	for (size_t i = 0; !status && i < now.count; i++) {
		if (is_old(before, &now.items[i]))
			continue;
		status = move_result(now.items[i].path, folder, err);
		moved++;
	}
	if (!status && moved == 0)
		status =
			weir_fail(err, WEIR_E_FORMAT,
		                  "the command wrote no file that --result names: %.200s", pattern);
	weir_arena_free(now.arena);
	return status;
}

/* ---- folders ---- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return remove(path);
}

static void remove_folder(const char *path)
{
	nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static bool is_empty(const char *path)
{
	DIR *stream = opendir(path);
	const struct dirent *entry;
	bool empty = stream != NULL;

	while (empty && (entry = readdir(stream)) != NULL)
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	if (stream)
		closedir(stream);
	return empty;
}

static enum weir_status make_folder(const char *folder, char **full, struct weir_error *err)
{
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return weir_fail(err, WEIR_E_USAGE, "cannot make the folder %s: %s", folder,
		                 strerror(errno));
	*full = realpath(folder, NULL);
	if (!*full)
		return weir_fail(err, WEIR_E_USAGE, "cannot open the folder %s: %s", folder,
		                 strerror(errno));
	if (is_empty(*full))
		return WEIR_OK;
	free(*full);
	*full = NULL;
	return weir_fail(err, WEIR_E_USAGE,
	                 "%s is not an empty folder; remove it, or name another one with --output",
	                 folder);
}

/* ---- one run ---- */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Writes the duration of the command as a native run with one figure. */
static enum weir_status write_time(const char *folder, int64_t ns, struct weir_error *err)
{
	struct weir_text path = {0}, text = {0};
	FILE *file;
	bool written;

	weir_text_printf(&path, "%s/time.json", folder);
	weir_text_printf(&text,
	                 "{ \"schema\": \"weir.run/1\", \"unit\": \"s\", \"metrics\": { "
	                 "\"wall_time\": { \"values\": [%" PRId64 ".%09" PRId64
	                 "], \"better\": \"lower\", \"unit\": \"s\" } } }\n",
	                 ns / 1000000000, ns % 1000000000);
	file = fopen(path.data, "w");
	written = file && fwrite(text.data, 1, text.length, file) == text.length;
	if (file)
		written = fclose(file) == 0 && written;
	if (!written)
		weir_fail(err, WEIR_E_IO, "cannot write %s: %s", path.data, strerror(errno));
	weir_text_release(&text);
	weir_text_release(&path);
	return written ? WEIR_OK : WEIR_E_IO;
}

static enum weir_status execute(const struct weir_repeat *repeat, const char *folder,
                                const char *name, size_t number, struct weir_error *err)
{
	struct weir_text path = {0}, file = {0}, place = {0}, which = {0};
	enum weir_status status;

	weir_text_printf(&path, "%s/run.json", folder);
	weir_text_printf(&place, "WEIR_RUN_DIR=%s", folder);
	weir_text_printf(&file, "WEIR_RUN_FILE=%s", path.data);
	weir_text_printf(&which, "WEIR_RUN_NUMBER=%zu", number);
	const char *const settings[] = {place.data, file.data, which.data, NULL};

	status = weir_measurement_run(
		&(struct weir_measurement){
			.name = name,
			.words = repeat->words,
			.settings = settings,
			.path = path.data,
			.place = folder,
			.may_write_nothing = repeat->time || repeat->results,
			.say = repeat->say,
			.context = repeat->context,
		},
		repeat->signals, NULL, err);
	weir_text_release(&which);
	weir_text_release(&file);
	weir_text_release(&place);
	weir_text_release(&path);
	return status;
}

/* Measures into a hidden folder. A failure leaves the folder, which the caller removes. */
static enum weir_status measure_into(const struct weir_repeat *repeat, const char *hidden,
                                     const char *name, size_t number, struct weir_error *err)
{
	struct seen_list before;
	int64_t start_ns, took_ns;
	enum weir_status status;

	if (mkdir(hidden, 0777) != 0)
		return weir_fail(err, WEIR_E_IO, "cannot make %s: %s", hidden, strerror(errno));
	note_results(&before, repeat->results);
	start_ns = now_ns();
	status = execute(repeat, hidden, name, number, err);
	took_ns = now_ns() - start_ns;
	if (status) {
		weir_arena_free(before.arena);
		return status;
	}
	if (repeat->results)
		status = take_results(&before, repeat->results, hidden, err);
	if (!status && repeat->time)
		status = write_time(hidden, took_ns, err);
	if (!status && number > 0)
		status = weir_check_run(hidden, err);
	if (!status)
		status = weir_run_labels_write(repeat->labels, hidden, err);
	weir_arena_free(before.arena);
	return status ? weir_fail_in(err, "%s", name) : WEIR_OK;
}

/* Measures a warm-up (number 0), or a run that is kept if it is complete. */
static enum weir_status measure(const struct weir_repeat *repeat, const char *full, size_t number,
                                struct weir_error *err)
{
	struct weir_text name = {0}, hidden = {0}, kept = {0};
	enum weir_status status;

	weir_text_printf(&name, number ? "run-%02zu" : "warm-up", number);
	weir_text_printf(&hidden, "%s/.%s", full, name.data);
	weir_text_printf(&kept, "%s/%s", full, name.data);
	status = measure_into(repeat, hidden.data, name.data, number, err);
	if (!status && number > 0 && rename(hidden.data, kept.data) != 0)
		status =
			weir_fail(err, WEIR_E_IO, "cannot name %s: %s", kept.data, strerror(errno));
	if (status || number == 0)
		remove_folder(hidden.data);
	if (!status)
		repeat->say(repeat->context, name.data);
	weir_text_release(&name);
	weir_text_release(&hidden);
	weir_text_release(&kept);
	return status;
}

static enum weir_status measure_all(const struct weir_repeat *repeat, const char *full,
                                    size_t *kept, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < repeat->warmups; i++)
		status = measure(repeat, full, 0, err);
	for (size_t number = 1; !status && number <= repeat->runs; number++) {
		struct weir_error reason = {0};

		status = measure(repeat, full, number, &reason);
		if (!status) {
			++*kept;
		} else if (*kept == 0 || weir_signals_came(repeat->signals)) {
			*err = reason;
		} else {
			repeat->say(repeat->context, reason.message);
			status = WEIR_OK;
		}
	}
	if (!status && *kept < repeat->runs)
		status = weir_fail(err, WEIR_E_FORMAT, "%zu of %zu runs failed; %zu are kept in %s",
		                   repeat->runs - *kept, repeat->runs, *kept, repeat->folder);
	return status;
}

enum weir_status weir_repeat_run(const struct weir_repeat *repeat, size_t *kept,
                                 struct weir_error *err)
{
	char *full = NULL;
	enum weir_status status = make_folder(repeat->folder, &full, err);

	*kept = 0;
	if (!status)
		status = measure_all(repeat, full, kept, err);
	free(full);
	return status;
}
