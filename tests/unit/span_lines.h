/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds documents of spans from short lines. */
#ifndef WEIR_TESTS_UNIT_SPAN_LINES_H
#define WEIR_TESTS_UNIT_SPAN_LINES_H

#include "engine/base/text.h"

/* Returns an OTLP document of one trace from lines "ID PARENT NAME START END [key=value]
 * [EVENT@TIME]". Ids are hexadecimal, parent 0: no parent, times are ns from LINES_BASE. The caller
 * releases it. */
struct weir_text spans_as_otlp(const char *lines);

#endif
