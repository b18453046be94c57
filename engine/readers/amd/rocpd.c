/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Databases of AMD's rocprofv3 (rocpd), of schemas 3 and 4: tables and columns are asked for by
 * name, and each may be missing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/readers/amd/rocpd.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

/* A table that every run has; what follows in its name is what the run's other tables end in. */
static const char anchor[] = "rocpd_info_agent";

/* For databases of which only the head can be seen; else owns() decides. */
static const struct weir_mark marks[] = {
	{.first = "S",
         .texts = {{WEIR_SQL_MAGIC, "rocpd_info_agent", "rocpd_kernel_dispatch"},
                   .all = 1,
                   .any = 2}},
	{0},
};

static bool owns(const struct weir_sqldb *db)
{
	return weir_sqldb_has_prefix(db, anchor);
}

/* The name of a set's tables goes into queries. */
static bool is_suffix(const char *text)
{
	return text[strspn(text,
	                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] ==
	       '\0';
}

static const char *const metadata_columns[] = {"tag", "value", NULL};

/* Tables without a GUID in their names are those of one run. */
static enum weir_status read_metadata(struct rocpd_reader *reader)
{
	const bool plain = !*reader->set.suffix;
	struct weir_text table = {0};
	struct weir_sqlscan scan;
	size_t runs = 0;
	bool more;
	enum weir_status status = weir_sqlscan_open(
		&scan, reader->db, weir_rocpd_table(&reader->set, "rocpd_metadata", &table),
		metadata_columns, reader->err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) && more) {
		struct weir_slice tag = weir_sqlscan_text(&scan, 0);

		runs += weir_slice_equals(tag, "guid");
		if (weir_slice_equals(tag, "schema_version"))
			weir_builder_add_label(reader->builder,
			                       weir_slice_of("rocpd_schema_version"),
			                       weir_sqlscan_text(&scan, 1));
	}
	weir_sqlscan_close(&scan);
	weir_text_release(&table);
	if (!status && plain && runs > 1)
		status = weir_fail(reader->err, WEIR_E_FORMAT,
		                   "%zu runs in one set of tables, whose ids mean something else "
		                   "in each: pass the database of each run",
		                   runs);
	return status;
}

static enum weir_status read_set(struct rocpd_reader *reader, const char *suffix)
{
	enum weir_status status = weir_rocpd_set_open(reader, suffix);

	if (!status)
		status = read_metadata(reader);
	if (!status)
		status = weir_rocpd_set_read(reader);
	weir_rocpd_set_close(&reader->set);
	return status;
}

static enum weir_status read_sets(struct rocpd_reader *reader)
{
	enum weir_status status = WEIR_OK;
	const char *table;

	if (!owns(reader->db))
		return weir_fail(reader->err, WEIR_E_FORMAT,
		                 "no tables of rocprofv3 (rocpd_info_agent_GUID): %s",
		                 weir_sqldb_hint(reader->db));
	for (size_t i = 0; !status && (table = weir_sqldb_table(reader->db, i)); i++) {
		const char *suffix = table + sizeof(anchor) - 1;

		if (strncasecmp(table, anchor, sizeof(anchor) - 1) == 0 && is_suffix(suffix))
			status = read_set(reader, suffix);
	}
	return status;
}

static enum weir_status conclude(struct rocpd_reader *reader)
{
	if (reader->timed) {
		weir_allocations_finish(&reader->allocations, reader->builder);
		return weir_builder_finish(reader->builder, reader->err);
	}
	if (reader->input->events)
		return weir_fail(reader->err, WEIR_E_EMPTY,
		                 "none of its %" PRIu64 " rows has a usable time",
		                 reader->input->events);
	return weir_fail(reader->err, WEIR_E_EMPTY,
	                 "no kernel, no copy and no call was recorded: run rocprofv3 with "
	                 "--kernel-trace, --memory-copy-trace, --hip-trace and --marker-trace");
}

static enum weir_status read_database(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct rocpd_reader reader = {.input = input, .err = err};
	enum weir_status status = weir_sqldb_open(source, &reader.db, err);

	if (status)
		return status;
	reader.builder = weir_builder_new(input);
	status = read_sets(&reader);
	if (!status)
		status = conclude(&reader);
	weir_allocations_release(&reader.allocations);
	weir_builder_free(reader.builder);
	weir_sqldb_close(reader.db);
	weir_text_release(&reader.scratch);
	weir_text_release(&reader.decoded);
	free(reader.nodes);
	return status;
}

const struct weir_reader weir_reader_rocpd = {
	.name = "rocpd",
	.title = "databases of AMD's rocprofv3 (rocpd): kernels, copies, calls, markers, "
		 "allocations",
	.gives = "timeline",
	.marks = marks,
	.owns = owns,
	.read = read_database,
};
