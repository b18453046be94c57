/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the Kineto reader: kineto.c reads the file, kineto_emit.c its events,
 * kineto_head.c the rest. */
#ifndef WEIR_READERS_KINETO_H
#define WEIR_READERS_KINETO_H

#include "engine/base/text.h"
#include "engine/readers/builder.h"
#include "engine/readers/kineto_event.h"

struct kineto_reader {
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

/* One element of traceEvents, taken apart. */
void weir_kineto_emit(struct kineto_reader *reader);
void weir_kineto_emit_init(struct kineto_reader *reader);

/* One member of the outermost object. */
void weir_kineto_head_init(struct kineto_reader *reader);
void weir_kineto_head_member(struct kineto_reader *reader, const struct weir_jsonscan_item *item);

/* A text of the event, escapes resolved; borrowed until the next call. */
struct weir_slice weir_kineto_text(struct kineto_reader *reader, enum kineto_key key);

#endif
