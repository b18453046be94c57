/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What metrics pages say of the stages of a server and of its load: differences of two pages, or
 * what one counts since its server started. Replicas and engines are added; models, where several
 * were at work, are kept apart.
 */
#ifndef WEIR_ANALYSIS_SCRAPE_STAGES_H
#define WEIR_ANALYSIS_SCRAPE_STAGES_H

#include "engine/analysis/scrape/scrape_delta.h"
#include "engine/model/profile.h"
#include "engine/model/settings.h"

enum weir_scrape_level {
	WEIR_LEVEL_P50,
	WEIR_LEVEL_P90,
	WEIR_LEVEL_P95,
	WEIR_LEVEL_P99,
	WEIR_LEVEL_COUNT
};

/* Wider than so much of the estimate, an interval of p95 says too little. */
#define WEIR_RESOLUTION_LIMIT 0.5

struct weir_scrape_stage {
	char *name;       /* "queue", "MODEL/queue" */
	const char *kind; /* static, or of the settings */
	double count, total_ns, mean_ns;
	struct weir_quantile_estimate at[WEIR_LEVEL_COUNT]; /* nanoseconds; NAN: means only */
	bool approximate;   /* a difference of means over requests that are not quite the same */
	bool whole_request; /* from arrival to response */
	bool first_token;   /* from arrival to the first token */
	bool resolution_limited; /* p95 is not known better than by half of itself */
};

/* How often something was found. */
struct weir_scrape_findings {
	size_t resets, new_series, forced, unaligned, inconsistent, absurd_summaries, limited;
	size_t broken_sums; /* models whose prefill and decode are not their inference */
	double largest_dip;
	bool one_page; /* counted since the server started */
};

struct weir_scrape_figures {
	struct weir_scrape_stage *stages;
	size_t stage_count;
	struct weir_scrape_findings findings;
	int64_t wall_ns; /* -1: not known */
	/* NAN: not given. Of all models. */
	double requests, failed, prompt_tokens, generation_tokens, preemptions;
	double cache_hit_rate, batch_size, step_tokens;
	double running, waiting, cache_usage; /* means of the pages, two at most */
};

/* False: no page holds a metric of a server that is known; *out is empty then. Release it. */
bool weir_scrape_figures_collect(const struct weir_profile *profile,
                                 const struct weir_stage_aliases *aliases,
                                 struct weir_scrape_figures *out);
void weir_scrape_figures_release(struct weir_scrape_figures *figures);

#endif
