/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking up rows of a feature table (engine/model/finding.h), with errors that name the nearest
 * id. */
#ifndef WEIR_MODEL_FEATURE_H
#define WEIR_MODEL_FEATURE_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/finding.h"

#define WEIR_NO_FEATURE ((size_t)-1)

/* The row whose id is exactly the `len` bytes at `id`, else WEIR_NO_FEATURE. */
size_t weir_feature_find(const struct weir_feature_table *features, const char *id, size_t len);

/* As above for an id that somebody wrote: fails (WEIR_E_USAGE) with the nearest id where there is
 * none, and where one of `subjects` (WEIR_FOR_... bits) lacks the feature. */
enum weir_status weir_feature_require(const struct weir_feature_table *features, const char *id,
                                      unsigned subjects, size_t *row, struct weir_error *err);

/* The error for an id that is not in the table; always returns WEIR_E_USAGE. */
enum weir_status weir_feature_unknown(const struct weir_feature_table *features, const char *id,
                                      struct weir_error *err);

const char *weir_subject_name(enum weir_subject_kind kind); /* "profile", "stage", "operator" */
const char *weir_truth_name(enum weir_truth truth);         /* "true", "false", "unknown" */
const char *weir_unit_name(enum weir_unit unit);            /* "share", "ns", ... */

#endif
