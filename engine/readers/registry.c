/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of readers, and the choice of a reader for a file. */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/sql/sqldb.h"

const struct weir_reader *const weir_readers[] = {
#define READER(name, sample) &weir_reader_##name,
#include "engine/readers/readers.def"
#undef READER
	NULL,
};

#define READERS (sizeof(weir_readers) / sizeof(weir_readers[0]) - 1)

static enum weir_status fail_rivals(const struct weir_reader *a, const struct weir_reader *b,
                                    struct weir_error *err)
{
	return weir_fail(err, WEIR_E_FORMAT,
	                 "looks like %s and like %s: choose one with --input-format", a->name,
	                 b->name);
}

/* Chooses by the head alone; *out stays NULL if no reader claims it. */
static enum weir_status choose_by_head(const char *head, size_t len, const struct weir_reader **out,
                                       struct weir_error *err)
{
	const struct weir_reader *rival = NULL;
	int best = 0;

	for (size_t i = 0; i < READERS; i++) {
		int bits = weir_sniff_reader(weir_readers[i], head, len);

		if (bits > best) {
			best = bits;
			*out = weir_readers[i];
			rival = NULL;
		} else if (bits && bits == best) {
			rival = weir_readers[i];
		}
	}
	return rival ? fail_rivals(*out, rival, err) : WEIR_OK;
}

static enum weir_status choose_owner(const struct weir_sqldb *db, const struct weir_reader **out,
                                     struct weir_error *err)
{
	for (size_t i = 0; i < READERS; i++) {
		if (!weir_readers[i]->owns || !weir_readers[i]->owns(db))
			continue;
		if (*out)
			return fail_rivals(*out, weir_readers[i], err);
		*out = weir_readers[i];
	}
	if (*out)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "not a profile: an SQLite database without tables of " WEIR_SQL_PROFILERS
	                 "; %s",
	                 weir_sqldb_hint(db));
}

/*
 * Chooses by the tables of the database in this file, because a schema with many tables is longer
 * than the head. *out stays NULL if the tables cannot be listed (the database is damaged, or being
 * written): then the head decides.
 */
static enum weir_status choose_by_tables(const char *path, const struct weir_reader **out,
                                         struct weir_error *err)
{
	struct weir_sqldb *db = NULL;
	struct weir_source *source;
	enum weir_status status = WEIR_OK;

	if (weir_source_open(path, &source, NULL))
		return WEIR_OK;
	if (!weir_sqldb_open(source, &db, NULL))
		status = choose_owner(db, out, err);
	weir_sqldb_close(db);
	weir_source_free(source);
	return status;
}

static const char *describe(const char *head, size_t len)
{
	for (size_t i = 0; i < READERS; i++) {
		const char *refusal = weir_sniff_refusal(weir_readers[i], head, len);

		if (refusal)
			return refusal;
	}
	return weir_sniff_hint(head, len);
}

enum weir_status weir_reader_choose(struct weir_source *source, const struct weir_reader **out,
                                    struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*out = NULL;
	if (status)
		return status;
	if (!len)
		return weir_fail(err, WEIR_E_EMPTY, "the file is empty");
	if (weir_sqldb_begins(head, len) && weir_source_file(source))
		status = choose_by_tables(weir_source_file(source), out, err);
	if (!status && !*out)
		status = choose_by_head(head, len, out, err);
	if (status)
		return status;
	if (!*out)
		return weir_fail(err, WEIR_E_FORMAT, "not a profile: %s", describe(head, len));
	return WEIR_OK;
}

enum weir_status weir_reader_find(const char *name, const struct weir_reader **out,
                                  struct weir_error *err)
{
	const char *names[READERS + 1] = {NULL}, *nearest;

	*out = NULL;
	for (size_t i = 0; i < READERS; i++) {
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
