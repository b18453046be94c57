/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes archives in memory. */
#ifndef WEIR_TESTS_UNIT_MAKE_ARCHIVE_H
#define WEIR_TESTS_UNIT_MAKE_ARCHIVE_H

#include <stddef.h>

#include "tests/unit/packed.h"

enum archive_part_kind { PART_FILE, PART_FOLDER, PART_LINK, PART_HARD_LINK, PART_PIPE };

struct archive_part {
	const char *name; /* NULL ends a list */
	const char *data; /* NULL: empty */
	size_t len;       /* 0: of the text in `data` */
	enum archive_part_kind kind;
};

struct archive_form {
	const char *format;  /* "gnutar", "pax", "zip" */
	const char *filter;  /* "none", "xz", "bzip2" */
	const char *options; /* of libarchive; NULL: none */
};

/* Returns an archive of the parts; free(data). */
struct bytes archive_of(const struct archive_part *parts, struct archive_form form);
/* Returns a text compressed as a stream without an archive; free(data). */
struct bytes stream_of(const void *data, size_t len, const char *filter);

#endif
