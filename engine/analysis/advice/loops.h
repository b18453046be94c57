/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds loops of the program that run the same few operators for one row, head, or expert at a
 * time, so that the iterations do not depend on each other. Layers of a model repeat as well, but
 * each of them needs the one before: they are no loop here.
 *
 * A loop shows itself in its inputs: every iteration takes another slice of one tensor
 * (aten::select, slice, narrow), gathers rows of one tensor and writes them to one of the same
 * shape, or picks the rows of one tensor that belong to another number (x[group == i]).
 */
#ifndef WEIR_ANALYSIS_ADVICE_LOOPS_H
#define WEIR_ANALYSIS_ADVICE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

/* With fewer iterations a loop is no pattern. */
#define WEIR_LOOP_LEAST_TURNS 4
/* Calls of an iteration. */
#define WEIR_LOOP_MOST_CALLS 48
/* Turns that are compared; more say nothing new about the period. */
#define WEIR_LOOP_MOST_TURNS 4096

enum weir_loop_kind {
	WEIR_LOOP_NONE,    /* iterations may depend on each other */
	WEIR_LOOP_ROWS,    /* the same operators on slices; products share their weights */
	WEIR_LOOP_INPUTS,  /* the same, and most of the time goes to reading shared weights */
	WEIR_LOOP_WEIGHTS, /* products with other weights in each iteration */
};

struct weir_loop {
	size_t first, period, turns; /* calls first + turn * period + position */
	enum weir_loop_kind kind;
	bool gathers; /* rows are chosen by an index: nonzero, index, index_put_ */
	bool picks;   /* a comparison with the turn's number chooses rows, which are not written
	                 back */
	/* For merging: calls whose shapes differ from turn to turn stay as they are. */
	bool keeps_varied;
	bool overlaps; /* the turns compute more rows than they look for, so that they share some */
	size_t vacant; /* turns beside these that look for rows and find none */
	/* All turns compute on all rows, this many times as many as they pick; 0: on those that
	 * they pick. */
	double widened;
};

/* Finds the first loop at or after the call `from`; returns false without one. */
bool weir_loop_find(const struct weir_op_calls *calls, size_t from, struct weir_loop *out);

/* Fills turns[1] to turns[most]: how many times the `period` calls from `first` on follow each
 * other, at least 1; first < calls->count. Takes time linear in the calls. loop_turns.c has it. */
void weir_loop_turns(const struct weir_op_calls *calls, size_t first, size_t most, size_t *turns);

/* Returns the host time to take slices before the call at this position of the second turn; merged
 * operators take the whole tensors. */
double weir_loop_slices_ns(const struct weir_op_calls *calls, const struct weir_loop *loop,
                           size_t position);

/* Windows that the turns cut out of a tensor at places that do not follow from the turn's number,
 * as random crops of images are. */
struct weir_loop_windows {
	size_t dims;     /* in which they are cut; 0: none */
	size_t last;     /* of them, counted from 0 */
	double elements; /* of the windows of all turns */
	double width;    /* bytes of an element */
};

struct weir_loop_windows weir_loop_windows(const struct weir_op_calls *calls,
                                           const struct weir_loop *loop);

/* True if every turn begins with another slice of one tensor, so that none needs the one before. */
bool weir_loop_takes_parts(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* The same, and each slice has several rows of the tensor: a chunk of a batch. A recurrence takes
 * one row, or one place of each row. */
bool weir_loop_takes_chunks(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if every turn multiplies by another slice of a tensor, as layers and experts do whose
 * weights are stacked. */
bool weir_loop_changes_weights(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* Returns the call that puts the results of all turns together, such as that of torch.stack; the
 * count of calls: none. */
size_t weir_loop_collection(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if a turn has layers of a model, and no gates of a recurrent cell, whose next turn needs it.
 */
bool weir_loop_has_layers(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if a turn has several products and neither recurrent layers nor the tanh of recurrent cells.
 */
bool weir_loop_is_network(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if each turn computes a network on its chunk of a batch, and the device works less than half
 * of the step: it waits for the host, which launches the operators of all chunks once instead.
 * inputs.c has it. */
bool weir_loop_starves_device(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* True if most of the device's time goes to products that read the same weights for a few rows in
 * each turn. */
bool weir_loop_reads_weights(const struct weir_op_calls *calls, const struct weir_loop *loop);

/* Returns the bytes of the factor that all turns of a loop over rows multiply by. */
double weir_loop_shared_bytes(const struct weir_work *work);

struct weir_loop_times {
	double before_ns, after_ns; /* device time */
};

/* Computes each operator of the loop once for all turns, by roofline, and removes the turns behind
 * the first; adds to *times. False: a rate is not known. fix_loops.c has it. */
bool weir_loop_merge(struct weir_draft *draft, const struct weir_op_calls *calls,
                     const struct weir_loop *loop, struct weir_loop_times *times);

/* Lengthens the dispatch of the turn that is left of a long merged loop over inputs: its operators
 * run once a step then, no longer from the caches. fix_loops.c has it. */
void weir_loop_cool(struct weir_draft *draft, const struct weir_op_calls *calls,
                    const struct weir_loop *loop);

/* Merges all loops of this kind; false: none, or a rate is not known. fix_loops.c has it. */
bool weir_loop_group(struct weir_draft *draft, enum weir_loop_kind kind);

#endif
