/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds texts and numbers in lines that programs print for people. */
#ifndef WEIR_READERS_PARTS_SCAN_H
#define WEIR_READERS_PARTS_SCAN_H

#include <stdbool.h>

#include "engine/base/slice.h"

/* Finds a part of the line and gives the text behind it. Returns false without the part. */
bool weir_scan_behind(struct weir_slice line, const char *part, struct weir_slice *rest);
/* Takes the next word off the text. Returns false if none is left. */
bool weir_scan_word(struct weir_slice *text, struct weir_slice *word);
/* Takes a number that is finite and not negative off the start of a text, behind blanks, and leaves
 * the text behind it. Returns false for another text. */
bool weir_scan_number(struct weir_slice *text, double *value);

#endif
