/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From readings of device monitors to samples: which device, in which order, and how many. */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/monitor/monitor.h"

#define NS_PER_DAY (INT64_C(86400) * 1000000000)
#define LAST_NS    (NS_PER_DAY * 84006) /* 2200: no time of a monitor, and sums of times fit */

static bool is_empty(const struct weir_monitor_reading *reading)
{
	if (reading->has_reasons || !isnan(reading->held[0]) || !isnan(reading->held[1]))
		return false;
	for (size_t i = 0; i < WEIR_GAUGE_COUNT; i++)
		if (!isnan(reading->value[i]))
			return false;
	return true;
}

/* A monitor of one device need not name it. */
static struct weir_monitor_device *find_device(struct weir_monitor *monitor, struct weir_slice id)
{
	struct weir_telemetry *telemetry = monitor->telemetry;
	uint32_t name;

	if (!id.length)
		id = weir_slice_of("0");
	name = weir_names_find(monitor->ids, id.data, id.length);
	if (name != UINT32_MAX)
		return &monitor->devices[name];
	if (telemetry->device_count == WEIR_MAX_TELEMETRY_DEVICES)
		return NULL;
	name = weir_names_add(monitor->ids, id.data, id.length);
	monitor->devices = weir_grow(monitor->devices, &monitor->device_capacity, (size_t)name + 1,
	                             sizeof(*monitor->devices));
	monitor->devices[name] = (struct weir_monitor_device){
		.row = weir_telemetry_device(telemetry, id.data, id.length),
		.last_ns = WEIR_NO_TIME,
	};
	return &monitor->devices[name];
}

/* A clock without a date passes midnight: of the days it may be, that nearest to the last row. */
static int64_t nearest_day(int64_t of_day, int64_t last)
{
	int64_t now = of_day + last / NS_PER_DAY * NS_PER_DAY;

	if (now < last - NS_PER_DAY / 2)
		return now + NS_PER_DAY;
	return now > last + NS_PER_DAY / 2 && now >= NS_PER_DAY ? now - NS_PER_DAY : now;
}

static int64_t place_in_time(struct weir_monitor *monitor, struct weir_monitor_device *device,
                             const struct weir_monitor_reading *reading, uint64_t at)
{
	int64_t now = reading->at_ns;

	if (now == WEIR_NO_TIME)
		return now;
	if (monitor->telemetry->no_date && device->last_ns != WEIR_NO_TIME)
		now = nearest_day(now, device->last_ns);
	if (device->last_ns != WEIR_NO_TIME && now < device->last_ns)
		weir_input_warn(monitor->input, WEIR_WARN_CLOCK_BACKWARDS, at, NULL);
	device->last_ns = now < LAST_NS ? now : LAST_NS;
	return now;
}

/* Keeps every second sample of each device. */
static void thin(struct weir_monitor *monitor, uint64_t at)
{
	struct weir_telemetry *telemetry = monitor->telemetry;
	uint8_t *odd = weir_alloc(telemetry->device_count);
	size_t kept = 0;

	for (size_t i = 0; i < telemetry->count; i++) {
		uint32_t device = telemetry->samples[i].device;

		if (!odd[device])
			telemetry->samples[kept++] = telemetry->samples[i];
		odd[device] ^= 1;
	}
	free(odd);
	telemetry->count = kept;
	monitor->stride *= 2;
	weir_input_warn(monitor->input, WEIR_WARN_THINNED, at, NULL);
}

/* Adds a share to what is owed, and pays a whole bit where it is due. */
static uint32_t owe(double *owed, double share, uint32_t bit)
{
	*owed += share;
	if (*owed < 0.5)
		return 0;
	*owed -= 1;
	return bit;
}

static void fill_sample(struct weir_telemetry_sample *sample, struct weir_monitor_device *device,
                        const struct weir_monitor_reading *reading)
{
	static const uint32_t bits[] = {WEIR_CLOCKS_POWER_CAP, WEIR_CLOCKS_SW_THERMAL};

	sample->device = device->row;
	sample->has_reasons = reading->has_reasons;
	sample->reasons = reading->reasons;
	for (size_t i = 0; i < 2; i++) {
		if (isnan(reading->held[i]))
			continue;
		sample->has_reasons = true;
		sample->reasons |= owe(&device->held[i], reading->held[i], bits[i]);
	}
	for (size_t i = 0; i < WEIR_GAUGE_COUNT; i++)
		sample->value[i] = reading->value[i];
}

enum weir_status weir_monitor_add(struct weir_monitor *monitor,
                                  const struct weir_monitor_reading *reading, uint64_t at,
                                  struct weir_error *err)
{
	struct weir_monitor_device *device;
	struct weir_telemetry_sample *sample;
	int64_t now;

	if (reading->bad_time || reading->at_ns > LAST_NS) {
		weir_input_warn(monitor->input, WEIR_WARN_NO_TIME, at, NULL);
		return WEIR_OK;
	}
	if (is_empty(reading))
		return WEIR_OK;
	device = find_device(monitor, reading->device);
	if (!device)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d devices",
		                 WEIR_MAX_TELEMETRY_DEVICES);
	weir_telemetry_name_device(monitor->telemetry, device->row, reading->name.data,
	                           reading->name.length);
	now = place_in_time(monitor, device, reading, at);
	if (now > LAST_NS) {
		weir_input_warn(monitor->input, WEIR_WARN_NO_TIME, at, NULL);
		return WEIR_OK;
	}
	if (monitor->telemetry->count == WEIR_MONITOR_MAX_SAMPLES)
		thin(monitor, at);
	if (device->rows++ % monitor->stride)
		return WEIR_OK;
	sample = weir_telemetry_add(monitor->telemetry);
	sample->at_ns = now;
	fill_sample(sample, device, reading);
	return WEIR_OK;
}
