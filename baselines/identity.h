/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run is to the store: limits that each of its parts meets, and the digest that stands for
 * its content.
 */
#ifndef WEIR_BASELINES_IDENTITY_H
#define WEIR_BASELINES_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/model/run.h"

#define WEIR_RUN_MAX_LABELS    256
#define WEIR_RUN_MAX_LABEL     1024       /* bytes of a key or a value */
#define WEIR_RUN_MAX_SERIES    4096       /* of one table */
#define WEIR_RUN_MAX_NAME      8192       /* bytes of a series' name or unit */
#define WEIR_RUN_MAX_VALUES    (1u << 26) /* of all series */
#define WEIR_BASELINE_MAX_NAME 128        /* bytes */
#define WEIR_RECORDED_LENGTH   20         /* "2026-11-20T14:00:00Z" */

/*
 * WEIR_E_LIMIT for what is too much, WEIR_E_FORMAT for values that are not finite, times and calls
 * below 0, and texts that are not UTF-8, WEIR_E_EMPTY for a run without samples. The message names
 * the place: "operators.decode/aten::mm[3]".
 */
enum weir_status weir_run_check(const struct weir_run *run, struct weir_error *err);

/* Equal for runs with the same labels and series, in whatever order they were added; -0 counts as
 * 0. */
void weir_run_digest(const struct weir_run *run, uint8_t digest[WEIR_SHA256_SIZE]);

/* Stands for what a series is, beside its values. */
uint64_t weir_series_salt(enum weir_run_table table, const struct weir_series *series);

/* Stands for all that is cheap to look at again whenever a run is read: digest, verdict, labels,
 * and how many series and samples there are. */
void weir_run_seal(const struct weir_baseline_run *run, const uint8_t digest[WEIR_SHA256_SIZE],
                   uint8_t seal[WEIR_SHA256_SIZE]);
/* Fills stages, operators, series and samples from the run. */
void weir_run_count(struct weir_baseline_run *run);

/* WEIR_E_USAGE for a name that is empty, too long, begins with "-", or holds control characters or
 * what is not UTF-8. */
enum weir_status weir_baseline_check_name(const char *name, struct weir_error *err);
/* Whether it is a time of the form "2026-11-20T14:00:00Z" that a calendar has. */
bool weir_recorded_valid(const char *recorded);

#endif
