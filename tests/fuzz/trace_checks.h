/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must hold of a timeline that a reader made of any bytes; aborts where it does not. */
#ifndef WEIR_TESTS_TRACE_CHECKS_H
#define WEIR_TESTS_TRACE_CHECKS_H

#include "engine/readers/reader.h"

/* The bytes through the reader: a sorted and joined timeline, figures, or one line of error. */
void trace_checks_run(const struct weir_reader *reader, const uint8_t *data, size_t size);

#endif
