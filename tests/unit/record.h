/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares a text with a file of the test data, line by line. `UPDATE=1 test_features` rewrites the
 * file instead, for the name that the test gives the variable; review each line of the difference.
 */
#ifndef WEIR_TESTS_UNIT_RECORD_H
#define WEIR_TESTS_UNIT_RECORD_H

#include "engine/base/text.h"

/* Fails at the first line that differs; variable: of the environment, to rewrite the file. */
void record_check(const char *path, const struct weir_text *text, const char *variable);

#endif
