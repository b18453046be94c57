/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reader turns one file format into a struct weir_input. To add one, see docs/adding-a-reader.md.
 */
#ifndef WEIR_READERS_READER_H
#define WEIR_READERS_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"

struct weir_mark;
struct weir_reader;
struct weir_sqldb;

/* Finds a reader by its name. */
typedef enum weir_status weir_reader_finder(const char *name, const struct weir_reader **out,
                                            struct weir_error *err);

struct weir_reader {
	const char *name;  /* for --input-format and reports: "kineto" */
	const char *title; /* one line for `weir formats` */
	const char *gives; /* the kind of input for classify: "timeline", "native run" */
	const char *tool;  /* program that writes the files, "k6"; NULL: several do */

	bool whole_run; /* each file is the result of a whole run, not a part of one */
	bool of_amd;    /* only tools for AMD's devices write this format */

	/* The format is recognised by marks (engine/readers/parts/sniff.h), by sniff(), or by both.
	 * The reader that verifies the most bits reads the file; a tie is an error. */
	const struct weir_mark *marks; /* ends with {0}; NULL: none */
	/* Returns the number of bits of the head that verify the format; 0: not this format. The
	 * head is not NUL-terminated. NULL: the marks decide. */
	int (*sniff)(const char *head, size_t len);
	/* Describes a file that no reader claims but this one knows, and says what to pass instead;
	 * returns NULL for other files. The text is static. NULL: the marks decide. */
	const char *(*refuse)(const char *head, size_t len);
	/* Returns true if a database has the tables of this format. Replaces the marks and sniff()
	 * if the whole database can be opened. NULL: the format is not a database. */
	bool (*owns)(const struct weir_sqldb *db);

	/* Fills the input: its data (a trace, a run, ...), events, warnings. Fails only if nothing
	 * is left to analyse. Runs on several threads, each with its own source and input. */
	enum weir_status (*read)(struct weir_source *source, struct weir_input *input,
	                         struct weir_error *err);
	/* Reads a file that holds several inputs, and adds them to the profile; replaces read().
	 * NULL: the file is one input. find: weir_reader_find(), for inputs that other readers
	 * read. */
	enum weir_status (*read_all)(struct weir_source *source, weir_reader_finder *find,
	                             struct weir_profile *profile, struct weir_error *err);
	/* Joins the inputs of this format, once all inputs are read; NULL: inputs stand alone. */
	enum weir_status (*join)(struct weir_profile *profile, struct weir_error *err);
};

extern const struct weir_reader *const weir_readers[]; /* ends with NULL */

/* Chooses the reader by content. Fails with WEIR_E_FORMAT if no reader claims the file, and says
 * what the file looks like and what to do. */
enum weir_status weir_reader_choose(struct weir_source *source, const struct weir_reader **out,
                                    struct weir_error *err);
/* Returns true if no reader claims the file, but one knows it, or the table of tools does: the
 * message of weir_reader_choose() then says what it is. */
bool weir_reader_describes(struct weir_source *source);
/* Finds a reader by name. Fails with WEIR_E_USAGE for an unknown name and suggests the nearest. */
enum weir_status weir_reader_find(const char *name, const struct weir_reader **out,
                                  struct weir_error *err);

/* Progress over all files of a call. */
struct weir_progress_whole {
	unsigned long long done, total; /* stored bytes; total 0: unknown */
	size_t files_done, files;
};

struct weir_progress {
	/* Reports the stored bytes of an input read so far and their total (0: unknown). May run on
	 * any thread, but one call at a time, and reports one input until it is done. Sources call
	 * it, not readers. */
	void (*report)(void *context, const char *path, unsigned long long done,
	               unsigned long long total);
	void *context;
	/* Tells in one line which files of a folder or archive were read. NULL: nobody asks. */
	void (*tell)(void *context, const char *line);
	/* Called before report(), with the files together. NULL: nobody asks. */
	void (*whole)(void *context, const struct weir_progress_whole *whole);
};

/* Files that were left out, and why. {0} is empty; release with weir_read_failures_release(). */
struct weir_read_failures {
	struct weir_error *items; /* messages that begin with the path */
	size_t count, capacity;
};

void weir_read_failures_release(struct weir_read_failures *failures);

struct weir_read_options {
	const char *format;                   /* name of a reader; NULL: by content */
	const struct weir_progress *progress; /* NULL: no reports */
	/* If set, the traces of more than pack_above files are packed (engine/part) as soon as each
	 * is read, so that few are in memory at once. */
	bool pack;
	size_t pack_above;
	bool offline; /* refuse addresses: a library must not fetch by surprise */
	bool apart;   /* leave inputs that belong together as they were read */
	/* If set, a file that cannot be read is left out, and its error appended here. */
	struct weir_read_failures *failures;
};

/*
 * Reads paths into the profile, several at a time, and adds their inputs in the order of the paths.
 * A path is a file, "-", or a folder or archive: every profile in it and below it, sorted by name.
 * Files of a folder or archive that no reader claims are skipped; one without any profile is an
 * error. Reports the error of the first path that fails; the message begins with the path. Inputs
 * of the paths before it stay in the profile.
 */
enum weir_status weir_read_paths(struct weir_profile *profile, const char *const *paths,
                                 size_t count, const struct weir_read_options *options,
                                 struct weir_error *err);
/* Reads a whole file from memory; `name` stands for its path. Call weir_read_paths() afterwards,
 * even with no paths: it joins inputs that belong together. Cannot read databases. */
enum weir_status weir_read_memory(struct weir_profile *profile, const char *name, const void *data,
                                  size_t size, const struct weir_read_options *options,
                                  struct weir_error *err);
/* Reads one path without reporting progress; format may be NULL. */
enum weir_status weir_read_path(struct weir_profile *profile, const char *path, const char *format,
                                struct weir_error *err);

#endif
