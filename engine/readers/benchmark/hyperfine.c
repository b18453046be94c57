/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of hyperfine (--export-json). Each of its times is a separate process, so the
 * i-th time of every command makes the i-th run. A run has one time per command: a figure, in
 * seconds. Times of commands that failed (--ignore-failure) are left out. hyperfine subtracts the
 * time of the shell: a command as fast as that has the time 0, which counts, with a warning.
 */
#include <math.h>

#include "engine/base/arena.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_COMMANDS 256u

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"results"}, .all = 1},
         .within = "results",
         .inside = {{"command", "times", "stddev", "exit_codes", "median", "user", "system"},
                    .all = 1,
                    .any = 3}},
	{0},
};

static enum weir_status take_time(struct weir_input *input, struct weir_run *run,
                                  const char *command, double seconds, struct weir_error *err)
{
	struct weir_series *series;
	enum weir_status status;

	if (!isfinite(seconds) || seconds < 0) {
		weir_input_warn(input, WEIR_WARN_BAD_NUMBER, UINT64_MAX, command);
		return WEIR_OK;
	}
	if (seconds == 0)
		weir_input_warn(input, WEIR_WARN_ZERO_TIME, UINT64_MAX, command);
	status = weir_benchmark_add(&run->metrics, command, &series, err);
	if (status)
		return status;
	series->unit = weir_alloc_text("s");
	weir_series_push(series, seconds);
	return WEIR_OK;
}

static bool has_failed(const cJSON *code)
{
	return code && !(cJSON_IsNumber(code) && code->valuedouble == 0);
}

static enum weir_status take_times(struct weir_input *input, const char *command,
                                   const cJSON *times, const cJSON *codes, struct weir_error *err)
{
	struct weir_run **at = &input->run;
	const cJSON *time, *code = codes ? codes->child : NULL;
	size_t number = 0;

	cJSON_ArrayForEach (time, times) {
		struct weir_run *run;

		if (number == WEIR_BENCHMARK_MAX_RUNS)
			return weir_fail(err, WEIR_E_LIMIT, "more than %u times",
			                 WEIR_BENCHMARK_MAX_RUNS);
		if (!cJSON_IsNumber(time))
			return weir_fail(err, WEIR_E_FORMAT, "times[%zu]: expected a time", number);
		run = weir_benchmark_run_at(at, ++number);
		if (has_failed(code))
			weir_input_warn(input, WEIR_WARN_FAILED_MEASUREMENT, UINT64_MAX, command);
		else if (take_time(input, run, command, time->valuedouble, err))
			return err->status;
		code = code ? code->next : NULL;
		at = &run->next;
	}
	return WEIR_OK;
}

static enum weir_status read_command(struct weir_input *input, const cJSON *result,
                                     struct weir_error *err)
{
	const cJSON *times, *codes;
	const char *command;

	if (weir_json_text(result, "command", &command, err) ||
	    weir_json_array(result, "times", &times, err) ||
	    weir_json_array(result, "exit_codes", &codes, err))
		return err->status;
	if (!command)
		return weir_fail(err, WEIR_E_FORMAT, "command: missing, expected text");
	if (!times)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "times: missing; weir needs the time of each run, not only its "
		                 "mean");
	return take_times(input, command, times, codes, err);
}

/* Removes runs whose commands all failed; the first one stays if no run is left. */
static void drop_empty_runs(struct weir_input *input)
{
	struct weir_run **at = &input->run;

	while (*at) {
		struct weir_run *run = *at;

		if (run->metrics.count || (at == &input->run && !run->next)) {
			at = &run->next;
			continue;
		}
		*at = run->next;
		run->next = NULL;
		weir_run_free(run);
	}
}

static enum weir_status read_results(struct weir_input *input, const cJSON *document,
                                     struct weir_error *err)
{
	const cJSON *results;
	enum weir_status status = weir_json_array(document, "results", &results, err);

	if (!status && results && cJSON_GetArraySize(results) > (int)MAX_COMMANDS)
		status = weir_fail(err, WEIR_E_LIMIT, "results: more than %u commands",
		                   MAX_COMMANDS);
	if (!status)
		status = weir_benchmark_each(document, "results", read_command, input, err);
	if (status)
		return status;
	drop_empty_runs(input);
	return weir_benchmark_finish(input, err);
}

static enum weir_status read_hyperfine(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	if (!status)
		status = read_results(input, document, err);
	cJSON_Delete(document);
	return status;
}

const struct weir_reader weir_reader_hyperfine = {
	.name = "hyperfine",
	.title = "results of hyperfine (--export-json), a run per time",
	.gives = "native run",
	.tool = "hyperfine",
	.whole_run = true,
	.marks = marks,
	.read = read_hyperfine,
};
