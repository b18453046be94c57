/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The device work of a program by calls of operators: consecutive jobs of one innermost operator
 * are one call. Transformations that look for chains, copies and loops read calls, not jobs.
 */
#ifndef WEIR_ANALYSIS_ADVICE_OPCALLS_H
#define WEIR_ANALYSIS_ADVICE_OPCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/analysis/advice/draft.h"

struct weir_op_call {
	uint32_t op; /* host row of the innermost operator; WEIR_NONE: none */
	uint32_t first_job, end_job;
	uint32_t first_issue, end_issue; /* calls of the host; a wait behind the last is not one */
	double ns;                       /* sum of its jobs */
	uint32_t longest_job;
	enum weir_family family; /* of the longest job */
	bool transfers;          /* one of its jobs is a copy between host and device */
	bool has_args;
	struct weir_work work; /* confidence NONE: no model, or no shapes */
};

struct weir_op_calls {
	const struct weir_advisor *advisor; /* borrowed */
	struct weir_op_call *items;
	size_t count;
};

/* Returns the calls of the advisor's program; they belong to the advisor. */
const struct weir_op_calls *weir_op_calls_of(const struct weir_advisor *advisor);

/* Returns the operator's name without "aten::"; "": none, or of another name space. */
const char *weir_op_calls_name(const struct weir_op_calls *calls, const struct weir_op_call *call);
/* Fills the arguments with strides applied; false: not recorded. */
bool weir_op_calls_args(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        struct weir_args *args);
/* Returns true if the host waits for the device at a call in [first, end). */
bool weir_op_calls_wait(const struct weir_op_calls *calls, uint32_t first, uint32_t end);
/* Returns true if an operator of this name ("aten::clone") is the call's or encloses it. */
bool weir_op_calls_within(const struct weir_op_calls *calls, const struct weir_op_call *call,
                          const char *name);

/* Returns true if both calls, by index, are of one operator with the same shapes. */
bool weir_op_calls_alike(const struct weir_op_calls *calls, size_t a, size_t b);
/* Returns true if the call looks rows of a table up. */
bool weir_op_calls_looks_up(const struct weir_op_calls *calls, const struct weir_op_call *call);
/* Returns true for an operator that passes over a whole sequence with recurrent layers. */
bool weir_op_calls_recurs(const struct weir_op_calls *calls, const struct weir_op_call *call);
/* The argument of such an operator that holds the state at the start of the sequence. */
#define WEIR_RECURRENT_STATE 4

/* Gives the call this device time, divided among its jobs in proportion. */
void weir_op_call_set(struct weir_draft *draft, const struct weir_op_call *call, double ns,
                      double low_ns, double high_ns);
/* Removes the call: its launches with their dispatch, but not the host's work before them. */
void weir_op_call_remove(struct weir_draft *draft, const struct weir_op_call *call);

/* Returns the name without "aten::"; "" for NULL and other name spaces. */
const char *weir_op_plain_name(const char *name);
/* Returns true if the list, which ends with NULL, has the word. */
bool weir_op_is_one_of(const char *name, const char *const *list);

#endif
