/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file that appears complete or not at all, in place of an older one of its name. Until then it
 * has no name where the file system can do that, so that nothing is left of it however the program
 * ends; elsewhere it has a temporary name beside the final one. Functions return false with errno.
 */
#ifndef WEIR_CLI_NEW_FILE_H
#define WEIR_CLI_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct weir_new_file {
	int fd;        /* for writing; -1: not open */
	char *name;    /* owned */
	char *beside;  /* the temporary name; owned */
	bool is_named; /* the file has its temporary name */
};

/* Starts a file that will be called `name`. On success the caller ends it with one of the two
 * functions below. */
bool weir_new_file_open(struct weir_new_file *file, const char *name);
/* Writes the file to its disk and gives it its name and permissions. Ends it on failure, too. */
bool weir_new_file_publish(struct weir_new_file *file, mode_t mode);
void weir_new_file_discard(struct weir_new_file *file);

#endif
