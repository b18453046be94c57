/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of the metrics of inference servers: a table with one row per metric. Names change
 * between versions, so old and new names stand side by side. Bucket bounds are never assumed. */
#ifndef WEIR_ANALYSIS_SCRAPE_SCRAPE_METRICS_H
#define WEIR_ANALYSIS_SCRAPE_SCRAPE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/scrape.h"

enum weir_server {
	WEIR_SERVER_TRITON,
	WEIR_SERVER_VLLM,
	WEIR_SERVER_SGLANG,
	WEIR_SERVER_LMDEPLOY,
	WEIR_SERVER_TGI,
	WEIR_SERVER_TRTLLM, /* trtllm-serve; behind Triton its names are Triton's */
	WEIR_SERVER_LLAMACPP,
	WEIR_SERVER_DYNAMO, /* the frontend of several engines */
	WEIR_SERVER_GENAI,  /* OpenTelemetry's names, of any server */
	WEIR_SERVER_NIM,    /* names without a prefix */
	WEIR_SERVER_COUNT
};

enum weir_scraped {
	/* Running totals, added over series. */
	WEIR_SCRAPED_REQUESTS,
	WEIR_SCRAPED_FAILED,
	WEIR_SCRAPED_ABORTED, /* by the client; they may count among the requests */
	WEIR_SCRAPED_PROMPT_TOKENS,
	WEIR_SCRAPED_GENERATION_TOKENS,
	WEIR_SCRAPED_PREEMPTIONS,
	WEIR_SCRAPED_CACHE_QUERIES, /* tokens looked up in the prefix cache */
	WEIR_SCRAPED_CACHE_HITS,
	WEIR_SCRAPED_INFERENCES, /* Triton: sum of batch sizes, and number of executions */
	WEIR_SCRAPED_EXECUTIONS,
	WEIR_SCRAPED_RESPONSE_HITS, /* Triton: requests answered from its response cache */
	WEIR_SCRAPED_REQUEST_NS,    /* Triton: summed over requests */
	WEIR_SCRAPED_QUEUE_NS,
	WEIR_SCRAPED_INPUT_NS,
	WEIR_SCRAPED_INFER_NS,
	WEIR_SCRAPED_OUTPUT_NS,
	WEIR_SCRAPED_DRAFTS,  /* speculative decoding: steps of a request with drafted tokens */
	WEIR_SCRAPED_DRAFTED, /* drafted and accepted tokens */
	WEIR_SCRAPED_ACCEPTED,
	WEIR_SCRAPED_ACCEPTED_AT,      /* accepted tokens by position in the draft */
	WEIR_SCRAPED_EXTERNAL_QUERIES, /* tokens looked up in caches of other engines */
	WEIR_SCRAPED_EXTERNAL_HITS,
	WEIR_SCRAPED_MEDIA_QUERIES, /* images and the like looked up in their cache */
	WEIR_SCRAPED_MEDIA_HITS,
	WEIR_SCRAPED_TRANSFERS_FAILED,  /* transfers of KV caches */
	WEIR_SCRAPED_TRANSFERS_EXPIRED, /* caches that nobody fetched in time */
	WEIR_SCRAPED_PROMPT_NS,         /* llama.cpp: time of prompts, and of generated tokens */
	WEIR_SCRAPED_GENERATION_NS,
	WEIR_SCRAPED_ENGINE_STEPS, /* TensorRT-LLM behind Triton: iterations of its engine */
	WEIR_SCRAPED_TOTALS,       /* number of running totals */
	/* Gauges: values at one moment. */
	WEIR_SCRAPED_RUNNING = WEIR_SCRAPED_TOTALS,
	WEIR_SCRAPED_WAITING,
	WEIR_SCRAPED_CACHE_USAGE,       /* share of the KV cache in use */
	WEIR_SCRAPED_CACHE_HIT_RATE,    /* share of the prefix cache, where no total states it */
	WEIR_SCRAPED_GENERATION_RATE,   /* tokens/s of one instant, not a mean */
	WEIR_SCRAPED_CACHE_BLOCKS_USED, /* instead of the share */
	WEIR_SCRAPED_CACHE_BLOCKS,
	WEIR_SCRAPED_WAITING_FOR,      /* waiting requests by reason */
	WEIR_SCRAPED_TRANSFER_WAITING, /* requests that wait for a transfer of their KV cache */
	WEIR_SCRAPED_ACCEPT_LENGTH,
	WEIR_SCRAPED_CACHE_TOKENS,      /* tokens that the KV cache holds */
	WEIR_SCRAPED_CACHE_TOKENS_USED, /* tokens in the KV cache */
	WEIR_SCRAPED_MAX_RUNNING,
	WEIR_SCRAPED_CACHE_CONFIG, /* labels state the size of the KV cache */
	WEIR_SCRAPED_ADAPTERS,     /* labels state the LoRA adapters; the value is a time */
	WEIR_SCRAPED_SCALARS,      /* number of totals and gauges */
	/* Histograms and summaries. */
	WEIR_SCRAPED_STAGE = WEIR_SCRAPED_SCALARS,
	WEIR_SCRAPED_BATCH_SIZE,
	WEIR_SCRAPED_STEP_TOKENS, /* tokens in one step of the engine */
	WEIR_SCRAPED_TRANSFER,    /* transfers of KV caches between engines */
	WEIR_SCRAPED_TRANSFER_BYTES,
	WEIR_SCRAPED_PROMPT_LENGTH, /* tokens of a request, where no total counts them */
	WEIR_SCRAPED_ANSWER_LENGTH,
};

/* Names of the labels that distinguish engines and replicas. */
#define WEIR_SCRAPED_IDENTITIES                                                                    \
	"model_name", "model", "engine", "dp_rank", "engine_type", "instance", "pod", "replica",   \
		"worker_id"

struct weir_scraped_row {
	enum weir_server server;
	const char *name; /* without the server's prefix and a counter's "_total" */
	enum weir_scraped metric;
	double scale;            /* to nanoseconds, or 1 */
	const char *stage;       /* NULL: the metric is no stage */
	const char *kind;        /* kind of the stage; NULL: derived from its name */
	const char *stage_label; /* label whose value names the stage; NULL: none */
	/* The row holds for series with this value of the label only; NULL: for all. Rows of one
	 * name follow each other. */
	const char *label, *label_value;
	const char *reason; /* what the requests of this row wait for; NULL: a label names it */
	bool smoothed; /* each observation is a mean of several: only the overall mean is exact */
};

/* Finds the row of a metric; NULL: no metric of a known server. `len` excludes the "_total" of a
 * counter. */
const struct weir_scraped_row *weir_scraped_find(const char *name, size_t len);
/* Returns the first row of a family; NULL: no metric of a known server. "_total" is removed only
 * for rows that count up: a gauge does not have it. */
const struct weir_scraped_row *weir_scraped_of_family(const struct weir_scrape *page,
                                                      uint32_t family);
/*
 * Returns the row, of those of the family, that a series counts for. NULL: the series is not used,
 * because its kind is of no interest, because it states what another series states as well (the
 * ranks above 0 of an engine), or because it is a part of a sum that is a series, too: the one with
 * the same labels but one.
 */
const struct weir_scraped_row *weir_scraped_of_series(const struct weir_scraped_row *family,
                                                      const struct weir_scrape *page,
                                                      uint32_t series);
const char *weir_server_name(enum weir_server server); /* "vLLM" */

#endif
