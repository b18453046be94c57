/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells metrics pages from other texts, and their two formats from each other. */
#ifndef WEIR_READERS_SCRAPE_SNIFF_H
#define WEIR_READERS_SCRAPE_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

/* A line that only OpenMetrics has begins in this text: "# EOF" or "# UNIT". Prometheus text would
 * pass over either as a comment, but nobody writes them there. */
bool weir_scrape_is_openmetrics(const char *text, size_t len);

/* Bits that were verified as a metrics page of either format; 0: it is none. */
int weir_scrape_sniff(const char *head, size_t len);

#endif
