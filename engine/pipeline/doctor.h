/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `weir doctor` finds: the state of configuration and store, and what a gate over each
 * baseline is worth. */
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

/* The smallest change of one row that its gate would have found. */
struct weir_doctor_effect {
	char *scope; /* owned */
	const char *metric;
	double effect; /* relative, the largest over draws; NAN: unknown */
};

/* One baseline against itself. */
struct weir_doctor_trial {
	char *name;                                 /* owned */
	size_t runs, baseline_runs, candidate_runs; /* of a draw; 0: too few runs to draw */
	size_t draws, red, coverage;
	double low, high;                   /* 95 % interval of the share of red draws */
	struct weir_doctor_effect *effects; /* of stages and per-run figures; owned */
	size_t effect_count;
	struct weir_text faults; /* lines about configuration that this baseline shows */
};

/* Draws the baseline's runs against each other under the policy; release with
 * weir_doctor_trial_release(). */
enum weir_status weir_doctor_try(const struct weir_baseline *baseline,
                                 const struct weir_policy *policy, struct weir_doctor_trial *out,
                                 struct weir_error *err);
void weir_doctor_trial_release(struct weir_doctor_trial *trial);

#endif
