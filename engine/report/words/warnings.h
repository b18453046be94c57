/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings about inputs: a stable code for programs, a sentence for people. */
#ifndef WEIR_REPORT_WORDS_WARNINGS_H
#define WEIR_REPORT_WORDS_WARNINGS_H

#include <stdbool.h>

#include "engine/base/text.h"
#include "engine/model/profile.h"

const char *weir_warning_code_text(enum weir_warning_code code); /* "skipped_event"; static */
bool weir_warning_code_parse(const char *text, enum weir_warning_code *out);

/*
 * Appends "1,204 elements that are not events were skipped (first at byte 88,120: ts is text)". The
 * detail comes from the input: control and bidirectional characters in it are replaced.
 */
void weir_warning_sentence(const struct weir_warning *warning, enum weir_warning_code code,
                           struct weir_text *out);

/* The same with the name of the file in front if `named`: "trace.json: 1,204 elements ...". */
void weir_warning_of_input(const struct weir_input *input, enum weir_warning_code code, bool named,
                           struct weir_text *out);

#endif
