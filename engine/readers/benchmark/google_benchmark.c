/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of Google Benchmark (--benchmark_format=json, --benchmark_out): one process. An
 * entry of the type "iteration" is the mean time of an iteration in one repetition. Repetitions are
 * the samples of their benchmark. A benchmark with few repetitions, or with aggregates alone,
 * becomes one figure, the median; its mean, extremes and standard deviation are labels.
 *
 * real_time is the wall time, or the time that the benchmark set by hand (UseManualTime). Versions
 * before 1.5 state neither run_name nor run_type; their aggregates have a suffix in the name.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"context", "benchmarks"}, .all = 2},
         .texts = {{"\"num_cpus\"", "\"real_time\"", "\"library_build_type\"", "\"run_type\""},
                   .any = 4}},
	{0},
};

static bool ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), most = strlen(ending);

	return length > most && strcmp(text + length - most, ending) == 0;
}

/* Returns the name of an entry's aggregate, such as "median"; NULL for a repetition. */
static const char *aggregate_of(const cJSON *entry, const char *name)
{
	static const char *const old[] = {"mean", "median", "stddev", "cv", "BigO", "RMS"};
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(entry, "run_type");
	const cJSON *aggregate = cJSON_GetObjectItemCaseSensitive(entry, "aggregate_name");

	if (cJSON_IsString(type) && strcmp(type->valuestring, "iteration") == 0)
		return NULL;
	if (cJSON_IsString(aggregate))
		return aggregate->valuestring;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		size_t length = strlen(name), ending = strlen(old[i]);

		if (ends_with(name, old[i]) && name[length - ending - 1] == '_')
			return old[i];
	}
	return NULL;
}

static bool is_true(const cJSON *entry, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, key));
}

static enum weir_status read_time(const cJSON *entry, double *ns, struct weir_error *err)
{
	const cJSON *time = cJSON_GetObjectItemCaseSensitive(entry, "real_time");
	const char *unit;
	double unit_ns;

	if (weir_json_text(entry, "time_unit", &unit, err))
		return err->status;
	unit_ns = weir_benchmark_unit_ns(weir_slice_of(unit ? unit : "ns"));
	if (unit_ns <= 0)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "time_unit: expected ns, us, ms or s, not \"%.40s\"", unit);
	if (!cJSON_IsNumber(time))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "real_time: expected a time; figures of throughput alone are not "
		                 "read");
	*ns = time->valuedouble * unit_ns;
	return WEIR_OK;
}

/* Returns the name of the benchmark of an aggregate: its run_name, or its name without "_median",
 * in `base`. */
static const char *name_of_aggregate(const cJSON *entry, const char *name, const char *aggregate,
                                     char base[WEIR_BENCHMARK_MAX_NAME + 1])
{
	const cJSON *run_name = cJSON_GetObjectItemCaseSensitive(entry, "run_name");
	size_t length = strlen(name), ending = strlen(aggregate) + 1;

	if (cJSON_IsString(run_name))
		return run_name->valuestring;
	if (length > WEIR_BENCHMARK_MAX_NAME || !ends_with(name, aggregate) || length <= ending)
		return name;
	memcpy(base, name, length + 1);
	base[length - ending] = '\0';
	return base;
}

static void read_iterations(struct weir_input *input, const cJSON *entry, const char *key,
                            const char *name)
{
	const cJSON *count = cJSON_GetObjectItemCaseSensitive(entry, key);

	if (cJSON_IsNumber(count))
		weir_benchmark_statistic(input, name, key, count->valuedouble);
}

/* Aggregates come after the repetitions, if those are in the file. */
static enum weir_status read_aggregate(struct weir_input *input, const cJSON *entry,
                                       const char *name, const char *aggregate,
                                       struct weir_error *err)
{
	bool median = strcmp(aggregate, "median") == 0;
	char base[WEIR_BENCHMARK_MAX_NAME + 1];
	struct weir_error ignored = {0};
	double ns = NAN;

	name = name_of_aggregate(entry, name, aggregate, base);
	if (read_time(entry, &ns, median ? err : &ignored))
		return median ? err->status : WEIR_OK;
	if (weir_series_find(&input->run->stages, name))
		return WEIR_OK;
	if (strcmp(aggregate, "mean") == 0)
		weir_benchmark_statistic(input, name, "mean_ns", ns);
	if (strcmp(aggregate, "stddev") == 0)
		weir_benchmark_statistic(input, name, "stddev_ns", ns);
	if (!median)
		return WEIR_OK;
	read_iterations(input, entry, "repetitions", name);
	return weir_benchmark_figure(input, name, ns, err);
}

static enum weir_status read_repetition(struct weir_input *input, const cJSON *entry,
                                        const char *name, double ns, struct weir_error *err)
{
	const cJSON *run_name = cJSON_GetObjectItemCaseSensitive(entry, "run_name");
	struct weir_series *series = NULL;

	if (cJSON_IsString(run_name))
		name = run_name->valuestring;
	/* Repetitions may be interleaved with those of other benchmarks. */
	if (weir_series_find(&input->run->stages, name))
		series = weir_series_get(&input->run->stages, name);
	else if (weir_benchmark_add(&input->run->stages, name, &series, err))
		return err->status;
	weir_benchmark_push(input, series, ns);
	if (series->count == 1)
		read_iterations(input, entry, "iterations", name);
	return WEIR_OK;
}

static enum weir_status read_entry(struct weir_input *input, const cJSON *entry,
                                   struct weir_error *err)
{
	const char *name, *aggregate;
	double ns = NAN;

	if (weir_json_text(entry, "name", &name, err))
		return err->status;
	if (!name)
		return weir_fail(err, WEIR_E_FORMAT, "name: missing, expected text");
	if (is_true(entry, "error_occurred") || is_true(entry, "skipped")) {
		weir_input_warn(input, WEIR_WARN_FAILED_MEASUREMENT, UINT64_MAX, name);
		return WEIR_OK;
	}
	aggregate = aggregate_of(entry, name);
	if (aggregate)
		return read_aggregate(input, entry, name, aggregate, err);
	if (read_time(entry, &ns, err))
		return err->status;
	return read_repetition(input, entry, name, ns, err);
}

static void read_labels(struct weir_run *run, const cJSON *document)
{
	const cJSON *context = cJSON_GetObjectItemCaseSensitive(document, "context");

	weir_benchmark_label(run, "host", context, "host_name");
	weir_benchmark_label(run, "executable", context, "executable");
	weir_benchmark_label(run, "google_benchmark", context, "library_version");
	weir_benchmark_label(run, "library_build_type", context, "library_build_type");
}

static enum weir_status read_google(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	if (status)
		return status;
	input->run = weir_run_new();
	status = weir_benchmark_each(document, "benchmarks", read_entry, input, err);
	if (!status)
		status = weir_benchmark_replace_few(input, input->run, err);
	if (!status) {
		read_labels(input->run, document);
		status = weir_benchmark_finish(input, err);
	}
	cJSON_Delete(document);
	return status;
}

const struct weir_reader weir_reader_google_benchmark = {
	.name = "google-benchmark",
	.title = "results of Google Benchmark (--benchmark_format=json)",
	.gives = "native run",
	.tool = "Google Benchmark",
	.whole_run = true,
	.marks = marks,
	.read = read_google,
};
