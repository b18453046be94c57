/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/rank/features.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/base/regions.h"
#include "engine/base/sandbox.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/duplicates.h"
#include "engine/pipeline/first_advice.h"
#include "engine/pipeline/headline.h"
#include "engine/pipeline/judge.h"
#include "engine/pipeline/one_run.h"
#include "engine/pipeline/own_tools.h"
#include "engine/pipeline/parting.h"
#include "engine/pipeline/recommend.h"
#include "engine/pipeline/server_verdict.h"
#include "engine/pipeline/several_runs.h"
#include "engine/report/words/warnings.h"

#define DEFAULT_PERCENTILE 0.95

struct weir_classification {
	struct weir_profile *profile;
	struct weir_ruleset *rules;
	struct weir_report *report;
	struct weir_read_failures failures;
};

struct weir_settings weir_settings_of(const struct weir_policy *policy, double usd_per_gpu_hour,
                                      const char *source)
{
	if (isnan(usd_per_gpu_hour)) {
		usd_per_gpu_hour = policy->usd_per_gpu_hour;
		source = isnan(usd_per_gpu_hour) ? NULL : policy->path;
	}
	return (struct weir_settings){
		.cost_per_gpu_hour = usd_per_gpu_hour,
		.cost_source = source,
		.aliases = {policy->stages, policy->stage_count},
		.slos = policy->slos,
		.slo_count = policy->slo_count,
	};
}

enum weir_status weir_load_rules(const char *folder, struct weir_ruleset **out,
                                 struct weir_error *err)
{
	struct weir_region region = weir_region_enter("rules", folder);
	enum weir_status status = folder ? weir_ruleset_load_dir(&weir_features, folder, out, err)
	                                 : weir_ruleset_load_embedded(&weir_features, out, err);

	weir_region_leave(&region, "rules", status ? 0 : weir_ruleset_count(*out));
	return status;
}

/* Reads the inputs. Of more traces than are analysed in detail, only few are in memory at once.
 * failures: where files that cannot be read are listed; NULL: the first one is an error. */
static enum weir_status read_inputs(const struct weir_classify_request *request,
                                    struct weir_profile *profile,
                                    struct weir_read_failures *failures, struct weir_error *err)
{
	const struct weir_read_options options = {
		.format = request->input_format,
		.progress = request->progress,
		.pack = true,
		.pack_above = WEIR_DETAILED_RANKS,
		.offline = request->offline,
		.failures = failures,
	};
	struct weir_region region = weir_region_enter("read", NULL);
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < request->buffer_count; i++)
		status = weir_read_memory(profile, request->buffers[i].name,
		                          request->buffers[i].data, request->buffers[i].size,
		                          &options, err);
	if (!status)
		status = weir_read_paths(profile, request->paths, request->path_count, &options,
		                         err);
	if (!status)
		status = weir_duplicates_check(profile, err);
	if (!status)
		status = weir_one_run_check(profile, err);
	if (!status)
		status = weir_traces_settle(profile, WEIR_DETAILED_RANKS, err);
	weir_region_leave(&region, "inputs", profile->input_count);
	return status;
}

/* The call of weir_analysis_new() in a sandbox. */
struct analysing {
	const struct weir_profile *profile;
	const struct weir_analysis_options *options;
	struct weir_analysis **out;
	struct weir_error *err;
	enum weir_status status;
};

static void analyse_inside(void *context)
{
	struct analysing *call = context;

	call->status = weir_analysis_new(call->profile, call->options, call->out, call->err);
}

/* Derives steps, segments, causes of idle time and rooflines for every rank, and joins the inputs.
 * rules: for ranks that are not analysed in detail; NULL: nothing is judged. The caller frees
 * *out. */
static enum weir_status analyse(const struct weir_profile *profile,
                                const struct weir_classify_request *request,
                                struct weir_ruleset *rules, bool verdict_only,
                                struct weir_analysis **out, struct weir_error *err)
{
	const struct weir_analysis_options options = {
		.steady = !request->whole_window,
		.percentile = request->percentile > 0 ? request->percentile : DEFAULT_PERCENTILE,
		.device_name = request->device,
		.settings = request->settings,
		.changes = request->changes,
		.change_count = request->change_count,
		.detail = request->detail,
		.verdict_only = verdict_only,
		.judge = rules ? weir_judge_operator : NULL,
		.judge_context = rules,
	};
	struct weir_region region = weir_region_enter("analyse", NULL);
	struct analysing call = {profile, &options, out, err, WEIR_OK};

	weir_sandbox_run(analyse_inside, &call);
	weir_region_leave(&region, "ranks", call.status ? 0 : (*out)->summary_count);
	return call.status;
}

/* Gives each operator its verdict, on which the attribution of time in the report rests. */
static void judge_operators(struct weir_analysis *analysis, struct weir_ruleset *rules)
{
	struct weir_region region = weir_region_enter("judge_operators", NULL);

	weir_judge_operators(analysis, rules);
	weir_region_leave(&region, "operators", weir_analysis_subject_count(analysis));
}

static void fill_report(struct weir_analysis *analysis, struct weir_report *report)
{
	struct weir_region region = weir_region_enter("report", NULL);

	weir_analysis_report(analysis, report);
	weir_region_leave(&region, "rows", report->operator_count);
}

static void judge_report(struct weir_report *report, struct weir_ruleset *rules,
                         struct weir_conclusion *conclusion)
{
	struct weir_region region = weir_region_enter("judge", NULL);

	weir_judge_stages(report, rules);
	weir_judge_profile(report, rules, conclusion);
	weir_region_leave(&region, "stages", report->stage_count);
}

static enum weir_status recommend(const struct weir_analysis *analysis,
                                  const struct weir_conclusion *conclusion,
                                  struct weir_report *report, struct weir_error *err)
{
	struct weir_region region = weir_region_enter("recommend", NULL);
	enum weir_status status;

	weir_settle_attribution(analysis, conclusion, report);
	if (!conclusion->about_server)
		weir_complete_headline(report);
	weir_explain_abstention(report);
	status = weir_recommend(analysis, report, conclusion->advice.items,
	                        conclusion->advice.count, err);
	weir_follow_first_advice(report, conclusion->advice.items, conclusion->advice.count);
	weir_name_server_changes(report);
	weir_name_own_tools(report);
	weir_note_long_stages(report);
	weir_note_profiler(report);
	weir_region_leave(&region, "recommendations", report->recommendation_count);
	return status;
}

/* Fails with the first reason if no file could be read. */
static enum weir_status check_any_read(const struct weir_classification *classification,
                                       struct weir_error *err)
{
	const struct weir_read_failures *failures = &classification->failures;

	if (failures->count == 0 || classification->profile->input_count > 0)
		return WEIR_OK;
	if (err)
		*err = failures->items[0];
	return failures->items[0].status;
}

static void note_failures(const struct weir_read_failures *failures, struct weir_report *report)
{
	if (failures->count > 0)
		weir_report_note(
			report, "left_out",
			"%zu of the files could not be read and %s left out, the first one "
			"because: %s",
			failures->count, failures->count == 1 ? "was" : "were",
			failures->items[0].message);
}

struct weir_classification *weir_classification_new(void)
{
	struct weir_classification *classification = weir_alloc(sizeof *classification);

	classification->profile = weir_profile_new();
	return classification;
}

enum weir_status weir_classification_run(struct weir_classification *classification,
                                         const struct weir_classify_request *request,
                                         struct weir_error *err)
{
	struct weir_analysis *analysis = NULL;
	enum weir_status status =
		weir_load_rules(request->rules_folder, &classification->rules, err);

	if (!status)
		status = read_inputs(request, classification->profile,
		                     request->tolerant ? &classification->failures : NULL, err);
	if (!status)
		status = check_any_read(classification, err);
	if (!status && !weir_several_runs_are_repeats(classification->profile))
		status = weir_several_runs_choose(classification->profile, 0, err);
	if (!status)
		status = analyse(classification->profile, request, classification->rules, false,
		                 &analysis, err);
	if (!status) {
		struct weir_conclusion conclusion = {0};

		judge_operators(analysis, classification->rules);
		classification->report = weir_report_new(classification->profile);
		note_failures(&classification->failures, classification->report);
		fill_report(analysis, classification->report);
		weir_analysis_drop_collectives(analysis);
		judge_report(classification->report, classification->rules, &conclusion);
		status = recommend(analysis, &conclusion, classification->report, err);
		weir_conclusion_release(&conclusion);
	}
	weir_analysis_free(analysis);
	return status;
}

enum weir_status weir_classify(const struct weir_classify_request *request,
                               struct weir_classification **out, struct weir_error *err)
{
	struct weir_classification *classification = weir_classification_new();
	enum weir_status status = weir_classification_run(classification, request, err);

	if (status)
		weir_classification_free(classification);
	else
		*out = classification;
	return status;
}

enum weir_status weir_check_drawing(const struct weir_report *report,
                                    const struct weir_writer *writer, struct weir_error *err)
{
	if (!writer->detail || report->detail->flame.count > 0 || report->detail->span_count > 0)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_EMPTY,
	                 "the format %s draws a timeline, and no input holds one: pass a trace of "
	                 "the run",
	                 writer->name);
}

void weir_classification_free(struct weir_classification *classification)
{
	if (!classification)
		return;
	weir_report_free(classification->report);
	weir_ruleset_free(classification->rules);
	weir_profile_free(classification->profile);
	weir_read_failures_release(&classification->failures);
	free(classification);
}

const struct weir_report *
weir_classification_report(const struct weir_classification *classification)
{
	return classification->report;
}

const struct weir_read_failures *
weir_classification_failures(const struct weir_classification *classification)
{
	return &classification->failures;
}

static void keep_verdict(const struct weir_verdict *verdict, struct weir_measured *out)
{
	out->has_bound = verdict->bound != WEIR_BOUND_UNDETERMINED;
	out->bound = verdict->bound;
	if (out->has_bound && verdict->cause)
		snprintf(out->cause, sizeof out->cause, "%s", verdict->cause);
}

enum weir_status weir_measure(const struct weir_classify_request *request,
                              struct weir_ruleset *rules, struct weir_measured *out,
                              struct weir_error *err)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis = NULL;
	struct weir_run *further = NULL;
	enum weir_status status = read_inputs(request, profile, NULL, err);

	*out = (struct weir_measured){0};
	if (!status)
		status = weir_several_runs_take(profile, &further, err);
	if (!status)
		status = analyse(profile, request, rules, true, &analysis, err);
	if (!status) {
		struct weir_conclusion conclusion = {0};
		struct weir_report *report = weir_report_new(profile);

		judge_operators(analysis, rules);
		fill_report(analysis, report);
		weir_judge_profile(report, rules, &conclusion);
		keep_verdict(&report->verdict, out);
		out->run = weir_run_new();
		weir_analysis_run(analysis, out->run);
		out->run->next = further;
		further = NULL;
		weir_conclusion_release(&conclusion);
		weir_report_free(report);
	}
	weir_run_free(further);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
	return status;
}

void weir_measured_release(struct weir_measured *measured)
{
	weir_run_free(measured->run);
	*measured = (struct weir_measured){0};
}

/* Fails if a run has no value: no command would read its document. */
static enum weir_status require_values(const struct weir_classify_request *request,
                                       const struct weir_run *run, struct weir_error *err)
{
	const char *path = request->path_count ? request->paths[0] : "the input";

	if (weir_run_has_values(run))
		return WEIR_OK;
	return weir_fail(err, WEIR_E_EMPTY,
	                 "%s: no duration and no figure that a run document can hold: read it with "
	                 "weir classify, and convert requests, results of a benchmark, a timeline "
	                 "or samples of a monitor",
	                 path);
}

/* Appends the warnings about the inputs, one a line. It passes over files without samples: nothing
 * is compared. */
static void list_warnings(const struct weir_profile *profile, struct weir_text *out)
{
	for (size_t i = 0; out && i < profile->input_count; i++)
		for (int code = 0; code < WEIR_WARN_COUNT; code++) {
			const struct weir_input *input = &profile->inputs[i];

			if (!input->warnings[code].count || code == WEIR_WARN_MEANS_ONLY)
				continue;
			weir_warning_of_input(input, (enum weir_warning_code)code,
			                      profile->input_count > 1, out);
			weir_text_puts(out, "\n");
		}
}

enum weir_status weir_convert(const struct weir_classify_request *request, struct weir_run **out,
                              struct weir_error *err)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis = NULL;
	enum weir_status status = read_inputs(request, profile, NULL, err);

	*out = NULL;
	if (!status)
		status = weir_several_runs_choose(profile, request->run_number, err);
	if (!status)
		status = analyse(profile, request, NULL, true, &analysis, err);
	if (!status) {
		*out = weir_run_new();
		weir_analysis_run(analysis, *out);
		status = require_values(request, *out, err);
	}
	if (!status)
		list_warnings(profile, request->warnings);
	if (status && *out) {
		weir_run_free(*out);
		*out = NULL;
	}
	weir_analysis_free(analysis);
	weir_profile_free(profile);
	return status;
}

enum weir_status weir_check_run(const char *path, struct weir_error *err)
{
	const struct weir_classify_request request = {.paths = &path, .path_count = 1};
	struct weir_run *run;
	enum weir_status status = weir_convert(&request, &run, err);

	if (!status)
		weir_run_free(run);
	return status;
}
