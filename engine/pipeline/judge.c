/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/counters/counters.h"
#include "engine/analysis/rank/features.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/abstain.h"
#include "engine/pipeline/judge.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/request_counts.h"
#include "engine/pipeline/server_verdict.h"

static void shares_of(const struct weir_attribution *attribution, double shares[WEIR_BOUND_COUNT])
{
	for (size_t b = 0; b < WEIR_BOUND_COUNT; b++)
		shares[b] = attribution->total_ns > 0
		                    ? (double)attribution->ns[b] / (double)attribution->total_ns
		                    : NAN;
}

void weir_judge_operator(void *rules, const struct weir_subject *subject,
                         struct weir_verdict *verdict)
{
	weir_ruleset_judge(rules, subject, NULL, verdict, NULL);
}

void weir_judge_operators(struct weir_analysis *analysis, struct weir_ruleset *rules)
{
	for (size_t i = 0; i < weir_analysis_subject_count(analysis); i++) {
		struct weir_subject subject;
		struct weir_verdict verdict;

		weir_analysis_subject(analysis, i, &subject);
		weir_ruleset_judge(rules, &subject, NULL, &verdict, NULL);
		weir_analysis_set_verdict(analysis, i, &verdict);
	}
}

void weir_judge_stages(struct weir_report *report, struct weir_ruleset *rules)
{
	for (size_t i = 0; i < report->stage_count; i++) {
		struct weir_stage_row *stage = &report->stages[i];
		struct weir_subject subject = {WEIR_SUBJECT_STAGE, stage->name, stage->features};
		double shares[WEIR_BOUND_COUNT];

		shares_of(&stage->attribution, shares);
		weir_ruleset_judge(rules, &subject, shares, &stage->verdict, NULL);
	}
}

/* ---- requests and device ---- */

/* Judges the device by its timeline or monitor, with shares of the device's time. */
static void judge_device(const struct weir_report *report, struct weir_ruleset *rules,
                         struct weir_verdict *verdict, struct weir_advice_list *advice)
{
	struct weir_subject subject = {WEIR_SUBJECT_PROFILE, NULL, report->features};
	double shares[WEIR_BOUND_COUNT];

	shares_of(&report->device_attribution, shares);
	weir_ruleset_judge(rules, &subject, shares, verdict, advice);
}

/* Judges the requests. Their rules judge time in computation, so it is not unattributed to them. */
static void judge_requests(const struct weir_report *report, struct weir_ruleset *rules,
                           struct weir_verdict *verdict, struct weir_advice_list *advice)
{
	struct weir_subject subject = {WEIR_SUBJECT_REQUESTS, NULL, report->features};
	double shares[WEIR_BOUND_COUNT];

	shares_of(&report->attribution, shares);
	shares[WEIR_BOUND_UNDETERMINED] -= report->features[WEIR_F_PATH_COMPUTE];
	weir_ruleset_judge(rules, &subject, shares, verdict, advice);
}

/*
 * Fills report->verdict from the verdicts about requests and device. If the requests spend their
 * time in computation, the device decides the bound; its share is scaled by the share of
 * computation. If the rule about requests names a bound as well (the device is full), its cause is
 * kept.
 */
static void combine(const struct weir_conclusion *conclusion, struct weir_report *report)
{
	const struct weir_verdict *requests = &conclusion->requests, *device = &conclusion->device;
	struct weir_verdict *out = &report->verdict;
	size_t kept = device->evidence_count;

	*out = conclusion->descends ? *device : *requests;
	if (!conclusion->descends)
		return;
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

/* Leaves the bound open if no request was answered. */
static void judge_failed(const struct weir_report *report, struct weir_verdict *out)
{
	*out = (struct weir_verdict){.bound = WEIR_BOUND_UNDETERMINED,
	                             .confidence = WEIR_CONFIDENCE_LOW,
	                             .share = NAN,
	                             .runner_up_share = NAN};
	out->headline = report->requests.count == 1
	                        ? "the only request failed: its time does not show what limits "
	                          "requests that are answered"
	                        : "every request failed: their times do not show what limits "
	                          "requests that are answered";
	out->next = "find out why they fail (the status and the events of their spans, the log of "
		    "the server), and record requests that are answered";
}

/* True if the device's whole window is one kernel. */
static bool is_one_kernel(const struct weir_report *report)
{
	return report->has_gpu && report->gpu.kernels == 1 && report->operator_count == 1 &&
	       report->gpu.active >= 1;
}

/* Leaves the bound open, because a kernel alone fills its own window. */
static void judge_one_kernel(struct weir_report *report)
{
	struct weir_text text = {0};

	report->verdict = (struct weir_verdict){.bound = WEIR_BOUND_UNDETERMINED,
	                                        .confidence = WEIR_CONFIDENCE_LOW,
	                                        .share = NAN,
	                                        .runner_up_share = NAN};
	weir_text_puts(&text, "one kernel of ");
	weir_text_duration(&text, report->operators->call.total_ns);
	weir_text_puts(&text, ": its share of itself says nothing about the program");
	report->verdict.headline = weir_keep_line(report, &text);
	report->verdict.next = "record more of the program, with the calls of the host and all "
			       "kernels of several iterations";
}

/* Judges a run with requests. */
static void judge_served(struct weir_report *report, struct weir_ruleset *rules,
                         struct weir_conclusion *out)
{
	struct weir_advice_list device_advice = {0};

	out->about_requests = true;
	if (report->requests.all_failed) {
		judge_failed(report, &report->verdict);
		out->requests = report->verdict;
		return;
	}
	judge_requests(report, rules, &out->requests, &out->advice);
	weir_note_token_rates(report);
	if (out->requests.descend && report->has_gpu) {
		judge_device(report, rules, &out->device, &device_advice);
		out->descends = out->device.bound != WEIR_BOUND_UNDETERMINED;
	}
	combine(out, report);
	if (report->requests.count < WEIR_FEW_REQUESTS)
		report->verdict.confidence = WEIR_CONFIDENCE_LOW;
	weir_advice_list_append(&out->advice, &device_advice);
	weir_advice_list_release(&device_advice);
}

/* ---- counters without a timeline ---- */

#define FEW_BLOCKS 0.25 /* of the multiprocessors */
#define WARP       32   /* threads */
#define BUSY_CACHE 0.8  /* of its peak: the level at which Nsight Compute calls a part saturated */

#define REACHES                                                                                    \
	"the kernel with most of the counted time ({operator_share:share}) reaches "               \
	"{bytes_roof:share} of peak memory and {flops_roof:share} of peak SM throughput"

/* Texts by bound; templates with features of the kernel. */
static const struct {
	const char *headline, *next;
} counted_texts[WEIR_BOUND_COUNT] = {
	[WEIR_BOUND_MEMORY] = {REACHES, "move fewer bytes: fuse it with its neighbours, use a "
                                        "smaller type, or share operands across more rows"},
	[WEIR_BOUND_KERNEL] = {REACHES, "tune it, or use another implementation; the advice on the "
                                        "details page of Nsight Compute shows what limits it"},
	[WEIR_BOUND_HARDWARE] = {REACHES ": smaller types, less work or more devices help",
                                 "use a smaller type (FP8), prune, or add devices"},
	[WEIR_BOUND_RUNTIME] =
		{"the kernel with most of the counted time ({operator_share:share}) is too short "
                 "or too small for the device ({kernel_ns:duration})",
                 "fuse it with its neighbours or give it more rows; a timeline of the device shows "
                 "the gaps between kernels"},
	[WEIR_BOUND_COMMUNICATION] = {"the kernel with most of the counted time "
                                      "({operator_share:share}) is a collective",
                                      "pass a timeline of every rank: counters cannot separate "
                                      "transfer from waiting"},
	[WEIR_BOUND_UNDETERMINED] = {"the counters of the kernel with most of the time "
                                     "({operator_share:share}) do not show what limits it",
                                     "record with --set basic or more (ncu --set full --csv "
                                     "--page raw)"},
};

/* Returns true if the inputs hold counters of a device but no timeline. */
static bool has_counters_alone(const struct weir_report *report)
{
	return !weir_has_timeline(report) && report->counter_count > 0 &&
	       report->operator_count > 0;
}

static const char *expand_for_operator(struct weir_report *report, const char *template)
{
	struct weir_text text = {0}, quoted = {0};
	const char *out;

	weir_template_expand(template, report->feature_table, report->operators->features, &text);
	weir_template_quote(text.data ? text.data : "", &quoted);
	out = weir_arena_copy(report->arena, quoted.data ? quoted.data : "", quoted.length);
	weir_text_release(&text);
	weir_text_release(&quoted);
	return out;
}

/* Notes a rule of Nsight Compute that blames latency where the verdict names a roof. The rule does
 * so below 60 % of both peaks, weir from 50 % of one of them on. */
static void note_other_rule(struct weir_report *report)
{
	const struct weir_counter_row *row = &report->counters[0];
	enum weir_bound bound = report->verdict.bound;

	if (bound != WEIR_BOUND_MEMORY && bound != WEIR_BOUND_KERNEL &&
	    bound != WEIR_BOUND_HARDWARE)
		return;
	for (size_t i = 0; i < row->remark_count; i++) {
		const struct weir_counter_remark *remark = &row->remarks[i];
		bool small = remark->text && strstr(remark->text, "too small to fill");

		if (!remark->rule || strcmp(remark->rule, "SOLBottleneck") != 0 ||
		    !(small || (remark->text && strstr(remark->text, "latency issues"))))
			continue;
		weir_report_note(report, "counters_rule",
		                 "Nsight Compute's own advice disagrees with this verdict: %s",
		                 small ? "it calls the grid too small to fill the device"
		                       : "it takes less than 60 % of both peaks as a sign of "
		                         "latency");
		return;
	}
}

/* Shape of a launch; 0: not known. */
struct launch {
	double blocks, threads; /* of the grid; of a block */
	double sms;             /* multiprocessors of the device */
};

static double product_of(const uint32_t sizes[3])
{
	return (double)sizes[0] * (double)sizes[1] * (double)sizes[2];
}

static double known(double value)
{
	return value > 0 ? value : 0;
}

/* Returns the launch of the kernel that holds most of the time of the first operator; zeros: no
 * kernel does. */
static struct launch launch_of(const struct weir_report *report)
{
	const struct weir_counter_row *row = &report->counters[0];
	struct launch launch = {.blocks = product_of(row->grid),
	                        .threads = product_of(row->block),
	                        .sms = known(row->value[WEIR_COUNTER_SMS])};

	if (!(row->mean_ns * (double)row->count >= 0.5 * report->operators->call.total_ns))
		return (struct launch){0};
	if (!(launch.blocks > 0))
		launch.blocks = known(row->value[WEIR_COUNTER_BLOCKS]);
	if (!(launch.threads > 0))
		launch.threads = known(row->value[WEIR_COUNTER_THREADS_PER_BLOCK]);
	return launch;
}

/* Says that the launch of a kernel, and not its code, leaves the device empty: fewer blocks than a
 * quarter of the multiprocessors, as in the rule operator/few-blocks, one block on a device whose
 * number of them is unknown, or blocks of less than a warp. */
static void explain_launch(struct weir_report *report)
{
	struct launch launch = launch_of(report);
	bool few = launch.blocks > 0 &&
	           (launch.sms > 0 ? launch.blocks < FEW_BLOCKS * launch.sms : launch.blocks == 1);
	bool narrow = launch.threads > 0 && launch.threads < WARP;
	struct weir_text text = {0}, device = {0};

	if (report->verdict.bound != WEIR_BOUND_KERNEL || !(few || narrow))
		return;
	if (launch.sms > 0)
		weir_text_printf(&device, "%.0f multiprocessors", launch.sms);
	else
		weir_text_puts(&device, "many multiprocessors");
	weir_text_puts(&text, report->verdict.headline);
	weir_text_puts(&text, ": it is launched as");
	if (launch.blocks > 0)
		weir_text_printf(&text, " %.0f block%s", launch.blocks,
		                 launch.blocks > 1 ? "s" : "");
	else
		weir_text_puts(&text, " blocks");
	if (launch.threads > 0)
		weir_text_printf(&text, " of %.0f thread%s", launch.threads,
		                 launch.threads > 1 ? "s" : "");
	if (few)
		weir_text_printf(&text, " on a device of %s", device.data);
	report->verdict.headline = weir_arena_copy(report->arena, text.data, text.length);
	report->verdict.next = weir_arena_format(
		report->arena, "launch it with %s%s%s, so that its threads cover the data",
		few ? "at least one block for each multiprocessor" : "",
		few && narrow ? ", and " : "",
		narrow ? "blocks of 128 to 256 threads (a warp has 32)" : "");
	weir_text_release(&text);
	weir_text_release(&device);
}

/* Adds to the headline that the L1 cache is the busiest part of the memory system, if it is busier
 * than the memory roof of the verdict by as much as separates two roofs. */
static void name_cache(struct weir_report *report)
{
	const double *value = report->counters[0].value;
	double l1 = value[WEIR_COUNTER_L1], dram = value[WEIR_COUNTER_DRAM];

	if (!(l1 >= BUSY_CACHE) || !(l1 > value[WEIR_COUNTER_L2]) || !(l1 > dram) ||
	    !(l1 >= report->operators->features[WEIR_F_BYTES_ROOF] + WEIR_SOL_GAP) ||
	    (report->verdict.bound != WEIR_BOUND_MEMORY &&
	     report->verdict.bound != WEIR_BOUND_KERNEL))
		return;
	report->verdict.headline = weir_arena_format(
		report->arena,
		"%s; the L1/TEX cache is the busiest part of the memory system (%.0f %%), and DRAM "
		"reaches %.2g %%",
		report->verdict.headline, 100 * l1, 100 * dram);
}

/* Makes the verdict on the kernel with the most counted time the verdict of the report. */
static void judge_counted(struct weir_report *report)
{
	const struct weir_operator_row *top = report->operators;
	enum weir_bound bound = top->verdict.bound;

	report->verdict = top->verdict;
	report->verdict.share = top->share;
	if (bound != WEIR_BOUND_UNDETERMINED)
		report->verdict.confidence = WEIR_CONFIDENCE_MEDIUM;
	if (counted_texts[bound].headline) {
		report->verdict.headline =
			expand_for_operator(report, counted_texts[bound].headline);
		report->verdict.next = expand_for_operator(report, counted_texts[bound].next);
	}
	if (bound != WEIR_BOUND_UNDETERMINED)
		name_cache(report);
	explain_launch(report);
	note_other_rule(report);
}

/* ---- the whole ---- */

/* Notes why the confidence of the verdict is limited. */
static void note_doubt(struct weir_report *report)
{
	struct weir_text text = {0};

	if (!report->verdict.doubt || report->verdict.bound == WEIR_BOUND_UNDETERMINED)
		return;
	weir_template_expand(report->verdict.doubt, report->feature_table, report->features, &text);
	weir_report_note(report, "confidence", "%s", text.data ? text.data : "");
	weir_text_release(&text);
}

/* Judges by the inputs other than the state of a server. */
static void judge_others(struct weir_report *report, struct weir_ruleset *rules,
                         struct weir_conclusion *out)
{
	if (report->has_requests && report->requests.latency_ns) {
		judge_served(report, rules, out);
		return;
	}
	if (is_one_kernel(report)) {
		judge_one_kernel(report);
		return;
	}
	judge_device(report, rules, &report->verdict, &out->advice);
	if (has_counters_alone(report))
		judge_counted(report);
	else
		weir_explain_missing_input(report);
}

/* Makes the verdict on the state of the server that of the report, if a rule holds. That the client
 * is what was measured only matters if no bound is known. */
static void judge_server(struct weir_report *report, struct weir_ruleset *rules,
                         struct weir_conclusion *out)
{
	const struct weir_subject subject = {WEIR_SUBJECT_SERVER, NULL, report->features};
	const double shares[WEIR_BOUND_COUNT] = {0};
	struct weir_advice_list advice = {0};
	struct weir_verdict verdict;

	weir_ruleset_judge(rules, &subject, shares, &verdict, &advice);
	if (verdict.rule && (verdict.bound != WEIR_BOUND_UNDETERMINED ||
	                     report->verdict.bound == WEIR_BOUND_UNDETERMINED)) {
		weir_advice_list_append(&advice, &out->advice);
		weir_advice_list_release(&out->advice);
		out->advice = advice;
		report->verdict = verdict;
		out->about_server = true;
		weir_name_server_settings(report);
		return;
	}
	weir_advice_list_append(&out->advice, &advice);
	weir_advice_list_release(&advice);
	weir_explain_server(report);
}

void weir_judge_profile(struct weir_report *report, struct weir_ruleset *rules,
                        struct weir_conclusion *out)
{
	judge_others(report, rules, out);
	if (report->server)
		judge_server(report, rules, out);
	note_doubt(report);
}

void weir_conclusion_release(struct weir_conclusion *conclusion)
{
	weir_advice_list_release(&conclusion->advice);
	*conclusion = (struct weir_conclusion){0};
}

/* Gives the bound of the server's state the time that it explains and nothing else does: the
 * waiting of the requests or, if prompts or drafts slow the computation, the share of the rule. */
static void attribute_to_server(struct weir_report *report)
{
	struct weir_attribution *attribution = &report->attribution;
	const struct weir_verdict *verdict = &report->verdict;
	double queue = report->features[WEIR_F_QUEUE_SHARE];
	bool computes = strcmp(verdict->cause, "prefill-interference") == 0 ||
	                strcmp(verdict->cause, "speculation-unprofitable") == 0;
	double share = computes ? verdict->share : queue;
	int64_t *open_ns = &attribution->ns[WEIR_BOUND_UNDETERMINED], ns;

	if (verdict->bound == WEIR_BOUND_UNDETERMINED || !(share > 0))
		return;
	ns = (int64_t)llround(fmin(share, 1) * (double)attribution->total_ns);
	ns = ns < *open_ns ? ns : *open_ns;
	attribution->ns[verdict->bound] += ns;
	*open_ns -= ns;
}

void weir_settle_attribution(const struct weir_analysis *analysis,
                             const struct weir_conclusion *conclusion, struct weir_report *report)
{
	if (conclusion->about_requests)
		weir_analysis_settle(analysis, &conclusion->requests,
		                     conclusion->descends ? &conclusion->device : NULL, report);
	if (conclusion->about_server && report->verdict.cause)
		attribute_to_server(report);
}

void weir_note_profiler(struct weir_report *report)
{
	if (!report->has_gpu || report->profiler.source ||
	    report->verdict.bound != WEIR_BOUND_RUNTIME || weir_report_has_note(report, "profiler"))
		return;
	weir_report_note(report, "profiler",
	                 "the profiler slows the host, so shares of host time are upper bounds; "
	                 "pass durations measured without it to quantify its overhead");
}
