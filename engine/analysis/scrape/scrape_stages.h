/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stages and load of a server from its metrics pages: differences between two pages, or the counts
 * of one page since its server started. Replicas and engines are added up; if several models or
 * servers were active, each has its own stages.
 */
#ifndef WEIR_ANALYSIS_SCRAPE_SCRAPE_STAGES_H
#define WEIR_ANALYSIS_SCRAPE_SCRAPE_STAGES_H

#include "engine/analysis/scrape/scrape_gather.h"
#include "engine/model/profile.h"
#include "engine/model/settings.h"

enum weir_scrape_level {
	WEIR_LEVEL_P50,
	WEIR_LEVEL_P90,
	WEIR_LEVEL_P95,
	WEIR_LEVEL_P99,
	WEIR_LEVEL_COUNT
};

/* An interval of p95 wider than this share of the estimate says too little. */
#define WEIR_RESOLUTION_LIMIT 0.5

struct weir_scrape_stage {
	char *name;       /* "queue", "MODEL/queue" */
	const char *kind; /* static, or from the settings */
	double count, total_ns, mean_ns;
	struct weir_quantile_estimate
		at[WEIR_LEVEL_COUNT]; /* nanoseconds; NAN: only the mean is known. The
	                                 estimate alone is NAN beyond the last bound. */
	/* As in struct weir_stalls, and the least value of p99, also if each observation is the
	 * mean of several; NAN: unknown. */
	double usual_ns, stalled, long_ns;
	size_t occupied;         /* buckets with observations */
	bool smoothed;           /* each observation is the mean of several: without percentiles */
	bool approximate;        /* a difference of means over slightly different requests */
	bool whole_request;      /* from arrival to response */
	bool first_token;        /* from arrival to the first token (TTFT) */
	bool resolution_limited; /* the interval of p95 exceeds WEIR_RESOLUTION_LIMIT */
};

/* A model of Triton that executes batches. */
struct weir_scrape_batch {
	char *model;
	double size; /* mean: inferences over executions */
};

struct weir_scrape_figures {
	struct weir_scrape_stage *stages;
	size_t stage_count;
	const char *server; /* "vLLM"; static; NULL: none was active, or several */
	struct weir_scrape_findings findings;
	int64_t wall_ns; /* -1: unknown */
	/* Totals over all models; NAN: not given. */
	double requests, failed, aborted, prompt_tokens, generation_tokens, preemptions;
	double prompt_ns, generation_ns; /* time of these tokens, added over requests */
	double cache_hit_rate, batch_size, step_tokens;
	double running, waiting, cache_usage; /* means over the pages, two at most */
	struct weir_scrape_moments running_at, waiting_at, cache_usage_at, cache_tokens_at;
	struct weir_scrape_moments generation_rate_at;
	double inferences; /* NAN: not given, or requests are counted */
	struct weir_scrape_batch *batches;
	size_t batch_count;
	/* TensorRT-LLM behind Triton forms the batches in its engine, so that those of Triton are
	 * left out. NAN: the pages do not state these figures. */
	bool engine_batches;
	double engine_steps, cache_blocks;
	bool ensembles; /* requests of ensembles are counted once, not at each step */
};

/* The servers whose metrics are known, for messages. */
#define WEIR_KNOWN_SERVERS                                                                         \
	"vLLM, SGLang, TensorRT-LLM, TGI, LMDeploy, NIM, llama.cpp, Dynamo, Triton or "            \
	"OpenTelemetry's generative AI"

/* Fills `out`; release it. Returns false if no page holds a metric of a known server; *out is empty
 * then. */
bool weir_scrape_figures_collect(const struct weir_profile *profile,
                                 const struct weir_stage_aliases *aliases,
                                 struct weir_scrape_figures *out);
void weir_scrape_figures_release(struct weir_scrape_figures *figures);

#endif
