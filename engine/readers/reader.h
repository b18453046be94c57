/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader is: a row of the table in registry.c. To add one, see docs/adding-a-reader.md. */
#ifndef WEIR_READERS_READER_H
#define WEIR_READERS_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"

struct weir_sqldb;

struct weir_reader {
	const char *name;  /* for --input-format and the report: "kineto" */
	const char *title; /* one line for `weir formats` */
	const char *gives; /* "timeline", "native run": what classify can say from it */
	/* How many bits of the head were verified as this format; 0: not mine. The largest answer
	 * wins, a tie is an error that names both. The head is up to WEIR_HEAD_SIZE decompressed
	 * bytes, not NUL-terminated. */
	int (*sniff)(const char *head, size_t len);
	/* For formats that are databases, else NULL: whether the tables are those of this format.
	 * Asked in the place of sniff() where the whole database can be looked at. */
	bool (*owns)(const struct weir_sqldb *db);
	/* Fills the input (trace or run, events, warnings). Fails only where nothing is left to
	 * analyse. Called from several threads, each with a source and an input of its own. */
	enum weir_status (*read)(struct weir_source *source, struct weir_input *input,
	                         struct weir_error *err);
};

extern const struct weir_reader *const weir_readers[]; /* ends with NULL */

/* By content. Unrecognised: WEIR_E_FORMAT with what the head looks like and what to do. */
enum weir_status weir_reader_choose(struct weir_source *source, const struct weir_reader **out,
                                    struct weir_error *err);
/* By name; unknown: WEIR_E_USAGE with the nearest name. */
enum weir_status weir_reader_find(const char *name, const struct weir_reader **out,
                                  struct weir_error *err);

/* Called with stored bytes done and total (0: unknown) while an input is read; the source sees to
 * it, readers need not. From any thread, one call at a time, and of one input until it is done. */
struct weir_progress {
	void (*report)(void *context, const char *path, unsigned long long done,
	               unsigned long long total);
	void *context;
};

struct weir_read_options {
	const char *format;                   /* NULL: by content */
	const struct weir_progress *progress; /* NULL: nobody watches */
};

/*
 * Reads paths into the profile, several at a time, and adds what they give in their order: a file,
 * "-", or a directory (every profile in it, sorted by name; files that no reader claims are passed
 * over, a directory without any profile is an error). The error is that of the first path that has
 * one, and begins with it; what paths before it gave stays in the profile.
 */
enum weir_status weir_read_paths(struct weir_profile *profile, const char *const *paths,
                                 size_t count, const struct weir_read_options *options,
                                 struct weir_error *err);
/* One of them, unwatched. */
enum weir_status weir_read_path(struct weir_profile *profile, const char *path, const char *format,
                                struct weir_error *err);

#endif
