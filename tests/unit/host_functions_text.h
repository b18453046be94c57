/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the functions of a host profile with a text. */
#ifndef WEIR_TESTS_UNIT_HOST_FUNCTIONS_TEXT_H
#define WEIR_TESTS_UNIT_HOST_FUNCTIONS_TEXT_H

#include "engine/model/hostprofile.h"
#include "engine/model/trace.h"
#include "engine/readers/reader.h"

/* Fails unless the functions that have time, in the order of the frames, are "name [file]
 * self/total", one a line. */
void expect_functions(const struct weir_host_profile *profile, const char *expected);
/* Reads a text, which must succeed, and expects its functions. */
void expect_functions_of(const struct weir_reader *reader, const char *text, const char *expected);
/* Reads a text, which must succeed, and expects a number of warnings of one kind. */
void expect_warnings_of(const struct weir_reader *reader, const char *text,
                        enum weir_warning_code code, unsigned count);

#endif
