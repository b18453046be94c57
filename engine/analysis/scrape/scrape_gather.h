/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known metrics of all pages, differences taken and series added, before anything is made of them.
 * Private to the files scrape_*. */
#ifndef WEIR_ANALYSIS_SCRAPE_GATHER_H
#define WEIR_ANALYSIS_SCRAPE_GATHER_H

#include "engine/analysis/scrape/scrape_metrics.h"
#include "engine/analysis/scrape/scrape_pages.h"
#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/base/rowmap.h"

#define WEIR_MAX_SCRAPE_GROUPS 64   /* further models are the last one */
#define WEIR_MAX_GATHERED      4096 /* further values of stage labels are left out */

/* A model on a server. */
struct weir_scrape_group {
	enum weir_server server;
	const char *model; /* borrowed from a page; "": not told */
};

/* One metric of one group, over its series. */
struct weir_gathered {
	const struct weir_scraped_row *row;
	size_t group;
	const char *label; /* the stage that a label names; NULL: the row does */
	double value;      /* of totals and moments */
	struct weir_buckets buckets;
};

struct weir_gathering {
	struct weir_scrape_group groups[WEIR_MAX_SCRAPE_GROUPS];
	size_t group_count;
	struct weir_gathered *items;
	size_t count, capacity;
	struct weir_rowmap map;
	struct weir_scrape_findings findings;
	size_t alone;                             /* metrics that are on one page only */
	const struct weir_scrape *before, *after; /* two pages that share a metric; NULL: none */
};

/* Borrows texts of the pages. */
void weir_gather(struct weir_gathering *gathering, const struct weir_pages *pages);
void weir_gathering_release(struct weir_gathering *gathering);

/* Of one group (SIZE_MAX: of all) the metric that the first of its names gives; NAN: none does. */
double weir_gathered_value(const struct weir_gathering *gathering, enum weir_scraped metric,
                           size_t group);

#endif
