/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/abstain.h"
#include "engine/pipeline/recording.h"
#include "engine/report/plain/escape.h"

#define NAME_COLUMNS   48 /* of an operator */
#define LISTED_METRICS 6  /* metrics of a run that a note lists */

bool weir_has_timeline(const struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++)
		if (weir_input_is_timeline(&report->profile->inputs[i]))
			return true;
	return false;
}

/* Returns the text as a template in the report's arena, and releases the text. */
static const char *keep(struct weir_report *report, struct weir_text *text)
{
	const char *copy =
		weir_arena_copy(report->arena, text->data ? text->data : "", text->length);

	weir_text_release(text);
	return copy;
}

/* ---- timelines without device work ---- */

/* Returns the number of events that a reader passed over because it does not know their category;
 * they may be the work of a device. */
static uint64_t unread_events(const struct weir_report *report)
{
	uint64_t count = 0;

	for (size_t i = 0; i < report->profile->input_count; i++)
		count += report->profile->inputs[i].warnings[WEIR_WARN_UNKNOWN_CATEGORY].count;
	return count;
}

/* Begins the headline with the kind of profile and its largest operator. */
static void put_kind(const struct weir_report *report, bool torch, struct weir_text *out)
{
	uint64_t unread = unread_events(report);
	struct weir_text name = {0};

	if (unread > 0) {
		weir_text_puts(out, "the device's work is not readable here (");
		weir_text_count(out, unread);
		weir_text_puts(out, " events of unknown categories); on the host, ");
	} else {
		weir_text_puts(out, torch ? "a CPU profile: " : "a timeline of the host: ");
	}
	weir_cut_name(&name, report->operators->name, NAME_COLUMNS);
	weir_template_quote(name.data ? name.data : "?", out);
	weir_text_release(&name);
	weir_text_puts(out, " holds ");
	weir_text_share(out, report->operators->share);
	weir_text_puts(out, torch ? " of operator time" : " of the recorded time");
	if (report->host_operators->threads == 1)
		weir_text_puts(out, " on 1 thread");
	else
		weir_text_printf(out, " on %llu threads",
		                 (unsigned long long)report->host_operators->threads);
}

static void explain_host(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	const struct weir_host_operators *host = report->host_operators;
	const struct weir_recording *recipe = weir_recording_of(report);
	struct weir_text headline = {0};
	bool torch = strcmp(recipe->reader, "kineto") == 0;

	if (host->launches == 0 && host->calls > 0 && report->operator_count > 0) {
		put_kind(report, torch, &headline);
		if (verdict->headline)
			weir_text_printf(&headline, "; %s", verdict->headline);
		verdict->headline = keep(report, &headline);
		if (unread_events(report) > 0)
			verdict->next = "the warning names the first unknown category; record the "
					"device with a profiler that docs/formats.md lists";
		else if (!torch)
			verdict->next = recipe->device ? recipe->device
			                               : "pass a timeline of the device, if the "
			                                 "program uses one";
		return;
	}
	if (!verdict->headline)
		verdict->headline = "the trace holds calls of the host, and no work of a device";
	verdict->next = recipe->device ? recipe->device : "pass a timeline of the device as well";
}

/* ---- inputs without a timeline ---- */

static bool has_counted_stage(const struct weir_report *report)
{
	for (size_t i = 0; i < report->stage_count; i++)
		if (report->stages[i].view == WEIR_VIEW_COUNTED)
			return true;
	return false;
}

static bool has_stage(const struct weir_report *report)
{
	return report->stage_count > 0;
}

static bool has_idle_monitor(const struct weir_report *report)
{
	return report->has_telemetry && report->telemetry.utilization_all == 0;
}

static bool has_monitor(const struct weir_report *report)
{
	return report->has_telemetry;
}

static bool has_host_profile(const struct weir_report *report)
{
	return report->host != NULL;
}

static bool is_anything(const struct weir_report *report)
{
	(void)report;
	return true;
}

/* Texts for inputs with neither requests nor timeline: the limits of the input, and a better one.
 * The first that holds is used. */
static const struct {
	bool (*holds)(const struct weir_report *report);
	const char *headline, *next;
} silences[] = {
	{has_counted_stage,
         "server metrics show how long stages take, but not what requests wait for",
         "pass requests from the same time (spans or a request log), or a timeline of the "
         "device"},
	{has_stage, "durations alone do not show what the device did",
         "pass a timeline of the device under the same load, or requests recorded by the server"},
	{has_idle_monitor, "the monitor saw the device idle in every sample",
         "take samples while the program runs under load, and pass requests or a timeline of the "
         "device from the same time"},
	{has_monitor, "a monitor shows whether the device was in use, but not by which work",
         "pass requests from the same time, or a timeline of the device"},
	{has_host_profile,
         "a host profile shows what the host does, but not whether the device waits for it",
         "pass a timeline of the device under the same load (torch.profiler, nsys)"},
	{is_anything, "metrics of a run alone do not show where its time goes",
         "pass requests (spans or a request log), or a timeline of the device"},
};

/* Begins the headline with the function that holds most of the host's time. */
static const char *describe_host_profile(struct weir_report *report)
{
	const struct weir_host_function_row *top = report->host->functions;
	struct weir_text headline = {0};

	if (report->host->function_count == 0 || !top->function || !(top->self > 0))
		return NULL;
	weir_template_quote(top->function, &headline);
	weir_text_puts(&headline, " holds ");
	weir_text_share(&headline, top->self);
	weir_text_puts(&headline, " of the host's time; the profile does not show whether a device "
	                          "waits for it");
	return keep(report, &headline);
}

static double mean_of(const struct weir_series *series)
{
	double sum = 0;

	for (size_t i = 0; i < series->count; i++)
		sum += series->value[i];
	return series->count > 0 ? sum / (double)series->count : NAN;
}

/* Notes the first metrics of the runs, so that a report without stages shows what it was given. */
static void note_metrics(struct weir_report *report)
{
	struct weir_text text = {0};
	size_t listed = 0, all = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		for (size_t m = 0; run && m < run->metrics.count; m++) {
			const struct weir_series *series = &run->metrics.items[m];

			all++;
			/* Names with a slash are parts of a table. */
			if (listed >= LISTED_METRICS || isnan(mean_of(series)) ||
			    strchr(series->name, '/'))
				continue;
			weir_text_printf(&text, mean_of(series) < 1000 ? "%s%s %.4g" : "%s%s %.0f",
			                 listed++ > 0 ? ", " : "", series->name, mean_of(series));
			if (series->unit)
				weir_text_printf(&text, " %s", series->unit);
		}
	}
	if (listed > 0)
		weir_report_note(report, "metrics", "the file states %s%s", text.data,
		                 all > listed ? ", and more (weir convert prints all)" : "");
	weir_text_release(&text);
}

static void explain_silence(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	const struct weir_recording *recipe = weir_recording_of(report);
	size_t i = 0;

	while (!silences[i].holds(report))
		i++;
	verdict->headline = silences[i].headline;
	verdict->next = silences[i].next;
	if (silences[i].holds == has_host_profile) {
		const char *headline = describe_host_profile(report);

		verdict->headline = headline ? headline : verdict->headline;
	}
	if (silences[i].holds != is_anything && silences[i].holds != has_stage)
		return;
	if (recipe->cause)
		verdict->next = recipe->cause;
	if (silences[i].holds == is_anything)
		note_metrics(report);
}

void weir_explain_missing_input(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;

	if (verdict->bound != WEIR_BOUND_UNDETERMINED)
		return;
	if (report->host_operators && !report->has_gpu)
		explain_host(report);
	else if (!report->has_gpu && !verdict->rule && !weir_has_timeline(report))
		explain_silence(report);
}
