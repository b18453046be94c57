/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of criterion, a benchmark library for Rust: sample.json, which `cargo bench` writes
 * below target/criterion for each benchmark, and the messages of cargo-criterion
 * (--message-format=json). Both hold samples as total times of several iterations. One process
 * measures all benchmarks. sample.json lacks the name of its benchmark; the path has it.
 */
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define ESTIMATES                                                                                  \
	"it holds criterion's estimates without samples: pass sample.json of the same folder"

static const struct weir_mark marks[] = {
	{.first = "{", .keys = {{"iters", "times", "sampling_mode"}, .all = 2}},
	{.first = "{",
         .keys = {{"reason", "iteration_count", "measured_values", "report_directory"}, .all = 3}},
	{.first = "{",
         .keys = {{"mean", "median", "median_abs_dev", "std_dev"}, .all = 4},
         .texts = {{"\"confidence_interval\""}, .all = 1},
         .refusal = ESTIMATES},
	{.first = "{", /* before criterion 0.4 */
         .keys = {{"Mean", "Median", "MedianAbsDev", "StdDev"}, .all = 4},
         .texts = {{"\"confidence_interval\""}, .all = 1},
         .refusal = ESTIMATES},
	{0},
};

/* Adds samples: times of `counts` iterations each. */
static enum weir_status add_samples(struct weir_input *input, struct weir_series *series,
                                    const cJSON *counts, const cJSON *times, double unit_ns,
                                    struct weir_error *err)
{
	const cJSON *count = counts->child, *time;

	if (cJSON_GetArraySize(counts) != cJSON_GetArraySize(times))
		return weir_fail(err, WEIR_E_FORMAT, "%d numbers of iterations, but %d times",
		                 cJSON_GetArraySize(counts), cJSON_GetArraySize(times));
	cJSON_ArrayForEach (time, times) {
		if (!cJSON_IsNumber(time) || !cJSON_IsNumber(count) || count->valuedouble < 1)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "expected a time and a number of iterations for each "
			                 "sample");
		weir_benchmark_push(input, series,
		                    time->valuedouble / count->valuedouble * unit_ns);
		count = count->next;
	}
	return WEIR_OK;
}

/* ---- sample.json ---- */

/* Returns the part of a path before its last component `last`; the whole path if it has another
 * one. */
static struct weir_slice without_last(struct weir_slice path, const char *last)
{
	size_t length = strlen(last);

	if (path.length > length && path.data[path.length - length - 1] == '/' &&
	    memcmp(path.data + path.length - length, last, length) == 0)
		path.length -= length + 1;
	return path;
}

/* Returns the name of a benchmark: the folders between criterion/ and new/sample.json, or the
 * folder around them if there is no folder criterion. */
static struct weir_slice name_in(const char *path)
{
	static const char folder[] = "criterion/";
	struct weir_slice name = without_last(weir_slice_of(path), "sample.json");
	const char *found = strstr(path, folder), *slash;

	name = without_last(without_last(name, "new"), "base");
	if (found && found + sizeof(folder) - 1 < name.data + name.length) {
		found += sizeof(folder) - 1;
		return (struct weir_slice){found, (size_t)(name.data + name.length - found)};
	}
	slash = weir_slice_find(name, "/");
	while (slash) {
		name.length -= (size_t)(slash + 1 - name.data);
		name.data = slash + 1;
		slash = weir_slice_find(name, "/");
	}
	return name;
}

static enum weir_status read_sample(struct weir_source *source, struct weir_input *input,
                                    const cJSON *document, struct weir_error *err)
{
	const cJSON *counts, *times;
	struct weir_text name = {0};
	struct weir_series *series;
	struct weir_slice part = name_in(weir_source_name(source));
	enum weir_status status;

	if (weir_json_array(document, "iters", &counts, err) ||
	    weir_json_array(document, "times", &times, err))
		return err->status;
	if (!counts || !times)
		return weir_fail(err, WEIR_E_FORMAT, "expected the lists iters and times");
	weir_text_add(&name, part.data, part.length);
	status = weir_benchmark_add(&input->run->stages, name.data, &series, err);
	weir_text_release(&name);
	return status ? status : add_samples(input, series, counts, times, 1, err);
}

/* ---- messages ---- */

static enum weir_status take_message(struct weir_input *input, const cJSON *message,
                                     struct weir_error *err)
{
	const cJSON *counts, *times;
	const char *reason, *id, *unit;
	struct weir_series *series;
	double unit_ns;

	if (weir_json_text(message, "reason", &reason, err))
		return err->status;
	if (!reason || strcmp(reason, "benchmark-complete") != 0)
		return WEIR_OK;
	if (weir_json_text(message, "id", &id, err) ||
	    weir_json_text(message, "unit", &unit, err) ||
	    weir_json_array(message, "iteration_count", &counts, err) ||
	    weir_json_array(message, "measured_values", &times, err))
		return err->status;
	unit_ns = unit ? weir_benchmark_unit_ns(weir_slice_of(unit)) : 0;
	if (unit_ns <= 0)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "unit: expected ns, us, ms or s, not \"%.40s\"", unit ? unit : "");
	if (!counts || !times)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected the lists iteration_count and measured_values");
	if (weir_benchmark_add(&input->run->stages, id, &series, err))
		return err->status;
	return add_samples(input, series, counts, times, unit_ns, err);
}

/* A line that is not JSON is repaired or left out; a message that contradicts itself is an error.
 */
static enum weir_status read_message(struct weir_records *records, struct weir_input *input,
                                     const struct weir_record *record, struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(record->text);
	struct weir_slice value = weir_jsoncursor_take(&cursor);
	struct weir_error ignored = {0};
	enum weir_status status = WEIR_OK;
	cJSON *message = NULL;

	if (!cursor.bad && weir_json_parse(value.data, value.length, &message, &ignored))
		cursor.bad = true;
	weir_records_done(records, &cursor);
	if (!cursor.bad)
		status = take_message(input, message, err);
	cJSON_Delete(message);
	return status ? weir_fail_in(err, "message at byte %llu", (unsigned long long)record->at)
	              : WEIR_OK;
}

static enum weir_status read_messages(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, input, &records, err);

	if (status)
		return status;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		status = read_message(records, input, &record, err);
		if (status)
			break;
	}
	weir_records_finish(records);
	weir_records_free(records);
	return status;
}

static bool is_sample(const char *head, size_t len)
{
	return weir_mark_bits(&marks[0], head, len) > 0;
}

static enum weir_status read_criterion(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	cJSON *document = NULL;
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	input->run = weir_run_new();
	if (is_sample(head, len)) {
		status = weir_json_read(source, &document, err);
		if (!status)
			status = read_sample(source, input, document, err);
		cJSON_Delete(document);
	} else {
		status = read_messages(source, input, err);
	}
	return status ? status : weir_benchmark_finish(input, err);
}

const struct weir_reader weir_reader_criterion = {
	.name = "criterion",
	.title = "results of criterion for Rust (sample.json, cargo-criterion's messages)",
	.gives = "native run",
	.tool = "criterion",
	.marks = marks,
	.read = read_criterion,
};
