/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of a metrics page. Two grammars: that of OpenMetrics 1.0, which leaves no choice, and
 * that of the Prometheus text format 0.0.4, which allows blanks nearly everywhere. Escapes of label
 * values are resolved in place, so the line must be writable; slices point into it.
 */
#ifndef WEIR_READERS_SCRAPE_LINE_H
#define WEIR_READERS_SCRAPE_LINE_H

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
	bool missing;  /* "N/A" and the like where the value belongs; Prometheus text only */
	bool stamped;  /* a time stamp follows the value */
	double stamp;  /* as written */
	int64_t at_ns; /* Unix time; WEIR_NO_TIME: none, or beyond int64 */
	bool exemplar; /* " # {...}" follows; its own syntax was checked, its labels are dropped */
};

/* NULL: read; else what is wrong with it, in a few words, static. */
const char *weir_scrape_line_parse(char *line, size_t len, enum scrape_grammar grammar,
                                   struct scrape_line *out);

/* "# TYPE name text": what a line of metadata holds. */
struct scrape_metadata {
	struct weir_slice keyword, name, text;
	bool complete; /* a third blank was there, so that the text may be empty */
};

/* Of a line that begins with '#'; false: no keyword follows it. Blanks are single in OpenMetrics
 * and free in Prometheus text. */
bool weir_scrape_metadata_parse(const char *line, size_t len, enum scrape_grammar grammar,
                                struct scrape_metadata *out);

/* "histogram"; false: no such type. */
bool weir_scrape_type_parse(struct weir_slice text, enum weir_scrape_type *out);

/* Whole names of metrics and labels: [a-zA-Z_:][a-zA-Z0-9_:]*, labels without colons. */
bool weir_scrape_is_metric_name(struct weir_slice name);

/* The value of "le" or "quantile", of a sample or a time stamp: decimal, NaN, or infinity with or
 * without a sign; in Prometheus text hexadecimal as well. */
bool weir_scrape_number_parse(struct weir_slice text, enum scrape_grammar grammar, double *out);

/* The label of this name, or NULL. */
const struct scrape_text_label *weir_scrape_line_label(const struct scrape_line *line,
                                                       const char *name);

#endif
