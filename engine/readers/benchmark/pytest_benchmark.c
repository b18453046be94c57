/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of pytest-benchmark (--benchmark-json, --benchmark-save): one process. Times are
 * seconds of one iteration. `data` holds a time per round; results saved without
 * --benchmark-save-data lack it, and then the median is a figure and the other statistics are
 * labels.
 */
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define SECOND_NS 1e9

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"machine_info", "benchmarks", "commit_info", "datetime"}, .all = 2}},
	{0},
};

static void read_statistics(struct weir_input *input, const char *name, const cJSON *stats)
{
	static const struct {
		const char *key, *label;
		double scale;
	} statistics[] = {
		{"mean", "mean_ns", SECOND_NS},  {"min", "min_ns", SECOND_NS},
		{"max", "max_ns", SECOND_NS},    {"stddev", "stddev_ns", SECOND_NS},
		{"iqr", "iqr_ns", SECOND_NS},    {"rounds", "rounds", 1},
		{"iterations", "iterations", 1},
	};

	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++) {
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(stats, statistics[i].key);

		if (cJSON_IsNumber(value))
			weir_benchmark_statistic(input, name, statistics[i].label,
			                         value->valuedouble * statistics[i].scale);
	}
}

static enum weir_status read_median(struct weir_input *input, const char *name, const cJSON *stats,
                                    struct weir_error *err)
{
	double median;

	if (weir_json_number(stats, "median", &median, err))
		return weir_fail_in(err, "stats");
	if (!(median > 0))
		return weir_fail(err, WEIR_E_FORMAT, "stats.median: expected a time above 0");
	if (weir_benchmark_figure(input, name, median * SECOND_NS, err))
		return err->status;
	read_statistics(input, name, stats);
	return WEIR_OK;
}

static enum weir_status read_rounds(struct weir_input *input, const char *name, const cJSON *data,
                                    struct weir_error *err)
{
	struct weir_series *series;
	enum weir_status status = weir_benchmark_add(&input->run->stages, name, &series, err);

	if (status)
		return status;
	if (weir_benchmark_push_list(input, series, data, SECOND_NS, err))
		return weir_fail_in(err, "stats.data");
	return WEIR_OK;
}

static enum weir_status read_benchmark(struct weir_input *input, const cJSON *benchmark,
                                       struct weir_error *err)
{
	const cJSON *stats, *data;
	const char *name;
	enum weir_status status = weir_json_text(benchmark, "fullname", &name, err);

	if (!status && !name)
		status = weir_json_text(benchmark, "name", &name, err);
	if (!status)
		status = weir_json_object(benchmark, "stats", &stats, err);
	if (status)
		return status;
	if (!stats)
		return weir_fail(err, WEIR_E_FORMAT, "stats: missing, expected an object");
	if (weir_json_array(stats, "data", &data, err))
		return weir_fail_in(err, "stats");
	return data ? read_rounds(input, name, data, err) : read_median(input, name, stats, err);
}

static void read_labels(struct weir_run *run, const cJSON *document)
{
	const cJSON *machine = cJSON_GetObjectItemCaseSensitive(document, "machine_info");
	const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");

	weir_benchmark_label(run, "pytest_benchmark", document, "version");
	weir_benchmark_label(run, "host", machine, "node");
	weir_benchmark_label(run, "python", machine, "python_version");
	weir_benchmark_label(run, "cpu", cpu, "brand");
	weir_benchmark_label(run, "cpu", cpu, "brand_raw");
	weir_benchmark_label(run, "commit",
	                     cJSON_GetObjectItemCaseSensitive(document, "commit_info"), "id");
}

static enum weir_status read_pytest(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	if (status)
		return status;
	input->run = weir_run_new();
	status = weir_benchmark_each(document, "benchmarks", read_benchmark, input, err);
	if (!status) {
		read_labels(input->run, document);
		if (input->run->metrics.count)
			weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
		status = weir_benchmark_finish(input, err);
	}
	cJSON_Delete(document);
	return status;
}

const struct weir_reader weir_reader_pytest_benchmark = {
	.name = "pytest-benchmark",
	.title = "results of pytest-benchmark (--benchmark-json)",
	.gives = "native run",
	.whole_run = true,
	.marks = marks,
	.read = read_pytest,
};
