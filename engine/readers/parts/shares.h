/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shares that a table states of its rows, in percent of the time of all rows. If they add up to
 * less than all, rows of the table are missing, and the time of all rows follows from them.
 *
 *	struct weir_shares shares = {0};
 *	... weir_shares_add(&shares, cell, ns);             for every row of a table
 *	missing_ns = weir_shares_end(&shares, input, "kernels");
 */
#ifndef WEIR_READERS_PARTS_SHARES_H
#define WEIR_READERS_PARTS_SHARES_H

#include <stddef.h>

#include "engine/base/slice.h"
#include "engine/model/profile.h"

struct weir_shares {
	double percent, sum; /* of the rows */
	double rounding;     /* percent that the rounding of the shares may hide */
	size_t rows;
};

/* Adds a row: its share, such as "58.4" or "58.4%", and its time or size. Ignores a cell that is no
 * share. */
void weir_shares_add(struct weir_shares *shares, struct weir_slice cell, double value);
/* Returns the time or size of the missing rows, and warns of them; 0: no row is missing. `what` is
 * the name of the table. Clears the shares for the next table. */
double weir_shares_end(struct weir_shares *shares, struct weir_input *input, const char *what);

#endif
