/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts of heads around attention. Projections write [batch, rows, heads, depth], attention reads
 * [batch, heads, rows, depth] with any strides, and programs that copy its inputs to that order
 * also copy its result back.
 */
#ifndef WEIR_ANALYSIS_ADVICE_HEADS_H
#define WEIR_ANALYSIS_ADVICE_HEADS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

/* True if the call copies the result of the attention operator before it to the order of rows, and
 * the program has copied queries, keys and values to the order of heads. Without those copies the
 * result needs none: fused kernels write it with the strides of the queries (PyTorch:
 * alloc_with_matching_layout in ATen/native/cudnn/MHA.cpp), or in the order of rows
 * (FlashAttention). */
bool weir_heads_follow_query(const struct weir_op_calls *calls, size_t c);

#endif
