/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the known metrics of all pages: takes the differences between two pages and adds up the
 * series of a metric. Used by scrape_stages.c, which turns them into stages and figures. */
#ifndef WEIR_ANALYSIS_SCRAPE_SCRAPE_GATHER_H
#define WEIR_ANALYSIS_SCRAPE_SCRAPE_GATHER_H

#include "engine/analysis/scrape/buckets.h"
#include "engine/analysis/scrape/scrape_metrics.h"
#include "engine/base/rowmap.h"
#include "engine/model/profile.h"

#define WEIR_MAX_SCRAPE_GROUPS 64   /* further models are counted with the last one */
#define WEIR_MAX_GATHERED      4096 /* further metrics are left out */

/* A model on a server. */
struct weir_scrape_group {
	enum weir_server server;
	const char *model; /* borrowed from a page; "": not given */
};

/* One metric of one group, summed over its series. */
struct weir_gathered {
	const struct weir_scraped_row *row;
	size_t group;
	const char *label;  /* name of the stage from a label; NULL: row->stage */
	double value;       /* of counters and gauges */
	double first, last; /* of gauges: on the first page and on the last; NAN: not given */
	struct weir_buckets buckets;
};

/* Number of occurrences of each irregularity. */
struct weir_scrape_findings {
	size_t resets, new_series, forced, unaligned, inconsistent, absurd_summaries, limited;
	size_t broken_sums; /* models whose prefill and decode do not add up to inference */
	size_t smoothed;    /* histograms without percentiles: their values are means */
	size_t left_out;    /* pages, metrics and stages beyond the limits */
	double largest_dip;
	bool one_page; /* counted since the server started */
};

struct weir_gathering {
	struct weir_scrape_group groups[WEIR_MAX_SCRAPE_GROUPS];
	size_t group_count;
	struct weir_gathered *items;
	size_t count, capacity;
	struct weir_rowmap map;
	struct weir_scrape_findings findings;
	size_t unpaired; /* metrics that are on one page only */
	/* Two pages that share a metric; NULL: no such pages. */
	const struct weir_scrape *before, *after;
};

/* A gauge over the pages: its mean, and its value on the first and on the last page. With one page,
 * all three are equal. NAN: not given. */
struct weir_scrape_moments {
	double mean, first, last;
};

/* Reads all metrics pages of the profile. Borrows their texts. */
void weir_gather(struct weir_gathering *gathering, const struct weir_profile *profile);
void weir_gathering_release(struct weir_gathering *gathering);

/* Returns the time between the two pages, from their time stamps or the uptime of the process; -1:
 * unknown. */
int64_t weir_gathering_wall_ns(const struct weir_gathering *gathering);

/* Returns a metric of one group (SIZE_MAX: summed over all groups). If several names in the table
 * give the metric, the first one counts; NAN: no name does. */
double weir_gathered_value(const struct weir_gathering *gathering, enum weir_scraped metric,
                           size_t group);

/* Returns a gauge, summed over all groups. */
struct weir_scrape_moments weir_gathered_moments(const struct weir_gathering *gathering,
                                                 enum weir_scraped metric);

#endif
