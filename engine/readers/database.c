/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/readers/database.h"
#include "engine/readers/parts/sniff.h"

/* Databases by a table of theirs, the particular before the general. */
static const struct {
	const char *prefix, *hint;
} known[] = {
	{"META_DATA_EXPORT", "it is an export of Nsight Systems (--input-format nsys)"},
	{"rocpd_info_", "it is a database of rocprofv3 (--input-format rocpd)"},
	{"rocpd_", "it is a database of RPD (rocmProfileData), which is not read: record with "
                   "rocprofv3"},
	{"StringTable", "it is a database of nvprof, which is not read: record with nsys profile, "
                        "and export with nsys export --type sqlite"},
};

const char *weir_database_hint(const struct weir_sqldb *db)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (weir_sqldb_has_prefix(db, known[i].prefix))
			return known[i].hint;
	return "it is a database of another program";
}

int weir_database_sniff(const char *head, size_t len, const char *const *names)
{
	int bits = 0;

	if (!weir_sqldb_begins(head, len))
		return 0;
	for (size_t i = 0; names[i]; i++)
		if (weir_sniff_contains(head, len, names[i]))
			bits += 8 * (int)strlen(names[i]);
	return bits ? bits + 8 * (int)sizeof(WEIR_SQL_MAGIC) : 0;
}

static enum weir_status choose(const struct weir_sqldb *db, const struct weir_reader **out,
                               struct weir_error *err)
{
	for (size_t i = 0; weir_readers[i]; i++) {
		if (!weir_readers[i]->owns || !weir_readers[i]->owns(db))
			continue;
		if (*out)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "a database with tables of %s and of %s: say which with "
			                 "--input-format",
			                 (*out)->name, weir_readers[i]->name);
		*out = weir_readers[i];
	}
	if (*out)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "not a profile: an SQLite database without tables of Nsight Systems or "
	                 "rocprofv3; %s",
	                 weir_database_hint(db));
}

enum weir_status weir_database_choose(const char *path, const struct weir_reader **out,
                                      struct weir_error *err)
{
	struct weir_sqldb *db = NULL;
	struct weir_source *source;
	enum weir_status status = WEIR_OK;

	*out = NULL;
	if (weir_source_open(path, &source, NULL))
		return WEIR_OK;
	if (!weir_sqldb_open(source, &db, NULL))
		status = choose(db, out, err);
	weir_sqldb_close(db);
	weir_source_free(source);
	return status;
}
