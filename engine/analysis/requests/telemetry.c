/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/requests/telemetry.h"
#include "engine/base/names.h"
#include "engine/base/text.h"
#include "engine/stats/moments.h"

#define NS_PER_SECOND INT64_C(1000000000)
#define QUARTER_NS    (900 * NS_PER_SECOND)
#define DAY_NS        (86400 * NS_PER_SECOND)
/* In quarters of an hour: local time is ahead of UTC by up to 14 hours and behind by up to 12. */
#define EARLIEST INT64_C(-56)
#define LATEST   INT64_C(48)
/* For a monitor without dates: also from three days before to one day after. */
#define EARLIEST_UNDATED (EARLIEST - 288)
#define LATEST_UNDATED   (LATEST + 96)
#define STEPS            (LATEST_UNDATED - EARLIEST_UNDATED + 1)

#define CLEARLY_ABOVE 0.25 /* of the way from the lowest to the highest power */
/* Highest over lowest power of a device that was both idle and in use. */
#define STATES_APART 1.25

/* ---- the time zone of a monitor ---- */

/* The offsets that are tried, in quarters of an hour from `first` to `last`. */
struct steps {
	int64_t base_ns; /* added to every offset */
	int64_t first, last;
	size_t gained[STEPS +
	              1]; /* per step: samples that enter the window less samples that leave it */
};

static int64_t divide_up(int64_t value, int64_t by)
{
	return value / by + (value % by > 0);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* Counts the sample at all steps that put it inside the window. */
static void count_sample(struct steps *steps, int64_t at_ns, struct weir_telemetry_window window)
{
	int64_t first = divide_up(window.start_ns - at_ns, QUARTER_NS);
	int64_t behind = divide_up(window.end_ns - at_ns, QUARTER_NS);

	first = clamp(first, steps->first, steps->last + 1);
	behind = clamp(behind, steps->first, steps->last + 1);
	steps->gained[first - steps->first]++;
	steps->gained[behind - steps->first]--; /* wraps around, and the running sum wraps back */
}

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

/* Returns the step with most samples inside, of equally good ones the smallest; 0: no sample is
 * ever inside. */
static int64_t best_step(const struct steps *steps)
{
	size_t inside = 0, most = 0;
	int64_t best = 0;

	for (int64_t step = steps->first; step <= steps->last; step++) {
		inside += steps->gained[step - steps->first];
		if (inside > most || (inside == most && magnitude(step) < magnitude(best))) {
			best = inside ? step : 0;
			most = inside;
		}
	}
	return best;
}

int64_t weir_telemetry_shift(const struct weir_telemetry *telemetry,
                             struct weir_telemetry_window window)
{
	struct steps steps = {.first = EARLIEST, .last = LATEST};

	if (!telemetry->local_time || window.end_ns <= window.start_ns)
		return 0;
	if (telemetry->no_date) {
		steps.base_ns = window.start_ns / DAY_NS * DAY_NS;
		steps.first = EARLIEST_UNDATED;
		steps.last = LATEST_UNDATED;
	}
	for (size_t i = 0; i < telemetry->count; i++)
		if (telemetry->samples[i].at_ns != WEIR_NO_TIME)
			count_sample(&steps, telemetry->samples[i].at_ns + steps.base_ns, window);
	return steps.base_ns + best_step(&steps) * QUARTER_NS;
}

static bool is_inside(const struct weir_telemetry_sample *sample, int64_t shift_ns,
                      struct weir_telemetry_window window)
{
	return sample->at_ns != WEIR_NO_TIME && sample->at_ns + shift_ns >= window.start_ns &&
	       sample->at_ns + shift_ns < window.end_ns;
}

#define LISTED_NAMES 4 /* of devices */

/* ---- samples ---- */

/* The figures that whole devices of a monitor state, so that those of their parts do not count. */
struct stated {
	bool gauge[WEIR_GAUGE_COUNT], reasons;
};

/* A selected sample. */
struct counted {
	const struct weir_telemetry_sample *sample;
	const struct weir_telemetry *telemetry;
	const struct stated *repeats; /* figures that do not count; NULL: all count */
	bool in_use;
};

struct selection {
	struct counted *items;
	size_t count, capacity;
	double *values;        /* scratch, one per item */
	struct stated *stated; /* per input */
	int64_t span_ns;
	bool aligned;
};

/* Returns, per device, the power above which it is in use; NAN: power does not show it. */
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

static bool is_part(const struct weir_telemetry *telemetry,
                    const struct weir_telemetry_sample *sample)
{
	return telemetry->devices[sample->device].is_part;
}

static struct stated find_stated(const struct weir_telemetry *telemetry)
{
	struct stated stated = {.reasons = false};

	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];

		if (is_part(telemetry, sample))
			continue;
		stated.reasons |= sample->has_reasons;
		for (size_t gauge = 0; gauge < WEIR_GAUGE_COUNT; gauge++)
			stated.gauge[gauge] |= !isnan(sample->value[gauge]);
	}
	return stated;
}

/* True if a sample of a part has a figure that no whole device states. */
static bool adds_any(const struct weir_telemetry_sample *sample, const struct stated *stated)
{
	bool any = sample->has_reasons && !stated->reasons;

	for (size_t gauge = 0; gauge < WEIR_GAUGE_COUNT; gauge++)
		any |= !isnan(sample->value[gauge]) && !stated->gauge[gauge];
	return any;
}

static void add_item(struct selection *selection, const struct counted *item)
{
	selection->items = weir_grow(selection->items, &selection->capacity, selection->count + 1,
	                             sizeof(*selection->items));
	selection->items[selection->count++] = *item;
}

/* Selects the samples of one monitor that are inside the window, or all samples if there is no
 * window. */
static void select_samples(struct selection *selection, const struct weir_telemetry *telemetry,
                           const struct stated *stated, const struct weir_telemetry_window *window)
{
	int64_t shift_ns = window ? weir_telemetry_shift(telemetry, *window) : 0;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
	double *levels = find_levels(telemetry);

	for (size_t i = 0; i < telemetry->count; i++) {
		const struct weir_telemetry_sample *sample = &telemetry->samples[i];

		bool part = is_part(telemetry, sample);

		if ((window && !is_inside(sample, shift_ns, *window)) ||
		    (part && !adds_any(sample, stated)))
			continue;
		add_item(selection,
		         &(struct counted){.sample = sample,
		                           .telemetry = telemetry,
		                           .repeats = part ? stated : NULL,
		                           .in_use = is_in_use(sample, levels[sample->device])});
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
			select_samples(selection, profile->inputs[i].telemetry,
			               &selection->stated[i], window);
}

/* Copies the known values of a gauge into the scratch; returns their number. */
static size_t gather(const struct selection *selection, enum weir_gauge gauge, bool only_in_use)
{
	size_t count = 0;

	for (size_t i = 0; i < selection->count; i++) {
		const struct counted *item = &selection->items[i];
		double value = item->sample->value[gauge];

		if (!isnan(value) && (item->in_use || !only_in_use) &&
		    !(item->repeats && item->repeats->gauge[gauge]))
			selection->values[count++] = value;
	}
	return count;
}

static double mean_in_use(const struct selection *selection, enum weir_gauge gauge)
{
	return weir_mean(selection->values, gather(selection, gauge, true));
}

static double mean_of_all(const struct selection *selection, enum weir_gauge gauge)
{
	return weir_mean(selection->values, gather(selection, gauge, false));
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

/* Returns the value that all samples with the gauge have; NAN: they differ. */
static double common(const struct selection *selection, enum weir_gauge gauge)
{
	double least = lowest(selection, gauge);

	return least == highest(selection, gauge) ? least : NAN;
}

/* Returns the share of samples with any of the bits, among those in use that state reasons. */
static double share_of_reasons(const struct selection *selection, uint32_t bits)
{
	size_t count = 0, held = 0;

	for (size_t i = 0; i < selection->count; i++) {
		const struct counted *item = &selection->items[i];

		if (!item->in_use || !item->sample->has_reasons ||
		    (item->repeats && item->repeats->reasons))
			continue;
		count++;
		held += (item->sample->reasons & bits) != 0;
	}
	return count ? (double)held / (double)count : NAN;
}

/*
 * Returns the growth of a running total, over the time between consecutive samples of a device with
 * the later one in use. Ignores decreases of the total (a reloaded driver) and of the clock.
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
		if (isnan(sample->value[gauge]) || sample->at_ns == WEIR_NO_TIME ||
		    (item->repeats && item->repeats->gauge[gauge]))
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

/* Adds the id of the device; for a part, that of the GPU if it is known. */
static uint32_t add_id(struct weir_names *ids, const struct weir_telemetry_device *device)
{
	const char *slash = device->is_part ? strchr(device->id, '/') : NULL;

	return weir_names_add(ids, device->id,
	                      slash && slash > device->id ? (size_t)(slash - device->id)
	                                                  : strlen(device->id));
}

static bool any_whole_device(const struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++)
		if (!is_part(selection->items[i].telemetry, selection->items[i].sample))
			return true;
	return false;
}

void weir_join_device_names(const struct weir_names *names, size_t none, struct weir_text *out)
{
	size_t count = weir_names_count(names);

	for (size_t i = none; i < count && i < none + LISTED_NAMES; i++)
		weir_text_printf(out, "%s%s", i > none ? ", " : "",
		                 weir_names_text(names, (uint32_t)i));
	if (count > none + LISTED_NAMES)
		weir_text_puts(out, ", ...");
}

/* Returns the joined names of the devices; NULL: no device has a name. */
static const char *join_names(const struct weir_names *names, size_t none, struct weir_arena *arena)
{
	struct weir_text text = {0};
	const char *joined = NULL;

	weir_join_device_names(names, none, &text);
	if (text.length)
		joined = weir_arena_copy(arena, text.data, text.length);
	weir_text_release(&text);
	return joined;
}

/* Counts devices and joins their names. A device without a name in this file may have one in
 * another, under the same id. */
static void count_devices(const struct selection *selection, struct weir_arena *arena,
                          struct weir_telemetry_figures *out)
{
	struct weir_names *ids = weir_names_new(), *named = weir_names_new();
	struct weir_names *names = weir_names_new();
	size_t none = weir_names_count(ids);
	bool whole = any_whole_device(selection);

	for (size_t i = 0; i < selection->count; i++) {
		const struct weir_telemetry_device *device =
			&selection->items[i].telemetry->devices[selection->items[i].sample->device];

		if (whole && device->is_part)
			continue;
		add_id(ids, device);
		if (!device->name)
			continue;
		add_id(named, device);
		weir_names_add(names, device->name, strlen(device->name));
	}
	out->devices = weir_names_count(ids) - none;
	out->device_name = join_names(names, none, arena);
	out->mixed_devices = weir_names_count(names) > none + 1 ||
	                     (out->device_name && weir_names_count(named) < weir_names_count(ids));
	weir_names_free(ids);
	weir_names_free(named);
	weir_names_free(names);
}

/* Sums of one device over its samples. */
struct device_sums {
	double utilization, power_w;
	size_t utilization_count, power_count;
};

static double mean_of_sum(double sum, size_t count)
{
	return count ? sum / (double)count : NAN;
}

static void add_sums(struct device_sums *sums, const struct weir_telemetry_sample *sample)
{
	double utilization = sample->value[WEIR_GAUGE_UTILIZATION];
	double power_w = sample->value[WEIR_GAUGE_POWER_W];

	if (!isnan(utilization)) {
		sums->utilization += utilization;
		sums->utilization_count++;
	}
	if (!isnan(power_w)) {
		sums->power_w += power_w;
		sums->power_count++;
	}
}

/* Returns the mean utilisation of a device or, if `by_power`, its mean power. */
static double use_by(const struct device_sums *sums, bool by_power)
{
	return by_power ? mean_of_sum(sums->power_w, sums->power_count)
	                : mean_of_sum(sums->utilization, sums->utilization_count);
}

/* Finds the busiest and the idlest device by the mean utilisation or, if `by_power`, by the mean
 * power. Returns the number of devices that state it. */
static size_t find_extremes(const struct device_sums *sums, size_t count, bool by_power,
                            size_t *busiest, size_t *idlest)
{
	double most = -INFINITY, least = INFINITY;
	size_t stated = 0;

	for (size_t i = 0; i < count; i++) {
		double mean = use_by(&sums[i], by_power);

		if (isnan(mean))
			continue;
		stated++;
		if (mean > most) {
			most = mean;
			*busiest = i;
		}
		if (mean < least) {
			least = mean;
			*idlest = i;
		}
	}
	return stated;
}

/* Returns the number of devices with the same use as this one. */
static size_t count_alike(const struct device_sums *sums, size_t count, bool by_power,
                          size_t device)
{
	size_t alike = 0;

	for (size_t i = 0; i < count; i++)
		alike += use_by(&sums[i], by_power) == use_by(&sums[device], by_power);
	return alike;
}

static struct weir_device_use use_of(const struct weir_names *ids, const struct device_sums *sums,
                                     size_t device, struct weir_arena *arena)
{
	const char *id = weir_names_text(ids, (uint32_t)device);

	return (struct weir_device_use){
		.id = weir_arena_copy(arena, id, strlen(id)),
		.utilization =
			mean_of_sum(sums[device].utilization, sums[device].utilization_count),
		.power_w = mean_of_sum(sums[device].power_w, sums[device].power_count),
	};
}

/* Finds the busiest and the idlest of several devices. */
static void compare_devices(const struct selection *selection, struct weir_arena *arena,
                            struct weir_telemetry_figures *out)
{
	struct weir_names *ids = weir_names_new();
	struct device_sums *sums = NULL;
	size_t capacity = 0, count = 0, busiest = 0, idlest = 0;
	bool whole = any_whole_device(selection), by_power;

	out->busiest = out->idlest = (struct weir_device_use){NULL, 0, NAN, NAN};
	for (size_t i = 0; i < selection->count; i++) {
		const struct counted *item = &selection->items[i];
		uint32_t id;

		if (whole && is_part(item->telemetry, item->sample))
			continue;
		id = add_id(ids, &item->telemetry->devices[item->sample->device]);
		sums = weir_grow(sums, &capacity, weir_names_count(ids), sizeof(*sums));
		while (count < weir_names_count(ids))
			sums[count++] = (struct device_sums){0};
		add_sums(&sums[id], item->sample);
	}
	by_power = find_extremes(sums, count, false, &busiest, &idlest) < 2;
	if (sums && (!by_power || find_extremes(sums, count, true, &busiest, &idlest) > 1)) {
		out->busiest = use_of(ids, sums, busiest, arena);
		out->idlest = use_of(ids, sums, idlest, arena);
		out->busiest.alike = count_alike(sums, count, by_power, busiest);
		out->idlest.alike = count_alike(sums, count, by_power, idlest);
	}
	free(sums);
	weir_names_free(ids);
}

/* Copies also run while no kernel does, so that the traffic of all samples counts. */
static void fill_transfers(const struct selection *selection, struct weir_telemetry_figures *out)
{
	struct weir_transfer_figures *transfers = &out->transfers;

	transfers->to_host_bytes_per_s = mean_of_all(selection, WEIR_GAUGE_TO_HOST_BYTES_PER_S);
	transfers->from_host_bytes_per_s = mean_of_all(selection, WEIR_GAUGE_FROM_HOST_BYTES_PER_S);
	transfers->link_sent_bytes_per_s = mean_of_all(selection, WEIR_GAUGE_LINK_SENT_BYTES_PER_S);
	transfers->link_received_bytes_per_s =
		mean_of_all(selection, WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S);
	out->has_transfers = !isnan(transfers->to_host_bytes_per_s) ||
	                     !isnan(transfers->from_host_bytes_per_s) ||
	                     !isnan(transfers->link_sent_bytes_per_s) ||
	                     !isnan(transfers->link_received_bytes_per_s);
}

static void fill(const struct selection *selection, struct weir_telemetry_figures *out)
{
	out->samples = selection->count;
	out->span_ns = selection->span_ns;
	out->aligned = selection->aligned;
	out->utilization = mean_in_use(selection, WEIR_GAUGE_UTILIZATION);
	out->utilization_all = mean_of_all(selection, WEIR_GAUGE_UTILIZATION);
	out->power_w = mean_in_use(selection, WEIR_GAUGE_POWER_W);
	out->power_max_w = highest(selection, WEIR_GAUGE_POWER_W);
	out->power_limit_w = lowest(selection, WEIR_GAUGE_POWER_LIMIT_W);
	out->board_power_w = mean_in_use(selection, WEIR_GAUGE_BOARD_POWER_W);
	out->board_power_max_w = highest(selection, WEIR_GAUGE_BOARD_POWER_W);
	out->sm_clock_mhz = mean_in_use(selection, WEIR_GAUGE_SM_CLOCK_MHZ);
	out->sm_clock_max_mhz = highest(selection, WEIR_GAUGE_SM_CLOCK_MAX_MHZ);
	out->temperature_max_c = highest(selection, WEIR_GAUGE_TEMPERATURE_C);
	out->memory_used_max_bytes = highest(selection, WEIR_GAUGE_MEMORY_USED_BYTES);
	out->memory_total_bytes = common(selection, WEIR_GAUGE_MEMORY_TOTAL_BYTES);
	out->power_all_w = mean_of_all(selection, WEIR_GAUGE_POWER_W);
	out->sm_clock_all_mhz = mean_of_all(selection, WEIR_GAUGE_SM_CLOCK_MHZ);
	out->memory_clock_all_mhz = mean_of_all(selection, WEIR_GAUGE_MEMORY_CLOCK_MHZ);
	out->memory_activity_all = mean_of_all(selection, WEIR_GAUGE_MEMORY_ACTIVITY);
	out->power_capped = share_held(selection, WEIR_CLOCKS_POWER, WEIR_GAUGE_POWER_CAPPED_NS);
	out->thermal_capped = share_held(selection, WEIR_CLOCKS_HEAT, WEIR_GAUGE_THERMAL_NS);
	out->sm_active = mean_in_use(selection, WEIR_GAUGE_SM_ACTIVE);
	out->tensor_active = mean_in_use(selection, WEIR_GAUGE_TENSOR_ACTIVE);
	out->dram_active = mean_in_use(selection, WEIR_GAUGE_DRAM_ACTIVE);
	out->engine_active = mean_of_all(selection, WEIR_GAUGE_ENGINE_ACTIVE);
	fill_transfers(selection, out);
}

void weir_telemetry_figures(const struct weir_profile *profile, int64_t window_start_ns,
                            int64_t window_end_ns, struct weir_arena *arena,
                            struct weir_telemetry_figures *out)
{
	const struct weir_telemetry_window window = {window_start_ns, window_end_ns};
	struct selection selection = {0};

	*out = (struct weir_telemetry_figures){0};
	selection.stated = weir_alloc((profile->input_count + 1) * sizeof(*selection.stated));
	for (size_t i = 0; i < profile->input_count; i++)
		if (profile->inputs[i].telemetry)
			selection.stated[i] = find_stated(profile->inputs[i].telemetry);
	if (window_end_ns > window_start_ns)
		select_all(&selection, profile, &window);
	selection.aligned = selection.count > 0;
	if (!selection.aligned)
		select_all(&selection, profile, NULL);
	selection.values = weir_alloc((selection.count + 1) * sizeof(*selection.values));
	fill(&selection, out);
	count_devices(&selection, arena, out);
	compare_devices(&selection, arena, out);
	free(selection.stated);
	free(selection.values);
	free(selection.items);
}
