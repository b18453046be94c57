/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a server's metrics page said at one moment (Prometheus text, OpenMetrics): families of
 * series, each series with the samples of its parts. Nothing here is judged, and running totals are
 * as they were read. A scrape owns everything in it.
 *
 * A family is named as its metadata names it: in Prometheus text a counter's name ends in "_total",
 * in OpenMetrics it does not; see weir_scrape_base_length(). The labels of a series are sorted by
 * name and leave out "le" and "quantile", which are bounds of its samples. Values of labels that no
 * analysis reads (pods, hosts) are kept as hashes: they tell series apart and say nothing else.
 */
#ifndef WEIR_MODEL_SCRAPE_H
#define WEIR_MODEL_SCRAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"
#include "engine/base/rowmap.h"

#define WEIR_MAX_SCRAPE_SAMPLES (1u << 20)
#define WEIR_MAX_SCRAPE_LABELS  64 /* of one series */

enum weir_scrape_type {
	WEIR_SCRAPE_UNKNOWN, /* "untyped", "unknown", or no TYPE line */
	WEIR_SCRAPE_COUNTER,
	WEIR_SCRAPE_GAUGE,
	WEIR_SCRAPE_HISTOGRAM,
	WEIR_SCRAPE_GAUGE_HISTOGRAM,
	WEIR_SCRAPE_SUMMARY,
	WEIR_SCRAPE_STATE_SET,
	WEIR_SCRAPE_INFO,
};

enum weir_scrape_part {
	WEIR_PART_VALUE,  /* the value of a counter, gauge, state or info */
	WEIR_PART_BUCKET, /* observations up to `bound` */
	WEIR_PART_SUM,
	WEIR_PART_COUNT,
	WEIR_PART_CREATED,  /* Unix seconds */
	WEIR_PART_QUANTILE, /* of a summary, at `bound` */
};

struct weir_scrape_family {
	uint32_t name, unit;               /* ids; unit 0: not stated */
	uint8_t type;                      /* enum weir_scrape_type */
	size_t first_series, series_count; /* of `by_family`; after weir_scrape_finish() */
};

struct weir_scrape_label {
	uint32_t name, value; /* ids */
};

struct weir_scrape_series {
	uint32_t family;
	size_t first_label, label_count;
	size_t first_sample, sample_count; /* after weir_scrape_finish() */
};

struct weir_scrape_sample {
	uint32_t series;
	uint8_t part;  /* enum weir_scrape_part */
	double bound;  /* of a bucket (INFINITY: the last) or quantile; else 0 */
	double value;  /* NAN: given as such */
	int64_t at_ns; /* Unix time; WEIR_NO_TIME: not given */
};

struct weir_scrape {
	struct weir_names *names;
	struct weir_scrape_family *families;
	size_t family_count, family_capacity;
	struct weir_scrape_series *series;
	size_t series_count, series_capacity;
	struct weir_scrape_label *labels;
	size_t label_count, label_capacity;
	struct weir_scrape_sample *samples; /* finished: by series, part, bound */
	size_t sample_count, sample_capacity;
	uint32_t *by_family; /* series, sorted by family, then order of arrival */
	struct weir_rowmap family_map, series_map;
	int64_t at_ns;               /* latest time stamp; WEIR_NO_TIME: none */
	struct weir_scrape *earlier; /* the first scrape of the same file; NULL: it holds one */
};

struct weir_scrape *weir_scrape_new(void);
void weir_scrape_free(struct weir_scrape *scrape);

/* Finds or adds. */
uint32_t weir_scrape_family(struct weir_scrape *scrape, const char *name, size_t len);
/* WEIR_ROWMAP_NONE: no such family. */
uint32_t weir_scrape_find_family(const struct weir_scrape *scrape, const char *name, size_t len);
/* Finds or adds; sorts the labels in place. At most WEIR_MAX_SCRAPE_LABELS of them. */
uint32_t weir_scrape_series(struct weir_scrape *scrape, uint32_t family,
                            struct weir_scrape_label *labels, size_t count);
/* Appends; the caller keeps WEIR_MAX_SCRAPE_SAMPLES. */
void weir_scrape_add(struct weir_scrape *scrape, const struct weir_scrape_sample *sample);
/*
 * Once, behind the last sample: gives "x_sum", "x_count" and "x_created" that came as families of
 * their own to the histogram, summary or counter x, sorts, and keeps the last of samples that are
 * given more than once.
 */
void weir_scrape_finish(struct weir_scrape *scrape);

const char *weir_scrape_family_name(const struct weir_scrape *scrape, uint32_t family);
/* The length of a family's name without the "_total" of a counter. */
size_t weir_scrape_base_length(const struct weir_scrape *scrape, uint32_t family);
/* The value of a label of a series; NULL: it has no such label. */
const char *weir_scrape_label(const struct weir_scrape *scrape, uint32_t series, const char *name);
/* The series of another scrape with the same family and labels; WEIR_ROWMAP_NONE: none. */
uint32_t weir_scrape_counterpart(const struct weir_scrape *other, const struct weir_scrape *scrape,
                                 uint32_t series);
/* The sample of one part of a finished scrape's series; NAN: none. */
double weir_scrape_value(const struct weir_scrape *scrape, uint32_t series,
                         enum weir_scrape_part part);

#endif
