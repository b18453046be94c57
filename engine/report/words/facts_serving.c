/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/plain/cost_text.h"
#include "engine/report/plain/escape.h"
#include "engine/report/words/facts.h"
#include "engine/report/words/map.h"

#define LISTED_NOTES  12  /* notes listed one by one */
#define LISTED_INPUTS 8   /* kinds of content that are named */
#define CLEARLY_OFF   0.1 /* a smaller correction of the cost is not mentioned */

/* Appends a rate, a batch size or a power: "293", "59.9", "0.31", "7,677". */
static void add_figure(struct weir_text *out, double value)
{
	value = weir_as_stored_share(value);
	if (value >= 0 && value < 1e15 && (value >= 99.95 || value == floor(value)))
		weir_text_count(out, (uint64_t)llround(value));
	else if (fabs(value) >= 9.995)
		weir_text_printf(out, "%.1f", value);
	else
		weir_text_printf(out, "%.2f", value);
}

/* Adds "12.5 requests/s", if it is known. */
static void add_measured(struct weir_items *items, const char *before, double value,
                         const char *behind)
{
	struct weir_text *out;

	if (isnan(value))
		return;
	out = weir_items_add(items);
	weir_text_puts(out, before);
	add_figure(out, value);
	weir_text_puts(out, behind);
}

/* Adds "between 0 and 1.00 s" if all durations are in one bucket of a histogram. Returns false if
 * they are not. */
static bool add_only_bucket(const struct weir_distribution *distribution,
                            const struct weir_stage_counted *counted, struct weir_items *items)
{
	struct weir_text *out;

	if (!counted || !isnan(distribution->p50_ns) || isnan(counted->p50.low_ns) ||
	    !isfinite(counted->p99.high_ns))
		return false;
	out = weir_items_add(items);
	weir_text_puts(out, "between ");
	if (counted->p50.low_ns > 0)
		weir_text_duration(out, weir_as_stored_ns(counted->p50.low_ns));
	else
		weir_text_puts(out, "0");
	weir_text_puts(out, " and ");
	weir_text_duration(out, weir_as_stored_ns(counted->p99.high_ns));
	return true;
}

/* Adds "p50 5.59 s, p95 10.7 s, p99 11.1 s", with the requested percentile in the middle. A
 * quantile beyond the last bucket of a histogram is "above 60 s". */
static void add_quantiles(const struct weir_report *report,
                          const struct weir_distribution *distribution,
                          const struct weir_stage_counted *counted, struct weir_items *items)
{
	struct weir_text all = {0};

	if (add_only_bucket(distribution, counted, items))
		return;
	for (int i = 0; i < WEIR_MAP_PLACES; i++) {
		enum weir_map_place place = (enum weir_map_place)i;
		double ns = weir_map_quantile(report, distribution, place);
		const struct weir_quantile_bounds *bounds =
			isnan(ns) ? weir_map_bounds(report, counted, place) : NULL;

		if ((isnan(ns) && !bounds) || !weir_map_has_place(report, place))
			continue;
		weir_text_puts(&all, all.length ? ", " : "");
		weir_map_label(report, place, &all);
		weir_text_puts(&all, bounds                        ? " above "
		                     : weir_map_is_counted(report) ? " about "
		                                                   : " ");
		ns = bounds ? bounds->low_ns : ns;
		weir_text_duration(&all, weir_as_stored_ns(ns));
	}
	if (all.length)
		weir_text_puts(weir_items_add(items), all.data);
	weir_text_release(&all);
}

static bool has_trace(const struct weir_report *report)
{
	const struct weir_profile *profile = report->profile;

	for (size_t i = 0; profile && i < profile->input_count; i++)
		if (weir_input_is_timeline(&profile->inputs[i]))
			return true;
	return false;
}

/* Returns the time from the first arrival to the last response. */
static double span_of(const struct weir_report *report)
{
	const struct weir_request_figures *requests = &report->requests;

	if (isnan(requests->throughput_per_s) || !(requests->throughput_per_s > 0))
		return NAN;
	if (report->span_ns > 0 && !has_trace(report))
		return (double)report->span_ns;
	return (double)requests->count / requests->throughput_per_s * 1e9;
}

/* Appends " (59.9/s of 80/s offered)": the throughput and the rate of the load generator. */
static void add_rate(const struct weir_request_figures *requests, struct weir_text *out)
{
	const char *before = " (";

	if (!isnan(requests->throughput_per_s)) {
		weir_text_puts(out, before);
		add_figure(out, requests->throughput_per_s);
		weir_text_puts(out, "/s");
		before = " of ";
	}
	if (!isnan(requests->requested_per_s)) {
		weir_text_puts(out, before);
		add_figure(out, requests->requested_per_s);
		weir_text_puts(out, "/s offered");
	}
	if (!isnan(requests->throughput_per_s) || !isnan(requests->requested_per_s))
		weir_text_puts(out, ")");
}

static void add_requests(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_request_figures *requests = &report->requests;
	struct weir_text *out = weir_items_add_line(items);
	double span_ns = span_of(report);

	if (requests->sampled)
		weir_text_puts(out, "a sample of ");
	weir_text_count(out, requests->count);
	weir_text_puts(out, requests->count == 1 ? " request" : " requests");
	if (!isnan(span_ns)) {
		weir_text_puts(out, " in ");
		weir_text_duration(out, span_ns);
	}
	add_rate(requests, out);
	if (requests->client)
		weir_text_puts(out, ", measured by the client");
	if (requests->all_failed)
		weir_text_puts(out,
		               requests->count == 1 ? ", which failed" : ", all of which failed");
	if (!requests->failed || requests->all_failed)
		return;
	out = weir_items_add(items);
	weir_text_count(out, requests->failed);
	weir_text_puts(out, " of ");
	weir_text_count(out, requests->count + requests->failed);
	weir_text_puts(out, " requests failed");
}

static void add_batches(const struct weir_request_figures *requests, struct weir_items *items)
{
	struct weir_text *out;

	if (isnan(requests->batch.mean))
		return;
	out = weir_items_add(items);
	if (requests->batch.max == 1) {
		weir_text_puts(out, "batch size 1");
		return;
	}
	weir_text_puts(out, "batch size ");
	add_figure(out, requests->batch.mean);
	weir_text_puts(out, " (mean)");
	if (!isnan(requests->batch.max))
		weir_text_printf(out, ", %.0f (max)", requests->batch.max);
}

void weir_items_requests(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_request_figures *requests = &report->requests;
	size_t before;

	if (!report->has_requests)
		return;
	add_requests(report, items);
	add_quantiles(report, &requests->latency, requests->latency_counted, items);
	if (requests->all_failed)
		weir_text_puts(&items->item[items->count - 1], " of failed requests");
	before = items->count;
	add_batches(requests, items);
	weir_items_share(items, "", requests->padding_waste, " padding");
	weir_items_share(items, "compute stages active", requests->compute_busy, " of the time");
	if (items->count > before)
		items->starts_line[before] = true;
}

#define FEW 9.95 /* figures below it have two digits */

/* Appends "694", "1,680" or "2.4"; 0.05 stays apart from 0. */
static void put_figure(struct weir_text *out, double value)
{
	if (value > 0 && value < FEW)
		weir_text_printf(out, "%.2g", value);
	else
		weir_text_count(out, (uint64_t)llround(fmin(fmax(value, 0), 1e15)));
}

/* Adds "694 W of 700 W", "1,680 MHz while busy". */
static void add_of(struct weir_items *items, double value, double most, const char *unit,
                   const char *when)
{
	struct weir_text *out;

	if (isnan(value))
		return;
	out = weir_items_add(items);
	put_figure(out, value);
	if (!isnan(most)) {
		weir_text_puts(out, " of ");
		put_figure(out, most);
	}
	weir_text_printf(out, " %s%s", unit, when);
}

/* Adds "2 x NVIDIA H200, 152 samples, utilisation 80 %", "2 devices (gfx1103, gfx1100), ..." or
 * "3 devices, among them gfx1103, ...".
 */
static void add_seen(const struct weir_telemetry_figures *telemetry, struct weir_items *items)
{
	struct weir_text *out = weir_items_add_line(items);
	bool two = telemetry->mixed_devices && telemetry->devices == 2 && telemetry->device_name &&
	           strstr(telemetry->device_name, ", ");

	if (telemetry->devices > 1) {
		weir_text_count(out, telemetry->devices);
		weir_text_puts(out, !telemetry->device_name    ? " devices"
		                    : two                      ? " devices ("
		                    : telemetry->mixed_devices ? " devices, among them "
		                                               : " x ");
	} else if (!telemetry->device_name) {
		weir_text_puts(out, "device");
	}
	if (telemetry->device_name)
		weir_cut_name(out, telemetry->device_name,
		              telemetry->mixed_devices ? 2 * WEIR_NAME_COLUMNS : WEIR_NAME_COLUMNS);
	weir_text_puts(out, two ? "), " : ", ");
	if (telemetry->devices > 1 && telemetry->samples == telemetry->devices)
		weir_text_puts(out, "1 sample of each");
	else
		weir_items_number(out, telemetry->samples, "sample");
	if (isnan(telemetry->utilization_all))
		return;
	weir_text_puts(out, telemetry->devices > 1 ? ", mean utilisation " : ", utilisation ");
	weir_text_share(out, weir_as_stored_share(telemetry->utilization_all));
}

void weir_items_telemetry(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;
	const char *when;

	if (!report->has_telemetry)
		return;
	add_seen(telemetry, items);
	/* The utilisation is of all samples, these are of the busy ones. */
	when = telemetry->utilization > telemetry->utilization_all ? " while busy" : "";
	add_of(items, telemetry->power_w, telemetry->power_limit_w,
	       telemetry->devices > 1 ? "W a device on average" : "W", when);
	add_of(items, telemetry->sm_clock_mhz, telemetry->sm_clock_max_mhz, "MHz", when);
	weir_items_share(items, "throttled by power", telemetry->power_capped, "");
	weir_items_share(items, "throttled by heat", telemetry->thermal_capped, "");
}

/* Kinds of content, by first appearance, and the number of inputs with each. */
struct contents {
	const char *gives[LISTED_INPUTS];
	size_t inputs[LISTED_INPUTS];
	size_t count;
};

static void count_contents(const struct weir_profile *profile, struct contents *contents)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const char *gives = profile->inputs[i].gives;
		size_t at = 0;

		while (gives && at < contents->count && strcmp(contents->gives[at], gives) != 0)
			at++;
		if (!gives || at == LISTED_INPUTS)
			continue;
		if (at == contents->count)
			contents->gives[contents->count++] = gives;
		contents->inputs[at]++;
	}
}

void weir_items_inputs(const struct weir_report *report, struct weir_items *items)
{
	struct contents contents = {.count = 0};
	struct weir_text *out;

	if (!report->profile || report->profile->input_count < 2 ||
	    (!report->has_requests && !report->has_telemetry))
		return;
	count_contents(report->profile, &contents);
	if (!contents.count)
		return;
	out = weir_items_add_line(items);
	weir_text_count(out, report->profile->input_count);
	weir_text_puts(out, " inputs: ");
	for (size_t i = 0; i < contents.count; i++) {
		weir_text_puts(out, i ? " + " : "");
		if (contents.inputs[i] > 1)
			weir_text_printf(out, "%zu x ", contents.inputs[i]);
		weir_cut_name(out, contents.gives[i], WEIR_NAME_COLUMNS);
	}
}

void weir_fill_waiting(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_request_figures *requests = &report->requests;

	if (!report->has_requests)
		return;
	weir_items_share(items, "during computation", requests->wait_compute, "");
	weir_items_share(items, "during copies", requests->wait_copy, "");
	weir_items_share(items, "during host work", requests->wait_host, "");
	weir_items_share(items, "while all was idle", requests->wait_idle, "");
	add_measured(items, "", requests->concurrency, " requests in flight (mean)");
}

void weir_fill_batches(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_request_figures *requests = &report->requests;

	if (!report->has_requests || !(requests->batch.max > 1))
		return;
	add_measured(items, "p50 ", requests->batch.p50, "");
	add_measured(items, "p95 ", requests->batch.p95, "");
	weir_items_share(items, "", requests->batch_fill, " full while requests wait");
	weir_items_share(items, "a half-full batch takes", requests->flat_step_ratio,
	                 " of a full batch's time");
}

void weir_fill_first_token(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_request_figures *requests = &report->requests;

	if (report->has_requests && requests->first_token.count)
		add_quantiles(report, &requests->first_token, requests->first_token_counted, items);
}

void weir_fill_tokens(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_request_figures *requests = &report->requests;

	if (!report->has_requests)
		return;
	add_measured(items, "", requests->tokens_per_s, "/s");
	add_measured(items, "output ", requests->output_tokens_per_s, "/s");
}

void weir_fill_goodput(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_request_figures *requests = &report->requests;

	if (!report->has_requests)
		return;
	add_measured(items, "", requests->goodput_per_s, " requests/s within the latency targets");
	if (!isnan(requests->goodput_share)) {
		struct weir_text *out = weir_items_add(items);

		weir_text_share(out, weir_as_stored_share(requests->goodput_share));
		weir_text_puts(out, " of all requests");
	}
}

/* An amount and its meaning: "$0.27", " idle". */
struct amount {
	double value;
	const char *behind;
};

/* Adds "$0.0148 per 1,000 requests: $0.0142 busy, $0.0006 idle" on its own line. The first amount
 * is the total; the list ends with an amount without a meaning. */
static void add_amounts(const struct weir_cost *cost, const struct amount *amounts,
                        struct weir_items *items)
{
	const char *before = ": ";
	struct weir_text *out;

	if (isnan(amounts->value))
		return;
	out = weir_items_add_line(items);
	weir_cost_text(cost, amounts->value, NAN, out);
	weir_text_puts(out, amounts->behind);
	for (const struct amount *part = amounts + 1; part->behind; part++) {
		if (isnan(part->value))
			continue;
		weir_text_puts(out, before);
		weir_cost_text(cost, part->value, amounts->value, out);
		weir_text_puts(out, part->behind);
		before = ", ";
	}
}

static void add_request_cost(const struct weir_cost *cost, struct weir_items *items)
{
	struct weir_cost_text_scale scale = weir_cost_text_scale(cost);
	struct weir_text words = {0};

	weir_text_printf(&words, " %s", scale.words);
	add_amounts(cost,
	            (const struct amount[]){
			    {cost->per_request * scale.requests, words.data},
			    {cost->per_request_busy * scale.requests, " busy"},
			    {cost->per_request_padding * scale.requests, " of that padding"},
			    {cost->per_request_idle * scale.requests, " idle"},
			    {NAN, NULL}},
	            items);
	weir_text_release(&words);
}

static void add_token_cost(const struct weir_cost *cost, struct weir_items *items)
{
	struct weir_text *out;

	add_amounts(cost,
	            (const struct amount[]){{cost->per_million_tokens, " per million tokens"},
	                                    {cost->per_million_input_tokens, " of input"},
	                                    {cost->per_million_output_tokens, " of output"},
	                                    {NAN, NULL}},
	            items);
	if (isnan(cost->tokens_per_unit))
		return;
	out = weir_items_add(items);
	if (cost->tokens_per_unit >= 1e6)
		weir_text_printf(out, "%.3g million", cost->tokens_per_unit / 1e6);
	else
		add_figure(out, cost->tokens_per_unit);
	weir_text_puts(out, " tokens for ");
	weir_cost_text_sign(cost, out);
	weir_text_puts(out, "1");
}

/* Adds "$3.20 per GPU hour (--cost-per-gpu-hour)". */
static void add_price(const struct weir_cost *cost, struct weir_items *items)
{
	struct weir_text *out;

	if (isnan(cost->per_gpu_hour) && !cost->source)
		return;
	out = weir_items_add_line(items);
	if (!isnan(cost->per_gpu_hour)) {
		weir_cost_text(cost, cost->per_gpu_hour, NAN, out);
		weir_text_puts(out, " per GPU hour");
	}
	if (cost->gpus > 1)
		weir_text_printf(out, ", %.4g GPUs", cost->gpus);
	if (!cost->source)
		return;
	weir_text_puts(out, out->length ? " (" : "from ");
	weir_cut_name(out, cost->source, WEIR_NAME_COLUMNS);
	weir_text_puts(out, isnan(cost->per_gpu_hour) && !(cost->gpus > 1) ? "" : ")");
}

void weir_fill_cost(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_cost *cost = report->has_requests ? report->requests.cost : NULL;
	struct weir_text *out;

	if (!cost)
		return;
	add_request_cost(cost, items);
	add_token_cost(cost, items);
	add_price(cost, items);
	if (!isnan(cost->total)) {
		out = weir_items_add(items);
		weir_cost_text(cost, cost->total, NAN, out);
		weir_text_puts(out, " in total");
	}
	if (fabs(cost->scale - 1) <= CLEARLY_OFF || isnan(cost->scale))
		return;
	out = weir_items_add(items);
	weir_text_puts(out, "stages cover ");
	weir_text_share(out, 1 / cost->scale);
	weir_text_puts(out, " of the busy time; their costs are scaled to all of it");
}

/* Appends "12.9 GB/s", in decimal units as the datasheets of links have them. */
static void add_rate_of_bytes(struct weir_text *out, double bytes_per_s)
{
	static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s"};
	size_t unit = 0;

	while (bytes_per_s >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
		bytes_per_s /= 1e3;
		unit++;
	}
	weir_text_printf(out, bytes_per_s < 999.5 ? "%.3g %s" : "%.0f %s", bytes_per_s,
	                 units[unit]);
}

/* Adds "NVLink 12.9 GB/s sent, 12.5 GB/s received". */
static void add_traffic(struct weir_items *items, const char *link, double sent, double received)
{
	struct weir_text *out;

	if (isnan(sent) && isnan(received))
		return;
	out = weir_items_add(items);
	weir_text_puts(out, link);
	for (int i = 0; i < 2; i++) {
		double bytes_per_s = i ? received : sent;

		if (isnan(bytes_per_s))
			continue;
		weir_text_puts(out, i && !isnan(sent) ? ", " : " ");
		add_rate_of_bytes(out, bytes_per_s);
		weir_text_puts(out, i ? " received" : " sent");
	}
}

/* Adds "peak power 31 W of 250 W"; the line of the devices has the limit beside the power of busy
 * samples, if there are any. */
static void add_peak_power(const struct weir_telemetry_figures *telemetry, struct weir_items *items)
{
	struct weir_text limit = {0};

	if (isnan(telemetry->power_w) && !isnan(telemetry->power_limit_w)) {
		weir_text_puts(&limit, " W of ");
		add_figure(&limit, telemetry->power_limit_w);
	}
	weir_text_puts(&limit, " W");
	add_measured(items, "peak power ", telemetry->power_max_w, limit.data);
	weir_text_release(&limit);
}

/* Adds "peak memory 3.5 GiB of 80 GiB"; without a total that all devices share, the peak alone. */
static void add_memory(const struct weir_telemetry_figures *telemetry, struct weir_items *items)
{
	struct weir_text *out;

	if (isnan(telemetry->memory_used_max_bytes))
		return;
	out = weir_items_add(items);
	if (telemetry->memory_used_max_bytes > 0) {
		weir_text_puts(out, "peak memory ");
		weir_text_bytes(out, telemetry->memory_used_max_bytes);
	} else {
		weir_text_puts(out, "no memory in use");
	}
	if (telemetry->memory_total_bytes >= telemetry->memory_used_max_bytes) {
		weir_text_puts(out, " of ");
		weir_text_bytes(out, telemetry->memory_total_bytes);
	}
}

void weir_fill_telemetry(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;
	struct weir_text *out;

	if (!report->has_telemetry)
		return;
	if (!(telemetry->utilization <= telemetry->utilization_all))
		weir_items_share(items, "utilisation of busy samples", telemetry->utilization, "");
	weir_items_share(items, "engine active", telemetry->engine_active, "");
	weir_items_share(items, "SM active", telemetry->sm_active, "");
	weir_items_share(items, "tensor cores active", telemetry->tensor_active, "");
	weir_items_share(items, "DRAM active", telemetry->dram_active, "");
	weir_items_share(items, "memory active", telemetry->memory_activity_all, "");
	add_peak_power(telemetry, items);
	add_measured(items, "peak temperature ", telemetry->temperature_max_c, " °C");
	add_memory(telemetry, items);
	if (telemetry->has_transfers) {
		const struct weir_transfer_figures *transfers = &telemetry->transfers;

		add_traffic(items, "NVLink", transfers->link_sent_bytes_per_s,
		            transfers->link_received_bytes_per_s);
		add_traffic(items, "PCIe", transfers->to_host_bytes_per_s,
		            transfers->from_host_bytes_per_s);
	}
	if (telemetry->span_ns > 0) {
		out = weir_items_add(items);
		weir_text_puts(out, "over ");
		weir_text_duration(out, (double)telemetry->span_ns);
	}
	if (!telemetry->aligned && report->profile && report->profile->input_count > 1)
		weir_text_puts(weir_items_add(items), "includes samples from outside the run");
}

void weir_fill_notes(const struct weir_report *report, struct weir_items *items)
{
	size_t listed = report->note_count > LISTED_NOTES ? LISTED_NOTES - 1 : report->note_count;

	for (size_t i = 0; i < listed; i++)
		weir_escape_plain(weir_items_add(items), report->notes[i].text);
	if (listed < report->note_count)
		weir_text_printf(weir_items_add(items), "... %zu more in the JSON report",
		                 report->note_count - listed);
}
