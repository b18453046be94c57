/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chain of calls that a compiler makes one kernel of, as far as it has been followed. See
 * fix_pointwise.c.
 */
#ifndef WEIR_ANALYSIS_ADVICE_CHAINS_H
#define WEIR_ANALYSIS_ADVICE_CHAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/advice/arithmetic.h"
#include "engine/analysis/advice/gaps.h"
#include "engine/analysis/advice/splits.h"

/* The most operators that are taken for one kernel. Inductor joins 64 buffers (max_fusion_size),
 * each of which may compute 30 operators on what it reads (realize_opcount_threshold). */
#define WEIR_MOST_FUSED 256

/* A result of the chain. */
struct weir_made {
	double bytes;
	double elements; /* that the call computes */
	size_t level;    /* passes over the rows before it is known */
	bool read;       /* by a later call */
	bool sum;        /* by an addition */
	bool kept; /* needed later: a sum that a norm reads, as the residual, or a stored result */
	bool sliced;  /* the program takes slices of it */
	uint64_t gap; /* its form if it is a part of a tensor, see gaps.h; 0: none */
	size_t last;  /* the call of the chain that read it last */
};

struct weir_chain {
	size_t first, count; /* calls */
	double elements;     /* of the largest tensor */
	double main_bytes;   /* of the largest result */
	struct weir_made made[WEIR_MOST_FUSED];
	double outside[WEIR_MOST_FUSED]; /* sizes of tensors from outside */
	size_t outside_count;
	double read_bytes;  /* tensors from outside */
	double doubt_bytes; /* of them, those that may be one that was read before */
	double again_bytes; /* results read again, which may be other tensors from outside */
	double like_bytes;  /* of them, those of the size of a tensor from outside */
	size_t like_count;
	double longest_read;   /* the largest tensor from outside */
	double residual_bytes; /* of the last call, if it may add a tensor from outside */
	bool last_outside;     /* the last call read a tensor from outside */
	double now_ns, rate, floor_ns;
	double picks_ns; /* to pick values of tensors from outside; see picks.h */
	size_t reductions;
	double reduced; /* elements of the smallest tensor that it reduces in a loop; 0: none */
	/* The update of a parameter; see weir_blends_note(). */
	size_t averages;   /* moving averages */
	size_t squares;    /* calls up to the last average of squares; 0: none */
	size_t roots;      /* calls up to its root */
	double root_bytes; /* of the root; 0: none */
	bool update;       /* a division by the root */
	bool rows;         /* it reads rows of a tensor that it reads as a whole */
	bool again;        /* its rows are longer than a block keeps */
	bool closed;       /* the last call reduced everything to one value */
	size_t level;      /* of the current call: the highest of its operands */
	struct weir_gaps gaps;
	struct weir_splits splits;
	struct weir_passes passes;
};

#endif
