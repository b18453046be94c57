/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the examples of fixes, the members "examples" of the files of rules/fixes. They are read
 * apart from the catalogue, because a classification does not need them. rules/README.md describes
 * the format; engine/pipeline/fix_examples.h runs them.
 */
#ifndef WEIR_RULES_FIX_EXAMPLES_H
#define WEIR_RULES_FIX_EXAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/error.h"
#include "engine/base/json.h"

enum weir_call_kind { WEIR_CALL_KERNEL, WEIR_CALL_MEMCPY, WEIR_CALL_MEMSET, WEIR_CALL_COUNT };

WEIR_ENUM_DECLARE(weir_call_kind); /* "memcpy" */

#define WEIR_EXAMPLE_RANKS 8

/* Text of an input that stands for the number of the turn, from 0. */
#define WEIR_EXAMPLE_TURN "{turn}"

/* One operator of a step, with at most one piece of device work. */
struct weir_fix_call {
	const char *op;
	const char *kernel; /* name of the device work; NULL: only host time */
	enum weir_call_kind kind;
	/* Durations of the device work and of the operator on the host, by rank. */
	double us[WEIR_EXAMPLE_RANKS], host_us[WEIR_EXAMPLE_RANKS];
	double bytes;       /* NAN: not given */
	bool sync;          /* the operator waits for its device work */
	size_t repeat;      /* times in a row */
	size_t turn;        /* of the group around it; 0 outside */
	const char *inside; /* name of an operator around this one; NULL: none */
	const char *api;    /* name of a call of the driver that takes the host time; NULL: none */
	/* The message of a collective; NULL: the call is no collective. */
	const char *collective, *dtype;
	size_t elements, ranks;
	/* Arrays as in a trace: shapes, strides, types, values; NULL: not given. */
	const cJSON *dims, *strides, *types, *scalars;
};

struct weir_fix_example {
	const char *fix, *file;
	size_t index; /* in the list of the fix */
	const char *device;
	size_t steps, ranks;
	struct weir_fix_call *calls;
	size_t call_count;
	bool found;             /* expected among the recommendations */
	double low_us, high_us; /* range of the predicted step; NAN: any */
};

struct weir_fix_examples {
	struct weir_arena *arena;
	struct weir_fix_example *items;
	size_t count, capacity;
	cJSON **documents; /* hold the arrays */
	size_t document_count, document_capacity;
};

struct weir_fix_examples *weir_fix_examples_new(void);
void weir_fix_examples_free(struct weir_fix_examples *examples); /* NULL is fine */

/* Appends the examples of one file. Faults are WEIR_E_USAGE with the file, the fix and the reason.
 */
enum weir_status weir_fix_examples_parse(struct weir_fix_examples *examples, const char *file,
                                         const char *text, size_t length, struct weir_error *err);
/* Appends the examples of the files that are compiled in. */
enum weir_status weir_fix_examples_load(struct weir_fix_examples *examples, struct weir_error *err);

#endif
