/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One page of a server's metrics (Prometheus text, OpenMetrics): families of series, and the
 * samples of each series. Readers fill it and judge nothing; counters are kept as read. A scrape
 * owns everything in it.
 *
 * A family has the name of its metadata: in Prometheus text the name of a counter ends in "_total",
 * in OpenMetrics it does not; see weir_scrape_base_length(). The labels of a series are sorted by
 * name, without "le" and "quantile", which are bounds of its samples. Values of labels that no
 * analysis reads (pods, hosts) are kept as hashes, which only distinguish series.
 */
#ifndef WEIR_MODEL_SCRAPE_H
#define WEIR_MODEL_SCRAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"
#include "engine/base/rowmap.h"

#define WEIR_MAX_SCRAPE_SAMPLES  (1u << 20)
#define WEIR_MAX_SCRAPE_LABELS   64 /* labels of one series */
#define WEIR_MAX_SCRAPES_BETWEEN 512

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
	WEIR_PART_VALUE,  /* value of a counter, gauge, state or info */
	WEIR_PART_BUCKET, /* number of observations up to `bound` */
	WEIR_PART_SUM,
	WEIR_PART_COUNT,
	WEIR_PART_CREATED,  /* creation time in Unix seconds */
	WEIR_PART_QUANTILE, /* quantile of a summary, at `bound` */
};

struct weir_scrape_family {
	uint32_t name, unit; /* name ids; unit 0: not stated */
	uint8_t type;        /* enum weir_scrape_type */
	bool by_name;        /* no TYPE line: the type follows from the names of its series */
	size_t first_series, series_count; /* range of `by_family`; set by weir_scrape_finish() */
};

struct weir_scrape_label {
	uint32_t name, value; /* name ids */
};

struct weir_scrape_series {
	uint32_t family;
	size_t first_label, label_count;
	size_t first_sample, sample_count; /* set by weir_scrape_finish() */
};

struct weir_scrape_sample {
	uint32_t series;
	uint8_t part;  /* enum weir_scrape_part */
	double bound;  /* bound of a bucket (INFINITY: the last) or quantile; else 0 */
	double value;  /* NAN: the page states NaN */
	int64_t at_ns; /* Unix time; WEIR_NO_TIME: not stated */
};

struct weir_scrape {
	struct weir_names *names;
	struct weir_scrape_family *families;
	size_t family_count, family_capacity;
	struct weir_scrape_series *series;
	size_t series_count, series_capacity;
	struct weir_scrape_label *labels;
	size_t label_count, label_capacity;
	struct weir_scrape_sample
		*samples; /* after weir_scrape_finish() sorted by series, part, bound */
	size_t sample_count, sample_capacity;
	uint32_t *by_family; /* series sorted by family, then order of arrival */
	struct weir_rowmap family_map, series_map;
	int64_t at_ns;               /* latest time stamp; WEIR_NO_TIME: none */
	struct weir_scrape *earlier; /* first scrape of the same file; NULL: it has only one */
	/* Scrapes between `earlier` and this one in order of the file, of the last scrape of a
	 * file: values, sums and counts only. Of more than WEIR_MAX_SCRAPES_BETWEEN, every n-th is
	 * kept. */
	struct weir_scrape **between;
	size_t between_count, between_capacity;
};

struct weir_scrape *weir_scrape_new(void);
void weir_scrape_free(struct weir_scrape *scrape);

/* Finds or adds a family. */
uint32_t weir_scrape_family(struct weir_scrape *scrape, const char *name, size_t len);
/* Finds a family; WEIR_ROWMAP_NONE: not found. */
uint32_t weir_scrape_find_family(const struct weir_scrape *scrape, const char *name, size_t len);
/* Finds or adds a series, and sorts the labels in place. At most WEIR_MAX_SCRAPE_LABELS of them. */
uint32_t weir_scrape_series(struct weir_scrape *scrape, uint32_t family,
                            struct weir_scrape_label *labels, size_t count);
/* Appends a sample; the caller keeps to WEIR_MAX_SCRAPE_SAMPLES. */
void weir_scrape_add(struct weir_scrape *scrape, const struct weir_scrape_sample *sample);
/*
 * Completes the scrape; call it once, after the last sample. Families "x_sum", "x_count" and
 * "x_created" become parts of the histogram, summary or counter x. Without a TYPE line x is a
 * summary if each series of "x_sum" has one of "x_count". Sorts, and keeps the last of repeated
 * samples.
 */
void weir_scrape_finish(struct weir_scrape *scrape);

/* Returns the length of a family's name without the "_total" of a counter. */
size_t weir_scrape_base_length(const struct weir_scrape *scrape, uint32_t family);
/* Returns the value of a label of a series; NULL: it has no such label. */
const char *weir_scrape_label(const struct weir_scrape *scrape, uint32_t series, const char *name);
/* Finds the series of another scrape with the same family and labels; WEIR_ROWMAP_NONE: not found.
 */
uint32_t weir_scrape_counterpart(const struct weir_scrape *other, const struct weir_scrape *scrape,
                                 uint32_t series);
/* Finds the series of the same family that has the labels of `series` but the one at `index`;
 * WEIR_ROWMAP_NONE: not found, or without samples. */
uint32_t weir_scrape_without_label(const struct weir_scrape *scrape, uint32_t series, size_t index);
/* Returns the sample of one part of a series, after weir_scrape_finish(); NAN: there is no such
 * part. */
double weir_scrape_value(const struct weir_scrape *scrape, uint32_t series,
                         enum weir_scrape_part part);
/* Returns the value of the family with this name if it has one series; NAN: no such family, or
 * several series. */
double weir_scrape_only_value(const struct weir_scrape *scrape, const char *family);

#endif
