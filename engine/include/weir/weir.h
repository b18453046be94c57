/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weir as a library, for C and C++: profiles of a run in, a verdict out; or two sets of runs in, a
 *gate's verdict out.
 *
 *	struct weir_result *result = weir_classify_files(paths, count, NULL);
 *
 *	if (weir_result_code(result) == 0)
 *		printf("%s\n%s", weir_result_headline(result), weir_result_render(result, "json"));
 *	else
 *		fprintf(stderr, "%s\n", weir_result_error(result));
 *	weir_result_free(result);
 *
 * Threads: a result is used by one thread at a time; different results are independent. The library
 *starts threads of its own while it reads and analyses, and has ended them when a call returns.
 *
 * Memory: a call that runs out of it fails with code 9 and the error "out of memory". What the
 *library had read before is freed with the result. What the step at hand had allocated itself is
 *lost to the process (the input that was being read, an analysis, or a document), and files that it
 *was reading stay open: a program that sees this error should save what it must and end.
 *
 * Texts and times: all texts are UTF-8 and belong to the result, until weir_result_free(). Unknown
 *numbers are NAN, unknown texts NULL. Times are nanoseconds, shares are 0 to 1.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_API __attribute__((visibility("default")))

/* Of this header; a program may run with a library of another version. Within a major version
 * (while it is 0: within a minor version) members are only added behind others, and calls only
 * added. */
#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

WEIR_API const char *weir_version(void);     /* of the library: "0.1.0" */
WEIR_API unsigned weir_version_number(void); /* major * 10000 + minor * 100 + patch */

/* ---- what to do ---- */

/* All members are 0 after weir_options_init(), which is their default. Everything is borrowed for
 * one call. */
struct weir_options {
	size_t size; /* set by weir_options_init() */
	const char
		*input_format; /* a name that `weir formats` lists; NULL: recognised by content */
	const char *rules_folder; /* judge by the rules in this folder; NULL: the built-in ones */
	const char *device; /* take the peaks of this device; NULL: of that which the input names */
	const char *config; /* a weir.json: names of stages, margins, waivers; NULL: the defaults */
	double percentile;  /* of the step time for the shares of stages, above 0 and below 100; 0:
	                       95 */
	double cost_per_gpu_hour; /* USD; 0: as the configuration says */
	int whole_window; /* from the first to the last device event, not only the steady steps */
	int drawings;     /* keep what flame, folded, speedscope and annotated draw: takes memory */
	const char *const *what_if; /* "CLASS=FACTOR": a bound or a cause of idle time, see `weir
	                               help classify` */
	size_t what_if_count;
	/* Called while files are read, from any thread, one call at a time; total 0: unknown. NULL:
	 * none. */
	void (*progress)(void *context, const char *path, unsigned long long done,
	                 unsigned long long total);
	void *progress_context;
	/* For weir_gate_files(): */
	int strict;            /* fail if the evidence is missing or only suspected */
	int require_operators; /* fail if an operator of the baseline is gone */
};

WEIR_API void weir_options_init(struct weir_options *options, size_t size /* sizeof *options */);

struct weir_buffer {
	const char *name; /* for messages and reports: "trace.json" */
	const void *data; /* a whole file, plain or compressed */
	size_t size;
};

struct weir_result;

/*
 * Each returns a result that the caller frees, also after a failure; NULL only if there is no
 * memory for one, which all calls below take as a result that failed. options NULL: the defaults.
 */

/* Reads the files and folders as parts of one run and judges it: `weir classify`. */
WEIR_API struct weir_result *weir_classify_files(const char *const *paths, size_t count,
                                                 const struct weir_options *options);
/* The same for files in memory. Databases (Nsight Systems, rocpd) can be read from files only. */
WEIR_API struct weir_result *weir_classify_memory(const struct weir_buffer *buffers, size_t count,
                                                  const struct weir_options *options);
/* Compares runs with those of a baseline; each path is one run: `weir gate`, with files in place of
 * a store. */
WEIR_API struct weir_result *weir_gate_files(const char *const *baseline, size_t baseline_count,
                                             const char *const *candidate, size_t candidate_count,
                                             const struct weir_options *options);
WEIR_API void weir_result_free(struct weir_result *result); /* NULL: nothing to free */

/* ---- what came out ---- */

/* The exit code of the program: 0, 2 usage, 7 input, 9 internal or out of memory; of a gate also 1
 * regression, 3 inconclusive, 5 environment, 6 coverage. After weir_result_render() it is that of
 * rendering if that failed. */
WEIR_API int weir_result_code(const struct weir_result *result);
/* One line on why the last call failed; NULL: it did not. A gate that finds a regression did not
 * fail. */
WEIR_API const char *weir_result_error(const struct weir_result *result);

/*
 * Returns the document: of a classification "text", "json" (weir.report/1), "markdown", "html";
 * with options.drawings also "flame", "folded", "speedscope", "annotated"; of a gate "text", "json"
 * (weir.gate/1), "markdown", "html", "junit", "sarif", "annotations". NULL: there is none, see
 * weir_result_error(). Borrowed until the next call.
 */
WEIR_API const char *weir_result_render(struct weir_result *result, const char *format);

/* The verdict of a classification; NULL or NAN for others. */
/* "runtime", "memory", ..., "undetermined" */
WEIR_API const char *weir_result_bound(const struct weir_result *result);
/* "host-dispatch" */
WEIR_API const char *weir_result_cause(const struct weir_result *result);
/* "low", "medium", "high" */
WEIR_API const char *weir_result_confidence(const struct weir_result *result);
/* The id of the rule that decided. */
WEIR_API const char *weir_result_rule(const struct weir_result *result);
/* The answer in a sentence. */
WEIR_API const char *weir_result_headline(const struct weir_result *result);
/* What to do, or what to measure next. */
WEIR_API const char *weir_result_next(const struct weir_result *result);
/* The share of the analysed time that the bound holds. */
WEIR_API double weir_result_share(const struct weir_result *result);
/* The share that is attributed to a bound, or to "unattributed"; all of them add up to 1. */
WEIR_API double weir_result_attribution(const struct weir_result *result, const char *bound);

/* Of a gate; NULL for others. "pass", "regression", "improvement", "inconclusive", ... */
WEIR_API const char *weir_result_verdict(const struct weir_result *result);

/*
 * Rows. Each call fills *out with row `index` and returns 1, or returns 0 if there is no such row.
 * size is sizeof *out: members that the library knows and the program does not are left out, and
 * the other way round they are 0.
 */
struct weir_times {
	unsigned long long count;
	double total_ns, p50_ns, p90_ns, p95_ns, p99_ns;
};

struct weir_stage_entry {
	const char *name, *kind;   /* "decode", "compute" */
	const char *bound, *cause; /* its verdict */
	struct weir_times duration;
	double share, p95_share; /* of the analysed time; of the time around options.percentile */
};
WEIR_API int weir_result_stage(const struct weir_result *result, size_t index,
                               struct weir_stage_entry *out, size_t size);

/* Largest device time first. */
struct weir_operator_entry {
	const char *name, *kernel, *stage, *device,
		*kind;        /* "aten::mm", ..., "decode", ..., "gemm" */
	const char *roofline; /* "compute", "memory", ... */
	const char *bound, *cause;
	struct weir_times call; /* device time per call */
	double share;           /* of the device's busy time */
	double flops, bytes;    /* per call, modelled or counted */
	double tflops, gbps;    /* achieved */
	double efficiency;      /* of the nearer roof */
};
WEIR_API int weir_result_operator(const struct weir_result *result, size_t index,
                                  struct weir_operator_entry *out, size_t size);

/* Heaviest first. */
struct weir_recommendation_entry {
	const char *id, *title, *why, *effort;
	double low, high; /* typical speed-up, capped by what this run can gain */
	double limit;     /* speed-up if all the time that it can save were saved */
};
WEIR_API int weir_result_recommendation(const struct weir_result *result, size_t index,
                                        struct weir_recommendation_entry *out, size_t size);

/* One per options.what_if, in its order. */
struct weir_what_if_entry {
	const char *class_name;
	double factor, step_ns, speedup;
};
WEIR_API int weir_result_what_if(const struct weir_result *result, size_t index,
                                 struct weir_what_if_entry *out, size_t size);

/* Of a gate, worst first. Changes, intervals and margins are relative. */
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
