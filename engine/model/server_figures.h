/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of an inference server over time, from its logs and metrics pages:
 * engine/analysis/server computes it, the report shows it. NAN is unknown. Everything lives in the
 * report's arena.
 */
#ifndef WEIR_MODEL_SERVER_FIGURES_H
#define WEIR_MODEL_SERVER_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_MAX_DRAFT_POSITIONS 16
#define WEIR_MAX_WAIT_REASONS    8

/* A gauge over time, each value weighted by the time that it stands for. */
struct weir_gauge_figures {
	double mean, p50, p95, max;
};

enum weir_step_phase {
	WEIR_STEP_DECODE,  /* decodes only */
	WEIR_STEP_MIXED,   /* prompts and decodes in one step */
	WEIR_STEP_PREFILL, /* prompts only */
	WEIR_STEP_PHASE_COUNT
};

/* Steps of one phase. */
struct weir_phase_figures {
	uint64_t count;
	double total_ns, p50_ns, p95_ns;
	double tokens;       /* mean of a step */
	double *duration_ns; /* one per step in order of time; at most WEIR_MAX_STEP_SAMPLES */
	size_t sample_count;
};

#define WEIR_MAX_STEP_SAMPLES 65536

/* One engine (replica) of the server. */
struct weir_engine_figures {
	const char *name;        /* "0"; "": not stated */
	double running, waiting; /* means */
	double kv_p50, kv_peak;  /* share of the KV cache in use */
	double tokens_per_s,
		load; /* load: mean of running + waiting over the median of the others */
	double preemptions;
	uint64_t restarts;
};

struct weir_wait_reason {
	const char *name; /* value of a label: "capacity" */
	double mean;      /* waiting requests */
};

/* Drafts whose token at one position was accepted. */
struct weir_draft_position {
	double accepted; /* share */
};

/* The tokens of a step differ by about one and a half: the mean of fewer steps is uncertain by more
 * than a sixth of a token. */
#define WEIR_SPECULATION_LEAST_DRAFTS 100

struct weir_speculation_figures {
	double drafted, accepted; /* tokens */
	double acceptance;        /* accepted over drafted */
	double accepted_length;   /* mean tokens of a request in a step, the first one included */
	/* Tokens gained over time lost: accepted length times the time of a plain step over that of
	 * a speculative one. 1: speculation changes nothing. Unknown with fewer drafts than
	 * WEIR_SPECULATION_LEAST_DRAFTS. */
	double profit;
	bool estimated; /* the times of steps are not known: their ratio is a model */
	struct weir_draft_position at[WEIR_MAX_DRAFT_POSITIONS]; /* by position in the draft */
	size_t positions;
};

/* Time of the requests around the percentile on the server's time axis; NAN: clocks differ. */
struct weir_joined_figures {
	double covered;    /* share of their time in rows of the server; the next are parts of it */
	double in_mixed;   /* in steps of prompts and decodes */
	double in_kv_wait; /* while requests waited with the KV cache near full */
	double in_preemption; /* in rows with preemptions */
};

struct weir_server_figures {
	const char *product; /* "vLLM"; static */
	bool from_log, from_pages;
	uint64_t moments; /* rows that state running or waiting requests */
	int64_t span_ns;  /* from the first to the last moment; -1: unknown */
	/* Settings of one engine. */
	double max_running, max_step_tokens, kv_tokens, memory_share, draft_tokens, chunked_prefill;

	struct weir_gauge_figures running, waiting,
		kv;              /* requests of all engines; KV: per engine */
	double waiting_share;    /* share of the time with waiting requests */
	double queue_of_latency; /* share of the time of requests that they wait */
	bool queue_of_moments;   /* it is the share of requests that wait in few moments, and at
	                            most queue_limit */
	double queue_limit;      /* mean time to the first token over the mean latency; NAN:
	                            unknown, or queue times are known */
	double kv_full_share;    /* share of the waiting time with the KV cache near full */
	double slots_share;      /* share of the waiting time with all slots taken, and KV room */
	double slot_limit;       /* requests that run at once at most: setting or flat maximum */
	bool slots_inferred;
	double full_steps; /* share of the waiting time in steps that hold max_step_tokens */
	struct weir_wait_reason reasons[WEIR_MAX_WAIT_REASONS];
	size_t reason_count;
	double transfer_waiting; /* mean requests that wait for a transfer of their KV cache */
	double transfer_ns;      /* mean time of such a transfer */
	double transfer_share;   /* of the requests in the server, those that wait for one */
	double transfer_bytes;   /* mean size of a transfer */
	double transfers_failed, transfers_expired; /* expired: nobody fetched the cache in time */
	double external_hit_rate;                   /* of tokens, in caches of other engines */
	double media_hit_rate; /* of images and the like, in the cache of processed inputs */
	/* LoRA adapters with requests, at the last moment, and the most that run at once. */
	double adapters_running, adapters_waiting, adapters_max;

	double requests, prompt_tokens, output_tokens;
	double prompt_tokens_per_s, output_tokens_per_s;
	double preemptions, preemptions_per_thousand;
	double recomputed_share; /* share of computed prompt tokens that preemption repeats;
	                            estimate */
	double hit_rate;         /* of the prefix cache */

	struct weir_phase_figures phases[WEIR_STEP_PHASE_COUNT];
	double prefill_interference; /* share of the time of decodes that prefills add */
	double stall_ratio;          /* time of a step with prompts over a step of decodes only */
	bool interference_estimated; /* from rates, or from gaps between tokens, instead of steps */
	double step_growth;          /* step time for twice the requests, over the step time */
	double throughput_plateau; /* tokens a second while requests wait, over the most of any time
	                            */
	double waiting_growth;     /* mean waiting in the last third of the time less the first */

	struct weir_engine_figures *engines;
	size_t engine_count;
	double imbalance;       /* load of the busiest engine over the median of the others */
	double unbalanced_wait; /* share of the time: its queue waits while another has room */

	struct weir_speculation_figures speculation;
	struct weir_joined_figures joined;
	double joules_per_token;

	/* Irregularities, which notes report. */
	uint64_t restarts, gaps, left_out;
	uint64_t busy_intervals, stalled_intervals; /* with running requests; without a token */
	bool single;                                /* one moment only */
	bool far_apart;                             /* moments more than an hour apart */
	int64_t longest_gap_ns;
};

#endif
