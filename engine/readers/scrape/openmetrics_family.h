/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What OpenMetrics 1.0 demands of a family beyond the syntax of its lines: metadata before samples
 * and once, families that do not interleave or clash, labels and values that fit the type, whole
 * histograms. Follows the order of checks of the specification's own test cases.
 */
#ifndef WEIR_READERS_OPENMETRICS_FAMILY_H
#define WEIR_READERS_OPENMETRICS_FAMILY_H

#include "engine/base/names.h"
#include "engine/base/rowmap.h"
#include "engine/readers/scrape/scrape_line.h"

#define OPENMETRICS_BAD_METADATA                                                                   \
	"expected \"# HELP name text\", \"# TYPE name type\", \"# UNIT name unit\" or \"# EOF\""

/* One metric of a histogram at one time, while its samples pass by. */
struct openmetrics_histogram {
	bool open, negative_bounds, has_sum;
	bool only_grows;          /* the sum is a _sum, which negative observations would lower */
	bool negative_sum;        /* the sum is a _gsum below zero */
	double bound, cumulative; /* of the last bucket; bound NAN: none yet */
	double count;             /* NAN: not given */
};

struct openmetrics_family {
	struct weir_slice name, unit; /* name.data NULL: no family yet */
	enum weir_scrape_type type;
	bool has_help, has_type, has_unit, has_samples;

	uint64_t group; /* hash of the labels that tell metrics apart */
	bool in_group, group_stamped;
	double group_stamp;
	uint64_t *groups; /* those seen, for their order */
	size_t group_count, group_capacity;
	struct weir_rowmap group_map;
	struct openmetrics_histogram histogram;

	struct weir_names *taken; /* names of samples that families before hold */
};

void weir_openmetrics_family_init(struct openmetrics_family *family);
void weir_openmetrics_family_release(struct openmetrics_family *family);

/* Each returns NULL, or what is wrong in a few words, static. */
const char *weir_openmetrics_family_metadata(struct openmetrics_family *family,
                                             const struct scrape_metadata *metadata);
const char *weir_openmetrics_family_sample(struct openmetrics_family *family,
                                           const struct scrape_line *line);
/* The family is complete. */
const char *weir_openmetrics_family_end(struct openmetrics_family *family);

/* A sample of a histogram, and the end of one of its metrics. */
const char *weir_openmetrics_histogram_sample(struct openmetrics_histogram *histogram,
                                              struct weir_slice suffix,
                                              const struct scrape_line *line);
const char *weir_openmetrics_histogram_end(struct openmetrics_histogram *histogram);

#endif
