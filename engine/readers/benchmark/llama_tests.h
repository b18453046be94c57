/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of llama-bench: their names, and the run that they become. */
#ifndef WEIR_READERS_BENCHMARK_LLAMA_TESTS_H
#define WEIR_READERS_BENCHMARK_LLAMA_TESTS_H

#include "engine/base/names.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/figures.h"

/* The condition that is the heading of a table: it distinguishes tests that nothing else does. */
#define WEIR_LLAMA_HEADING  "heading"
#define WEIR_LLAMA_MAX_KEYS WEIR_FIGURE_MAX_LABELS
#define WEIR_LLAMA_MAX_PART 64 /* bytes of a condition in a name; the rest is cut */
#define WEIR_LLAMA_MAX_MORE 16 /* further figures of a test */

/* A test and its figures. */
struct weir_llama_test {
	double prompt, generated, depth; /* tokens; NAN: not stated */
	double mean_ns, tokens_per_s;    /* NAN: unknown */
	double stddev_ns, stddev_tokens_per_s;
	uint32_t name;                        /* id of "pp512"; 0 until the test is complete */
	uint32_t values[WEIR_LLAMA_MAX_KEYS]; /* ids of its conditions, by key; 0: not stated */
	double *samples;                      /* ns, owned */
	size_t count, capacity;
	struct weir_text prefix; /* conditions in front of its name */
	struct {
		uint32_t suffix; /* id of "_ttfr_ms" */
		double value, stddev;
	} more[WEIR_LLAMA_MAX_MORE]; /* further figures, of llama-benchy */
	size_t more_count;
};

/* The tests of a file. */
struct weir_llama_tests {
	struct weir_input *input;
	struct weir_names *texts;
	uint32_t keys[WEIR_LLAMA_MAX_KEYS]; /* ids of the names of conditions, in order of
	                                       appearance */
	size_t key_count;
	struct weir_llama_test *tests;
	size_t count, capacity;
	struct weir_text scratch;
};

/* Makes the run of the input. Conditions that tests of one name differ in become a part of their
 * names, others become labels. Fails if there is no test. */
enum weir_status weir_llama_tests_finish(struct weir_llama_tests *reading, struct weir_error *err);

#endif
