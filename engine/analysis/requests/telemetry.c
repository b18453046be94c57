/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/requests/telemetry.h"
#include "engine/analysis/requests/telemetry_window.h"
#include "engine/base/names.h"
#include "engine/stats/moments.h"

#define CLEARLY_ABOVE 0.25 /* of the way from the least to the most power */
#define STATES_APART  1.25 /* most over least power of a device that was both idle and in use */

/* A sample that counts. */
struct counted {
	const struct weir_telemetry_sample *sample;
	const struct weir_telemetry *telemetry;
	bool in_use;
};

struct selection {
	struct counted *items;
	size_t count, capacity;
	double *values; /* scratch, one an item */
	int64_t span_ns;
	bool aligned;
};

/* Power above which a device is in use; NAN: power does not tell. One a device. */
static double *find_levels(const struct weir_telemetry *telemetry)
{
	size_t count = telemetry->device_count;
	double *least = weir_alloc((count + 1) * sizeof(*least));
	double *most = weir_alloc((count + 1) * sizeof(*most));

	for (size_t i = 0; i < count; i++)
		least[i] = most[i] = NAN;
	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];
		double power = sample->value[WEIR_GAUGE_POWER_W];

		least[sample->device] = fmin(least[sample->device], power);
		most[sample->device] = fmax(most[sample->device], power);
	}
	for (size_t i = 0; i < count; i++)
		least[i] = most[i] >= STATES_APART * least[i]
		                   ? least[i] + CLEARLY_ABOVE * (most[i] - least[i])
		                   : NAN;
	free(most);
	return least;
}

static bool is_in_use(const struct weir_telemetry_sample *sample, double level)
{
	double power = sample->value[WEIR_GAUGE_POWER_W];
	bool telling = !isnan(level) && !isnan(power);

	if (!isnan(sample->value[WEIR_GAUGE_UTILIZATION]))
		return sample->value[WEIR_GAUGE_UTILIZATION] > 0;
	if (!isnan(sample->value[WEIR_GAUGE_SM_ACTIVE]))
		return sample->value[WEIR_GAUGE_SM_ACTIVE] > 0;
	if (sample->has_reasons && !(sample->reasons & WEIR_CLOCKS_IDLE))
		return true;
	return telling ? power > level : !sample->has_reasons;
}

/* The samples of one monitor that are inside the window, or all where there is no window. */
static void select_samples(struct selection *selection, const struct weir_telemetry *telemetry,
                           const struct weir_telemetry_window *window)
{
	int64_t shift_ns = window ? weir_telemetry_shift(telemetry, *window) : 0;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
	double *levels = find_levels(telemetry);

	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];

		if (window && !weir_telemetry_is_inside(sample, shift_ns, *window))
			continue;
		selection->items = weir_grow(selection->items, &selection->capacity,
		                             selection->count + 1, sizeof(*selection->items));
		selection->items[selection->count++] =
			(struct counted){.sample = sample,
		                         .telemetry = telemetry,
		                         .in_use = is_in_use(sample, levels[sample->device])};
		if (sample->at_ns == WEIR_NO_TIME)
			continue;
		first_ns = sample->at_ns < first_ns ? sample->at_ns : first_ns;
		last_ns = sample->at_ns > last_ns ? sample->at_ns : last_ns;
	}
	if (last_ns > first_ns && last_ns - first_ns > selection->span_ns)
		selection->span_ns = last_ns - first_ns;
	free(levels);
}

static void select_all(struct selection *selection, const struct weir_profile *profile,
                       const struct weir_telemetry_window *window)
{
	for (size_t i = 0; i < profile->input_count; i++)
		if (profile->inputs[i].telemetry)
			select_samples(selection, profile->inputs[i].telemetry, window);
}

/* The values of a gauge into the scratch; returns how many there are. */
static size_t gather(const struct selection *selection, enum weir_gauge gauge, bool only_in_use)
{
	size_t count = 0;

	for (size_t i = 0; i < selection->count; i++) {
		double value = selection->items[i].sample->value[gauge];

		if (!isnan(value) && (selection->items[i].in_use || !only_in_use))
			selection->values[count++] = value;
	}
	return count;
}

static double mean_in_use(const struct selection *selection, enum weir_gauge gauge)
{
	return weir_mean(selection->values, gather(selection, gauge, true));
}

static double highest(const struct selection *selection, enum weir_gauge gauge)
{
	size_t count = gather(selection, gauge, false);
	double most = NAN;

	for (size_t i = 0; i < count; i++)
		most = fmax(most, selection->values[i]);
	return most;
}

static double lowest(const struct selection *selection, enum weir_gauge gauge)
{
	size_t count = gather(selection, gauge, false);
	double least = NAN;

	for (size_t i = 0; i < count; i++)
		least = fmin(least, selection->values[i]);
	return least;
}

/* Of the samples in use that state reasons, those with any of the bits. */
static double share_of_reasons(const struct selection *selection, uint32_t bits)
{
	size_t count = 0, held = 0;

	for (size_t i = 0; i < selection->count; i++) {
		const struct counted *item = &selection->items[i];

		if (!item->in_use || !item->sample->has_reasons)
			continue;
		count++;
		held += (item->sample->reasons & bits) != 0;
	}
	return count ? (double)held / (double)count : NAN;
}

/*
 * Of the time between samples of a device, the later one in use, how much a running total grew.
 * Steps back of the total (the driver was loaded anew) or of the clock say nothing.
 */
static double share_of_totals(const struct selection *selection, enum weir_gauge gauge)
{
	const struct weir_telemetry_sample *before[WEIR_MAX_TELEMETRY_DEVICES] = {NULL};
	const struct weir_telemetry *monitor = NULL;
	double held_ns = 0, time_ns = 0;

	for (size_t i = 0; i < selection->count; i++) {
		const struct counted *item = &selection->items[i];
		const struct weir_telemetry_sample *last, *sample = item->sample;

		if (item->telemetry != monitor)
			memset(before, 0, sizeof(before));
		monitor = item->telemetry;
		if (isnan(sample->value[gauge]) || sample->at_ns == WEIR_NO_TIME)
			continue;
		last = before[sample->device];
		before[sample->device] = sample;
		if (!last || !item->in_use || sample->at_ns <= last->at_ns ||
		    sample->value[gauge] < last->value[gauge])
			continue;
		held_ns += sample->value[gauge] - last->value[gauge];
		time_ns += (double)(sample->at_ns - last->at_ns);
	}
	return time_ns > 0 ? fmin(held_ns / time_ns, 1) : NAN;
}

static double share_held(const struct selection *selection, uint32_t bits, enum weir_gauge total)
{
	double share = share_of_reasons(selection, bits);

	return isnan(share) ? share_of_totals(selection, total) : share;
}

static void count_devices(const struct selection *selection, struct weir_arena *arena,
                          struct weir_telemetry_figures *out)
{
	struct weir_names *ids = weir_names_new();
	size_t before = weir_names_count(ids);

	for (size_t i = 0; i < selection->count; i++) {
		const struct counted *item = &selection->items[i];
		const struct weir_telemetry_device *device =
			&item->telemetry->devices[item->sample->device];

		weir_names_add(ids, device->id, strlen(device->id));
		if (!out->device_name && device->name)
			out->device_name =
				weir_arena_copy(arena, device->name, strlen(device->name));
	}
	out->devices = weir_names_count(ids) - before;
	weir_names_free(ids);
}

static void fill(const struct selection *selection, struct weir_telemetry_figures *out)
{
	out->samples = selection->count;
	out->span_ns = selection->span_ns;
	out->aligned = selection->aligned;
	out->utilization = mean_in_use(selection, WEIR_GAUGE_UTILIZATION);
	out->utilization_all =
		weir_mean(selection->values, gather(selection, WEIR_GAUGE_UTILIZATION, false));
	out->power_w = mean_in_use(selection, WEIR_GAUGE_POWER_W);
	out->power_max_w = highest(selection, WEIR_GAUGE_POWER_W);
	out->power_limit_w = lowest(selection, WEIR_GAUGE_POWER_LIMIT_W);
	out->sm_clock_mhz = mean_in_use(selection, WEIR_GAUGE_SM_CLOCK_MHZ);
	out->sm_clock_max_mhz = highest(selection, WEIR_GAUGE_SM_CLOCK_MAX_MHZ);
	if (isnan(out->sm_clock_max_mhz))
		out->sm_clock_max_mhz = highest(selection, WEIR_GAUGE_SM_CLOCK_MHZ);
	out->temperature_max_c = highest(selection, WEIR_GAUGE_TEMPERATURE_C);
	out->memory_used_max_bytes = highest(selection, WEIR_GAUGE_MEMORY_USED_BYTES);
	out->power_capped = share_held(selection, WEIR_CLOCKS_POWER, WEIR_GAUGE_POWER_CAPPED_NS);
	out->thermal_capped = share_held(selection, WEIR_CLOCKS_HEAT, WEIR_GAUGE_THERMAL_NS);
	out->sm_active = mean_in_use(selection, WEIR_GAUGE_SM_ACTIVE);
	out->tensor_active = mean_in_use(selection, WEIR_GAUGE_TENSOR_ACTIVE);
	out->dram_active = mean_in_use(selection, WEIR_GAUGE_DRAM_ACTIVE);
}

void weir_telemetry_figures(const struct weir_profile *profile, int64_t window_start_ns,
                            int64_t window_end_ns, struct weir_arena *arena,
                            struct weir_telemetry_figures *out)
{
	const struct weir_telemetry_window window = {window_start_ns, window_end_ns};
	struct selection selection = {0};

	*out = (struct weir_telemetry_figures){0};
	if (window_end_ns > window_start_ns)
		select_all(&selection, profile, &window);
	selection.aligned = selection.count > 0;
	if (!selection.aligned)
		select_all(&selection, profile, NULL);
	selection.values = weir_alloc((selection.count + 1) * sizeof(*selection.values));
	fill(&selection, out);
	count_devices(&selection, arena, out);
	free(selection.values);
	free(selection.items);
}
