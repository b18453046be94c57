/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the false-alarm rate of a gate over a baseline, for `weir doctor`: draws split the runs
 * of the baseline at random into two sides and compare them. Runs of several sessions are drawn by
 * whole sessions, since a gate meets the runs of a session together. */
#ifndef WEIR_PIPELINE_DOCTOR_H
#define WEIR_PIPELINE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "baselines/store.h"
#include "ci/policy/policy.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

#define WEIR_DOCTOR_DRAWS 200
#define WEIR_DOCTOR_SEED  20240607

/* Smallest change of one row that the gate could have detected. */
struct weir_doctor_effect {
	char *scope; /* owned */
	const char *metric;
	double effect; /* relative change, the largest over all draws; NAN: unknown */
	double sum;    /* of the effects of `draws` draws */
	size_t draws;
	double margin;
	bool stage; /* the duration of a stage, which has device time as well */
};

/* A stage is too noisy to gate if its mean detectable change exceeds this many margins. */
#define WEIR_DOCTOR_NOISY 3.0
bool weir_doctor_is_noisy(const struct weir_doctor_effect *effect);

/* Result of all draws of one baseline. */
struct weir_doctor_trial {
	char *name;                           /* owned */
	size_t runs;                          /* current runs of the baseline */
	size_t baseline_runs, candidate_runs; /* sides of a draw, at least; 0: too few */
	size_t sessions; /* that were exchanged as a whole; 0: runs were exchanged */
	size_t draws;
	size_t red;          /* draws that found a regression */
	size_t suspect;      /* other draws that found a suspect */
	size_t inconclusive; /* other draws that could not decide */
	double independent;  /* number of independent gates that the draws are worth */
	double low, high;    /* 95 % interval of red / draws, by `independent` */
	struct weir_doctor_effect *effects; /* owned; one per row of stages and metrics */
	size_t effect_count;
	struct weir_text faults; /* lines about patterns and waivers that have no effect */
};

/* Numbers of runs of a gate; 0: those of the baseline. The candidate then has the runs of the
 * newest session, or 3 runs, and the baseline has all others. */
struct weir_doctor_sizes {
	size_t baseline_runs, candidate_runs;
};

/* Makes WEIR_DOCTOR_DRAWS draws under the policy. Release *out with weir_doctor_trial_release(),
 * also after an error. */
enum weir_status weir_doctor_try(const struct weir_baseline *baseline,
                                 const struct weir_policy *policy,
                                 const struct weir_doctor_sizes *sizes,
                                 struct weir_doctor_trial *out, struct weir_error *err);
void weir_doctor_trial_release(struct weir_doctor_trial *trial);

#endif
