/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes monitors and profiles of the host into a run (weir.run/1), which has no samples of
 * devices and no stacks: as figures, means and peaks of devices and shares of functions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/requests/telemetry.h"
#include "engine/analysis/rows/host_functions.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/base/names.h"
#include "engine/base/text.h"

#define MAX_DEVICES    64   /* that have figures beside those over all */
#define MAX_FUNCTIONS  10   /* largest functions of a host profile */
#define LARGE_FUNCTION 0.05 /* share of a function that is likely among the largest again */

/* ---- monitors ---- */

/* A figure of a gauge over all samples. */
static const struct {
	const char *name, *unit;
	enum weir_gauge gauge;
	bool peak, higher_is_better;
} figures[] = {
	{"utilization_mean", "ratio", WEIR_GAUGE_UTILIZATION, false, true},
	{"memory_activity_mean", "ratio", WEIR_GAUGE_MEMORY_ACTIVITY, false, true},
	{"sm_active_mean", "ratio", WEIR_GAUGE_SM_ACTIVE, false, true},
	{"tensor_active_mean", "ratio", WEIR_GAUGE_TENSOR_ACTIVE, false, true},
	{"dram_active_mean", "ratio", WEIR_GAUGE_DRAM_ACTIVE, false, true},
	{"engine_active_mean", "ratio", WEIR_GAUGE_ENGINE_ACTIVE, false, true},
	{"power_mean_w", "W", WEIR_GAUGE_POWER_W, false, false},
	{"power_max_w", "W", WEIR_GAUGE_POWER_W, true, false},
	{"board_power_mean_w", "W", WEIR_GAUGE_BOARD_POWER_W, false, false},
	{"board_power_max_w", "W", WEIR_GAUGE_BOARD_POWER_W, true, false},
	{"memory_used_max_bytes", "B", WEIR_GAUGE_MEMORY_USED_BYTES, true, false},
	{"memory_used_max", "ratio", WEIR_GAUGE_MEMORY_USED_SHARE, true, false},
	{"temperature_max_c", "C", WEIR_GAUGE_TEMPERATURE_C, true, false},
	{"memory_temperature_max_c", "C", WEIR_GAUGE_MEMORY_TEMPERATURE_C, true, false},
	{"sm_clock_mean_mhz", "MHz", WEIR_GAUGE_SM_CLOCK_MHZ, false, true},
	{"memory_clock_mean_mhz", "MHz", WEIR_GAUGE_MEMORY_CLOCK_MHZ, false, true},
	{"to_host_mean_bytes_per_s", "B/s", WEIR_GAUGE_TO_HOST_BYTES_PER_S, false, false},
	{"from_host_mean_bytes_per_s", "B/s", WEIR_GAUGE_FROM_HOST_BYTES_PER_S, false, false},
	{"link_sent_mean_bytes_per_s", "B/s", WEIR_GAUGE_LINK_SENT_BYTES_PER_S, false, false},
	{"link_received_mean_bytes_per_s", "B/s", WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S, false,
         false},
};

/* The sums and peaks of gauges over samples. */
struct sums {
	double sum[WEIR_GAUGE_COUNT], peak[WEIR_GAUGE_COUNT];
	size_t count[WEIR_GAUGE_COUNT];
};

static void add_sample(struct sums *sums, const struct weir_telemetry_sample *sample)
{
	for (size_t gauge = 0; gauge < WEIR_GAUGE_COUNT; gauge++) {
		double value = sample->value[gauge];

		if (isnan(value))
			continue;
		sums->sum[gauge] += value;
		sums->peak[gauge] = sums->count[gauge] ? fmax(sums->peak[gauge], value) : value;
		sums->count[gauge]++;
	}
}

/* Adds the figures that the samples state, with a text in front of their names. */
static void add_figures(struct weir_run *run, const char *before, const struct sums *sums)
{
	struct weir_text name = {0};

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		enum weir_gauge gauge = figures[i].gauge;
		double count = (double)sums->count[gauge];

		if (!sums->count[gauge])
			continue;
		weir_text_clear(&name);
		weir_text_printf(&name, "%s%s", before, figures[i].name);
		weir_run_add_metric(run, name.data,
		                    figures[i].peak ? sums->peak[gauge] : sums->sum[gauge] / count,
		                    figures[i].unit, figures[i].higher_is_better);
	}
	weir_text_release(&name);
}

/* Returns true if a sample counts: those of parts repeat the work of whole devices. */
static bool counts(const struct weir_telemetry *telemetry, size_t sample, bool whole)
{
	return !whole || !telemetry->devices[telemetry->samples[sample].device].is_part;
}

static bool any_whole(const struct weir_profile *profile)
{
	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_telemetry *telemetry = profile->inputs[i].telemetry;

		for (size_t d = 0; telemetry && d < telemetry->device_count; d++)
			if (!telemetry->devices[d].is_part)
				return true;
	}
	return false;
}

/* The devices of a profile by their ids, which are the same in all of its files. */
struct devices {
	struct weir_names *ids;
	size_t none; /* first name that is an id */
	struct sums *items;
	size_t capacity;
	struct sums all;
};

static void gather(struct devices *devices, const struct weir_telemetry *telemetry, bool whole)
{
	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];
		const char *id = telemetry->devices[sample->device].id;
		size_t before = weir_names_count(devices->ids), row;

		if (!counts(telemetry, i, whole))
			continue;
		row = weir_names_add(devices->ids, id, strlen(id));
		devices->items = weir_grow(devices->items, &devices->capacity, row + 1,
		                           sizeof *devices->items);
		if (row == before)
			devices->items[row] = (struct sums){0};
		add_sample(&devices->items[row], sample);
		add_sample(&devices->all, sample);
	}
}

/* Adds the figures of each device. Numbers of devices are the same in all runs; other ids, such as
 * UUIDs, differ from host to host, so that the position of the device replaces them. */
static void add_devices(struct weir_run *run, const struct devices *devices)
{
	size_t count = weir_names_count(devices->ids) - devices->none;
	struct weir_text before = {0};
	bool numbers = true;

	for (size_t i = 0; i < count; i++) {
		const char *id = weir_names_text(devices->ids, (uint32_t)(devices->none + i));

		numbers &= strspn(id, "0123456789") == strlen(id);
	}
	for (size_t i = 0; count > 1 && i < count && i < MAX_DEVICES; i++) {
		weir_text_clear(&before);
		if (numbers)
			weir_text_printf(
				&before, "device@%s/",
				weir_names_text(devices->ids, (uint32_t)(devices->none + i)));
		else
			weir_text_printf(&before, "device@%zu/", i);
		add_figures(run, before.data, &devices->items[devices->none + i]);
	}
	weir_text_release(&before);
}

static void add_monitors(struct weir_run *run, const struct weir_profile *profile)
{
	struct devices devices = {.ids = weir_names_new()};
	bool whole = any_whole(profile);

	devices.none = weir_names_count(devices.ids);
	for (size_t i = 0; i < profile->input_count; i++)
		if (profile->inputs[i].telemetry)
			gather(&devices, profile->inputs[i].telemetry, whole);
	add_figures(run, "", &devices.all);
	add_devices(run, &devices);
	free(devices.items);
	weir_names_free(devices.ids);
}

/* ---- profiles of the host ---- */

void weir_run_add_host_total(struct weir_run *run, enum weir_host_unit unit, double total)
{
	static const struct {
		const char *name, *unit;
	} totals[] = {
		[WEIR_HOST_NS] = {"host_total_ns", "ns"},
		[WEIR_HOST_SAMPLES] = {"host_total_samples", "samples"},
		[WEIR_HOST_EVENTS] = {"host_total_events", "events"},
		[WEIR_HOST_WEIGHT] = {"host_total_weight", NULL},
	};

	weir_run_add_metric(run, totals[unit].name, total, totals[unit].unit, false);
}

void weir_run_add_host_share(struct weir_run *run, size_t place, const char *function,
                             const char *file, double share)
{
	struct weir_text name = {0};

	if (place >= MAX_FUNCTIONS || !(share >= LARGE_FUNCTION))
		return;
	weir_text_puts(&name, function ? function : "[unknown]");
	if (file)
		weir_text_printf(&name, " (%s)", file);
	weir_text_puts(&name, "/self_share");
	weir_run_add_metric(run, name.data, share, "ratio", false);
	weir_text_release(&name);
}

static void add_host_profiles(struct weir_run *run, const struct weir_profile *profile)
{
	struct weir_report *report = weir_report_new(profile);
	const struct weir_host_figures *host;

	weir_fill_host_functions(profile, report);
	host = report->host;
	if (host)
		weir_run_add_host_total(run, host->unit, host->total);
	for (size_t i = 0; host && i < host->function_count; i++)
		weir_run_add_host_share(run, i, host->functions[i].function,
		                        host->functions[i].file, host->functions[i].self);
	weir_report_free(report);
}

void weir_run_add_monitors(const struct weir_profile *profile, struct weir_run *run)
{
	add_monitors(run, profile);
	add_host_profiles(run, profile);
}
