/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The means and percentiles that a load generator states for one run under one load, in the shape
 * that the summaries of serving benchmarks share. A reader brings tables that map places of its
 * report to members of the summary. Names, units and directions of the figures are here, and so
 * are the checks that every client's summary needs. Unknown is NAN. A summary owns nothing.
 */
#ifndef WEIR_READERS_LOADGEN_CLIENT_SUMMARY_H
#define WEIR_READERS_LOADGEN_CLIENT_SUMMARY_H

#include "engine/base/source.h"
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/parts/jsonleaves.h"

#define WEIR_CLIENT_MAX_PERCENTILES 128
#define WEIR_CLIENT_PERCENTILE      10 /* bytes of "p99.9" and its NUL */

/* Milliseconds. */
struct weir_client_times {
	double mean, median, p75, p90, p95, p99;
};

/* A percentile that struct weir_client_times has no member for, or the least or largest time. */
struct weir_client_percentile {
	size_t slot; /* offsetof() in the summary: of the times that it belongs to */
	char name[WEIR_CLIENT_PERCENTILE]; /* "p99.9", "min", "max" */
	double ms;
};

/* The members before `others` are all doubles. */
struct weir_client_summary {
	struct weir_client_times e2e, ttft;
	struct weir_client_times ttst;    /* from the first token to the second */
	struct weir_client_times tpot;    /* (end to end - first token) / (output tokens - 1) */
	struct weir_client_times itl;     /* gaps between outputs */
	struct weir_client_times ntpot;   /* end to end / output tokens, first token included */
	struct weir_client_times queue;   /* from when a request was due to when it was sent */
	struct weir_client_times latency; /* of an iteration, without any server */
	/* Means of the samples, ms; NAN: there are no samples. */
	double sampled_tpot, sampled_e2e;

	double sent, completed, failed;
	double good;              /* completed requests that met their targets */
	double missed_length;     /* completed requests with another output than was asked for */
	double asked_tokens;      /* of output, which the completed requests asked for */
	double retokenized;       /* output tokens, counted again by the tokenizer of the client */
	double length_difference; /* mean difference of these lengths, %; below 0: shorter */
	double prompts;           /* requests that the tool was to send */
	double max_concurrency;   /* requests at a time, at most */
	double duration_s;
	double total_input_tokens, total_output_tokens; /* of all completed requests */
	double concurrency;                             /* mean number of requests in flight */
	double peak_concurrency;                        /* requests in flight, at most */
	double peak_output_throughput;                  /* tokens in the busiest second */
	double rounding; /* largest error of rates and of the duration; NAN: they are exact */
	double input_tokens, output_tokens;     /* means of a request */
	double shortest_output, longest_output; /* tokens of a request */
	double requested_per_s, achieved_per_s; /* of the load, not of the answers */

	double request_throughput, request_goodput;                   /* 1/s */
	double input_throughput, output_throughput, total_throughput; /* tokens/s */
	double output_throughput_per_user, output_throughput_per_gpu; /* tokens/s */
	double input_throughput_per_gpu, total_throughput_per_gpu;    /* tokens/s */
	double output_speed_per_user;              /* tokens/s of a request after its first token */
	double acceptance_rate, acceptance_length; /* of drafts: %, tokens of a step */

	struct weir_client_percentile others[WEIR_CLIENT_MAX_PERCENTILES];
	size_t other_count;
	/* True if the tool divides the decode time of each request by its tokens and takes
	 * statistics of these ratios. Their mean differs from the ratio of the means if output
	 * lengths differ. */
	bool tpot_by_request;
	/* True if some versions of the tool count chunks as tokens: a mean far below the ratio of
	 * the means is then one over chunks. */
	bool counts_chunks;
};

#define WEIR_CLIENT_SLOT(field) offsetof(struct weir_client_summary, field)

/* One place of a report: the path of a number, or of an object of statistics. */
struct weir_client_row {
	const char *path;
	size_t slot;  /* of a double, or of a struct weir_client_times */
	double scale; /* from the report's unit to ours */
	bool times;
};

#define WEIR_CLIENT_TIMES(field, path, scale)                                                      \
	{                                                                                          \
		path, WEIR_CLIENT_SLOT(field), scale, true                                         \
	}
#define WEIR_CLIENT_NUMBER(field, path)                                                            \
	{                                                                                          \
		path, WEIR_CLIENT_SLOT(field), 1, false                                            \
	}

/* The place of a report that describes a condition of the run, and the key of its label. */
struct weir_client_label {
	const char *path, *key;
};

/* The place of a number that becomes a figure, unless it is 0, which stands for unknown. */
struct weir_client_figure {
	const char *path, *name, *unit;
	double scale; /* from the report's unit to ours */
	bool higher_is_better;
};

void weir_client_summary_init(struct weir_client_summary *summary);

/* Sets the number at a slot. The first of several values counts: returns false if there was one. */
bool weir_client_summary_set(struct weir_client_summary *summary, size_t slot, double value);
/* Sets one of the times at a slot by the name of a statistic: mean (average, avg), median (p50),
 * p75, p90, p95, p99. Returns false if the name is another one, or if there was a value. */
bool weir_client_summary_set_statistic(struct weir_client_summary *summary, size_t slot,
                                       struct weir_slice name, double ms);
bool weir_client_is_statistic(struct weir_slice name);
/* Adds a percentile without a member in struct weir_client_times. Returns false if the name exists.
 * The caller checks the limits WEIR_CLIENT_MAX_PERCENTILES and WEIR_CLIENT_PERCENTILE. */
bool weir_client_summary_add_percentile(struct weir_client_summary *summary, size_t slot,
                                        struct weir_slice name, double ms);
/* Marks the times at a slot as unknown, with their further percentiles. */
void weir_client_summary_forget(struct weir_client_summary *summary, size_t slot);

/* Takes a leaf that a row names. The table ends with a NULL path. *odd is set if the leaf is not a
 * number. */
void weir_client_summary_take(struct weir_client_summary *summary,
                              const struct weir_client_row *rows, const struct weir_jsonleaf *leaf,
                              bool *odd);
void weir_client_summary_label(struct weir_run *run, const struct weir_client_label *labels,
                               const struct weir_jsonleaf *leaf);

/*
 * Checks the summary against itself. A time per output token that contradicts end to end time,
 * first token and length is computed again: one more than 10 % off their ratio, or, with
 * tpot_by_request, one with all percentiles more than 10 % below their ratio, one more than 5 % off
 * it if all answers are of one length, and, with counts_chunks, one more than 30 % below it. Gaps
 * between chunks of several tokens, whose mean is not that of the time per output token, and a
 * "first token" that is the whole answer, are removed. Each of these, a load below the requested
 * one and failed requests are warnings. Fails if no request completed.
 */
enum weir_status weir_client_summary_check(struct weir_client_summary *summary,
                                           struct weir_input *input, struct weir_error *err);

/* Warns if totals contradict each other by more than 5 %: more requests completed than were to be
 * sent, more were good than completed, they took longer than the concurrency permits in the
 * duration, far less output came than was asked for, or a throughput is not its total over the
 * duration. Without a duration, the throughput of output must be that of requests times their
 * output. All figures are kept. Part of weir_client_summary_check(). */
void weir_client_totals_check(const struct weir_client_summary *summary, struct weir_input *input);

/* Fails because no request completed. */
enum weir_status weir_client_fail_none_completed(struct weir_error *err);

/* Checks a summary that is all of a run and adds its figures to the input's run, with a warning
 * that they are not samples. WEIR_E_EMPTY if none of them is a time or a rate; `expected` names
 * their place in the report. */
enum weir_status weir_client_summary_conclude(struct weir_client_summary *summary,
                                              struct weir_input *input, const char *expected,
                                              struct weir_error *err);

/* Adds the figures to the run; prefix ("constant@2/", "") goes before each name. */
void weir_client_summary_add(const struct weir_client_summary *summary, const char *prefix,
                             struct weir_run *run);

/* Labels the run with how many requests completed and failed in how much time, with how many
 * tokens and requests in flight. These are labels and not figures: more of them is neither better
 * nor worse. */
void weir_client_summary_label_totals(const struct weir_client_summary *summary,
                                      struct weir_run *run);
/* Labels the run with how many requests of one of several loads completed, which may be none, and
 * failed. The prefix ("constant@2/") goes before each key. */
void weir_client_summary_label_load(const struct weir_client_summary *summary, const char *prefix,
                                    struct weir_run *run);
/* Returns true for the key of such a label, which differs between repeats of one load. */
bool weir_client_is_total(const char *key);

/* Counts `count` warnings at once; a count below 1 or unknown adds nothing. */
void weir_client_summary_warn(struct weir_input *input, enum weir_warning_code code, double count);

/* A report that is one JSON object and one run, or a JSON list of requests. */
struct weir_client_report {
	const struct weir_client_row *rows;       /* ends with a NULL path */
	const struct weir_client_label *labels;   /* ends with a NULL path */
	const struct weir_client_figure *figures; /* ends with a NULL path; NULL: none */
	const char *expected; /* place of the times, for the error that finds none */
	bool tpot_by_request; /* as in the summary */
	/* Refuses a summary for a reason of its format, and may set how it is checked; may be
	 * NULL. */
	enum weir_status (*check)(struct weir_client_summary *summary, struct weir_error *err);
	const struct weir_client_format *requests; /* of a document that is a list */
};

/* Gives the input a run with the labels and the figures of the summary, or its requests. */
enum weir_status weir_client_report_read(const struct weir_client_report *report,
                                         struct weir_source *source, struct weir_input *input,
                                         struct weir_error *err);

/* ---- single rules, for readers that have samples ---- */

/* True if the median gap is far below the mean gap: most gaps separate chunks of one burst. */
bool weir_client_coalesced(double median_gap, double mean_gap);
/* Upper limit of the rate at which requests were sent: the last one was sent before the longest
 * one began, and twice the spread of random gaps is added. NAN if that leaves no time. */
double weir_client_highest_rate(double sent, double duration_s, double longest_s);

#endif
