/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/features.h"
#include "engine/analysis/joining.h"
#include "engine/base/arena.h"
#include "engine/cli/classify.h"
#include "engine/cli/counted.h"
#include "engine/cli/recommend.h"
#include "rules/evaluate.h"
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

static enum weir_status judge_operators(struct weir_analysis *analysis, struct weir_ruleset *rules,
                                        struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < weir_analysis_subject_count(analysis); i++) {
		struct weir_subject subject;
		struct weir_verdict verdict;

		weir_analysis_subject(analysis, i, &subject);
		status = weir_ruleset_judge(rules, &subject, NULL, &verdict, NULL, err);
		if (!status)
			weir_analysis_set_verdict(analysis, i, &verdict);
	}
	return status;
}

static void shares_of(const struct weir_attribution *attribution, double shares[WEIR_BOUND_COUNT])
{
	for (size_t b = 0; b < WEIR_BOUND_COUNT; b++)
		shares[b] = attribution->total_ns > 0
		                    ? (double)attribution->ns[b] / (double)attribution->total_ns
		                    : NAN;
}

static enum weir_status judge_stages(struct weir_report *report, struct weir_ruleset *rules,
                                     struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < report->stage_count; i++) {
		struct weir_stage_row *stage = &report->stages[i];
		struct weir_subject subject = {WEIR_SUBJECT_STAGE, stage->name, stage->features};
		double shares[WEIR_BOUND_COUNT];

		shares_of(&stage->attribution, shares);
		status = weir_ruleset_judge(rules, &subject, shares, &stage->verdict, NULL, err);
	}
	return status;
}

/* What a timeline says, or a monitor of the device; shares are of its own time. */
static enum weir_status judge_device(const struct weir_report *report, struct weir_ruleset *rules,
                                     struct weir_verdict *verdict, struct weir_advice_list *advice,
                                     struct weir_error *err)
{
	struct weir_subject subject = {WEIR_SUBJECT_PROFILE, NULL, report->features};
	double shares[WEIR_BOUND_COUNT];

	shares_of(&report->device_attribution, shares);
	return weir_ruleset_judge(rules, &subject, shares, verdict, advice, err);
}

/* Time in computation is not "unattributed" to the rules about requests: it is what they judge. */
static enum weir_status judge_requests(const struct weir_report *report, struct weir_ruleset *rules,
                                       struct weir_verdict *verdict,
                                       struct weir_advice_list *advice, struct weir_error *err)
{
	struct weir_subject subject = {WEIR_SUBJECT_REQUESTS, NULL, report->features};
	double shares[WEIR_BOUND_COUNT];

	shares_of(&report->attribution, shares);
	shares[WEIR_BOUND_UNDETERMINED] -= report->features[WEIR_F_PATH_COMPUTE];
	return weir_ruleset_judge(rules, &subject, shares, verdict, advice, err);
}

/* What inputs without requests and without a timeline can say, and what would say more. */
struct silence {
	bool (*holds)(const struct weir_report *report);
	const char *headline, *next;
};

static bool is_counted(const struct weir_report *report)
{
	for (size_t i = 0; i < report->stage_count; i++)
		if (report->stages[i].view == WEIR_VIEW_COUNTED)
			return true;
	return false;
}

static bool is_series(const struct weir_report *report)
{
	return report->stage_count > 0;
}

static bool is_monitor(const struct weir_report *report)
{
	return report->has_telemetry;
}

static bool is_host(const struct weir_report *report)
{
	return report->host != NULL;
}

static bool is_anything(const struct weir_report *report)
{
	(void)report;
	return true;
}

static const struct silence silences[] = {
	{is_counted, "counters say how long stages take, not who waits for whom",
         "pass requests of the same time (spans, or a log of requests), or a timeline of the "
         "device"},
	{is_series, "durations alone: nothing here says what the device did meanwhile",
         "pass a timeline of the device for the same load, or requests as the server saw them"},
	{is_monitor, "a monitor says whether the device was in use, not what for",
         "pass requests of the same time, or a timeline of the device"},
	{is_host,
         "a profile of the host says what the host does, not whether the device waits for it",
         "pass a timeline of the device for the same load (torch.profiler, nsys)"},
	{is_anything, "figures of a run, without any time to look into",
         "pass requests (spans, or a log of requests), or a timeline of the device"},
};

/* A list of unmeasured features helps nobody where the kind of input is what is missing. */
static void explain_silence(const struct weir_report *report, struct weir_verdict *verdict)
{
	const struct silence *silence = silences;

	if (report->has_gpu || verdict->rule || verdict->bound != WEIR_BOUND_UNDETERMINED)
		return;
	for (size_t i = 0; i < report->profile->input_count; i++)
		if (report->profile->inputs[i].trace)
			return;
	while (!silence->holds(report))
		silence++;
	verdict->headline = silence->headline;
	verdict->next = silence->next;
}

/*
 * From the request down: the verdict is that about the requests. Where that says that the time is
 * in computation and a timeline shows it, the timeline names the bound, of a share that is no
 * larger than the computation's; a device that is full stays the cause.
 */
static void combine(const struct weir_verdict *requests, const struct weir_verdict *device,
                    struct weir_report *report)
{
	struct weir_verdict *out = &report->verdict;
	size_t kept = device ? device->evidence_count : 0;

	*out = *requests;
	if (!device)
		return;
	*out = *device;
	if (device->headline)
		out->headline = weir_arena_format(
			report->arena,
			"{path_compute:share} of p{percentile:count} is computation, "
			"and there %s",
			device->headline);
	if (requests->evidence_count > 0 && kept < WEIR_MAX_CLAUSES) {
		out->evidence[0] = requests->evidence[0];
		memcpy(&out->evidence[1], device->evidence, kept * sizeof *device->evidence);
		out->evidence_count = kept + 1;
	}
	out->share = isnan(device->share) ? NAN : device->share * requests->share;
	if (requests->bound != WEIR_BOUND_UNDETERMINED)
		out->cause = requests->cause;
}

/* A percentile of so few requests is one or two of them. */
#define FEW_REQUESTS 20

static enum weir_status judge_served(const struct weir_analysis *analysis,
                                     struct weir_report *report, struct weir_ruleset *rules,
                                     struct weir_error *err)
{
	struct weir_advice_list advice = {0}, device_advice = {0};
	struct weir_verdict requests, device;
	enum weir_status status = judge_requests(report, rules, &requests, &advice, err);
	bool descend = false;

	if (!status && requests.descend && report->has_gpu) {
		status = judge_device(report, rules, &device, &device_advice, err);
		descend = !status && device.bound != WEIR_BOUND_UNDETERMINED;
	}
	if (!status) {
		combine(&requests, descend ? &device : NULL, report);
		if (report->requests.count < FEW_REQUESTS)
			report->verdict.confidence = WEIR_CONFIDENCE_LOW;
		weir_analysis_settle(analysis, &requests, descend ? &device : NULL, report);
		weir_advice_list_append(&advice, &device_advice);
		weir_recommend(analysis, report, advice.items, advice.count);
	}
	weir_advice_list_release(&advice);
	weir_advice_list_release(&device_advice);
	return status;
}

static enum weir_status judge_profile(const struct weir_analysis *analysis,
                                      struct weir_report *report, struct weir_ruleset *rules,
                                      struct weir_error *err)
{
	struct weir_advice_list advice = {0};
	enum weir_status status;

	if (report->has_requests && report->requests.latency_ns)
		return judge_served(analysis, report, rules, err);
	status = judge_device(report, rules, &report->verdict, &advice, err);
	if (!status && weir_counted_alone(report))
		weir_judge_counted(report);
	else if (!status)
		explain_silence(report, &report->verdict);
	if (!status)
		weir_recommend(analysis, report, advice.items, advice.count);
	weir_advice_list_release(&advice);
	return status;
}

/* Profilers slow the host: without durations that were taken without one, nobody knows how much. */
static void note_profiler(struct weir_report *report)
{
	if (!report->has_gpu || report->profiler.source ||
	    report->verdict.bound != WEIR_BOUND_RUNTIME)
		return;
	weir_report_note(report, "profiler",
	                 "a profiler slows the host: shares of the host's time are upper bounds; "
	                 "pass durations taken without it to see how far");
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
	status = judge_operators(analysis, classification->rules, err);
	if (!status) {
		classification->report = weir_report_new(classification->profile);
		weir_analysis_report(analysis, classification->report);
		status = judge_stages(classification->report, classification->rules, err);
	}
	if (!status)
		status =
			judge_profile(analysis, classification->report, classification->rules, err);
	if (!status)
		note_profiler(classification->report);
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
