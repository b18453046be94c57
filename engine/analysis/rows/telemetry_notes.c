/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/rows/rows.h"
#include "engine/base/text.h"

#define APART_SHARE    0.01      /* difference in utilisation that is worth a note */
#define WORTH_A_REASON 0.01      /* share of the samples */
#define LISTED_DEVICES 8         /* whose memory a note states */
#define DISAGREES      (1.0 / 3) /* of the utilisation: how far the engine's activity is below it */
#define APART_ACTIVITY 0.1       /* the same in shares of the time */
#define UNLIKE_MEMORY  (1.0 / 3) /* difference in the shares of memory that is worth a note */
#define APART_POWER    0.05      /* difference in power, as a share of the higher */

/* Appends "utilisation 97 %, 416 W" with the figures that are known. */
static void put_use(const struct weir_device_use *use, struct weir_text *out)
{
	if (!isnan(use->utilization)) {
		weir_text_puts(out, "utilisation ");
		weir_text_share(out, use->utilization);
	}
	if (use->alike > 1 && !isnan(use->utilization))
		return; /* the power is of one of them */
	if (!isnan(use->utilization) && !isnan(use->power_w))
		weir_text_puts(out, ", ");
	if (!isnan(use->power_w))
		weir_text_printf(out, "%.3g W", use->power_w);
}

/* True if the mean over all devices hides a difference between them. */
static bool are_apart(const struct weir_device_use *busiest, const struct weir_device_use *idlest)
{
	if (!busiest->id || !idlest->id)
		return false;
	if (!isnan(busiest->utilization) && !isnan(idlest->utilization))
		return busiest->utilization - idlest->utilization >= APART_SHARE;
	return busiest->power_w - idlest->power_w >= APART_POWER * busiest->power_w;
}

/* Appends the device with its use, or the number of devices with the same use. */
static void put_device(const struct weir_device_use *use, const char *one, const char *several,
                       struct weir_text *out)
{
	if (use->alike > 1)
		weir_text_printf(out, "%zu devices%s", use->alike, several);
	else
		weir_text_printf(out, "device %s%s", use->id, one);
	put_use(use, out);
	weir_text_puts(out, ")");
}

static void note_devices(const struct weir_telemetry_figures *telemetry, struct weir_report *report)
{
	struct weir_text text = {0};

	if (!are_apart(&telemetry->busiest, &telemetry->idlest))
		return;
	weir_text_puts(&text, telemetry->samples <= telemetry->devices
	                              ? "in the sample of each: "
	                              : "means over all samples: ");
	put_device(&telemetry->busiest, " is the busiest (", " are the busiest (", &text);
	weir_text_puts(&text, ", ");
	put_device(&telemetry->idlest, " the idlest (", " the idlest (", &text);
	weir_report_note(report, "devices", "%s", text.data);
	weir_text_release(&text);
}

/* Notes a utilisation that the activity of the engine does not confirm. */
static void note_activity(const struct weir_telemetry_figures *telemetry,
                          struct weir_report *report)
{
	double apart = telemetry->utilization_all - telemetry->engine_active;
	struct weir_text use = {0}, active = {0};

	if (!(apart > DISAGREES * telemetry->utilization_all) || !(apart >= APART_ACTIVITY))
		return;
	weir_text_share(&use, telemetry->utilization_all);
	weir_text_share(&active, telemetry->engine_active);
	weir_report_note(report, "activity",
	                 "the utilisation of %s counts the time with any kernel; the engine was "
	                 "active %s of the time",
	                 use.data, active.data);
	weir_text_release(&use);
	weir_text_release(&active);
}

/* ---- samples as a whole ---- */

double weir_reason_share(const struct weir_profile *profile, uint32_t reason)
{
	uint64_t all = 0, found = 0, stated = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_telemetry *telemetry = profile->inputs[i].telemetry;

		for (size_t s = 0; telemetry && s < telemetry->count; s++) {
			stated += telemetry->samples[s].has_reasons;
			found += telemetry->samples[s].has_reasons &&
			         (telemetry->samples[s].reasons & reason);
		}
		all += telemetry ? telemetry->count : 0;
	}
	return stated ? (double)found / (double)all : NAN;
}

/* Notes the reasons for the clocks; those of power and heat are in the telemetry line. */
static void note_reasons(struct weir_report *report)
{
	static const struct {
		uint32_t bit;
		const char *words;
	} reasons[] = {
		{WEIR_CLOCKS_IDLE, "idle"},
		{WEIR_CLOCKS_APPLICATION, "set clocks of applications"},
		{WEIR_CLOCKS_HW_SLOWDOWN, "slowdown by hardware"},
		{WEIR_CLOCKS_SYNC_BOOST, "boost in step with other devices"},
		{WEIR_CLOCKS_DISPLAY, "set clocks of the display"},
	};
	struct weir_text list = {0};

	if (weir_reason_share(report->profile, WEIR_CLOCKS_IDLE) == 1) {
		weir_report_note(report, "clocks",
		                 "%s idle in all samples, as the reasons for the clocks say",
		                 report->telemetry.devices > 1 ? "the GPUs were" : "the GPU was");
		return;
	}
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		double share = weir_reason_share(report->profile, reasons[i].bit);

		if (!(share >= WORTH_A_REASON))
			continue;
		weir_text_printf(&list, "%s%s ", list.length ? ", " : "", reasons[i].words);
		weir_text_share(&list, share);
	}
	if (list.length)
		weir_report_note(report, "clocks", "reasons for the clocks, of all samples: %s",
		                 list.data);
	weir_text_release(&list);
}

/* Returns the mean of a gauge over all samples of monitors; NAN: not measured. */
static double mean_gauge(const struct weir_profile *profile, enum weir_gauge gauge)
{
	double sum = 0, count = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_telemetry *telemetry = profile->inputs[i].telemetry;

		for (size_t s = 0; telemetry && s < telemetry->count; s++) {
			double value = telemetry->samples[s].value[gauge];

			sum += isnan(value) ? 0 : value;
			count += !isnan(value);
		}
	}
	return count > 0 ? sum / count : NAN;
}

/* Returns the words before means: one sample of each device has no mean over time. */
static const char *words_of_means(const struct weir_telemetry_figures *telemetry)
{
	bool several = telemetry->devices > 1;

	if (telemetry->samples <= telemetry->devices)
		return several ? "means over the devices" : "at the sample";
	return several ? "means over all samples, of a device" : "means over all samples";
}

/* Notes the memory clock, and the power and clock of compute units if no sample is known to be in
 * use. */
static void note_means(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;
	double power_w = telemetry->power_all_w, sm_clock_mhz = telemetry->sm_clock_all_mhz;
	double used = mean_gauge(report->profile, WEIR_GAUGE_MEMORY_USED_SHARE);
	struct weir_text list = {0};

	if (isnan(telemetry->power_w) && !isnan(power_w))
		weir_text_printf(&list, "power %.3g W", power_w);
	if (isnan(telemetry->sm_clock_mhz) && !isnan(sm_clock_mhz))
		weir_text_printf(&list, "%sSM clock %.0f MHz", list.length ? ", " : "",
		                 sm_clock_mhz);
	if (!isnan(telemetry->memory_clock_all_mhz))
		weir_text_printf(&list, "%smemory clock %.0f MHz", list.length ? ", " : "",
		                 telemetry->memory_clock_all_mhz);
	if (isnan(telemetry->memory_used_max_bytes) && !isnan(used)) {
		weir_text_puts(&list, list.length ? ", memory used " : "memory used ");
		weir_text_share(&list, used);
	}
	if (list.length)
		weir_report_note(report, "means", "%s: %s", words_of_means(telemetry), list.data);
	weir_text_release(&list);
}

/* Returns the most memory that a device had in use, and in *total_bytes what it has; NAN: not
 * stated. */
static double peak_memory(const struct weir_telemetry *telemetry, uint32_t device,
                          double *total_bytes)
{
	double peak = NAN;

	*total_bytes = NAN;
	for (size_t s = 0; s < telemetry->count; s++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[s];

		if (sample->device != device)
			continue;
		peak = fmax(peak, sample->value[WEIR_GAUGE_MEMORY_USED_BYTES]);
		*total_bytes = fmax(*total_bytes, sample->value[WEIR_GAUGE_MEMORY_TOTAL_BYTES]);
	}
	return peak;
}

/* Notes the least and the largest share of memory that a device had in use. */
static void note_range(double least, double most, struct weir_report *report)
{
	struct weir_text low = {0}, high = {0};

	weir_text_share(&low, least);
	weir_text_share(&high, most);
	weir_report_note(report, "memory", "peak memory by device: %s to %s of each", low.data,
	                 high.data);
	weir_text_release(&low);
	weir_text_release(&high);
}

/* Notes the memory of each device of the only monitor if they have different sizes, or its range
 * if they use very different shares. */
static void note_memory(struct weir_report *report)
{
	const struct weir_telemetry *telemetry =
		report->profile->input_count == 1 ? report->profile->inputs[0].telemetry : NULL;
	double first = NAN, least = NAN, most = NAN, total;
	struct weir_text list = {0};
	bool differ = false;
	size_t listed = 0;

	for (uint32_t d = 0; telemetry && d < telemetry->device_count; d++) {
		double peak = peak_memory(telemetry, d, &total);

		if (telemetry->devices[d].is_part || isnan(peak) || !(total > 0))
			continue;
		differ |= !isnan(first) && total != first;
		least = fmin(least, peak / total);
		most = fmax(most, peak / total);
		first = total;
		if (listed++ == LISTED_DEVICES)
			weir_text_puts(&list, ", ...");
		if (listed > LISTED_DEVICES)
			continue;
		weir_text_printf(&list, "%sdevice %s ", listed > 1 ? ", " : "",
		                 telemetry->devices[d].id);
		weir_text_bytes(&list, peak);
		weir_text_puts(&list, " of ");
		weir_text_bytes(&list, total);
		weir_text_puts(&list, " (");
		weir_text_share(&list, peak / total);
		weir_text_puts(&list, ")");
	}
	if (differ)
		weir_report_note(report, "memory", "peak memory by device: %s", list.data);
	else if (most - least > UNLIKE_MEMORY)
		note_range(least, most, report);
	weir_text_release(&list);
}

/* Returns the number of rails that the power of the board is the sum of; 0: it is measured. */
static uint32_t board_rails(const struct weir_report *report)
{
	uint32_t most = 0;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_telemetry *telemetry = report->profile->inputs[i].telemetry;

		if (telemetry && telemetry->board_rails > most)
			most = telemetry->board_rails;
	}
	return most;
}

/* Notes the power of a board: while its device is in use, or over all samples if no sample is known
 * to be in use. */
static void note_board(const struct weir_telemetry_figures *telemetry, struct weir_report *report)
{
	double in_use_w = telemetry->board_power_w;
	double power_w =
		isnan(in_use_w) ? mean_gauge(report->profile, WEIR_GAUGE_BOARD_POWER_W) : in_use_w;
	uint32_t rails = board_rails(report);
	struct weir_text sum = {0};

	if (isnan(telemetry->board_power_max_w) || isnan(power_w))
		return;
	if (rails > 1)
		weir_text_printf(&sum, "the %u rails of the module together, host and device, take",
		                 rails);
	else
		weir_text_puts(&sum, "the whole board, host and device, takes");
	weir_report_note(
		report, "board_power", "%s %.3g W%s, %.3g W at most%s%s", sum.data, power_w,
		!isnan(in_use_w) && telemetry->utilization > telemetry->utilization_all
			? " while the device is in use"
			: "",
		telemetry->board_power_max_w,
		rails > 1 ? "; the monitor states no power at the input of the board" : "",
		isnan(telemetry->power_max_w) ? "; the monitor states no power of the device alone"
					      : "");
	weir_text_release(&sum);
}

/* Names the rail at which the power of the device is measured. */
static void note_rail(struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_telemetry *telemetry = report->profile->inputs[i].telemetry;

		if (!telemetry || !telemetry->power_rail)
			continue;
		weir_report_note(report, "power_rail",
		                 "the power of the device is measured at its rail %s",
		                 telemetry->power_rail);
		return;
	}
}

/* Notes that the power of a card is stated at its first die. */
static void note_dies(struct weir_report *report)
{
	bool any = false;

	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_telemetry *telemetry = report->profile->inputs[i].telemetry;

		any |= telemetry && telemetry->power_of_cards;
	}
	if (any)
		weir_report_note(
			report, "dies",
			"second dies of a card state no power: that of the first die is of "
			"the whole card");
}

/* Notes the parts (MIG) of divided devices, and devices of the host that the file does not list. */
static void note_parts(struct weir_report *report)
{
	for (size_t i = 0; i < report->profile->input_count; i++) {
		const struct weir_telemetry *telemetry = report->profile->inputs[i].telemetry;
		struct weir_text memory = {0};

		if (!telemetry)
			continue;
		if (telemetry->part_count) {
			weir_text_bytes(&memory, telemetry->part_least_bytes);
			if (telemetry->part_most_bytes > telemetry->part_least_bytes) {
				weir_text_puts(&memory, " to ");
				weir_text_bytes(&memory, telemetry->part_most_bytes);
			}
			weir_report_note(report, "parts",
			                 "MIG divides the GPU: %u instance%s of %s",
			                 (unsigned)telemetry->part_count,
			                 telemetry->part_count > 1 ? "s" : "", memory.data);
		} else if (telemetry->divided) {
			weir_report_note(report, "parts", "MIG divides the GPU");
		}
		if (telemetry->attached > telemetry->device_count)
			weir_report_note(report, "attached",
			                 "the file describes %zu of the %u GPUs of the host",
			                 telemetry->device_count, (unsigned)telemetry->attached);
		weir_text_release(&memory);
	}
}

void weir_note_telemetry(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;

	if (!report->has_telemetry)
		return;
	note_devices(telemetry, report);
	note_activity(telemetry, report);
	note_board(telemetry, report);
	note_rail(report);
	note_dies(report);
	note_parts(report);
	note_reasons(report);
	note_means(report);
	note_memory(report);
}
