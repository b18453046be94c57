/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log of an inference server (vLLM, SGLang, TensorRT-LLM): one row per step or interval that it
 * reports, and the settings that it prints. Readers fill it and judge nothing. A log owns
 * everything in it.
 *
 * A row is a step of one engine, or an interval over which a line averages. Numbers that a version
 * of the server does not print are unknown (-1 or NAN), never 0.
 */
#ifndef WEIR_MODEL_SERVER_H
#define WEIR_MODEL_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"

#define WEIR_MAX_SERVER_ROWS    (1u << 23) /* further rows are left out and counted */
#define WEIR_MAX_SERVER_ENGINES 1024

enum weir_server_product {
	WEIR_PRODUCT_VLLM,
	WEIR_PRODUCT_SGLANG,
	WEIR_PRODUCT_TRTLLM,
};

enum weir_server_clock {
	WEIR_SERVER_CLOCK_NONE,     /* lines have no time: rows are in order of the file */
	WEIR_SERVER_CLOCK_YEARLESS, /* local time without a year: at_ns counts from 1 January
	                               1972 */
	WEIR_SERVER_CLOCK_LOCAL,    /* local time of an unknown zone, as if it were UTC */
	WEIR_SERVER_CLOCK_UNIX,
};

enum weir_server_kind {
	WEIR_SERVER_STEP,     /* one step (iteration) of an engine; duration_ns is its time */
	WEIR_SERVER_INTERVAL, /* an interval that ends at at_ns: rates are means, gauges those at
	                         its end */
};

/* A row as a reader passes it; begin with weir_server_row_unknown(). */
struct weir_server_row {
	int64_t at_ns; /* end of the step or interval; WEIR_NO_TIME (telemetry.h): not stated */
	int64_t duration_ns; /* -1: not stated */
	uint32_t engine;     /* row of `engines` */
	uint8_t kind;        /* enum weir_server_kind */
	/* Requests and tokens of each phase: in the step; of SGLang, which prints a line for a
	 * batch of prompts and one for several decode steps, in the last batch. -1: not stated. */
	int32_t prefill_requests, prefill_tokens, decode_requests, decode_tokens;
	int32_t cached_tokens;    /* prompt tokens found in the prefix cache; -1 */
	int32_t running, waiting; /* requests; -1 */
	int32_t preempted; /* requests preempted (retracted) since the previous row of the engine;
	                      -1 */
	int32_t drafted, accepted; /* speculative tokens since the previous row of the engine; -1 */
	double kv_usage;           /* share of the KV cache in use; NAN */
	double prompt_rate, decode_rate; /* tokens a second; NAN */
	double accept_length; /* mean tokens of a request in a speculative step, the first one
	                         included; NAN */
	double hit_rate;      /* share of prompt tokens found in the prefix cache; NAN */
};

/* Settings that the server prints at its start, or in the arguments of its command. */
struct weir_server_settings {
	int64_t max_running;     /* vLLM max_num_seqs, SGLang max_running_requests, TensorRT-LLM
	                            max_batch_size; -1: unknown */
	int64_t max_step_tokens; /* max_num_batched_tokens, chunked_prefill_size, max_num_tokens; -1
	                          */
	int64_t kv_tokens;       /* tokens that the KV cache of one engine holds; -1 */
	int64_t draft_tokens;    /* speculative tokens per step; -1 */
	int chunked_prefill;     /* 1: on, 0: off, -1: unknown */
	double memory_share;     /* gpu_memory_utilization, mem_fraction_static,
	                            free_gpu_memory_fraction; NAN */
};

struct weir_server_log {
	enum weir_server_product product;
	enum weir_server_clock clock;
	struct weir_server_settings settings;
	struct weir_server_row *rows; /* in order of the file */
	size_t count, capacity;
	uint64_t left_out; /* rows beyond WEIR_MAX_SERVER_ROWS */
	uint64_t starts;   /* times that the server started within the file; 0: before it */
	struct weir_names *names;
	uint32_t engines[WEIR_MAX_SERVER_ENGINES]; /* name ids in order of first appearance: "0",
	                                              "DP1 TP0"; "" if the lines name none */
	size_t engine_count;
};

struct weir_server_log *weir_server_log_new(enum weir_server_product product);
void weir_server_log_free(struct weir_server_log *log);

/* Returns a row without time, of engine 0, in which everything is unknown. */
struct weir_server_row weir_server_row_unknown(enum weir_server_kind kind);
/* Appends a row, or counts it in left_out. */
void weir_server_log_add(struct weir_server_log *log, const struct weir_server_row *row);
/* Finds or adds an engine; further ones than WEIR_MAX_SERVER_ENGINES share the last row. */
uint32_t weir_server_log_engine(struct weir_server_log *log, const char *name, size_t len);
const char *weir_server_log_engine_name(const struct weir_server_log *log, size_t engine);

#endif
