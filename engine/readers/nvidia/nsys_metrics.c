/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads metrics that Nsight Systems samples on whole devices (--gpu-metrics-devices), one row for
 * each metric and time. Percentages of a peak, and the clock frequency, become monitor samples on
 * the trace's clock. Metrics per cycle are left out, because the export does not state their scale.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/monitor/monitor.h"
#include "engine/readers/nvidia/nsys.h"

#define MAX_METRICS 65536 /* of all devices together */
#define DEVICES     256   /* the lowest byte of a type is the device */
#define LEAST_HZ    1e5   /* clock values from here on are hertz, although the name says MHz */

/* Beginning and end of each metric's name; the middle differs by GPU model and format. Metrics of
 * one gauge are added up. */
static const struct {
	const char *name, *unit;
	enum weir_gauge gauge;
} known[] = {
	{"GR Active", "[Throughput %]", WEIR_GAUGE_UTILIZATION},
	{"SMs Active", "[Throughput %]", WEIR_GAUGE_SM_ACTIVE},
	{"Compute Warps in Flight", "[Throughput %]", WEIR_GAUGE_SM_OCCUPANCY},
	{"Tensor Active", "[Throughput %]", WEIR_GAUGE_TENSOR_ACTIVE},
	{"DRAM Read Bandwidth", "[Throughput %]", WEIR_GAUGE_DRAM_ACTIVE},
	{"DRAM Write Bandwidth", "[Throughput %]", WEIR_GAUGE_DRAM_ACTIVE},
	{"GPC Clock Frequency", "[MHz]", WEIR_GAUGE_SM_CLOCK_MHZ},
};

struct metric {
	int64_t type, id;
	enum weir_gauge gauge; /* WEIR_GAUGE_COUNT: unknown metric */
};

/* The sample of a device whose rows are being read. */
struct open_sample {
	bool any;
	int64_t at_ns;
	struct weir_monitor_reading reading;
};

struct nsys_metrics {
	struct weir_monitor monitor;
	struct metric *items;
	size_t count, capacity;
	struct weir_rowmap by_id;
	struct open_sample samples[DEVICES];
	bool used_known, used[DEVICES]; /* devices with work in the trace; valid if used_known */
};

static const struct weir_monitor_field no_fields[] = {{0}};

static struct nsys_metrics *open_metrics(struct nsys_reader *reader)
{
	if (!reader->metrics) {
		reader->metrics = weir_alloc(sizeof(*reader->metrics));
		weir_monitor_open(&reader->metrics->monitor, reader->input, no_fields);
	}
	return reader->metrics;
}

static bool ends(struct weir_slice text, const char *ending)
{
	size_t length = strlen(ending);

	return text.length >= length && !memcmp(text.data + text.length - length, ending, length);
}

static enum weir_gauge gauge_of(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (weir_slice_starts(name, known[i].name) && ends(name, known[i].unit))
			return known[i].gauge;
	return WEIR_GAUGE_COUNT;
}

static uint32_t hash_of(int64_t type, int64_t id)
{
	return weir_rowmap_hash_pair((uint64_t)type, (uint64_t)id);
}

enum name_column {
	NAME_TYPE,
	NAME_ID,
	NAME_TEXT,
};

static const char *const name_columns[] = {"typeId", "metricId", "metricName", NULL};

static void take_name(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	struct metric metric = {.gauge = gauge_of(weir_sqlscan_text(row, NAME_TEXT))};
	struct nsys_metrics *metrics;

	if (metric.gauge == WEIR_GAUGE_COUNT || !weir_sqlscan_int(row, NAME_TYPE, &metric.type) ||
	    !weir_sqlscan_int(row, NAME_ID, &metric.id))
		return;
	metrics = open_metrics(reader);
	if (metrics->count == MAX_METRICS)
		return;
	metrics->items = weir_grow(metrics->items, &metrics->capacity, metrics->count + 1,
	                           sizeof(*metrics->items));
	weir_rowmap_add(&metrics->by_id, hash_of(metric.type, metric.id), (uint32_t)metrics->count);
	metrics->items[metrics->count++] = metric;
}

const struct nsys_table weir_nsys_metric_names = {"TARGET_INFO_GPU_METRICS", name_columns,
                                                  take_name, false};

static const struct metric *find_metric(const struct nsys_metrics *metrics, int64_t type,
                                        int64_t id)
{
	uint32_t at;
	size_t probe = 0;

	while ((at = weir_rowmap_next(&metrics->by_id, hash_of(type, id), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (metrics->items[at].type == type && metrics->items[at].id == id)
			return &metrics->items[at];
	return NULL;
}

static struct weir_slice device_name(const struct weir_trace *trace, int64_t id)
{
	for (size_t i = 0; i < trace->device_count; i++)
		if (trace->devices[i].id == id)
			return weir_slice_of(weir_names_text(trace->names, trace->devices[i].name));
	return (struct weir_slice){"", 0};
}

/* Gives the device's sample, if one is open, to the monitor. */
static void conclude(struct nsys_reader *reader, size_t device)
{
	struct open_sample *sample = &reader->metrics->samples[device];
	char id[24];

	if (!sample->any || reader->status)
		return;
	snprintf(id, sizeof(id), "%zu", device);
	sample->any = false;
	sample->reading.device = weir_slice_of(id);
	sample->reading.name = device_name(reader->input->trace, (int64_t)device);
	sample->reading.at_ns = reader->input->trace->base_ns + sample->at_ns;
	reader->status = weir_monitor_add(&reader->metrics->monitor, &sample->reading, UINT64_MAX,
	                                  reader->err);
}

enum value_column {
	VALUE_AT,
	VALUE_TYPE,
	VALUE_METRIC,
	VALUE,
};

static const char *const value_columns[] = {"timestamp", "typeId", "metricId", "value", NULL};

/* Returns true if the program used the device: the profiler samples all devices of the host. Work
 * is read before metrics; in a trace without work, every device counts as used. */
static bool is_used(struct nsys_metrics *metrics, const struct weir_trace *trace, size_t device)
{
	if (!metrics->used_known) {
		for (size_t i = 0; i < DEVICES; i++)
			metrics->used[i] = !trace->device.count;
		for (size_t i = 0; i < trace->device.count; i++) {
			int64_t id = trace->devices[trace->device.device[i]].id;

			if (id >= 0 && id < DEVICES)
				metrics->used[id] = true;
		}
		metrics->used_known = true;
	}
	return metrics->used[device];
}

static double convert(enum weir_gauge gauge, int64_t value)
{
	if (gauge != WEIR_GAUGE_SM_CLOCK_MHZ)
		return (double)value / 100;
	return (double)value >= LEAST_HZ ? (double)value / 1e6 : (double)value;
}

static void take_value(struct nsys_reader *reader, const struct weir_sqlscan *row)
{
	const struct metric *metric;
	struct open_sample *sample;
	int64_t at_ns, type, id, value;
	size_t device;
	double *gauge;

	if (!reader->metrics || !weir_sqlscan_int(row, VALUE_TYPE, &type) ||
	    !weir_sqlscan_int(row, VALUE_METRIC, &id) || !weir_sqlscan_int(row, VALUE, &value))
		return;
	metric = find_metric(reader->metrics, type, id);
	device = (size_t)(type & (DEVICES - 1));
	if (!metric || value < 0 || !is_used(reader->metrics, reader->input->trace, device))
		return;
	if (!weir_sqlscan_int(row, VALUE_AT, &at_ns) || at_ns <= -WEIR_MAX_TIME_NS ||
	    at_ns >= WEIR_MAX_TIME_NS) {
		weir_nsys_warn(reader, row, WEIR_WARN_NO_TIME, "time out of range");
		return;
	}
	sample = &reader->metrics->samples[device];
	if (sample->at_ns != at_ns)
		conclude(reader, device);
	if (!sample->any)
		*sample = (struct open_sample){true, at_ns, weir_monitor_unknown()};
	gauge = &sample->reading.value[metric->gauge];
	*gauge = (isnan(*gauge) ? 0 : *gauge) + convert(metric->gauge, value);
}

const struct nsys_table weir_nsys_metrics = {"GPU_METRICS", value_columns, take_value, true};

void weir_nsys_metrics_finish(struct nsys_reader *reader)
{
	if (!reader->metrics)
		return;
	for (size_t device = 0; device < DEVICES; device++)
		conclude(reader, device);
	if (reader->input->telemetry->count)
		reader->input->gives = "timeline, telemetry";
}

void weir_nsys_metrics_release(struct nsys_reader *reader)
{
	uint64_t events = reader->input->events; /* closing a monitor sets them to its samples */

	if (!reader->metrics)
		return;
	weir_monitor_close(&reader->metrics->monitor);
	reader->input->events = events;
	weir_rowmap_release(&reader->metrics->by_id);
	free(reader->metrics->items);
	free(reader->metrics);
}
