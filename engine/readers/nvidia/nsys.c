/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SQLite exports of Nsight Systems (nsys export --type sqlite), of every schema: tables and columns
 * are asked for by name, and each may be missing. */
#include <inttypes.h>

#include "engine/readers/nvidia/nsys.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

/* In order: what numbers mean comes before the rows that carry them, and calls before the work that
 * they launch. */
static const struct nsys_table *const tables[] = {
	&weir_nsys_export,       &weir_nsys_start,        &weir_nsys_system,
	&weir_nsys_gpus,         &weir_nsys_ordinals,     &weir_nsys_copy_kinds,
	&weir_nsys_memory_kinds, &weir_nsys_sync_kinds,   &weir_nsys_diagnostics,
	&weir_nsys_threads,      &weir_nsys_calls,        &weir_nsys_ranges,
	&weir_nsys_system_calls, &weir_nsys_overhead,     &weir_nsys_cupti_overhead,
	&weir_nsys_kernels,      &weir_nsys_copies,       &weir_nsys_sets,
	&weir_nsys_graphs,       &weir_nsys_syncs,        &weir_nsys_memory_operations,
	&weir_nsys_memory,       &weir_nsys_metric_names, &weir_nsys_metrics,
};

/* For databases of which only the head can be seen; else owns() decides. */
static const struct weir_mark marks[] = {
	{.first = "S",
         .texts = {{WEIR_SQL_MAGIC, "CUPTI_ACTIVITY_KIND_", "META_DATA_EXPORT"},
                   .all = 1,
                   .any = 2}},
	{.first = "S",
         .texts = {{WEIR_SQL_MAGIC}, .all = 1},
         .refusal = "it is an SQLite database that shows no table of " WEIR_SQL_PROFILERS},
	{0},
};

static bool owns(const struct weir_sqldb *db)
{
	return weir_sqldb_has(db, "META_DATA_EXPORT") ||
	       (weir_sqldb_has(db, "StringIds") &&
	        (weir_sqldb_has(db, "CUPTI_ACTIVITY_KIND_RUNTIME") ||
	         weir_sqldb_has(db, "CUPTI_ACTIVITY_KIND_KERNEL")));
}

static enum weir_status identify(const struct weir_sqldb *db, struct weir_error *err)
{
	return owns(db) ? WEIR_OK
	                : weir_fail(err, WEIR_E_FORMAT,
	                            "no tables of Nsight Systems (META_DATA_EXPORT, "
	                            "CUPTI_ACTIVITY_KIND_RUNTIME with StringIds): %s",
	                            weir_sqldb_hint(db));
}

static enum weir_status read_table(struct nsys_reader *reader, const struct nsys_table *table)
{
	struct weir_sqlscan scan;
	bool more;
	enum weir_status status =
		weir_sqlscan_open(&scan, reader->db, table->name, table->columns, reader->err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, reader->err)) && more) {
		reader->input->events += table->events;
		table->take(reader, &scan);
		status = reader->status;
	}
	weir_sqlscan_close(&scan);
	return status;
}

static enum weir_status read_tables(struct nsys_reader *reader)
{
	enum weir_status status = identify(reader->db, reader->err);

	if (!status)
		status = weir_sqlnames_open(&reader->names, reader->db, "StringIds", "id", "value",
		                            reader->err);
	for (size_t i = 0; !status && i < sizeof(tables) / sizeof(tables[0]); i++)
		status = read_table(reader, tables[i]);
	if (!status) {
		weir_nsys_metrics_finish(reader);
		status = reader->status;
	}
	return status;
}

static enum weir_status conclude(struct nsys_reader *reader)
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
	                 "no CUDA call, no device work and no NVTX range was recorded (%" PRIu64
	                 " warnings of the profiler in DIAGNOSTIC_EVENT may say why): record with "
	                 "nsys profile --trace=cuda,nvtx,osrt",
	                 reader->diagnosed);
}

static enum weir_status read_export(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct nsys_reader reader = {.input = input, .err = err};
	enum weir_status status = weir_sqldb_open(source, &reader.db, err);

	if (status)
		return status;
	reader.builder = weir_builder_new(input);
	weir_nsys_kinds_init(&reader);
	status = read_tables(&reader);
	if (!status)
		status = conclude(&reader);
	weir_nsys_release(&reader);
	weir_builder_free(reader.builder);
	weir_sqldb_close(reader.db);
	return status;
}

const struct weir_reader weir_reader_nsys = {
	.name = "nsys",
	.title = "Nsight Systems SQLite exports (nsys export --type sqlite), device metrics "
		 "included",
	.gives = "timeline",
	.marks = marks,
	.owns = owns,
	.read = read_export,
};
