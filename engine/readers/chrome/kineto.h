/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the Kineto reader: kineto.c reads the file, kineto_emit.c its events,
 * kineto_head.c the rest. */
#ifndef WEIR_READERS_CHROME_KINETO_H
#define WEIR_READERS_CHROME_KINETO_H

#include "engine/base/text.h"
#include "engine/readers/chrome/kineto_event.h"
#include "engine/readers/trace/builder.h"

struct kineto_reader;

/* What tells the writers of Chrome's trace events apart. */
struct kineto_dialect {
	const struct weir_keyindex_entry *args;     /* see weir_kineto_keys_init() */
	void (*emit)(struct kineto_reader *reader); /* one event, taken apart */
	/* Behind the last event: checks, and weir_builder_finish(). */
	enum weir_status (*conclude)(struct kineto_reader *reader, struct weir_error *err);
	bool arrays; /* bare arrays may follow each other in one file */
};

struct kineto_reader {
	const struct kineto_dialect *dialect;
	void *context; /* of the dialect */
	struct weir_input *input;
	struct weir_builder *builder;
	struct kineto_keys keys;
	struct weir_keyindex categories, members;
	struct kineto_event event;
	struct weir_text scratch;
	uint64_t timed;            /* events of a known category that had their times */
	uint64_t known;            /* events of a known category */
	uint64_t unpadded, padded; /* fractions of fewer than 3 digits; of 3 that end in 0 */
	bool legacy;               /* written by the profiler before Kineto */
	bool agents;               /* devices may be numbered as HSA agents: ROCm */
	bool head;                 /* members that only the PyTorch profiler writes were met */
	char first_problem[160];   /* with the first event that could not be used */
};

/* Reads a document of trace events: an object with traceEvents, or a bare array of events. */
enum weir_status weir_kineto_read(const struct kineto_dialect *dialect, void *context,
                                  struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err);
/* What is to be said where no event with a time is left. */
enum weir_status weir_kineto_nothing_left(const struct kineto_reader *reader,
                                          struct weir_error *err);
/* Fails where the profiler before Kineto wrote the trace. */
enum weir_status weir_kineto_check_legacy(const struct kineto_reader *reader,
                                          struct weir_error *err);

/* One element of traceEvents, taken apart. */
void weir_kineto_emit(struct kineto_reader *reader);
void weir_kineto_emit_init(struct kineto_reader *reader);

/* Whether the event's category is one of Kineto's. */
bool weir_kineto_knows(const struct kineto_reader *reader);
/* The start, or the interval, of the event; false: it cannot be used, and was counted. */
bool weir_kineto_start(struct kineto_reader *reader, int64_t *start_ns);
bool weir_kineto_times(struct kineto_reader *reader, int64_t *start_ns, int64_t *end_ns);
/* Counts an event that cannot be used; says what was expected, and keeps that of the first one. */
void weir_kineto_refuse(struct kineto_reader *reader, enum weir_warning_code code,
                        const char *expected);
/* Takes the name of a thread, where that is what the event is. */
void weir_kineto_metadata(struct kineto_reader *reader);
/* Whether a head holds a category of Kineto's, or what the profiler before it calls its processes;
 * bits of it. */
int weir_kineto_sniff(const char *head, size_t len);

/* One member of the outermost object. */
void weir_kineto_head_init(struct kineto_reader *reader);
void weir_kineto_head_member(struct kineto_reader *reader, const struct weir_jsonscan_item *item);

/* A text of the event, escapes resolved; borrowed until the next call. */
struct weir_slice weir_kineto_text(struct kineto_reader *reader, enum kineto_key key);

#endif
