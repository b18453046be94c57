/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weir as a library, for C and C++. It reads the profiles of one run and returns a verdict, or it
 * compares two sets of runs and returns the verdict of a gate.
 *
 *	struct weir_result *result = weir_classify_files(paths, count, NULL);
 *
 *	if (weir_result_code(result) == 0)
 *		printf("%s\n%s", weir_result_headline(result), weir_result_render(result, "json"));
 *	else
 *		fprintf(stderr, "%s\n", weir_result_error(result));
 *	weir_result_free(result);
 *
 * Threads: different threads may work on different results at the same time; one result must be
 * used by one thread at a time. A call may start threads, which end before it returns.
 * The library reads one environment variable, SOURCE_DATE_EPOCH, which stands for the current time.
 *
 * Memory: a call that runs out of memory fails with code 9 and the error "out of memory". Results
 * of earlier steps are freed with the result. Memory that the interrupted step had allocated, and
 * files that it had open, are lost to the process: a program that sees this error should save its
 * data and exit.
 *
 * Texts and numbers: all texts are UTF-8 and belong to the result, until weir_result_free().
 * Unknown numbers are NAN, unknown texts NULL. Times are in nanoseconds, shares from 0 to 1.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_API __attribute__((visibility("default")))

/* Version of this header; a program may run with a library of another version. Within a major
 * version (while it is 0: within a minor version), functions are only added, and members are only
 * added at the end of structs. */
#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

WEIR_API const char *weir_version(void);     /* version of the library: "0.1.0" */
WEIR_API unsigned weir_version_number(void); /* major * 10000 + minor * 100 + patch */

/* ---- requests ---- */

/* Options of a call; weir_options_init() sets each to 0, its default. Texts and lists are borrowed
 * until the call returns. */
struct weir_options {
	size_t size; /* set by weir_options_init() */
	/* Name of an input format, as `weir formats` lists them; NULL: recognised by content. */
	const char *input_format;
	const char *rules_folder; /* folder of rule files; NULL: the built-in rules */
	/* Name of the device whose peak figures are used; NULL: the one that the input names. */
	const char *device;
	/* Path of a weir.json with names of stages, margins and waivers; NULL: the defaults. */
	const char *config;
	/* Percentile of the step time, or of the latency of requests, at which the shares of stages
	 * are read: above 0 and below 100; 0: 95. */
	double percentile;
	double cost_per_gpu_hour; /* price in USD; 0: the price in the configuration */
	int whole_window;         /* 1: analyse all steps, 0: only the steady steps */
	/* 1: keep the data of the formats flame, folded, speedscope and annotated, which takes
	 * memory. */
	int drawings;
	/* Questions "CLASS=FACTOR" about a bound or a cause of idle time; see `weir help
	 * classify`. */
	const char *const *what_if;
	size_t what_if_count;
	/* Called while files are read, from any thread but never by two at once, with the bytes
	 * read and the size of a file; total 0: unknown size. NULL: no progress. It must not call
	 * this library. */
	void (*progress)(void *context, const char *path, unsigned long long done,
	                 unsigned long long total);
	void *progress_context;
	/* For weir_gate_files(): */
	int strict; /* 1: fail if a regression is suspected, or undecided at p50 or shift */
	int require_operators; /* 1: fail if an operator of the baseline is missing */
};

/* Sets all options to their defaults; size is sizeof *options. */
WEIR_API void weir_options_init(struct weir_options *options, size_t size);

struct weir_buffer {
	const char *name; /* name in messages and reports: "trace.json" */
	const void *data; /* content of a whole file, plain or compressed */
	size_t size;      /* bytes of data */
};

struct weir_result;

/*
 * Each of these functions returns a result that the caller frees with weir_result_free(), also
 * after a failure. It returns NULL only if there is no memory for a result; all functions below
 * accept NULL as a failed result. options NULL: the defaults.
 */

/* Reads the files and folders as parts of one run and judges it: `weir classify`. */
WEIR_API struct weir_result *weir_classify_files(const char *const *paths, size_t count,
                                                 const struct weir_options *options);
/* Does the same for files in memory. Databases (Nsight Systems, rocpd) are read only from files. */
WEIR_API struct weir_result *weir_classify_memory(const struct weir_buffer *buffers, size_t count,
                                                  const struct weir_options *options);
/* Compares candidate runs with baseline runs; each path is one run: `weir gate`, but with files in
 * place of the store. */
WEIR_API struct weir_result *weir_gate_files(const char *const *baseline, size_t baseline_count,
                                             const char *const *candidate, size_t candidate_count,
                                             const struct weir_options *options);
WEIR_API void weir_result_free(struct weir_result *result); /* NULL: does nothing */

/* ---- results ---- */

/* Returns the exit code of the program: 0, 2 usage, 7 input, 9 internal or out of memory; for a
 * gate also 1 regression, 3 inconclusive, 5 environment, 6 coverage. If the last
 * weir_result_render() failed, it returns the code of that failure. */
WEIR_API int weir_result_code(const struct weir_result *result);
/* Returns one line that says why the last call failed, or NULL if it succeeded. A gate that finds a
 * regression has succeeded. */
WEIR_API const char *weir_result_error(const struct weir_result *result);

/*
 * Returns the result as a document. Formats of a classification: "text", "json" (weir.report/1),
 * "markdown", "html"; with options.drawings also "flame", "folded", "speedscope", "annotated".
 * Formats of a gate: "text", "json" (weir.gate/1), "markdown", "html", "junit", "sarif",
 * "annotations". Returns NULL on failure: see weir_result_error(). The document is borrowed until
 * the next weir_result_render() of the same result.
 */
WEIR_API const char *weir_result_render(struct weir_result *result, const char *format);

/* These return the verdict of a classification; for other results NULL or NAN. */
/* Returns "runtime", "memory", ..., or "undetermined". */
WEIR_API const char *weir_result_bound(const struct weir_result *result);
/* Returns the cause: "host-dispatch", for example. */
WEIR_API const char *weir_result_cause(const struct weir_result *result);
/* Returns "low", "medium" or "high". */
WEIR_API const char *weir_result_confidence(const struct weir_result *result);
/* Returns the id of the rule that decided. */
WEIR_API const char *weir_result_rule(const struct weir_result *result);
/* Returns the verdict as a sentence. */
WEIR_API const char *weir_result_headline(const struct weir_result *result);
/* Returns a sentence that says what to change, or what to measure next. */
WEIR_API const char *weir_result_next(const struct weir_result *result);
/* Returns the share of the analysed time that the bound accounts for. */
WEIR_API double weir_result_share(const struct weir_result *result);
/* Returns the share of the analysed time that is attributed to a bound, or to "unattributed"; the
 * shares add up to 1. */
WEIR_API double weir_result_attribution(const struct weir_result *result, const char *bound);

/* Returns the verdict of a gate: "pass", "regression", "improvement", "inconclusive", ...; for
 * other results NULL. */
WEIR_API const char *weir_result_verdict(const struct weir_result *result);

/*
 * Rows. Each of these functions fills *out with row `index` and returns 1, or returns 0 if there is
 * no such row. size is sizeof *out: members that only the library knows are not copied, and members
 * that only the program knows become 0.
 */
struct weir_times {
	unsigned long long count;
	double total_ns, p50_ns, p90_ns, p95_ns, p99_ns;
};

struct weir_stage_entry {
	const char *name, *kind;   /* "decode", "compute" */
	const char *bound, *cause; /* verdict of the stage */
	struct weir_times duration;
	double share;     /* share of the analysed time */
	double p95_share; /* share of the time in steps around options.percentile */
};
WEIR_API int weir_result_stage(const struct weir_result *result, size_t index,
                               struct weir_stage_entry *out, size_t size);

/* Operators, largest device time first. */
struct weir_operator_entry {
	const char *name; /* "aten::mm" */
	const char *kernel, *stage, *device;
	const char *kind;     /* "gemm" */
	const char *roofline; /* "compute", "memory", ... */
	const char *bound, *cause;
	struct weir_times call; /* device time per call */
	double share;           /* share of the busy time of the device */
	double flops, bytes;    /* work per call, modelled or counted */
	double tflops, gbps;    /* achieved rates: 10^12 FLOPs and 10^9 bytes a second */
	double efficiency;      /* achieved share of the nearer roof */
};
WEIR_API int weir_result_operator(const struct weir_result *result, size_t index,
                                  struct weir_operator_entry *out, size_t size);

/* Recommendations, largest saving first. */
struct weir_recommendation_entry {
	const char *id, *title, *why, *effort;
	double low, high; /* range of the typical speed-up, at most what this run can gain */
	double limit;     /* speed-up if all the time that it can affect were saved */
};
WEIR_API int weir_result_recommendation(const struct weir_result *result, size_t index,
                                        struct weir_recommendation_entry *out, size_t size);

/* Answers to options.what_if, in its order. */
struct weir_what_if_entry {
	const char *class_name;
	double factor, step_ns, speedup;
};
WEIR_API int weir_result_what_if(const struct weir_result *result, size_t index,
                                 struct weir_what_if_entry *out, size_t size);

/* Rows of a gate, worst first. Changes, intervals and margins are relative: 0.05 is 5 %. */
struct weir_row_entry {
	const char *scope, *metric; /* "stage:decode", "p99" */
	const char *outcome;        /* "regression", "no-change", ... */
	const char *unit, *note;
	double baseline, candidate, change, low, high, p, p_adjusted, margin, mde;
};
WEIR_API int weir_result_row(const struct weir_result *result, size_t index,
                             struct weir_row_entry *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
