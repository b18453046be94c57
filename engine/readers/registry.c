/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "engine/readers/rocprof.h"
#include "engine/readers/sniff.h"

#define MAX_READERS 64

/* One a line, so that readers can be added side by side. */
/* clang-format off */
const struct weir_reader *const weir_readers[] = {
	&weir_reader_aiperf,
	&weir_reader_amd,
	&weir_reader_bench,
	&weir_reader_chrome,
	&weir_reader_cprofile,
	&weir_reader_dcgmi,
	&weir_reader_focus,
	&weir_reader_folded,
	&weir_reader_genai_perf,
	&weir_reader_guidellm,
	&weir_reader_inference_perf,
	&weir_reader_jaeger,
	&weir_reader_kineto,
	&weir_reader_lmdeploy,
	&weir_reader_model_analyzer,
	&weir_reader_native,
	&weir_reader_ncu,
	&weir_reader_nsys,
	&weir_reader_nsys_stats,
	&weir_reader_onnxruntime,
	&weir_reader_openmetrics,
	&weir_reader_otlp,
	&weir_reader_perf_analyzer,
	&weir_reader_perf_analyzer_csv,
	&weir_reader_perf_script,
	&weir_reader_prices,
	&weir_reader_prometheus,
	&weir_reader_requests,
	&weir_reader_rocprof,
	&weir_reader_rocprof_json,
	&weir_reader_smi_dmon,
	&weir_reader_smi_query,
	&weir_reader_speedscope,
	&weir_reader_triton,
	&weir_reader_trtexec,
	&weir_reader_trtllm,
	&weir_reader_wrapper,
	&weir_reader_xla,
	&weir_reader_zipkin,
	NULL,
};
/* clang-format on */

enum weir_status weir_reader_choose(struct weir_source *source, const struct weir_reader **out,
                                    struct weir_error *err)
{
	const struct weir_reader *rival = NULL;
	const char *head;
	size_t len;
	int best = 0;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*out = NULL;
	if (status)
		return status;
	if (!len)
		return weir_fail(err, WEIR_E_EMPTY, "empty: there is not one byte in it");
	for (size_t i = 0; weir_readers[i]; i++) {
		int bits = weir_readers[i]->sniff(head, len);

		if (bits > best) {
			best = bits;
			*out = weir_readers[i];
			rival = NULL;
		} else if (bits && bits == best) {
			rival = weir_readers[i];
		}
	}
	if (rival)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "looks like %s and like %s: say which with --input-format",
		                 (*out)->name, rival->name);
	if (!*out)
		return weir_fail(err, WEIR_E_FORMAT, "not a profile: %s",
		                 weir_sniff_hint(head, len));
	return WEIR_OK;
}

enum weir_status weir_reader_find(const char *name, const struct weir_reader **out,
                                  struct weir_error *err)
{
	const char *names[MAX_READERS + 1] = {NULL}, *nearest;

	*out = NULL;
	for (size_t i = 0; weir_readers[i] && i < MAX_READERS; i++) {
		names[i] = weir_readers[i]->name;
		if (strcmp(names[i], name) == 0)
			*out = weir_readers[i];
	}
	if (*out)
		return WEIR_OK;
	nearest = weir_text_nearest(name, names);
	if (nearest)
		return weir_fail(err, WEIR_E_USAGE, "no input format \"%s\"; did you mean \"%s\"?",
		                 name, nearest);
	return weir_fail(err, WEIR_E_USAGE, "no input format \"%s\"; see \"weir formats\"", name);
}

/* Passes what the source tells on to whoever watches the whole reading. */
struct watch {
	const struct weir_progress *progress;
	const char *path;
};

static void pass_on(void *context, uint64_t done, uint64_t total)
{
	const struct watch *watch = context;

	watch->progress->report(watch->progress->context, watch->path, done, total);
}

static void drop_last_input(struct weir_profile *profile)
{
	weir_input_release(&profile->inputs[--profile->input_count]);
}

static enum weir_status read_source(struct weir_profile *profile, const char *path,
                                    struct weir_source *source, const struct weir_reader *reader,
                                    struct weir_error *err)
{
	struct weir_input *input = weir_profile_add_input(profile, path);
	enum weir_status status;

	input->format = reader->name;
	input->gives = reader->gives;
	status = reader->read(source, input, err);
	input->bytes = weir_source_stored_bytes(source);
	if (status)
		drop_last_input(profile);
	return status;
}

/* optional: a file that no reader claims is passed over. */
struct request {
	struct weir_profile *profile;
	const struct weir_reader *reader; /* NULL: by content */
	const struct weir_progress *progress;
	bool optional;
};

static enum weir_status read_file(const struct request *request, const char *path,
                                  struct weir_error *err)
{
	struct watch watch = {request->progress, path};
	const struct weir_reader *reader = request->reader;
	struct weir_source *source = NULL;
	enum weir_status status = weir_source_open(path, &source, err);
	bool claimed = reader != NULL;

	if (!status && !reader) {
		status = weir_reader_choose(source, &reader, err);
		claimed = reader != NULL;
	}
	if (!status && request->progress)
		weir_source_watch(source, pass_on, &watch);
	if (!status && claimed)
		status = read_source(request->profile, path, source, reader, err);
	weir_source_free(source);
	if (status && request->optional && !claimed && status != WEIR_E_IO)
		return WEIR_OK;
	return status ? weir_fail_in(err, "%s", path) : WEIR_OK;
}

struct names {
	char **items;
	size_t count, capacity;
};

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}

/* Full path of an entry that is a regular file and not hidden, else NULL. */
static char *entry_path(const char *directory, const char *name)
{
	struct weir_text path = {0};
	struct stat about;

	if (name[0] == '.')
		return NULL;
	weir_text_printf(&path, "%s%s%s", directory,
	                 directory[strlen(directory) - 1] == '/' ? "" : "/", name);
	if (stat(path.data, &about) == 0 && S_ISREG(about.st_mode))
		return path.data;
	weir_text_release(&path);
	return NULL;
}

static enum weir_status list_files(const char *directory, struct names *names,
                                   struct weir_error *err)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;

	if (!stream)
		return weir_fail(err, WEIR_E_IO, "%s: cannot open the directory", directory);
	while ((entry = readdir(stream)) != NULL) {
		char *path = entry_path(directory, entry->d_name);

		if (!path)
			continue;
		names->items = weir_grow(names->items, &names->capacity, names->count + 1,
		                         sizeof(*names->items));
		names->items[names->count++] = path;
	}
	closedir(stream);
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
	return WEIR_OK;
}

static enum weir_status read_directory(const struct request *request, const char *path,
                                       struct weir_error *err)
{
	struct names names = {0};
	size_t before = request->profile->input_count;
	enum weir_status status = list_files(path, &names, err);

	for (size_t i = 0; !status && i < names.count; i++)
		status = read_file(request, names.items[i], err);
	if (!status && request->profile->input_count == before)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "%s: no profile in this directory (%zu files looked at)", path,
		                   names.count);
	free_names(&names);
	return status;
}

enum weir_status weir_read_path_watched(struct weir_profile *profile, const char *path,
                                        const char *format, const struct weir_progress *progress,
                                        struct weir_error *err)
{
	struct request request = {.profile = profile, .progress = progress};
	enum weir_status status;
	struct stat about;

	if (format && weir_reader_find(format, &request.reader, err))
		return err ? err->status : WEIR_E_USAGE;
	if (strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
		request.optional = true;
		status = read_directory(&request, path, err);
	} else {
		status = read_file(&request, path, err);
	}
	return status ? status : weir_rocprof_join(profile, err);
}

enum weir_status weir_read_path(struct weir_profile *profile, const char *path, const char *format,
                                struct weir_error *err)
{
	return weir_read_path_watched(profile, path, format, NULL, err);
}
