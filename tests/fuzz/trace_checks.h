/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on a timeline that a reader made of any bytes; aborts if one fails. */
#ifndef WEIR_TESTS_FUZZ_TRACE_CHECKS_H
#define WEIR_TESTS_FUZZ_TRACE_CHECKS_H

#include "engine/readers/reader.h"

/* Runs the bytes through the reader: a sorted and joined timeline, figures, or an error of one
 * line. */
void trace_checks_run(const struct weir_reader *reader, const uint8_t *data, size_t size);

/* Checks the timeline of an input, which must have one. */
void trace_checks_input(const struct weir_input *input);

#endif
