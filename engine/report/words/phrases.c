/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/model/template.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"
#include "engine/report/words/map.h"
#include "engine/report/words/phrases.h"

void weir_phrase_unescaped(const struct weir_report *report, const char *template,
                           struct weir_text *out)
{
	if (!template)
		return;
	if (report->features && report->feature_table)
		weir_template_expand_known(template, report->feature_table, report->features, out);
	else
		weir_text_puts(out, template);
}

void weir_phrase_expanded(const struct weir_report *report, const char *template,
                          struct weir_text *out)
{
	struct weir_text raw = {0};

	weir_phrase_unescaped(report, template, &raw);
	if (raw.data)
		weir_escape_plain(out, raw.data);
	weir_text_release(&raw);
}

void weir_phrase_bound(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, weir_bound_name(report->verdict.bound));
	if (report->verdict.bound != WEIR_BOUND_UNDETERMINED)
		weir_text_puts(out, "-bound");
}

void weir_phrase_headline(const struct weir_report *report, struct weir_text *out)
{
	const struct weir_verdict *verdict = &report->verdict;

	size_t before = out->length;

	if (verdict->headline)
		weir_phrase_expanded(report, verdict->headline, out);
	if (out->length > before)
		return;
	if (verdict->bound == WEIR_BOUND_UNDETERMINED) {
		weir_text_puts(out, "the evidence is insufficient");
	} else if (!isnan(verdict->share)) {
		weir_text_share(out, verdict->share);
		weir_text_puts(out, " of the analysed time");
	} else {
		weir_text_puts(out, "its share of the time is not known");
	}
}

void weir_phrase_next(const struct weir_report *report, struct weir_text *out)
{
	weir_phrase_expanded(report, report->verdict.next, out);
}

void weir_phrase_certainty(const struct weir_report *report, struct weir_text *out)
{
	const struct weir_verdict *verdict = &report->verdict;

	if (verdict->bound != WEIR_BOUND_UNDETERMINED)
		weir_text_printf(out, "%s confidence%s", weir_confidence_name(verdict->confidence),
		                 verdict->has_runner_up ? ", " : "");
	if (!verdict->has_runner_up)
		return;
	weir_text_printf(out, "runner-up %s", weir_bound_name(verdict->runner_up));
	if (!isnan(verdict->runner_up_share)) {
		weir_text_puts(out, " (");
		weir_text_share(out, verdict->runner_up_share);
		weir_text_puts(out, ")");
	}
}

static void add_factor(struct weir_text *out, double factor)
{
	weir_text_printf(out, factor < 1.095 ? "%.2f" : "%.1f", factor);
}

/* Appends "1.5-2.3x", or "1.2x" if both ends round to it. */
static void add_range(struct weir_text *out, double low, double high)
{
	if (high - low > 0.05) {
		add_factor(out, low);
		weir_text_puts(out, "-");
	}
	add_factor(out, high);
	weir_text_puts(out, "x");
}

/* A step without the profiler that differs from the recorded one by less is not mentioned. */
#define PROFILER_EFFECT 1.05

/* Predicted steps that differ by less read as one figure. */
#define SAME_STEP 1.005

static bool has_prediction(const struct weir_recommendation *recommendation)
{
	return recommendation->saving_basis && isfinite(recommendation->saving_step_ns);
}

/* Returns the number, from 1, of an earlier recommendation with the same predicted step: two ways
 * to one gain. Returns 0 if no earlier one has it. */
static size_t same_gain(const struct weir_report *report,
                        const struct weir_recommendation *recommendation)
{
	for (size_t i = 0; i < report->recommendation_count; i++) {
		const struct weir_recommendation *earlier = &report->recommendations[i];

		if (earlier == recommendation)
			break;
		if (has_prediction(earlier) &&
		    fmax(earlier->saving_step_ns, recommendation->saving_step_ns) <
		            SAME_STEP *
		                    fmin(earlier->saving_step_ns, recommendation->saving_step_ns))
			return i + 1;
	}
	return 0;
}

/* Appends "predicted step 1.02 ms (0.96 ms to 1.10 ms), 1.6x faster than 1.64 ms without the
 * profiler", or "the gain of 1 in another way: predicted step 1.02 ms". */
static void add_prediction(const struct weir_report *report,
                           const struct weir_recommendation *recommendation, struct weir_text *out)
{
	double low_ns = recommendation->saving_low_ns, high_ns = recommendation->saving_high_ns;
	const char *of = recommendation->saving_of ? recommendation->saving_of : "";
	bool of_trace = strcmp(of, "trace") == 0;
	size_t same = same_gain(report, recommendation);

	if (same)
		weir_text_printf(out, "the gain of %zu in another way: ", same);
	weir_text_puts(out, of_trace                 ? "predicted time "
	                    : strcmp(of, "row") == 0 ? "predicted time a row "
	                                             : "predicted step ");
	weir_text_duration(out, weir_as_stored_ns(recommendation->saving_step_ns));
	if (same)
		return;
	if (high_ns - low_ns > 0.05 * recommendation->saving_step_ns) {
		weir_text_puts(out, " (");
		weir_text_duration(out, weir_as_stored_ns(low_ns));
		weir_text_puts(out, " to ");
		weir_text_duration(out, weir_as_stored_ns(high_ns));
		weir_text_puts(out, ")");
	}
	weir_text_puts(out, ", ");
	add_factor(out, recommendation->saving_speedup);
	weir_text_puts(out, "x faster");
	if (of_trace && report->iteration_count > 0) {
		weir_text_puts(out, " than ");
		weir_text_duration(out, weir_as_stored_ns(recommendation->saving_before_ns));
		weir_text_puts(out, " in all");
	} else if (report->iteration.p50_ns > PROFILER_EFFECT * recommendation->saving_before_ns) {
		weir_text_puts(out, " than about ");
		weir_text_duration(out, weir_as_stored_ns(recommendation->saving_before_ns));
		weir_text_puts(out, " without the profiler");
	}
}

void weir_phrase_speedup(const struct weir_report *report,
                         const struct weir_recommendation *recommendation, struct weir_text *out)
{
	double low = recommendation->low, high = recommendation->high;

	if (has_prediction(recommendation)) {
		add_prediction(report, recommendation, out);
	} else if (isfinite(low) && isfinite(high)) {
		weir_text_puts(out, "typical ");
		add_range(out, low, high);
	} else if (isfinite(recommendation->limit) && recommendation->limit >= 1) {
		weir_text_puts(out, "at most ");
		add_factor(out, recommendation->limit);
		weir_text_puts(out, "x faster here");
	}
}

const char *weir_attribution_label(enum weir_bound bound)
{
	return bound == WEIR_BOUND_UNDETERMINED ? "unattributed" : weir_bound_name(bound);
}

double weir_attribution_share(const struct weir_attribution *attribution, enum weir_bound bound)
{
	return attribution->total_ns > 0
	               ? (double)attribution->ns[bound] / (double)attribution->total_ns
	               : NAN;
}

/* Returns true if the bound has a share that a stored report does not round to 0. */
static bool holds_time(const struct weir_attribution *attribution, enum weir_bound bound)
{
	return weir_as_stored_share(weir_attribution_share(attribution, bound)) > 0;
}

size_t weir_attribution_order(const struct weir_attribution *attribution,
                              enum weir_bound order[WEIR_BOUND_COUNT])
{
	size_t count = 0;

	if (attribution->total_ns <= 0)
		return 0;
	for (int bound = 0; bound < WEIR_BOUND_UNDETERMINED; bound++) {
		size_t at = count;

		if (!holds_time(attribution, (enum weir_bound)bound))
			continue;
		for (; at > 0 && attribution->ns[order[at - 1]] < attribution->ns[bound]; at--)
			order[at] = order[at - 1];
		order[at] = (enum weir_bound)bound;
		count++;
	}
	if (holds_time(attribution, WEIR_BOUND_UNDETERMINED))
		order[count++] = WEIR_BOUND_UNDETERMINED;
	return count;
}

void weir_phrase_share_of(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, "share of ");
	if (!report->has_requests) {
		weir_text_puts(out, weir_report_has_note(report, WEIR_NOTE_NO_WORK)
		                            ? "time with work"
		                            : "wall time");
		return;
	}
	weir_map_label(report, WEIR_MAP_ASKED, out);
	weir_text_puts(out, " latency");
}
