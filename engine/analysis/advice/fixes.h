/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transformations, one per fix of rules/fixes. Each changes the draft and returns true, or
 * returns false if the run has no place for the fix. None judges whether the saving is worth it;
 * advise.c does.
 */
#ifndef WEIR_ANALYSIS_ADVICE_FIXES_H
#define WEIR_ANALYSIS_ADVICE_FIXES_H

#include "engine/analysis/advice/draft.h"

typedef bool weir_fix_apply(struct weir_draft *draft);

struct weir_fix_method {
	const char *id; /* of rules/fixes */
	weir_fix_apply *apply;
	/* A recommendation of a rule with this id is kept although the transformation found no
	 * place: the rule sees more than a program of one device holds. */
	bool rule_decides;
	/* It searches the whole trace, which takes longest: such transformations start first, so
	 * that none of them runs alone at the end. */
	bool searches_trace;
};

/* The fix that changes nothing: it is found only if no other one is, and has no saving. */
#define WEIR_FIX_NONE "none"

/* Ends with an entry without id. */
extern const struct weir_fix_method weir_fix_methods[];
const struct weir_fix_method *weir_fix_method_find(const char *id); /* NULL: none */

/* fix_graph.c */
weir_fix_apply weir_fix_cuda_graph;
weir_fix_apply weir_fix_compile;
/* fix_host.c */
weir_fix_apply weir_fix_remove_syncs;
weir_fix_apply weir_fix_overlap_input;
weir_fix_apply weir_fix_overlap_output;
/* fix_precision.c */
weir_fix_apply weir_fix_lower_precision;
weir_fix_apply weir_fix_fp8;
weir_fix_apply weir_fix_smaller_types;
/* fix_attention.c */
weir_fix_apply weir_fix_fused_attention;
/* fix_layout.c */
weir_fix_apply weir_fix_channels_last;
weir_fix_apply weir_fix_align_sizes;
/* fix_retune.c */
weir_fix_apply weir_fix_retune_kernel;
weir_fix_apply weir_fix_none;
/* fix_pointwise.c, fix_copies_local.c, fix_select.c */
weir_fix_apply weir_fix_compile_pointwise;
weir_fix_apply weir_fix_avoid_copies;
weir_fix_apply weir_fix_select_not_sort;
/* fix_loops.c, fix_batch.c, fix_move.c */
weir_fix_apply weir_fix_vectorise;
weir_fix_apply weir_fix_group_the_loop;
weir_fix_apply weir_fix_batch_more;
weir_fix_apply weir_fix_move_to_device;
/* fix_copies.c */
weir_fix_apply weir_fix_pinned_copies;
weir_fix_apply weir_fix_overlap_copies;
weir_fix_apply weir_fix_pack_copies;
/* fix_results.c */
weir_fix_apply weir_fix_copy_less;
/* fix_warm.c */
weir_fix_apply weir_fix_warm_up;
weir_fix_apply weir_fix_warm_shapes;
weir_fix_apply weir_fix_keep_the_cache;
/* fix_pauses.c */
weir_fix_apply weir_fix_collect_garbage_later;
/* fix_ranks.c */
weir_fix_apply weir_fix_overlap_communication;
weir_fix_apply weir_fix_bucket_collectives;
weir_fix_apply weir_fix_fewer_bytes;
weir_fix_apply weir_fix_balance_ranks;
weir_fix_apply weir_fix_late_host;

/* Joins chains of pointwise operators; `layers`: with the kernels of layers in front of them as
 * well, as a compiler of the whole model does. */
bool weir_join_pointwise(struct weir_draft *draft, bool layers);

#endif
