/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses lines of metrics pages, and recognises such pages. There are two grammars:
 * OpenMetrics 1.0, which is strict, and the Prometheus text format 0.0.4, which allows blanks
 * nearly everywhere. Escapes of label values are resolved in place, so the line must be writable;
 * slices point into it.
 */
#ifndef WEIR_READERS_SCRAPE_SCRAPE_LINE_H
#define WEIR_READERS_SCRAPE_SCRAPE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/slice.h"
#include "engine/model/scrape.h"

enum scrape_grammar {
	SCRAPE_PROMETHEUS,
	SCRAPE_OPENMETRICS,
};

struct scrape_text_label {
	struct weir_slice name, value;
};

struct scrape_line {
	struct weir_slice name;
	struct scrape_text_label labels[WEIR_MAX_SCRAPE_LABELS];
	size_t label_count;
	double value;
	bool missing;  /* the value is "N/A" or similar; Prometheus text only */
	bool stamped;  /* a time stamp follows the value */
	double stamp;  /* as written */
	int64_t at_ns; /* Unix time; WEIR_NO_TIME: not given, or beyond int64 */
	bool exemplar; /* " # {...}" follows; its syntax was checked, its labels are dropped */
};

/* Returns NULL, or the fault of the line in a few words; static. */
const char *weir_scrape_line_parse(char *line, size_t len, enum scrape_grammar grammar,
                                   struct scrape_line *out);

/* A line of metadata: "# TYPE name text". */
struct scrape_metadata {
	struct weir_slice keyword, name, text;
	bool complete; /* the name ends with a blank, so the text may be empty */
};

/* Parses a line that begins with '#'; false if no keyword follows. Blanks are single in OpenMetrics
 * and of any number in Prometheus text. */
bool weir_scrape_metadata_parse(const char *line, size_t len, enum scrape_grammar grammar,
                                struct scrape_metadata *out);

/* Parses "histogram"; false if there is no such type. */
bool weir_scrape_type_parse(struct weir_slice text, enum weir_scrape_type *out);

/* True for a whole name of a metric: [a-zA-Z_:][a-zA-Z0-9_:]*. */
bool weir_scrape_is_metric_name(struct weir_slice name);

/* Parses the value of "le" or "quantile", of a sample or a time stamp: decimal, NaN, or infinity
 * with or without a sign; in Prometheus text also hexadecimal. Go's ParseFloat takes the same, and
 * the format's first readers use it. */
bool weir_scrape_number_parse(struct weir_slice text, enum scrape_grammar grammar, double *out);

/* Returns the label of this name, or NULL. */
const struct scrape_text_label *weir_scrape_line_label(const struct scrape_line *line,
                                                       const char *name);

/* True if a line begins with "# EOF" or "# UNIT", which only OpenMetrics has. Prometheus text would
 * treat both as comments, but nobody writes them there. */
bool weir_scrape_is_openmetrics(const char *text, size_t len);

/* Returns the number of bits that verify a metrics page of either format; 0: it is not one. */
int weir_scrape_sniff(const char *head, size_t len);

#endif
