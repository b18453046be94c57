/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEIR_READERS_SCRAPE_OPENMETRICS_H
#define WEIR_READERS_SCRAPE_OPENMETRICS_H

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"

/* Reads a whole text, and changes it. */
enum weir_status weir_openmetrics_read_text(struct weir_text *text, struct weir_input *input,
                                            struct weir_error *err);

#endif
