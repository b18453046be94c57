/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/benchmark/llama_tests.h"

#define MAX_NAME 200 /* bytes of the conditions in a name; further ones are left out */

/* ---- names ---- */

/* Conditions that follow from another one: they distinguish tests that nothing else does. */
static bool is_derived(const char *key)
{
	static const char *const keys[] = {"build_number",    "model_filename", "model_size",
	                                   "model_n_params",  "size",           "params",
	                                   WEIR_LLAMA_HEADING};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Returns the id of the whole name of the test. */
static uint32_t name_of(struct weir_llama_tests *reading, struct weir_names *names,
                        const struct weir_llama_test *test)
{
	struct weir_text *name = &reading->scratch;

	weir_text_clear(name);
	weir_text_add(name, test->prefix.data, test->prefix.length);
	weir_text_puts(name, weir_names_text(reading->texts, test->name));
	return weir_names_add(names, name->data, name->length);
}

/* Returns true if tests of one name differ in the condition. */
static bool distinguishes(struct weir_llama_tests *reading, size_t key)
{
	struct weir_names *names = weir_names_new();
	uint32_t *first = weir_alloc((reading->count + 1) * sizeof(*first));
	size_t known = 1;
	bool differ = false;

	for (size_t i = 0; i < reading->count && !differ; i++) {
		const struct weir_llama_test *test = &reading->tests[i];
		uint32_t id = name_of(reading, names, test);

		if (id == known) {
			first[known++] = test->values[key];
			continue;
		}
		differ = first[id] != test->values[key];
	}
	weir_names_free(names);
	free(first);
	return differ;
}

static void add_part(const struct weir_llama_tests *reading, struct weir_llama_test *test,
                     size_t key)
{
	const char *value = weir_names_text(reading->texts, test->values[key]);

	if (!*value || test->prefix.length > MAX_NAME)
		return;
	weir_text_printf(&test->prefix, "%s@", weir_names_text(reading->texts, reading->keys[key]));
	for (size_t i = 0; value[i] && i < WEIR_LLAMA_MAX_PART; i++)
		weir_text_add(&test->prefix, (unsigned char)value[i] < ' ' ? "?" : &value[i], 1);
	weir_text_puts(&test->prefix, "/");
}

static void name_conditions(struct weir_llama_tests *reading)
{
	for (int derived = 0; derived < 2; derived++)
		for (size_t key = 0; key < reading->key_count; key++) {
			const char *name = weir_names_text(reading->texts, reading->keys[key]);

			if (is_derived(name) != derived || !distinguishes(reading, key))
				continue;
			for (size_t i = 0; i < reading->count; i++)
				add_part(reading, &reading->tests[i], key);
		}
}

/* ---- the run ---- */

static void share_labels(const struct weir_llama_tests *reading)
{
	for (size_t key = 0; key < reading->key_count; key++) {
		uint32_t value = reading->tests[0].values[key];
		const char *name = weir_names_text(reading->texts, reading->keys[key]);
		bool shared = value != 0 && strcmp(name, WEIR_LLAMA_HEADING) != 0;

		for (size_t i = 1; i < reading->count; i++)
			shared &= reading->tests[i].values[key] == value;
		if (shared)
			weir_run_set_label(reading->input->run, name,
			                   weir_names_text(reading->texts, value));
	}
}

static void add_figure(struct weir_run *run, const char *test, const char *suffix, const char *unit,
                       double value)
{
	struct weir_text name = {0};

	weir_text_printf(&name, "%s%s", test, suffix);
	weir_figure_add(run, name.data, unit, unit[0] == 't', value);
	weir_text_release(&name);
}

/* Adds the figures of a test that its table has in further columns. */
static void add_more(struct weir_llama_tests *reading, const struct weir_llama_test *test,
                     const char *name)
{
	struct weir_text statistic = {0};

	for (size_t i = 0; i < test->more_count; i++) {
		const char *suffix = weir_names_text(reading->texts, test->more[i].suffix);
		bool is_time = weir_slice_ends(weir_slice_of(suffix), "_ms");

		add_figure(reading->input->run, name, suffix, is_time ? "ms" : "tokens/s",
		           test->more[i].value);
		weir_text_clear(&statistic);
		weir_text_printf(&statistic, "stddev%s", suffix);
		weir_benchmark_statistic(reading->input, name, statistic.data,
		                         test->more[i].stddev);
	}
	weir_text_release(&statistic);
}

/* Adds the samples and the tokens per second of a test, its main figures. */
static enum weir_status add_main(struct weir_llama_tests *reading,
                                 const struct weir_llama_test *test, const char *name,
                                 struct weir_error *err)
{
	struct weir_run *run = reading->input->run;
	struct weir_series *series;

	if (test->count && weir_benchmark_add(&run->stages, name, &series, err))
		return err->status;
	for (size_t i = 0; i < test->count; i++)
		weir_series_push(series, test->samples[i]);
	add_figure(run, name, "_tokens_per_s", "tokens/s", test->tokens_per_s);
	return WEIR_OK;
}

/* Adds the further figures of a test, and its deviations if it has no samples. */
static void add_others(struct weir_llama_tests *reading, const struct weir_llama_test *test,
                       const char *name)
{
	if (!test->count) {
		add_figure(reading->input->run, name, "_mean_ms", "ms", test->mean_ns / 1e6);
		weir_benchmark_statistic(reading->input, name, "stddev_ms", test->stddev_ns / 1e6);
		weir_benchmark_statistic(reading->input, name, "stddev_tokens_per_s",
		                         test->stddev_tokens_per_s);
	}
	add_more(reading, test, name);
}

/* Adds the main figures of all tests to the run, or the others, under the names of the tests; equal
 * names get a number. */
static enum weir_status add_tests(struct weir_llama_tests *reading, bool others,
                                  struct weir_error *err)
{
	struct weir_names *names = weir_names_new();
	size_t *same = weir_alloc((reading->count + 1) * sizeof(*same));
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; i < reading->count && !status; i++) {
		const struct weir_llama_test *test = &reading->tests[i];
		uint32_t id = name_of(reading, names, test);

		if (++same[id] > 1)
			weir_text_printf(&reading->scratch, "#%zu", same[id]);
		if (others)
			add_others(reading, test, reading->scratch.data);
		else
			status = add_main(reading, test, reading->scratch.data, err);
	}
	weir_names_free(names);
	free(same);
	return status;
}

/* Warns if tests have means alone. */
static void warn_of_means(const struct weir_llama_tests *reading)
{
	bool means = false;

	for (size_t i = 0; i < reading->count; i++)
		means |= !reading->tests[i].count;
	if (means)
		weir_input_warn(reading->input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
}

enum weir_status weir_llama_tests_finish(struct weir_llama_tests *reading, struct weir_error *err)
{
	enum weir_status status;

	if (!reading->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no test with a time: expected rows of tests such as \"pp512\" "
		                 "or \"tg128\" with their tokens per second; the program may have "
		                 "ended before its first result");
	reading->input->run = weir_run_new();
	name_conditions(reading);
	share_labels(reading);
	status = add_tests(reading, false, err);
	if (!status)
		status = add_tests(reading, true, err);
	warn_of_means(reading);
	return status ? status : weir_benchmark_finish(reading->input, err);
}
