/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "engine/analysis/requests/joining.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/text.h"

#define MAX_NOTES 32
/* Sampling windows of monitors are longer than many bursts: less apart is no contradiction. */
#define BUSY_APART   0.35
#define FEW_SAMPLES  10
#define CAPPED_WORTH 0.10
/* A client sees what the server does not: the network, its own queue. */
#define CLIENT_APART 1.25

void weir_report_note(struct weir_report *report, const char *code, const char *format, ...)
{
	struct weir_text text = {0};
	va_list args;

	if (!report->notes)
		report->notes = weir_arena_alloc(report->arena, MAX_NOTES * sizeof *report->notes);
	if (report->note_count == MAX_NOTES)
		return;
	va_start(args, format);
	weir_text_vprintf(&text, format, args);
	va_end(args);
	report->notes[report->note_count++] = (struct weir_note){
		code, weir_arena_copy(report->arena, text.data ? text.data : "", text.length)};
	weir_text_release(&text);
}

struct weir_stretch weir_requests_stretch(const struct weir_serving *serving)
{
	if (!serving || serving->requests->time_base != WEIR_TIME_UNIX)
		return (struct weir_stretch){0, 0};
	return (struct weir_stretch){serving->load.start_ns, serving->load.end_ns};
}

static void widen(struct weir_stretch *stretch, int64_t base_ns, int64_t start_ns, int64_t end_ns)
{
	if (start_ns > INT64_MAX - base_ns || end_ns > INT64_MAX - base_ns || end_ns <= start_ns)
		return;
	start_ns += base_ns;
	end_ns += base_ns;
	if (stretch->start_ns == stretch->end_ns)
		*stretch = (struct weir_stretch){start_ns, end_ns};
	stretch->start_ns = start_ns < stretch->start_ns ? start_ns : stretch->start_ns;
	stretch->end_ns = end_ns > stretch->end_ns ? end_ns : stretch->end_ns;
}

struct weir_stretch weir_traces_stretch(const struct weir_profile *profile)
{
	struct weir_stretch stretch = {0, 0};

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_trace *trace = profile->inputs[i].trace;

		if (!trace || trace->base_ns <= 0)
			continue;
		for (size_t r = 0; r < trace->device.count; r++)
			widen(&stretch, trace->base_ns, trace->device.start_ns[r],
			      trace->device.end_ns[r]);
		for (size_t r = 0; trace->device.count == 0 && r < trace->host.count; r++)
			widen(&stretch, trace->base_ns, trace->host.start_ns[r],
			      trace->host.end_ns[r]);
	}
	return stretch;
}

static bool is_known(struct weir_stretch stretch)
{
	return stretch.end_ns > stretch.start_ns;
}

static void note_times(struct weir_stretch requests, struct weir_stretch traces,
                       struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;

	if (report->has_requests && report->has_gpu) {
		if (!is_known(requests) || !is_known(traces))
			weir_report_note(report, "by_stage",
			                 "requests and timeline share no clock: the timeline "
			                 "stands for the computation as a stage");
		else if (traces.end_ns <= requests.start_ns || traces.start_ns >= requests.end_ns)
			weir_report_note(
				report, "other_time",
				"the timeline was taken outside the time of the requests: "
				"it stands for their computation if the load was the same");
	}
	if (report->has_telemetry && !telemetry->aligned &&
	    (is_known(requests) || is_known(traces)))
		weir_report_note(report, "other_time",
		                 telemetry->span_ns > 0
		                         ? "the monitor's samples are of another time than the "
		                           "other inputs: its figures are over all of them"
		                         : "the monitor's samples have no times: its figures are "
		                           "over all of them");
}

/* Requests say when computation ran, a monitor in which samples any kernel did. */
static void note_busy(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;
	double busy = report->requests.compute_busy, seen = telemetry->utilization_all;

	if (!report->has_telemetry || !telemetry->aligned || telemetry->samples < FEW_SAMPLES ||
	    telemetry->devices != 1 || isnan(busy) || isnan(seen) ||
	    fabs(busy - seen) <= BUSY_APART)
		return;
	weir_report_note(report, "contradiction",
	                 "requests compute %.0f %% of the time, the monitor shows %.0f %% "
	                 "utilisation: one of them is of another device, or copies and host work "
	                 "are counted as computation",
	                 100 * busy, 100 * seen);
}

static void note_caps(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;

	if (telemetry->power_capped >= CAPPED_WORTH)
		weir_report_note(report, "power_cap",
		                 "power holds the clocks down %.0f %% of the time in use",
		                 100 * telemetry->power_capped);
	if (telemetry->thermal_capped >= CAPPED_WORTH)
		weir_report_note(report, "thermal",
		                 "heat holds the clocks down %.0f %% of the time in use",
		                 100 * telemetry->thermal_capped);
}

static void note_devices(struct weir_report *report)
{
	const char *seen = report->telemetry.device_name;

	if (!report->has_telemetry || !seen || report->device_count == 0 ||
	    !report->devices[0].name)
		return;
	for (size_t i = 0; i < report->device_count; i++)
		if (report->devices[i].name && strcmp(report->devices[i].name, seen) == 0)
			return;
	weir_report_note(report, "contradiction",
	                 "the timeline is of %s, the monitor's samples of %s",
	                 report->devices[0].name, seen);
}

/* The p95 of the clients' own table, where the server's is the one that is judged. */
static void note_client(const struct weir_profile *profile, const struct weir_serving *serving,
                        struct weir_report *report)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_requests *client = profile->inputs[i].requests;
		double p95_ns;

		if (!client || client->count == 0 || !client->client || serving->requests->client)
			continue;
		p95_ns = weir_requests_latency(client, 0.95);
		if (p95_ns > CLIENT_APART * report->requests.latency.p95_ns)
			weir_report_note(
				report, "client_latency",
				"clients see a p95 of %.3g ms where the server has %.3g ms: "
				"the rest is the network, or waiting at the client",
				p95_ns / 1e6, report->requests.latency.p95_ns / 1e6);
	}
}

static void note_requests(const struct weir_profile *profile, const struct weir_serving *serving,
                          struct weir_report *report)
{
	size_t others = 0;

	for (size_t i = 0; i < profile->input_count; i++)
		others += profile->inputs[i].requests && profile->inputs[i].requests->count > 0 &&
		          profile->inputs[i].requests->client == serving->requests->client;
	if (others > 1 && serving->left_out > 0)
		weir_report_note(report, "left_out",
		                 "requests on different clocks cannot be one queue: %zu of the "
		                 "inputs with requests are left out",
		                 serving->left_out);
	if (serving->sampled && !serving->requests->sampled)
		weir_report_note(report, "sampled",
		                 "batches are larger than the requests found: the file holds about "
		                 "%.0f %% of them, so why they waited is not known",
		                 100 * serving->batches.coverage);
	else if (serving->sampled)
		weir_report_note(report, "sampled",
		                 "the file holds a sample of the requests: rates, and why they "
		                 "waited, are not known");
	note_client(profile, serving, report);
}

void weir_join(const struct weir_profile *profile, const struct weir_serving *serving,
               struct weir_report *report)
{
	note_times(weir_requests_stretch(serving), weir_traces_stretch(profile), report);
	if (serving)
		note_requests(profile, serving, report);
	note_busy(report);
	note_devices(report);
	note_caps(report);
}
