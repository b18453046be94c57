/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The named numbers that rules read, and the functions that compute them for a subject from a
 * ledger. NAN means "not measured". To add a feature, add a row to features.def and set its value.
 */
#ifndef WEIR_ANALYSIS_RANK_FEATURES_H
#define WEIR_ANALYSIS_RANK_FEATURES_H

#include "engine/analysis/rank/ledger.h"
#include "engine/model/finding.h"

#define FEATURE(id, name, unit, subjects, meaning, phrase) WEIR_F_##id,

enum weir_feature_id {
#include "engine/analysis/rank/features.def"
	WEIR_F_COUNT
};
#undef FEATURE

extern const struct weir_feature_table weir_features;

/* Sets all WEIR_F_COUNT entries of `values` to NAN. */
void weir_features_clear(double *values);

/* Sets the features that a ledger yields; leaves them NAN if its total time is 0. */
void weir_features_from_ledger(double *values, const struct weir_ledger *ledger);

#endif
