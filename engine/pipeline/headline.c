/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/rank/features.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/headline.h"
#include "engine/pipeline/recording.h"

#define ALIKE            0.005 /* difference of two shares that are called equal */
#define STEP_SLACK       1.02  /* a stage longer than a step by this factor gets a note */
#define LISTED_STAGES    4     /* long stages named in a note */
#define WORTH_EXPLAINING 0.20  /* share of a part that explains an abstention */
#define WORTH_A_BAR      0.05  /* smaller shares are not listed in an abstention */

static double share_of(const struct weir_report *report, enum weir_bound bound)
{
	return (double)report->attribution.ns[bound] / (double)report->attribution.total_ns;
}

static const char *label_of(enum weir_bound bound)
{
	return bound == WEIR_BOUND_UNDETERMINED ? "unattributed" : weir_bound_name(bound);
}

/* Returns a copy of the text in the report's arena, and clears the text. */
static const char *keep(struct weir_report *report, struct weir_text *text)
{
	const char *copy =
		weir_arena_copy(report->arena, text->data ? text->data : "", text->length);

	weir_text_release(text);
	return copy;
}

/* Returns true if `text` holds the share; "96 %" does not hold "6 %". */
static bool names_share(const struct weir_text *text, const struct weir_text *share)
{
	const char *at = text->data;

	while (at && (at = strstr(at, share->data))) {
		if (at == text->data || !strchr("0123456789.<", at[-1]))
			return true;
		at++;
	}
	return false;
}

/* Bounds from the cheapest to change to the dearest, the order of the rules. */
static const enum weir_bound by_cost[] = {
	WEIR_BOUND_BATCHING, WEIR_BOUND_RUNTIME, WEIR_BOUND_COMMUNICATION,
	WEIR_BOUND_MEMORY,   WEIR_BOUND_KERNEL,  WEIR_BOUND_HARDWARE,
};

static size_t cost_of(enum weir_bound bound)
{
	size_t i = 0;

	while (i < sizeof by_cost / sizeof *by_cost && by_cost[i] != bound)
		i++;
	return i;
}

/* Returns the reason why another bound than the longest is the verdict. */
static const char *reason_of(enum weir_bound longest, enum weir_bound verdict)
{
	if (longest == WEIR_BOUND_HARDWARE)
		return "but is the last to change";
	return cost_of(longest) > cost_of(verdict) ? "but is dearer to change"
	                                           : "but no one cause of it stands out";
}

/* `open`: the verdict itself is about time whose limit the headline calls unknown, so that its
 * bound holds none of it. */
static void add_longest(enum weir_bound longest, enum weir_bound verdict, double share, bool open,
                        struct weir_text *out)
{
	if (longest == WEIR_BOUND_UNDETERMINED) {
		weir_text_puts(out, open ? "; until that is known, " : "; ");
		weir_text_share(out, share);
		weir_text_puts(out, " is unattributed");
		return;
	}
	weir_text_printf(out, "; %s holds more (", label_of(longest));
	weir_text_share(out, share);
	weir_text_printf(out, "), %s", reason_of(longest, verdict));
}

void weir_complete_headline(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	enum weir_bound bound = verdict->bound, longest = WEIR_BOUND_BATCHING;
	struct weir_text text = {0}, plain = {0}, own_text = {0};
	double own;

	if (bound == WEIR_BOUND_UNDETERMINED || !verdict->headline ||
	    report->attribution.total_ns <= 0)
		return;
	own = share_of(report, bound);
	for (int b = 0; b < WEIR_BOUND_COUNT; b++)
		if (report->attribution.ns[b] > report->attribution.ns[longest])
			longest = (enum weir_bound)b;
	weir_text_share(&own_text, own);
	weir_template_expand(verdict->headline, report->feature_table, report->features, &plain);
	weir_text_puts(&text, verdict->headline);
	if (own > 0) {
		verdict->share = own;
		if (!names_share(&plain, &own_text))
			weir_text_printf(&text, "; %s holds %s in all", label_of(bound),
			                 own_text.data);
	}
	if (share_of(report, longest) - own > ALIKE)
		add_longest(longest, bound, share_of(report, longest),
		            !(own > 0) && strstr(verdict->headline, "does not show"), &text);
	verdict->headline = keep(report, &text);
	weir_text_release(&plain);
	weir_text_release(&own_text);
}

/* ---- abstentions ---- */

/* Plurals of kernel families. */
static const struct {
	const char *kind, *words;
} families[] = {
	{"gemm", "matrix products"},
	{"convolution", "convolutions"},
	{"attention", "attention kernels"},
	{"elementwise", "pointwise kernels"},
	{"reduction", "reductions"},
	{"norm", "normalisations"},
	{NULL, "kernels"},
};

static const char *family_of(const char *kind)
{
	size_t i = 0;

	while (families[i].kind && (!kind || strcmp(families[i].kind, kind) != 0))
		i++;
	return families[i].words;
}

/* Returns the share of device work in operators of a family (NULL: of any) without a bound. */
static double unmodelled_share(const struct weir_report *report, const char *family)
{
	double sum = 0;

	for (size_t i = 0; i < report->operator_count; i++) {
		const struct weir_operator_row *row = &report->operators[i];

		if (row->verdict.bound == WEIR_BOUND_UNDETERMINED && row->share > 0 &&
		    (!family || strcmp(family_of(row->kind), family) == 0))
			sum += row->share;
	}
	return sum;
}

static void explain_no_device(const struct weir_report *report, struct weir_text *headline)
{
	uint64_t launches = 0;

	for (size_t i = 0; i < report->profile->input_count; i++)
		launches +=
			report->profile->inputs[i].warnings[WEIR_WARN_LAUNCH_WITHOUT_WORK].count;
	if (launches == 0) {
		weir_text_puts(headline, "no device work is recorded, and host time alone does not "
		                         "show what limits the workload");
		return;
	}
	weir_text_count(headline, launches);
	weir_text_printf(headline, " launch%s, no kernel: the profiler recorded no device",
	                 launches == 1 ? "" : "es");
}

/* Writes "65 % of device time is convolutions without a model"; "kernels" if no family has most. */
static void explain_kernels(const struct weir_report *report, struct weir_text *headline)
{
	double all = unmodelled_share(report, NULL), share = all;
	const char *words = "kernels";

	for (size_t i = 0; families[i].kind; i++) {
		double own = unmodelled_share(report, families[i].words);

		if (own > all / 2) {
			words = families[i].words;
			share = own;
		}
	}
	weir_text_share(headline, share);
	weir_text_printf(headline, " of device time is %s without a model", words);
}

/* Writes "no layer stands out: runtime 32 %, hardware 30 %". */
static void explain_split(const struct weir_report *report, struct weir_text *headline)
{
	bool said[WEIR_BOUND_COUNT] = {false};
	const char *separator = "no layer stands out: ";

	for (int round = 0; round < WEIR_BOUND_COUNT; round++) {
		int most = -1;

		for (int b = 0; b < WEIR_BOUND_COUNT; b++)
			if (!said[b] &&
			    (most < 0 || report->attribution.ns[b] > report->attribution.ns[most]))
				most = b;
		said[most] = true;
		if (share_of(report, (enum weir_bound)most) < WORTH_A_BAR)
			break;
		weir_text_printf(headline, "%s%s ", separator, label_of((enum weir_bound)most));
		weir_text_share(headline, share_of(report, (enum weir_bound)most));
		separator = ", ";
	}
}

/* Explains a timeline by its largest part that no rule judges; without a large one by its bounds.
 */
static const char *explain_timeline(const struct weir_report *report, struct weir_text *headline)
{
	const double *values = report->features;
	double kernels = values[WEIR_F_UNMODELLED], unlinked = values[WEIR_F_IDLE_UNEXPLAINED],
	       empty = values[WEIR_F_LATE_NO_WORK];
	double most = fmax(kernels, fmax(unlinked, empty));
	const struct weir_recording *recording = weir_recording_of(report);

	if (!(most >= WORTH_EXPLAINING)) {
		explain_split(report, headline);
		return values[WEIR_F_EXPOSED_COMMUNICATION] >= WORTH_EXPLAINING &&
		                       report->rank_count < 2
		               ? "pass the traces of all ranks together to separate transfer from "
		                 "waiting"
		               : "look at the stages, which may have clearer bounds; or "
		                 "record more steps";
	}
	if (most == kernels) {
		explain_kernels(report, headline);
		return recording->model;
	}
	weir_text_share(headline, most);
	if (most == unlinked) {
		weir_text_puts(headline, " of the time the device is idle, and the launches of its "
		                         "work are not recorded");
		return recording->host;
	}
	weir_text_puts(headline, " of the time no work was submitted");
	return "record while the workload runs, or name its stages so that the rest is judged";
}

void weir_explain_abstention(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	struct weir_text headline = {0}, quoted = {0};
	const char *next = NULL;

	if (verdict->bound != WEIR_BOUND_UNDETERMINED || verdict->rule || verdict->headline)
		return;
	if (report->has_requests) {
		explain_split(report, &headline);
		next = "start with the stage that holds most of the latency";
	} else if (!report->has_gpu) {
		explain_no_device(report, &headline);
		next = weir_recording_of(report)->device;
		if (!next)
			next = "pass a timeline of the device under the same load";
	} else {
		next = explain_timeline(report, &headline);
	}
	weir_template_quote(headline.data ? headline.data : "", &quoted);
	verdict->headline = keep(report, &quoted);
	verdict->next = next;
	weir_text_release(&headline);
}

/* ---- stages that are longer than a step ---- */

/* Appends "decode (35.4 ms), sample (4.10 ms)" for the timeline's long stages that occur in at
 * least (else in less than) half of the steps. Returns their number. */
static size_t add_long_stages(const struct weir_report *report, bool in_steps,
                              struct weir_text *out)
{
	size_t count = 0;

	for (size_t i = 0; i < report->stage_count; i++) {
		const struct weir_stage_row *row = &report->stages[i];
		bool frequent =
			report->has_gpu && 2 * row->duration.count >= report->iteration_count;

		if (row->view != WEIR_VIEW_TIMELINE || frequent != in_steps ||
		    !(row->duration.p50_ns > STEP_SLACK * report->iteration.p50_ns))
			continue;
		if (count++ >= LISTED_STAGES)
			continue;
		weir_text_printf(out, "%s%s (", count > 1 ? ", " : "", row->name);
		weir_text_duration(out, row->duration.p50_ns);
		weir_text_puts(out, ")");
	}
	if (count > LISTED_STAGES)
		weir_text_printf(out, ", ... %zu more", count - LISTED_STAGES);
	return count;
}

void weir_note_long_stages(struct weir_report *report)
{
	struct weir_text names = {0};

	if (!report->iteration_count || !(report->iteration.p50_ns > 0))
		return;
	if (add_long_stages(report, true, &names))
		weir_report_note(
			report, WEIR_NOTE_QUEUEING,
			"longer than a step: %s. A stage lasts from its call on the host to "
			"the end of its work on the device; the host runs ahead, so this "
			"includes the time that the work waits in the device's queue",
			names.data);
	weir_text_clear(&names);
	if (add_long_stages(report, false, &names))
		weir_report_note(report, "stage_outside_steps",
		                 "longer than a step: %s. These stages are not part of every step",
		                 names.data);
	weir_text_release(&names);
}
