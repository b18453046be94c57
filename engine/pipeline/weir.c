/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implements weir.h. Functions that allocate run inside weir_memory_try(), and store memory in the
 * result as soon as they have it, so that weir_result_free() frees it also after a failure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/include/weir/weir.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/clock.h"
#include "engine/pipeline/exit.h"
#include "engine/pipeline/gating.h"
#include "engine/report/words/phrases.h"
#include "engine/report/writer.h"

struct weir_result {
	struct weir_classification *classification; /* NULL: the result is not a classification */
	struct weir_gate_result *gate;              /* NULL: the result is not a gate */
	struct weir_policy *policy;
	struct weir_settings settings;
	struct weir_change *changes;
	struct weir_text headline, next, rendered;
	struct weir_error error;
	bool done; /* true if the call succeeded, so that there is a verdict */
};

/* Arguments of a call; the context of its weir_memory_try(). */
struct call {
	const struct weir_options *given; /* NULL: the defaults */
	struct weir_options options;
	const char *const *paths;
	const struct weir_buffer *buffers; /* NULL: the inputs are paths */
	size_t count;
	const char *const *candidate; /* candidate of a gate, whose baseline is `paths` */
	size_t candidate_count;
	struct weir_result *result; /* NULL: out of memory */
};

const char *weir_version(void)
{
	return WEIR_VERSION;
}

unsigned weir_version_number(void)
{
	return WEIR_VERSION_MAJOR * 10000 + WEIR_VERSION_MINOR * 100 + WEIR_VERSION_PATCH;
}

void weir_options_init(struct weir_options *options, size_t size)
{
	memset(options, 0, size);
	options->size = size;
}

/* ---- calls ---- */

static enum weir_status take_options(struct call *call, struct weir_error *err)
{
	const struct weir_options *given = call->given;

	if (!given)
		return WEIR_OK;
	if (given->size < sizeof given->size || given->size > 16 * sizeof *given)
		return weir_fail(err, WEIR_E_USAGE,
		                 "the options were not set up with weir_options_init()");
	memcpy(&call->options, given,
	       given->size < sizeof *given ? given->size : sizeof call->options);
	if (!(call->options.percentile >= 0 && call->options.percentile < 100))
		return weir_fail(
			err, WEIR_E_USAGE,
			"options.percentile is %g; expected a number above 0 and below 100",
			call->options.percentile);
	if (!(call->options.cost_per_gpu_hour >= 0 && isfinite(call->options.cost_per_gpu_hour)))
		return weir_fail(err, WEIR_E_USAGE,
		                 "options.cost_per_gpu_hour is %g; expected a price above 0",
		                 call->options.cost_per_gpu_hour);
	return WEIR_OK;
}

static enum weir_status take_changes(const struct call *call, struct weir_error *err)
{
	size_t count = call->options.what_if_count;
	enum weir_status status = WEIR_OK;

	call->result->changes = weir_alloc((count + 1) * sizeof *call->result->changes);
	for (size_t i = 0; !status && i < count; i++)
		status =
			weir_change_parse(call->options.what_if[i], &call->result->changes[i], err);
	return status ? weir_fail_in(err, "options.what_if") : WEIR_OK;
}

static enum weir_status load_policy(const struct call *call, struct weir_error *err)
{
	if (call->options.config)
		return weir_policy_today(call->options.config, &call->result->policy, err);
	call->result->policy = weir_policy_new();
	return WEIR_OK;
}

static struct weir_settings settings_of(const struct call *call)
{
	double price = call->options.cost_per_gpu_hour;

	return weir_settings_of(call->result->policy, price > 0 ? price : NAN,
	                        "options.cost_per_gpu_hour");
}

static struct weir_progress progress_of(const struct call *call)
{
	return (struct weir_progress){call->options.progress, call->options.progress_context, NULL,
	                              NULL};
}

static enum weir_status classify(struct call *call, struct weir_error *err)
{
	struct weir_result *result = call->result;
	const struct weir_progress progress = progress_of(call);
	struct weir_classify_request request = {
		.paths = call->paths,
		.path_count = call->buffers ? 0 : call->count,
		.buffers = call->buffers,
		.buffer_count = call->buffers ? call->count : 0,
		.input_format = call->options.input_format,
		.rules_folder = call->options.rules_folder,
		.device = call->options.device,
		.whole_window = call->options.whole_window,
		.change_count = call->options.what_if_count,
		.percentile = call->options.percentile / 100,
		.detail = call->options.drawings,
		.offline = true,
		.progress = progress.report ? &progress : NULL,
	};
	enum weir_status status = call->count ? take_changes(call, err)
	                                      : weir_fail(err, WEIR_E_USAGE, "no input was given");

	if (!status)
		status = load_policy(call, err);
	if (status)
		return status;
	result->settings = settings_of(call);
	request.settings = &result->settings;
	request.changes = result->changes;
	result->classification = weir_classification_new();
	status = weir_classification_run(result->classification, &request, err);
	if (!status) {
		const struct weir_report *report =
			weir_classification_report(result->classification);

		weir_phrase_headline(report, &result->headline);
		weir_phrase_next(report, &result->next);
	}
	return status;
}

static void classify_inside(void *context)
{
	struct call *call = context;
	struct weir_error *err;

	call->result = weir_alloc(sizeof *call->result);
	err = &call->result->error;
	call->result->done = !take_options(call, err) && !classify(call, err);
}

/* Keeps the first failure of a run: its message names the run, that of the gate does not. */
static void keep_failure(void *context, const char *message)
{
	struct weir_error *first = context;

	if (!first->status)
		weir_fail(first, WEIR_E_FORMAT, "%s", message);
}

static enum weir_status gate(struct call *call, struct weir_error *err)
{
	struct weir_result *result = call->result;
	const struct weir_progress progress = progress_of(call);
	struct weir_error first = {0};
	char now[WEIR_CLOCK_SIZE];
	struct weir_gate_request request = {
		.terms = {.strict = call->options.strict,
	                  .require_operators = call->options.require_operators},
		.measuring = {.input_format = call->options.input_format,
	                      .settings = &result->settings,
	                      .recorded = now,
	                      .consequence = "nothing was compared",
	                      .offline = true,
	                      .progress = progress.report ? &progress : NULL,
	                      .failed = keep_failure,
	                      .context = &first},
		.baseline = call->paths,
		.baseline_count = call->count,
		.candidate = call->candidate,
		.candidate_count = call->candidate_count,
	};
	enum weir_status status =
		call->count && call->candidate_count
			? load_policy(call, err)
			: weir_fail(err, WEIR_E_USAGE,
	                            "a gate needs baseline runs and candidate runs");

	if (status)
		return status;
	weir_clock_now(now);
	result->settings = settings_of(call);
	request.terms.policy = result->policy;
	result->gate = weir_gate_result_new();
	status = weir_gate_runs(&request, result->gate, err);
	if (status && first.status)
		*err = first;
	return status;
}

static void gate_inside(void *context)
{
	struct call *call = context;
	struct weir_error *err;

	call->result = weir_alloc(sizeof *call->result);
	err = &call->result->error;
	call->result->done = !take_options(call, err) && !gate(call, err);
}

static struct weir_result *run(void (*inside)(void *context), struct call *call)
{
	if (!weir_memory_try(inside, call) && call->result)
		weir_fail(&call->result->error, WEIR_E_INTERNAL, "out of memory");
	return call->result;
}

struct weir_result *weir_classify_files(const char *const *paths, size_t count,
                                        const struct weir_options *options)
{
	struct call call = {.given = options, .paths = paths, .count = count};

	return run(classify_inside, &call);
}

struct weir_result *weir_classify_memory(const struct weir_buffer *buffers, size_t count,
                                         const struct weir_options *options)
{
	struct call call = {.given = options, .buffers = buffers, .count = count};

	return run(classify_inside, &call);
}

struct weir_result *weir_gate_files(const char *const *baseline, size_t baseline_count,
                                    const char *const *candidate, size_t candidate_count,
                                    const struct weir_options *options)
{
	struct call call = {.given = options,
	                    .paths = baseline,
	                    .count = baseline_count,
	                    .candidate = candidate,
	                    .candidate_count = candidate_count};

	return run(gate_inside, &call);
}

void weir_result_free(struct weir_result *result)
{
	if (!result)
		return;
	weir_classification_free(result->classification);
	weir_gate_result_free(result->gate);
	weir_policy_free(result->policy);
	free(result->changes);
	weir_text_release(&result->headline);
	weir_text_release(&result->next);
	weir_text_release(&result->rendered);
	free(result);
}

int weir_result_code(const struct weir_result *result)
{
	if (!result)
		return WEIR_EXIT_INTERNAL;
	if (!result->error.status && result->gate)
		return result->gate->exit_code;
	return (int)weir_exit_of(result->error.status);
}

const char *weir_result_error(const struct weir_result *result)
{
	if (!result)
		return "out of memory";
	return result->error.status ? result->error.message : NULL;
}

/* ---- documents ---- */

struct rendering {
	struct weir_result *result;
	const char *format;
};

static enum weir_status render(struct weir_result *result, const char *format)
{
	enum weir_result_kind kind = result->gate ? WEIR_RESULT_GATE : WEIR_RESULT_REPORT;
	const struct weir_write_options how = {0};
	const struct weir_report *report;
	const struct weir_writer *writer;
	enum weir_status status = weir_writer_find(kind, format, &writer, &result->error);

	if (status)
		return status;
	if (result->gate) {
		writer->gate(result->gate, &how, &result->rendered);
		return WEIR_OK;
	}
	report = weir_classification_report(result->classification);
	if (writer->detail && !report->detail)
		return weir_fail(&result->error, WEIR_E_USAGE,
		                 "the format %s draws the timeline: set options.drawings",
		                 writer->name);
	status = weir_check_drawing(report, writer, &result->error);
	if (!status)
		writer->report(report, &how, &result->rendered);
	return status;
}

static void render_inside(void *context)
{
	struct rendering *rendering = context;

	render(rendering->result, rendering->format);
}

const char *weir_result_render(struct weir_result *result, const char *format)
{
	struct rendering rendering = {result, format};

	if (!result || !result->done)
		return NULL; /* the error of the call says why */
	result->error = (struct weir_error){0};
	weir_text_clear(&result->rendered);
	if (!weir_memory_try(render_inside, &rendering))
		weir_fail(&result->error, WEIR_E_INTERNAL, "out of memory");
	return result->error.status ? NULL : result->rendered.data;
}

/* ---- results ---- */

/* Returns the report of a classification, or NULL for other results. */
static const struct weir_report *report_of(const struct weir_result *result)
{
	return result && result->done && result->classification
	               ? weir_classification_report(result->classification)
	               : NULL;
}

static const struct weir_gate_result *gate_of(const struct weir_result *result)
{
	return result && result->done ? result->gate : NULL;
}

const char *weir_result_bound(const struct weir_result *result)
{
	const struct weir_report *report = report_of(result);

	return report ? weir_bound_name(report->verdict.bound) : NULL;
}

const char *weir_result_cause(const struct weir_result *result)
{
	const struct weir_report *report = report_of(result);

	return report ? report->verdict.cause : NULL;
}

const char *weir_result_confidence(const struct weir_result *result)
{
	const struct weir_report *report = report_of(result);

	return report ? weir_confidence_name(report->verdict.confidence) : NULL;
}

const char *weir_result_rule(const struct weir_result *result)
{
	const struct weir_report *report = report_of(result);

	return report ? report->verdict.rule : NULL;
}

const char *weir_result_headline(const struct weir_result *result)
{
	return report_of(result) ? result->headline.data : NULL;
}

const char *weir_result_next(const struct weir_result *result)
{
	return report_of(result) ? result->next.data : NULL;
}

double weir_result_share(const struct weir_result *result)
{
	const struct weir_report *report = report_of(result);

	return report ? report->verdict.share : NAN;
}

double weir_result_attribution(const struct weir_result *result, const char *bound)
{
	const struct weir_report *report = report_of(result);
	enum weir_bound which = WEIR_BOUND_UNDETERMINED;

	if (!report || report->attribution.total_ns <= 0 ||
	    (strcmp(bound, "unattributed") != 0 && !weir_bound_parse(bound, &which)))
		return NAN;
	return (double)report->attribution.ns[which] / (double)report->attribution.total_ns;
}

const char *weir_result_verdict(const struct weir_result *result)
{
	const struct weir_gate_result *gate = gate_of(result);

	return gate ? weir_gate_verdict_name(gate->verdict) : NULL;
}

/* Copies the members of a row that the caller knows; members that only it knows become 0. */
static int give(void *out, size_t size, const void *row, size_t row_size)
{
	memset(out, 0, size);
	memcpy(out, row, size < row_size ? size : row_size);
	return 1;
}

static struct weir_times times_of(const struct weir_distribution *from)
{
	return (struct weir_times){
		.count = from->count,
		.total_ns = from->total_ns,
		.p50_ns = from->p50_ns,
		.p90_ns = from->p90_ns,
		.p95_ns = from->p95_ns,
		.p99_ns = from->p99_ns,
	};
}

int weir_result_stage(const struct weir_result *result, size_t index, struct weir_stage_entry *out,
                      size_t size)
{
	const struct weir_report *report = report_of(result);
	const struct weir_stage_row *row;
	struct weir_stage_entry info;

	if (!report || index >= report->stage_count)
		return 0;
	row = &report->stages[index];
	info = (struct weir_stage_entry){
		.name = row->name,
		.kind = row->kind,
		.bound = weir_bound_name(row->verdict.bound),
		.cause = row->verdict.cause,
		.duration = times_of(&row->duration),
		.share = row->share,
		.p95_share = row->p95_share,
	};
	return give(out, size, &info, sizeof info);
}

int weir_result_operator(const struct weir_result *result, size_t index,
                         struct weir_operator_entry *out, size_t size)
{
	const struct weir_report *report = report_of(result);
	const struct weir_operator_row *row;
	struct weir_operator_entry info;

	if (!report || index >= report->operator_count)
		return 0;
	row = &report->operators[index];
	info = (struct weir_operator_entry){
		.name = row->name,
		.kernel = row->kernel,
		.stage = row->stage,
		.device = row->device,
		.kind = row->kind,
		.roofline = weir_roofline_name(row->roofline),
		.bound = weir_bound_name(row->verdict.bound),
		.cause = row->verdict.cause,
		.call = times_of(&row->call),
		.share = row->share,
		.flops = row->flops,
		.bytes = row->bytes,
		.tflops = row->tflops,
		.gbps = row->gbps,
		.efficiency = row->efficiency,
	};
	return give(out, size, &info, sizeof info);
}

int weir_result_recommendation(const struct weir_result *result, size_t index,
                               struct weir_recommendation_entry *out, size_t size)
{
	const struct weir_report *report = report_of(result);
	const struct weir_recommendation *row;
	struct weir_recommendation_entry info;

	if (!report || index >= report->recommendation_count)
		return 0;
	row = &report->recommendations[index];
	info = (struct weir_recommendation_entry){row->id,  row->title, row->why,  row->effort,
	                                          row->low, row->high,  row->limit};
	return give(out, size, &info, sizeof info);
}

int weir_result_what_if(const struct weir_result *result, size_t index,
                        struct weir_what_if_entry *out, size_t size)
{
	const struct weir_report *report = report_of(result);
	const struct weir_what_if *row;
	struct weir_what_if_entry info;

	if (!report || index >= report->what_if_count)
		return 0;
	row = &report->what_ifs[index];
	info = (struct weir_what_if_entry){row->class_name, row->factor, row->step_ns,
	                                   row->speedup};
	return give(out, size, &info, sizeof info);
}

int weir_result_row(const struct weir_result *result, size_t index, struct weir_row_entry *out,
                    size_t size)
{
	const struct weir_gate_result *gate = gate_of(result);
	const struct weir_row *row;
	struct weir_row_entry info;

	if (!gate || index >= gate->row_count)
		return 0;
	row = &gate->rows[index];
	info = (struct weir_row_entry){
		.scope = row->scope,
		.metric = weir_metric_name(row->metric),
		.outcome = weir_outcome_name(row->outcome),
		.unit = row->unit,
		.note = row->note,
		.baseline = row->baseline,
		.candidate = row->candidate,
		.change = row->change,
		.low = row->low,
		.high = row->high,
		.p = row->p,
		.p_adjusted = row->p_adjusted,
		.margin = row->margin,
		.mde = row->mde,
	};
	return give(out, size, &info, sizeof info);
}
