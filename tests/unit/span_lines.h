/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spans as tests write them. */
#ifndef WEIR_TESTS_SPAN_LINES_H
#define WEIR_TESTS_SPAN_LINES_H

#include "engine/base/text.h"

/*
 * A document of OTLP from lines "ID PARENT NAME START END", of one trace: ids are hexadecimal, the
 * parent 0 is none, times are ns from LINES_BASE. Behind that follow attributes, "key=value", and
 * events, "NAME@TIME". The caller releases the text.
 */
struct weir_text spans_as_otlp(const char *lines);

#endif
