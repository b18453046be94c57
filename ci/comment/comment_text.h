/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The form of a comment. Two hidden lines stand before what people read:
 *   <!-- weir:gate key=KEY v1 -->     which comment this is, one a suite
 *   <!-- weir:verdict pass -->        what it says, so that a change of it can be announced
 */
#ifndef WEIR_CI_COMMENT_COMMENT_TEXT_H
#define WEIR_CI_COMMENT_COMMENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/text.h"

#define WEIR_COMMENT_MAX_KEY 200 /* bytes of a suite's name */

enum weir_comment_verdict {
	WEIR_COMMENT_UNKNOWN, /* of a comment without the line */
	WEIR_COMMENT_PASS,
	WEIR_COMMENT_FAIL,
};

/* Appends the first line, without a line end. The key may be any text: what could end the hidden
 * line or mean something in it is written as %XX. */
void weir_comment_marker(const char *key, struct weir_text *out);

/* Appends the whole comment. */
void weir_comment_compose(const char *key, enum weir_comment_verdict verdict, const char *markdown,
                          struct weir_text *out);

/* The first line of body is the marker; blanks behind it do not count. */
bool weir_comment_is_marked(const char *body, const char *marker);
enum weir_comment_verdict weir_comment_verdict_of(const char *body);

/* Equal but for line ends and blanks at the very end: services change those. */
bool weir_comment_same(const char *a, const char *b);

/* Characters, not bytes. */
size_t weir_comment_characters(const char *utf8);

/* Appends the short comment that tells of a change of the verdict: an edit notifies nobody. It
 * does not carry the marker. */
void weir_comment_announce(const char *key, enum weir_comment_verdict verdict,
                           struct weir_text *out);

#endif
