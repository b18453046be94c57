/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <string.h>

#include "engine/analysis/advice/fixes.h"

const struct weir_fix_method weir_fix_methods[] = {
	{"cuda-graph", weir_fix_cuda_graph, false, true},
	{"compile", weir_fix_compile, false, false},
	{"remove-syncs", weir_fix_remove_syncs, true, false},
	{"overlap-input", weir_fix_overlap_input, false, true},
	{"overlap-output", weir_fix_overlap_output, false, false},
	{"lower-precision", weir_fix_lower_precision, false, false},
	{"fp8", weir_fix_fp8, false, false},
	{"smaller-types", weir_fix_smaller_types, false, false},
	{"fused-attention", weir_fix_fused_attention, false, false},
	{"channels-last", weir_fix_channels_last, false, false},
	{"align-sizes", weir_fix_align_sizes, false, false},
	{"retune-kernel", weir_fix_retune_kernel, false, false},
	{WEIR_FIX_NONE, weir_fix_none, false, false},
	{"compile-pointwise", weir_fix_compile_pointwise, false, false},
	{"avoid-copies", weir_fix_avoid_copies, false, false},
	{"select-not-sort", weir_fix_select_not_sort, false, false},
	{"vectorise", weir_fix_vectorise, false, false},
	{"group-the-loop", weir_fix_group_the_loop, false, false},
	{"batch-more", weir_fix_batch_more, true, false},
	{"move-to-device", weir_fix_move_to_device, false, true},
	{"pinned-copies", weir_fix_pinned_copies, false, false},
	{"overlap-copies", weir_fix_overlap_copies, false, false},
	{"pack-copies", weir_fix_pack_copies, false, false},
	{"copy-less", weir_fix_copy_less, false, false},
	{"warm-up", weir_fix_warm_up, true, true},
	{"warm-shapes", weir_fix_warm_shapes, false, true},
	{"keep-the-cache", weir_fix_keep_the_cache, false, false},
	{"collect-garbage-later", weir_fix_collect_garbage_later, false, false},
	{"overlap-communication", weir_fix_overlap_communication, false, false},
	{"bucket-collectives", weir_fix_bucket_collectives, false, false},
	{"fewer-bytes", weir_fix_fewer_bytes, false, false},
	{"balance-ranks", weir_fix_balance_ranks, true, false},
	{"fix-late-host", weir_fix_late_host, true, false},
	{0},
};

const struct weir_fix_method *weir_fix_method_find(const char *id)
{
	for (const struct weir_fix_method *method = weir_fix_methods; method->id; method++)
		if (strcmp(method->id, id) == 0)
			return method;
	return NULL;
}
