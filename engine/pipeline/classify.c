/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/rank/features.h"
#include "engine/base/arena.h"
#include "engine/pipeline/classify.h"
#include "engine/pipeline/judge.h"
#include "rules/ruleset.h"

struct weir_classification {
	struct weir_profile *profile;
	struct weir_ruleset *rules;
	struct weir_report *report;
};

static enum weir_status read_inputs(const struct weir_classify_request *request,
                                    struct weir_profile *profile, struct weir_error *err)
{
	const struct weir_read_options options = {request->input_format, request->progress};

	return weir_read_paths(profile, request->paths, request->path_count, &options, err);
}

static enum weir_status load_rules(const char *folder, struct weir_ruleset **out,
                                   struct weir_error *err)
{
	if (folder)
		return weir_ruleset_load_dir(&weir_feature_table, folder, out, err);
	return weir_ruleset_load_embedded(&weir_feature_table, out, err);
}

static enum weir_status analyse(const struct weir_profile *profile,
                                const struct weir_classify_request *request,
                                struct weir_analysis **out, struct weir_error *err)
{
	const struct weir_analysis_options options = {
		.steady = !request->whole_window,
		.percentile = request->percentile > 0 ? request->percentile : 0.95,
		.device_name = request->device,
		.settings = request->settings,
		.changes = request->changes,
		.change_count = request->change_count,
		.detail = request->detail,
	};

	return weir_analysis_new(profile, &options, out, err);
}

/* run may be NULL; else it is filled with what was measured. */
static enum weir_status judge(struct weir_classification *classification,
                              const struct weir_classify_request *request, struct weir_run *run,
                              struct weir_error *err)
{
	struct weir_analysis *analysis;
	enum weir_status status = analyse(classification->profile, request, &analysis, err);

	if (status)
		return status;
	status = weir_judge_operators(analysis, classification->rules, err);
	if (!status) {
		classification->report = weir_report_new(classification->profile);
		weir_analysis_report(analysis, classification->report);
		status = weir_judge_report(analysis, classification->report, classification->rules,
		                           err);
	}
	if (!status && run)
		weir_analysis_run(analysis, run);
	weir_analysis_free(analysis);
	return status;
}

static enum weir_status classify(const struct weir_classify_request *request, struct weir_run *run,
                                 struct weir_classification **out, struct weir_error *err)
{
	struct weir_classification *classification = weir_alloc(sizeof *classification);
	enum weir_status status;

	classification->profile = weir_profile_new();
	status = load_rules(request->rules_folder, &classification->rules, err);
	if (!status)
		status = read_inputs(request, classification->profile, err);
	if (!status)
		status = judge(classification, request, run, err);
	if (status) {
		weir_classification_free(classification);
		return status;
	}
	*out = classification;
	return WEIR_OK;
}

enum weir_status weir_classify(const struct weir_classify_request *request,
                               struct weir_classification **out, struct weir_error *err)
{
	return classify(request, NULL, out, err);
}

enum weir_status weir_measure(const struct weir_classify_request *request,
                              struct weir_measured *out, struct weir_error *err)
{
	struct weir_classification *classification;
	const struct weir_verdict *verdict;
	enum weir_status status;

	*out = (struct weir_measured){.run = weir_run_new()};
	status = classify(request, out->run, &classification, err);
	if (status) {
		weir_measured_release(out);
		return status;
	}
	verdict = &classification->report->verdict;
	out->has_bound = verdict->bound != WEIR_BOUND_UNDETERMINED;
	out->bound = verdict->bound;
	if (out->has_bound && verdict->cause)
		snprintf(out->cause, sizeof out->cause, "%s", verdict->cause);
	weir_classification_free(classification);
	return WEIR_OK;
}

void weir_measured_release(struct weir_measured *measured)
{
	weir_run_free(measured->run);
	*measured = (struct weir_measured){0};
}

void weir_classification_free(struct weir_classification *classification)
{
	if (!classification)
		return;
	weir_report_free(classification->report);
	weir_ruleset_free(classification->rules);
	weir_profile_free(classification->profile);
	free(classification);
}

const struct weir_report *
weir_classification_report(const struct weir_classification *classification)
{
	return classification->report;
}

enum weir_status weir_convert(const struct weir_classify_request *request, struct weir_run **out,
                              struct weir_error *err)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_analysis *analysis;
	enum weir_status status = read_inputs(request, profile, err);

	if (!status)
		status = analyse(profile, request, &analysis, err);
	if (!status) {
		*out = weir_run_new();
		weir_analysis_run(analysis, *out);
		weir_analysis_free(analysis);
	}
	weir_profile_free(profile);
	return status;
}
