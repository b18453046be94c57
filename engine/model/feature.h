/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lookup in a feature table (engine/model/finding.h), with errors that name the nearest id. */
#ifndef WEIR_MODEL_FEATURE_H
#define WEIR_MODEL_FEATURE_H

#include <stddef.h>

#include "engine/base/enums.h"
#include "engine/base/error.h"
#include "engine/model/finding.h"

#define WEIR_NO_FEATURE ((size_t)-1)

/* Returns the row whose id is the `len` bytes at `id`, else WEIR_NO_FEATURE. */
size_t weir_feature_find(const struct weir_feature_table *features, const char *id, size_t len);

/* Finds the row of an id that a user wrote. Fails with WEIR_E_USAGE and the nearest id if there is
 * no such feature, or if one of `subjects` (WEIR_FOR_... bits) lacks it. */
enum weir_status weir_feature_require(const struct weir_feature_table *features, const char *id,
                                      unsigned subjects, size_t *row, struct weir_error *err);

/* Sets the error for an id that is not in the table; always returns WEIR_E_USAGE. */
enum weir_status weir_feature_unknown(const struct weir_feature_table *features, const char *id,
                                      struct weir_error *err);

WEIR_ENUM_DECLARE(weir_subject_kind); /* "profile", "stage" */
WEIR_ENUM_DECLARE(weir_truth);        /* "true", "unknown" */
WEIR_ENUM_DECLARE(weir_unit);         /* "share", "ns" */

#endif
