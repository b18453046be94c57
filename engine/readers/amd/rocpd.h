/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the files of the reader of rocpd databases: rocpd.c opens the database and goes over
 * its sets of tables; rocpd_set.c knows what the rows of a set refer to; rocpd_rows.c takes the
 * rows.
 *
 * Each run has a set of tables whose names end in its GUID; a merged database has several, and ids
 * mean something within their set only. Up to schema 3 a row says itself when and where it
 * happened, from 4 on it refers to a track and to two time stamps. Views are never run.
 */
#ifndef WEIR_READERS_AMD_ROCPD_H
#define WEIR_READERS_AMD_ROCPD_H

#include "engine/base/text.h"
#include "engine/readers/sql/sqlindex.h"
#include "engine/readers/trace/allocations.h"
#include "engine/readers/trace/builder.h"

#define ROCPD_MAX_AGENTS 4096 /* of a set */
#define ROCPD_MAX_NODES  1024 /* of a database */

struct rocpd_agent {
	int64_t id;     /* of its row */
	int64_t device; /* in the trace; -1: not a GPU */
};

/* What rows of one set refer to; closed with weir_weir_rocpd_set_close(). */
struct rocpd_set {
	const char *suffix;          /* of its tables' names; borrowed from the database */
	struct weir_sqlnames names;  /* rocpd_string */
	struct weir_sqlnames kinds;  /* what events are: of the categories' own table */
	bool has_kinds;              /* else `names` holds them */
	struct weir_sqlnames titles; /* of kernels, as people read them */
	struct weir_sqlnames symbols;
	struct weir_sqltexts *messages; /* of events, as JSON */
	struct weir_sqlindex processes, threads, tracks, stamps, events;
	struct rocpd_agent *agents;
	size_t agent_count, agent_capacity;
	int64_t node;          /* its place in the database */
	int64_t first_process; /* processes of the sets before */
};

struct rocpd_reader {
	struct weir_input *input;
	struct weir_builder *builder;
	struct weir_sqldb *db;
	struct weir_error *err;  /* why `status` is not WEIR_OK */
	enum weir_status status; /* of looking up what a row refers to */
	struct rocpd_set set;    /* at hand */
	struct weir_allocations allocations;
	struct weir_text scratch, decoded;
	int64_t *nodes; /* their hashes, in order of appearance */
	size_t node_count, node_capacity;
	uint64_t timed;
};

/* Opens what the rows of a set refer to and describes its agents as devices. Close it also where
 * this fails. */
enum weir_status weir_rocpd_set_open(struct rocpd_reader *reader, const char *suffix);
void weir_rocpd_set_close(struct rocpd_set *set);

/* The rows of the set's tables, into the builder. */
enum weir_status weir_rocpd_set_read(struct rocpd_reader *reader);

/* The name of a table of the set, in `text`. */
const char *weir_rocpd_table(const struct rocpd_set *set, const char *table,
                             struct weir_text *text);
/* Its place among the processes of the database, from the number of its row. */
int64_t weir_rocpd_process(const struct rocpd_set *set, int64_t row);
/* The device of an agent; -1: not a GPU, or not known. */
int64_t weir_rocpd_device(const struct rocpd_set *set, int64_t agent);
/* The text that an event's JSON calls "message", borrowed until the next call; empty: none. */
struct weir_slice weir_rocpd_message(struct rocpd_reader *reader, int64_t event);

#endif
