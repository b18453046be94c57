/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics pages of a profile in the order of time. */
#ifndef WEIR_ANALYSIS_SCRAPE_PAGES_H
#define WEIR_ANALYSIS_SCRAPE_PAGES_H

#include <stdint.h>

#include "engine/model/profile.h"

#define WEIR_MAX_PAGES 256 /* more are left out */

struct weir_pages {
	const struct weir_scrape *items[WEIR_MAX_PAGES]; /* borrowed from the profile */
	size_t count;
	size_t left_out;
};

/*
 * All pages; by their time stamps where all have them, of two others by the start of their process
 * and by counters, which only grow; else as they were given.
 */
void weir_pages_collect(struct weir_pages *pages, const struct weir_profile *profile);

/* Two pages are of processes that started at different times. */
bool weir_pages_restarted(const struct weir_scrape *before, const struct weir_scrape *after);

/* Time between two pages, from their time stamps or their process's uptime; -1: not known. */
int64_t weir_pages_wall_ns(const struct weir_scrape *before, const struct weir_scrape *after);

#endif
