/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"

const struct weir_fix_method weir_fix_methods[] = {
	{"cuda-graph", weir_fix_cuda_graph, false},
	{"compile", weir_fix_compile, false},
	{"remove-syncs", weir_fix_remove_syncs, true},
	{"overlap-input", weir_fix_overlap_input, false},
	{"overlap-output", weir_fix_overlap_output, false},
	{"lower-precision", weir_fix_lower_precision, false},
	{"fp8", weir_fix_fp8, false},
	{"smaller-types", weir_fix_smaller_types, false},
	{"fused-attention", weir_fix_fused_attention, false},
	{"channels-last", weir_fix_channels_last, false},
	{"align-sizes", weir_fix_align_sizes, false},
	{"retune-kernel", weir_fix_retune_kernel, false},
	{WEIR_FIX_NONE, weir_fix_none, false},
	{"compile-pointwise", weir_fix_compile_pointwise, false},
	{"avoid-copies", weir_fix_avoid_copies, false},
	{"select-not-sort", weir_fix_select_not_sort, false},
	{"vectorise", weir_fix_vectorise, false},
	{"group-the-loop", weir_fix_group_the_loop, false},
	{"batch-more", weir_fix_batch_more, true},
	{"move-to-device", weir_fix_move_to_device, false},
	{"pinned-copies", weir_fix_pinned_copies, false},
	{"overlap-copies", weir_fix_overlap_copies, false},
	{"pack-copies", weir_fix_pack_copies, false},
	{"copy-less", weir_fix_copy_less, false},
	{"warm-up", weir_fix_warm_up, true},
	{"warm-shapes", weir_fix_warm_shapes, false},
	{"keep-the-cache", weir_fix_keep_the_cache, false},
	{"collect-garbage-later", weir_fix_collect_garbage_later, false},
	{"overlap-communication", weir_fix_overlap_communication, false},
	{"bucket-collectives", weir_fix_bucket_collectives, false},
	{"fewer-bytes", weir_fix_fewer_bytes, false},
	{"balance-ranks", weir_fix_balance_ranks, true},
	{"fix-late-host", weir_fix_late_host, true},
	{0},
};

const struct weir_fix_method *weir_fix_method_find(const char *id)
{
	for (const struct weir_fix_method *method = weir_fix_methods; method->id; method++)
		if (strcmp(method->id, id) == 0)
			return method;
	return NULL;
}
