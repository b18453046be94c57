/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEIR_BASE_ARCHIVE_GZIP_H
#define WEIR_BASE_ARCHIVE_GZIP_H

#include "engine/base/error.h"
#include "engine/base/text.h"

/* Appends a text compressed with gzip. The header states neither a name nor a time, so that the
 * same text gives the same bytes. */
enum weir_status weir_gzip(const struct weir_text *plain, struct weir_text *out,
                           struct weir_error *err);

#endif
