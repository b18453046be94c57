/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the log of an inference server line by line, among lines of other programs. A reader brings
 * a function that takes a line, and tables of the fields and settings that it knows:
 *
 *	"Running: 12 reqs, Waiting: 3 reqs"          NAME: VALUE
 *	"iter = 12, states = {'num_ctx_tokens': 7}"  NAME = VALUE, nested or not
 *	"1 context requests, 512 context tokens"     VALUE NAME
 *
 * Colours of a terminal, the time stamps of Docker and Kubernetes, and the JSON lines of Docker are
 * understood. Lines longer than WEIR_CSV_MAX_LINE are skipped and counted.
 */
#ifndef WEIR_READERS_SERVERLOG_LINES_H
#define WEIR_READERS_SERVERLOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"

/* Numbers of a message. The comments name those that become other numbers of a row. */
enum weir_serverlog_slot {
	WEIR_SERVERLOG_PREFILL_REQUESTS,
	WEIR_SERVERLOG_PREFILL_TOKENS,
	WEIR_SERVERLOG_DECODE_REQUESTS,
	WEIR_SERVERLOG_DECODE_TOKENS,
	WEIR_SERVERLOG_CACHED_TOKENS,
	WEIR_SERVERLOG_RUNNING,
	WEIR_SERVERLOG_WAITING,
	WEIR_SERVERLOG_WAITING_TOO, /* added to those that wait */
	WEIR_SERVERLOG_ACTIVE,      /* requests that run or wait in the engine */
	WEIR_SERVERLOG_PREEMPTED,
	WEIR_SERVERLOG_DRAFTED,
	WEIR_SERVERLOG_ACCEPTED,
	WEIR_SERVERLOG_EMITTED,
	WEIR_SERVERLOG_DRAFT_LENGTH, /* speculative tokens of one step */
	WEIR_SERVERLOG_USED_BLOCKS,
	WEIR_SERVERLOG_MAX_BLOCKS,
	WEIR_SERVERLOG_BLOCK_TOKENS,
	WEIR_SERVERLOG_MAX_RUNNING,
	WEIR_SERVERLOG_MAX_STEP_TOKENS,
	WEIR_SERVERLOG_ENGINE, /* number of the engine; slots up to here are whole numbers */
	WEIR_SERVERLOG_KV_USAGE,
	WEIR_SERVERLOG_KV_USAGE_TOO, /* of a second pool: the larger share counts */
	WEIR_SERVERLOG_HIT_RATE,     /* slots from KV_USAGE to here are shares */
	WEIR_SERVERLOG_PROMPT_RATE,
	WEIR_SERVERLOG_DECODE_RATE,
	WEIR_SERVERLOG_ACCEPT_LENGTH,
	WEIR_SERVERLOG_EFFICIENCY,    /* printed beside cumulative numbers of speculation */
	WEIR_SERVERLOG_SLOTS,         /* number of the slots above; those below are no numbers */
	WEIR_SERVERLOG_DURATION,      /* of the step; the first one counts */
	WEIR_SERVERLOG_DURATION_BEST, /* replaces the other one */
	WEIR_SERVERLOG_TIME,
};

struct weir_serverlog_field {
	const char *name;
	enum weir_serverlog_slot slot;
	int places; /* power of ten that makes it a share or nanoseconds: -2 for per cent */
};

/* Settings; a name matches "max_num_seqs=8", "'max_num_seqs': 8" and "--max-num-seqs 8". */
enum weir_serverlog_setting_kind {
	WEIR_SERVERLOG_SET_MAX_RUNNING,
	WEIR_SERVERLOG_SET_STEP_TOKENS,
	WEIR_SERVERLOG_SET_CHUNK, /* tokens of a chunk; not positive: chunks are off */
	WEIR_SERVERLOG_SET_KV_TOKENS,
	WEIR_SERVERLOG_SET_DRAFT_TOKENS,
	WEIR_SERVERLOG_SET_CHUNKED, /* True, False, or an option without a value */
	WEIR_SERVERLOG_SET_SHARE,
};

struct weir_serverlog_setting {
	const char *name;
	enum weir_serverlog_setting_kind kind;
};

/* Numbers of one message: NAN, -1 and empty where it states none. */
struct weir_serverlog_values {
	double number[WEIR_SERVERLOG_SLOTS];
	int64_t duration_ns;
	struct weir_slice time;
};

struct weir_serverlog {
	struct weir_input *input;
	struct weir_server_log *log; /* of the input */
	uint64_t at;                 /* byte of the line */
	struct weir_slice line;      /* without colours */
	bool booting;                /* the server started, and no row came since */
	bool daily;                 /* times have no date: at_ns counts from their first midnight */
	int64_t last_ns, offset_ns; /* of times without a year or a date */
	uint64_t totals[4];         /* cumulative numbers of the reader since the start */
	bool known[4];
	size_t last_interval;                     /* its row and 1; 0: none */
	size_t last_row[WEIR_MAX_SERVER_ENGINES]; /* of each engine, and 1; 0: none */
	int32_t pending[WEIR_MAX_SERVER_ENGINES]; /* preemptions since its last row */
	struct weir_text bare;                    /* of a line with colours */
};

struct weir_serverlog_format {
	enum weir_server_product product;
	void (*take)(struct weir_serverlog *reading, struct weir_slice line);
	const char *missing; /* the option that makes the server print such lines */
};

/* Reads the whole source into the input. Fails if no line became a row. */
enum weir_status weir_serverlog_read(const struct weir_serverlog_format *format,
                                     struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err);

/* Takes the fields of a message by their names; counts malformed ones as warnings. Tables end with
 * a NULL name. */
void weir_serverlog_take_fields(struct weir_serverlog *reading, struct weir_slice message,
                                const struct weir_serverlog_field *fields,
                                struct weir_serverlog_values *values);
/* Takes the settings that the line states, if it holds one of the texts (NULL-terminated). Returns
 * whether it does. */
bool weir_serverlog_take_settings(struct weir_serverlog *reading, struct weir_slice line,
                                  const char *const *texts,
                                  const struct weir_serverlog_setting *settings);
/* Adds a row of an engine; its time is the one in the message, else the one of the line. */
void weir_serverlog_add(struct weir_serverlog *reading, const struct weir_serverlog_values *values,
                        enum weir_server_kind kind, uint32_t engine);
/* Counts a start of the server, unless it is starting already. */
void weir_serverlog_start(struct weir_serverlog *reading);
/* Counts preemptions for the next row of an engine. */
void weir_serverlog_preempt(struct weir_serverlog *reading, uint32_t engine, int64_t count);
/* Returns the increase of a cumulative number; -1 if its previous value is unknown. `which` is an
 * index of `totals`. */
int64_t weir_serverlog_increase(struct weir_serverlog *reading, size_t which, double total);
/* Returns the whole number behind a text, with or without commas; -1 if no number follows. */
int64_t weir_serverlog_number_behind(struct weir_slice line, const char *text);

/* Returns the bits of those texts (NULL-terminated) that the head holds; 0 if it is a JSON
 * document, a web page or the output of a benchmark. */
int weir_serverlog_sniff(const char *head, size_t len, const char *const *texts);

#endif
