/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses the annotations of a program: a step of the main loop, a stage of the work, or neither.
 * Knows the grammars of the PyTorch profiler (ProfilerStep#N), vLLM
 * (execute_context_..._generation_...), SGLang (step[DECODE bs=32]), ATOM (prefill[bs=2 ...]) and
 * diffusion servers. Any other name is a stage that the user has named, without its counter.
 */
#ifndef WEIR_ANALYSIS_NAMES_STAGES_H
#define WEIR_ANALYSIS_NAMES_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/settings.h"

enum weir_stage_role {
	/* Collectives, compiled graphs, the profiler, graph capture: not a stage. */
	WEIR_ROLE_IGNORED,
	WEIR_ROLE_STEP,       /* one iteration of the loop around the stages */
	WEIR_ROLE_STEP_STAGE, /* an iteration that is also a stage */
	WEIR_ROLE_STAGE,
};

#define WEIR_STAGE_NAME_MAX 128

struct weir_stage_name {
	enum weir_stage_role role;
	char name[WEIR_STAGE_NAME_MAX]; /* "decode"; long names end in "..." */
	const char *kind;               /* "compute", "preprocess", ... "other"; static */
	int64_t rows;                   /* requests in the batch; -1: not stated */
	int64_t padded_rows;            /* rows of the replayed graph; -1: not stated */
	int64_t tokens;                 /* -1: not stated */
	bool is_batch_window;           /* it waits for a batch to fill */
};

/* Parses an annotation. own: the user's names for stages, which take precedence; NULL: none. */
void weir_stage_name_parse(const char *annotation, const struct weir_stage_aliases *own,
                           struct weir_stage_name *out);

/* Returns the kind of a stage by its name or by an alias that the name contains as a word, as a
 * static text; "other": unknown. own: as above. */
const char *weir_stage_kind(const char *name, const struct weir_stage_aliases *own);

/* Returns true if the name of a stage says that a server waits there for a batch to fill:
 * "batch_window", "max queue delay", "BatchingTimeout". Every word must belong to such a name.
 * "wait_for_batch" does not count: training waits so for its data loader. */
bool weir_stage_is_batch_window(const char *name);

/* Sums over the requests of a step, which servers write into its name. Attention over packed or
 * paged sequences has no lengths in its shapes; these sums give its work. */
struct weir_row_sums {
	double q, k, qq, qk; /* sums of query rows, of key rows, of q^2 and of q k */
};

struct weir_step_sums {
	struct weir_row_sums context, generation; /* prefill and decode */
};

/*
 * Parses a name such as
 * "execute_64_context_0(sq0sk0sqsq0sqsk0)_generation_64(sq64sk131072sqsq64sqsk131072)". False:
 * another name; *out stays unchanged.
 */
bool weir_step_sums_parse(const char *name, struct weir_step_sums *out);

void weir_step_sums_add(struct weir_step_sums *to, const struct weir_step_sums *other);
void weir_step_sums_divide(struct weir_step_sums *sums, double by);

/* Returns the number of pairs of a query and a key under a causal mask: the new rows of a request
 * see each other as a triangle, and all rows that came before. */
double weir_step_sums_pairs(const struct weir_step_sums *sums);

#endif
