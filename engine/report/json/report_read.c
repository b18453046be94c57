/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/report/json/report_read.h"
#include "engine/report/json/report_read_impl.h"
#include "engine/report/words/phrases.h"
#include "engine/report/words/warnings.h"

#define MICRO         1000000    /* shares have six decimals */
#define NATIVE_FORMAT "weir.run" /* inputs of any other format are timelines */

/* ---- members ---- */

double weir_report_take_figure(struct weir_result_reader *reader, const cJSON *object,
                               const char *key)
{
	double value = weir_result_take_number(reader, object, key);

	if (isnan(value) || fabs(value) <= WEIR_REPORT_MAX_FIGURE)
		return value;
	weir_result_fail(reader, WEIR_E_LIMIT, key, "a number of at most 1e18");
	return NAN;
}

void weir_report_take_figures(struct weir_result_reader *reader, const cJSON *object,
                              const struct weir_report_figure *figures, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*figures[i].out = weir_report_take_figure(reader, object, figures[i].key);
}

enum weir_bound weir_report_take_bound(struct weir_result_reader *reader, const cJSON *object,
                                       const char *key)
{
	const char *name = weir_result_take_text(reader, object, key);
	enum weir_bound bound = WEIR_BOUND_UNDETERMINED;

	if (name && !weir_bound_parse(name, &bound))
		weir_result_fail(reader, WEIR_E_FORMAT, key, "a bound or null");
	return bound;
}

void *weir_report_take_list(struct weir_result_reader *reader, const cJSON *object,
                            const struct weir_report_list *list, size_t *count)
{
	const cJSON *item,
		*items = weir_result_take_array(reader, object, list->key, list->limit, count);
	char *rows;
	size_t i = 0;

	if (!items)
		return NULL;
	rows = weir_arena_alloc(reader->arena, (*count + 1) * list->size);
	cJSON_ArrayForEach (item, items) {
		if (cJSON_IsObject(item))
			list->read(reader, item, rows + i * list->size);
		else
			weir_result_fail(reader, WEIR_E_FORMAT, "entry", "an object");
		weir_result_in(reader, "%s[%zu]", list->key, i++);
		if (reader->status)
			break;
	}
	return rows;
}

/* ---- run ---- */

static void read_warning(struct weir_result_reader *reader, const cJSON *item,
                         struct weir_input *input)
{
	const char *name = weir_result_take_text(reader, item, "code");
	enum weir_warning_code code = WEIR_WARN_TRUNCATED;
	struct weir_warning warning = {0};

	if (!name || !weir_warning_code_parse(name, &code))
		weir_result_fail(reader, WEIR_E_FORMAT, "code", "a warning of weir.report/1");
	warning.count = weir_result_take_count(reader, item, "count");
	warning.message = weir_result_take_text(reader, item, "message");
	if (warning.message && !*warning.message)
		warning.message = NULL; /* says no more than its code */
	if (!reader->status)
		input->warnings[code] = warning;
}

static void read_warnings(struct weir_result_reader *reader, const cJSON *object,
                          struct weir_input *input)
{
	size_t count, i = 0;
	const cJSON *item, *list = weir_result_take_array(reader, object, "warnings",
	                                                  WEIR_REPORT_MAX_ROWS, &count);

	cJSON_ArrayForEach (item, list) {
		read_warning(reader, item, input);
		weir_result_in(reader, "warnings[%zu]", i++);
		if (reader->status)
			return;
	}
}

/* Whether the input held this content; a document that does not say goes by the format. */
static bool holds(const struct weir_input *input, const char *content, const char *format)
{
	if (!input->format)
		return false;
	return input->gives ? strstr(input->gives, content) != NULL
	                    : strcmp(input->format, format) == 0;
}

/* An empty timeline or run stands for what the input held: writers ask which of them it was. */
static void read_input(struct weir_result_reader *reader, const cJSON *item,
                       struct weir_profile *profile)
{
	const char *path = weir_result_take_text(reader, item, "path");
	struct weir_input *input = weir_profile_add_input(profile, path ? path : "");

	if (!path) {
		free(input->path);
		input->path = NULL;
	}
	input->format = weir_result_take_text(reader, item, "format");
	input->bytes = weir_result_take_count(reader, item, "bytes");
	input->events = weir_result_take_count(reader, item, "events");
	input->gives = weir_result_take_text(reader, item, "gives");
	if (holds(input, "native run", NATIVE_FORMAT))
		input->run = weir_run_new();
	else if (holds(input, "timeline", input->format))
		input->trace = weir_trace_new();
	read_warnings(reader, item, input);
}

static void read_inputs(struct weir_result_reader *reader, const cJSON *run,
                        struct weir_profile *profile)
{
	size_t count, i = 0;
	const cJSON *item, *list = weir_result_take_array(reader, run, "inputs",
	                                                  WEIR_REPORT_MAX_INPUTS, &count);

	cJSON_ArrayForEach (item, list) {
		read_input(reader, item, profile);
		weir_result_in(reader, "inputs[%zu]", i++);
		if (reader->status)
			return;
	}
}

static void read_device(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_device_summary *device = row;
	uint64_t count = weir_result_take_count(reader, item, "count");

	device->name = weir_result_take_text(reader, item, "name");
	if (count > UINT32_MAX)
		weir_result_fail(reader, WEIR_E_LIMIT, "count", "at most 4,294,967,295");
	device->count = (uint32_t)count;
}

static void read_set_apart(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_set_apart *apart = row;

	apart->name = weir_result_take_text(reader, item, "name");
	apart->reason = weir_result_take_text(reader, item, "reason");
	apart->count = weir_result_take_count(reader, item, "count");
	apart->duration_ns = (int64_t)weir_result_take_count(reader, item, "duration_ns");
}

static void read_iteration(struct weir_result_reader *reader, const cJSON *run)
{
	struct weir_distribution *iteration = &reader->report->iteration;
	const cJSON *object = weir_result_take_object(reader, run, "iteration_ns");
	const struct weir_report_figure figures[] = {
		{"p50", &iteration->p50_ns},
		{"p90", &iteration->p90_ns},
		{"p95", &iteration->p95_ns},
		{"p99", &iteration->p99_ns},
	};

	if (reader->status)
		return;
	weir_report_take_figures(reader, object, figures, sizeof(figures) / sizeof(figures[0]));
	iteration->count = reader->report->iteration_count;
	weir_result_in(reader, "iteration_ns");
}

static void read_run(struct weir_result_reader *reader, const cJSON *document,
                     struct weir_profile *profile)
{
	static const struct weir_report_list devices = {
		"devices", WEIR_REPORT_MAX_ROWS, sizeof(struct weir_device_summary), read_device};
	static const struct weir_report_list apart = {
		"set_apart", WEIR_REPORT_MAX_ROWS, sizeof(struct weir_set_apart), read_set_apart};
	const cJSON *run = weir_result_take_object(reader, document, "run");
	struct weir_report *report = reader->report;

	if (reader->status)
		return;
	read_inputs(reader, run, profile);
	report->devices = weir_report_take_list(reader, run, &devices, &report->device_count);
	report->rank_count = weir_result_take_count(reader, run, "ranks");
	report->iteration_count = weir_result_take_count(reader, run, "iterations");
	report->span_ns = (int64_t)weir_result_take_count(reader, run, "span_ns");
	report->set_apart = weir_report_take_list(reader, run, &apart, &report->set_apart_count);
	/* A document from before the key says nothing, and so will what is written of it. */
	report->steady = !weir_result_take(reader, run, "steady") ||
	                 weir_result_take_bool(reader, run, "steady");
	read_iteration(reader, run);
	report->percentile = weir_report_take_figure(reader, run, "percentile");
	weir_report_read_notes(reader, run);
	weir_result_in(reader, "run");
}

/* ---- verdict and attribution ---- */

static void read_evidence(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	const cJSON *value, *values = weir_result_take_object(reader, item, "values");
	struct weir_evidence *evidence = row;

	evidence->truth = WEIR_TRUE;
	evidence->clause = weir_result_take_text(reader, item, "clause");
	if (!evidence->clause)
		weir_result_fail(reader, WEIR_E_FORMAT, "clause", "a text");
	cJSON_ArrayForEach (value, values) {
		struct weir_reading *reading = &evidence->readings[evidence->reading_count];
		size_t length = strlen(value->string);

		if (evidence->reading_count == WEIR_MAX_READINGS || length > WEIR_RESULT_MAX_TEXT)
			weir_result_fail(reader, WEIR_E_LIMIT, "values", "fewer or shorter names");
		if (reader->status)
			return;
		reading->feature = weir_arena_copy(reader->arena, value->string, length);
		reading->value = weir_result_number_of(reader, value->string, value);
		if (fabs(reading->value) > WEIR_REPORT_MAX_FIGURE)
			weir_result_fail(reader, WEIR_E_LIMIT, "values", "numbers of at most 1e18");
		evidence->reading_count++;
	}
}

static void read_runner_up(struct weir_result_reader *reader, const cJSON *object)
{
	struct weir_verdict *verdict = &reader->report->verdict;
	const cJSON *runner_up = weir_result_take_object(reader, object, "runner_up");

	if (!runner_up)
		return;
	verdict->has_runner_up = true;
	verdict->runner_up = weir_report_take_bound(reader, runner_up, "bound");
	verdict->runner_up_share = weir_report_take_figure(reader, runner_up, "share");
	weir_result_in(reader, "runner_up");
}

static void read_verdict(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list clauses = {
		"evidence", WEIR_MAX_CLAUSES, sizeof(struct weir_evidence), read_evidence};
	const cJSON *object = weir_result_take_object(reader, document, "verdict");
	struct weir_verdict *verdict = &reader->report->verdict;
	const char *confidence = weir_result_take_text(reader, object, "confidence");
	const struct weir_evidence *evidence;

	if (reader->status && !object)
		return;
	if (!weir_result_take(reader, object, "bound"))
		weir_result_fail(reader, WEIR_E_FORMAT, "bound", "a bound");
	verdict->bound = weir_report_take_bound(reader, object, "bound");
	verdict->cause = weir_result_take_text(reader, object, "cause");
	if (confidence && !weir_confidence_parse(confidence, &verdict->confidence))
		weir_result_fail(reader, WEIR_E_FORMAT, "confidence", "low, medium or high");
	verdict->share = weir_report_take_figure(reader, object, "share");
	verdict->rule = weir_result_take_text(reader, object, "rule");
	verdict->next = weir_result_take_text(reader, object, "next");
	verdict->headline = weir_result_take_text(reader, object, "headline");
	evidence = weir_report_take_list(reader, object, &clauses, &verdict->evidence_count);
	if (evidence)
		memcpy(verdict->evidence, evidence, verdict->evidence_count * sizeof(*evidence));
	if (!reader->status)
		read_runner_up(reader, object);
	weir_result_in(reader, "verdict");
}

/*
 * Writers turn nanoseconds into shares, and shares are all that the document holds: a whole of
 * 1,000,000 gives exactly the shares that were read.
 */
static void read_attribution(struct weir_result_reader *reader, const cJSON *document)
{
	const cJSON *object = weir_result_take_object(reader, document, "attribution");
	struct weir_attribution *attribution = &reader->report->attribution;
	int known = 0;

	if (reader->status)
		return;
	for (int bound = 0; bound < WEIR_BOUND_COUNT; bound++) {
		const char *key = weir_attribution_label((enum weir_bound)bound);
		double share = weir_result_take_number(reader, object, key);

		if (isnan(share))
			continue;
		if (share < 0 || share > 1)
			weir_result_fail(reader, WEIR_E_FORMAT, key, "a share from 0 to 1");
		else
			attribution->ns[bound] = (int64_t)round(share * MICRO);
		known++;
	}
	if (known && known < WEIR_BOUND_COUNT)
		weir_result_fail(reader, WEIR_E_FORMAT, "entries", "a share for all or for none");
	attribution->total_ns = known ? MICRO : 0;
	weir_result_in(reader, "attribution");
}

/* ---- the document ---- */

static void (*const parts[])(struct weir_result_reader *, const cJSON *) = {
	read_verdict,
	read_attribution,
	weir_report_read_gpu,
	weir_report_read_ranks,
	weir_report_read_stages,
	weir_report_read_operators,
	weir_report_read_advice,
	weir_report_read_what_ifs,
	weir_report_read_profiler,
	weir_report_read_memory,
	weir_report_read_requests,
	weir_report_read_telemetry,
	weir_report_read_graphs,
	weir_report_read_counters,
	weir_report_read_host,
	weir_report_read_critical_path,
};

enum weir_status weir_stored_report_of(const cJSON *document,
                                       const struct weir_feature_table *features,
                                       struct weir_stored_report **out, struct weir_error *err)
{
	struct weir_stored_report *stored = weir_alloc(sizeof(*stored));
	struct weir_result_reader reader = {.err = err};

	*out = NULL;
	stored->profile = weir_profile_new();
	stored->report = weir_report_new(stored->profile);
	stored->report->feature_table = features;
	reader.report = stored->report;
	reader.arena = stored->report->arena;
	read_run(&reader, document, stored->profile);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !reader.status; i++)
		parts[i](&reader, document);
	if (reader.status)
		weir_stored_report_free(stored);
	else
		*out = stored;
	return reader.status;
}

enum weir_status weir_stored_report_parse(const char *text, size_t len,
                                          const struct weir_feature_table *features,
                                          struct weir_stored_report **out, struct weir_error *err)
{
	enum weir_result_kind kind = WEIR_RESULT_REPORT;
	cJSON *document = NULL;
	enum weir_status status = weir_json_parse(text, len, &document, err);

	*out = NULL;
	if (!status)
		status = weir_result_kind_of(document, &kind, err);
	if (!status && kind != WEIR_RESULT_REPORT)
		status = weir_fail(err, WEIR_E_FORMAT, "schema: expected weir.report/1");
	if (!status)
		status = weir_stored_report_of(document, features, out, err);
	cJSON_Delete(document);
	return status;
}

void weir_stored_report_free(struct weir_stored_report *stored)
{
	if (!stored)
		return;
	weir_report_free(stored->report);
	weir_profile_free(stored->profile);
	free(stored);
}
