/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effect sizes between two samples of durations, for display. The p-values assume independent
 * values, which the iterations of one run are not, so that no verdict may rest on them. */
#ifndef WEIR_STATS_DESCRIPTIVE_H
#define WEIR_STATS_DESCRIPTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/stats/student.h"

/* Largest number of pairs of values for exact p-values; they are NAN beyond it. */
#define WEIR_EXACT_PAIRS 2500

struct weir_p_values {
	double greater; /* the candidate is larger */
	double less;
	double two_sided;
};

struct weir_mann_whitney {
	double u;                   /* pairs with the candidate larger; ties count half */
	double probability;         /* u / (B C): P(candidate > baseline) + half of the ties */
	struct weir_p_values exact; /* NAN with ties */
	struct weir_p_values
		asymptotic; /* corrected for ties and continuity; 1 if all values are equal */
};

/* Returns NAN for an empty group. */
struct weir_mann_whitney weir_mann_whitney_test(struct weir_group baseline,
                                                struct weir_group candidate);

/* Two-sided Kolmogorov-Smirnov test; with ties all p-values are conservative. */
struct weir_ks {
	double d;            /* largest distance between the empirical distributions */
	double p_exact;      /* by counting lattice paths; NAN beyond WEIR_EXACT_PAIRS */
	double p_asymptotic; /* from one sample of BC/(B+C) values, rounded */
	double p_limit;      /* from Kolmogorov's limit distribution */
};

struct weir_ks weir_ks_test(struct weir_group baseline, struct weir_group candidate);

/* The test of E. Brunner and U. Munzel, Biometrical Journal 42, 2000: like Mann-Whitney, but for
 * unequal spread. */
struct weir_brunner_munzel {
	double w, df;
	struct weir_p_values p;
	double probability; /* P(candidate > baseline) + half of the ties */
	/* The groups do not overlap: w and df are NAN, p is the exact one of Mann-Whitney. */
	bool separated;
};

struct weir_brunner_munzel weir_brunner_munzel_test(struct weir_group baseline,
                                                    struct weir_group candidate);

#endif
