/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gate and compare share: reading runs, comparing two sides under a policy, writing the
 * result. */
#ifndef WEIR_CLI_GATING_H
#define WEIR_CLI_GATING_H

#include <stdbool.h>
#include <stddef.h>

#include "baselines/baseline.h"
#include "ci/policy/gate.h"
#include "ci/policy/policy.h"
#include "engine/base/error.h"
#include "engine/cli/options.h"
#include "engine/model/comparison.h"

/* What is compared with what. */
struct weir_gating_side {
	const struct weir_run **runs; /* owned list of borrowed runs */
	size_t count;
	bool has_bound; /* the runs that say what bounds them agree, and one does */
	enum weir_bound bound;
	const char *cause; /* borrowed; NULL: none */
};

/* Borrows the baseline; release with weir_gating_side_release(). */
void weir_gating_side_init(struct weir_gating_side *side, const struct weir_baseline *baseline);
void weir_gating_side_release(struct weir_gating_side *side);

/* Reads the paths, a run each, as a side without a name. The caller frees *out with
 * weir_baseline_free(). */
enum weir_status weir_gating_read(const char *const *paths, size_t count,
                                  const struct weir_arguments *arguments,
                                  const struct weir_policy *policy, struct weir_baseline **out,
                                  struct weir_error *err);

/* Environment, rows and verdict; the result is filled. WEIR_E_INTERNAL: a defect. */
enum weir_status weir_gating_compare(struct weir_gate_result *result,
                                     const struct weir_gate_terms *terms,
                                     const struct weir_gating_side *baseline,
                                     const struct weir_gating_side *candidate,
                                     struct weir_error *err);

/* --format, -o and --all of the command; formats and suffixes are checked before anything is read.
 */
enum weir_status weir_gating_check_outputs(const struct weir_arguments *arguments,
                                           struct weir_error *err);
enum weir_status weir_gating_write(const struct weir_arguments *arguments,
                                   const struct weir_gate_result *result, struct weir_error *err);

#endif
