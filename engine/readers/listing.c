/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/base/download.h"
#include "engine/base/text.h"
#include "engine/readers/listing.h"

bool weir_listing_hides(const char *name, size_t len)
{
	/* A folder that macOS adds to archives, and the labels that `weir record` puts beside a
	 * profile. */
	static const char *const passed[] = {"__MACOSX", "weir-labels.json"};

	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		if (len == strlen(passed[i]) && memcmp(name, passed[i], len) == 0)
			return true;
	return len > 0 && name[0] == '.';
}

static struct weir_given *last_given(const struct weir_listing *listing)
{
	return &listing->given[listing->given_count - 1];
}

/* Adds a file of the last path. */
static struct weir_listed *add_file(struct weir_listing *listing, const char *path)
{
	struct weir_listed *file;

	listing->files = weir_grow(listing->files, &listing->file_capacity, listing->file_count + 1,
	                           sizeof *listing->files);
	file = &listing->files[listing->file_count++];
	*file = (struct weir_listed){.given = listing->given_count - 1};
	file->path = weir_alloc_text(path);
	return file;
}

static void add_found(struct weir_listing *listing, const char *path, int64_t size)
{
	struct weir_listed *file = add_file(listing, path);

	file->shown = weir_alloc_text(path);
	file->size = size;
	file->found = true;
}

/* Adds a path that was given. An existing file may be called as an address is. */
static void add_given(struct weir_listing *listing, const char *path, const struct stat *about)
{
	struct weir_listed *file = add_file(listing, path);
	struct weir_text shown = {0};

	file->size = about ? about->st_size : 0;
	file->is_address = !about && weir_download_is_address(path);
	if (file->is_address)
		weir_download_label(&shown, path);
	else
		weir_text_puts(&shown, path);
	file->shown = weir_alloc_text(shown.data);
	weir_text_release(&shown);
}

static char *join_path(const char *folder, const char *name)
{
	struct weir_text path = {0};

	weir_text_printf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
	                 name);
	return path.data;
}

static enum weir_status search(struct weir_listing *listing, const char *folder, unsigned depth);

/* Searches a folder below the given one, unless it lies too deep. */
static enum weir_status descend(struct weir_listing *listing, const char *folder, unsigned depth)
{
	struct weir_given *given = last_given(listing);

	if (depth < WEIR_LISTING_MAX_DEPTH)
		return search(listing, folder, depth + 1);
	weir_choice_leave(&given->passed, 1, folder, "a folder too deep to search");
	return WEIR_OK;
}

/* Adds an entry if it is a regular file, and searches it if it is a folder. A link to a file counts
 * as that file; a link to a folder is not followed, because it could lead to a circle. */
static enum weir_status visit(struct weir_listing *listing, const char *folder, const char *name,
                              unsigned depth)
{
	struct weir_given *given = last_given(listing);
	char *path = join_path(folder, name);
	struct stat link, about;
	enum weir_status status = WEIR_OK;

	if (lstat(path, &link) != 0 || stat(path, &about) != 0) {
		weir_choice_leave(&given->passed, 1, path, "a link that leads nowhere");
	} else if (S_ISREG(about.st_mode)) {
		if (listing->file_count - given->first >= WEIR_LISTING_MAX_FILES)
			status = weir_fail(&given->err, WEIR_E_LIMIT,
			                   "%s: holds more than %d files: name the folder of the "
			                   "profiles",
			                   given->path, WEIR_LISTING_MAX_FILES);
		else
			add_found(listing, path, about.st_size);
	} else if (S_ISDIR(link.st_mode)) {
		status = descend(listing, path, depth);
	} else if (S_ISDIR(about.st_mode)) {
		weir_choice_leave(&given->passed, 1, path, "a link to a folder");
	}
	free(path);
	return status;
}

static enum weir_status search(struct weir_listing *listing, const char *folder, unsigned depth)
{
	struct weir_given *given = last_given(listing);
	DIR *stream = opendir(folder);
	struct dirent *entry;
	enum weir_status status = WEIR_OK;

	if (!stream && depth > 0) {
		weir_choice_leave(&given->passed, 1, folder, "a folder that cannot be opened");
		return WEIR_OK;
	}
	if (!stream)
		return weir_fail(&given->err, WEIR_E_IO, "%s: cannot open the directory: %s",
		                 given->path, strerror(errno));
	while (!status && (entry = readdir(stream)) != NULL)
		if (!weir_listing_hides(entry->d_name, strlen(entry->d_name)))
			status = visit(listing, folder, entry->d_name, depth);
	closedir(stream);
	return status;
}

static int by_path(const void *left, const void *right)
{
	const struct weir_listed *a = left, *b = right;

	return weir_text_compare_numbered(a->path, b->path);
}

static void list_folder(struct weir_listing *listing, struct weir_given *given)
{
	size_t count;

	given->status = search(listing, given->path, 0);
	count = listing->file_count - given->first;
	if (count > 0)
		qsort(listing->files + given->first, count, sizeof *listing->files, by_path);
}

static void list_path(struct weir_listing *listing, const char *path)
{
	struct weir_given *given = &listing->given[listing->given_count++];
	struct stat about;
	bool exists = strcmp(path, "-") != 0 && stat(path, &about) == 0;

	*given = (struct weir_given){.path = path, .first = listing->file_count};
	given->is_folder = exists && S_ISDIR(about.st_mode);
	if (given->is_folder)
		list_folder(listing, given);
	else if (!*path)
		given->status = weir_fail(&given->err, WEIR_E_USAGE,
		                          "an empty path: expected a file, a directory or \"-\"");
	else
		add_given(listing, path, exists ? &about : NULL);
	given->end = listing->file_count;
}

void weir_listing_fill(struct weir_listing *listing, const char *const *paths, size_t count)
{
	listing->given = weir_alloc((count + 1) * sizeof *listing->given);
	for (size_t i = 0; i < count; i++)
		list_path(listing, paths[i]);
}

void weir_listing_release(struct weir_listing *listing)
{
	for (size_t i = 0; i < listing->file_count; i++) {
		free(listing->files[i].path);
		free(listing->files[i].shown);
	}
	for (size_t i = 0; i < listing->given_count; i++)
		weir_choice_release(&listing->given[i].passed);
	free(listing->files);
	free(listing->given);
	*listing = (struct weir_listing){0};
}
