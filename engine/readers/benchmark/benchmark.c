/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/figures.h"

double weir_benchmark_unit_ns(struct weir_slice unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (weir_slice_equals(unit, units[i].name))
			return units[i].ns;
	return 0;
}

enum weir_status weir_benchmark_add(struct weir_series_table *table, const char *name,
                                    struct weir_series **out, struct weir_error *err)
{
	if (!name || !*name)
		return weir_fail(err, WEIR_E_FORMAT, "expected the name of a benchmark");
	if (strlen(name) > WEIR_BENCHMARK_MAX_NAME)
		return weir_fail(err, WEIR_E_LIMIT, "the name is longer than %u bytes",
		                 WEIR_BENCHMARK_MAX_NAME);
	if (table->count >= WEIR_BENCHMARK_MAX_NAMES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u benchmarks: write several files",
		                 WEIR_BENCHMARK_MAX_NAMES);
	if (weir_series_find(table, name))
		return weir_fail(
			err, WEIR_E_FORMAT,
			"a second benchmark has the name \"%.80s\": give each its own name", name);
	*out = weir_series_get(table, name);
	return WEIR_OK;
}

void weir_benchmark_push(struct weir_input *input, struct weir_series *series, double ns)
{
	if (isfinite(ns) && ns > 0)
		weir_series_push(series, ns);
	else
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, UINT64_MAX, NULL);
}

enum weir_status weir_benchmark_push_list(struct weir_input *input, struct weir_series *series,
                                          const cJSON *list, double unit_ns, struct weir_error *err)
{
	const cJSON *value;
	size_t at = 0;

	cJSON_ArrayForEach (value, list) {
		if (!cJSON_IsNumber(value))
			return weir_fail(err, WEIR_E_FORMAT, "[%zu]: expected a time", at);
		weir_benchmark_push(input, series, value->valuedouble * unit_ns);
		at++;
	}
	return WEIR_OK;
}

static enum weir_status add_figure(struct weir_run *run, const char *name, double ns,
                                   struct weir_error *err)
{
	struct weir_series *series;
	enum weir_status status;

	if (!isfinite(ns) || ns <= 0)
		return weir_fail(err, WEIR_E_FORMAT, "expected a time above 0");
	status = weir_benchmark_add(&run->metrics, name, &series, err);
	if (status)
		return status;
	series->unit = weir_alloc_text("ns");
	weir_series_push(series, ns);
	return WEIR_OK;
}

enum weir_status weir_benchmark_figure(struct weir_input *input, const char *name, double ns,
                                       struct weir_error *err)
{
	return add_figure(input->run, name, ns, err);
}

/* A place for the statistics of a benchmark. */
struct place {
	struct weir_input *input; /* for warnings */
	struct weir_run *run;
	const char *name;
};

static void add_statistic(const struct place *place, const char *statistic, double value)
{
	struct weir_text key = {0}, text = {0};

	if (!isfinite(value) || value < 0)
		return;
	if (place->run->label_count >= WEIR_BENCHMARK_MAX_LABELS) {
		weir_input_warn(place->input, WEIR_WARN_THINNED, UINT64_MAX,
		                "statistics of benchmarks");
		return;
	}
	weir_text_printf(&key, "%s/%s", place->name, statistic);
	weir_text_printf(&text, "%.9g", value);
	weir_run_set_label(place->run, key.data, text.data);
	weir_text_release(&key);
	weir_text_release(&text);
}

void weir_benchmark_statistic(struct weir_input *input, const char *name, const char *statistic,
                              double value)
{
	add_statistic(&(struct place){input, input->run, name}, statistic, value);
}

void weir_benchmark_label(struct weir_run *run, const char *label, const cJSON *object,
                          const char *key)
{
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(object, key);

	if (cJSON_IsString(text) && *text->valuestring &&
	    strlen(text->valuestring) <= WEIR_FIGURE_LABEL_TEXT)
		weir_run_set_label(run, label, text->valuestring);
}

enum weir_status weir_benchmark_each(const cJSON *document, const char *key,
                                     enum weir_status (*take)(struct weir_input *input,
                                                              const cJSON *element,
                                                              struct weir_error *err),
                                     struct weir_input *input, struct weir_error *err)
{
	const cJSON *list, *element;
	size_t at = 0;
	enum weir_status status = weir_json_array(document, key, &list, err);

	if (!status && !list)
		return weir_fail(err, WEIR_E_FORMAT, "%s: missing, expected a list", key);
	cJSON_ArrayForEach (element, list) {
		if (!cJSON_IsObject(element))
			status = weir_fail(err, WEIR_E_FORMAT, "expected an object");
		else
			status = take(input, element, err);
		if (status)
			return weir_fail_in(err, "%s[%zu]", key, at);
		at++;
	}
	return status;
}

static int compare_values(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* Returns the median, and sorts the values. */
static double median_of(struct weir_series *series)
{
	size_t half = series->count / 2;

	qsort(series->value, series->count, sizeof(*series->value), compare_values);
	return series->count % 2 ? series->value[half]
	                         : (series->value[half - 1] + series->value[half]) / 2;
}

/* Labels a benchmark with its few samples, which are sorted. */
static void state_few(const struct place *place, const struct weir_series *series)
{
	size_t count = series->count;
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < count; i++)
		sum += series->value[i];
	mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (series->value[i] - mean) * (series->value[i] - mean);
	add_statistic(place, "repetitions", (double)count);
	if (count < 2)
		return;
	add_statistic(place, "mean_ns", mean);
	add_statistic(place, "min_ns", series->value[0]);
	add_statistic(place, "max_ns", series->value[count - 1]);
	add_statistic(place, "stddev_ns", sqrt(squares / (double)(count - 1)));
}

enum weir_status weir_benchmark_replace_few(struct weir_input *input, struct weir_run *run,
                                            struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; i < run->metrics.count; i++) {
		struct weir_series *series = &run->metrics.items[i];

		if (series->count < 2 || series->count >= WEIR_BENCHMARK_MIN_SAMPLES)
			continue;
		series->value[0] = median_of(series);
		series->count = 1;
	}
	for (size_t i = 0; !status && i < run->stages.count; i++) {
		struct weir_series *series = &run->stages.items[i];

		if (!series->count || series->count >= WEIR_BENCHMARK_MIN_SAMPLES)
			continue;
		status = add_figure(run, series->name, median_of(series), err);
		if (!status)
			state_few(&(struct place){input, run, series->name}, series);
		series->count = 0;
	}
	if (!status && run->metrics.count)
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return status;
}

struct weir_run *weir_benchmark_run_at(struct weir_run **at, size_t number)
{
	char text[32];

	if (!*at) {
		*at = weir_run_new();
		snprintf(text, sizeof(text), "%zu", number);
		weir_run_set_label(*at, "run", text);
	}
	return *at;
}

enum weir_status weir_benchmark_finish(struct weir_input *input, struct weir_error *err)
{
	for (struct weir_run *run = input->run; run; run = run->next) {
		input->events += weir_series_drop_empty(&run->stages);
		input->events += weir_series_drop_empty(&run->metrics);
	}
	if (!input->events)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no times: no benchmark finished, or none was selected");
	return WEIR_OK;
}
