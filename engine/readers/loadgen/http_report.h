/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holds the results that load generators for HTTP print at the end of a test: how many requests
 * completed and failed, in how much time, with which latencies. Names and units of the figures are
 * here, as are the rules that all these reports share:
 *
 * - Times and percentiles are figures as the tool states them; what it does not print is unknown.
 * - The rates of most tools count failed requests too: with failures, the share of completed
 *   requests is taken of the stated rate if that fits the stated number of requests, else their
 *   number is divided by the time of the test.
 *
 * A reader of a text is a table of lines (struct weir_http_line). Several reports in one text are
 * joined as the results of other load generators are (load_join.h).
 */
#ifndef WEIR_READERS_LOADGEN_HTTP_REPORT_H
#define WEIR_READERS_LOADGEN_HTTP_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/csv.h"

#define WEIR_HTTP_FIRST_FAILURE 400 /* least status of HTTP that is a failure */
#define WEIR_HTTP_REMARK        64  /* bytes */
#define WEIR_HTTP_LATENCY       "latency"

/* The numbers of a report. Times are milliseconds unless their name has another unit. */
enum weir_http_slot {
	WEIR_HTTP_NOTHING, /* a number that is passed over */
	WEIR_HTTP_REQUESTS,
	WEIR_HTTP_DURATION_MS,
	WEIR_HTTP_DURATION_S,
	WEIR_HTTP_RATE,
	WEIR_HTTP_SENT_RATE, /* of requests that were sent, answered or not */
	WEIR_HTTP_CONCURRENCY,
	WEIR_HTTP_THREADS,
	/* latencies */
	WEIR_HTTP_MIN,
	WEIR_HTTP_MEAN,
	WEIR_HTTP_STDEV,
	WEIR_HTTP_MAX,
	WEIR_HTTP_MEDIAN,
	WEIR_HTTP_P75,
	WEIR_HTTP_P90,
	WEIR_HTTP_P95,
	WEIR_HTTP_P97_5,
	WEIR_HTTP_P99,
	/* parts of them: until the connection stands, and from then to the first byte */
	WEIR_HTTP_MEAN_CONNECT,
	WEIR_HTTP_MEDIAN_CONNECT,
	WEIR_HTTP_MEAN_WAITING,
	WEIR_HTTP_MEDIAN_WAITING,
	WEIR_HTTP_MEAN_FIRST_BYTE, /* from the start of the request */
	/* requests that failed */
	WEIR_HTTP_BAD_STATUS,
	WEIR_HTTP_NO_ANSWER, /* for one of the reasons in `unanswered` */
	WEIR_HTTP_CONNECT_ERRORS,
	WEIR_HTTP_READ_ERRORS,
	WEIR_HTTP_WRITE_ERRORS,
	WEIR_HTTP_TIMEOUTS,
	WEIR_HTTP_EXCEPTIONS,
	WEIR_HTTP_OTHER_FAILURES, /* the tool states no reason */
	/* of one tool */
	WEIR_HTTP_STATED_FAILURES, /* of ab, which counts answers of another length as well */
	WEIR_HTTP_ODD_LENGTHS,     /* answers with another length than the first */
	WEIR_HTTP_UNFINISHED,      /* requests that the end of the test cut off */
	WEIR_HTTP_BEGIN_MS,        /* of the test */
	WEIR_HTTP_END_MS,          /* of the test */
	WEIR_HTTP_SENT,            /* requests, answered or not */
	WEIR_HTTP_SUCCESSES,       /* of the requests that were answered */
	WEIR_HTTP_PIPELINE,        /* requests of a connection at a time */
	WEIR_HTTP_IN_FLIGHT,       /* mean number of requests */
	WEIR_HTTP_ROUNDED_MEAN,    /* latency, of which the settling makes WEIR_HTTP_MEAN */
	/* parts of a percentile: together in one line */
	WEIR_HTTP_AT_PERCENT,
	WEIR_HTTP_AT_SHARE, /* the same as a share of 1 */
	WEIR_HTTP_AT_TIME,
	WEIR_HTTP_SLOTS
};

struct weir_http_report {
	struct weir_input *input;      /* takes the warnings */
	struct weir_run *run;          /* owned until the report ends */
	double value[WEIR_HTTP_SLOTS]; /* NAN: not stated */
	double completed;              /* requests; NAN: unknown */
	char remark[WEIR_HTTP_REMARK]; /* a further warning; empty: none */
	unsigned unanswered; /* reasons why requests have no answer: bits, see http_report.c */
	unsigned section;    /* of the text */
	bool has_values;
	bool of_variant;         /* of another version of the tool, as its reader says */
	bool quiet;              /* part of a larger report, which warns */
	bool times_of_completed; /* no times of failed requests are counted */
};

void weir_http_report_init(struct weir_http_report *report, struct weir_input *input);
void weir_http_report_release(struct weir_http_report *report);

/* Takes a number and adds its figure or label to the run. The first of several values counts.
 * Returns false, with a warning, for a number that is not finite, is negative, or is a count beyond
 * 2^53. */
bool weir_http_report_set(struct weir_http_report *report, enum weir_http_slot slot, double value,
                          uint64_t at);
/* Adds to a count of requests. */
void weir_http_report_count(struct weir_http_report *report, enum weir_http_slot slot, double value,
                            uint64_t at);
/* Adds the figure of a percentile of latencies ("latency") or other times. Passes over 0 and 100.
 */
void weir_http_report_percentile(struct weir_http_report *report, const char *of, double percent,
                                 double ms, uint64_t at);
/* Counts requests with a status of HTTP as completed or failed. */
void weir_http_report_status(struct weir_http_report *report, int64_t status, double count,
                             uint64_t at);
/* Counts requests that were not answered. */
void weir_http_report_unanswered(struct weir_http_report *report, double count, uint64_t at);
/* Takes the text of one or more errors, which may say why requests have no answer. */
void weir_http_report_error(struct weir_http_report *report, struct weir_slice text);
/* Returns a count; 0 if the report does not state it. */
double weir_http_report_counted(const struct weir_http_report *report, enum weir_http_slot slot);
/* Returns the number of requests that failed, for whatever reason. */
double weir_http_report_failed(const struct weir_http_report *report);

/* Adds the rate and the numbers of requests to the run, and warns of failed ones. Fails if no
 * request completed, or with WEIR_E_EMPTY if the report has no time and no rate; `expected` is an
 * example of them. */
enum weir_status weir_http_report_settle(struct weir_http_report *report, const char *expected,
                                         struct weir_error *err);
/* Settles the only report of a file and gives its run to the input. */
enum weir_status weir_http_report_conclude(struct weir_http_report *report, const char *expected,
                                           struct weir_error *err);

/* Parses "8.45 ms", "0.0013 secs" or "1m30.5s" into ms; NAN: it is another text. */
double weir_http_parse_ms(struct weir_slice text);
/* Parses seconds, down to nanoseconds, into ms; NAN: it is no number. */
double weir_http_parse_seconds(struct weir_slice text);
/* Parses a number with commas or without them ("1,119.75"), and commas and brackets around it; NAN:
 * it is another text. */
double weir_http_parse_number(struct weir_slice text);

/* ---- texts ---- */

#define WEIR_HTTP_LINE_SLOTS 8

/* A line of a report. Words of the pattern must be equal to those of the line, and these stand for
 * others: "#" a number, "$" a number of seconds, "%" a number with that sign, "@" a time with its
 * unit, "*" any word, "..." any words, at the end; "\\#" is the word "#" itself, and so on. Commas
 * and brackets around a number do not count. */
struct weir_http_line {
	const char *pattern;
	enum weir_http_slot slots[WEIR_HTTP_LINE_SLOTS]; /* of the numbers, in their order */
	bool begins;                                     /* it is the first line of a report */
	bool again;     /* it is that if the report has its first number already */
	unsigned in;    /* the section that it must be in; 0: any */
	unsigned enter; /* the section that it begins; 0: it begins none */
	const char *of; /* the times of its percentile; NULL: latencies */
};

struct weir_http_text {
	const struct weir_http_line *lines; /* ends with a NULL pattern; the first match counts */
	/* Takes a line that the table cannot describe; returns false for others. May be NULL. */
	bool (*take)(struct weir_http_report *report, const struct weir_csv_row *row);
	/* Computes how many requests completed. */
	void (*settle)(struct weir_http_report *report);
	const char *expected; /* an example of a time, for the error that finds none */
};

/* Reads a text of one or more reports into the input's run. */
enum weir_status weir_http_text_read(const struct weir_http_text *text, struct weir_source *source,
                                     struct weir_input *input, struct weir_error *err);

/* Returns the number of bits of the texts, which end with NULL; 0 if one of them is missing, or the
 * head is JSON or HTML. */
int weir_http_text_sniff(const char *head, size_t len, const char *const *texts);

#endif
