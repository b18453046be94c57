/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the members of an archive (tar, zip), and streams that xz or bzip2 compressed, in their
 * order. Nothing is written to disk, and links in an archive are not followed.
 *
 *	status = weir_archive_open(source, &budget, &archive, err);
 *	while (!status && !(status = weir_archive_next(archive, &member, err)) && member.name) {
 *		struct weir_source_supply supply = weir_archive_supply(archive);
 *		... weir_source_open_supply(member.name, &supply, &content, err) ...
 *	}
 *	weir_archive_free(archive);
 */
#ifndef WEIR_BASE_ARCHIVE_H
#define WEIR_BASE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/source.h"

#define WEIR_ARCHIVE_MAX_BYTES   (UINT64_C(1) << 36)    /* unpacked */
#define WEIR_ARCHIVE_MAX_RATIO   WEIR_SOURCE_MAX_RATIO  /* unpacked bytes for a stored byte */
#define WEIR_ARCHIVE_RATIO_FROM  WEIR_SOURCE_RATIO_FROM /* unpacked bytes; fewer are not checked */
#define WEIR_ARCHIVE_MAX_MEMBERS 100000
#define WEIR_ARCHIVE_MAX_NAME    4096u                 /* bytes of the name of a member */
#define WEIR_ARCHIVE_MAX_WINDOW  (UINT64_C(256) << 20) /* bytes that xz looks back */

/* Limits of an archive and of all archives in it, and how much of them is used. */
struct weir_archive_budget {
	const struct weir_source *stored; /* the outermost file; borrowed */
	uint64_t max_bytes, max_ratio, ratio_from, max_members;
	uint64_t bytes, members;
};

/* Returns a budget with the limits above, of which nothing is used. */
struct weir_archive_budget weir_archive_budget_of(const struct weir_source *stored);

/* A member that is no folder. */
struct weir_archive_member {
	const char *name;     /* its path; "" for a compressed stream that holds no archive */
	const char *unusable; /* NULL, or a few words why it has no content: "a link" */
};

struct weir_archive;

/* Returns true if the head begins a tar or zip archive, or a stream of xz or bzip2. */
bool weir_archive_begins(const char *head, size_t len);

/* Opens the archive in a source whose head begins one. Both are borrowed until weir_archive_free(),
 * which the caller calls for *out. Fails with WEIR_E_FORMAT or WEIR_E_LIMIT. */
enum weir_status weir_archive_open(struct weir_source *source, struct weir_archive_budget *budget,
                                   struct weir_archive **out, struct weir_error *err);
void weir_archive_free(struct weir_archive *archive);

/*
 * Goes to the next member, whose texts are borrowed until the next call; its name is NULL at the
 * end. Links, devices, paths that lead out of the archive and encrypted members are unusable. An
 * archive that is damaged ends there, and weir_archive_damage() has the reason. Fails with
 * WEIR_E_FORMAT if it is damaged before its first member, and with WEIR_E_LIMIT beyond the budget.
 */
enum weir_status weir_archive_next(struct weir_archive *archive, struct weir_archive_member *member,
                                   struct weir_error *err);
/* Returns the content of the current member, valid until the next weir_archive_next(). Reading it
 * fails with WEIR_E_LIMIT beyond the budget. */
struct weir_source_supply weir_archive_supply(struct weir_archive *archive);

/* Returns one line about the damage at which the archive ended, or NULL. */
const char *weir_archive_damage(const struct weir_archive *archive);

#endif
