/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the gate share: one row at work. */
#ifndef WEIR_STATS_GATE_IMPL_H
#define WEIR_STATS_GATE_IMPL_H

#include "engine/stats/gate.h"

/* The least standard deviation between runs that is believed, 0.2 %: its square. */
#define WEIR_GATE_LEAST_VARIANCE 4e-6

/* A row of the input with its cells. Scratch is shared by all rows; weir_gate_row_release(). */
struct weir_gate_row {
	const struct weir_gate_input *in;
	size_t index;
	size_t runs;                  /* columns of `deviations`: the candidates may count as one */
	size_t baseline_runs;         /* the first of them */
	struct weir_gate_cell *cells; /* [subject] */
	double *deviations; /* [subject][runs]: y less its own group's mean; NAN: absent */
	bool *usable;       /* [subject]: runs enough to be tested */
	size_t usable_count;
	double *column; /* [max(subjects, all runs)]: for medians */
};

void weir_gate_row_init(struct weir_gate_row *row, const struct weir_gate_input *in);
void weir_gate_row_release(struct weir_gate_row *row);

/* Means, run counts, superiority and deviations of every cell of a row; nothing is tested yet. */
void weir_gate_row_fill(struct weir_gate_row *row, size_t index, struct weir_gate_cell *cells);

/* y of a subject in all runs. */
const double *weir_gate_row_y(const struct weir_gate_row *row, size_t subject);
/* Least variance between runs of a subject: 0.2 % and the rounding of its timer. */
double weir_gate_row_floor(const struct weir_gate_row *row, size_t subject);

/* A cell of which nothing is known. */
struct weir_gate_cell weir_gate_cell_unknown(void);
/* Share of (candidate, baseline) pairs with the candidate larger, and the least candidate less
 * `mean`; values that are NAN are absent. */
void weir_gate_compare_runs(const double *runs, const struct weir_gate_input *in, double mean,
                            struct weir_gate_cell *cell);

#endif
