/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/rank/features.h"
#include "engine/analysis/requests/joining.h"
#include "engine/base/arena.h"
#include "engine/pipeline/counted.h"
#include "engine/pipeline/judge.h"
#include "engine/pipeline/recommend.h"
#include "rules/evaluate.h"

/* A percentile of so few requests is one or two of them. */
#define FEW_REQUESTS 20

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

enum weir_status weir_judge_operators(struct weir_analysis *analysis, struct weir_ruleset *rules,
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

enum weir_status weir_judge_report(const struct weir_analysis *analysis, struct weir_report *report,
                                   struct weir_ruleset *rules, struct weir_error *err)
{
	enum weir_status status = judge_stages(report, rules, err);

	if (!status)
		status = judge_profile(analysis, report, rules, err);
	if (!status)
		note_profiler(report);
	return status;
}
