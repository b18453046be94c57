/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gate and compare share: reading runs, comparing two sides under a policy, writing the
 * result. */
#ifndef WEIR_CLI_GATING_H
#define WEIR_CLI_GATING_H

#include <stdbool.h>
#include <stddef.h>

#include "ci/gate.h"
#include "ci/policy.h"
#include "engine/base/error.h"
#include "engine/cli/classify.h"
#include "engine/cli/options.h"
#include "engine/model/comparison.h"

/* Runs of one side with what bounds them; owned. */
struct weir_runs {
	struct weir_measured *items;
	size_t count;
};

/* What is compared with what; runs are borrowed. */
struct weir_gating_side {
	const struct weir_run *const *runs;
	size_t count;
	bool has_bound; /* all runs agree on what bounds them */
	enum weir_bound bound;
	const char *cause; /* NULL: none */
};

/* Each path is one run. A run that cannot be read leaves its reason on standard error and the count
 * of them in err: then nothing is compared. Release with weir_runs_release() after success. */
enum weir_status weir_runs_read(const char *const *paths, size_t count,
                                const struct weir_arguments *arguments, struct weir_runs *out,
                                struct weir_error *err);
void weir_runs_release(struct weir_runs *runs);

/* Pointers to the runs; the caller frees the list. */
const struct weir_run **weir_runs_list(const struct weir_runs *runs);
/* Sets has_bound where every run that says what bounds it says the same, and one does. */
void weir_runs_bound(const struct weir_runs *runs, struct weir_gating_side *side);

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
