/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a whole store into another one, of the same kind or not, and compares both row by row. */
#ifndef WEIR_BASELINES_STORE_COPY_H
#define WEIR_BASELINES_STORE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "baselines/store.h"
#include "engine/base/error.h"
#include "engine/base/sha256.h"

#define WEIR_STORE_TABLES 8

/* The rows of one table; the checksum does not depend on the numbers that a store gives its rows.
 */
struct weir_store_sum {
	uint64_t rows;
	uint8_t checksum[WEIR_SHA256_SIZE];
};

struct weir_store_copied {
	struct {
		const char *name; /* of the table; NULL: the copy did not come that far */
		struct weir_store_sum from, to;
	} tables[WEIR_STORE_TABLES];
	uint64_t added; /* rows */
};

/* Returns true if both sides of a table hold the same rows. */
bool weir_store_sums_agree(const struct weir_store_copied *copied, size_t table);

/*
 * Adds all rows of `from` that `to` lacks, in one transaction, and changes no row that `to` has.
 * The sums are computed by reading both stores. WEIR_E_STORE if they differ: then `to` stays as it
 * was, and `copied` says which tables hold something else.
 */
enum weir_status weir_store_copy(struct weir_store *from, struct weir_store *to,
                                 struct weir_store_copied *copied, struct weir_error *err);

#endif
