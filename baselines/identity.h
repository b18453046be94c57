/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks a run against the limits of the store, and computes the digest that identifies its
 * content.
 */
#ifndef WEIR_BASELINES_IDENTITY_H
#define WEIR_BASELINES_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/model/run.h"

#define WEIR_RUN_MAX_LABEL     1024       /* bytes of a key or a value */
#define WEIR_RUN_MAX_SERIES    4096       /* series of one table */
#define WEIR_RUN_MAX_NAME      8192       /* bytes of a series' name or unit */
#define WEIR_RUN_MAX_VALUES    (1u << 26) /* values of all series */
#define WEIR_BASELINE_MAX_NAME 128        /* bytes */
#define WEIR_RECORDED_LENGTH   20         /* "2026-11-20T14:00:00Z" */

/*
 * Checks a run: WEIR_E_LIMIT if it exceeds a limit, WEIR_E_FORMAT for values that are not finite,
 * times and calls below 0, and texts that are not UTF-8, WEIR_E_EMPTY for a run without samples.
 * The message names the place: "operators.decode/aten::mm[3]".
 */
enum weir_status weir_run_check(const struct weir_run *run, struct weir_error *err);

/* Computes a digest that is equal for runs with the same labels and series, added in any order; -0
 * counts as 0, and a session that weir found is no part of it: the same file is the same run in
 * every job. */
void weir_run_digest(const struct weir_run *run, uint8_t digest[WEIR_SHA256_SIZE]);

/* Hashes the table, name and unit of a series for its checksum. */
uint64_t weir_series_salt(enum weir_run_table table, const struct weir_series *series);

/* Hashes the parts that are cheap to check whenever a run is read: digest, verdict, labels, and the
 * numbers of series and samples. */
void weir_run_seal(const struct weir_baseline_run *run, const uint8_t digest[WEIR_SHA256_SIZE],
                   uint8_t seal[WEIR_SHA256_SIZE]);
/* Fills stages, operators, series and samples from the run. */
void weir_run_count(struct weir_baseline_run *run);

/* Fails with WEIR_E_USAGE if the name is empty, too long, begins with "-", or holds control
 * characters or malformed UTF-8. */
enum weir_status weir_baseline_check_name(const char *name, struct weir_error *err);
/* Returns true for an existing time of the form "2026-11-20T14:00:00Z". */
bool weir_recorded_valid(const char *recorded);

#endif
