/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads one opened file into inputs; an archive is read as a folder of its members. */
#ifndef WEIR_READERS_MEMBERS_H
#define WEIR_READERS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/readers/choice.h"
#include "engine/readers/reader.h"

#define WEIR_MEMBERS_MAX_NESTING 2 /* archives in archives */

struct weir_opened {
	const struct weir_reader *reader; /* NULL: chosen by content */
	size_t threads;                   /* that read one file */
	struct weir_choice *choice;       /* counts the members of an archive */
	bool named; /* the user named the file: it may hold the output of a tool inside other text.
	               A page beside profiles in a folder or an archive is left out instead. */
};

/*
 * Reads the source, whose inputs get the path, and those of members a path below it. *claimed
 * becomes true if a reader claimed the file or a member. Fails without *claimed if no reader knows
 * the file, or no member of an archive. After a failure, inputs of earlier members may be left in
 * the profile.
 */
enum weir_status weir_members_read(const struct weir_opened *how, struct weir_profile *profile,
                                   const char *path, struct weir_source *source, bool *claimed,
                                   struct weir_error *err);

/* Returns a message about a file without "not a profile: ", as a reason to leave the file out. */
const char *weir_members_reason(const char *message);

#endif
