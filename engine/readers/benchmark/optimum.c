/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of optimum-benchmark (benchmark_report.json, or benchmark.json, which has the
 * report in a member): one process. Each part of the work, such as "load", "prefill", "decode" and
 * "per_token", has latencies with their values, which are samples; few of them become their median.
 * Throughput and the most memory of a part are metrics.
 */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const struct weir_mark marks[] = {
	{.first = "{",
         .texts = {{"\"latency\"", "\"stdev_\"", "\"values\"", "\"unit\""}, .all = 4}},
	{0},
};

/* Adds a metric of a part, "prefill/throughput". Its text of a unit may be missing. */
static enum weir_status add_metric(struct weir_input *input, const char *part, const cJSON *value,
                                   const char *unit, bool higher, struct weir_error *err)
{
	struct weir_text name = {0};
	struct weir_series *series;
	enum weir_status status;

	if (!cJSON_IsNumber(value))
		return WEIR_OK;
	if (!isfinite(value->valuedouble) || value->valuedouble < 0) {
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, UINT64_MAX, value->string);
		return WEIR_OK;
	}
	weir_text_printf(&name, "%s/%s", part, higher ? "throughput" : value->string);
	status = weir_benchmark_add(&input->run->metrics, name.data, &series, err);
	weir_text_release(&name);
	if (status)
		return status;
	series->unit = weir_alloc_text(unit ? unit : "1");
	series->higher_is_better = higher;
	weir_series_push(series, value->valuedouble);
	return WEIR_OK;
}

static enum weir_status read_memory(struct weir_input *input, const char *part, const cJSON *memory,
                                    struct weir_error *err)
{
	const cJSON *value;
	const char *unit;

	if (weir_json_text(memory, "unit", &unit, err))
		return err->status;
	cJSON_ArrayForEach (value, memory)
		if (strncmp(value->string, "max_", 4) == 0 &&
		    add_metric(input, part, value, unit, false, err))
			return err->status;
	return WEIR_OK;
}

/* Adds the values of latencies or, in a report without them, their median. */
static enum weir_status read_latency(struct weir_input *input, const char *part,
                                     const cJSON *latency, struct weir_error *err)
{
	struct weir_series *series;
	const cJSON *values;
	const char *unit;
	double unit_ns, median;

	if (weir_json_text(latency, "unit", &unit, err) ||
	    weir_json_array(latency, "values", &values, err))
		return err->status;
	unit_ns = unit ? weir_benchmark_unit_ns(weir_slice_of(unit)) : 0;
	if (unit_ns <= 0)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "unit: expected ns, us, ms or s, not \"%.40s\"", unit ? unit : "");
	if (values && values->child) {
		if (weir_benchmark_add(&input->run->stages, part, &series, err))
			return err->status;
		return weir_benchmark_push_list(input, series, values, unit_ns, err)
		               ? weir_fail_in(err, "values")
		               : WEIR_OK;
	}
	if (weir_json_number(latency, "p50", &median, err))
		return err->status;
	return isnan(median) ? WEIR_OK : weir_benchmark_figure(input, part, median * unit_ns, err);
}

static enum weir_status read_part(struct weir_input *input, const cJSON *part,
                                  struct weir_error *err)
{
	const cJSON *latency = cJSON_GetObjectItemCaseSensitive(part, "latency");
	const cJSON *throughput = cJSON_GetObjectItemCaseSensitive(part, "throughput");
	const cJSON *memory = cJSON_GetObjectItemCaseSensitive(part, "memory");
	const char *unit;

	/* A part that was not measured is null. */
	if (cJSON_IsObject(latency) && read_latency(input, part->string, latency, err))
		return weir_fail_in(err, "latency");
	if (cJSON_IsObject(memory) && read_memory(input, part->string, memory, err))
		return weir_fail_in(err, "memory");
	if (!cJSON_IsObject(throughput))
		return WEIR_OK;
	if (weir_json_text(throughput, "unit", &unit, err))
		return weir_fail_in(err, "throughput");
	return add_metric(input, part->string,
	                  cJSON_GetObjectItemCaseSensitive(throughput, "value"), unit, true, err);
}

static enum weir_status read_report(struct weir_input *input, const cJSON *document,
                                    struct weir_error *err)
{
	const cJSON *report = cJSON_GetObjectItemCaseSensitive(document, "report"), *part;
	const cJSON *config = cJSON_GetObjectItemCaseSensitive(document, "config");

	weir_benchmark_label(input->run, "name", config, "name");
	if (!cJSON_IsObject(report))
		report = document;
	cJSON_ArrayForEach (part, report)
		if (cJSON_IsObject(part) && part->string && read_part(input, part, err))
			return weir_fail_in(err, "%.80s", part->string);
	if (weir_benchmark_replace_few(input, input->run, err))
		return err->status;
	return weir_benchmark_finish(input, err);
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	if (status)
		return status;
	input->run = weir_run_new();
	status = read_report(input, document, err);
	cJSON_Delete(document);
	return status;
}

const struct weir_reader weir_reader_optimum = {
	.name = "optimum-benchmark",
	.title = "reports of optimum-benchmark (benchmark_report.json)",
	.gives = "native run",
	.tool = "optimum-benchmark",
	.whole_run = true,
	.marks = marks,
	.read = read,
};
