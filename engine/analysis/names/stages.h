/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an annotation of the program means: a step of the loop, a stage of the work, or neither. The
 * grammars are those of the PyTorch profiler (ProfilerStep#N), vLLM
 * (execute_context_..._generation_...), SGLang (step[DECODE bs=32]), ATOM (prefill[bs=2 ...]) and
 * diffusion servers; every other name is a stage of the user's own, its counter dropped.
 */
#ifndef WEIR_ANALYSIS_STAGES_H
#define WEIR_ANALYSIS_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/settings.h"

enum weir_stage_role {
	WEIR_ROLE_IGNORED, /* collectives, compiled graphs, the profiler, graph capture: no stage */
	WEIR_ROLE_STEP,    /* one turn of the loop that encloses the stages */
	WEIR_ROLE_STEP_STAGE, /* a turn of the loop that is a stage at the same time */
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
};

/* own: the user's further names, NULL: none. They count before every name known here. */
void weir_stage_name_parse(const char *annotation, const struct weir_stage_aliases *own,
                           struct weir_stage_name *out);

/* The kind of a stage by its name or an alias of it, whole or as a word in it; "other": not known.
 * own as above. Static. */
const char *weir_stage_kind(const char *name, const struct weir_stage_aliases *own);

#endif
