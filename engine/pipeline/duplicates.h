/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses files that are given twice, whose figures would count twice or be averaged with
 * themselves. */
#ifndef WEIR_PIPELINE_DUPLICATES_H
#define WEIR_PIPELINE_DUPLICATES_H

#include "engine/base/error.h"
#include "engine/model/profile.h"

/*
 * Compares the inputs of a profile that was just read. Fails with WEIR_E_USAGE if two are the same
 * file, or two files with the same content. Two metrics pages of an idle server may have the same
 * content.
 */
enum weir_status weir_duplicates_check(const struct weir_profile *profile, struct weir_error *err);

#endif
