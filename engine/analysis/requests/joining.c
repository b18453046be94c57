/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/requests/joining.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/text.h"

/* Monitors average over windows that are longer than many bursts of work, so that a smaller
 * difference is no contradiction. */
#define BUSY_APART   0.35
#define FEW_SAMPLES  10
#define CAPPED_WORTH 0.10
/* A client also sees the network and its own queue. */
#define CLIENT_APART 1.25
/* One request of fewer is more than the twentieth that is slower than p95. */
#define FEW_REQUESTS 20

struct weir_stretch weir_requests_stretch(const struct weir_serving *serving)
{
	if (!serving || serving->requests->time_base != WEIR_TIME_UNIX)
		return (struct weir_stretch){0, 0};
	return (struct weir_stretch){serving->load.start_ns, serving->load.end_ns};
}

static void widen(struct weir_stretch *stretch, int64_t start_ns, int64_t end_ns)
{
	if (end_ns <= start_ns)
		return;
	if (stretch->start_ns == stretch->end_ns)
		*stretch = (struct weir_stretch){start_ns, end_ns};
	stretch->start_ns = start_ns < stretch->start_ns ? start_ns : stretch->start_ns;
	stretch->end_ns = end_ns > stretch->end_ns ? end_ns : stretch->end_ns;
}

struct weir_stretch weir_traces_stretch(const struct weir_profile *profile)
{
	struct weir_stretch stretch = {0, 0};

	for (size_t i = 0; i < profile->input_count; i++) {
		struct weir_trace_facts facts = weir_input_facts(&profile->inputs[i]);

		widen(&stretch, facts.start_ns, facts.end_ns);
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
			                 "requests and timeline share no clock: the timeline is "
			                 "used as a sample of the computation stages");
		else if (traces.end_ns <= requests.start_ns || traces.start_ns >= requests.end_ns)
			weir_report_note(
				report, "other_time",
				"the timeline does not overlap the requests in time: it represents "
				"their computation only if the load was the same");
	}
	if (report->has_telemetry && !telemetry->aligned &&
	    (is_known(requests) || is_known(traces)))
		weir_report_note(report, "other_time",
		                 telemetry->span_ns > 0
		                         ? "the monitor's samples do not overlap the other inputs "
		                           "in time: its figures cover all of its samples"
		                         : "the monitor's samples have no times: its figures cover "
		                           "all of its samples");
}

/* Compares the computation time of requests with the utilisation that a monitor shows. */
static void note_busy(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;
	double busy = report->requests.compute_busy, seen = telemetry->utilization_all;

	if (!report->has_telemetry || !telemetry->aligned || telemetry->samples < FEW_SAMPLES ||
	    telemetry->devices != 1 || isnan(busy) || isnan(seen) ||
	    fabs(busy - seen) <= BUSY_APART)
		return;
	weir_report_note(report, "contradiction",
	                 "requests compute %.0f %% of the time, but the monitor shows %.0f %% "
	                 "utilisation: they belong to different devices, or computation stages "
	                 "include copies or host work",
	                 100 * busy, 100 * seen);
}

static void note_caps(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;

	if (telemetry->power_capped >= CAPPED_WORTH)
		weir_report_note(report, "power_cap",
		                 "a power limit reduces the clocks for %.0f %% of the time in use",
		                 100 * telemetry->power_capped);
	if (telemetry->thermal_capped >= CAPPED_WORTH)
		weir_report_note(report, "thermal",
		                 "heat reduces the clocks for %.0f %% of the time in use",
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
	                 "the timeline is from %s, but the monitor's samples are from %s",
	                 report->devices[0].name, seen);
}

/* Compares the clients' p95 with the server's, if the verdict is about the server's. */
static void note_client(const struct weir_profile *profile, const struct weir_serving *serving,
                        struct weir_report *report)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_requests *client = profile->inputs[i].requests;
		double p95_ns;

		if (!client || client->count == 0 || !client->client || client->all_failed ||
		    serving->requests->client)
			continue;
		p95_ns = weir_requests_latency(client, 0.95);
		if (p95_ns > CLIENT_APART * report->requests.latency.p95_ns)
			weir_report_note(
				report, "client_latency",
				"clients see a p95 latency of %.3g ms, the server %.3g ms: the "
				"difference is the network or queueing at the client",
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
		                 "requests on different clocks cannot be merged: %zu of the inputs "
		                 "with requests are left out",
		                 serving->left_out);
	if (serving->sampled && !serving->requests->sampled)
		weir_report_note(report, "sampled",
		                 "batches hold more requests than the file: it has about %.0f %% "
		                 "of them, so the cause of queueing is unknown",
		                 100 * serving->batches.coverage);
	else if (serving->sampled)
		weir_report_note(report, "sampled",
		                 "the file holds a sample of the requests: rates and the cause of "
		                 "queueing are unknown");
	if (serving->requests->count < FEW_REQUESTS)
		weir_report_note(report, "few_requests",
		                 "%zu request%s: p95 and p99 of fewer than %d are rough",
		                 serving->requests->count, serving->requests->count == 1 ? "" : "s",
		                 FEW_REQUESTS);
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
