/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads paths into inputs. Files are read at the same time, each into its own profile, and then
 * taken in the order of the paths. The result and the reported error therefore do not depend on
 * which file is finished first.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"
#include "engine/base/text.h"
#include "engine/part/part.h"
#include "engine/readers/reader.h"

struct file {
	char *path;
	int64_t size;                /* bytes; 0: unknown */
	bool optional;               /* skipped if no reader claims it */
	struct weir_profile *inputs; /* the inputs read from it; NULL: not read */
	enum weir_status status;
	struct weir_error err;
};

/* A path as it was given: one file, or the files of a directory. */
struct given {
	const char *path; /* borrowed */
	bool is_directory;
	size_t first, end; /* its files in struct reading */
	enum weir_status status;
	struct weir_error err;
};

struct reading {
	const struct weir_reader *reader; /* NULL: by content */
	const struct weir_progress *progress;
	bool pack;                           /* pack each trace once it is read */
	struct weir_read_failures *failures; /* NULL: the first failure ends the reading */
	struct file *files;
	size_t file_count, file_capacity;
	size_t *order;  /* files in the order in which they are started: the largest first, so that
	                   no thread is left with a large one at the end */
	size_t threads; /* that read one file */
	pthread_mutex_t lock;
	size_t shown;        /* under the lock: the file whose progress is reported, or NO_FILE */
	size_t first_failed; /* under the lock: files after it need not be read */
};

#define NO_FILE SIZE_MAX

/* Context of report_progress(). */
struct watch {
	struct reading *reading;
	size_t index;
};

/* Reports the progress of one file until it is done, as if files were read one after another. */
static void report_progress(void *context, uint64_t done, uint64_t total)
{
	const struct watch *watch = context;
	struct reading *reading = watch->reading;
	const struct weir_progress *progress = reading->progress;

	pthread_mutex_lock(&reading->lock);
	if (reading->shown == NO_FILE)
		reading->shown = watch->index;
	if (reading->shown == watch->index)
		progress->report(progress->context, reading->files[watch->index].path, done, total);
	pthread_mutex_unlock(&reading->lock);
}

static void drop_last_input(struct weir_profile *profile)
{
	weir_input_release(&profile->inputs[--profile->input_count]);
}

static enum weir_status read_source(struct weir_profile *profile, const char *path,
                                    struct weir_source *source, const struct weir_reader *reader,
                                    struct weir_error *err)
{
	struct weir_input *input;
	enum weir_status status;

	if (reader->read_all)
		return reader->read_all(source, weir_reader_find, profile, err);
	input = weir_profile_add_input(profile, path);
	input->format = reader->name;
	input->gives = reader->gives;
	status = reader->read(source, input, err);
	input->bytes = weir_source_stored_bytes(source);
	if (status)
		drop_last_input(profile);
	return status;
}

static enum weir_status read_file(struct reading *reading, size_t index)
{
	struct file *file = &reading->files[index];
	struct watch watch = {reading, index};
	const struct weir_reader *reader = reading->reader;
	struct weir_source *source = NULL;
	enum weir_status status = weir_source_open(file->path, &source, &file->err);
	bool claimed = reader != NULL;

	if (!status && !reader) {
		status = weir_reader_choose(source, &reader, &file->err);
		claimed = reader != NULL;
	}
	if (!status)
		weir_source_divide(source,
		                   (struct weir_source_division){.threads = reading->threads});
	if (!status && reading->progress)
		weir_source_watch(source, report_progress, &watch);
	if (!status && claimed)
		status = read_source(file->inputs, file->path, source, reader, &file->err);
	weir_source_free(source);
	if (status && file->optional && !claimed && status != WEIR_E_IO)
		return WEIR_OK;
	return status ? weir_fail_in(&file->err, "%s", file->path) : WEIR_OK;
}

static bool is_needed(struct reading *reading, size_t index)
{
	bool needed;

	pthread_mutex_lock(&reading->lock);
	needed = index < reading->first_failed;
	pthread_mutex_unlock(&reading->lock);
	return needed;
}

static uint64_t events_of(const struct weir_profile *profile)
{
	uint64_t events = 0;

	for (size_t i = 0; i < profile->input_count; i++)
		events += profile->inputs[i].events;
	return events;
}

static void read_one(void *context, size_t turn)
{
	struct reading *reading = context;
	size_t index = reading->order[turn];
	struct file *file = &reading->files[index];
	struct weir_region region;

	if (!is_needed(reading, index))
		return;
	file->inputs = weir_profile_new();
	region = weir_region_enter("input", file->path);
	file->status = read_file(reading, index);
	for (size_t i = 0; reading->pack && i < file->inputs->input_count; i++)
		weir_input_pack(&file->inputs->inputs[i]);
	weir_region_leave(&region, "events", events_of(file->inputs));
	pthread_mutex_lock(&reading->lock);
	if (reading->shown == index)
		reading->shown = NO_FILE;
	if (file->status && index < reading->first_failed && !reading->failures)
		reading->first_failed = index;
	pthread_mutex_unlock(&reading->lock);
}

/* ---- the files of the paths ---- */

static void add_file(struct reading *reading, char *path, int64_t size, bool optional)
{
	reading->files = weir_grow(reading->files, &reading->file_capacity, reading->file_count + 1,
	                           sizeof *reading->files);
	reading->files[reading->file_count++] =
		(struct file){.path = path, .size = size, .optional = optional};
}

static int by_path(const void *left, const void *right)
{
	const struct file *a = left, *b = right;

	return weir_text_compare_numbered(a->path, b->path);
}

/* Returns the path of an entry if it is a regular file and not hidden; else NULL. */
static char *entry_path(const char *directory, const char *name, struct stat *about)
{
	struct weir_text path = {0};

	if (name[0] == '.')
		return NULL;
	weir_text_printf(&path, "%s%s%s", directory,
	                 directory[strlen(directory) - 1] == '/' ? "" : "/", name);
	if (stat(path.data, about) == 0 && S_ISREG(about->st_mode))
		return path.data;
	weir_text_release(&path);
	return NULL;
}

static void list_directory(struct reading *reading, struct given *given)
{
	DIR *stream = opendir(given->path);
	struct dirent *entry;
	size_t count;

	if (!stream) {
		given->status = weir_fail(&given->err, WEIR_E_IO, "%s: cannot open the directory",
		                          given->path);
		return;
	}
	while ((entry = readdir(stream)) != NULL) {
		struct stat about;
		char *path = entry_path(given->path, entry->d_name, &about);

		if (path)
			add_file(reading, path, about.st_size, true);
	}
	closedir(stream);
	count = reading->file_count - given->first;
	if (count > 0)
		qsort(reading->files + given->first, count, sizeof *reading->files, by_path);
}

static void list_files(struct reading *reading, struct given *given, const char *path)
{
	size_t size = strlen(path) + 1;
	char *copy;
	struct stat about = {0};

	*given = (struct given){.path = path, .first = reading->file_count};
	given->is_directory =
		strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
	if (given->is_directory) {
		list_directory(reading, given);
	} else if (!*path) {
		given->status = weir_fail(&given->err, WEIR_E_USAGE,
		                          "an empty path: expected a file, a directory or \"-\"");
	} else {
		copy = weir_alloc(size);
		memcpy(copy, path, size);
		add_file(reading, copy, about.st_size, false);
	}
	given->end = reading->file_count;
}

/* Returns the number of threads; 1 with standard input, because the first of two "-" must read it
 * to its end. */
static size_t width_of(const struct reading *reading)
{
	for (size_t i = 0; i < reading->file_count; i++)
		if (strcmp(reading->files[i].path, "-") == 0)
			return 1;
	return weir_pool_width(reading->file_count);
}

struct turn {
	int64_t size;
	size_t index;
};

static int by_size(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void order_files(struct reading *reading)
{
	struct turn *turns = weir_alloc(reading->file_count * sizeof *turns);

	reading->order = weir_alloc(reading->file_count * sizeof *reading->order);
	for (size_t i = 0; i < reading->file_count; i++)
		turns[i] = (struct turn){reading->files[i].size, i};
	if (width_of(reading) > 1)
		qsort(turns, reading->file_count, sizeof *turns, by_size);
	for (size_t i = 0; i < reading->file_count; i++)
		reading->order[i] = turns[i].index;
	free(turns);
}

/* ---- the result ---- */

static void add_failure(struct weir_read_failures *failures, const struct weir_error *err)
{
	failures->items = weir_grow(failures->items, &failures->capacity, failures->count + 1,
	                            sizeof *failures->items);
	failures->items[failures->count++] = *err;
}

void weir_read_failures_release(struct weir_read_failures *failures)
{
	free(failures->items);
	*failures = (struct weir_read_failures){0};
}

static enum weir_status take_given(struct weir_profile *profile, const struct given *given,
                                   const struct reading *reading, struct weir_error *err)
{
	size_t before = profile->input_count, files = given->end - given->first;

	if (given->status) {
		if (err)
			*err = given->err;
		return given->status;
	}
	for (size_t i = given->first; i < given->end; i++) {
		const struct file *file = &reading->files[i];

		if (file->status && reading->failures) {
			add_failure(reading->failures, &file->err);
			continue;
		}
		if (file->status && err)
			*err = file->err;
		if (file->status)
			return file->status;
		weir_profile_take(profile, file->inputs);
	}
	if (given->is_directory && profile->input_count == before && !reading->failures)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "%s: no profile in this directory (%zu %s checked)", given->path,
		                 files, files == 1 ? "file" : "files");
	return WEIR_OK;
}

static void release(struct reading *reading)
{
	for (size_t i = 0; i < reading->file_count; i++) {
		weir_profile_free(reading->files[i].inputs);
		free(reading->files[i].path);
	}
	free(reading->files);
	free(reading->order);
	pthread_mutex_destroy(&reading->lock);
}

static int by_origin(const void *left, const void *right)
{
	const struct weir_input *a = left, *b = right;
	int order = weir_text_compare_numbered(a->path, b->path);

	if (order == 0)
		order = strcmp(a->node ? a->node : "", b->node ? b->node : "");
	if (order == 0)
		order = (weir_input_rank(a) > weir_input_rank(b)) -
		        (weir_input_rank(a) < weir_input_rank(b));
	if (order == 0)
		order = (a->bytes > b->bytes) - (a->bytes < b->bytes);
	if (order == 0)
		order = (a->packed.length > b->packed.length) -
		        (a->packed.length < b->packed.length);
	return order != 0 || !a->packed.data || !b->packed.data
	               ? order
	               : memcmp(a->packed.data, b->packed.data, a->packed.length);
}

/* Sorts the inputs as those of a folder if some come from parts, so that neither the order of the
 * parts nor what each holds shows in the result. */
static void order_inputs(struct weir_profile *profile)
{
	bool parted = false;

	for (size_t i = 0; i < profile->input_count; i++)
		parted |= profile->inputs[i].from_part;
	if (parted)
		qsort(profile->inputs, profile->input_count, sizeof *profile->inputs, by_origin);
}

/* Lets each reader join inputs that belong together. */
static enum weir_status join(struct weir_profile *profile, struct weir_error *err)
{
	struct weir_region region = weir_region_enter("join", NULL);
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && weir_readers[i]; i++)
		if (weir_readers[i]->join)
			status = weir_readers[i]->join(profile, err);
	weir_region_leave(&region, "inputs", profile->input_count);
	return status;
}

enum weir_status weir_read_paths(struct weir_profile *profile, const char *const *paths,
                                 size_t count, const struct weir_read_options *options,
                                 struct weir_error *err)
{
	struct reading reading = {
		.progress = options->progress, .shown = NO_FILE, .first_failed = NO_FILE};
	struct given *given;
	size_t width;
	enum weir_status status = WEIR_OK;

	if (options->format)
		status = weir_reader_find(options->format, &reading.reader, err);
	if (status)
		return status;
	pthread_mutex_init(&reading.lock, NULL);
	given = weir_alloc(count * sizeof *given);
	for (size_t i = 0; i < count; i++)
		list_files(&reading, &given[i], paths[i]);
	reading.failures = options->failures;
	reading.pack = options->pack && reading.file_count > options->pack_above;
	order_files(&reading);
	width = width_of(&reading);
	reading.threads = weir_pool_width(WEIR_POOL_MAX_WIDTH) / width;
	weir_pool_run(reading.file_count, width, read_one, &reading);
	for (size_t i = 0; !status && i < count; i++)
		status = take_given(profile, &given[i], &reading, err);
	order_inputs(profile);
	if (!status && !options->apart)
		status = join(profile, err);
	release(&reading);
	free(given);
	return status;
}

enum weir_status weir_read_memory(struct weir_profile *profile, const char *name, const void *data,
                                  size_t size, const struct weir_read_options *options,
                                  struct weir_error *err)
{
	struct weir_region region = weir_region_enter("input", name);
	const struct weir_reader *reader = NULL;
	struct weir_source *source = NULL;
	enum weir_status status = weir_source_open_memory(name, data, size, &source, err);

	if (!status && options->format)
		status = weir_reader_find(options->format, &reader, err);
	else if (!status)
		status = weir_reader_choose(source, &reader, err);
	if (!status)
		weir_source_divide(source,
		                   (struct weir_source_division){
					   .threads = weir_pool_width(WEIR_POOL_MAX_WIDTH)});
	if (!status)
		status = read_source(profile, name, source, reader, err);
	weir_source_free(source);
	weir_region_leave(&region, "bytes", size);
	return status ? weir_fail_in(err, "%s", name) : WEIR_OK;
}

enum weir_status weir_read_path(struct weir_profile *profile, const char *path, const char *format,
                                struct weir_error *err)
{
	const struct weir_read_options options = {.format = format};

	return weir_read_paths(profile, &path, 1, &options, err);
}
