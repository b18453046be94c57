/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The content of all inputs of one run. An input has one or more kinds of content; the others are
 * NULL. The profile owns everything reachable from it.
 */
#ifndef WEIR_MODEL_PROFILE_H
#define WEIR_MODEL_PROFILE_H

#include "engine/model/billing.h"
#include "engine/model/counters.h"
#include "engine/model/hostprofile.h"
#include "engine/model/requests.h"
#include "engine/model/run.h"
#include "engine/model/scrape.h"
#include "engine/model/server.h"
#include "engine/model/telemetry.h"
#include "engine/model/trace.h"

/* The compressed content of an input; {0} is empty. engine/part fills and reads it. */
struct weir_packed {
	void *data; /* one zstd frame, owned */
	size_t length;
	uint64_t unpacked; /* bytes of the content */
};

/* Facts about a trace that are needed while it is packed. */
struct weir_trace_facts {
	int64_t rank, world_size; /* as in struct weir_trace */
	int64_t start_ns, end_ns; /* Unix time of its device work or, without any, of its host rows;
	                             equal: not known */
	uint64_t devices;         /* devices that it describes, if it has device work */
};

struct weir_input {
	char *path;         /* path as given by the user */
	char *node;         /* machine that recorded it, as its part states; NULL: not stated */
	const char *format; /* name of the reader that recognised it; static */
	const char *gives;  /* kinds of content, "timeline", "requests"; static */
	const char *tool;   /* program that wrote it, as its reader states; static; NULL: unknown */
	uint64_t bytes;     /* size on disk */
	uint64_t events;    /* elements that were read */
	struct weir_warning warnings[WEIR_WARN_COUNT];
	struct weir_trace *trace; /* a device timeline */
	bool from_part;           /* read from a part: `path` may be on another machine */
	bool elsewhere;           /* `path` names no file: it is in an archive, or on a server */
	/* The trace in packed form, in place of `trace`; or the file of an input from a part,
	 * beside the content that its reader made of it. */
	struct weir_packed packed;
	bool packed_trace;
	struct weir_trace_facts packed_facts; /* set with packed_trace */
	struct weir_run *run;                 /* samples and metrics in the form of a run */
	/* The runs that `run` joins, if each is a repeat of the others under the same conditions;
	 * `next` leads to further ones. NULL: `run` is one run. */
	struct weir_run *repeats;
	struct weir_requests *requests;
	struct weir_server_log *server; /* steps and intervals that a server logged */
	struct weir_telemetry *telemetry;
	struct weir_billing *billing;
	struct weir_counters *counters;
	struct weir_host_profile *host_profile;
	struct weir_scrape
		*scrape; /* the last page of the file; `earlier` leads to the first one */
};

struct weir_profile {
	struct weir_input *inputs;
	size_t input_count, input_capacity;
};

/* Returns true if the input holds a timeline, packed or not. */
bool weir_input_is_timeline(const struct weir_input *input);
/* Returns the facts about its timeline; rank -1 and zeros without one. */
struct weir_trace_facts weir_input_facts(const struct weir_input *input);

/* Frees the contents, but not the input itself. */
void weir_input_release(struct weir_input *input);

struct weir_profile *weir_profile_new(void);
void weir_profile_free(struct weir_profile *profile);
/* Appends an empty input; valid until the next call. The path is copied. */
struct weir_input *weir_profile_add_input(struct weir_profile *profile, const char *path);

/* Returns the rank of the trace of an input; -1: not stated, or the input has no trace. */
int64_t weir_input_rank(const struct weir_input *input);

/* Moves the inputs of `from` to the end of the profile. */
void weir_profile_take(struct weir_profile *profile, struct weir_profile *from);

/* Counts one warning. `at` is a byte offset after decompression (UINT64_MAX: none); detail may be
 * NULL. */
void weir_input_warn(struct weir_input *input, enum weir_warning_code code, uint64_t at,
                     const char *detail);
/* Counts one warning by the program that wrote the file, with the program's own text. The texts of
 * several are kept as far as they have room. */
void weir_input_warn_of_tool(struct weir_input *input, uint64_t at, const char *text);

#endif
