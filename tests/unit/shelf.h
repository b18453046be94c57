/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shelf is a folder of files that real tools wrote. It is not part of the project: it lies at
 * ../shared beside the project, or where the environment variable WEIR_SHELF says. A test that
 * needs a file of it skips itself with a printed line where the file is absent.
 */
#ifndef WEIR_TESTS_UNIT_SHELF_H
#define WEIR_TESTS_UNIT_SHELF_H

#include <stddef.h>

/* Exit code of a test program in which every test was skipped; ctest reports it as "Skipped". */
#define SHELF_SKIPPED 77

/* Returns the path of a file or folder on the shelf, such as "samples/triton/a.json". Skips the
 * running test if it is absent: call it before anything is allocated. The text is static and lasts
 * for the next seven calls. */
const char *shelf_need(const char *name);
/* The same, but returns NULL if it is absent, and prints nothing. */
const char *shelf_find(const char *name);

/* Prints "skipped: REASON" and skips the running test; for anything else that a machine may lack.
 */
void shelf_skip(const char *reason);

/* Runs an array of tests. Returns the exit code of the program: the number of failures, or
 * SHELF_SKIPPED if every test was skipped. */
/* NOLINTBEGIN(readability-identifier-naming): it stands for a function */
#define shelf_run_group_tests(tests)                                                               \
	shelf_exit_code(cmocka_run_group_tests(tests, NULL, NULL),                                 \
	                sizeof(tests) / sizeof((tests)[0]))
/* NOLINTEND(readability-identifier-naming) */
int shelf_exit_code(int failures, size_t tests);

#endif
