/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of readers, and the choice of a reader for a file. */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/parts/closed.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/tools.h"
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
 * Chooses by the tables of the database, because a schema with many tables is longer than the head.
 * *out stays NULL if the tables cannot be listed (the database is damaged, or being written), and
 * *reason says why: then the head decides. A plain file is opened again; anything else is held by
 * the source.
 */
static enum weir_status choose_by_tables(struct weir_source *source, const struct weir_reader **out,
                                         struct weir_error *reason, struct weir_error *err)
{
	const char *path = weir_source_file(source);
	struct weir_source *again = NULL;
	struct weir_sqldb *db = NULL;
	enum weir_status status = WEIR_OK;
	char *data;
	size_t len;

	if (!path)
		status = weir_source_hold(source, WEIR_SQL_MAX_HELD, &data, &len, err);
	else if (weir_source_open(path, &again, reason))
		return WEIR_OK;
	if (!status && !weir_sqldb_open(again ? again : source, &db, reason))
		status = choose_owner(db, out, err);
	weir_sqldb_close(db);
	weir_source_free(again);
	return status;
}

/* Returns what a reader says about a file that it does not read; NULL: no reader knows it. */
static const char *refuse(const char *head, size_t len)
{
	for (size_t i = 0; i < READERS; i++) {
		const char *refusal = weir_sniff_refusal(weir_readers[i], head, len);

		if (refusal)
			return refusal;
	}
	return NULL;
}

/* Fails for a file that no reader claims, and says what it is. */
static enum weir_status fail_unknown(const struct weir_source *source, const char *head, size_t len,
                                     struct weir_error *err)
{
	const char *closed = weir_closed_describe(head, len, weir_source_name(source));
	const char *refusal = closed ? NULL : refuse(head, len);
	const struct weir_tool *tool = closed || refusal ? NULL : weir_tools_find(head, len);

	if (closed)
		return weir_fail(err, WEIR_E_FORMAT, "cannot be read: %s", closed);
	if (tool)
		return weir_fail(err, WEIR_E_FORMAT, "not a profile: it is %s: %s", tool->what,
		                 tool->advice);
	return weir_fail(err, WEIR_E_FORMAT, "not a profile: %s",
	                 refusal ? refusal : weir_sniff_hint(head, len));
}

bool weir_reader_describes(struct weir_source *source)
{
	struct weir_error ignored = {0};
	const char *head;
	size_t len;

	return !weir_source_head(source, &head, &len, &ignored) && len &&
	       (weir_closed_describe(head, len, weir_source_name(source)) || refuse(head, len) ||
	        weir_tools_find(head, len));
}

enum weir_status weir_reader_choose(struct weir_source *source, const struct weir_reader **out,
                                    struct weir_error *err)
{
	struct weir_error unlisted = {0}; /* the reason why the tables are not known */
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	*out = NULL;
	if (status)
		return status;
	if (!len && weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "nothing in it can be decompressed: %s",
		                 weir_source_damage(source));
	if (!len)
		return weir_fail(err, WEIR_E_EMPTY, "the file is empty");
	if (weir_sqldb_is_store(head, len))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "not a profile: it is a store of baselines: weir gate RUN "
		                 "--baseline NAME --db FILE compares with it, and weir baseline "
		                 "list --db FILE lists it");
	if (weir_sqldb_begins(head, len))
		status = choose_by_tables(source, out, &unlisted, err);
	if (!status)
		status = weir_source_head(source, &head, &len, err);
	if (!status && !*out)
		status = choose_by_head(head, len, out, err);
	if (status)
		return status;
	if (!*out && unlisted.status)
		return weir_fail(err, unlisted.status, "%s", unlisted.message);
	return *out ? WEIR_OK : fail_unknown(source, head, len, err);
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
