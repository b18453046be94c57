/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of load generators for HTTP that are JSON, by a table of the paths of their
 * numbers (struct weir_http_number), into the figures of http_report.h.
 */
#ifndef WEIR_READERS_LOADGEN_HTTP_JSON_H
#define WEIR_READERS_LOADGEN_HTTP_JSON_H

#include "engine/readers/loadgen/http_report.h"
#include "engine/readers/parts/jsonleaves.h"

enum weir_http_unit {
	WEIR_HTTP_PLAIN, /* a count, a rate, or milliseconds */
	WEIR_HTTP_SECONDS,
	WEIR_HTTP_US,
	WEIR_HTTP_NS,
};

struct weir_http_number {
	const char *path;
	enum weir_http_slot slot;
	enum weir_http_unit unit;
};

struct weir_http_json {
	const struct weir_http_number *numbers; /* ends with a NULL path */
	/* Takes a leaf that the table does not name. May be NULL. */
	void (*take)(struct weir_http_report *report, const struct weir_jsonleaf *leaf);
	/* Computes how many requests completed. */
	void (*settle)(struct weir_http_report *report);
	const char *expected; /* an example of a time, for the error that finds none */
	bool lists;           /* give arrays to `take`, each as one leaf */
};

/* Returns the number of a leaf, times in ms; NAN if it is null or not a number. */
double weir_http_json_number(const struct weir_jsonleaf *leaf, enum weir_http_unit unit);

/* Reads a file that is one report. Fails if it is damaged in any way. */
enum weir_status weir_http_json_read(const struct weir_http_json *json, struct weir_source *source,
                                     struct weir_input *input, struct weir_error *err);

/* Reads a file that is one report as JSON, if it begins with a brace, or else a text of reports. */
enum weir_status weir_http_json_or_text_read(const struct weir_http_json *json,
                                             const struct weir_http_text *text,
                                             struct weir_source *source, struct weir_input *input,
                                             struct weir_error *err);

/* Takes a report that is one line of a text. Returns false for a line that does not begin with a
 * brace; a damaged line is counted as a warning. */
bool weir_http_json_line(const struct weir_http_json *json, struct weir_http_report *report,
                         const struct weir_csv_row *row);

#endif
