/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads back what json_device.c writes. Documents from before these keys leave everything unknown.
 */
#include <math.h>
#include <string.h>

#include "engine/report/json/report_read_impl.h"

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static void read_name(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_idle_name *name = row;

	name->name = weir_result_take_text(reader, item, "name");
	name->in = weir_result_take_text(reader, item, "in");
	name->count = weir_result_take_count(reader, item, "count");
	name->share = weir_report_take_figure(reader, item, "share");
}

static void read_cause(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	static const struct weir_report_list list = {"names", WEIR_MAX_IDLE_NAMES,
	                                             sizeof(struct weir_idle_name), read_name};
	const char *name = weir_result_take_text(reader, item, "cause");
	struct weir_idle_cause *cause = NULL;
	const struct weir_idle_name *names;

	(void)row; /* causes have places of their own */
	for (int idle = 0; name && idle < WEIR_IDLE_COUNT; idle++)
		if (strcmp(name, weir_idle_name((enum weir_idle)idle)) == 0)
			cause = &reader->report->gpu.idle_cause[idle];
	if (!cause) {
		weir_result_fail(reader, WEIR_E_FORMAT, "cause", "a cause of idle time");
		return;
	}
	cause->total_ns = (int64_t)weir_result_take_count(reader, item, "total_ns");
	names = weir_report_take_list(reader, item, &list, &cause->name_count);
	if (reader->status || !names)
		cause->name_count = 0;
	else
		memcpy(cause->names, names, cause->name_count * sizeof(*names));
}

static void read_depth(struct weir_result_reader *reader, const cJSON *object, const char *key,
                       struct weir_depth *depth)
{
	const struct weir_report_figure figures[] = {{"mean", &depth->mean},
	                                             {"p50", &depth->p50},
	                                             {"p95", &depth->p95},
	                                             {"max", &depth->max}};

	weir_report_take_figures(reader, weir_result_take_object(reader, object, key), figures,
	                         COUNT_OF(figures));
}

static void read_queue(struct weir_result_reader *reader, const cJSON *gpu)
{
	const cJSON *object = weir_result_take_object(reader, gpu, "queue");
	struct weir_queue_figures *queue = &reader->report->gpu.queue;

	if (!object)
		return;
	read_depth(reader, object, "waiting", &queue->waiting);
	read_depth(reader, object, "in_flight", &queue->in_flight);
	queue->starved_share = weir_report_take_figure(reader, object, "starved_of_idle");
	queue->launches = weir_result_take_count(reader, object, "launches");
	queue->full_launches = weir_result_take_count(reader, object, "full_launches");
	weir_result_in(reader, "queue");
}

static void read_delay(struct weir_result_reader *reader, const cJSON *item, const char *key,
                       struct weir_delay_figures *delay)
{
	const struct weir_report_figure figures[] = {{"p50", &delay->p50_ns},
	                                             {"p90", &delay->p90_ns},
	                                             {"p99", &delay->p99_ns},
	                                             {"max", &delay->max_ns}};

	weir_report_take_figures(reader, weir_result_take_object(reader, item, key), figures,
	                         COUNT_OF(figures));
}

static void read_launch_row(struct weir_result_reader *reader, const cJSON *item, void *out)
{
	struct weir_launch_row *row = out;

	row->api = weir_result_take_text(reader, item, "api");
	row->work = weir_result_take_text(reader, item, "work");
	row->count = weir_result_take_count(reader, item, "count");
	row->early = weir_result_take_count(reader, item, "early");
	read_delay(reader, item, "call_ns", &row->call);
	read_delay(reader, item, "delay_ns", &row->delay);
	read_delay(reader, item, "queue_ns", &row->queue);
}

static void read_waits(struct weir_result_reader *reader, const cJSON *gpu)
{
	const cJSON *object = weir_result_take_object(reader, gpu, "host_waits");
	struct weir_host_waits *waits = &reader->report->gpu.waits;

	if (!object)
		return;
	waits->sync_share = weir_report_take_figure(reader, object, "sync_share");
	waits->launch_call_share = weir_report_take_figure(reader, object, "launch_call_share");
	waits->syncs = weir_result_take_count(reader, object, "syncs");
	waits->blocking_copies = weir_result_take_count(reader, object, "blocking_copies");
	waits->scalar_reads = weir_result_take_count(reader, object, "scalar_reads");
	weir_result_in(reader, "host_waits");
}

void weir_report_read_launching(struct weir_result_reader *reader, const cJSON *gpu)
{
	static const struct weir_report_list causes = {"idle_names", WEIR_IDLE_COUNT, 1,
	                                               read_cause};
	static const struct weir_report_list launches = {
		"launches", WEIR_MAX_LAUNCH_ROWS, sizeof(struct weir_launch_row), read_launch_row};
	struct weir_gpu_figures *figures = &reader->report->gpu;
	size_t count;

	if (!weir_result_take(reader, gpu, "idle_names"))
		return;
	weir_report_take_list(reader, gpu, &causes, &count);
	figures->inter_kernel_limit_ns =
		weir_report_take_figure(reader, gpu, "inter_kernel_limit_ns");
	read_queue(reader, gpu);
	figures->launches = weir_report_take_list(reader, gpu, &launches, &figures->launch_count);
	read_waits(reader, gpu);
}

static void read_device_figures(struct weir_result_reader *reader, const cJSON *object,
                                struct weir_memory_device *device)
{
	const struct weir_report_figure figures[] = {
		{"peak_allocated_bytes", &device->peak_allocated_bytes},
		{"peak_reserved_bytes", &device->peak_reserved_bytes},
		{"fragmentation", &device->fragmentation},
		{"leak_bytes_per_step", &device->leak_bytes_per_step},
		{"allocations_per_step", &device->allocations_per_step},
		{"used_share", &device->used_share},
	};

	weir_report_take_figures(reader, object, figures, COUNT_OF(figures));
}

static void read_device(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_memory_device *device = row;
	double id = weir_report_take_figure(reader, item, "device");

	device->rank = weir_result_take(reader, item, "rank")
	                       ? (int64_t)weir_result_take_count(reader, item, "rank")
	                       : -1;
	if (id >= INT32_MIN && id <= INT32_MAX)
		device->device_id = (int32_t)id;
	else
		weir_result_fail(reader, WEIR_E_FORMAT, "device", "the number of a device");
	read_device_figures(reader, item, device);
}

void weir_report_read_memory(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list devices = {
		"devices", WEIR_REPORT_MAX_ROWS, sizeof(struct weir_memory_device), read_device};
	const cJSON *object = weir_result_take_object(reader, document, "memory");
	struct weir_memory_figures *memory = &reader->report->memory;
	const struct weir_report_figure figures[] = {
		{"slow_allocations", &memory->slow_allocations},
		{"slow_allocation_ns", &memory->slow_allocation_ns},
		{"slow_share", &memory->slow_share},
		{"allocator_calls", &memory->allocator_calls},
		{"allocator_share", &memory->allocator_share},
		{"allocator_of_host", &memory->allocator_of_late},
	};

	if (!object)
		return;
	reader->report->has_memory = true;
	weir_report_take_figures(reader, object, figures, COUNT_OF(figures));
	read_device_figures(reader, object, &memory->largest);
	if (weir_result_take(reader, object, "devices"))
		memory->devices =
			weir_report_take_list(reader, object, &devices, &memory->device_count);
	weir_result_in(reader, "memory");
}
