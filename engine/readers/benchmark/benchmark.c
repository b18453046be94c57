/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
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

enum weir_status weir_benchmark_figure(struct weir_input *input, const char *name, double ns,
                                       struct weir_error *err)
{
	struct weir_series *series;
	enum weir_status status;

	if (!isfinite(ns) || ns <= 0)
		return weir_fail(err, WEIR_E_FORMAT, "expected a time above 0");
	status = weir_benchmark_add(&input->run->metrics, name, &series, err);
	if (status)
		return status;
	series->unit = weir_alloc_text("ns");
	weir_series_push(series, ns);
	return WEIR_OK;
}

void weir_benchmark_statistic(struct weir_input *input, const char *name, const char *statistic,
                              double value)
{
	struct weir_text key = {0}, text = {0};

	if (!isfinite(value) || value < 0)
		return;
	if (input->run->label_count >= WEIR_BENCHMARK_MAX_LABELS) {
		weir_input_warn(input, WEIR_WARN_THINNED, UINT64_MAX, "statistics of benchmarks");
		return;
	}
	weir_text_printf(&key, "%s/%s", name, statistic);
	weir_text_printf(&text, "%.9g", value);
	weir_run_set_label(input->run, key.data, text.data);
	weir_text_release(&key);
	weir_text_release(&text);
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
