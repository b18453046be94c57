/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares all figures of all fixes, for the runs that tests of advice make, with
 * tests/data/advice/figures/TEST.txt: each run is a block of lines there. So a test that only asks
 * whether one fix is found fails as well if any fix promises something else than before.
 * `WEIR_UPDATE_ADVICE=1 test_fix_copies` rewrites the file; review each line of the difference.
 */
#ifndef WEIR_TESTS_UNIT_ADVICE_RECORD_H
#define WEIR_TESTS_UNIT_ADVICE_RECORD_H

#include "engine/analysis/advice/advisor.h"

/* Applies every fix to a new draft and fails if the file has no block with the same figures. */
void advice_record_check(const struct weir_advisor *advisor);

#endif
