/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads paths into inputs. Files are read at the same time, each into its own profile, and then
 * taken in the order of the paths. The result and the reported error therefore do not depend on
 * which file is finished first.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/download.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"
#include "engine/base/sandbox.h"
#include "engine/base/text.h"
#include "engine/part/part.h"
#include "engine/readers/listing.h"
#include "engine/readers/members.h"
#include "engine/readers/reader.h"

struct file {
	const struct weir_listed *listed;
	struct weir_choice choice;   /* the members of an archive, or the file itself */
	struct weir_profile *inputs; /* the inputs read from it; NULL: not read */
	uint64_t read, size;         /* under the lock: stored bytes; size 0: unknown */
	enum weir_status status;
	struct weir_error err;
};

struct reading {
	const struct weir_reader *reader; /* NULL: by content */
	const struct weir_progress *progress;
	bool offline;
	bool fetches;                        /* some files are addresses */
	bool pack;                           /* pack each trace once it is read */
	struct weir_read_failures *failures; /* NULL: the first failure ends the reading */
	struct weir_listing listing;
	struct file *files; /* those of the listing */
	size_t *order;  /* files in the order in which they are started: the largest first, so that
	                   no thread is left with a large one at the end */
	size_t threads; /* that read one file */
	pthread_mutex_t lock;
	struct weir_progress_whole whole; /* under the lock */
	size_t unknown_sizes;             /* under the lock: files of unknown size */
	size_t shown;        /* under the lock: the file whose progress is reported, or NO_FILE */
	size_t first_failed; /* under the lock: files after it need not be read */
};

#define NO_FILE SIZE_MAX

/* Context of report_progress(). */
struct watch {
	struct reading *reading;
	size_t index;
};

/* Keeps the progress of a file, and its part in the sums. The caller holds the lock. */
static void keep_progress(struct reading *reading, struct file *file, uint64_t done, uint64_t size)
{
	size = size > 0 ? size : file->size;
	reading->whole.done += done - file->read;
	reading->whole.total += size - file->size;
	reading->unknown_sizes -= file->size == 0 && size > 0;
	file->read = done;
	file->size = size;
}

/* Reports the progress of one file until it is done, as if files were read one after another. */
static void report_progress(void *context, uint64_t done, uint64_t total)
{
	const struct watch *watch = context;
	struct reading *reading = watch->reading;
	struct file *file = &reading->files[watch->index];
	const struct weir_progress *progress = reading->progress;
	struct weir_progress_whole whole;

	pthread_mutex_lock(&reading->lock);
	if (reading->shown == NO_FILE)
		reading->shown = watch->index;
	keep_progress(reading, file, done, total);
	whole = reading->whole;
	if (reading->unknown_sizes > 0)
		whole.total = 0;
	if (reading->shown == watch->index && progress->whole)
		progress->whole(progress->context, &whole);
	if (reading->shown == watch->index)
		progress->report(progress->context, file->listed->shown, done, total);
	pthread_mutex_unlock(&reading->lock);
}

/* Fetches a file from a server. */
static enum weir_status fetch(const struct weir_listed *listed, struct watch *watch,
                              struct weir_spool *out, struct weir_error *err)
{
	struct weir_download download = {.url = listed->path, .context = watch};

	if (watch->reading->offline)
		return weir_fail(err, WEIR_E_USAGE,
		                 "the library fetches no addresses: pass a file, or its bytes");
	if (!weir_download_takes(listed->path))
		return weir_download_refuse(listed->path, err);
	if (watch->reading->progress)
		download.report = report_progress;
	return weir_download(&download, out, err);
}

/* The parsing of one file. */
struct parsing {
	struct watch watch;
	struct weir_spool spool; /* its bytes, if it was fetched */
	bool claimed;
};

static enum weir_status open_input(struct parsing *parsing, struct file *file,
                                   struct weir_source **out)
{
	const struct weir_listed *listed = file->listed;

	if (listed->is_address)
		return weir_source_open_spool(listed->shown, &parsing->spool, out, &file->err);
	return weir_source_open(listed->path, out, &file->err);
}

static void parse(void *context)
{
	struct parsing *parsing = context;
	struct reading *reading = parsing->watch.reading;
	struct file *file = &reading->files[parsing->watch.index];
	const struct weir_opened how = {.reader = reading->reader,
	                                .threads = reading->threads,
	                                .choice = &file->choice,
	                                .named = !file->listed->found};
	struct weir_source *source = NULL;

	file->status = open_input(parsing, file, &source);
	if (!file->status && reading->progress)
		weir_source_watch(source, report_progress, &parsing->watch);
	if (!file->status)
		file->status = weir_members_read(&how, file->inputs, file->listed->shown, source,
		                                 &parsing->claimed, &file->err);
	weir_source_free(source);
}

/* Reads a file: fetches it with all rights, and opens and parses it without them. */
static enum weir_status read_file(struct reading *reading, size_t index)
{
	struct file *file = &reading->files[index];
	const struct weir_listed *listed = file->listed;
	struct parsing parsing = {{reading, index}, WEIR_SPOOL_EMPTY, reading->reader != NULL};
	enum weir_status status = WEIR_OK;

	if (listed->is_address)
		status = fetch(listed, &parsing.watch, &parsing.spool, &file->err);
	if (!status) {
		weir_sandbox_run(parse, &parsing);
		status = file->status;
	}
	weir_spool_release(&parsing.spool);
	for (size_t i = 0; listed->is_address && i < file->inputs->input_count; i++)
		file->inputs->inputs[i].elsewhere = true;
	if (status && listed->found && !parsing.claimed && status != WEIR_E_IO) {
		weir_choice_release(&file->choice);
		weir_choice_leave(&file->choice, 1, listed->path,
		                  weir_members_reason(file->err.message));
		return WEIR_OK;
	}
	return status ? weir_fail_in(&file->err, "%s", listed->shown) : WEIR_OK;
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
	region = weir_region_enter("input", file->listed->shown);
	file->status = read_file(reading, index);
	for (size_t i = 0; reading->pack && i < file->inputs->input_count; i++)
		weir_input_pack(&file->inputs->inputs[i]);
	weir_region_leave(&region, "events", events_of(file->inputs));
	pthread_mutex_lock(&reading->lock);
	reading->whole.files_done++;
	keep_progress(reading, file, file->size, file->size);
	if (reading->shown == index)
		reading->shown = NO_FILE;
	if (file->status && index < reading->first_failed && !reading->failures)
		reading->first_failed = index;
	pthread_mutex_unlock(&reading->lock);
}

/* ---- the order of the files ---- */

/* Returns the number of threads; 1 with standard input, because the first of two "-" must read it
 * to its end. */
static size_t width_of(const struct reading *reading)
{
	for (size_t i = 0; i < reading->listing.file_count; i++)
		if (strcmp(reading->listing.files[i].path, "-") == 0)
			return 1;
	return weir_pool_width(reading->listing.file_count);
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
	size_t count = reading->listing.file_count;
	struct turn *turns = weir_alloc((count + 1) * sizeof *turns);

	reading->order = weir_alloc((count + 1) * sizeof *reading->order);
	for (size_t i = 0; i < count; i++)
		turns[i] = (struct turn){reading->listing.files[i].size, i};
	if (width_of(reading) > 1)
		qsort(turns, count, sizeof *turns, by_size);
	for (size_t i = 0; i < count; i++)
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

/* Takes the inputs of one file. */
static enum weir_status take_file(struct weir_profile *profile, const struct file *file,
                                  struct weir_read_failures *failures, struct weir_error *err)
{
	if (file->status && failures) {
		add_failure(failures, &file->err);
		return WEIR_OK;
	}
	if (file->status && err)
		*err = file->err;
	if (file->status)
		return file->status;
	weir_profile_take(profile, file->inputs);
	return WEIR_OK;
}

static enum weir_status fail_without_profile(const struct weir_given *given,
                                             const struct weir_choice *choice,
                                             struct weir_error *err)
{
	size_t files = given->end - given->first;
	struct weir_text left = {0};
	enum weir_status status;

	weir_choice_describe_left(choice, &left);
	status = weir_fail(err, WEIR_E_FORMAT,
	                   "%s: no profile in this directory (%zu %s checked)%s%s", given->path,
	                   files, files == 1 ? "file" : "files", left.length > 0 ? ": " : "",
	                   left.length > 0 ? left.data : "");
	weir_text_release(&left);
	return status;
}

/* Tells which files of a folder or archive were read. */
static void tell(const struct weir_given *given, const char *shown,
                 const struct weir_choice *choice, const struct weir_progress *progress)
{
	struct weir_text line = {0};

	if (!progress || !progress->tell ||
	    (!given->is_folder && weir_choice_taken(choice) + weir_choice_left(choice) < 2))
		return;
	weir_text_printf(&line, "%s: ", strcmp(shown, "-") == 0 ? "standard input" : shown);
	weir_choice_describe(choice, &line);
	progress->tell(progress->context, line.data);
	weir_text_release(&line);
}

static enum weir_status take_given(struct weir_profile *profile, const struct weir_given *given,
                                   const struct reading *reading, struct weir_error *err)
{
	size_t before = profile->input_count;
	struct weir_choice choice = {0};
	enum weir_status status = WEIR_OK;
	const char *shown = given->path;

	if (!given->is_folder && given->end > given->first)
		shown = reading->files[given->first].listed->shown;
	if (given->status) {
		if (err)
			*err = given->err;
		return given->status;
	}
	weir_choice_add(&choice, &given->passed);
	for (size_t i = given->first; !status && i < given->end; i++) {
		status = take_file(profile, &reading->files[i], reading->failures, err);
		weir_choice_add(&choice, &reading->files[i].choice);
	}
	weir_choice_shorten(&choice, shown);
	if (!status && given->is_folder && profile->input_count == before && !reading->failures)
		status = fail_without_profile(given, &choice, err);
	if (!status)
		tell(given, shown, &choice, reading->progress);
	weir_choice_release(&choice);
	return status;
}

static void release(struct reading *reading)
{
	for (size_t i = 0; i < reading->listing.file_count; i++) {
		weir_profile_free(reading->files[i].inputs);
		weir_choice_release(&reading->files[i].choice);
	}
	free(reading->files);
	free(reading->order);
	weir_listing_release(&reading->listing);
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

static void read_all(void *context)
{
	struct reading *reading = context;
	size_t width = width_of(reading);

	reading->threads = weir_pool_width(WEIR_POOL_MAX_WIDTH) / width;
	weir_pool_run(reading->listing.file_count, width, read_one, reading);
}

/* Lists the files of the paths and reads them all: in one sandbox, or each in
 * its own if some must be fetched. */
static void read_files(struct reading *reading, const char *const *paths, size_t count,
                       const struct weir_read_options *options)
{
	struct weir_listing *listing = &reading->listing;

	weir_listing_fill(listing, paths, count);
	reading->files = weir_alloc((listing->file_count + 1) * sizeof *reading->files);
	for (size_t i = 0; i < listing->file_count; i++) {
		reading->files[i].listed = &listing->files[i];
		reading->files[i].size = (uint64_t)listing->files[i].size;
		reading->whole.total += reading->files[i].size;
		reading->unknown_sizes += reading->files[i].size == 0;
		reading->fetches |= listing->files[i].is_address;
	}
	reading->whole.files = listing->file_count;
	reading->offline = options->offline;
	reading->failures = options->failures;
	reading->pack = options->pack && listing->file_count > options->pack_above;
	order_files(reading);
	if (reading->fetches)
		read_all(reading);
	else
		weir_sandbox_run(read_all, reading);
}

enum weir_status weir_read_paths(struct weir_profile *profile, const char *const *paths,
                                 size_t count, const struct weir_read_options *options,
                                 struct weir_error *err)
{
	struct reading reading = {
		.progress = options->progress, .shown = NO_FILE, .first_failed = NO_FILE};
	enum weir_status status = WEIR_OK;

	if (options->format)
		status = weir_reader_find(options->format, &reading.reader, err);
	if (status)
		return status;
	pthread_mutex_init(&reading.lock, NULL);
	read_files(&reading, paths, count, options);
	for (size_t i = 0; !status && i < count; i++)
		status = take_given(profile, &reading.listing.given[i], &reading, err);
	order_inputs(profile);
	if (!status && !options->apart)
		status = join(profile, err);
	release(&reading);
	return status;
}

enum weir_status weir_read_memory(struct weir_profile *profile, const char *name, const void *data,
                                  size_t size, const struct weir_read_options *options,
                                  struct weir_error *err)
{
	struct weir_region region = weir_region_enter("input", name);
	struct weir_choice choice = {0};
	struct weir_opened how = {
		.threads = weir_pool_width(WEIR_POOL_MAX_WIDTH), .choice = &choice, .named = true};
	struct weir_profile *inputs = weir_profile_new();
	struct weir_source *source = NULL;
	enum weir_status status = weir_source_open_memory(name, data, size, &source, err);
	bool claimed;

	if (!status && options->format)
		status = weir_reader_find(options->format, &how.reader, err);
	if (!status)
		status = weir_members_read(&how, inputs, name, source, &claimed, err);
	if (!status)
		weir_profile_take(profile, inputs);
	weir_profile_free(inputs);
	weir_source_free(source);
	weir_choice_release(&choice);
	weir_region_leave(&region, "bytes", size);
	return status ? weir_fail_in(err, "%s", name) : WEIR_OK;
}

enum weir_status weir_read_path(struct weir_profile *profile, const char *path, const char *format,
                                struct weir_error *err)
{
	const struct weir_read_options options = {.format = format};

	return weir_read_paths(profile, &path, 1, &options, err);
}
