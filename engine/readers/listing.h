/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the files of the paths that a user gave: a folder stands for the files in it and in the
 * folders below it. */
#ifndef WEIR_READERS_LISTING_H
#define WEIR_READERS_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/readers/choice.h"

#define WEIR_LISTING_MAX_DEPTH 8     /* folders below the one that was given */
#define WEIR_LISTING_MAX_FILES 10000 /* in a folder and below it */

struct weir_listed {
	char *path;
	char *shown; /* the path as messages and reports show it: of an address, only a part */
	bool is_address;
	size_t given; /* index of the path it belongs to */
	int64_t size; /* bytes; 0: unknown */
	bool found;   /* by a search: skipped if no reader claims it */
};

/* A path as it was given. */
struct weir_given {
	const char *path; /* borrowed */
	bool is_folder;
	size_t first, end;         /* its files in the listing */
	struct weir_choice passed; /* files and folders that the search passed over */
	enum weir_status status;
	struct weir_error err;
};

/* {0} is empty; release with weir_listing_release(). */
struct weir_listing {
	struct weir_listed *files;
	size_t file_count, file_capacity;
	struct weir_given *given;
	size_t given_count;
};

/* Lists the files of all paths in their order; those of a folder are sorted by their paths, with
 * numbers by their values. A path that fails has a status. */
void weir_listing_fill(struct weir_listing *listing, const char *const *paths, size_t count);
void weir_listing_release(struct weir_listing *listing);

/* Returns true if the name of a file or folder says that it is to be passed over: a hidden one, one
 * that macOS adds to archives, or the labels of a run. */
bool weir_listing_hides(const char *name, size_t len);

#endif
