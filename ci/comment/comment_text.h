/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes and reads the text of a comment. Two hidden lines precede the visible text:
 *   <!-- weir:gate key=KEY v1 -->     identifies the comment: one for each suite
 *   <!-- weir:verdict pass -->        records the verdict, so that a change can be announced
 */
#ifndef WEIR_CI_COMMENT_COMMENT_TEXT_H
#define WEIR_CI_COMMENT_COMMENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/text.h"

#define WEIR_COMMENT_MAX_KEY 200 /* bytes of the name of a suite */

enum weir_comment_verdict {
	WEIR_COMMENT_UNKNOWN, /* the comment lacks the line */
	WEIR_COMMENT_PASS,
	WEIR_COMMENT_FAIL,
};

/* Appends the first line, without a line end. The key may be any text: bytes that could end the
 * line or act as markup are written as %XX. */
void weir_comment_marker(const char *key, struct weir_text *out);

/* Appends the whole comment. */
void weir_comment_compose(const char *key, enum weir_comment_verdict verdict, const char *markdown,
                          struct weir_text *out);

/* Returns true if the first line of body is the marker; trailing blanks are ignored. */
bool weir_comment_is_marked(const char *body, const char *marker);
/* Returns the verdict that the second line records. */
enum weir_comment_verdict weir_comment_verdict_of(const char *body);

/* Returns true if the texts are equal but for the form of line ends and trailing blanks, which the
 * services change. */
bool weir_comment_same(const char *a, const char *b);

/* Counts the characters of a UTF-8 text. */
size_t weir_comment_characters(const char *utf8);

/* Appends a short comment, without the marker, that announces a change of the verdict. */
void weir_comment_announce(const char *key, enum weir_comment_verdict verdict,
                           struct weir_text *out);

#endif
