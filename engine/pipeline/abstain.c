/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"
#include "engine/model/platform.h"
#include "engine/model/template.h"
#include "engine/pipeline/abstain.h"
#include "engine/pipeline/benchmarks.h"
#include "engine/pipeline/keep.h"
#include "engine/pipeline/recording.h"
#include "engine/pipeline/request_counts.h"
#include "engine/pipeline/stated_loads.h"
#include "engine/pipeline/stated_memory.h"
#include "engine/pipeline/stated_queries.h"
#include "engine/pipeline/stated_requests.h"
#include "engine/pipeline/stated_totals.h"
#include "engine/report/plain/escape.h"
#include "engine/stats/moments.h"

#define NAME_COLUMNS    48   /* of an operator */
#define WORTH_A_WARM_UP 0.20 /* share of a cold start, as in undetermined/no-device-cold */
#define NEARLY_ALL      0.90 /* of a function's share, in one sample */
#define FAR_HEAVIER     3    /* times the mean sample */
#define WORTH_NAMING    0.01 /* difference in use between devices of several models */
#define CLEARLY_APART   0.33 /* the same between devices of one model */
#define LISTED_METRICS  6    /* metrics of a run that a note lists */

#define XLA_ON_PROCESSOR                                                                           \
	"begin with the largest operator: bfloat16, larger batches, and one jax.jit around all "   \
	"steps; the trace shows the operators of the CPU, not why they take long: perf record -g " \
	"and perf stat beside it do; if a GPU or TPU should have been in it, check jax.devices()"

bool weir_has_timeline(const struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++)
		if (weir_input_is_timeline(&report->profile->inputs[i]))
			return true;
	return false;
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

/* Begins the headline with the kind of profile and its largest operator. cpu: the device of the
 * operators is the processor. */
static void put_kind(const struct weir_report *report, bool cpu, struct weir_text *out)
{
	uint64_t unread = unread_events(report);
	struct weir_text name = {0};

	if (unread > 0) {
		weir_text_puts(out, "the device's work is not readable here (");
		weir_text_count(out, unread);
		weir_text_puts(out, " events of unknown categories); on the host, ");
	} else {
		weir_text_puts(out, cpu ? "a CPU profile: " : "a timeline of the host: ");
	}
	weir_cut_name(&name, report->operators->name, NAME_COLUMNS);
	weir_template_quote(name.data ? name.data : "?", out);
	weir_text_release(&name);
	weir_text_puts(out, " holds ");
	weir_text_share(out, report->operators->share);
	weir_text_puts(out, cpu ? " of operator time" : " of the recorded time");
	if (report->host_operators->threads == 1)
		weir_text_puts(out, " on 1 thread");
	else
		weir_text_printf(out, " on %llu threads",
		                 (unsigned long long)report->host_operators->threads);
}

/* True if every timeline is of a program that ran on the processor alone. */
static bool ran_on_processor(const struct weir_report *report)
{
	size_t traces = 0, labelled = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_trace *trace = report->profile->inputs[i].trace;

		traces += trace != NULL;
		for (size_t l = 0; trace && l < trace->label_count; l++)
			labelled += strcmp(weir_names_text(trace->names, trace->labels[l].key),
			                   WEIR_LABEL_CPU_PLATFORM) == 0;
	}
	return traces > 0 && labelled == traces;
}

static void explain_host(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	const struct weir_host_operators *host = report->host_operators;
	const struct weir_recording *recipe = weir_recording_of(report);
	struct weir_text headline = {0};
	bool cpu = strcmp(recipe->reader, "kineto") == 0 || host->on_processor ||
	           ran_on_processor(report);

	if (host->launches == 0 && host->calls > 0 && report->operator_count > 0) {
		put_kind(report, cpu, &headline);
		if (verdict->headline)
			weir_text_printf(&headline, "; %s", verdict->headline);
		verdict->headline = weir_keep_line(report, &headline);
		if (verdict->cause && strcmp(verdict->cause, "run-ends") == 0)
			return; /* the rule knows what a session waits for */
		if (ran_on_processor(report))
			verdict->next = XLA_ON_PROCESSOR;
		else if (unread_events(report) > 0)
			verdict->next = "the warning names the first unknown category; record the "
					"device with a profiler that docs/formats.md lists";
		else if (!cpu)
			verdict->next = recipe->device ? recipe->device
			                               : "pass a timeline of the device, if the "
			                                 "program uses one";
		return;
	}
	if (!verdict->headline)
		verdict->headline = "the trace holds calls of the host, and no work of a device";
	verdict->next = recipe->device ? recipe->device : "pass a timeline of the device as well";
	if (host->launches > 0 && host->cold >= WORTH_A_WARM_UP)
		verdict->next = weir_arena_format(report->arena,
		                                  "run a few iterations before the profiler "
		                                  "starts, and %s",
		                                  verdict->next);
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
	const struct weir_telemetry_figures *telemetry = &report->telemetry;

	return report->has_telemetry &&
	       (telemetry->utilization_all == 0 ||
	        (isnan(telemetry->utilization_all) &&
	         weir_reason_share(report->profile, WEIR_CLOCKS_IDLE) == 1));
}

static bool has_monitor(const struct weir_report *report)
{
	return report->has_telemetry;
}

/* True for samples of power, memory, clocks or traffic, without any figure of use. */
static bool has_monitor_without_use(const struct weir_report *report)
{
	return report->has_telemetry && isnan(report->telemetry.utilization_all) &&
	       isnan(report->telemetry.sm_active) && isnan(report->telemetry.tensor_active) &&
	       isnan(report->telemetry.dram_active);
}

/* True if the samples have no figure of use although a column of it was asked for. */
static bool has_monitor_with_empty_use(const struct weir_report *report)
{
	bool column = false;

	for (size_t i = 0; report->profile && i < report->profile->input_count; i++)
		column |= report->profile->inputs[i].telemetry &&
		          report->profile->inputs[i].telemetry->has_use_column;
	return column && has_monitor_without_use(report);
}

/* True if the samples have no figure of use because a device is divided. */
static bool has_divided_monitor(const struct weir_report *report)
{
	bool divided = false;

	for (size_t i = 0; report->profile && i < report->profile->input_count; i++)
		divided |= report->profile->inputs[i].telemetry &&
		           report->profile->inputs[i].telemetry->divided;
	return divided && has_monitor_without_use(report);
}

static bool has_host_profile(const struct weir_report *report)
{
	return report->host != NULL;
}

static bool has_idle_server(const struct weir_report *report)
{
	return report->served_nothing;
}

/* Returns the headline for a server whose counter of requests is 0. */
static const char *describe_idle_server(struct weir_report *report)
{
	return report->scraped_once ? "the server has served no request yet"
	                            : "the server served no request between the pages";
}

static bool is_anything(const struct weir_report *report)
{
	(void)report;
	return true;
}

static bool has_idle_host_profile(const struct weir_report *report)
{
	return report->host && !(report->host->total > 0);
}

/* True if a function owes nearly all of its share to one sample, which is far heavier than the
 * mean: a profiler with an adaptive rate begins with samples of very different weights. */
static bool rests_on_one_sample(const struct weir_host_figures *host,
                                const struct weir_host_function_row *row)
{
	return row->largest_sample >= NEARLY_ALL * row->self &&
	       row->largest_sample * (double)host->samples >= FAR_HEAVIER;
}

/* Appends the whole of which the functions of a host profile have shares. */
static void put_whole(const struct weir_host_figures *host, struct weir_text *out)
{
	bool counted = host->event && host->unit == WEIR_HOST_WEIGHT;

	if (!host->event) {
		weir_text_puts(out, host->unit == WEIR_HOST_WEIGHT ? " of the weight of the stacks"
		                                                   : " of the host's time");
		return;
	}
	if (host->occurrences) {
		weir_text_puts(out, " of them");
		return;
	}
	weir_text_puts(out, counted ? " of the " : " of the samples of ");
	weir_template_quote(host->event, out);
	weir_text_puts(out, counted ? " that the profile counts, which are no time"
	                            : ", which are no time");
}

/* Appends the function with the largest share, and the share. */
static void put_top(const struct weir_host_figures *host, struct weir_text *out)
{
	const struct weir_host_function_row *top = host->functions;

	weir_template_quote(top->function, out);
	if (strstr(top->function, "[kernel.kallsyms]"))
		weir_text_puts(out, " (addresses of the kernel without symbols)");
	weir_text_puts(out, " holds ");
	weir_text_share(out, top->self);
	put_whole(host, out);
	if (rests_on_one_sample(host, top))
		weir_text_printf(out, ", which rests on one of %llu samples",
		                 (unsigned long long)host->samples);
}

/* Appends "11 events of sched:sched_wakeup, which are no time", for a tracepoint or a probe. The
 * largest share follows if it is of a function, and not of a program without stacks. */
static void put_occurrences(const struct weir_host_figures *host, struct weir_text *out)
{
	weir_text_count(out, host->total < 1e18 ? (uint64_t)host->total : 0);
	weir_text_puts(out, host->total == 1 ? " event of " : " events of ");
	weir_template_quote(host->event ? host->event : "?", out);
	weir_text_puts(out, ", which are no time");
	if (!host->functions->file)
		return;
	weir_text_puts(out, "; ");
	put_top(host, out);
}

/* Begins the headline with the function that holds most of the host's time. */
static const char *describe_host_profile(struct weir_report *report)
{
	const struct weir_host_figures *host = report->host;
	const struct weir_host_function_row *top = host->functions;
	struct weir_text headline = {0};

	if (host->function_count == 0 || !top->function || !(top->self > 0))
		return NULL;
	if (host->idle > top->self * (1 - host->idle)) {
		weir_text_puts(&headline, "the processor was idle in ");
		weir_text_part(&headline, host->idle);
		weir_text_puts(&headline, " of the profile; without that, ");
	}
	if (host->occurrences)
		put_occurrences(host, &headline);
	else
		put_top(host, &headline);
	weir_text_puts(&headline, "; the profile does not show whether a device waits for it");
	return weir_keep_line(report, &headline);
}

/* True if no mean over the devices describes them: they are of several models or clearly apart. */
static bool needs_extremes(const struct weir_telemetry_figures *telemetry)
{
	double apart = telemetry->busiest.utilization - telemetry->idlest.utilization;

	return telemetry->busiest.id && telemetry->idlest.id &&
	       apart >= (telemetry->mixed_devices ? WORTH_NAMING : CLEARLY_APART);
}

/* Appends the use of the busiest and of the idlest device. */
static void put_extremes(const struct weir_telemetry_figures *telemetry, bool once,
                         struct weir_text *headline)
{
	weir_text_printf(headline, "of %llu devices, the busiest (",
	                 (unsigned long long)telemetry->devices);
	weir_template_quote(telemetry->busiest.id, headline);
	weir_text_puts(headline, once ? ") was " : ") was in use ");
	weir_text_share(headline, telemetry->busiest.utilization);
	weir_text_puts(headline, once ? " in use, the idlest (" : " of the time, the idlest (");
	weir_template_quote(telemetry->idlest.id, headline);
	weir_text_puts(headline, ") ");
	weir_text_share(headline, telemetry->idlest.utilization);
}

/* Appends the mean use of the devices. */
static void put_mean_use(const struct weir_telemetry_figures *telemetry, bool once,
                         struct weir_text *headline)
{
	bool several = telemetry->devices > 1;

	if (several)
		weir_text_printf(headline, "%llu devices were ",
		                 (unsigned long long)telemetry->devices);
	else
		weir_text_puts(headline, "the device was ");
	weir_text_puts(headline, once ? "" : "in use ");
	weir_text_share(headline, telemetry->utilization_all);
	weir_text_puts(headline, once ? " in use" : " of the time");
	weir_text_puts(headline, several ? " on average" : "");
}

/* Returns the headline with the utilisation that monitors saw; NULL: none did. */
static const char *describe_monitor(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;
	bool once = telemetry->samples <= telemetry->devices;
	struct weir_text headline = {0};

	if (!isfinite(telemetry->utilization_all))
		return NULL;
	if (needs_extremes(telemetry))
		put_extremes(telemetry, once, &headline);
	else
		put_mean_use(telemetry, once, &headline);
	weir_text_puts(&headline, once ? " at the moment of the sample" : "");
	weir_text_puts(&headline, "; a monitor does not show by which work");
	return weir_keep_line(report, &headline);
}

#define AND_REQUESTS ", and pass requests from the same time, or a timeline of the device"

/* Returns how to record the utilisation with the tool that wrote the samples. */
static const char *advise_use(const struct weir_report *report)
{
	static const struct {
		const char *format, *advice;
	} tools[] = {
		{"amd-smi", "record the utilisation as well (rocm-smi --showuse, amd-smi metric "
	                    "--usage)" AND_REQUESTS},
		{"xpu-smi", "record the utilisation as well (xpu-smi dump -m 0)" AND_REQUESTS},
	};

	for (size_t i = 0; i < report->profile->input_count; i++)
		for (size_t t = 0; t < WEIR_COUNT_OF(tools); t++)
			if (report->profile->inputs[i].telemetry &&
			    report->profile->inputs[i].format &&
			    strcmp(report->profile->inputs[i].format, tools[t].format) == 0)
				return tools[t].advice;
	return "record the utilisation as well (nvidia-smi: utilization.gpu; xpu-smi: -m "
	       "0)" AND_REQUESTS;
}

/* Texts for inputs with neither requests nor timeline: the limits of the input, and a better one.
 * The first that holds is used; a headline that describes the input, if it can, goes before the
 * general one. */
static const struct {
	bool (*holds)(const struct weir_report *report);
	const char *(*describe)(struct weir_report *report);
	const char *headline, *next; /* next: NULL: by the tool that took the samples */
} silences[] = {
	{has_idle_server, describe_idle_server, "the server served no request",
         "send requests to the server, and pass a page from before and one from after them"},
	{has_counted_stage, NULL,
         "server metrics show how long stages take, but not what requests wait for",
         "pass requests from the same time (spans or a request log), or a timeline of the "
         "device"},
	{has_stage, NULL, "durations alone do not show what the device did",
         "pass a timeline of the device under the same load, or requests recorded by the server"},
	{has_idle_monitor, NULL, "the monitor saw the device idle in every sample",
         "take samples while the program runs under load, and pass requests or a timeline of the "
         "device from the same time"},
	{has_divided_monitor, NULL,
         "the GPU is divided (MIG), and such a GPU states no utilisation: its samples do not show "
         "whether it was in use",
         "record DCGM's profiling metrics of each instance (DCGM_FI_PROF_GR_ENGINE_ACTIVE of "
         "dcgm-exporter, or dcgmi dmon -e 1001,1005 -i i:0)" AND_REQUESTS},
	{has_monitor_with_empty_use, NULL,
         "the utilisation was asked for, but the monitor states none: its samples do not show "
         "whether the device was in use",
         "find out why the column of the utilisation is empty (the device may not support it, or "
         "the monitor may lack rights), and pass requests from the same time, or a timeline of the "
         "device"},
	{has_monitor_without_use, NULL,
         "the monitor did not record the utilisation of the device: its samples do not show "
         "whether the device was in use",
         NULL},
	{has_monitor, describe_monitor,
         "a monitor shows whether the device was in use, but not by which work",
         "pass requests from the same time, or a timeline of the device"},
	{has_idle_host_profile, NULL, "the processor was idle in all samples of the profile",
         "record while the program runs under load: the busy process (perf record -p PID), or all "
         "processors (-a)"},
	{has_host_profile, describe_host_profile,
         "a host profile shows what the host does, but not whether the device waits for it",
         "pass a timeline of the device under the same load (torch.profiler, nsys)"},
	{is_anything, NULL, "metrics of a run alone do not show where its time goes",
         "pass requests (spans or a request log), or a timeline of the device"},
};

/* True if the name has its conditions in front, "flash_attn@0/pp512_tokens_per_s". */
static bool is_part(const char *name)
{
	return strchr(name, '/') != NULL;
}

/* Returns true if a run has a metric whose name is no part of a table. */
static bool has_whole_metric(const struct weir_profile *profile)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_run *run = profile->inputs[i].run;

		for (size_t m = 0; run && m < run->metrics.count; m++)
			if (!is_part(run->metrics.items[m].name))
				return true;
	}
	return false;
}

/* True if another note states the figures of the input. */
static bool has_own_note(const struct weir_input *input)
{
	return weir_is_key_averages(input) ||
	       (input->format && strcmp(input->format, "memory_summary") == 0);
}

/* Notes the first metrics of the runs, which the table of stages does not show. `parts`: metrics
 * with conditions in their names as well, if there are no others. */
static void note_metrics(struct weir_report *report, bool parts)
{
	struct weir_text text = {0};
	size_t listed = 0, all = 0;

	parts = parts && !has_whole_metric(report->profile);
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_run *run = report->profile->inputs[i].run;

		if (weir_is_benchmark(&report->profile->inputs[i]) ||
		    has_own_note(&report->profile->inputs[i]))
			continue; /* weir_note_benchmarks() and others note them */
		for (size_t m = 0; run && m < run->metrics.count; m++) {
			const struct weir_series *series = &run->metrics.items[m];

			all++;
			if (listed >= LISTED_METRICS ||
			    isnan(weir_mean(series->value, series->count)) ||
			    (!parts && is_part(series->name)))
				continue;
			weir_text_printf(&text,
			                 weir_mean(series->value, series->count) < 1000
			                         ? "%s%s %.4g"
			                         : "%s%s %.0f",
			                 listed++ > 0 ? ", " : "", series->name,
			                 weir_mean(series->value, series->count));
			if (series->unit)
				weir_text_printf(&text, " %s", series->unit);
		}
	}
	if (listed > 0)
		weir_report_note(report, "metrics", "the file states %s%s", text.data,
		                 all > listed ? ", and more (weir convert prints all)" : "");
	weir_text_release(&text);
}

/* ---- results ---- */

/* Makes the headline what the runs state of a mean request, a query or several loads, unless tables
 * gave one, and notes their times, or else their first figures. */
static void explain_results(struct weir_report *report, bool has_headline)
{
	static const char *(*const describe[])(struct weir_report * report) = {
		weir_describe_stated_memory,   weir_describe_invalid_results,
		weir_describe_stated_requests, weir_describe_stated_queries,
		weir_describe_stated_batch,    weir_describe_stated_loads,
		weir_describe_stated_rate,     weir_describe_stated_ranges};
	const char *headline = NULL;

	for (size_t i = 0; !has_headline && !headline && i < WEIR_COUNT_OF(describe); i++)
		headline = describe[i](report);
	if (headline)
		report->verdict.headline = headline;
	if (!weir_note_stated_requests(report))
		note_metrics(report, false);
}

static void explain_silence(struct weir_report *report)
{
	struct weir_verdict *verdict = &report->verdict;
	const struct weir_recording *recipe = weir_recording_of(report);
	size_t i = 0;

	weir_note_benchmarks(report);
	weir_note_request_counts(report);
	weir_note_results(report);
	while (!silences[i].holds(report))
		i++;
	verdict->headline = silences[i].describe ? silences[i].describe(report) : NULL;
	if (!verdict->headline)
		verdict->headline = silences[i].headline;
	verdict->next = silences[i].next ? silences[i].next : advise_use(report);
	if (silences[i].holds != is_anything && silences[i].holds != has_stage)
		return;
	if (recipe->cause)
		verdict->next = recipe->cause;
	if (silences[i].holds == has_stage)
		note_metrics(report, true);
	if (silences[i].holds != is_anything)
		return;
	explain_results(report, weir_explain_stated_totals(report));
	weir_note_stated_loads(report);
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
