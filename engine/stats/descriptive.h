/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes of a difference between two samples of durations, for display. Their p-values assume
 * independent values, which iterations of one run are not: no verdict may rest on them.
 */
#ifndef WEIR_STATS_DESCRIPTIVE_H
#define WEIR_STATS_DESCRIPTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/stats/student.h"

/* Exact p-values are given up to this many pairs of values; beyond: NAN. */
#define WEIR_EXACT_PAIRS 2500

struct weir_p_values {
	double greater; /* candidate larger */
	double less;
	double two_sided;
};

struct weir_mann_whitney {
	double u;                        /* pairs with the candidate larger, ties half */
	double probability;              /* u / (B C): P(candidate > baseline) + half of the ties */
	struct weir_p_values exact;      /* NAN with ties */
	struct weir_p_values asymptotic; /* corrected for ties and continuity; 1 if all are equal */
};

/* NAN for an empty group. */
struct weir_mann_whitney weir_mann_whitney_test(struct weir_group baseline,
                                                struct weir_group candidate);

/* Two-sided Kolmogorov-Smirnov; with ties all p-values are conservative. */
struct weir_ks {
	double d;            /* largest distance of the empirical distributions */
	double p_exact;      /* by counting lattice paths; NAN beyond WEIR_EXACT_PAIRS */
	double p_asymptotic; /* distribution of one sample of BC/(B+C), rounded, values */
	double p_limit;      /* Kolmogorov's limit */
};

struct weir_ks weir_ks_test(struct weir_group baseline, struct weir_group candidate);

/* E. Brunner and U. Munzel, Biometrical Journal 42, 2000: like Mann-Whitney, but without equal
 * spread. */
struct weir_brunner_munzel {
	double w, df;
	struct weir_p_values p;
	double probability; /* P(candidate > baseline) + half of the ties */
	bool separated;     /* no overlap: w and df are NAN, p is Mann-Whitney's exact one */
};

struct weir_brunner_munzel weir_brunner_munzel_test(struct weir_group baseline,
                                                    struct weir_group candidate);

#endif
